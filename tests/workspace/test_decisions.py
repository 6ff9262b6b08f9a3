"""What steps decided, as a table: the same as the values say, asked by views, filled when a query wants it and not before."""

from __future__ import annotations

import json
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.decisions import check_well_formed
from agentnb.values import Decision, Step
from agentnb.workspace import Workspace
from agentnb.workspace import _derived as derived
from tests.workspace.envelopes import ENVELOPE, decided_workspace
from tests.workspace.recordings import count, write_session

BROKEN = '{"taskComplete": true'
SEVERAL = f"{ENVELOPE}\n{ENVELOPE}"
SAME = ("kind", "encoding", "task_complete", "envelope_parsed", "diagnostic", "dual_channel", "narration_with_calls", "placeholder_call")


@pytest.fixture
def ws() -> Workspace:
    return decided_workspace(
        plain=[("I look.", [("look", '{"day": 1}')]), (BROKEN, [])],
        spoken=[(ENVELOPE, []), (BROKEN, []), (SEVERAL, []), ("All done.", []), ('{"taskComplete": true}', [])],
        both=[('{"taskComplete": true}', [("look", "{}")]), ('{"nextStep": {"type": "Actions", "actions": [{"name": "a"}]}}', [("look", "{}")])],
        failing=[
            {"text": None, "error": "429", "failed": True, "state": "failed"},
            ("There it is.", []),
            {"text": "Cut", "finish_reason": "length", "model": "m2"},
        ],
    )


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Names of the first table of each derivation that is made, as it is made."""
    made: list[str] = []

    def noting(work: Any) -> Any:
        def make(*given: Any) -> Any:
            made.append(work.tables[0])
            return work.make(*given)

        return work._replace(make=make)

    monkeypatch.setattr(derived, "_WORKS", tuple(noting(work) for work in derived._WORKS))
    return made


def rows(ws: Workspace, query: str, params: Any = None) -> list[Any]:
    return ws.sql(query, params).fetchall()


def steps_of(ws: Workspace) -> Iterator[Step]:
    for (conversation_id,) in rows(ws, "select conversation_id from conversations order by all"):
        for turn in ws.conversation(conversation_id).turns:
            for agent in (call.call_id for call in turn.calls if call.kind == "agent"):
                yield from turn.steps_of(agent)


def test_a_row_has_the_fields_of_the_value(ws: Workspace) -> None:
    found = ws.sql("from decisions").to_arrow_table()
    assert found.column_names == list(Decision.model_fields)
    assert len({Decision.model_validate(row).decision_id for row in found.to_pylist()}) == 12


def test_an_agent_that_answers_in_envelopes_is_held_to_them_in_all_its_conversation(ws: Workspace) -> None:
    kinds = "from decisions select kind where conversation_id = $1 order by call_index"
    assert rows(ws, kinds, ["plain"]) == [("action",), ("taskComplete",)]
    assert rows(ws, kinds, ["spoken"]) == [("action",), ("unparseable",), ("unparseable",), ("unparseable",), ("taskComplete",)]
    assert [step.protocol for step in ws.turn("spoken/1").steps] == ["envelope"] * 5
    assert {step.protocol for step in ws.turn("plain/1").steps} == {"implicit"}


def test_an_envelope_beside_a_call_does_not_make_the_agent_one_that_answers_in_them(ws: Workspace) -> None:
    assert {step.protocol for step in ws.turn("both/1").steps} == {"implicit"}


def assert_rows_are_the_values(ws: Workspace) -> int:
    table = {row["decision_id"]: row for row in ws.sql("from decisions").to_arrow_table().to_pylist()}
    seen = 0
    for step in steps_of(ws):
        row, decision = table[step.step_id], anb.normalize_decision(step.raw)
        record, judged = decision.record(), check_well_formed(decision, finish_reason=step.finish_reason, execution_error=step.call.error)
        for name in (
            "kind",
            "encoding",
            "message",
            "task_complete",
            "envelope_parsed",
            "diagnostic",
            "dual_channel",
            "narration_with_calls",
            "placeholder_call",
        ):
            assert row[name] == getattr(decision, name), (step.step_id, name)
        assert json.loads(row["actions"] or "[]") == json.loads(json.dumps(record["actions"])), step.step_id
        assert json.loads(row["sub_agents"] or "[]") == record["subAgents"]
        assert len(json.loads(row["discarded"] or "[]")) == len(decision.discarded)
        assert (row["well_formed"], row["well_formed_reason"]) == (judged.passed, judged.reason)
        seen += 1
    assert seen == len(table)
    return seen


def test_rows_say_what_the_values_say(ws: Workspace) -> None:
    assert assert_rows_are_the_values(ws) == 12


def test_rows_of_the_recordings_of_the_project_say_what_the_values_say(data: Path) -> None:
    assert assert_rows_are_the_values(anb.open([path for path in sorted(data.iterdir()) if path.is_dir() and path.name not in ("make", "streams")])) > 200


def test_arguments_that_are_no_strict_json_are_none_in_the_row_and_in_the_value() -> None:
    odd = ['{"a": NaN}', "not json", '"text"', "[1]", "", "[" * 100_000 + "]" * 100_000]
    assert assert_rows_are_the_values(decided_workspace(odd=[(None, [("look", given)]) for given in odd])) == len(odd)


def test_kinds_are_counted_by_model_and_encoding(ws: Workspace) -> None:
    models = dict(rows(ws, "from steps select step_id, name"))
    expected = Counter((models[step.step_id], made.encoding, made.kind) for step in steps_of(ws) for made in [anb.normalize_decision(step.raw)])
    assert {row[:3]: row[3] for row in rows(ws, "from decision_kinds select model, encoding, kind, decisions")} == expected
    assert rows(ws, "from decision_kinds select well_formed_share where kind = 'taskComplete' and model = 'm2'") == [(0.0,)]


def test_what_cannot_be_read_says_why(ws: Workspace) -> None:
    found = rows(ws, "from unreadable_decisions select decision_id, diagnostic_category, concatenated_objects order by all")
    assert found == [
        ("failing/1/s1", "no_output", None),
        ("spoken/1/s2", "parse_error", None),
        ("spoken/1/s3", "concatenated", 2),
        ("spoken/1/s4", "parse_error", None),
    ]
    assert all(why for (why,) in rows(ws, "from unreadable_decisions select diagnostic"))


def test_a_turn_on_two_channels_says_whether_they_contradict(ws: Workspace) -> None:
    found = rows(ws, "from dual_channel_decisions select decision_id, kind, shadow_envelope_kind, contradicts order by all")
    assert found == [("both/1/s1", "action", "taskComplete", True), ("both/1/s2", "action", "action", False)]


def test_a_retry_is_forced_by_a_step_that_no_loop_could_act_on_and_that_was_not_the_last(ws: Workspace) -> None:
    found = rows(ws, "from forced_retries select decision_id, kind, next_decision_id, next_kind order by call_index, decision_id")
    assert found == [
        ("failing/1/s1", "empty", "failing/1/s2", "taskComplete"),
        ("spoken/1/s2", "unparseable", "spoken/1/s3", "unparseable"),
        ("spoken/1/s3", "unparseable", "spoken/1/s4", "unparseable"),
        ("spoken/1/s4", "unparseable", "spoken/1/s5", "taskComplete"),
    ]
    assert rows(ws, "select decision_id from decisions where not well_formed except select decision_id from forced_retries") == [("failing/1/s3",)]


def test_what_people_said_meets_what_a_loop_could_use(ws: Workspace) -> None:
    for step, verdict in (("spoken/1/s3", "right"), ("spoken/1/s5", "right"), ("plain/1/s1", "wrong"), ("failing/1/s3", "wrong"), ("both/1/s1", "wrong")):
        ws.rate(step, verdict, by="ana")
    ws.rate("both/1/s1", None, by="ana")
    ws.rate("plain/1/s1", "right", by="ben")
    judged = rows(ws, "from judged_decisions select decision_id, verdict, rated_by, well_formed order by all")
    assert judged == [
        ("failing/1/s3", "wrong", "ana", False),
        ("plain/1/s1", "right", "ben", True),
        ("plain/1/s1", "wrong", "ana", True),
        ("spoken/1/s3", "right", "ana", False),
        ("spoken/1/s5", "right", "ana", True),
    ]
    assert rows(ws, "from right_but_unusable select decision_id, well_formed_reason, rated_by") == [("spoken/1/s3", "unparseable", "ana")]
    assert rows(ws, "from usable_but_wrong select decision_id, encoding, rated_by") == [("plain/1/s1", "native", "ana")]


def test_a_query_that_does_not_name_them_computes_nothing(ws: Workspace, computed: list[str]) -> None:
    rows(ws, "select count(*) from steps where name <> 'rule_hit'")
    assert computed == []
    assert len(rows(ws, "FROM Decisions")) == 12
    assert computed == ["decisions"]
    rows(ws, "from forced_retries")
    rows(ws, "select kind from decisions group by kind")
    assert computed == ["decisions"]


@pytest.mark.parametrize(
    "view", ["decision_kinds", "unreadable_decisions", "dual_channel_decisions", "judged_decisions", "right_but_unusable", "forced_retries"]
)
def test_a_view_over_them_fills_them_too(ws: Workspace, computed: list[str], view: str) -> None:
    rows(ws, f"select count(*) from {view}")
    assert computed == ["decisions"]


def test_analyze_fills_all_of_them_at_once(ws: Workspace, computed: list[str]) -> None:
    assert ws.analyze() is ws
    assert set(computed) == {work.tables[0] for work in derived._WORKS}
    before = len(computed)
    assert len(rows(ws, "from decisions")) == 12
    ws.analyze()
    assert len(computed) == before


def test_only_what_has_grown_is_worked_out_again(logs: Path, folder: Path, computed: list[str]) -> None:
    with anb.open(logs, workspace=folder) as ws:
        assert count(ws, "decisions") == 9
        known = len(computed)
        write_session(logs / "one.jsonl", "one", turns=2)
        assert count(ws, "decisions") == 9
        assert len(computed) == known
        ws.refresh()
        assert count(ws, "decisions") == 12
        assert known < len(computed) <= known + 2
        assert rows(ws, "select count(*) from decisions anti join calls on decision_id = call_id") == [(0,)]


def test_in_memory_what_was_added_is_decided_too(logs: Path, computed: list[str]) -> None:
    with anb.open(logs / "one.jsonl") as ws:
        assert count(ws, "decisions") == 3
        ws.read(logs / "two.jsonl")
        assert count(ws, "decisions") == 6
        assert len(computed) == 2


def test_a_folder_that_is_opened_again_is_decided_the_same(logs: Path, folder: Path) -> None:
    with anb.open(logs, workspace=folder) as ws:
        first = rows(ws, "from decisions order by decision_id")
    with anb.open(workspace=folder) as again:
        assert rows(again, "from decisions order by decision_id") == first


def test_threads_that_ask_at_once_get_the_same_and_it_is_worked_out_once(ws: Workspace, computed: list[str]) -> None:
    found: list[Any] = []
    start = threading.Barrier(4)

    def ask() -> None:
        start.wait()
        found.append(rows(ws, "select decision_id, kind from decisions order by decision_id"))

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] and len(one) == 12 for one in found)
    assert computed == ["decisions"]


@pytest.mark.recordings
def test_rows_of_real_recordings_say_what_the_values_say(recordings: Path) -> None:
    seen = 0
    for folder in sorted(path for path in recordings.iterdir() if path.is_dir()):
        files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 2_000_000][:40]
        with anb.open(files) as ws:
            seen += assert_rows_are_the_values(ws)
    assert seen > 500
