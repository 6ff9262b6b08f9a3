"""Five answers of models, as they were streamed: one chooses well, and each of the others goes wrong in its own way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from data.make.chat import Record

GOOD = '{"order_id": "#L10482", "amount": 89.90, "method": "credit_card"}'
COMMA = '{"order_id": "#L10482", "amount": 89,90, "method": "credit_card"}'
"""A price as Germans write it: after the comma JSON wants a name."""
PIECE = 6
"""Characters of one piece."""


def write(folder: Path, *, rehearse: bool = False) -> None:
    """Write the streams; there is nothing to rehearse in them."""
    for name, header, events in _streams():
        lines = [{"v": 1, **header}, *({"seq": at, "raw": event} for at, event in enumerate(events))]
        folder.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{json.dumps(line, ensure_ascii=False, separators=(',', ':'))}\n" for line in lines)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8", newline="\n")


def _streams() -> Iterator[tuple[str, Record, Iterable[Record]]]:
    yield "chosen-well", _header("openai-chat", "settle", "native", "nothing is wrong"), _chat_call("refund", GOOD, "tool_calls")
    yield "cut", _header("openai-chat", "settle", "native", "the connection ended in the middle"), _chat_call("refund", GOOD[:38], None)
    yield "decimal-comma", _header("anthropic", "settle", "native", "the arguments are no JSON"), _messages_call("refund", COMMA)
    yield "too-early", _header("openai-chat", "look-up", "native", "the stage does not offer the tool"), _chat_call("refund", GOOD, "tool_calls")
    said = f'{{"tool": "refund", "input": {GOOD}}}'
    yield "as-text", _header("openai-chat", "settle", "json", "the choice is text, as it was asked for"), _chat_text(said)


def _header(dialect: str, stage: str, adapter: str, note: str) -> Record:
    return {"dialect": dialect, "transport": "lamp-shop", "stage": stage, "adapter": adapter, "note": note}


def _chat_call(name: str, arguments: str, finish: str | None) -> Iterator[Record]:
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}
    yield _chunk({"role": "assistant", "content": None, "tool_calls": [first]})
    for piece in _pieces(arguments):
        yield _chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
    if finish is not None:
        yield _chunk({}, finish)


def _chat_text(text: str) -> Iterator[Record]:
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(text):
        yield _chunk({"content": piece})
    yield _chunk({}, "stop")


def _chunk(delta: Record, finish: str | None = None) -> Record:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_788_539_400, "model": "invented-model-1", "choices": [choice]}


def _messages_call(name: str, arguments: str) -> Iterator[Record]:
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "invented-model-2", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, "usage": {"input_tokens": 412, "output_tokens": 1}}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "tool_use", "id": "toolu_1", "name": name, "input": {}}}
    for piece in _pieces(arguments):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 41}}
    yield {"type": "message_stop"}


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
