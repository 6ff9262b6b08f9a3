"""One content or response of Gemini: what it says, which functions it asks for, what they returned, what it cost; `DIALECT` says requests and responses.

A call usually has no id: its result names the function, and pairs by name and order.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import Any

from agentnb.readers._fields import as_extra, count_in, text_of
from agentnb.readers._times import read_time
from agentnb.readers.builders.exchanges import Asking, Dialect, Reply
from agentnb.readers.builders.message_list import Piece, Said, joined
from agentnb.readers.dialects.gemini_parts import as_piece, field, item_in, parts_in, unread
from agentnb.readers.dialects.replies import cut_reply
from agentnb.streams.gemini_chunks import assemble_responses, is_gemini_chunk

ROLES = {"user": "user", "model": "assistant", "function": "user", "tool": "user", "system": "system"}
"""Roles of the service, and what they are here; results stand in a content of the role user, or of function or tool."""

_COUNTS = ("prompt", "candidates", "cachedContent", "thoughts", "toolUsePrompt", "total")
_READ_USAGE = frozenset(f"{name}TokenCount" for name in _COUNTS)
# The client's own notes of the exchange are no part of the response.
_CLIENTS = frozenset({"sdkHttpResponse", "automaticFunctionCallingHistory"})
_READ_RESPONSE = frozenset({"candidates", "usageMetadata", "modelVersion", "responseId", "createTime", "error"}) | _CLIENTS
_READ_CANDIDATE = frozenset({"content", "finishReason", "index"})
# The model stopped for a reason of its own, or there is no telling; any other reason without a reply means that there is none.
_STOPS = frozenset({"STOP", "MAX_TOKENS", "FINISH_REASON_UNSPECIFIED"})
_BROKEN = frozenset({"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE", "MISSING_THOUGHT_SIGNATURE"})
# What Gemini CLI puts before or between a person's words, and the answers that it puts into the model's mouth.
_INJECTED = re.compile(
    r"\s*(?:<(session_context|state_snapshot|hook_context)>.*</\1>\s*$|This is the Gemini CLI\. We are setting up the context for our chat\.)", re.DOTALL
)
_ACKNOWLEDGED = ("Got it. Thanks for the context!", "Got it. Thanks for the additional context!")


def is_content(item: Any) -> bool:
    """Tell whether a value is a content of this service: a role with parts that have no type, since messages with typed parts are those of others."""
    if not isinstance(item, dict) or not isinstance(item.get("parts"), list) or item.get("role", "user") not in (*ROLES, None):
        return False
    if "role" not in item and not item["parts"]:
        return False
    return all(isinstance(part, dict) and "type" not in part and "part_kind" not in part for part in item["parts"][:20])


def is_content_list(values: Any) -> bool:
    """Tell whether most of a list are contents of this service."""
    return isinstance(values, list) and sum(map(is_content, values[:50])) * 2 > len(values[:50])


def is_response(value: Any) -> bool:
    """Tell whether a value is a response of this service: answers, or the reason why there are none."""
    if not isinstance(value, dict):
        return False
    candidates = value.get("candidates")
    if isinstance(candidates, list):
        return all(isinstance(candidate, dict) for candidate in candidates)
    counted = isinstance(field(value, "usageMetadata"), dict) and (field(value, "responseId") or field(value, "modelVersion"))
    return bool(counted) or is_error(value) or field(field(value, "promptFeedback"), "blockReason") is not None


def is_error(value: Any) -> bool:
    """Tell whether a value is an error of this service, which has a code, a status in capitals and a message."""
    error = value.get("error") if isinstance(value, dict) else None
    return isinstance(error, dict) and type(error.get("code")) is int and isinstance(error.get("status"), str) and "message" in error


def said_of_content(content: dict[str, Any], place: int) -> list[Said]:
    """Say a content in no format's terms; the first of what it becomes stands for its record.

    Args:
        content: one of which `is_content` is true.
        place: its place in the recording, from 1.
    """
    role = ROLES.get(text_of(content.get("role")) or "", "user")
    parts = parts_in(content)
    rest = unread(content, {"role", "parts"})
    extra = as_extra(rest)
    if role == "assistant" or (content.get("role") is None and any(field(part, "functionCall") for part in parts)):
        return said_of_parts(parts, Said("assistant", place, extra=extra))
    return _said_words(parts, Said(role, place, extra=extra))


def said_of_contents(contents: Iterable[tuple[int, dict[str, Any]]]) -> Iterator[Said]:
    """Say contents with their places, in order; what a client puts among them, and its thanks in the name of the model, is injected."""
    injected = False
    for place, content in contents:
        said = said_of_content(content, place)
        texts = [piece.text or "" for item in said for piece in item.pieces if piece.type == "text"]
        if said[0].role == "assistant":
            injected = injected and len(texts) == 1 and texts[0].strip() in _ACKNOWLEDGED
        else:
            injected = len(said) == 1 and bool(texts) and all(map(is_injected, texts))
        yield from (item._replace(injected=True) if injected else item for item in said)


def is_injected(text: str) -> bool:
    """Tell whether a text is what Gemini CLI puts before or between a person's words."""
    return _INJECTED.match(text) is not None


