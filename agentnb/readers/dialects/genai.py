"""Messages as OpenTelemetry records them: `{role, parts: [{type: "tool_call"…}]}`, the older events, and keys that were flattened with their index.

`said_of_message` says a message with parts, or with content blocks of Bedrock's Converse. What is told by events (`gen_ai.user.message`, `gen_ai.choice`) or
by flattened keys (`gen_ai.prompt.0.role`, `llm.input_messages.0.message.role`) becomes such messages first; one whose content is of another dialect stays
`{role, content}` for the reader of that dialect.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from agentnb.readers._fields import as_extra, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._reprs import parse_repr
from agentnb.readers.builders.message_list import Asked, Piece, Said

ROLES = {
    "system": "system", "developer": "system", "user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "model": "assistant",
    "tool": "tool", "function": "tool", "tool-call": "assistant", "tool-response": "tool",
}  # fmt: skip
"""Roles as instrumentations write them, and what they are here."""

EVENT_ROLES = {
    "gen_ai.system.message": "system", "gen_ai.user.message": "user", "gen_ai.assistant.message": "assistant", "gen_ai.tool.message": "tool",
    "gen_ai.choice": "assistant",
}  # fmt: skip
"""Names of events that hold a message, and its role."""

_CALLS = frozenset({"tool_call", "server_tool_call", "function_call"})
_RESULTS = frozenset({"tool_call_response", "server_tool_call_response", "tool_response"})
_CONVERSE = frozenset({"text", "toolUse", "toolResult", "reasoningContent", "image", "document", "video", "cachePoint", "guardContent", "citationsContent"})
_CALL_IN_WORDS = re.compile(r"ResponseFunctionToolCall\(")


class Told(NamedTuple):
    """Messages that a span tells."""

    heard: list[dict[str, Any]]
    replied: list[dict[str, Any]]


def is_message(item: Any) -> bool:
    """Tell whether a value is a message with parts that name their type, or with content blocks of Converse."""
    if not isinstance(item, dict) or not isinstance(item.get("role"), str):
        return False
    parts = item.get("parts")
    if isinstance(parts, list) and "content" not in item:
        return all(isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("type"), str)) for part in parts)
    return are_blocks(item.get("content"))


def is_message_list(values: Any) -> bool:
    """Tell whether all of a list are such messages."""
    return isinstance(values, list) and bool(values) and all(map(is_message, values[:50]))


def said_of_message(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message in no format's terms; results of tools that stand in it are messages of their own, before a person's words and after the model's.

    Args:
        message: one of which `is_message` is true.
        place: its place in the recording, from 1.
    """
    role = ROLES.get(message["role"], "user")
    parts = message["parts"] if isinstance(message.get("parts"), list) else _parts_of_blocks(message.get("content"))
    items = [_item(part, place) for part in parts]
    results = [item for item in items if isinstance(item, Said)]
    rest = rest_of(message, ("role", "parts", "content", "finish_reason", "name"))
    if message["role"] not in ROLES:
        rest["role"] = message["role"]
    said = Said(
        role,
        place,
        tuple(item for item in items if isinstance(item, Piece)),
        tuple(item for item in items if isinstance(item, Asked)),
        finish_reason=text_of(message.get("finish_reason")) or None,
        extra=as_extra(rest),
    )
    if role == "assistant":
        return [said, *(result._replace(same_step=True, records=0) for result in results)]
    if role == "tool" and said.pieces:
        results.append(said)
    words = [said] if role != "tool" and (said.pieces or not results) else []
    return [item._replace(records=0) if place else item for place, item in enumerate([*results, *words])] or [said]


