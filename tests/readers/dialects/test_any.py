"""What an unknown value says: the dialect is recognised from the value alone, whatever it is wrapped in."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.readers.dialects.any import heard_in, replied_in, said_in_any
from agentnb.readers.dialects.passed import arguments_in, conversed_in, returned_in

ASKS = {"role": "user", "content": "Is it high?"}
SAYS = {"role": "assistant", "content": "Yes."}


def spoken(value: Any) -> list[tuple[str, str | None]] | None:
    """Return who says what in a value."""
    said = said_in_any(value, 1)
    return None if said is None else [(message.role, piece.text) for message in said for piece in message.pieces]


@pytest.mark.parametrize(
    "value",
    [
        [ASKS, SAYS],
        [[ASKS, SAYS]],
        {"messages": [ASKS, SAYS]},
        {"input": {"messages": [ASKS, SAYS]}},
        json.dumps([ASKS, SAYS]),
        json.dumps(json.dumps(json.dumps({"messages": [ASKS, SAYS]}))),
        str({"messages": [ASKS, SAYS]}),
        "{'messages': [HumanMessage(content='Is it high?', id='1'), AIMessage(content='Yes.', id='2')]}",
        [{"type": "human", "data": {"content": "Is it high?"}}, {"type": "ai", "data": {"content": "Yes."}}],
        [{"role": "user", "parts": [{"text": "Is it high?"}]}, {"role": "model", "parts": [{"text": "Yes."}]}],
        [{"role": "user", "parts": [{"type": "text", "content": "Is it high?"}]}, {"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]}],
        [ASKS, {**SAYS, "additional_kwargs": {"refusal": None}}],
        [{"role": "user", "text": "Is it high?"}, {"role": "assistant", "text": "Yes."}],
    ],
    ids=lambda value: str(value)[:40],
)
def test_messages_are_found_in_whatever_they_are_wrapped_in(value: Any) -> None:
    assert spoken(value) == [("user", "Is it high?"), ("assistant", "Yes.")]


@pytest.mark.parametrize(
    "value", [None, "", 7, True, [], {}, "Is it high?", '"Is it high?"', [1, 2], {"depth": 4}, "{broken", "f(", {"messages": 3}, [[[[[]]]]]]
)
def test_what_holds_no_message_is_recognised_as_nothing(value: Any) -> None:
    assert spoken(value) is None


def test_a_text_alone_is_said_by_whoever_it_comes_from() -> None:
    assert [(said.role, said.pieces[0].text) for said in (*heard_in("Is it high?", 1), *replied_in('"Yes."', 1))] == [
        ("user", "Is it high?"),
        ("assistant", "Yes."),
    ]


def test_a_prompt_with_instructions_is_both() -> None:
    assert spoken({"system": "Be brief.", "prompt": "Is it high?"}) == [("system", "Be brief."), ("user", "Is it high?")]


def test_values_nested_beyond_reason_are_nothing() -> None:
    value: Any = [ASKS]
    for _ in range(500):
        value = {"input": value}
    assert spoken(value) is None


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"day": "today"}, '{"day":"today"}'),
        ('{"day": "today"}', '{"day":"today"}'),
        ({"input": "{'day': 'today', 'deep': True, 'level': -2}"}, '{"day":"today","deep":true,"level":-2}'),
        ({"input": {"day": "today"}}, '{"day":"today"}'),
        ("today", '"today"'),
        ("", None),
        (None, None),
    ],
    ids=["object", "JSON text", "Python text", "wrapped", "text", "empty", "nothing"],
)
def test_arguments_become_json_however_they_were_written(given: Any, expected: str | None) -> None:
    assert arguments_in(given) == expected


@pytest.mark.parametrize(
    ("came", "expected"),
    [
        ("4 m", ("4 m", None, None)),
        ({"output": "4 m"}, ("4 m", None, None)),
        ({"type": "tool", "content": "4 m", "tool_call_id": "c"}, ("4 m", "c", None)),
        ({"type": "tool", "content": "dry", "tool_call_id": "c", "status": "error"}, ("dry", "c", "dry")),
        ("content='4 m' name='depth' additional_kwargs={} tool_call_id='c'", ("4 m", "c", None)),
        ({"content": [{"type": "text", "text": "4 m"}], "isError": True}, ("4 m", None, "4 m")),
        ('{"level":  4}', ('{"level":  4}', None, None)),
        ({"level": 4}, ('{"level":4}', None, None)),
        (None, (None, None, None)),
    ],
    ids=["text", "wrapped", "message", "failed message", "Python text", "blocks", "JSON text", "object", "nothing"],
)
def test_a_result_is_the_text_that_the_agent_was_shown(came: Any, expected: tuple[Any, ...]) -> None:
    assert tuple(returned_in(came, 1))[:3] == expected


def test_of_a_state_at_the_end_only_what_is_new_was_answered() -> None:
    conversed = conversed_in({"messages": [ASKS]}, {"messages": [ASKS, SAYS]}, 1)
    assert ([said.role for said in conversed.heard], [said.pieces[0].text for said in conversed.replied]) == (["user"], ["Yes."])