def said_of_parts(parts: list[Any], first: Said) -> list[Said]:
    """Say the parts of a reply, of which the rest is known; results that begin it answer the reply before."""
    items = [item_in(part, first.place) for part in parts]
    own = list(itertools.dropwhile(lambda item: isinstance(item, Said), items))
    results = [item for item in items[: len(items) - len(own)] if isinstance(item, Said)]
    if results and not own:
        return _counted(results, first)
    # A stream ends with an empty text, which says nothing.
    shown = [item for item in own if item != Piece("text", "")] or own
    return _counted([*results, *cut_reply(first, shown)], first)


def said_of_response(response: dict[str, Any], place: int) -> list[Said]:
    """Say a response, of which `is_response` is true: the first answer, with what else it tells kept beside it."""
    candidates = field(response, "candidates")
    listed = candidates if isinstance(candidates, list) else []
    first = listed[0] if listed and isinstance(listed[0], dict) else {}
    content = field(first, "content")
    parts = parts_in(content) if isinstance(content, dict) else []
    rest = unread(response, _READ_RESPONSE) | unread(first, _READ_CANDIDATE) | _unread_usage(field(response, "usageMetadata"))
    if listed[1:]:
        rest["candidates"] = listed[1:]
    if isinstance(content, dict):
        rest |= unread(content, {"role", "parts"})
    error, told = _error_of(response, first, parts)
    rest |= told
    time = read_time(field(response, "createTime"))
    said = Said(
        "assistant",
        place,
        at=time.micros,
        zone_assumed=time.zone_assumed,
        model=text_of(field(response, "modelVersion")),
        usage=usage_in(field(response, "usageMetadata")),
        finish_reason=text_of(field(first, "finishReason")),
        error=error,
        extra=as_extra(rest),
        id=text_of(field(response, "responseId")) or None,
    )
    return said_of_parts(parts, said)


def said_of_system(instruction: Any, place: int) -> list[Said]:
    """Say the instructions of a request: a text, parts or a content; they are no record of their own."""
    if isinstance(instruction, dict) and "parts" not in instruction:
        instruction = [instruction]
    parts = parts_in(instruction) if isinstance(instruction, dict) else instruction if isinstance(instruction, list) else [instruction]
    pieces = tuple(item for part in parts if part is not None and isinstance(item := item_in(part, place), Piece))
    return [Said("system", place, pieces, records=0)] if pieces else []


def read_request(body: dict[str, Any], place: int | None) -> Asking:
    """Say the contents of a request; with a place they all stand there, else each at its own number."""
    contents = body.get("contents", body.get("history"))
    listed = contents if isinstance(contents, list) else [] if contents is None else [contents]
    placed = [(place or number, {"role": "user", "parts": [value]} if isinstance(value, str) else value) for number, value in enumerate(listed, 1)]
    own = [item for item in placed if is_content(item[1])]
    config = field(body, "config")
    system = field(body, "systemInstruction") or field(config, "systemInstruction")
    extra = unread(body, {"contents", "history", "systemInstruction"})
    if isinstance(config, dict):
        extra["config"] = unread(config, {"systemInstruction"})
    return Asking(
        (*said_of_system(system, place or 1), *said_of_contents(own)),
        beginning=list(itertools.takewhile(lambda content: content.get("role") != "model", (content for _, content in own))),
        model=body["model"] if isinstance(body.get("model"), str) else None,
        extra={name: value for name, value in extra.items() if name != "model" and value},
        others=tuple(item for item in placed if not is_content(item[1])),
    )


