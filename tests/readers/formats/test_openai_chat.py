"""Chat Completions beside message lists and logs: streams, texts of tau-bench, replies that failed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import find_files, survey_files
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, chat, exchange, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).resolve().parent.parent / "samples" / "openai_chat"


def chunk(delta: Record, *, end: str | None = None, **fields: Any) -> Record:
    choice = {"index": 0, "delta": delta, "finish_reason": end}
    return {"id": "c-1", "object": "chat.completion.chunk", "created": 1772442000, "model": "lamp-1", "choices": [choice], **fields}


def asks(own_id: str, name: str, arguments: str) -> Record:
    return {"tool_calls": [{"index": 0, "id": own_id, "type": "function", "function": {"name": name, "arguments": arguments}}]}


STREAM = [
    chunk({"role": "assistant", "content": ""}),
    chunk({"reasoning_content": "Look it up."}),
    chunk(asks("call_1", "find_order", "")),
    chunk({"tool_calls": [{"index": 0, "function": {"arguments": '{"id":7}'}}]}),
    chunk({}, end="tool_calls"),
    {"id": "c-1", "object": "chat.completion.chunk", "choices": [], "usage": {"prompt_tokens": 20, "completion_tokens": 9}},
]


def format_of(path: Path) -> str | None:
    groups = survey_files(find_files(path.parent)).groups
    return groups[0].reader.format if groups else None


@pytest.mark.parametrize("write", [write_lines, write_json])
def test_pieces_of_a_stream_are_one_reply_and_each_is_a_record(write: Any, tmp_path: Path) -> None:
    path = write(tmp_path / "stream", STREAM)
    assert format_of(path) == "openai_chat"
    rows = read(path)
    (model,) = calls_of(rows, "model")
    (call,) = calls_of(rows)
    assert (model.name, model.input_tokens, model.output_tokens, model.finish_reason) == ("lamp-1", 20, 9, "tool_calls")
    assert (call.name, call.input, call.tool_call_id) == ("find_order", '{"id":7}', "call_1")
    assert [part.text for part in rows.parts if part.type == "reasoning"] == ["Look it up."]
    assert (account_of(rows), codes(rows)) == ((6, 6, 0, 0), {"unanswered_call": 1})


@pytest.mark.parametrize("kept", [2, 3, 4])
def test_a_stream_that_is_cut_keeps_what_came_and_is_not_done(kept: int, tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "stream", STREAM[:kept]))
    assert codes(rows)["cut_stream"] == 1
    assert rows.turns[0].state is None
    assert account_of(rows)[0] == account_of(rows)[1] == kept


def test_several_replies_in_one_stream_are_told_apart(tmp_path: Path) -> None:
    other = [{**chunk({"content": "Hello!"}, end="stop"), "id": "c-2"}]
    rows = read(write_lines(tmp_path / "stream", [*STREAM, *other]))
    assert [row.conversation_id for row in rows.conversations] == ["c-1", "c-2"]
    assert texts_of(rows, "assistant") == ["Hello!"]


def test_what_is_no_object_among_the_pieces_is_left_out(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "stream", [*STREAM, b"7", b'{"cut": ']))
    assert account_of(rows) == (8, 6, 0, 2)
    assert {"not_an_event", "not_json"} <= set(codes(rows))


def test_a_log_may_hold_streams_as_responses(tmp_path: Path) -> None:
    record = {"request": {"model": "lamp-1", "messages": chat([("user", "Where is it?")])}, "response": STREAM}
    rows = read(write_json(tmp_path / "log", record))
    assert [(turn.prompt, call.name) for turn, call in zip(rows.turns, calls_of(rows), strict=True)] == [("Where is it?", "find_order")]


def test_an_answer_that_tells_an_error_beside_its_message_failed(tmp_path: Path) -> None:
    body = {
        "id": "c",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": ""}, "finish_reason": "error", "error": {"code": 502, "message": "Upstream."}}],
    }
    (model,) = calls_of(read(write_json(tmp_path / "reply", body)), "model")
    assert (model.state, model.error, model.finish_reason) == ("failed", "Upstream.", "error")


def test_a_stream_of_groq_tells_its_tokens_in_a_field_of_its_own(tmp_path: Path) -> None:
    end = chunk({}, end="stop", x_groq={"id": "req_1", "usage": {"prompt_tokens": 20, "completion_tokens": 9}})
    rows = read(write_lines(tmp_path / "stream", [chunk({"content": "Hello!"}, x_groq={"id": "req_1"}), end]))
    assert [(model.input_tokens, model.output_tokens) for model in calls_of(rows, "model")] == [(20, 9)]


def test_tools_that_groq_ran_itself_are_calls_with_their_results(tmp_path: Path) -> None:
    ran = {"index": 0, "type": "search", "arguments": '{"query": "tide"}', "output": "High at noon.", "search_results": {"images": []}}
    message = {"role": "assistant", "content": "At noon.", "reasoning": "Look it up.", "executed_tools": [ran]}
    rows = read(write_json(tmp_path / "reply", {"id": "c", "model": "compound", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}))
    assert [(call.name, call.input, call.output, call.state) for call in calls_of(rows)] == [("search", '{"query": "tide"}', "High at noon.", "done")]
    assert [(part.type, part.text) for part in rows.parts if part.text] == [("reasoning", "Look it up."), ("text", "At noon.")]
    assert (len(calls_of(rows, "model")), rows.turns[0].answer, account_of(rows)) == (1, "At noon.", (1, 1, 0, 0))


def test_a_tool_that_a_stream_of_groq_tells_twice_is_one_call(tmp_path: Path) -> None:
    begun = {"index": 0, "type": "search", "arguments": '{"query": "tide"}'}
    chunks = [chunk({"executed_tools": [begun]}), chunk({"executed_tools": [begun | {"output": "High."}]}), chunk({"content": "Yes."}, end="stop")]
    assert [(call.name, call.output) for call in calls_of(read(write_lines(tmp_path / "stream", chunks)))] == [("search", "High.")]


def test_a_stream_that_ends_with_an_error_failed(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "stream", [chunk({"content": "It "}), chunk({"content": "is"}), {"error": {"message": "Overloaded."}}]))
    (model,) = calls_of(rows, "model")
    assert (model.state, model.error, texts_of(rows), account_of(rows)) == ("failed", "Overloaded.", ["It is"], (3, 3, 0, 0))


def test_what_a_model_said_instead_of_a_call_is_kept_and_not_said_again_when_it_is_sent_back(tmp_path: Path) -> None:
    error = {"code": "tool_use_failed", "failed_generation": "maybe", "message": "It did not call a tool."}
    log = [
        {**exchange(chat([("user", "Yes or no?")]), None), "response": {"error": error}},
        exchange(chat([("user", "Yes or no?"), ("assistant", "maybe"), ("user", "Fix it.")]), chat([("assistant", "yes")])[0]),
    ]
    rows = read(write_lines(tmp_path / "log", log))
    assert [(model.state, model.error) for model in calls_of(rows, "model")] == [("failed", "It did not call a tool."), ("done", None)]
    assert texts_of(rows) == ["Yes or no?", "maybe", "Fix it.", "yes"]


def test_a_log_of_litellm_tells_cost_times_and_what_went_wrong(tmp_path: Path) -> None:
    answer = {"id": "a", "created": 1772442000, "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Hello!"}}]}
    base = {"call_type": "acompletion", "model": "lamp-1", "messages": chat([("user", "Hello")]), "startTime": 1772442000.5, "endTime": 1772442002.0}
    good = base | {"id": "a", "status": "success", "response": answer, "response_cost": 0.25, "error_str": None}
    bad = base | {"id": "b", "status": "failure", "response": {}, "response_cost": 0, "error_information": {"error_message": "Too many requests."}}
    calls = calls_of(read(write_lines(tmp_path / "log.jsonl", [good, bad])), "model")
    assert [(call.state, call.cost, call.seconds, call.error) for call in calls] == [("done", 0.25, 1.5, None), ("failed", 0, 1.5, "Too many requests.")]


def test_rows_of_runs_of_the_same_task_are_conversations_with_what_came_of_them(tmp_path: Path) -> None:
    row = {"trajectory_id": "t1", "instance_id": "shop-1", "trajectory": chat([("user", "Fix it."), ("assistant", "Fixed.")]), "resolved": 1}
    rows = read(write_lines(tmp_path / "x", [row, row | {"trajectory_id": "t2", "resolved": 0}]))
    assert [turn.answer for turn in rows.turns] == ["Fixed.", "Fixed."]
    labels = [json.loads(item.labels or "") for item in rows.conversations]
    assert labels == [{"instance_id": "shop-1", "resolved": 1}, {"instance_id": "shop-1", "resolved": 0}]
    assert len({item.conversation_id for item in rows.conversations}) == 2


def test_a_run_of_tau_bench_written_out_as_text_keeps_who_said_what(tmp_path: Path) -> None:
    lines = ["user: Cancel it.", "assistant: None", "tool: Error: user not found", "assistant: Who are you?", "Say your name.", "user: Ana"]
    shown = "\n".join([*lines, "assistant: None", "tool: Transfer successful"])
    path = write_lines(tmp_path / "few.jsonl", [{"messages_display": shown}, {"messages_display": "user: Hello\nassistant: Hello!"}])
    assert format_of(path) == "openai_chat"
    rows = read(path)
    assert [turn.prompt for turn in rows.turns] == ["Cancel it.", "Ana", "Hello"]
    assert [turn.answer for turn in rows.turns] == ["Who are you?\nSay your name.", None, "Hello!"]
    assert [part.text for part in rows.parts if part.type == "tool_result"] == ["Error: user not found", "Transfer successful"]
    assert (calls_of(rows), account_of(rows)) == ([], (9, 9, 0, 0))


def test_a_lamp_shop_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("openai_chat", outline_of(read(SAMPLES / "two-lamps.chunks.jsonl")))


def test_an_http_log_of_two_agents_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("http_log", outline_of(read(SAMPLES / "two-agents.http.jsonl")))


def test_a_file_is_known_by_the_same_name_whatever_follows_its_first_reply(tmp_path: Path) -> None:
    begin = [("system", "Be brief."), ("user", "Where is my lamp?"), ("assistant", "On its way.")]
    files = [
        write_json(tmp_path / name, chat(said)) for name, said in (("short.json", begin), ("long.json", [*begin, ("user", "Thanks."), ("assistant", "Bye.")]))
    ]
    keys = [member.keys for group in survey_files(find_files(tmp_path)).groups for member in group.members]
    assert len(files) == len(keys) == 2
    assert keys[0] == keys[1] == {read(files[1]).conversations[0].conversation_id}
