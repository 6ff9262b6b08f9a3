"""Real recordings of coding tools: what was counted in the files themselves is in the tables."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

pytestmark = pytest.mark.recordings


@pytest.fixture(scope="module")
def ides(recordings: Path) -> Path:
    return recordings / "ides"


def sums_of(rows: Rows) -> dict[str, int | float]:
    """Return the sums of the usage of all model calls."""
    columns = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "cost")
    return {column: round(sum(getattr(call, column) or 0 for call in calls_of(rows, "model")), 6) for column in columns}


def states_of(rows: Rows, kind: str = "tool") -> dict[str | None, int]:
    """Count the calls of a kind by state."""
    return dict(Counter(call.state for call in calls_of(rows, kind)))


# Format, and how many records are read, kept, merged and skipped.
ACCOUNTS = {
    "agent-sessions-cursor-large.jsonl": ("cursor", (10, 10, 0, 0)),
    "agent-sessions-droid-session_store_large.jsonl": ("droid", (8, 8, 0, 0)),
    "agent-sessions-kimi-assistant_tools.jsonl": ("kimi", (200, 170, 30, 0)),
    "agent-sessions-kimi-small.jsonl": ("kimi", (36, 33, 3, 0)),
    "agent-sessions-openclaw-large.jsonl": ("openclaw", (11, 11, 0, 0)),
    "agent-sessions-qwen-019f0000-0000-7000-8000-000000000004.jsonl": ("qwen", (9, 9, 0, 0)),
    "aider-analytics.jsonl": ("aider", (1000, 0, 0, 1000)),
    "aider-chat-history-gold.md": ("aider", (898, 897, 0, 1)),
    "cline-agentic.compaction.json": ("cline", (3, 3, 0, 0)),
    "cline-success.messages.json": ("cline", (4, 4, 0, 0)),
    "pi-before-compaction.jsonl": ("pi", (1003, 1003, 0, 0)),
}


@pytest.mark.parametrize("name", ACCOUNTS)
def test_every_file_has_its_format_and_no_record_is_unexplained(name: str, ides: Path) -> None:
    rows = read(ides / name)
    assert (rows.sources[0].format, account_of(rows)) == ACCOUNTS[name]


def lines_of(path: Path) -> list[Any]:
    """Return the values of a file of lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_the_session_of_pi_has_every_call_result_and_token_that_is_in_the_file(ides: Path) -> None:
    rows = read(ides / "pi-before-compaction.jsonl")
    messages = [line["message"] for line in lines_of(ides / "pi-before-compaction.jsonl") if line["type"] == "message"]
    replies = [message for message in messages if message["role"] == "assistant"]
    results = [message for message in messages if message["role"] == "toolResult"]
    assert len(calls_of(rows, "model")) == len(replies) == 484
    assert states_of(rows, "model") == {"done": 465, "failed": 19}
    asked = sum(block["type"] == "toolCall" for message in replies for block in message["content"])
    assert (asked, len(results), sum(message["isError"] for message in results)) == (454, 448, 12)
    # A command of a person is a call as well, and always has its result.
    assert states_of(rows) == {"done": 448 - 12 + 3, "failed": 12, "unanswered": 454 - 448}
    usage = Counter[str]()
    for message in replies:
        usage.update({name: message["usage"][name] for name in ("input", "output", "cacheRead", "cacheWrite")})
    sums = sums_of(rows)
    assert (sums["output_tokens"], sums["cached_tokens"], sums["cache_write_tokens"]) == (usage["output"], usage["cacheRead"], usage["cacheWrite"])
    assert sums["input_tokens"] == usage["input"] + usage["cacheRead"] + usage["cacheWrite"] == 56_382_684
    assert sums["cost"] == round(sum(message["usage"]["cost"]["total"] for message in replies), 6) == 42.595908


def test_the_session_of_pi_tells_exit_codes_aborted_turns_and_where_it_branched_off(ides: Path) -> None:
    rows = read(ides / "pi-before-compaction.jsonl")
    assert Counter(call.exit_code for call in calls_of(rows) if call.exit_code is not None) == {0: 3, 1: 4, 2: 2}
    people = [call for call in calls_of(rows) if call.step_id is None]
    assert [json.loads(call.input or "")["command"] for call in people] == ["ls", "ls", "find ."]
    assert Counter(call.finish_reason for call in calls_of(rows, "model")) == {"toolUse": 434, "stop": 31, "aborted": 18, "error": 1}
    assert Counter(turn.state for turn in rows.turns)["stopped"] == 18
    assert rows.conversations[0].parent_conversation_id == "d97339c6-6c10-4827-846b-9ff1d9c3dc37"
    assert Counter(part.text for part in rows.parts if part.type == "other") == {"thinking_level_change": 5, "model_change": 5}
    assert sum(part.type == "reasoning" for part in rows.parts) == 49
    assert (len(texts_of(rows, "user")), len(texts_of(rows, "system"))) == (55, 2)


def test_a_person_starts_a_turn_of_pi_unless_nothing_was_replied_since(ides: Path) -> None:
    roles = [line["message"]["role"] for line in lines_of(ides / "pi-before-compaction.jsonl") if line["type"] == "message"]
    spoken = [role for role in roles if role in ("user", "assistant")]
    starts = sum(role == "user" and (place == 0 or spoken[place - 1] == "assistant") for place, role in enumerate(spoken))
    assert len(read(ides / "pi-before-compaction.jsonl").turns) == starts == 54


