"""Script rows of real recordings against what their raw files say, counted without our readers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.scripts import check_evidence, rows_of_calls
from agentnb.values import ScriptRow

pytestmark = pytest.mark.recordings

COLUMNS = "call_id, conversation_id, turn_id, tool_call_id, name, input, output, error, exit_code, state, failed, extra"


def scripts_of(*paths: Path) -> list[dict[str, Any]]:
    ws = anb.open([str(path) for path in paths])
    held = ws.sql(f"select {COLUMNS} from calls where kind = 'tool' order by conversation_id, call_index").fetchall()
    made = rows_of_calls([dict(zip(COLUMNS.split(", "), row, strict=True)) for row in held])
    rows = [dict(zip(made.rows, values, strict=True)) for values in zip(*made.rows.values(), strict=True)]
    texts = dict(zip(made.programs["call_id"], made.programs["text"], strict=True))
    for row in rows:
        ScriptRow.model_validate({name: value for name, value in row.items() if value is not None})
    return [row | {"text": texts[row["call_id"]]} for row in rows]


def lines_of(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            if line.strip():
                yield json.loads(line)


def exits(rows: list[dict[str, Any]]) -> Counter[int]:
    return Counter(row["exit_code"] for row in rows if row["exit_code"] is not None)


def test_pi_says_exit_codes_at_the_end_of_what_failed(recordings: Path) -> None:
    path = recordings / "ides" / "pi-before-compaction.jsonl"
    messages = [value["message"] for value in lines_of(path) if isinstance(value.get("message"), dict)]
    blocks = [block for message in messages if isinstance(message.get("content"), list) for block in message["content"] if isinstance(block, dict)]
    asked = [block for block in blocks if block.get("type") == "toolCall" and block.get("name") == "bash"]
    typed = [message for message in messages if message.get("role") == "bashExecution"]
    told = Counter(int(code) for block in blocks for code in re.findall(r"\nCommand exited with code (\d+)$", str(block.get("text", ""))))
    rows = scripts_of(path)
    assert len(rows) == len(asked) + len(typed)
    assert exits(rows) == told + Counter(message["exitCode"] for message in typed)
    assert Counter(row["text"] for row in rows) == Counter(block["arguments"]["command"] for block in asked) + Counter(message["command"] for message in typed)


def test_autogen_says_exit_codes_in_the_first_line(recordings: Path) -> None:
    paths = sorted((recordings / "frameworks").glob("whowhen-*.json"))
    told = Counter(int(code) for path in paths for code in re.findall(r'"exitcode: (-?\d+) \(execution', path.read_text("utf-8")))
    assert exits(scripts_of(*paths)) == told
    assert sum(told.values()) > 0


def test_openhands_says_exit_codes_in_the_metadata_of_an_observation(recordings: Path) -> None:
    folder = recordings / "openhands"
    paths = [*sorted(folder.glob("*-output.jsonl")), *sorted(folder.glob("traj-*.json"))]
    documents = [value for path in paths for value in (lines_of(path) if path.suffix == ".jsonl" else [json.loads(path.read_text("utf-8"))])]
    told = Counter(code for document in documents for code in _exit_codes(document) if code != -1)
    assert exits(scripts_of(*paths)) == told
    assert sum(told.values()) > 20


def test_codex_says_exit_codes_before_the_output(recordings: Path) -> None:
    path = recordings / "codex" / "hyperweave-review.jsonl"
    items = [value["payload"] for value in lines_of(path) if isinstance(value.get("payload"), dict) and value.get("type") == "response_item"]
    asked = [item for item in items if item.get("type") == "function_call" and item.get("name") == "exec_command"]
    outputs = [str(item.get("output")) for item in items if item.get("type") == "function_call_output"]
    told = Counter(int(code) for output in outputs for code in re.findall(r"^Process exited with code (\d+)$", output[:1000], re.MULTILINE))
    rows = scripts_of(path)
    assert Counter(row["text"] for row in rows) == Counter(json.loads(item["arguments"])["cmd"] for item in asked)
    assert exits(rows) == told
    assert [row["exit_code"] for row in rows if row["outcome"] == "completed"] == [0] * told[0]


def test_claude_code_says_them_in_the_first_line_of_what_failed(recordings: Path) -> None:
    paths = sorted((recordings / "claude_code").glob("*.jsonl"))
    rows = scripts_of(*paths)
    assert {row["tool"].lower() for row in rows} == {"bash"}
    assert exits(rows)[0] == 0
    assert {row["outcome"] for row in rows if row["exit_code"]} == {"failed"}


def test_no_recording_breaks_a_row_or_the_check(recordings: Path) -> None:
    rows = scripts_of(*(recordings / folder for folder in ("inspect", "sweagent", "codex", "openai_responses", "anthropic_messages", "langchain")))
    assert len(rows) > 500
    assert {row["tool"] for row in rows} & {"apply_patch", "text_editor_code_execution", "write_stdin"} == set()
    numbers = Counter((row["turn_id"], row["dispatch"]) for row in rows)
    assert max(numbers.values()) == 1


def test_an_invented_number_is_found_in_a_real_run_and_none_in_its_twin(recordings: Path) -> None:
    ws = anb.open(str(recordings / "inspect"))
    found = 0
    for (turn_id,) in ws.sql("select turn_id from turns where answer is not null order by turn_id limit 12").fetchall():
        turn = ws.turn(turn_id)
        clean = {value.value for value in check_evidence(turn).unsupported}
        planted = check_evidence(turn.model_copy(update={"answer": f"{turn.answer} It took 739154 steps on fc77/31."}))
        assert {value.value for value in planted.unsupported} - clean == {"739154", "fc77/31"}
        found += 1
    assert found > 3


def _exit_codes(value: Any) -> Iterator[int]:
    if isinstance(value, dict):
        yield from (code for name, code in value.items() if name == "exit_code" and type(code) is int)
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _exit_codes(item)
