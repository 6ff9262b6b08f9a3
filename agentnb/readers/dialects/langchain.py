"""One message of LangChain, in any of its four serialisations: what it says, which tools it asks for, and what it cost.

Flat as in a LangGraph state (`{type: "ai", content, tool_calls}`), wrapped by `messages_to_dict` (`{type, data}`), wrapped by `dumpd`
(`{lc: 1, type: "constructor", id, kwargs}`), or as the text of `repr`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from agentnb.readers._fields import count_in, dict_of, extra_of, list_of, object_of, read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers._reprs import parse_fields, parse_repr
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects import chat

ROLES = {"human": "user", "ai": "assistant", "tool": "tool", "function": "tool", "system": "system", "developer": "system", "remove": "system"}
"""Types of messages, and their roles here; a `chat` message names its role itself."""

_CLASSES = {"human", "ai", "tool", "function", "system", "chat", "remove"}
_CHAT_ROLES = chat.ROLES | {"human": "user", "ai": "assistant", "model": "assistant"}
_OWN_FIELDS = frozenset({"additional_kwargs", "response_metadata", "tool_calls", "tool_call_id", "usage_metadata", "invalid_tool_calls", "example", "artifact"})
_READ = frozenset(
    {"type", "role", "content", "id", "tool_calls", "invalid_tool_calls", "tool_call_chunks", "tool_call_id", "usage_metadata", "response_metadata"}
    | {"additional_kwargs", "name", "example", "lc_direct_tool_output", "chunk_position", "is_chunk"}
)
_READ_METADATA = frozenset({"finish_reason", "stop_reason", "done_reason", "model_name", "model", "token_usage", "tokenUsage", "usage"})
_READ_EXTRAS = frozenset({"tool_calls", "function_call", "reasoning_content", "refusal"})
_CALL_BLOCKS = frozenset({"tool_use", "tool_call", "function_call", "tool_call_chunk", "input_json_delta", "invalid_tool_call"})
_HOSTED_CALLS = frozenset({"server_tool_use", "server_tool_call", "mcp_tool_use"})


def is_message(value: Any) -> bool:
    """Tell whether a value is a message of LangChain, in any serialisation that is an object."""
    return fields_of(value) is not None


def is_message_list(values: Any) -> bool:
    """Tell whether most of a list are messages of LangChain, and one of them cannot be anything else."""
    if not isinstance(values, list):
        return False
    known = [value for value in values[:50] if is_message(value)]
    return len(known) * 2 > len(values[:50]) and any(map(_is_certain, known))


def messages_in_text(text: str) -> list[dict[str, Any]] | None:
    """Return the messages of a text that `repr` or `str` wrote of one, of a list of them, or of a state with `messages`; None when it is something else."""
    value = parse_repr(text) or (parse_fields(text) if text.startswith("content=") else None)
    if isinstance(value, dict) and isinstance(value.get("messages"), list):
        value = value["messages"]
    if isinstance(value, dict) and "additional_kwargs" in value:
        value = [{"type": "ai" if "tool_calls" in value or "usage_metadata" in value else "tool" if "tool_call_id" in value else "human"} | value]
    values: list[Any] = value if isinstance(value, list) else [value]
    return values if values and all(map(is_message, values)) else None


def fields_of(value: Any) -> dict[str, Any] | None:
    """Return the fields of a message, with its `type`, whatever it is wrapped in; None when it is none."""
    if not isinstance(value, dict):
        return None
    if value.get("lc") == 1 and isinstance(value.get("kwargs"), dict):
        name = _class_name(value.get("id"))
        return None if name is None else {**value["kwargs"], "type": name, "is_chunk": value["id"][-1].endswith("Chunk")}
    kind = _type_of(value.get("type"))
    data = value.get("data")
    if kind is not None and isinstance(data, dict) and "content" in data:
        return {**data, "type": kind}
    if kind is None or "content" not in value:
        return None
    return {**value, "type": kind, "is_chunk": value.get("is_chunk") is True or value["type"].endswith("Chunk")}


def id_of(value: Any) -> str | None:
    """Return the id of a message."""
    fields = fields_of(value)
    found = fields.get("id") if fields is not None else None
    return found if isinstance(found, str) and found else None


def said_of_message(value: Any, place: int) -> Said:
    """Say a message in no format's terms; results of tools that the service ran itself are in `hosted_results`.

    Args:
        value: one of which `is_message` is true.
        place: its place in the recording, from 1.
    """
    message = fields_of(value) or {"type": "human", "content": value}
    role = _role_of(message)
    metadata, extras = dict_of(message.get("response_metadata")), dict_of(message.get("additional_kwargs"))
    asked = _asked(message, extras) if role == "assistant" else ()
    rest = _unread(message, metadata, extras, role, asked)
    time = read_time(metadata.get("created_at") or extras.get("timestamp"))
    return Said(
        role,
        place,
        pieces=_pieces(message, extras),
        asked=asked,
        result_of=text_of(message.get("tool_call_id")) or None,
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(metadata.get("model_name") or metadata.get("model")),
        usage=_usage(message, metadata),
        finish_reason=text_of(metadata.get("finish_reason") or metadata.get("stop_reason") or metadata.get("done_reason")),
        failed=True if role == "tool" and message.get("status") == "error" else None,
        id=id_of(value),
        injected=message["type"] == "remove",
        extra=extra_of(rest, ()),
        result_name=(text_of(message.get("name")) or None) if role == "tool" else None,
    )


def hosted_results(value: Any, place: int) -> tuple[Said, ...]:
    """Say the results of the tools that the service ran itself, which stand as blocks in its reply."""
    message = fields_of(value) or {}
    return tuple(_hosted_result(block, place) for block in _blocks(message) if _is_hosted_result(block))


def said_in(values: Iterable[Any], place: int | None = None) -> tuple[Said, ...]:
    """Say messages of a list, placed by their number in it or all at one place; what is no message is left out."""
    return tuple(_said_in(values, place))


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage_metadata` object tells."""
    if not isinstance(usage, dict):
        return {}
    sent, received = dict_of(usage.get("input_token_details")), dict_of(usage.get("output_token_details"))
    found = {
        "input_tokens": count_in(usage.get("input_tokens")),
        "output_tokens": count_in(usage.get("output_tokens")),
        "cached_tokens": count_in(sent.get("cache_read")),
        "cache_write_tokens": count_in(sent.get("cache_creation")),
        "reasoning_tokens": count_in(received.get("reasoning")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _said_in(values: Iterable[Any], place: int | None) -> Iterator[Said]:
    for number, value in enumerate(values, 1):
        if is_message(value):
            yield said_of_message(value, place or number)
            yield from hosted_results(value, place or number)


def is_told(value: Any) -> bool:
    """Tell whether a field says anything: null, false and what is empty only fill the place."""
    return value is not None and value is not False and (bool(value) or not isinstance(value, str | list | dict))


def _is_certain(value: dict[str, Any]) -> bool:
    return value.get("lc") == 1 or isinstance(value.get("data"), dict) or value.get("type") in ("human", "ai") or not _OWN_FIELDS.isdisjoint(value)


def _class_name(id: Any) -> str | None:
    name = id[-1] if isinstance(id, list) and id else None
    kind = name.removesuffix("Chunk").removesuffix("Message").lower() if isinstance(name, str) and "Message" in name else None
    return kind if kind in _CLASSES else None


def _type_of(kind: Any) -> str | None:
    if not isinstance(kind, str):
        return None
    return kind if kind in ROLES or kind == "chat" else _class_name([kind])


def _role_of(message: dict[str, Any]) -> str:
    if message["type"] == "chat":
        return _CHAT_ROLES.get(str(message.get("role")), "user")
    return ROLES[message["type"]]


def _asked(message: dict[str, Any], extras: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the calls: read, unreadable, in blocks of the content that no other list repeats, else as the service wrote them, else in pieces."""
    listed = [_call(call) for call in list_of(message.get("tool_calls"))]
    listed += [_call(call, invalid=True) for call in list_of(message.get("invalid_tool_calls"))]
    known = {asked.tool_call_id for asked in listed}
    blocks = [block for block in _blocks(message) if isinstance(block, dict)]
    hosted = [_call(block) for block in blocks if block.get("type") in _HOSTED_CALLS]
    if listed:
        return (*listed, *hosted)
    in_blocks = [_call(block) for block in blocks if block.get("type") in _CALL_BLOCKS and block.get("name")]
    in_blocks = [asked for asked in in_blocks if asked.tool_call_id not in known]
    old = chat.asked_in(extras)
    pieces = [_call(call) for call in list_of(message.get("tool_call_chunks"))]
    return (*(in_blocks or old or pieces), *hosted)


def _call(call: Any, *, invalid: bool = False) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    named = next((name for name in ("args", "input", "arguments") if call.get(name) is not None), "args")
    rest = {name: value for name, value in call.items() if name not in ("id", "call_id", "name", "index", named) and is_told(value)}
    if rest.get("type") in _CALL_BLOCKS:
        rest.pop("type")
    if invalid:
        rest = {"invalid": True} | rest
    arguments = read_arguments(call.get(named))
    id = text_of(call.get("call_id") or call.get("id")) or None
    return Asked(id, text_of(call.get("name")) or "", arguments.text, extra_of(rest, ()), arguments.oddities)


def _blocks(message: dict[str, Any]) -> list[Any]:
    content = message.get("content")
    if isinstance(content, list):
        return content
    return [] if content is None or content == "" else [content]


def _pieces(message: dict[str, Any], extras: dict[str, Any]) -> tuple[Piece, ...]:
    thought, refusal = extras.get("reasoning_content"), extras.get("refusal")
    thoughts = [Piece("reasoning", thought)] if isinstance(thought, str) and thought else []
    thoughts += [] if thoughts else _summaries(extras.get("reasoning"))
    said = [piece for block in _blocks(message) if not _stands_elsewhere(block) for piece in _pieces_of(block)]
    if not said and message.get("content") == "" and message["type"] not in ("ai", "chat"):
        said = [Piece("text", "")]
    return (*thoughts, *said, *([Piece("text", refusal)] if isinstance(refusal, str) and refusal else []))


def _stands_elsewhere(block: Any) -> bool:
    """Tell whether a block is a call, or the result of one that the service ran itself."""
    if not isinstance(block, dict):
        return False
    kind = block.get("type")
    return isinstance(kind, str) and (kind in _CALL_BLOCKS or kind in _HOSTED_CALLS or _is_hosted_result(block))


def _is_hosted_result(block: Any) -> bool:
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and kind.endswith("_tool_result") and isinstance(block.get("tool_use_id") or block.get("tool_call_id"), str)


def _hosted_result(block: dict[str, Any], place: int) -> Said:
    content = next((block[name] for name in ("content", "output") if block.get(name) is not None), None)
    text = content if isinstance(content, str) else to_json(content) if content is not None else None
    named = block.get("tool_use_id") or block.get("tool_call_id")
    failed = True if block.get("is_error") is True or block.get("status") == "error" else None
    pieces = (Piece("text", text),) if text is not None else ()
    return Said("tool", place, pieces, result_of=text_of(named), failed=failed, same_step=True, records=0)


def _pieces_of(block: Any) -> list[Piece]:
    if isinstance(block, str):
        return [Piece("text", block)]
    if not isinstance(block, dict):
        return [Piece("other", None, extra=object_of(block))]
    kind = block.get("type")
    if kind in ("reasoning", "thinking"):
        return _thoughts(block)
    if kind in ("text", "output_text") and isinstance(block.get("text"), str):
        return [Piece("text", block["text"], extra=_rest(block, "text", "index", "id"))]
    if kind in ("image_url", "image"):
        return [_image(block)]
    return [Piece("other", text_of(kind), extra=to_json(block))]


def _thoughts(block: dict[str, Any]) -> list[Piece]:
    text = next((block[name] for name in ("reasoning", "thinking", "text") if isinstance(block.get(name), str)), None)
    summaries = _summaries(block)
    if text is None and summaries:
        return [summaries[0]._replace(extra=_rest(block, "summary", "index")), *summaries[1:]]
    # A block without a text holds only what the service can read: it is kept, but says nothing.
    return [Piece("reasoning", text, extra=_rest(block, "reasoning", "thinking", "text", "index", "summary"))]


def _summaries(reasoning: Any) -> list[Piece]:
    parts = list_of(dict_of(reasoning).get("summary"))
    return [Piece("reasoning", part["text"]) for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str) and part["text"]]


def _image(block: dict[str, Any]) -> Piece:
    source = dict_of(block.get("source"))
    given = block.get("image_url")
    url = given.get("url") if isinstance(given, dict) else given
    data = url or block.get("url") or block.get("base64") or block.get("data") or source.get("url") or source.get("data")
    text = text_of(data)
    mime = block.get("mime_type") or source.get("media_type")
    if mime is None and text is not None and text.startswith("data:"):
        mime = text[5:].replace(",", ";").split(";")[0]
    return Piece("image", text, text_of(mime), _rest(block, "image_url", "url", "base64", "data", "source", "mime_type", "source_type", "index"))


def _rest(block: dict[str, Any], *read: str) -> str | None:
    rest = {name: value for name, value in block.items() if name not in ("type", *read) and is_told(value)}
    return extra_of(rest, ())


def _usage(message: dict[str, Any], metadata: dict[str, Any]) -> dict[str, Any]:
    found = usage_in(message.get("usage_metadata"))
    for name in ("token_usage", "usage", "tokenUsage"):
        if not found and isinstance(metadata.get(name), dict):
            old = metadata[name]
            camel = {"prompt_tokens": old.get("promptTokens"), "completion_tokens": old.get("completionTokens")} if "promptTokens" in old else {}
            found = chat.usage_in(old | camel)
    return found


def _unread(message: dict[str, Any], metadata: dict[str, Any], extras: dict[str, Any], role: str, asked: tuple[Asked, ...]) -> dict[str, Any]:
    read = set(_READ) | ({"status"} if role == "tool" else set())
    rest = {name: value for name, value in message.items() if name not in read and is_told(value)}
    named = message.get("name")
    if named and role != "tool":
        rest["agent" if role == "assistant" else "name"] = named
    told = {name: value for name, value in metadata.items() if name not in _READ_METADATA and is_told(value)}
    if told:
        rest["response_metadata"] = told
    kept = {name: value for name, value in extras.items() if name not in _READ_EXTRAS and is_told(value)}
    repeated = {text_of(dict_of(call).get("id")) for call in list_of(extras.get("tool_calls"))}
    if not repeated <= {call.tool_call_id for call in asked}:
        kept["tool_calls"] = extras["tool_calls"]
    return rest | ({"additional_kwargs": kept} if kept else {})
