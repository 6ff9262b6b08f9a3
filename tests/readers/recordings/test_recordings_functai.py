"""FunctAI's own contract cases: the records in them are read, and the states of turns are those that the cases expect."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers._times import read_time
from agentnb.readers.formats import functai
from tests.readers.made import write_lines
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings


@pytest.fixture(scope="module")
def cases(recordings: Path) -> Path:
    folder = recordings.parent / "conformance" / "functai"
    if not folder.is_dir():
        pytest.skip("FunctAI's cases are not here.")
    return folder


def records_of(case: dict[str, Any]) -> list[Any]:
    """Return the records that a case holds."""
    return [case["record"]] if isinstance(case.get("record"), dict) else case.get("records") or case.get("events") or []


def documents(cases: Path, *folders: str) -> dict[str, dict[str, Any]]:
    """Return the cases of folders that hold records, by name."""
    paths = [path for folder in folders for path in sorted((cases / folder).glob("*.json"))]
    known = {f"{path.parent.name}/{path.stem}": json.loads(path.read_text(encoding="utf-8")) for path in paths}
    return {name: case for name, case in known.items() if records_of(case)}


def test_every_record_of_every_case_is_read_and_none_is_unexplained(cases: Path, tmp_path: Path) -> None:
    known = documents(cases, "content", "context", "conversations", "rated", "saw", "views")
    assert len(known) == 77
    skipped = {}
    for name, case in known.items():
        rows = read(write_lines(tmp_path / f"{name.replace('/', '-')}.jsonl", records_of(case)))
        assert [source.format for source in rows.sources] == ["functai"]
        assert account_of(rows)[0] == len(records_of(case))
        if account_of(rows)[3]:
            skipped[name] = codes(rows)
    # The only case with versions that nobody knows yet, and a rating of such a call.
    assert skipped == {"rated/15-a-format-this-reader-does-not-know": {"rating_record": 1, "unknown_version": 2}}


def test_the_states_of_turns_are_those_that_the_cases_expect(cases: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: case for name, case in documents(cases, "conversations").items() if "states" in case["expect"]}
    assert len(known) == 9
    for name, case in known.items():
        now = (read_time(case["now"]).micros or 0) / 1e6
        monkeypatch.setattr(functai, "clock", lambda now=now: now)
        rows = read(write_lines(tmp_path / f"{name.replace('/', '-')}.jsonl", records_of(case)))
        assert {turn.turn_id: turn.state for turn in rows.turns} == case["expect"]["states"], name


def test_turns_continue_the_turn_that_they_name(cases: Path, tmp_path: Path) -> None:
    for name, case in documents(cases, "conversations").items():
        rows = read(write_lines(tmp_path / f"{name.replace('/', '-')}.jsonl", records_of(case)))
        assert {turn.turn_id: turn.parent_turn_id for turn in rows.turns} == {
            record["turn"]: record["parent"] for record in records_of(case) if record["kind"] == "turn"
        }


def test_a_person_is_asked_once_for_each_approval_that_was_recorded(cases: Path, tmp_path: Path) -> None:
    answers = {}
    for name, case in documents(cases, "conversations", "views").items():
        rows = read(write_lines(tmp_path / f"{name.replace('/', '-')}.jsonl", records_of(case)))
        if rows.approvals:
            answers[name.split("/")[1]] = [(approval.answer, approval.answered_by) for approval in rows.approvals]
    assert answers == {
        "state-05-a-waiting-turn": [(None, None)],
        "state-06-an-answered-approval-waits-no-more": [("yes", "maxime")],
        "state-07-a-resumed-turn-runs": [("yes", "maxime")],
        "outside-01-a-module": [("yes", "ana")],
        "outside-02-a-module-s-answer-as-it-is-written": [("yes", "ana")],
    }


def test_helpers_stand_inside_the_call_that_made_them(cases: Path, tmp_path: Path) -> None:
    case = documents(cases, "saw")["saw/09-helpers-inside-turns"]
    rows = read(write_lines(tmp_path / "x.jsonl", records_of(case)))
    assert {agent.call_id: agent.parent_call_id for agent in calls_of(rows, "agent")} == {record["id"]: record["parent"] for record in records_of(case)}
