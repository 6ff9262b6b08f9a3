"""Rows with known answers of a workspace: every format, split by conversation, written for others."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import agentnb as anb
from agentnb.ratings import RatedCall, split_groups
from agentnb.render import plain_table
from agentnb.workspace import RatedRows, Workspace
from tests.workspace.recordings import write_chat, write_session
from tests.workspace.test_rating_lists import call_record, write_lines

CASES = Path(__file__).resolve().parents[3] / "shared" / "conformance" / "functai" / "rated"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    for name in ("a", "b", "c"):
        write_session(tmp_path / "logs" / f"{name}.jsonl", name, turns=2)
    return anb.open(tmp_path / "logs")


def turns_of(ws: Workspace) -> list[str]:
    return [row[0] for row in ws.sql("from turns select turn_id order by conversation_id, turn_index").fetchall()]


def agent_of(ws: Workspace) -> str:
    return str(ws.sql("from calls select name where kind = 'agent' limit 1").fetchall()[0][0])


def asked(rows: RatedRows) -> list[Any]:
    return [row["prompt"] for row in rows]


def test_a_turn_is_a_call_of_its_agent_with_prompt_and_answer(ws: Workspace) -> None:
    first, second, *_ = turns_of(ws)
    ws.rate(first, "right", by="ana")
    ws.rate(second, answer="It failed.", by="ana")
    rows = anb.rated(ws, agent_of(ws))
    assert [(row["prompt"], row["answer"], row["rating"]) for row in rows] == [
        ("Please do task 0 of a.", "Task 0 is done.", "right"),
        ("Please do task 1 of a.", "It failed.", "wrong"),
    ]
    assert rows.left_out == {"other_signature": 0, "no_content": 0, "no_answer": 0}
    assert [call.conversation for call in rows.calls] == ["a", "a"]


def test_a_turn_comes_with_the_turns_before_it(ws: Workspace) -> None:
    first, second, *_ = turns_of(ws)
    ws.rate([first, second], "right", by="ana")
    rows = anb.rated(ws, agent_of(ws))
    before = {"inputs": {"prompt": "Please do task 0 of a."}, "outputs": {"answer": "Task 0 is done."}}
    assert [row["earlier"] for row in rows] == [[], [before]]
    assert [row["conversation"] for row in rows] == ["a", "a"]
    said = [message["content"] for message in json.loads(rows.to_openai_chat().splitlines()[1])["messages"]]
    assert said == ["Please do task 0 of a.", "Task 0 is done.", "Please do task 1 of a.", "Task 1 is done."]


def test_a_tool_call_has_its_arguments_and_its_output(ws: Workspace) -> None:
    ws.rate(ws.sql("from tool_calls order by conversation_id, call_index limit 1"), "right", by="ana")
    ((row),) = anb.rated(ws, "Bash", agent=str(ws.conversation("a").agent_name))
    assert (row["command"], row["output"], row["rated_by"]) == ("make task-0", "result 0", "ana")
    with pytest.raises(anb.RatingError, match="No call of 'Bash' is rated"):
        anb.rated(ws, "Bash", agent="another")


def test_a_model_call_has_the_messages_before_it_and_the_one_it_said(ws: Workspace) -> None:
    step = ws.turn(turns_of(ws)[0]).steps[1]
    ws.rate(step, "right", by="ana")
    rows = anb.rated(ws, step.call.name)
    (line,) = rows.to_openai_chat().splitlines()
    messages = json.loads(line)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "tool", "assistant"]
    assert messages[1]["tool_calls"][0]["function"] == {"name": "Bash", "arguments": '{"command": "make task-0"}'}
    assert messages[2]["content"] == "result 0"
    assert messages[3]["tool_calls"][0]["function"]["arguments"] == '{"command": "make task-1"}'


def test_what_was_left_out_is_said_with_counts_and_reasons(ws: Workspace) -> None:
    first, second, third, *_ = turns_of(ws)
    ws.rate(first, "right", by="ana")
    ws.rate([second, third], "wrong", by="ana")
    with pytest.warns(UserWarning, match=r"2 rated calls .* make no row: 2 no_answer \(no rating gives the right answer"):
        rows = anb.rated(ws, agent_of(ws))
    assert rows.left_out["no_answer"] == 2
    assert [one.call_id for one in rows.excluded] == [third, second]
    ws.rate(first, None, by="ana")
    with pytest.raises(anb.RatingError, match=r"None of the 2 rated calls .* makes a row: 2 no_answer"):
        anb.rated(ws, agent_of(ws))


def test_people_who_differ_are_said(ws: Workspace) -> None:
    first, *_ = turns_of(ws)
    ws.rate(first, "right", by="ana")
    ws.rate(first, answer="Nothing was done.", by="ben")
    rows = anb.rated(ws, agent_of(ws))
    assert (len(rows), len(rows.disputed), rows[0]["answer"]) == (1, 1, "Nothing was done.")
    assert repr(rows).endswith("1 rows, 1 disputed, 0 left out>")
    assert anb.rated(ws, agent_of(ws), by="ana")[0]["answer"] == "Task 0 is done."


def test_a_split_keeps_the_turns_of_a_conversation_on_one_side(ws: Workspace) -> None:
    ws.rate(turns_of(ws), "right", by="ana")
    rows = anb.rated(ws, agent_of(ws))
    for seed in range(20):
        train, test = rows.split(seed=seed)
        sides = [{call.conversation for call in side.calls} for side in (train, test)]
        assert not sides[0] & sides[1]
        assert (len(train) + len(test), len(sides[1])) == (6, 1)
        assert asked(rows.split(seed=seed).test) == asked(test)
    assert len({tuple(asked(rows.split(seed=seed).test)) for seed in range(20)}) == 3
    assert {row["rating"] for row in rows.split("prompt", test=0.5).test} == {"right"}
    with pytest.raises(anb.RatingError, match="no column 'shape'"):
        rows.split("shape")
    with pytest.raises(anb.RatingError, match="between 0 and 1"):
        rows.split(test=1)
    with pytest.raises(anb.RatingError, match="one group to split"):
        rows[:1].split()


def test_a_row_without_a_group_is_a_group_of_its_own() -> None:
    assert sum(split_groups([None] * 10, test=0.5, seed=1)) == 5
    assert sum(split_groups(["a"] * 10 + [None], test=0.5, seed=1)) in (1, 10)


def test_rows_are_a_frame_json_lines_parquet_and_a_table(ws: Workspace, tmp_path: Path) -> None:
    ws.rate(turns_of(ws)[:2], "right", by="ana")
    rows = anb.rated(ws, agent_of(ws))
    assert rows.df()["answer"].tolist() == ["Task 0 is done.", "Task 1 is done."]
    assert [json.loads(line) for line in rows.to_jsonl(tmp_path / "rows.jsonl").splitlines()] == [dict(row) for row in rows]
    assert (tmp_path / "rows.jsonl").read_text() == rows.to_jsonl()
    table = pq.read_table(rows.to_parquet(tmp_path / "rows.parquet"))
    assert table.column("prompt").to_pylist() == asked(rows)
    assert "2 calls with a known answer" in (rows.table.title or "")
    assert "Task 0 is done." in plain_table(rows.table)


def test_rows_of_a_program_without_a_name_are_headed_by_their_number(ws: Workspace) -> None:
    ws.rate(turns_of(ws)[:2], "right", by="ana")
    rows = anb.rated(ws, agent_of(ws))
    unnamed = RatedRows(rows.calls, name="", left_out={}, excluded=())
    assert (rows.table.title, unnamed.table.title) == ("claude-code: 2 calls with a known answer", "2 calls with a known answer")


def test_values_of_any_shape_are_written(tmp_path: Path) -> None:
    calls = [
        RatedCall(call_id=str(number), started="", inputs={"x": value}, outputs={"y": value}, context={}, rating="right")
        for number, value in enumerate([1, "two", None, {"three": [3]}, [4.5], True, 10**30, "\ud83d"])
    ]
    rows = RatedRows(calls, name="made", left_out={}, excluded=())
    assert len(pq.read_table(rows.to_parquet(tmp_path / "rows.parquet"))) == len(calls)
    assert len(rows.to_jsonl(tmp_path / "rows.jsonl").splitlines()) == len(calls)
    assert len(rows.to_openai_chat(tmp_path / "chat.jsonl").splitlines()) == len(calls)


def test_an_example_has_the_system_message_and_the_inputs_as_they_fit(tmp_path: Path) -> None:
    one = RatedCall(call_id="1", started="", inputs={"q": "Who?"}, outputs={"a": "Ana"}, context={}, rating="right")
    two = RatedCall(call_id="2", started="", inputs={"q": "Who?", "n": 2}, outputs={"a": 1, "b": 2}, context={}, rating="right")
    lines = RatedRows([one, two], name="made", left_out={}, excluded=()).to_openai_chat(system="Be brief.").splitlines()
    assert json.loads(lines[0])["messages"] == [
        {"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}, {"role": "assistant", "content": "Ana"},
    ]  # fmt: skip
    assert [message["content"] for message in json.loads(lines[1])["messages"]][1:] == ['{"q": "Who?", "n": 2}', '{"a": 1, "b": 2}']


@pytest.mark.recordings
@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_a_log_of_calls_that_was_read_gives_the_rows_of_the_contract(path: Path, tmp_path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    given = {name: value for name, value in case["rated"].items() if value is not None}
    ws = anb.open(write_lines(tmp_path / "calls.jsonl", case["records"]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        if not case["expect"]["rows"]:
            with pytest.raises(anb.RatingError, match="makes a row"):
                anb.rated(ws, given.pop("name"), **given)
            return
        rows = anb.rated(ws, given.pop("name"), **given)
        records = anb.rated(case["records"], case["rated"]["name"], **given)
    assert [dict(row) for row in rows] == [dict(row) for row in records] == case["expect"]["rows"]
    assert rows.left_out == records.left_out == case["expect"]["left_out"]


def test_a_program_is_given_by_name_or_by_what_has_a_name() -> None:
    class Team:
        name = "team"
        interface = "sha256:5"

    call = call_record(1)
    said = {"functai_rating": 1, "id": "01926a90-0001-7000-8000-000000000000", "call": call["id"], "at": "2026-09-26T11:00:00.000000Z", "verdict": "right"}
    assert len(anb.rated([call, said | {"by": "ana"}], Team())) == 1
    with pytest.raises(TypeError, match="given by its name"):
        anb.rated([], 7)


def test_a_chat_that_was_read_is_rated_too(tmp_path: Path) -> None:
    ws = anb.open(write_chat(tmp_path / "chat.json", "Hello?", "Hi."))
    ws.rate(turns_of(ws), "right", by="ana")
    (row,) = anb.rated(ws, agent_of(ws))
    assert (row["prompt"], row["answer"]) == ("Hello?", "Hi.")


def lines_of_import() -> Iterator[str]:
    yield "import sys, agentnb"
    yield "print(*sorted({'krippendorff', 'sklearn', 'statsmodels', 'pandas'} & set(sys.modules)))"


def test_importing_agentnb_brings_no_statistics(root: Path) -> None:
    done = subprocess.run([sys.executable, "-c", "\n".join(lines_of_import())], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def conversation_log() -> list[dict[str, Any]]:
    at = {"functai_conversation": 1, "at": "2026-09-26T10:30:00.000000Z"}
    fields = [{"name": "message", "direction": "input", "purpose": "data", "shape": "text"}, {"name": "result", "direction": "output", "purpose": "data"}]
    program = {
        "version": "sha256:1",
        "name": "team",
        "program_kind": "ai",
        "signature": "sha256:5",
        "interface": "sha256:6",
        "fields": fields,
        "answer": "result",
    }
    first, second = (f"01926a8e-{number:04}-7000-8000-000000000000" for number in (1, 2))
    steps = [{"kind": "model", "outputs": {"result": "r1"}}]

    def turn(turn_id: str, parent: str | None, number: int, saw: list[Any]) -> list[dict[str, Any]]:
        end = {"kind": "ended", "turn": turn_id, "state": "done", "outputs": {"result": f"r{number}"}, "lmcc": {"steps": steps}, "saw": saw, "attempt": 1}
        return [{"kind": "turn", "turn": turn_id, "parent": parent, "program": "sha256:1", "inputs": {"message": f"m{number}"}}, end]

    records = [{"kind": "program", **program}, *turn(first, None, 1, []), *turn(second, first, 2, [{"call": first, "steps": True}])]
    return [{**at, **record, "seq": place} for place, record in enumerate(records, 1)]


def test_turns_of_a_conversation_without_a_log_of_calls_have_their_fields_and_what_they_were_shown(tmp_path: Path) -> None:
    ws = anb.open(write_lines(tmp_path / "conversation.jsonl", conversation_log()))
    turns = turns_of(ws)
    ws.rate(turns[0], "right", by="ana")
    ws.rate(turns[1], answer="better", by="ana")
    first, second = anb.rated(ws, "team", interface="sha256:6")
    assert (first["message"], first["result"], first["version"], first["earlier"]) == ("m1", "r1", "sha256:1", [])
    assert (second["message"], second["result"]) == ("m2", "better")
    (earlier,) = second["earlier"]
    assert (earlier["inputs"], earlier["outputs"], earlier["signature"]) == ({"message": "m1"}, {"result": "r1"}, "sha256:5")
    with pytest.raises(anb.RatingError, match="2 other_signature"):
        anb.rated(ws, "team", interface="sha256:9")
