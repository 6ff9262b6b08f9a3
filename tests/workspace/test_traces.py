"""Traces are kept as safely as ratings, and the views over them give numbers that can be found in another way."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.transports import TracedResponse, what_if
from agentnb.values.model_selections import Trace
from agentnb.workspace import Workspace
from tests.transports.made import CALLED, LENGTH, W, call, trace, transport
from tests.workspace.recordings import write_session

GOOD = [call(0, "c1", W, '{"city": "Ruin"}'), CALLED]
BROKEN = [call(0, "c1", W, '{"city": "'), call(0, arguments='Ru"]'), call(0, arguments="xyz"), CALLED]
CUT = [call(0, "c1", W, '{"city": ')]
ANSWERS: dict[str, list[Any]] = {"good": GOOD, "broken": BROKEN, "cut": CUT, "text": ["Sure."], "empty": [LENGTH]}


def traces() -> dict[str, Trace]:
    places = [("full", "native"), ("full", "json"), ("status-only", "native")]
    return {
        f"{name} {stage} {adapter}": what_if(parts, transport(), stage=stage, adapter=adapter) for name, parts in ANSWERS.items() for stage, adapter in places
    }


@pytest.fixture(scope="module")
def ws() -> Workspace:
    ws = anb.open([])
    ws.record(traces())
    return ws


def rows(ws: Workspace, query: str) -> list[Any]:
    return ws.sql(query).fetchall()


def test_the_parts_are_those_of_the_traces(ws: Workspace) -> None:
    found = rows(ws, "select response_id, count(*), sum(chars), max(output_chars) from model_parts group by response_id order by response_id")
    assert found == [(name, len(one.steps), one.output_chars, one.output_chars) for name, one in sorted(traces().items())]
    verdicts = dict(rows(ws, "select verdict, count(*) from model_parts group by verdict"))
    assert verdicts == Counter(step.verdict for one in traces().values() for step in one.steps)


def test_selection_failures_counts_codes_by_stage_and_adapter(ws: Workspace) -> None:
    failed = [one for one in traces().values() if one.code is not None]
    counted = Counter((one.stage, one.adapter_id, one.code) for one in failed)
    cut = Counter((one.stage, one.adapter_id, one.code) for one in failed if one.outcome == "cut")
    found = rows(ws, "from selection_failures")
    assert {row[:3]: row[3:] for row in found} == {key: (count, cut[key]) for key, count in counted.items()}
    assert [row[3] for row in found] == sorted((row[3] for row in found), reverse=True)


def test_narrow_stages_says_how_often_another_stage_would_have_had_the_tool(ws: Workspace) -> None:
    refused = [one for one in traces().values() if one.code == "tool_not_in_stage"]
    assert {one.stage for one in refused} == {"status-only"}
    assert rows(ws, "from narrow_stages") == [("status-only", W, len(refused), len(refused))]
    alone = anb.open([])
    alone.record(refused)
    assert rows(alone, "from narrow_stages") == [("status-only", W, len(refused), 0)]


def test_output_before_break_is_the_share_before_the_part_that_broke(ws: Workspace) -> None:
    found = {row[:3]: row[3:] for row in rows(ws, "from output_before_break")}
    broken = [one for one in traces().values() if one.broke_at is not None and one.output_chars]
    assert {key: value[0] for key, value in found.items()} == Counter((one.stage, one.adapter_id, one.code) for one in broken)
    # '{"city": "' came before the part that broke it, 'Ru"]' broke it, 'xyz' came after.
    responses, share, after = found["full", "native", "arguments_invalid"]
    assert (responses, after) == (1, 3)
    assert share == pytest.approx(10 / 17)


def test_rejected_inputs_are_those_that_the_tool_refused() -> None:
    ws = anb.open([])
    one = trace(*GOOD)
    ws.record([TracedResponse("a", one, GOOD, "t", "input_rejected"), TracedResponse("b", one, GOOD, "t", "ok"), TracedResponse("c", one)])
    assert rows(ws, "from rejected_inputs") == [("a", 0, "t", "full", "weather.lookup", '{"city":"Ruin"}')]
    assert rows(ws, "select distinct name from model_parts where response_id = 'a' order by name nulls last") == [(W,), (None,)]


def test_rated_stage_sizes_joins_ratings_to_the_model_call_that_was_traced(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "a.jsonl", "a"), workspace=tmp_path / "ws")
    call_id, step_id = rows(ws, "select call_id, step_id from tool_calls order by call_index limit 1")[0]
    one = trace(*GOOD)
    ws.record({step_id: one})
    assert rows(ws, "from rated_stage_sizes") == []
    ws.rate(call_id, "wrong", by="ana")
    ws.rate(call_id, "right", by="bo")
    assert rows(ws, "from rated_stage_sizes") == [("full", "native", one.schema_chars, 2, 1)]


def test_a_trace_takes_the_place_of_an_earlier_one_of_the_same_answer() -> None:
    ws = anb.open([])
    ws.record({"a": trace(*BROKEN)})
    assert ws.record({"a": trace(*GOOD)}) == ["a"]
    assert rows(ws, "select outcome from model_selections") == [("ok",)]
    first, second = ws.record([trace(*GOOD), trace(*GOOD)])
    assert first != second
    assert rows(ws, "select count(*) from model_selections") == [(3,)]


def test_what_is_no_trace_is_refused_and_nothing_is_kept() -> None:
    ws = anb.open([])
    for wrong in ([trace(*GOOD), "x"], 5, {"a": None}):
        with pytest.raises(TypeError, match=r"ws\.record keeps traces"):
            ws.record(wrong)  # type: ignore[arg-type]
    assert rows(ws, "from model_parts") == []


def test_a_trace_is_written_flushed_and_only_then_acknowledged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws, seen, fsync = anb.open(workspace=tmp_path / "ws"), list[str](), os.fsync

    def noted(file: int) -> None:
        fsync(file)
        seen.append("fsync")

    monkeypatch.setattr(os, "fsync", noted)
    ws.record(trace(*GOOD))
    assert seen == ["fsync", "fsync"]
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", lambda file: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(anb.WorkspaceError, match=r"The trace was not kept: No space left.* and record again"):
            ws.record(trace(*GOOD))
    assert rows(ws, "select count(*) from model_selections") == [(1,)]


def test_what_one_workspace_keeps_another_sees_and_a_cut_line_is_skipped_and_told(tmp_path: Path) -> None:
    first, second = anb.open(workspace=tmp_path / "ws"), anb.open(workspace=tmp_path / "ws")
    first.record(traces())
    (file,) = (tmp_path / "ws" / "traces").iterdir()
    whole = file.read_bytes()
    (file.parent / "other.jsonl").write_bytes(whole.splitlines(keepends=True)[0].replace(b'"agentnb_trace":1', b'"agentnb_trace":9') + b'{"cut')
    assert rows(second, "select count(distinct response_id) from model_parts") == [(len(traces()),)]
    assert rows(second, "select source_id, code from diagnostics") == [("traces", "trace_skipped")]


@pytest.mark.parametrize("damage", [b'"chars":[', b'"verdict":["', b'"output_chars":[', b'"outcome":["', b'"model_parts":{', b'"response":'])
def test_a_damaged_record_never_raises(tmp_path: Path, damage: bytes) -> None:
    ws = anb.open(workspace=tmp_path / "ws")
    ws.record({"a": trace(*GOOD)})
    (file,) = (tmp_path / "ws" / "traces").iterdir()
    assert damage in file.read_bytes()
    for other in (damage + b"null,", damage[:-1] + b"0", damage.replace(b"c", b"k")):
        (file.parent / "damaged.jsonl").write_bytes(file.read_bytes().replace(damage, other))
        assert rows(anb.open(workspace=tmp_path / "ws"), "select count(distinct response_id) from model_selections") == [(1,)]


def test_save_carries_traces_over_and_does_so_once(tmp_path: Path) -> None:
    ws = anb.open([])
    ws.record(traces())
    before = rows(ws, "from model_selections order by response_id, selection_index")
    ws.save(tmp_path / "ws")
    assert rows(anb.open(workspace=tmp_path / "ws"), "from model_selections order by response_id, selection_index") == before
    anb.open([]).save(tmp_path / "ws")
    (file,) = (tmp_path / "ws" / "traces").iterdir()
    assert len(file.read_bytes().splitlines()) == len(traces())


def test_lone_surrogates_are_kept_as_escapes(tmp_path: Path) -> None:
    ws = anb.open(workspace=tmp_path / "ws")
    parts = [call(0, "c\ud800", "\ud800", '{"city": "\\ud800"}'), CALLED]
    ws.record(TracedResponse("a", trace(*parts), parts))
    assert rows(ws, "select call_name from model_selections") == [("\\ud800",)]