def read_reply(body: dict[str, Any], place: int) -> Reply:
    """Say a response."""
    own_id = field(body, "responseId")
    return Reply(tuple(said_of_response(body, place)), (own_id,) if isinstance(own_id, str) and own_id else ())


def is_request(body: Any) -> bool:
    """Tell whether a value is a request, from the body alone; a chat that a client saved has its contents as history."""
    return isinstance(body, dict) and any(body.get(name) and is_content_list(body[name]) for name in ("contents", "history"))


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that `usageMetadata` tells; thoughts are counted apart there, and are part of the output here."""
    prompt, said, cached, thought, tools, total = (count_in(field(usage, f"{name}TokenCount")) for name in _COUNTS)
    sent = None if prompt is None else prompt + (tools or 0)
    received = said if thought is None else (said or 0) + thought
    if thought and said is not None and sent is not None and total == sent + said:
        received = said
    found = {"input_tokens": sent, "output_tokens": received, "cached_tokens": cached, "reasoning_tokens": thought}
    return {name: value for name, value in found.items() if count_in(value) is not None}


def _said_words(parts: list[Any], said: Said) -> list[Said]:
    """Say what a person or a client sent: results answer calls first, then the words."""
    items = [item_in(part, said.place) for part in parts]
    results = [item for item in items if isinstance(item, Said)]
    pieces = tuple(as_piece(part, item) for part, item in zip(parts, items, strict=True) if not isinstance(item, Said))
    return _counted([*results, said._replace(pieces=pieces)] if pieces or not results else results, said)


def _counted(said: list[Said], whole: Said) -> list[Said]:
    """Let the first of what a content became stand for its record, and keep what was not read of the content, with its time."""
    timed = [item._replace(at=whole.at, zone_assumed=whole.zone_assumed, records=0) for item in said]
    timed[0] = timed[0]._replace(records=whole.records)
    if all(item.role == "tool" for item in said):
        timed[-1] = timed[-1]._replace(extra=text_of(joined(timed[-1].extra, whole.extra)))
    return timed


def _error_of(response: dict[str, Any], candidate: dict[str, Any], parts: list[Any]) -> tuple[str | None, dict[str, Any]]:
    """Return why there is no reply, and what the response tells besides the words of it."""
    error = response.get("error")
    if error is not None:
        words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
        rest = {name: value for name, value in error.items() if name != "message" and value is not None} if isinstance(error, dict) else {}
        return words or text_of(field(error, "status")) or "There is no reply.", {"error": rest} if rest else {}
    reason = text_of(field(candidate, "finishReason"))
    if reason in _BROKEN or (reason is not None and reason not in _STOPS and not parts):
        return ": ".join(filter(None, (reason, text_of(field(candidate, "finishMessage"))))), {}
    feedback = field(response, "promptFeedback")
    blocked = text_of(field(feedback, "blockReason"))
    if blocked is not None and not parts:
        return ": ".join(filter(None, (blocked, text_of(field(feedback, "blockReasonMessage"))))), {}
    return None, {}


def _unread_usage(usage: Any) -> dict[str, Any]:
    rest = unread(usage, _READ_USAGE) if isinstance(usage, dict) else {}
    tools = field(usage, "toolUsePromptTokenCount")
    rest |= {"toolUsePromptTokenCount": tools} if tools is not None else {}
    return {"usageMetadata": rest} if rest else {}


DIALECT = Dialect(
    format="gemini",
    prefix="gemini",
    path=re.compile(r":(?:streamG|g)enerateContent\b"),
    is_request=is_request,
    is_reply=is_response,
    is_event=is_gemini_chunk,
    read_request=read_request,
    read_reply=read_reply,
    assemble=assemble_responses,
)
