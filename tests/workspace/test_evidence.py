"""Answers of recorded turns against what their agents were shown, in the turn and before it: on every run, without raising, each text looked at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.render import plain_evidence, render_evidence
from agentnb.scripts import EvidenceCheck
from agentnb.values import Turn
from agentnb.workspace import Workspace
from agentnb.workspace._ran import earlier_turns
from tests.values.made import turn as made_turn
from tests.workspace.recordings import session_lines, write_session


def session(path: Path, *turns: tuple[str, str], system: str | None = None) -> Workspace:
    """Write a conversation in which each turn has one result and one answer."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    for place, (result, answer) in enumerate(turns):
        asked = {"id": f"call_{place}", "type": "function", "function": {"name": "look_up", "arguments": "{}"}}
        messages += [
            {"role": "user", "content": "And now?"},
            {"role": "assistant", "content": None, "tool_calls": [asked]},
            {"role": "tool", "tool_call_id": f"call_{place}", "content": result},
            {"role": "assistant", "content": answer},
        ]
    path.write_text(json.dumps({"messages": messages}), "utf-8")
    return anb.open(path)


def turns_of(ws: Workspace) -> list[Turn]:
    ids = [conversation_id for (conversation_id,) in ws.sql("select conversation_id from conversations order by all").fetchall()]
    return [turn for conversation_id in ids for turn in ws.conversation(conversation_id).turns]


def listed(check: EvidenceCheck) -> list[str]:
    return [value.value for value in check.unsupported]


def test_an_invented_value_is_found_in_one_run_and_none_in_its_clean_twin(data: Path) -> None:
    checks = {}
    for name in ("langgraph.thread.json", "codex.rollout.jsonl"):
        ws = anb.open(data / "last-ferry" / name)
        checks[name] = ws.check_evidence(turns_of(ws)[0])
    assert listed(checks["langgraph.thread.json"]) == ["18:30"]
    assert listed(checks["codex.rollout.jsonl"]) == []
    assert checks["codex.rollout.jsonl"].candidates > 0


def test_earlier_turns_and_what_stands_before_them_are_known(tmp_path: Path) -> None:
    ws = session(
        tmp_path / "chat.json", ("port 41200", "It is 41200."), ("nothing", "Still 41200, at site ab1234, not 59999."), system="You serve site ab1234."
    )
    first, second = turns_of(ws)
    check = ws.check_evidence(second.turn_id)
    assert listed(check) == ["59999"]
    assert (check.turn, check.from_prior_turns, check.latest_prior_turn) == (2, 1, 1)
    assert [value.value for value in check.values if value.verdict == "exempt"] == ["ab1234"]
    assert listed(ws.check_evidence(first, exempt=["41200"])) == []
    assert "41200" in listed(anb.check_evidence(second))


def test_settings_more_results_and_wrong_uses(tmp_path: Path) -> None:
    ws = session(tmp_path / "chat.json", ("nothing", "It is 987."))
    (turn,) = turns_of(ws)
    assert listed(ws.check_evidence(turn)) == []
    assert listed(ws.check_evidence(turn, min_digits=3)) == ["987"]
    assert listed(ws.check_evidence(turn, min_digits=3, results=["987"])) == []
    with pytest.raises(anb.ScriptError, match="min_digits"):
        ws.check_evidence(turn, min_digits=0)
    with pytest.raises(TypeError, match="colour"):
        ws.check_evidence(turn, colour="red")
    with pytest.raises(anb.UnknownId):
        ws.check_evidence("none")


def test_only_the_turns_that_led_to_a_turn_are_earlier() -> None:
    root, other, last = (made_turn(turn_id=name, parent_turn_id=parent) for name, parent in (("a", None), ("b", "a"), ("c", "a")))
    endless = made_turn(turn_id="d", parent_turn_id="d")
    conversation = anb.Conversation.model_construct(turns=(root, other, last, endless))
    assert earlier_turns(conversation, last) == [root]
    assert earlier_turns(conversation, root) == earlier_turns(conversation, endless) == []


def check_whole(ws: Workspace, conversation_id: str) -> int:
    """Check every turn of a conversation; each text that its agent was shown is searched, once."""
    turns = ws.conversation(conversation_id).turns
    for turn in turns[:-1]:
        anb.check_evidence(turn)
    check = ws.check_evidence(turns[-1])
    own = [place.call_id for place in check.searched if place.call_id is not None]
    assert len(own) == len(set(own))
    assert sum(place.characters for place in check.searched if place.call_id is not None) <= sum(map(returned, turns))
    assert len(render_evidence(check).encode()) <= 25_000
    assert "\n" not in plain_evidence(check)
    return len(turns)


def returned(turn: Turn) -> int:
    return sum(len(call.output if call.output is not None else call.error or "") for call in turn.tool_calls)


def test_every_turn_of_the_project_s_data_can_be_checked(data: Path) -> None:
    ws = anb.open([path for path in sorted(data.iterdir()) if path.is_dir() and path.name != "make"])
    ids = [conversation_id for (conversation_id,) in ws.sql("select distinct conversation_id from turns").fetchall()]
    assert sum(check_whole(ws, conversation_id) for conversation_id in ids) == ws.sql("select count(*) from turns").fetchall()[0][0] > 10


@pytest.mark.recordings
def test_the_longest_conversation_of_every_real_format_can_be_checked(recordings: Path) -> None:
    ws = anb.open(recordings)
    longest = "select max_by(conversation_id, turns) from (select format, conversation_id, count(*) as turns from {} group by all) group by format"
    ids = [row[0] for row in ws.sql(longest.format("conversations join turns using (conversation_id)")).fetchall()]
    assert len(ids) > 25
    assert sum(check_whole(ws, conversation_id) for conversation_id in ids) > len(ids)


def test_a_check_shows_itself_with_the_places_that_were_searched(tmp_path: Path) -> None:
    lines = session_lines("one", calls=1)
    lines[-1]["message"]["content"][0]["text"] = "It peaks at 39999."
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ws = anb.open(path)
    html = render_evidence(ws.check_evidence(turns_of(ws)[0]))
    assert '<b class="bad">39999<span class="mark bad"> ✕ unsupported</span></b>' in html
    unsupported = html[html.index('<details class="call failed"') :]
    assert "not found in:" in unsupported
    assert "<b>Bash</b>" in unsupported
    assert write_session(path, "one").exists()
