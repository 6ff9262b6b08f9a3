"""Rows -> values: what is asked for by id comes back whole, and an id that is not there names the nearest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.values import Call, Conversation, Message, Part, Turn
from agentnb.workspace import Workspace
from tests.workspace.recordings import workspace_of, write_session

ODD_IDS = ["it's", '"quoted"', "100%", "a_b", "naïve ☕ 🦀", "<b>", "tab\tline\n", "x" * 5000, " ", "--", "$1", "null", "\x00nul"]


def workspace_with(names: list[str]) -> Workspace:
    rows = [
        (
            Conversation(conversation_id=name, format="made", source_id="s"),
            Turn(turn_id=name, conversation_id=name, turn_index=0, source_id="s", prompt="hello"),
            Call(call_id=name, conversation_id=name, turn_id=name, call_index=0, kind="agent", name="agent", source_id="s"),
        )
        for name in names
    ]
    return workspace_of(dict(zip(("conversations", "turns", "calls"), map(list, zip(*rows, strict=True)), strict=True)))


@pytest.fixture(scope="module")
def odd_ones() -> Workspace:
    return workspace_with(ODD_IDS)


@pytest.fixture(scope="module")
def known() -> Workspace:
    return workspace_with(["known-id"])


@pytest.mark.parametrize("odd", ODD_IDS, ids=range(len(ODD_IDS)))
def test_an_id_may_hold_any_character(odd: str, odd_ones: Workspace) -> None:
    assert odd_ones.turn(odd).turn_id == odd_ones.call(odd).call_id == odd_ones.conversation(odd).conversation_id == odd
    assert odd_ones.rate(odd, "right", by="ana").call_id == odd
    assert [rating.call_id for rating in odd_ones.turn(odd).ratings] == [odd]


@pytest.mark.parametrize("odd", [*ODD_IDS, "\ud800", 5, None], ids=range(len(ODD_IDS) + 3))
def test_an_id_that_is_not_there_names_what_is(odd: Any, known: Workspace) -> None:
    for ask in (known.turn, known.call, known.conversation):
        with pytest.raises(anb.UnknownId, match="The nearest are 'known-id'") as caught:
            ask(odd)
        assert isinstance(caught.value, KeyError)
        assert len(str(caught.value)) < 1000


def test_an_id_of_an_empty_workspace_says_that_it_is_empty() -> None:
    with pytest.raises(anb.UnknownId, match="The workspace is empty"):
        workspace_of({}).turn("x")


def test_the_nearest_id_comes_first(tmp_path: Path) -> None:
    for name in ("alpha", "beta", "gamma"):
        write_session(tmp_path / f"{name}.jsonl", name)
    with pytest.raises(anb.UnknownId, match="The nearest are 'beta'"):
        anb.open(tmp_path).conversation("betta")


def test_values_are_the_same_by_whichever_way_they_are_asked_for(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a", turns=2, calls=3))
    conversation = ws.conversation("a")
    assert len(conversation.turns) == 2
    for turn in conversation.turns:
        assert ws.turn(turn.turn_id) == turn
        assert [ws.call(call.call_id) for call in turn.calls] == list(turn.calls)
        assert [len(step.tool_calls) for step in turn.steps] == [1, 1, 1, 0]
    # Made without checks, for speed: the checks find nothing.
    assert Conversation.model_validate(conversation.model_dump()) == conversation


def test_every_row_of_a_turn_comes_back_in_its_value(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a", turns=2))
    turns = ws.conversation("a").turns
    parts = [part.model_dump() for turn in turns for message in turn.messages for part in message.parts]
    calls = [call.model_dump() for turn in turns for call in turn.calls]
    assert parts == records(ws, "from parts order by message_index, part_index")
    assert calls == records(ws, "from calls order by call_index")


def test_messages_keep_their_order_and_their_parts() -> None:
    part: dict[str, Any] = {"conversation_id": "c", "turn_id": "t", "agent_call_id": "t", "source_id": "s", "type": "text"}
    parts = [
        Part.model_validate(part | {"message_index": message, "part_index": place, "role": role, "text": text})
        for message, place, role, text in [(5, 1, "assistant", "b"), (2, 0, "user", "hi"), (5, 0, "assistant", "a")]
    ]
    turn = Turn(turn_id="t", conversation_id="c", turn_index=0, source_id="s")
    found = workspace_of({"turns": [turn], "parts": parts}).turn("t").messages
    assert [(message.message_index, message.role, message.text) for message in found] == [(2, "user", "hi"), (5, "assistant", "a\n\nb")]
    assert all(isinstance(message, Message) for message in found)


def records(ws: Workspace, query: str) -> list[dict[str, Any]]:
    relation = ws.sql(query)
    return [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