def test_the_tools_of_kimi_have_their_steps_results_and_answers(ides: Path) -> None:
    path = ides / "agent-sessions-kimi-assistant_tools.jsonl"
    rows = read(path)
    usages = [line["usage"] for line in lines_of(path) if line["type"] == "usage.record"]
    sums = sums_of(rows)
    # Of 24 steps two had no reply; one more call wrote a summary.
    assert states_of(rows, "model") == {"done": 23, "failed": 2}
    assert states_of(rows) == {"done": 18, "failed": 1}
    assert [(approval.answer, approval.answered_at is not None) for approval in rows.approvals] == [("yes", True)] * 8
    assert sums["input_tokens"] == sum(usage["inputOther"] + usage["inputCacheRead"] + usage["inputCacheCreation"] for usage in usages) == 691_678
    assert (sums["output_tokens"], sums["cached_tokens"]) == (5515, 661_504)
    assert [turn.prompt for turn in rows.turns][:5] == ["hi", "hi", "hi", "run ls command", "cat /nonexistent-file-xyz"]
    assert len(rows.turns) == 8
    assert [(call.exit_code, call.error) for call in calls_of(rows) if call.exit_code] == [(1, "Command failed with exit code: 1")]


def test_the_cancelled_turns_of_kimi_were_stopped(ides: Path) -> None:
    rows = read(ides / "agent-sessions-kimi-small.jsonl")
    assert [(turn.prompt, turn.state) for turn in rows.turns] == [("hi\n\nstop", "stopped"), ("hi", "stopped")]
    requests = [len(json.loads(call.extra or "")["requests"]) for call in calls_of(rows, "model")]
    assert (requests, codes(rows)) == ([7, 6], {})


def test_the_history_of_aider_has_its_sessions_words_and_costs(ides: Path) -> None:
    path = ides / "aider-chat-history-gold.md"
    text = path.read_text(encoding="utf-8")
    rows = read(path)
    headings = len(re.findall(r"(?m)^# aider chat started at", text))
    # One session has no word in it, and the first one has lost its heading.
    assert len(rows.conversations) == headings == 10
    assert codes(rows) == {"empty_session": 1}
    spoken = len(re.findall(r"(?m)^@@@ #### .* @{20}$", text))
    assert sum(turn.prompt is not None for turn in rows.turns) == spoken == 401
    costs = re.findall(r"(?m)^> Tokens: ([\d,]+) sent, ([\d,]+) received\. Cost: \$([\d.]+) (?:message|request)", text)
    sums = sums_of(rows)
    assert sums["input_tokens"] == sum(int(sent.replace(",", "")) for sent, _, _ in costs) == 207_383
    assert sums["output_tokens"] == sum(int(received.replace(",", "")) for _, received, _ in costs) == 6097
    assert sums["cost"] == round(sum(float(cost) for _, _, cost in costs), 6) == 0.6525
    assert sum(call.cost is not None for call in calls_of(rows, "model")) == len(costs) == 15
    assert [(approval.question, approval.answer) for approval in rows.approvals] == [("Add these files to the chat?", "yes")]
    commits = [commit["message"] for call in calls_of(rows, "model") if call.extra for commit in json.loads(call.extra).get("commits", [])]
    assert commits == ["feat: Add analytics.py module"]


def test_the_analytics_of_aider_are_no_conversation(ides: Path) -> None:
    rows = read(ides / "aider-analytics.jsonl")
    assert (rows.conversations, codes(rows)) == ([], {"analytics_log": 1})


def test_the_sessions_of_cline_have_their_costs(ides: Path) -> None:
    success, summary = read(ides / "cline-success.messages.json"), read(ides / "cline-agentic.compaction.json")
    assert sums_of(success) == {"input_tokens": 21, "output_tokens": 8, "cached_tokens": 3, "cache_write_tokens": 1, "cost": 0.13}
    assert [(call.name, call.state) for call in calls_of(success)] == [("read_files", "done")]
    assert sums_of(summary)["input_tokens"] == 12_238
    assert [turn.prompt for turn in summary.turns] == ["hello"]


def test_the_folder_of_opencode_is_one_conversation_and_a_bare_number_in_it_is_none(ides: Path) -> None:
    rows = read(ides / "opencode-storage_v2")
    assert Counter((source.format, source.state) for source in rows.sources) == {("opencode", "read"): 16, (None, "unknown_format"): 1}
    assert account_of(rows) == (16, 16, 0, 0)
    (call,) = calls_of(rows)
    assert (call.name, call.state, call.exit_code, call.seconds) == ("bash", "failed", 1, 0.5)
    assert [(turn.prompt, turn.state) for turn in rows.turns] == [("Step 1", "stopped"), ("Step 2", "done")]
    assert [(step.input_tokens, step.output_tokens, step.error) for step in calls_of(rows, "model")] == [
        (120, 16, "The operation was aborted."),
        (None, None, None),
    ]


def test_the_small_sessions_have_their_turns_and_tools(ides: Path) -> None:
    found = {}
    for name in ("cursor-large", "droid-session_store_large", "openclaw-large", "qwen-019f0000-0000-7000-8000-000000000004"):
        rows = read(ides / f"agent-sessions-{name}.jsonl")
        found[name.split("-")[0]] = (len(rows.turns), len(calls_of(rows, "model")), states_of(rows))
    assert found == {"cursor": (3, 5, {"done": 2}), "droid": (2, 4, {"done": 1}), "openclaw": (1, 3, {"done": 2}), "qwen": (2, 2, {"unanswered": 1})}
