"""The Responses API: requests, responses and lists of items, in no format's terms; `said_of_item` says one item."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from typing import Any

from agentnb.readers._fields import as_extra, count_in, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.exchanges import Asking, Dialect, Reply
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.replies import cut_reply
from agentnb.readers.dialects.responses_items import ROLES, is_item, said_of_item
from agentnb.streams.response_events import assemble_streamed, is_response_event

__all__ = ["DIALECT", "is_item", "is_item_list", "is_reply", "is_request", "read_reply", "read_request", "said_of_item", "said_of_items", "usage_in"]

_READ_RESPONSE = frozenset({"id", "object", "created_at", "completed_at", "model", "output", "usage"})
_READ_USAGE = {"input_tokens", "output_tokens", "total_tokens", "input_tokens_details", "output_tokens_details"}
_OUTPUT = re.compile(r"(?!function_call_output|custom_tool_call_output).*_call$|message|reasoning|program|compaction|mcp_list_tools|mcp_approval_request")


def is_item_list(values: Any) -> bool:
    """Tell whether most of a list are items or messages, and one of them at least an item that no other service has."""
    if not isinstance(values, list) or not any(map(is_item, values[:50])):
        return False
    return sum(is_item(value) or _is_message(value) for value in values[:50]) * 2 > len(values[:50])


def is_request(body: Any) -> bool:
    """Tell whether a value is a request, from the body alone."""
    if not isinstance(body, dict) or "output" in body or "messages" in body:
        return False
    given = body.get("input")
    if isinstance(given, list):
        return is_item_list(given) or (isinstance(body.get("model"), str) and sum(map(_is_message, given[:50])) * 2 >= len(given[:50]) > 0)
    return isinstance(given, str) and isinstance(body.get("model"), str) and not {"voice", "encoding_format", "dimensions"} & set(body)


def is_reply(body: Any) -> bool:
    """Tell whether a value is a response."""
    if not isinstance(body, dict) or not isinstance(body.get("output"), list):
        return False
    return body.get("object") == "response" or any(is_item(item) for item in body["output"][:50])


def said_of_items(items: list[Any], place: int | None) -> list[Said]:
    """Say the items of a list; with a place they all stand there, else each at its own number. What is no object is left out.

    Items of the model that follow one another are one reply.
    """
    found: list[Said] = []
    replying = False
    for number, item in enumerate(items, 1):
        for said in said_of_item(item, place or number) if isinstance(item, dict) else ():
            replies = said.role == "assistant"
            found.append(said._replace(same_step=True) if replies and replying else said)
            replying = replies or (said.same_step and replying)
    return found


def read_request(body: dict[str, Any], place: int | None) -> Asking:
    """Say what a request sends: instructions, which are no record of their own, and the input, which is a text or items."""
    given = body.get("input")
    items = given if isinstance(given, list) else [] if given is None else [{"role": "user", "content": given}]
    instructions = [Said("system", place or 1, (Piece("text", text_of(body["instructions"])),), records=0)] if body.get("instructions") else []
    before, kept = text_of(body.get("previous_response_id")), body.get("conversation")
    own_id = kept.get("id") if isinstance(kept, dict) else kept
    return Asking(
        (*instructions, *said_of_items(items, place)),
        beginning=[before, own_id, *itertools.takewhile(_is_asked, items)] if before or own_id else list(itertools.takewhile(_is_asked, items)),
        model=body["model"] if isinstance(body.get("model"), str) else None,
        extra=rest_of(body, ("input", "instructions")),
        continues=tuple(found for found in (before, text_of(own_id), *_named(items)) if found),
        repeats=_history(items),
        others=tuple((place or number, item) for number, item in enumerate(items, 1) if not isinstance(item, dict)),
    )


def read_reply(body: dict[str, Any], place: int) -> Reply:
    """Say a response: one model call with its usage, and the tools that the service ran in it."""
    created, completed = read_time(body.get("created_at")), read_time(body.get("completed_at"))
    error, incomplete, status = body.get("error"), body.get("incomplete_details"), body.get("status")
    reason = text_of(incomplete.get("reason")) if isinstance(incomplete, dict) else None
    rest = {
        name: value for name, value in body.items() if name not in _READ_RESPONSE and value not in (None, [], {}) and (name, value) != ("status", "completed")
    }
    unread = rest_of(_details(body, "usage"), _READ_USAGE)
    rest |= {"usage": unread} if unread else {}
    output = _details(body, "output")
    if body.get("object") == "response.compaction":
        # A history made shorter holds what was asked before, word by word, beside the summary of the rest.
        rest |= {"retained": retained} if (retained := [item for item in output if _is_asked(item)]) else {}
        output = [item for item in output if not _is_asked(item)]
    words = text_of(error.get("message") or error.get("code")) if isinstance(error, dict) else text_of(error)
    first = Said(
        "assistant",
        place,
        model=text_of(body.get("model")),
        usage=usage_in(body.get("usage")),
        finish_reason=reason or (status if isinstance(status, str) and status in ("incomplete", "cancelled") else None),
        error=words or ("The response failed." if status == "failed" else None),
        extra=as_extra(rest),
        id=text_of(body.get("id")) or None,
        at=completed.micros if completed.micros is not None else created.micros,
        zone_assumed=created.zone_assumed,
        started=created.micros if completed.micros is not None else None,
    )
    kept = body.get("conversation")
    ids = (body.get("id"), kept.get("id") if isinstance(kept, dict) else kept)
    said = tuple(cut_reply(first, _said_in(output, place)))
    before = text_of(body.get("previous_response_id"))
    items = body.get("output")
    named = [item.get("id") for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    own_ids = tuple(own_id for own_id in (*ids, *named) if isinstance(own_id, str) and own_id)
    return Reply(said, own_ids, whole=status not in ("in_progress", "queued"), continues=(before,) if before else ())


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage` object tells."""
    if not isinstance(usage, dict):
        return {}
    sent, received = _details(usage, "input_tokens_details"), _details(usage, "output_tokens_details")
    found = {
        "input_tokens": count_in(usage.get("input_tokens")),
        "output_tokens": count_in(usage.get("output_tokens")),
        "cached_tokens": count_in(sent.get("cached_tokens")),
        "cache_write_tokens": count_in(sent.get("cache_write_tokens")),
        "reasoning_tokens": count_in(received.get("reasoning_tokens")),
    }
    return {name: value for name, value in found.items() if value is not None}


