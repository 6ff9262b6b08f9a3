"""Programs of a workspace: filled when they are first asked for, in numbers that are found in another way, and following a file that grows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

import pytest

import agentnb as anb
from agentnb.scripts import code_tool, rows_of_calls, shape_hash
from agentnb.values import Call, ScriptRow, Turn
from agentnb.workspace import Workspace
from agentnb.workspace._derived import tables_named_in
from tests.workspace.recordings import session_lines, write_session

VIEWS = (
    "scripts", "unsettled_scripts", "failed_scripts", "silent_scripts", "rewritten_scripts", "reused_script_ids", "script_texts", "script_changes",
    "script_attempts", "repeated_script_shapes", "script_sizes", "last_good_scripts", "answer_code", "blocked_scripts",
)  # fmt: skip
ENDED_BADLY = ("failed", "raised")


class Ran:
    """What a workspace holds, found again from the values of its turns alone."""

    def __init__(self, ws: Workspace) -> None:
        ids = [conversation_id for (conversation_id,) in ws.sql("select conversation_id from conversations").fetchall()]
        self.turns = [turn for conversation_id in ids for turn in ws.conversation(conversation_id).turns]
        self.calls = {call.call_id: call for turn in self.turns for call in turn.tool_calls if code_tool(call.name)}
        self.rows: dict[str, ScriptRow] = {}
        self.texts: dict[str, str] = {}
        self.blocked: dict[str, str] = {}
        self.cause: dict[str, str | None] = {}
        for turn in self.turns:
            self._fill(turn)

    def _fill(self, turn: Turn) -> None:
        made = rows_of_calls([given(call) | {"turn": turn.turn_index + 1, "iteration": iteration(turn, call)} for call in turn.tool_calls])
        for values in zip(*made.rows.values(), strict=True):
            row = ScriptRow.model_validate(dict(zip(made.rows, values, strict=True)))
            self.rows[str(row.call_id)] = row
        for call_id, text, blocked, cause in zip(*(made.programs[name] for name in ("call_id", "text", "blocked", "cause")), strict=True):
            self.texts[call_id], self.cause[call_id] = text, cause
            if blocked:
                self.blocked[call_id] = blocked

    def by_turn_and_tool(self) -> dict[tuple[str, str], list[ScriptRow]]:
        """Return the rows of each tool in each turn, in their order."""
        grouped: defaultdict[tuple[str, str], list[ScriptRow]] = defaultdict(list)
        for row in sorted(self.rows.values(), key=lambda row: row.dispatch):
            grouped[str(row.turn_id), row.tool].append(row)
        return grouped


def given(call: Call) -> dict[str, Any]:
    names = ("call_id", "conversation_id", "turn_id", "tool_call_id", "name", "input", "output", "error", "exit_code", "state", "failed", "extra")
    return {name: getattr(call, name) for name in names}


def iteration(turn: Turn, call: Call) -> int:
    asking = {each.call_id: each for each in turn.calls if each.kind == "model"}
    if call.step_id not in asking:
        return 1
    agent = asking[call.step_id].parent_call_id
    return [each.call_id for each in turn.calls if each.kind == "model" and each.parent_call_id == agent].index(call.step_id) + 1


def rows(ws: Workspace, query: str) -> list[Any]:
    return ws.sql(query).fetchall()


@pytest.fixture(scope="module")
def full(data: Path) -> Workspace:
    return anb.open([path for path in sorted(data.iterdir()) if path.is_dir() and path.name not in ("make", "streams")])


@pytest.fixture(scope="module")
def ran(full: Workspace) -> Ran:
    return Ran(full)


def test_rows_are_those_of_the_values_turn_by_turn(full: Workspace, ran: Ran) -> None:
    relation = full.sql("from script_rows")
    found = [ScriptRow.model_validate(dict(zip(relation.columns, row, strict=True))) for row in relation.fetchall()]
    assert {row.call_id: row for row in found} == ran.rows
    assert len(found) == len(ran.rows) > 50
    assert dict(rows(full, "select call_id, text from script_programs")) == ran.texts


def test_rows_are_numbered_from_one_in_each_turn_without_gaps(full: Workspace) -> None:
    listed = rows(full, "select list(dispatch order by dispatch) from script_rows group by turn_id")
    assert all(numbers == list(range(1, len(numbers) + 1)) for (numbers,) in listed)


def test_endings_are_found_again_in_the_values(full: Workspace, ran: Ran) -> None:
    failed = {call_id: row for call_id, row in ran.rows.items() if row.outcome in ENDED_BADLY}
    found = rows(full, "select call_id, failure, exit_code, cause, error from failed_scripts")
    assert {call_id for call_id, *_ in found} == failed.keys() != set()
    for call_id, failure, code, cause, error in found:
        row = failed[call_id]
        expected = "raised" if row.outcome == "raised" else "exit_code" if row.exit_code is not None else "service_error" if row.service_error else "neither"
        assert (failure, code, cause, error) == (expected, row.exit_code, ran.cause[call_id], ran.calls[call_id].error)
    assert {row[0] for row in rows(full, "select call_id from unsettled_scripts")} == {i for i, row in ran.rows.items() if row.outcome == "submitted"}
    assert dict(rows(full, "select call_id, blocked from blocked_scripts")) == ran.blocked
    assert rows(full, "from silent_scripts") == rows(full, "from rewritten_scripts") == []


def test_every_program_has_its_text_and_its_size(full: Workspace, ran: Ran) -> None:
    assert dict(rows(full, "select call_id, text from script_texts where missing_because is null")) == {i: ran.texts[i] for i in ran.rows}
    lengths: defaultdict[str, list[int]] = defaultdict(list)
    for row in ran.rows.values():
        lengths[row.tool].append(row.bytes)
    for call_id, times in rows(full, "select call_id, times_median from script_sizes"):
        row = ran.rows[call_id]
        assert times == pytest.approx(row.bytes / median(lengths[row.tool]))
        assert row.bytes == len(ran.texts[call_id].encode())


def test_attempts_end_with_the_first_success(full: Workspace, ran: Ran) -> None:
    expected = []
    for own in ran.by_turn_and_tool().values():
        run: list[ScriptRow] = []
        for row in own:
            run.append(row)
            if row.outcome == "completed" or row is own[-1]:
                bad = sum(each.outcome in ENDED_BADLY for each in run)
                expected.append((run[0].call_id, run[0].dispatch, row.dispatch, len(run), bad, row.outcome == "completed"))
                run = []
    columns = "call_id, first_dispatch, last_dispatch, attempts, failed_attempts, succeeded"
    assert sorted(rows(full, f"select {columns} from script_attempts")) == sorted(expected, key=str)


def test_a_change_leads_from_one_program_to_the_next(full: Workspace, ran: Ran) -> None:
    before = {later.call_id: earlier for own in ran.by_turn_and_tool().values() for earlier, later in pairwise(own)}
    found = rows(full, "select call_id, previous_dispatch, previous_outcome, diff, lines_added, lines_removed from script_changes")
    assert len(found) > 10
    for call_id, number, outcome, diff, added, removed in found:
        earlier = before[call_id]
        assert (number, outcome) == (earlier.dispatch, earlier.outcome)
        lines = diff.split("\n") if diff else []
        assert (added, removed) == (sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines))
        assert (diff == "") == (ran.texts[call_id] == ran.texts[str(earlier.call_id)])
    retried = {later for later, earlier in before.items() if earlier.outcome in ENDED_BADLY}
    assert retried <= {call_id for call_id, *_ in found}


def test_shapes_ids_and_last_successes_are_counted_per_turn(full: Workspace, ran: Ran) -> None:
    shapes = Counter((row.turn_id, row.language, shape_hash(ran.texts[i], row.language)) for i, row in ran.rows.items() if row.language)
    found = rows(full, "select turn_id, language, shape, programs from repeated_script_shapes where language is not null")
    assert {tuple(key): count for *key, count in found} == {key: count for key, count in shapes.items() if count > 1} != {}
    ids = Counter((row.turn_id, row.tool_call_id) for row in ran.rows.values() if row.tool_call_id)
    assert {(t, i): n for t, i, n in rows(full, "select turn_id, tool_call_id, dispatches from reused_script_ids")} == {k: n for k, n in ids.items() if n > 1}
    good: dict[str | None, int] = {}
    for row in ran.rows.values():
        if row.outcome == "completed":
            good[row.turn_id] = max(row.dispatch, good.get(row.turn_id, 0))
    assert dict(rows(full, "select turn_id, dispatch from last_good_scripts")) == good != {}


def test_what_is_handed_on_holds_no_program(full: Workspace, ran: Ran) -> None:
    assert "text" not in full.sql("from scripts").columns
    assert len(rows(full, "from scripts")) == len(ran.rows)
    assert len(rows(full, "from answer_code")) == 0


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_over_scripts_fills_them_when_it_is_first_asked(view: str) -> None:
    assert tables_named_in(f"from {view}") & {"script_rows", "script_programs"}


def test_rows_are_made_when_they_are_first_asked_for_and_follow_a_file_that_grows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def counted(calls: Any) -> Any:
        asked.append(len(calls["call_id"]))
        return rows_of_calls(calls)

    monkeypatch.setattr("agentnb.workspace._scripted.rows_of_calls", counted)
    path = write_session(tmp_path / "one.jsonl", "one")
    other = write_session(tmp_path / "two.jsonl", "two")
    ws = anb.open([path, other])
    rows(ws, "from tool_calls")
    assert asked == []
    assert rows(ws, "select count(*) from scripts") == [(4,)]
    before = len(asked)
    rows(ws, "from failed_scripts")
    assert len(asked) == before
    write_session(path, "one", turns=2)
    assert rows(ws.refresh(), "select conversation_id, count(*) from scripts group by all order by all") == [("one", 4), ("two", 2)]
    assert rows(ws, "select turn, list(dispatch order by dispatch) from script_rows where conversation_id = 'one' group by turn order by turn") == [
        (1, [1, 2]),
        (2, [1, 2]),
    ]


def test_an_answer_gets_the_programs_of_its_own_turn(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "one.jsonl", "one", turns=2))
    turn = ws.conversation("one").turns[1]
    shown = ws.answer_with_scripts(turn)
    assert shown.startswith("Task 1 is done.\n\n---\n\nPrograms run for this answer")
    assert "#1 Bash (bash) – completed – 1 line, 11 bytes\n\n```bash\nmake task-0\n```" in shown
    assert shown.count("\n#") == 2
    assert ws.answer_with_scripts(turn.turn_id) == shown


def test_an_answer_without_programs_stays_as_it_is(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "one.jsonl", "one", calls=0))
    (turn,) = ws.conversation("one").turns
    assert ws.answer_with_scripts(turn) == turn.answer == "Task 0 is done."
    with pytest.raises(anb.UnknownId, match="No turn has the id"):
        ws.answer_with_scripts("none")


def test_rows_are_handed_on_as_published_with_and_without_their_programs(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "one.jsonl", "one"))
    out = tmp_path / "scripts.jsonl"
    assert ws.export_scripts(out) == 2
    written = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [row["text"] for row in written] == ["make task-0", "make task-1"]
    assert written[1] | {"text": None} == {
        "kind": "script", "conversationId": "one", "turnId": written[0]["turnId"], "callId": "toolu_one_0_1", "toolCallId": "toolu_one_0_1", "dispatch": 2,
        "tool": "Bash", "argument": "command", "language": "bash", "bytes": 11, "lines": 1, "text": None, "outcome": "failed", "turn": 1, "iteration": 2,
    }  # fmt: skip
    assert ws.export_scripts(out, redact=True) == 2
    assert "make task" not in out.read_text("utf-8")
    assert [json.loads(line)["bytes"] for line in out.read_text("utf-8").splitlines()] == [11, 11]
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".writing")] == []


def test_a_program_that_is_too_long_to_be_kept_is_handed_on_by_its_size(tmp_path: Path) -> None:
    lines = session_lines("one", calls=1)
    lines[1]["message"]["content"][0]["input"]["command"] = "x" * 65_537
    path = tmp_path / "one.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    ws = anb.open(path)
    ws.export_scripts(tmp_path / "scripts.jsonl")
    (row,) = map(json.loads, (tmp_path / "scripts.jsonl").read_text("utf-8").splitlines())
    assert "text" not in row
    assert row["bytes"] == 65_537
    assert "text not kept: over 65536 bytes" in ws.answer_with_scripts(ws.conversation("one").turns[0])


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path) -> None:
    ws = anb.open(write_session(tmp_path / "one.jsonl", "one"))
    with pytest.raises(anb.WorkspaceError, match="could not be written"):
        ws.export_scripts(tmp_path / "none" / "scripts.jsonl")
    (tmp_path / "folder").mkdir()
    with pytest.raises(anb.WorkspaceError, match="could not be written"):
        ws.export_scripts(tmp_path / "folder")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "one.jsonl"]
