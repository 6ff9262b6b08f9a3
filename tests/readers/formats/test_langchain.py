"""LangChain and LangGraph: messages in four serialisations, states and histories of threads, streams of pieces, and events of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.errors import UnknownFormat
from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "langchain"

HUMAN: dict[str, Any] = {"type": "human", "content": "How deep is the lock?", "id": "h"}
ASKS: dict[str, Any] = {"type": "ai", "content": "", "id": "a", "tool_calls": [{"name": "depth", "args": {"lock": 2}, "id": "c", "type": "tool_call"}]}
TOLD: dict[str, Any] = {"type": "tool", "content": "4 m", "tool_call_id": "c", "id": "t", "status": "success"}
SAYS: dict[str, Any] = {"type": "ai", "content": "Four metres.", "id": "b", "response_metadata": {"finish_reason": "stop"}}
LOCK = [HUMAN, ASKS, TOLD, SAYS]


def read_values(folder: Path, *values: Any, lines: bool = False) -> Rows:
    """Read values as a document, or as lines."""
    path = folder / "lock.json"
    path.write_text("".join(f"{json.dumps(value)}\n" for value in values) if lines else json.dumps(values[0]))
    return read(path)


def wrapped(message: dict[str, Any]) -> dict[str, Any]:
    return {"type": message["type"], "data": message}


def dumped(message: dict[str, Any]) -> dict[str, Any]:
    name = {"human": "Human", "ai": "AI", "tool": "Tool"}[message["type"]]
    fields = {name: value for name, value in message.items() if name != "type"}
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", f"{name}Message"], "kwargs": fields}


def state(messages: list[Any], number: int, parent: int | None = None, **more: Any) -> dict[str, Any]:
    place = {"thread_id": "lock-1", "checkpoint_ns": "", "checkpoint_id": str(number)}
    above = {**place, "checkpoint_id": str(parent)} if parent is not None else None
    at = f"2026-04-01T08:00:{number:02}+00:00"
    fields: dict[str, Any] = {"values": {"messages": messages}, "next": [], "tasks": [], "checkpoint": place, "parent_checkpoint": above, "created_at": at}
    return fields | more


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("langchain", outline_of(read(SAMPLES)))


@pytest.mark.parametrize("form", [lambda message: message, wrapped, dumped], ids=["flat", "messages_to_dict", "dumpd"])
def test_every_serialisation_says_the_same(tmp_path: Path, form: Any) -> None:
    rows = read_values(tmp_path, [form(message) for message in LOCK])
    assert rows.sources[0].format == "langchain"
    assert [(turn.prompt, turn.answer, turn.state) for turn in rows.turns] == [("How deep is the lock?", "Four metres.", "done")]
    assert [(call.name, call.input, call.output, call.tool_call_id) for call in calls_of(rows)] == [("depth", '{"lock":2}', "4 m", "c")]
    assert account_of(rows) == (4, 4, 0, 0)


def test_the_same_conversation_in_two_serialisations_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(json.dumps([wrapped(message) for message in LOCK]))
    (tmp_path / "two.json").write_text(json.dumps([dumped(message) for message in LOCK]))
    rows = read(tmp_path)
    assert (len(rows.conversations), len(calls_of(rows, "model"))) == (1, 2)
    assert account_of(rows) == (8, 4, 4, 0)


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ho"}],
        {"messages": [{"role": "user", "content": "hi"}]},
        [{"type": "text", "text": "hi"}],
        [{"type": "start"}, {"type": "text-delta", "id": "1", "delta": "a"}],
        {"values": [1, 2], "next": []},
    ],
    ids=["chat", "chat request", "blocks", "stream of the AI SDK", "numbers"],
)
def test_what_is_of_another_format_is_left_to_it(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps(value))
    try:
        assert read(path).sources[0].format != "langchain"
    except UnknownFormat:
        assert read(tmp_path).sources[0].format is None


def test_arguments_that_could_not_be_read_stay_text_with_a_code(tmp_path: Path) -> None:
    broken = {"type": "ai", "content": "", "id": "a", "invalid_tool_calls": [{"name": "depth", "args": "{lock", "id": "c", "error": "cut"}]}
    rows = read_values(tmp_path, [HUMAN, broken])
    (call,) = calls_of(rows)
    assert (call.input, json.loads(call.extra or b"")) == ('"{lock"', {"invalid": True, "error": "cut"})
    assert codes(rows) == {"arguments_not_json": 1, "unanswered_call": 1}


def test_calls_of_an_old_version_stand_among_the_other_arguments() -> None:
    (call, _) = calls_of(read(SAMPLES / "museum.dumpd.json"))
    assert (call.name, call.input, call.output) == ("find_room", '{"object": "clocks"}', "Room 4")


def test_calls_that_the_content_repeats_count_once(tmp_path: Path) -> None:
    blocks = [{"type": "text", "text": "I look."}, {"type": "tool_use", "id": "c", "name": "depth", "input": {"lock": 2}}]
    rows = read_values(tmp_path, [HUMAN, {**ASKS, "content": blocks}, TOLD])
    assert (len(calls_of(rows)), texts_of(rows, "assistant")) == (1, ["I look."])


def test_the_result_of_a_tool_that_the_service_ran_belongs_to_its_call(tmp_path: Path) -> None:
    found = {"type": "web_search_tool_result", "tool_use_id": "s", "content": [{"title": "Locks"}]}
    blocks = [{"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "locks"}}, found, {"type": "text", "text": "Found."}]
    rows = read_values(tmp_path, [HUMAN, {"type": "ai", "content": blocks, "id": "a"}])
    assert [(call.name, call.state, call.output) for call in calls_of(rows)] == [("web_search", "done", '[{"title":"Locks"}]')]
    assert account_of(rows) == (2, 2, 0, 0)


def test_a_tool_that_says_it_failed_has_failed_and_success_is_only_the_default(tmp_path: Path) -> None:
    rows = read_values(tmp_path, [HUMAN, ASKS, {**TOLD, "status": "error", "content": "Out of order"}])
    assert [(call.state, call.error) for call in calls_of(rows)] == [("failed", "Out of order")]
    rows = read_values(tmp_path, [HUMAN, ASKS, {**TOLD, "content": "Error: no such lock"}])
    assert [(call.state, call.error) for call in calls_of(rows)] == [("failed", "Error: no such lock")]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"usage_metadata": {"input_tokens": 9, "output_tokens": 2, "input_token_details": {"cache_read": 4}}}, (9, 2, 4)),
        ({"response_metadata": {"token_usage": {"prompt_tokens": 9, "completion_tokens": 2}}}, (9, 2, None)),
        ({"response_metadata": {"tokenUsage": {"promptTokens": 9, "completionTokens": 2}}}, (9, 2, None)),
        ({"response_metadata": {}, "usage_metadata": None}, (None, None, None)),
    ],
    ids=["usage_metadata", "token_usage", "tokenUsage", "none"],
)
def test_usage_is_found_where_each_version_keeps_it(tmp_path: Path, fields: dict[str, Any], expected: tuple[Any, ...]) -> None:
    (model,) = calls_of(read_values(tmp_path, [HUMAN, {**SAYS, **fields}]), "model")
    assert (model.input_tokens, model.output_tokens, model.cached_tokens) == expected


def test_reasoning_is_shown_and_what_is_encrypted_is_only_kept() -> None:
    rows = read(SAMPLES / "boat-trip.state.json")
    (thought,) = (part for part in rows.parts if part.type == "reasoning")
    assert (thought.text, json.loads(thought.extra or "")) == ("First the tide.", {"encrypted_content": "gAAAA"})


def test_a_thread_that_waits_for_a_person_has_its_questions() -> None:
    rows = read(SAMPLES / "boat-trip.state.json")
    assert [(turn.state, turn.prompt) for turn in rows.turns] == [("waiting", "Book a boat for Mira Tandel on Friday.")]
    names = {call.call_id: call.name for call in calls_of(rows)}
    asked = [(names[approval.call_id], approval.question, approval.answer) for approval in rows.approvals]
    assert asked == [("book_boat", "Book Kittiwake for Mira?", None), ("send_mail", "Send the mail?", None)]


def test_a_question_that_was_answered_says_how(tmp_path: Path) -> None:
    asks = [{"value": {"action_requests": [{"name": "depth", "args": {}, "description": "Measure?"}]}, "id": "i"}]
    states = [state([HUMAN, ASKS], 2, 1, interrupts=asks), state([HUMAN, ASKS, TOLD], 3, 2), state([HUMAN, ASKS, TOLD, SAYS], 4, 3)]
    rows = read_values(tmp_path, states[::-1])
    assert [(approval.question, approval.answer) for approval in rows.approvals] == [("Measure?", "yes")]
    assert rows.turns[0].state == "done"
    refused = {**TOLD, "content": "User rejected the tool call for `depth` with id c", "status": "error"}
    states = [state([HUMAN, ASKS], 2, 1, interrupts=asks), state([HUMAN, ASKS, refused], 3, 2)]
    rows = read_values(tmp_path, states)
    assert [(approval.answer, approval.reason) for approval in rows.approvals] == [("no", refused["content"])]
    assert [call.state for call in calls_of(rows)] == ["denied"]


def test_a_question_that_names_no_tool_is_about_the_only_call_that_waits(tmp_path: Path) -> None:
    rows = read_values(tmp_path, {"messages": [HUMAN, ASKS], "__interrupt__": [{"value": "Open the gate?", "id": "i"}]})
    assert [(approval.question, approval.answer) for approval in rows.approvals] == [("Open the gate?", None)]
    assert rows.turns[0].state == "waiting"


def test_a_task_that_failed_makes_the_turn_fail(tmp_path: Path) -> None:
    rows = read_values(tmp_path, state([HUMAN, ASKS], 2, 1, tasks=[{"id": "x", "name": "tools", "error": "ValueError('no water')"}]))
    assert (rows.turns[0].state, calls_of(rows)[0].state) == ("failed", "unanswered")


def test_a_history_says_when_each_message_came_and_tells_it_once(tmp_path: Path) -> None:
    rows = read_values(tmp_path, [state(LOCK[:count], count, count - 1) for count in (4, 3, 2, 1)])
    assert account_of(rows) == (10, 4, 6, 0)
    (call,) = calls_of(rows)
    assert (call.seconds, rows.turns[0].seconds) == (1.0, 3.0)


def test_a_store_of_checkpoints_is_a_history_too(tmp_path: Path) -> None:
    def stored(count: int) -> dict[str, Any]:
        held = {"v": 4, "ts": f"2026-04-01T08:00:0{count}+00:00", "id": str(count), "channel_values": {"messages": LOCK[:count]}}
        return {"config": {"configurable": {"thread_id": "lock-1"}}, "checkpoint": held, "metadata": {"step": count}, "parent_config": None}

    rows = read_values(tmp_path, [stored(4), stored(2)])
    assert ([row.conversation_id for row in rows.conversations], account_of(rows)) == (["lock-1"], (6, 4, 2, 0))


def test_a_thread_that_went_back_has_a_branch_beside_the_turn_it_took_back() -> None:
    rows = read(SAMPLES / "library.history.json")
    ids = [turn.turn_id.rpartition("/")[2] for turn in rows.turns]
    parents = [(turn.parent_turn_id or "").rpartition("/")[2] for turn in rows.turns]
    assert list(zip(ids, parents, strict=True)) == [("q1", ""), ("q2", "q1"), ("q1~2", "")]
    assert [turn.answer for turn in rows.turns][::2] == ["They are on shelf 12.", "The atlases stand on shelf 12, by the window."]
    assert len(calls_of(rows)) == 1


def test_a_message_that_was_changed_is_shown_as_it_was_last(tmp_path: Path) -> None:
    changed = {**ASKS, "tool_calls": [{"name": "depth", "args": {"lock": 3}, "id": "c", "type": "tool_call"}]}
    rows = read_values(tmp_path, [state([HUMAN, ASKS], 2, 1), state([HUMAN, changed, TOLD], 3, 2)])
    assert ([call.input for call in calls_of(rows)], codes(rows)) == (['{"lock":3}'], {"changed_message": 1})


def test_streamed_pieces_are_put_together_by_their_ids() -> None:
    rows = read(SAMPLES / "tides.stream.jsonl")
    assert [(call.name, call.input, call.output) for call in calls_of(rows)] == [("tide", '{"day":"today"}', "High water 02:35.")]
    assert texts_of(rows, "assistant") == ["At 02:35."]
    assert [model.input_tokens for model in calls_of(rows, "model")] == [40, None]
    assert rows.conversations[0].conversation_id == "thread-tides"


def test_pieces_alone_make_the_message_too(tmp_path: Path) -> None:
    def piece(args: str, **more: Any) -> list[Any]:
        call = {"name": None, "args": args, "id": None, "index": 0, **more}
        return [{"type": "AIMessageChunk", "content": "", "id": "m", "tool_call_chunks": [call]}, {"langgraph_node": "agent"}]

    rows = read_values(tmp_path, piece("", name="depth", id="c"), piece('{"lock"'), piece(": 2}"), lines=True)
    assert [(call.name, call.input, call.tool_call_id) for call in calls_of(rows)] == [("depth", '{"lock": 2}', "c")]
    assert account_of(rows) == (3, 1, 2, 0)


def test_events_tell_the_runs_of_an_agent_and_what_never_ended_said_what_it_streamed() -> None:
    rows = read(SAMPLES / "garden.events.jsonl")
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Water the beans", "Watered.")]
    assert [(call.name, call.input, call.output) for call in calls_of(rows)] == [("open_tap", '{"bed":"beans"}', "Tap open for 4 minutes.")]
    assert [(model.name, model.input_tokens) for model in calls_of(rows, "model")] == [("heron-2", 12), ("heron-2", None)]
    assert account_of(rows) == (9, 4, 5, 0)


def test_several_lists_without_ids_in_one_file_are_several_conversations(tmp_path: Path) -> None:
    def asks(text: str) -> dict[str, Any]:
        return {"messages": [{"type": "human", "content": text}, {"type": "ai", "content": "Yes."}]}

    rows = read_values(tmp_path, asks("Open?"), asks("Shut?"), lines=True)
    assert ([turn.prompt for turn in rows.turns], len(rows.conversations)) == (["Open?", "Shut?"], 2)


def test_what_stands_among_messages_and_is_none_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read_values(tmp_path, [HUMAN, 7, SAYS])
    assert (account_of(rows), codes(rows)) == ((3, 2, 0, 1), {"no_message": 1})
    rows = read_values(tmp_path, {"messages": LOCK}, {"note": 1}, lines=True)
    assert (account_of(rows), rows.sources[0].skipped) == ((5, 4, 0, 1), '{"not_langchain":1}')


def test_who_speaks_in_a_graph_of_several_agents_is_kept(tmp_path: Path) -> None:
    (model,) = calls_of(read_values(tmp_path, [HUMAN, {**SAYS, "name": "lockkeeper"}]), "model")
    assert json.loads(model.extra or b"") == {"agent": "lockkeeper"}
