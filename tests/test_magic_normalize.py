"""%%normalize: a raw turn as a cell, what it decided and why as the output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import agentnb as anb
from tests.shells import make_shell
from tests.values.made import call, part

ENVELOPE = '{"nextStep": {"type": "Chat"}, "message": "Which one?"}'


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    return make_shell()


@pytest.fixture(autouse=True)
def emptied(shell: Any) -> Iterator[None]:
    yield
    for name in ("found", "turn", "text"):
        shell.user_ns.pop(name, None)


def normalize(shell: Any, cell: str, line: str = "") -> Any:
    return shell.run_cell_magic("normalize", line, cell)


def test_a_cell_is_a_turn_as_json(shell: InteractiveShell) -> None:
    shown = normalize(shell, '{"text": "On it.", "toolCalls": [{"name": "refund", "arguments": {"amount": 5, "again": true, "note": null}}]}\n')
    turn = {"text": "On it.", "toolCalls": [{"name": "refund", "arguments": {"amount": 5, "again": True, "note": None}}]}
    assert shown.decision == anb.normalize_decision(turn)
    assert shown == anb.explain_decision(turn)


def test_a_cell_is_a_python_expression_over_the_variables_of_the_notebook(shell: InteractiveShell) -> None:
    shell.user_ns["text"] = ENVELOPE
    assert normalize(shell, "{'text': text, 'protocol': None}\n").decision.kind == "chat"
    assert normalize(shell, "  dict(\n    text=text[1:],\n  )").decision.kind == "unparseable"


def test_a_step_a_raw_turn_and_a_text_are_turns(shell: InteractiveShell) -> None:
    step = anb.Step(call=call(call_id="m", kind="model"), step_index=0, parts=(part(type="text", text="All done."),))
    shell.user_ns |= {"turn": step, "text": ENVELOPE}
    assert normalize(shell, "turn").decision.kind == "taskComplete"
    assert normalize(shell, "turn.raw").decision.kind == "taskComplete"
    assert normalize(shell, "text").decision.message == "Which one?"
    assert normalize(shell, '"just words"').decision.kind == "unparseable"


def test_the_result_is_the_value_of_the_cell_and_goes_into_a_variable(shell: InteractiveShell) -> None:
    made = normalize(shell, '{"text": "Done.", "protocol": "implicit"}', "-o found")
    assert shell.user_ns["found"] is made
    running: Any = shell
    assert running.run_cell('%%normalize\n{"text": "Done.", "protocol": "implicit"}').result.decision.encoding == "text"


def test_it_shows_the_kind_the_encoding_what_was_dropped_and_the_way_to_it(shell: InteractiveShell) -> None:
    display: Any = shell.display_formatter
    turn = '{"text": "{\\"taskComplete\\": true}", "toolCalls": [{"name": "ask"}, {"name": "b"}], "controlToolMap": {"ask": {"kind": "chat"}}}'
    data, _ = display.format(normalize(shell, turn))
    for word in ("chat", "native", "dual channel", "discarded", "envelope", "fired"):
        assert word in data["text/html"]
    data, _ = display.format(normalize(shell, '{"text": "{broken"}'))
    assert "unparseable" in data["text/html"]
    assert "unparseable" in data["text/plain"]


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (" \n", "There is no turn"),
        ("{broken", "neither JSON .* nor a Python expression"),
        ("x = 1", "neither JSON .* nor a Python expression"),
        ("[1, 2]", "a mapping with text"),
        ("5", "a mapping with text"),
        ('{"toolCalls": 5}', "tool calls"),
        ('{"taskComplete": true}', "none of the fields of a turn .*as a text"),
        ("[" * 100_000, "neither JSON"),
    ],
)
def test_what_is_no_turn_says_what_one_is(shell: InteractiveShell, cell: str, message: str) -> None:
    with pytest.raises(anb.TurnError, match=message) as caught:
        normalize(shell, cell, "-o found")
    assert isinstance(caught.value, TypeError)
    assert "found" not in shell.user_ns


def test_an_error_of_the_expression_is_shown_as_it_is(shell: InteractiveShell) -> None:
    with pytest.raises(NameError, match="nothing_here"):
        normalize(shell, "nothing_here.raw")


@pytest.mark.parametrize(
    ("line", "message"), [("turn", "does not understand 'turn'"), ("-o", "does not understand '-o'"), ("-o 1st", "takes the name of a variable")]
)
def test_options_that_are_not_understood_say_how_it_is_used(shell: InteractiveShell, line: str, message: str) -> None:
    with pytest.raises(anb.OptionError, match=message) as caught:
        normalize(shell, "{}", line)
    assert "%%normalize [-o VARIABLE]" in str(caught.value)
