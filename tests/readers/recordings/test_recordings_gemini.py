"""Real recordings of Gemini, Gemini CLI and ADK: what was counted in the files themselves is in the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings


class Numbers(NamedTuple):
    """What was counted in a file."""

    conversations: int
    models: int
    tools: int
    failed: int
    unanswered: int
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int
    records: int


# Replies (of a list of contents, turns of the model that say something), functions asked for, results that hold an error, calls without a result, sums of
# the usage (thoughts count as output), and records: contents and replies, chunks of streams, events, turns of eval cases, lines of replies.
COUNTED = {
    "adk-context_update.session.json": Numbers(1, 3, 1, 0, 0, 255, 59, 0, 0, 6),
    "adk-ecommerce.test.json": Numbers(1, 8, 7, 0, 7, 0, 0, 0, 0, 4),
    "adk-flow_complex_spark.session.json": Numbers(1, 6, 2, 0, 0, 0, 0, 0, 0, 9),
    "gemini-cli-browser-agent-localhost.screenshot.responses.jsonl": Numbers(1, 5, 4, 0, 4, 750, 160, 0, 0, 5),
    "gemini-cli-browser-agent.concurrent.responses.jsonl": Numbers(1, 8, 8, 0, 8, 1300, 220, 0, 0, 8),
    "gemini-cli-concurrency-limit.responses.jsonl": Numbers(1, 12, 11, 0, 11, 1100, 550, 0, 0, 12),
    "gemini-cli-hooks-agent-flow-multistep.responses.jsonl": Numbers(1, 2, 1, 0, 1, 20, 20, 0, 0, 2),
    "gemini-cli-hooks-system.error-handling.responses.jsonl": Numbers(1, 2, 1, 0, 1, 25737, 95, 12203, 66, 2),
    "google-429-retry-info.json": Numbers(1, 1, 0, 0, 0, 0, 0, 0, 0, 1),
    "google-reasoning-gemini3.json": Numbers(1, 1, 0, 0, 0, 9, 287, 0, 258, 1),
    "google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.jsonl": Numbers(1, 1, 1, 0, 1, 54, 195, 0, 121, 16),
    "google-tool-call-gemini3.json": Numbers(1, 1, 1, 0, 1, 29, 1816, 0, 1801, 1),
    "google-tool-call.json": Numbers(1, 1, 1, 0, 1, 29, 908, 0, 893, 1),
    "inspect-functionresponse_model_turn.json": Numbers(1, 1, 1, 0, 0, 0, 0, 0, 0, 3),
    "langchainjs-chat-6-mock.json": Numbers(1, 1, 0, 0, 0, 13, 157, 0, 0, 1),
    "pydantic-instructions-tool-calls.http.jsonl": Numbers(1, 5, 7, 0, 1, 2071, 801, 0, 676, 30),
    "pydantic-tool-return-image.http.jsonl": Numbers(1, 4, 3, 2, 0, 3795, 1515, 0, 1283, 20),
    "pydantic-tool-search-eval.http.jsonl": Numbers(4, 10, 6, 0, 0, 3421, 836, 0, 531, 38),
}


@pytest.fixture(scope="module")
def folder(recordings: Path) -> Path:
    return recordings / "gemini"


def numbers_of(rows: Rows) -> Numbers:
    models, tools = calls_of(rows, "model"), calls_of(rows)
    return Numbers(
        len(rows.conversations),
        len(models),
        len(tools),
        sum(call.failed for call in tools),
        sum(call.state == "unanswered" for call in tools),
        sum(call.input_tokens or 0 for call in models),
        sum(call.output_tokens or 0 for call in models),
        sum(call.cached_tokens or 0 for call in models),
        sum(call.reasoning_tokens or 0 for call in models),
        account_of(rows)[0],
    )


def test_every_file_is_of_this_format_and_none_of_its_records_is_left_out(folder: Path) -> None:
    rows = read(folder)
    assert {Path(source.path).name for source in rows.sources} == set(COUNTED)
    assert {source.format for source in rows.sources} == {"gemini"}
    assert {source.records_skipped for source in rows.sources} == {0}


@pytest.mark.parametrize("name", COUNTED)
def test_a_file_holds_what_was_counted(name: str, folder: Path) -> None:
    assert numbers_of(read(folder / name)) == COUNTED[name]


def test_nothing_is_odd_but_calls_without_results(folder: Path) -> None:
    assert codes(read(folder)) == {"unanswered_call": 36}


def test_arguments_that_came_piece_by_piece_are_whole(folder: Path) -> None:
    rows = read(folder / "google-stream-tool-call-array-arguments-missing-terminal-function-call.chunks.jsonl")
    operations = json.loads(calls_of(rows)[0].input or "")["operations"]
    assert [(item["action"], item["itemid"], item["price"]) for item in operations] == [("add", "apple_001", 0.5), ("add", "banana_001", 0.3)]


def test_a_refused_request_is_a_failed_reply(folder: Path) -> None:
    rows = read(folder / "google-429-retry-info.json")
    (step,) = calls_of(rows, "model")
    assert (step.state, step.error) == ("failed", "You exceeded your current quota, please check your plan.")
    assert json.loads(step.extra or "")["error"]["status"] == "RESOURCE_EXHAUSTED"


def test_an_image_that_a_function_returned_is_a_part_of_its_call(folder: Path) -> None:
    rows = read(folder / "pydantic-tool-return-image.http.jsonl")
    (image,) = (part for part in rows.parts if part.type == "image")
    assert (image.mime_type, image.call_id) == ("image/jpeg", calls_of(rows)[2].call_id)
    assert calls_of(rows)[0].error == "Unknown tool name: 'list_files'. Available tools: 'get_file'"


def test_encrypted_thoughts_that_leaked_into_the_text_are_no_text(folder: Path) -> None:
    rows = read(folder / "inspect-functionresponse_model_turn.json")
    assert [part.text for part in rows.parts if part.type == "reasoning"] == [None]
    assert [part for part in rows.parts if "<think" in (part.text or "")] == []
    assert [call.output for call in calls_of(rows)] == ["Encountered error in step execution: denied by pre-tool hook: Denied by policy 'deny_all'."]


def test_every_agent_of_a_flow_is_named_where_it_spoke(folder: Path) -> None:
    rows = read(folder / "adk-flow_complex_spark.session.json")
    assert [json.loads(call.extra or "")["agent"] for call in calls_of(rows, "model")] == [
        "spark_assistant",
        "research_plan_agent",
        "question_generation_agent",
        "information_retrieval_agent",
        "summary_agent",
        "spark_assistant",
    ]


def test_usage_of_an_early_adk_session_is_in_its_logs(folder: Path) -> None:
    rows = read(folder / "adk-context_update.session.json")
    assert [(call.input_tokens, call.output_tokens) for call in calls_of(rows, "model")] == [(32, 13), (94, 32), (129, 14)]
    assert rows.conversations[0].model == "gemini-1.5-flash-001"


def test_turns_of_an_eval_case_have_their_own_ids_and_calls(folder: Path) -> None:
    rows = read(folder / "adk-ecommerce.test.json")
    calls = [sum(call.turn_id == turn.turn_id for call in calls_of(rows)) for turn in rows.turns]
    assert calls == [1, 1, 4, 1]
    assert rows.turns[0].turn_id.endswith("/38d54523-d789-4873-8cc0-d38826c7feb4")
