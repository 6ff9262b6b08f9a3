"""Messages of LangChain that were streamed in pieces: what does each say as a whole?"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentnb.readers._fields import dict_of, list_of
from agentnb.readers.dialects.langchain import fields_of, id_of, is_told


def joined_chunks(chunks: Iterable[Any]) -> list[dict[str, Any]]:
    """Join the pieces of streamed messages by their ids: texts and arguments are put together, in the order in which each message began."""
    whole: dict[str, dict[str, Any]] = {}
    for place, chunk in enumerate(chunks):
        fields = fields_of(chunk)
        if fields is None:
            continue
        key = id_of(chunk) or f"#{place}"
        if key in whole and fields.get("is_chunk"):
            whole[key] = _joined(whole[key], fields)
        else:
            whole[key] = fields
    return list(whole.values())


def _joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    both = first | {name: value for name, value in second.items() if is_told(value)}
    both["is_chunk"] = True
    both["content"] = _joined_content(first.get("content"), second.get("content"))
    both["tool_call_chunks"] = _joined_calls(list_of(first.get("tool_call_chunks")), list_of(second.get("tool_call_chunks")))
    # A whole message comes with calls that were read; the calls of a piece are made of what it has so far.
    both["tool_calls"] = [] if both["tool_call_chunks"] else list_of(first.get("tool_calls")) + list_of(second.get("tool_calls"))
    both["invalid_tool_calls"] = [] if both["tool_call_chunks"] else list_of(first.get("invalid_tool_calls")) + list_of(second.get("invalid_tool_calls"))
    for name in ("additional_kwargs", "response_metadata"):
        both[name] = _joined_texts(dict_of(first.get(name)), dict_of(second.get(name)), growing=("reasoning_content",))
    both["usage_metadata"] = _added(dict_of(first.get("usage_metadata")), dict_of(second.get("usage_metadata")))
    return both


def _added(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Add the usage of two pieces: a service that tells what it read with the first piece tells what it wrote with the last."""
    both = first | second
    for name in first.keys() & second.keys():
        one, other = first[name], second[name]
        if isinstance(one, dict) and isinstance(other, dict):
            both[name] = _added(one, other)
        elif type(one) is int and type(other) is int:
            both[name] = one + other
    return both


def _joined_texts(first: dict[str, Any], second: dict[str, Any], growing: tuple[str, ...]) -> dict[str, Any]:
    both = first | {name: value for name, value in second.items() if is_told(value)}
    for name in growing:
        if isinstance(first.get(name), str) and isinstance(second.get(name), str):
            both[name] = first[name] + second[name]
    return both


def _joined_content(first: Any, second: Any) -> Any:
    if isinstance(first, str) and isinstance(second, str):
        return first + second
    blocks = [*(first if isinstance(first, list) else [first] if first else [])]
    for block in second if isinstance(second, list) else [second] if second else []:
        same = next((place for place, known in enumerate(blocks) if _is_same_block(known, block)), None)
        if same is None:
            blocks.append(block)
        else:
            blocks[same] = _joined_texts(blocks[same], block, growing=("text", "thinking", "reasoning", "partial_json", "signature"))
    return blocks


def _is_same_block(known: Any, block: Any) -> bool:
    both = isinstance(known, dict) and isinstance(block, dict)
    return both and block.get("index") is not None and known.get("index") == block.get("index") and known.get("type") == block.get("type")


def _joined_calls(first: list[Any], second: list[Any]) -> list[Any]:
    calls = [call for call in first if isinstance(call, dict)]
    for piece in second:
        if not isinstance(piece, dict):
            continue
        same = next((place for place, call in enumerate(calls) if _continues(call, piece)), None)
        if same is None:
            calls.append(piece)
            continue
        call = calls[same]
        args = f"{call.get('args') or ''}{piece.get('args') or ''}" if isinstance(piece.get("args"), str | None) else piece["args"]
        calls[same] = call | {name: value for name, value in piece.items() if is_told(value)} | {"args": args}
    return calls


def _continues(call: dict[str, Any], piece: dict[str, Any]) -> bool:
    """Tell whether a piece belongs to a call: the same place in the message, and no other id."""
    same_id = piece.get("id") in (None, "", call.get("id"))
    return same_id and piece.get("index") == call.get("index")
