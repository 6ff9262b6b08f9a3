"""Answers as providers stream them, event by event: some prose, and a call of the tool for Oslo."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.transports.made import W

OSLO = '{"city": "Oslo"}'
PIECES = ('{"city": ', '"Os', 'lo"}')


def chat(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


def chat_events(name: str = W) -> list[Any]:
    start = {
        "role": "assistant",
        "content": "Checking.",
        "tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}],
    }
    pieces = [chat({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]}) for piece in PIECES]
    usage = {**chat({}), "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}}
    return [chat({"reasoning_content": "hm"}), chat(start), *pieces, chat({}, "tool_calls"), usage, "data: [DONE]\n\n"]


def responses_events(name: str = W) -> list[Any]:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": name, "arguments": "", "status": "in_progress"}
    whole = {**item, "arguments": OSLO, "status": "completed"}
    response = {"id": "r", "object": "response", "status": "completed", "output": [whole], "usage": {"total_tokens": 3}}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": []}},
        {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "Checking."},
        {"type": "response.output_item.added", "output_index": 1, "item": item},
        *({"type": "response.function_call_arguments.delta", "item_id": "fc_1", "output_index": 1, "delta": piece} for piece in PIECES),
        {"type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 1, "arguments": OSLO},
        {"type": "response.output_item.done", "output_index": 1, "item": whole},
        {"type": "response.completed", "response": response},
    ]
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def message_events(name: str = W) -> list[Any]:
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}
    pieces = [{"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": piece}} for piece in ("", *PIECES)]
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Checking."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "call_1", "name": name, "input": {}}},
        *pieces,
        {"type": "content_block_stop", "index": 1},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]


EVENTS: dict[str, Callable[..., list[Any]]] = {"chat": chat_events, "responses": responses_events, "anthropic": message_events}


def text_events(api: str, text: str) -> list[Any]:
    """Return an answer of plain text."""
    if api == "chat":
        return [chat({"role": "assistant", "content": text}), chat({}, "stop"), "data: [DONE]\n\n"]
    if api == "responses":
        response = {"id": "r", "object": "response", "status": "completed", "output": [], "usage": {"total_tokens": 3}}
        delta = {"type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": text, "sequence_number": 0}
        return [delta, {"type": "response.completed", "response": response, "sequence_number": 1}]
    message = {"id": "m", "type": "message", "role": "assistant", "content": [], "model": "m", "usage": {"input_tokens": 1, "output_tokens": 1}}
    return [
        {"type": "message_start", "message": {**message, "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": {"output_tokens": 9}},
        {"type": "message_stop"},
    ]
