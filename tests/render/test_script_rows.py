"""A script row shows the program, how it ended and what it printed, and says beside it that ran is not right."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb import render
from agentnb.scripts import diff_programs, rows_of_calls
from agentnb.values import ScriptRow
from agentnb.values.scripts import program_size
from tests.render.pages import Page
from tests.render.samples import ATTACKS, TurnMaker, conversation

BUDGET = 25_000


def row(text: str | None = "print(1)", **fields: Any) -> ScriptRow:
    size = program_size(text or "x")
    known: dict[str, Any] = {
        "dispatch": 3,
        "tool": "run_code",
        "argument": "code",
        "language": "python",
        "outcome": "completed",
        "exit_code": 0,
        "turn": 1,
        "iteration": 1,
    }
    return ScriptRow.model_validate(known | {"text": text, "bytes": size.bytes, "lines": size.lines} | fields)


def text_of(*given: Any, **known: Any) -> str:
    return Page(render.render_script(*given, **known)).text


def test_both_facts_stand_beside_their_limit() -> None:
    shown = text_of(row())
    assert "F1 submitted · F2 ✓ completed · ran is not right" in shown
    assert "script 3 · run_code" in shown
    assert "exit 0" in shown


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"outcome": "submitted", "exit_code": None}, "… never settled"),
        ({"outcome": "failed", "exit_code": 7}, "✕ failed"),
        ({"outcome": "raised", "exit_code": None}, "✕ never got to run"),
        ({"outcome": "unreported", "exit_code": None}, "– no verdict recorded"),
        ({"outcome": "answered", "exit_code": None}, "answered by a person"),
        ({"outcome": "failed", "exit_code": None, "service_error": True}, "the service that runs the code failed"),
        ({"result_withheld": "over-ceiling"}, "the model never saw the output"),
        ({"rewritten": True}, "a rule rewrote the program"),
    ],
)
def test_every_ending_and_flag_has_words(fields: dict[str, Any], word: str) -> None:
    assert word in text_of(row(**fields))


def test_a_program_that_is_not_here_says_why() -> None:
    assert "its turn has ended" in text_of(row(None))
    assert "too long to be kept: 70,000 bytes" in text_of(row(None, bytes=70_000))
    assert "print(2)" in text_of(row(None), program="print(2)")
    assert "the empty program" in text_of(row("", bytes=0, lines=0))


def test_output_is_folded_and_unfolded_where_it_failed() -> None:
    folded = [element for element in Page(render.render_script(row(), output="4\n")).elements if element.tag == "details"]
    assert [("open" in element.attributes) for element in folded] == [False]
    failed = [
        element for element in Page(render.render_script(row(outcome="failed", exit_code=1), output="x", error="boom")).elements if element.tag == "details"
    ]
    assert [("open" in element.attributes) for element in failed] == [True]
    assert "no output" in text_of(row(), output="")


def test_terminal_colours_become_classes_and_nothing_else_of_them_is_left() -> None:
    page = Page(render.render_script(row(), output="\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[0m\x1b[2J"))
    assert [element for element in page.all(class_="bad")]
    assert [element for element in page.all(class_="good")]
    assert "[31m" not in page.text
    assert "␛" not in page.text


def test_a_huge_output_is_shown_as_a_window_with_its_end() -> None:
    shown = text_of(row(outcome="failed", exit_code=1), output="line\n" * 200_000 + "the end")
    assert "more characters" in shown
    assert "the end" in shown


def test_a_retry_shows_what_changed() -> None:
    change = diff_programs("a = 1\nprint(b)", "a = 1\nprint(a)").diff
    shown = text_of(row("a = 1\nprint(a)"), change=change)
    assert "1 line new, 1 gone since the program before" in shown
    assert "-print(b)" in shown
    assert "the same program as before" in text_of(row(), change="")


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_hostile_programs_and_outputs_stay_text(attack: str) -> None:
    fields = {"tool": attack, "argument": attack, "language": attack, "tool_call_id": attack}
    html = render.render_script(row(attack, **fields), output=attack, error=f"{attack}!", change=f"-{attack}\n+x")
    assert Page(html).elements
    assert len(html.encode()) <= BUDGET


@pytest.mark.parametrize("unit", ["a", "<", "\x1b[31m", "\n", "😀", "\ud800", '"', "+\n-"])
def test_a_megabyte_in_every_place_fits_the_budget(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    html = render.render_script(row(text, tool=text, outcome="failed", exit_code=1), output=text, error=f"!{text}", change=text)
    assert len(html.encode("utf-8")) <= BUDGET
    Page(html)


def shell_turn(*programs: tuple[str, dict[str, Any]], name: str = "Bash") -> TurnMaker:
    maker = TurnMaker("t")
    maker.say("user", "Run it.")
    maker.step("Running.", *({"name": name, "arguments": {"command": text}, **known} for text, known in programs))
    return maker


def test_a_call_of_a_code_tool_shows_what_its_record_proves_and_what_changed() -> None:
    turn = shell_turn(("make tset", {"exit_code": 2, "state": "failed", "output": "no"}), ("make test", {"exit_code": 0, "output": "ok"})).turn()
    shown = Page(render.render_turn(turn)).text
    assert "F1 submitted · F2 ✕ failed · ran is not right" in shown
    assert "F1 submitted · F2 ✓ completed · ran is not right" in shown
    assert shown.count("1 line new, 1 gone since the program before") == 1
    assert "+make test" in shown
    assert "F2 ✓ completed" in Page(render.render_call(turn.tool_calls[1])).text
    assert "since the program before" in Page(render.render_call(turn.tool_calls[1], turn=turn)).text


def test_a_call_of_another_tool_and_one_that_never_ran_show_no_facts() -> None:
    assert "F1" not in Page(render.render_turn(shell_turn(("make", {}), name="Read").turn())).text
    assert "F1" not in Page(render.render_turn(shell_turn(("make", {"state": "denied"})).turn())).text


def test_a_command_line_is_shown_as_the_program_that_it_runs() -> None:
    maker = shell_turn()
    call = maker.call("tool", "shell", parent="t", input='{"command": ["bash", "-lc", "if true; then ls; fi"]}', exit_code=0)
    html = render.render_call(call)
    assert '<span class="k">if </span>' in html
    assert "if true; then ls; fi" in Page(html).text


def test_programs_of_turns_that_are_not_shown_are_not_worked_out(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(calls: Any) -> Any:
        asked.append(len(calls["call_id"]))
        return rows_of_calls(calls)

    monkeypatch.setattr("agentnb.render._programs.rows_of_calls", counted)
    turns = [shell_turn(("make", {"exit_code": 0}), ("make", {"exit_code": 0})).turn().model_copy(update={"turn_id": f"t{place}"}) for place in range(3)]
    lines = tuple(render.turn_line(turn) for turn in turns)
    about = conversation(turns[0]).model_copy(update={"turns": ()})
    page = render.TranscriptPage(conversation=about, lines=lines, total=3, turns={"t1": turns[1]})
    render.render_transcript(page, live=True)
    assert asked == []
    render.render_transcript(page, live=True, open_turns=("t1",))
    assert set(asked) <= {2}