def _said_in(output: Any, place: int) -> Iterator[Piece | Asked | Said]:
    for item in output if isinstance(output, list) else []:
        for said in said_of_item(item, place) if isinstance(item, dict) else [Said("assistant", place, (Piece("other", extra=to_json({"item": item})),))]:
            if said.role == "assistant":
                yield from said.pieces
                yield from said.asked
            else:
                yield said


def _named(items: list[Any]) -> list[str]:
    """Return the ids of items that a request names instead of repeating them, or of the summary it sends in their place, the last one first."""
    return [item["id"] for item in items if _stands_for_history(item)][::-1]


def _stands_for_history(item: Any) -> bool:
    return isinstance(item, dict) and item.get("type") in ("item_reference", "compaction") and isinstance(item.get("id"), str)


def _history(items: list[Any]) -> int:
    last = max((number for number, item in enumerate(items, 1) if _stands_for_history(item)), default=0)
    return sum(said.role != "system" for said in said_of_items(items[:last], 1))


def _is_message(item: Any) -> bool:
    return isinstance(item, dict) and isinstance(item.get("role"), str) and item["role"] in ROLES and isinstance(item.get("content"), str | list)


def _is_asked(item: Any) -> bool:
    """Tell whether an item is no part of a reply."""
    if not isinstance(item, dict):
        return True
    kind = item.get("type")
    replied = isinstance(kind, str) and _OUTPUT.fullmatch(kind) is not None
    return bool(item.get("role", "assistant" if replied else "user") != "assistant")


def _details(value: dict[str, Any], name: str) -> Any:
    details = value.get(name)
    return details if isinstance(details, dict | list) else {}


DIALECT = Dialect(
    format="openai_responses",
    prefix="responses",
    path=re.compile(r"/responses(?:$|[?#])"),
    is_request=is_request,
    is_reply=is_reply,
    is_event=is_response_event,
    read_request=read_request,
    read_reply=read_reply,
    assemble=assemble_streamed,
)
