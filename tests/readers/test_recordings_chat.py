"""Real recordings of Chat Completions and tau-bench: what somebody counts in the files is in the tables, the rest is in the account with a reason."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.counting import Counted, count_chat
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

# Conversations, replies, tool calls and results, worked out by hand from the files. A request that failed is a reply that failed; what a later
# request repeats counts once.
BY_HAND = {
    "alibaba-tool-call.json": (1, 1, 1, 0),
    "cohere-empty-tool-call.chunks.jsonl": (1, 1, 1, 0),
    "cohere-null-args.json": (1, 1, 1, 0),
    "deepseek-tool-call.chunks.jsonl": (1, 1, 1, 0),
    "deepseek-tool-call.json": (1, 1, 1, 0),
    "groq-tool-call.json": (1, 1, 1, 0),
    "groq-tool_use_failed.http.jsonl": (1, 4, 2, 2),
    "groq-tool_use_failed_text.http.jsonl": (1, 2, 1, 0),
    "mistral-incremental-tool-call.chunks.jsonl": (1, 1, 1, 0),
    "mistral-tool-call.json": (1, 1, 1, 0),
    "moonshot-tool-call.json": (1, 1, 1, 0),
    "multiple-agent-tool-calls.http.jsonl": (1, 4, 2, 2),
    "openhands-sdk-claude-toolcalls-1.json": (1, 1, 1, 0),
    "openhands-sdk-deepseek-nonfncall.json": (1, 4, 1, 0),
    "openhands-sdk-fncall-message.json": (1, 6, 6, 6),
    "openrouter-errors.http.jsonl": (1, 3, 0, 0),
    "pydantic-model-retry.http.jsonl": (1, 3, 2, 2),
    "pydantic-tool-search-eval.http.jsonl": (4, 8, 4, 4),
    # Written out as text: which tools were called is not told, only that something came back.
    "tau-bench-airline-few-shot.jsonl": (19, 222, 0, 105),
    "xai-tool-call.chunks.jsonl": (1, 1, 1, 0),
}


@pytest.fixture(scope="module")
def chats(recordings: Path) -> Path:
    return recordings / "openai_chat"


@pytest.fixture(scope="module")
def tau(recordings: Path) -> Rows:
    return read(recordings / "tau" / "gpt-4o-airline.json")


def counted(rows: Rows) -> Counted:
    return Counted(len(calls_of(rows, "model")), len(calls_of(rows)), sum(part.type == "tool_result" for part in rows.parts))


def test_every_file_is_read(chats: Path) -> None:
    rows = read(chats)
    assert {Path(source.path).name for source in rows.sources if source.state == "read"} == set(BY_HAND)
    assert {source.format for source in rows.sources} == {"openai_chat"}


@pytest.mark.parametrize("name", BY_HAND)
def test_a_file_holds_what_was_counted_by_hand(name: str, chats: Path) -> None:
    rows = read(chats / name)
    assert (len(rows.conversations), *counted(rows)) == BY_HAND[name]


def test_one_log_may_hold_several_conversations_each_with_its_own_tokens(chats: Path) -> None:
    rows = read(chats / "pydantic-tool-search-eval.http.jsonl")
    prompts = [(turn.prompt or "").split()[0] for turn in rows.turns]
    assert prompts == ["What", "What", "Translate", "Book"]
    assert account_of(rows) == (28, 16, 12, 0)
    models = calls_of(rows, "model")
    assert [call.input_tokens for call in models] == [265, 356, 400, 264, 394, 431, 265, 266]
    assert [call.output_tokens for call in models] == [23, 24, 19, 24, 18, 14, 11, 147]


def test_a_request_that_repeats_the_conversation_before_it_adds_only_what_is_new(chats: Path) -> None:
    rows = read(chats / "pydantic-model-retry.http.jsonl")
    assert account_of(rows) == (12, 6, 6, 0)
    assert [(call.input_tokens, call.output_tokens) for call in calls_of(rows, "model")] == [(47, 17), (87, 17), (116, 10)]
    assert [call.output for call in calls_of(rows)] == ["Did you mean Mexico City?\n\nFix the errors and try again.", "sunny"]


def test_a_request_that_was_refused_is_a_failed_reply_with_the_words_of_the_service(chats: Path) -> None:
    models = calls_of(read(chats / "openrouter-errors.http.jsonl"), "model")
    assert [(call.state, call.error) for call in models] == [("failed", "Provider returned error")] * 3


def test_cost_and_duration_are_kept_where_they_are_recorded(chats: Path) -> None:
    (model,) = calls_of(read(chats / "openhands-sdk-claude-toolcalls-1.json"), "model")
    assert (model.cost, model.seconds) == (0.016626000000000002, 4.65870213508606)
    assert (model.input_tokens, model.output_tokens, model.cached_tokens, model.cache_write_tokens) == (4812, 146, 0, 0)


@pytest.mark.parametrize(
    ("name", "records", "tool", "given", "tokens"),
    [
        ("cohere-empty-tool-call.chunks.jsonl", 16, "currentTime", None, (1445, 43)),
        ("deepseek-tool-call.chunks.jsonl", 52, "weather", '{"location": "San Francisco"}', (339, 83)),
        ("mistral-incremental-tool-call.chunks.jsonl", 3, "webSearchTool", '{"query": "current Berlin weather"}', (171, 14)),
        ("xai-tool-call.chunks.jsonl", 230, "weather", '{"location":"San Francisco"}', (307, 26)),
    ],
)
def test_pieces_of_a_stream_make_one_reply(name: str, records: int, tool: str, given: str | None, tokens: tuple[int, int], chats: Path) -> None:
    rows = read(chats / name)
    (model,), (call,) = calls_of(rows, "model"), calls_of(rows)
    assert (call.name, call.input, (model.input_tokens, model.output_tokens)) == (tool, given, tokens)
    assert [len(part.text or "") > 40 for part in rows.parts if part.type == "reasoning"] == [True] * (not name.startswith("mistral"))
    assert account_of(rows) == (records, records, 0, 0)


def test_runs_written_out_as_text_are_read_as_far_as_they_tell(chats: Path) -> None:
    rows = read(chats / "tau-bench-airline-few-shot.jsonl")
    assert (len(rows.turns), account_of(rows)) == (136, (463, 463, 0, 0))
    assert codes(rows) == {}


def test_a_response_alone_is_a_reply_with_the_text_of_its_plan_as_reasoning(chats: Path) -> None:
    rows = read(chats / "cohere-null-args.json")
    (call,) = calls_of(rows)
    assert (call.name, call.input) == ("currentTime", "null")
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["I will use the currentTime tool to find the current time."]
    (model,) = calls_of(rows, "model")
    assert (model.input_tokens, model.output_tokens, model.cached_tokens) == (1445, 43, 992)


def test_the_airline_runs_of_tau_bench_are_two_hundred_conversations(tau: Rows, recordings: Path) -> None:
    runs: list[dict[str, Any]] = json.loads((recordings / "tau" / "gpt-4o-airline.json").read_text(encoding="utf-8"))
    assert len(tau.conversations) == len(runs) == 200
    assert counted(tau) == (2454, 1164, 1164) == count_chat(message for run in runs for message in run["traj"])
    assert account_of(tau) == (5308, 5308, 0, 0) == (sum(len(run["traj"]) for run in runs), 5308, 0, 0)
    assert len(tau.turns) == 1490 == sum(message["role"] == "user" for run in runs for message in run["traj"])


def test_the_airline_runs_have_73_failed_calls_and_none_without_an_answer(tau: Rows) -> None:
    states = [call.state for call in calls_of(tau)]
    assert (states.count("failed"), states.count("unanswered"), states.count("done")) == (73, 0, 1091)
    assert all((call.error or "").startswith("Error") for call in calls_of(tau) if call.failed)


def test_each_result_of_the_airline_runs_stands_with_the_call_before_it_although_ids_repeat(tau: Rows, recordings: Path) -> None:
    runs: list[dict[str, Any]] = json.loads((recordings / "tau" / "gpt-4o-airline.json").read_text(encoding="utf-8"))
    expected = []
    for run in runs:
        asked: list[dict[str, Any]] = []
        for message in run["traj"]:
            asked += message.get("tool_calls") or []
            if message["role"] == "tool":
                # In these runs a result always follows the one call that was asked for.
                call = asked.pop()
                assert (call["id"], asked) == (message["tool_call_id"], [])
                expected.append((call["function"]["name"], call["function"]["arguments"], message["content"]))
    assert [(call.name, call.input, call.output) for call in calls_of(tau)] == expected


def test_an_airline_run_is_known_by_its_task_and_trial(tau: Rows) -> None:
    labels = [json.loads(row.labels or "{}") for row in tau.conversations]
    assert len({(label["task_id"], label["trial"]) for label in labels}) == 200
    assert all(set(label) == {"task_id", "trial", "reward"} for label in labels)
    assert sum(label["reward"] for label in labels) == 84.0


def test_one_run_of_tau_bench_alone_is_read_too(recordings: Path) -> None:
    rows = read(recordings / "tau" / "docent-tb_airline.json")
    assert (len(rows.conversations), len(rows.turns), *counted(rows)) == (1, 9, 20, 12, 12)
    assert [call.error for call in calls_of(rows) if call.failed] == ["Error: not enough seats on flight HAT213"]