def messages_of_events(events: Iterable[tuple[str, Mapping[str, Any]]]) -> Told:
    """Make messages of events, each with its name and what it holds, attributes or body."""
    told = Told([], [])
    for name, held in events:
        role = EVENT_ROLES.get(name)
        if role is None:
            continue
        inner = _parsed(held.get("message"))
        message = {**held, **inner} if isinstance(inner, dict) else {**held, "content": inner} if inner is not None else dict(held)
        calls = _parsed(message.get("tool_calls"))
        made = _message(role, message.get("content"), calls if isinstance(calls, list) else [], message.get("id") or message.get("tool_call_id"))
        if message.get("finish_reason") is not None:
            made["finish_reason"] = message["finish_reason"]
        (told.replied if name == "gen_ai.choice" else told.heard).append(made)
        results = _parsed(message.get("tool.result"))
        if isinstance(results, list) and are_blocks(results):
            told.heard.append({"role": "tool", "content": results})
    return told


def messages_of_keys(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Make messages of keys such as `gen_ai.prompt.0.role` or `llm.input_messages.0.message.content`.

    Args:
        attributes: of a span.
        prefix: what stands before the number, without the dot.
    """
    found = unflattened(attributes, prefix)
    listed = [item.get("message") if isinstance(item, dict) and isinstance(item.get("message"), dict) else item for item in _items(found)]
    return [_announced(_flat_message(item)) for item in listed if isinstance(item, dict)]


def unflattened(attributes: Mapping[str, Any], prefix: str) -> Any:
    """Return what keys below a prefix hold: numbers among them are places in a list, in the order of the numbers, of which some may be missing."""
    tree: dict[str, Any] = {}
    for name, value in attributes.items():
        if not isinstance(name, str) or not name.startswith(prefix + "."):
            continue
        node = tree
        *above, last = name[len(prefix) + 1 :].split(".")
        for key in above:
            inner = node.setdefault(key, {})
            if not isinstance(inner, dict):
                inner = node[key] = {"": inner}
            node = inner
        node[last] = value
    return tree


def _items(tree: Any) -> list[Any]:
    """Return what stands under numbers, in their order."""
    if isinstance(tree, list):
        return tree
    if not isinstance(tree, dict):
        return []
    return [tree[key] for key in sorted((key for key in tree if key.isdecimal()), key=int)]


def _flat_message(item: dict[str, Any]) -> dict[str, Any]:
    role = text_of(item.get("role")) or "user"
    calls = [call.get("tool_call") if isinstance(call, dict) and isinstance(call.get("tool_call"), dict) else call for call in _items(item.get("tool_calls"))]
    if isinstance(item.get("function_call_name"), str):
        calls.append({"name": item["function_call_name"], "arguments": item.get("function_call_arguments_json")})
    contents = [piece.get("message_content") if isinstance(piece, dict) else piece for piece in _items(item.get("contents"))]
    if contents and all(isinstance(piece, dict) for piece in contents):
        content: Any = [_flat_piece(piece) for piece in contents if piece is not None]
        made = {"role": role, "parts": [*content, *map(_call_part, calls)]}
        if ROLES.get(role) == "tool":
            made = _message(role, "".join(str(piece.get("content") or "") for piece in content), [], item.get("tool_call_id"))
    else:
        made = _message(role, _flat_content(item.get("content")), calls, item.get("tool_call_id"))
    if item.get("finish_reason") is not None:
        made["finish_reason"] = item["finish_reason"]
    return made


def _flat_content(content: Any) -> Any:
    """Return content whose texts stand under numbers, `message.content.0`, as parts."""
    if not isinstance(content, dict) or not content or not all(isinstance(key, str) and key.isdecimal() for key in content):
        return content
    return [{"type": "text", "content": item} if isinstance(item, str) else item for item in _items(content)]


def _flat_piece(piece: dict[str, Any]) -> dict[str, Any]:
    image = piece.get("image")
    if isinstance(image, dict):
        inner = image.get("image")
        return {"type": "uri", "modality": "image", "uri": text_of((inner if isinstance(inner, dict) else image).get("url"))}
    kind = text_of(piece.get("type")) or "text"
    return {"type": kind, "content": piece.get("text")} if isinstance(piece.get("text"), str) else {**piece, "type": kind}


def _message(role: str, content: Any, calls: list[Any], tool_call_id: Any) -> dict[str, Any]:
    """Make a message with parts; content that is of another dialect is left to its reader."""
    known = _parsed(content)
    if not isinstance(known, list) or not known or not all(isinstance(block, dict) for block in known):
        known = content
    if ROLES.get(role) == "tool" and not are_blocks(known):
        return {"role": "tool", "parts": [{"type": "tool_call_response", "id": tool_call_id, "response": content}]}
    made = [_call_part(call) for call in calls]
    if are_blocks(known):
        return {"role": role, "parts": [*_parts_of_blocks(known), *made]}
    if isinstance(known, list) and known and not all(isinstance(block, dict) and block.get("type") == "text" and "content" in block for block in known):
        return {"role": role, "content": known, **({"tool_calls": calls} if calls else {})}
    texts = known if isinstance(known, list) else [{"type": "text", "content": known}] if known not in (None, "") else []
    return {"role": role, "parts": [*texts, *made]}


def _call_part(call: Any) -> dict[str, Any]:
    if not isinstance(call, dict):
        return {"type": "tool_call", "name": "", "arguments": call}
    named = call.get("function")
    function = named if isinstance(named, dict) else call
    return {"type": "tool_call", "id": call.get("id"), "name": function.get("name"), "arguments": function.get("arguments")}


def are_blocks(content: Any) -> bool:
    """Tell whether content is blocks of Converse: objects with one key that says what they are, and no type."""
    if not isinstance(content, list) or not content:
        return False
    return all(isinstance(block, dict) and "type" not in block and not _CONVERSE.isdisjoint(block) for block in content)


def role_of_blocks(blocks: list[Any]) -> str | None:
    """Tell who says blocks of Converse, where their kinds tell it: calls and thoughts are the model's, results the tools'."""
    kinds = {name for block in blocks for name in block}
    return "assistant" if kinds & {"toolUse", "reasoningContent"} else "tool" if "toolResult" in kinds else None


def text_of_blocks(blocks: list[Any]) -> str | None:
    """Return the text of blocks of Converse that are nothing but texts, else all of them as JSON."""
    return text_of(_shown(blocks))


def _parts_of_blocks(content: Any) -> list[Any]:
    return [_part_of_block(block) if isinstance(block, dict) else block for block in content] if isinstance(content, list) else []


def _part_of_block(block: dict[str, Any]) -> dict[str, Any]:
    use, result, thought = block.get("toolUse"), block.get("toolResult"), block.get("reasoningContent")
    if isinstance(use, dict):
        return {"type": "tool_call", "id": use.get("toolUseId"), "name": use.get("name"), "arguments": use.get("input")}
    if isinstance(result, dict):
        return {"type": "tool_call_response", "id": result.get("toolUseId"), "response": _shown(result.get("content")), "status": result.get("status")}
    if isinstance(thought, dict):
        text = thought.get("reasoningText")
        words = text.get("text") if isinstance(text, dict) else text
        return {"type": "reasoning", "content": words, **{name: value for name, value in thought.items() if name != "reasoningText"}}
    if isinstance(block.get("text"), str):
        return {"type": "text", "content": block["text"]}
    return _image_of_block(block.get("image")) or {"type": next(iter(block), "other"), **block}


def _image_of_block(image: Any) -> dict[str, Any] | None:
    source = image.get("source") if isinstance(image, dict) else None
    data = source.get("bytes") if isinstance(source, dict) else None
    if not isinstance(data, str) or not isinstance(image.get("format"), str):
        return None
    return {"type": "image", "mime_type": f"image/{image['format'].removeprefix('image/')}", "content": data}


def _shown(content: Any) -> Any:
    if isinstance(content, list) and all(isinstance(block, dict) and isinstance(block.get("text"), str) for block in content):
        return "\n".join(block["text"] for block in content)
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict) and set(content[0]) == {"json"}:
        return content[0]["json"]
    return content


def _item(part: Any, place: int) -> Piece | Asked | Said:
    if isinstance(part, str):
        return Piece("text", part)
    kind = part.get("type") if isinstance(part, dict) else None
    if not isinstance(kind, str):
        return Piece("other", None, extra=object_of(part))
    if kind in _CALLS:
        return _asked(part)
    if kind in _RESULTS:
        return _result(part, place)
    if kind in ("text", "reasoning", "thinking", "refusal"):
        return _words(part, kind)
    return _media(part, kind)


def _asked(part: dict[str, Any]) -> Asked:
    arguments = read_arguments(part.get("arguments"))
    return Asked(text_of(part.get("id")) or None, text_of(part.get("name")) or "", arguments.text, _rest(part, "id", "name", "arguments"), arguments.oddities)


def _result(part: dict[str, Any], place: int) -> Said:
    named = next((name for name in ("response", "result", "content") if part.get(name) is not None), "response")
    text = text_of(_shown(part.get(named)))
    failed = True if part.get("status") == "error" or part.get("is_error") is True else False if part.get("status") == "success" else None
    return Said(
        "tool",
        place,
        (Piece("text", text),) if text is not None else (),
        result_of=text_of(part.get("id")) or None,
        result_name=text_of(part.get("name")) or None,
        failed=failed,
        extra=_rest(part, "id", "name", named, "status", "is_error"),
    )


def _words(part: dict[str, Any], kind: str) -> Piece | Asked:
    named = "content" if part.get("content") is not None else "text" if part.get("text") is not None else kind
    text = text_of(part.get(named)) or ""
    if kind == "text" and _CALL_IN_WORDS.match(text) and (asked := _call_in_words(text)) is not None:
        return asked
    return Piece("reasoning" if kind in ("reasoning", "thinking") else "text", text, extra=_rest(part, named))


def _call_in_words(text: str) -> Asked | None:
    """Return the call that an instrumentation wrote as `ResponseFunctionToolCall(arguments='{}', call_id=…)`."""
    value = parse_repr(text)
    fields = value.get("kwargs") if isinstance(value, dict) else None
    if not isinstance(fields, dict) or not isinstance(fields.get("name"), str):
        return None
    arguments = read_arguments(fields.get("arguments"))
    return Asked(text_of(fields.get("call_id")) or None, fields["name"], arguments.text, None, arguments.oddities)


def _announced(message: dict[str, Any]) -> dict[str, Any]:
    """Return a message in which smolagents announces the tools it calls, as text with a list in Python's `repr`, with the calls as such."""
    parts = message.get("parts")
    if message.get("role") != "tool-call" or not isinstance(parts, list) or len(parts) != 1 or not isinstance(parts[0], dict):
        return message
    text = parts[0].get("content")
    calls = parse_repr(text[text.index("[") :]) if isinstance(text, str) and "[" in text else None
    if not isinstance(calls, list) or not calls or not all(isinstance(call, dict) for call in calls):
        return message
    made = list(map(_call_part, calls))
    # The code that is run is a text, and no JSON.
    return {**message, "parts": [{**part, "arguments": to_json(part["arguments"])} for part in made]}


def _media(part: dict[str, Any], kind: str) -> Piece:
    mime = text_of(part.get("mime_type") or part.get("media_type"))
    named = next((name for name in ("uri", "content", "data", "file_id", "url") if isinstance(part.get(name), str)), None)
    if named is not None and (part.get("modality") == "image" or (mime or "").startswith("image/") or kind in ("image", "image-url")):
        return Piece("image", part[named], mime, _rest(part, named, "mime_type", "media_type", "modality"))
    return Piece("other", kind, mime, extra=to_json(part))


def _rest(part: dict[str, Any], *read: str) -> str | None:
    return extra_of(part, ("type", *read))


def _parsed(value: Any) -> Any:
    """Return what a text that is JSON holds, or JSON of such a text; anything else as it is."""
    for _ in range(3):
        if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "[", '"'):
            break
        found = parse_json(value.encode("utf-8", "replace"))
        if not found.ok:
            break
        value = found.value
    return value
