"""What each event of a provider's stream says, in the words that all of them share."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.streams.parts import LIFTED, lift_events, lift_parts, lifter
from agentnb.values.model_parts import CallEndPart, CallPart, ErrorPart, FinishPart, ModelPart, ReasoningPart, RefusalPart, TextPart, UsagePart

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
)
KEYS = st.sampled_from(
    [
        *(
            "type",
            "choices",
            "delta",
            "message",
            "tool_calls",
            "function",
            "index",
            "content",
            "candidates",
            "parts",
            "functionCall",
            "item",
            "response",
        ),
        *(
            "output",
            "content_block",
            "usage",
            "error",
            "finish_reason",
            "finishReason",
            "partialArgs",
            "args",
            "name",
            "arguments",
            "id",
            "call_id",
            "input",
        ),
    ]
)
WORDS = st.sampled_from(
    [
        *(
            "response.output_item.added",
            "response.output_item.done",
            "response.completed",
            "response.incomplete",
            "response.failed",
            "function_call",
            "error",
        ),
        *(
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "message_start",
            "tool_use",
            "input_json_delta",
            "message",
        ),
        *(
            "message-end",
            "tool-call-start",
            "response.function_call_arguments.delta",
            "response.function_call_arguments.done",
            "MALFORMED_FUNCTION_CALL",
        ),
    ]
)
EVENTS = st.recursive(JSON | WORDS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=20)


def chat(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}


def lifted(dialect: str, *events: Any) -> list[ModelPart]:
    return list(lift_parts(events, dialect))


def test_chat() -> None:
    start = {"role": "assistant", "content": None, "tool_calls": [{"index": 0, "id": "a", "type": "function", "function": {"name": "status", "arguments": ""}}]}
    piece = {"tool_calls": [{"index": 0, "function": {"arguments": '{"a":1}'}}]}
    assert lifted("openai-chat", chat(start), chat(piece), chat({}, "tool_calls"), {"choices": [], "usage": {"total_tokens": 3}}) == [
        CallPart(index=0, id="a", name="status", arguments=""),
        CallPart(index=0, arguments='{"a":1}'),
        FinishPart(reason="tool_calls"),
        UsagePart(data={"total_tokens": 3}),
    ]


def test_chat_beside_the_calls() -> None:
    assert lifted("openai-chat", chat({"reasoning_content": "hm", "content": "yes", "refusal": "no"}), chat({}, "eos")) == [
        ReasoningPart(text="hm"),
        TextPart(text="yes"),
        RefusalPart(text="no"),
        FinishPart(reason="unknown", raw="eos"),
    ]
    assert lifted("openai-chat", chat({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}, {"type": "text", "text": "yes"}]})) == [
        ReasoningPart(text="hm"),
        TextPart(text="yes"),
    ]


def test_chat_reads_the_first_choice_only() -> None:
    assert lifted("openai-chat", {"choices": [{"index": 1, "delta": {"content": "other"}}, {"index": 0, "delta": {"content": "one"}}]}) == [
        TextPart(text="one")
    ]


def test_chat_of_the_older_form() -> None:
    events = [chat({"function_call": {"name": "status", "arguments": ""}}), chat({"function_call": {"arguments": "{}"}}), chat({}, "function_call")]
    assert lifted("openai-chat", *events) == [
        CallPart(name="status", arguments=""),
        CallPart(arguments="{}"),
        FinishPart(reason="tool_calls", raw="function_call"),
    ]


def test_chat_that_fails() -> None:
    assert lifted("openai-chat", {"error": {"code": 429, "message": "slow down"}}) == [ErrorPart(message="429: slow down")]
    assert lifted("openai-chat", {"error": "gone"}) == [ErrorPart(message="gone")]


def test_chat_that_was_not_streamed() -> None:
    calls = [{"id": "a", "function": {"name": "x", "arguments": "{}"}}, {"id": "b", "function": {"name": "y", "arguments": "{}"}}]
    assert lifted("openai-chat", {"choices": [{"message": {"content": None, "tool_calls": calls}, "finish_reason": "tool_calls"}]}) == [
        CallPart(index=0, id="a", name="x", arguments="{}"),
        CallEndPart(index=0),
        CallPart(index=1, id="b", name="y", arguments="{}"),
        CallEndPart(index=1),
        FinishPart(reason="tool_calls"),
    ]


def item(what: str, arguments: str) -> dict[str, Any]:
    made = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "status", "arguments": arguments}
    return {"type": f"response.output_item.{what}", "output_index": 1, "item": made}


def test_responses_cites_the_id_of_the_call() -> None:
    events = [
        item("added", ""),
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{"},
        {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "}"},
        {"type": "response.function_call_arguments.done", "output_index": 1, "arguments": "{}"},
        item("done", "{}"),
        {"type": "response.completed", "response": {"usage": {"total_tokens": 3}}},
    ]
    assert lifted("openai-responses", *events) == [
        CallPart(index=1, id="call_1", name="status"),
        CallPart(index=1, arguments="{"),
        CallPart(index=1, arguments="}"),
        CallEndPart(index=1, arguments="{}"),
        CallEndPart(index=1, arguments="{}"),
        FinishPart(reason="tool_calls", raw="completed"),
        UsagePart(data={"total_tokens": 3}),
    ]


def test_responses_whose_item_comes_only_whole() -> None:
    assert lifted("openai-responses", item("done", "{}")) == [
        CallPart(index=1, id="call_1", name="status", arguments="{}"),
        CallEndPart(index=1, arguments="{}"),
    ]


def incomplete(reason: str) -> dict[str, Any]:
    return {"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}}


@pytest.mark.parametrize(
    ("event", "part"),
    [
        ({"type": "response.output_text.delta", "delta": "a"}, TextPart(text="a")),
        ({"type": "response.refusal.delta", "delta": "a"}, RefusalPart(text="a")),
        ({"type": "response.reasoning_summary_text.delta", "delta": "a"}, ReasoningPart(text="a")),
        ({"type": "response.completed", "response": {"output": []}}, FinishPart(reason="stop", raw="completed")),
        (
            {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "max_output_tokens"}}},
            FinishPart(reason="length", raw="max_output_tokens"),
        ),
        (
            {"type": "response.incomplete", "response": {"incomplete_details": {"reason": "content_filter"}}},
            FinishPart(reason="content_filter", raw="content_filter"),
        ),
        ({"type": "response.failed", "response": {"error": {"code": "server_error", "message": "sorry"}}}, ErrorPart(message="server_error: sorry")),
        ({"type": "error", "code": "rate_limit", "message": "wait"}, ErrorPart(message="rate_limit: wait")),
    ],
)
def test_responses_beside_the_calls(event: Any, part: ModelPart) -> None:
    assert lifted("openai-responses", event) == [part]


def block(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def delta(index: int, **delta: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": delta}


def test_anthropic() -> None:
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 5}}},
        block(0, type="thinking", thinking=""),
        delta(0, type="thinking_delta", thinking="hm"),
        delta(0, type="signature_delta", signature="xyz"),
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        block(1, type="text", text=""),
        delta(1, type="text_delta", text="Checking."),
        {"type": "content_block_stop", "index": 1},
        block(2, type="tool_use", id="toolu_1", name="status", input={}),
        delta(2, type="input_json_delta", partial_json=""),
        delta(2, type="input_json_delta", partial_json="{}"),
        {"type": "content_block_stop", "index": 2},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
    assert lifted("anthropic", *events) == [
        UsagePart(data={"input_tokens": 5}),
        ReasoningPart(text="hm"),
        TextPart(text="Checking."),
        CallPart(index=2, id="toolu_1", name="status"),
        CallPart(index=2, arguments="{}"),
        CallEndPart(index=2),
        FinishPart(reason="tool_calls", raw="tool_use"),
        UsagePart(data={"output_tokens": 9}),
    ]


def test_anthropic_leaves_out_what_the_service_runs_itself_and_notes_it() -> None:
    reader = lifter("anthropic")
    events = [
        block(0, type="server_tool_use", id="s", name="web_search"),
        delta(0, type="input_json_delta", partial_json="{}"),
        {"type": "content_block_stop", "index": 0},
    ]
    assert [part for event in events for part in reader.lift(event)] == []
    assert reader.notes == ["block_left_out:server_tool_use"]


def test_anthropic_with_the_input_at_the_start_and_other_ends() -> None:
    assert lifted("anthropic", block(0, type="tool_use", id="t", name="x", input={"a": 1})) == [CallPart(index=0, id="t", name="x", arguments={"a": 1})]
    for word, reason in {
        "max_tokens": "length",
        "model_context_window_exceeded": "length",
        "pause_turn": "unknown",
        "refusal": "refusal",
        "end_turn": "stop",
    }.items():
        (part,) = lifted("anthropic", {"type": "message_delta", "delta": {"stop_reason": word}})
        assert part.model_dump(include={"reason", "raw"}) == {"reason": reason, "raw": word}
    assert lifted("anthropic", {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}) == [
        ErrorPart(message="overloaded_error: Overloaded")
    ]


def candidate(*parts: Any, reason: str | None = None, **more: Any) -> dict[str, Any]:
    return {"candidates": [{"content": {"role": "model", "parts": list(parts)}, **({"finishReason": reason} if reason else {}), **more}]}


def test_gemini() -> None:
    events = [candidate({"text": "hm", "thought": True}, {"text": "Checking."}), candidate({"functionCall": {"name": "status"}}, reason="STOP")]
    assert lifted("gemini", *events) == [
        ReasoningPart(text="hm"),
        TextPart(text="Checking."),
        CallPart(name="status", arguments={}),
        CallEndPart(),
        FinishPart(reason="stop", raw="STOP"),
    ]


@pytest.mark.parametrize(
    ("event", "part"),
    [
        (candidate(reason="MALFORMED_FUNCTION_CALL", finishMessage="bad"), ErrorPart(message="MALFORMED_FUNCTION_CALL: bad")),
        (candidate(reason="UNEXPECTED_TOOL_CALL"), ErrorPart(message="UNEXPECTED_TOOL_CALL")),
        (candidate(reason="SAFETY"), FinishPart(reason="content_filter", raw="SAFETY")),
        (candidate(reason="MAX_TOKENS"), FinishPart(reason="length", raw="MAX_TOKENS")),
        (candidate(reason="OTHER"), FinishPart(reason="unknown", raw="OTHER")),
        ({"promptFeedback": {"blockReason": "SAFETY"}}, FinishPart(reason="content_filter", raw="SAFETY")),
        ({"error": {"code": 503, "message": "busy", "status": "UNAVAILABLE"}}, ErrorPart(message="503: busy")),
        ({"usageMetadata": {"totalTokenCount": 3}}, UsagePart(data={"totalTokenCount": 3})),
    ],
)
def test_gemini_beside_the_calls(event: Any, part: ModelPart) -> None:
    assert lifted("gemini", event) == [part]


def by_path(more: bool, *arguments: Any, name: str | None = None) -> dict[str, Any]:
    return candidate({"functionCall": {**({"name": name} if name else {}), "partialArgs": list(arguments), **({"willContinue": True} if more else {})}})


def test_gemini_arguments_that_come_by_path_are_held_back_until_the_call_is_complete() -> None:
    events = [
        candidate({"functionCall": {"name": "write", "willContinue": True}}),
        by_path(True, {"jsonPath": "$.city", "stringValue": "Os", "willContinue": True}),
        by_path(True, {"jsonPath": "$.city", "stringValue": "lo"}),
        candidate({"functionCall": {}}),
        candidate(reason="STOP"),
    ]
    assert lifted("gemini", *events) == [
        CallPart(name="write"),
        CallPart(arguments={"city": "Oslo"}),
        CallEndPart(),
        FinishPart(reason="stop", raw="STOP"),
    ]


def test_gemini_arguments_of_a_call_that_never_ends_stay_open() -> None:
    reader = lifter("gemini")
    events = [by_path(True, {"jsonPath": "$.city", "stringValue": "Oslo"}, name="write"), candidate(reason="STOP")]
    assert [part for event in events for part in reader.lift(event)] == [
        CallPart(name="write"),
        CallPart(arguments='{"city":"Oslo"'),
        FinishPart(reason="stop", raw="STOP"),
    ]
    assert reader.notes == ["call_never_ended"]
    assert lifted("gemini", events[0])[-1] == CallPart(arguments='{"city":"Oslo"')


def test_cohere() -> None:
    events = [
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "hm"}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": {"id": "a", "function": {"name": "status", "arguments": ""}}}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL"}},
    ]
    assert lifted("cohere", *events) == [
        ReasoningPart(text="hm"),
        CallPart(index=0, id="a", name="status", arguments=""),
        CallPart(index=0, arguments="{}"),
        CallEndPart(index=0),
        FinishPart(reason="tool_calls", raw="TOOL_CALL"),
    ]


def test_each_part_knows_its_event() -> None:
    assert [(item.event_index, item.part.kind) for item in lift_events([chat({}), chat({"content": "a"}), chat({"content": "b"}, "stop")], "openai-chat")] == [
        (1, "text"),
        (2, "text"),
        (2, "finish"),
    ]


@pytest.mark.parametrize("dialect", LIFTED)
@settings(derandomize=True, max_examples=200, deadline=None)
@given(events=st.lists(EVENTS, max_size=5))
def test_whatever_was_recorded_is_lifted_or_left_out(dialect: str, events: list[Any]) -> None:
    for part in lift_parts(events, dialect):
        assert part.kind
