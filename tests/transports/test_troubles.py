"""The twelve kinds of trouble that streams of tool calls are known for, as their providers send them: each is seen, none is mended into something valid."""

from __future__ import annotations

from typing import Any

import agentnb.transports as tr
from agentnb.streams.chat_chunks import assemble_completions
from tests.transports.made import W, noted, prepared

OSLO = '{"city":"Oslo"}'


def entry(index: int | None = 0, own_id: str | None = None, name: str | None = None, arguments: str | None = None) -> dict[str, Any]:
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    made = {"index": index, "id": own_id, "function": function}
    return {key: value for key, value in made.items() if value is not None}


def chunk(*entries: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(entries)} if entries else {}, "finish_reason": finish}]}


CALLED = chunk(finish="tool_calls")


def traced(*chunks: dict[str, Any], dialect: str = "openai-chat") -> tr.Trace:
    return tr.trace_selection(prepared(), chunks, dialect=dialect)


def chosen(trace: tr.Trace) -> dict[str, Any]:
    assert isinstance(trace.result, tr.ModelSelection), trace.failure
    assert trace.result.tool_id == "weather.lookup"
    return trace.result.input


def test_1_the_name_is_sent_with_every_chunk() -> None:
    found = traced(chunk(entry(0, "a", W, '{"city":')), chunk(entry(0, "a", W, '"Os')), chunk(entry(0, "a", W, 'lo"}')), CALLED)
    assert chosen(found) == {"city": "Oslo"}
    assert noted(found) == [("name_resent", 1), ("name_resent", 2)]


def test_2_the_name_comes_in_fragments() -> None:
    assert chosen(traced(chunk(entry(0, "a", "weather_lo")), chunk(entry(0, None, "okup")), chunk(entry(0, None, None, OSLO)), CALLED)) == {"city": "Oslo"}


def test_3_the_arguments_are_sent_twice() -> None:
    found = traced(chunk(entry(0, "a", W, OSLO)), chunk(entry(0, None, None, OSLO)), CALLED)
    assert (found.code, found.failure.hint if found.failure else None, found.failure.place if found.failure else None) == (
        "arguments_invalid",
        "repeated_object",
        15,
    )


def test_4_two_entries_of_one_chunk_have_the_same_index() -> None:
    assert chosen(traced(chunk(entry(0, "a", W), entry(0, None, None, '{"city":"Os')), chunk(entry(0, None, None, 'lo"}')), CALLED)) == {"city": "Oslo"}


def test_5_an_index_is_reused_or_missing_and_ids_are_empty() -> None:
    reused = traced(chunk(entry(0, "a", "greet", "{}")), chunk(entry(0, "b", "status", "{}")), CALLED)
    assert (reused.code, [call.id for call in reused.calls], noted(reused)) == ("multiple_calls", ["a", "b"], [("index_reused", 1)])
    assert chosen(traced(chunk(entry(0, "a", W, '{"city":')), chunk(entry(0, "", None, '"Oslo"}')), CALLED)) == {"city": "Oslo"}
    assert chosen(traced(chunk(entry(None, None, W, '{"city":')), chunk(entry(None, None, None, '"Oslo"}')), CALLED)) == {"city": "Oslo"}
    assert chosen(traced(chunk(entry(4, "a", W, OSLO)), CALLED)) == {"city": "Oslo"}


def test_6_one_call_is_repeated_at_several_indexes() -> None:
    found = traced(chunk(entry(0, "a", W, OSLO)), chunk(entry(1, "a", W, OSLO)), CALLED)
    assert (found.code, found.broke_at, noted(found)) == ("multiple_calls", 1, [("duplicate_call_id", 1)])


def test_7_a_call_that_was_cut_is_said_to_be_complete() -> None:
    found = traced(chunk(entry(0, "a", W, '{"city":"Os')), CALLED)
    assert (found.code, found.outcome, found.broke_at) == ("arguments_incomplete", "broken", 1)


def test_8_cut_arguments_are_not_closed_for_the_model() -> None:
    for text in ('{"city":"Oslo"', '{"city":"Os', '{"city":', "{"):
        assert traced(chunk(entry(0, "a", W, text)), CALLED).code == "arguments_incomplete"
        assert traced(chunk(entry(0, "a", W, text)), chunk(finish="length")).code == "truncated"


def test_9_an_empty_text_stands_for_no_arguments_once_the_call_has_ended() -> None:
    ended = traced(chunk(entry(0, "a", "status", "")), CALLED)
    assert isinstance(ended.result, tr.ModelSelection)
    assert ended.result.input == {}
    assert traced(chunk(entry(0, "a", "status", ""))).outcome == "cut"


def test_10_arguments_that_happen_to_parse_are_not_final() -> None:
    found = traced(chunk(entry(0, "a", W, OSLO)), chunk(entry(0, None, None, " ")), chunk(entry(0, None, None, "]")), CALLED)
    assert [step.verdict for step in found.steps] == ["ok", "ok", "doomed", "doomed"]


def test_11_a_merger_of_deltas_doubles_what_is_repeated_and_our_own_does_not() -> None:
    chunks = [chunk(entry(0, "a", W, '{"city":')), chunk(entry(0, "a", W, '"Oslo"}')), CALLED]
    message = assemble_completions(chunks)[0].value["choices"][0]["message"]
    assert message["tool_calls"] == [{"id": "a", "function": {"name": W, "arguments": OSLO}}]
    assert traced(*chunks).calls == (tr.SelectedCall(id="a", name=W, argument_chars=15),)


def test_12_a_call_of_responses_has_an_id_of_its_own_and_one_of_its_item() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": W, "arguments": ""}
    whole = {**item, "arguments": OSLO}
    found = traced(
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '{"city":'},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": '"Oslo"}'},
        {"type": "response.function_call_arguments.done", "output_index": 0, "arguments": OSLO},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": {"output": [whole]}},
        dialect="openai-responses",
    )
    assert chosen(found) == {"city": "Oslo"}
    assert (found.calls[0].id, noted(found)) == ("call_1", [])


def test_a_gemini_call_without_arguments_has_none_and_a_malformed_one_is_an_error() -> None:
    bare = traced({"candidates": [{"content": {"parts": [{"functionCall": {"name": "status"}}]}, "finishReason": "STOP"}]}, dialect="gemini")
    assert (bare.outcome, bare.calls[0]) == ("ok", tr.SelectedCall(id="call-1", name="status", argument_chars=2))
    assert traced({"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, dialect="gemini").code == "provider_error"


def test_anthropic_sends_an_empty_piece_first() -> None:
    found = traced(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Checking."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "toolu_1", "name": W, "input": {}}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"city": "Os'}},
        {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": 'lo"}'}},
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        dialect="anthropic",
    )
    assert chosen(found) == {"city": "Oslo"}
    assert (found.calls[0].argument_chars, found.output_chars, len(found.steps)) == (16, 25, 6)
