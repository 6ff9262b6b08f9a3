"""Pieces of a Kimi wire log: contents, calls, results, usage and what a person allowed, in no format's terms."""

from __future__ import annotations

import re
from typing import Any, Literal

from agentnb.readers._fields import as_extra, count_in, dict_of, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked, Piece, Said

_EXIT_CODE = re.compile(r"(?:^|\n)(Command failed with exit code: (-?\d{1,9}))\.?\s*$")
_TEXTS = {"text": ("text", "text"), "think": ("think", "reasoning")}
_ANSWERS: dict[str, Literal["yes", "no"]] = {"approved": "yes", "rejected": "no", "denied": "no"}
_USAGE = {"inputOther": None, "output": "output_tokens", "inputCacheRead": "cached_tokens", "inputCacheCreation": "cache_write_tokens"}


def pieces_in(content: Any) -> tuple[Piece, ...]:
    """Return the pieces of a content: a text, or a list of parts."""
    parts = content if isinstance(content, list) else [] if content is None else [content]
    return tuple(map(_piece, parts))


def asked_in(event: dict[str, Any], question: Question | None, allowed: Any) -> Asked:
    """Return the call of a `tool.call` event, with what a person was asked about it."""
    arguments = read_arguments(event.get("args"))
    known = ("type", "uuid", "turnId", "step", "stepUuid", "toolCallId", "name", "args")
    extra = as_extra(rest_of(event, known) | ({"approval": allowed} if allowed else {}))
    return Asked(text_of(event.get("toolCallId")) or None, text_of(event.get("name")) or "", arguments.text, extra, arguments.oddities, question=question)


def question_in(record: dict[str, Any], at: int | None, place: int) -> Question:
    """Return what a person was asked, and the answer, of a `permission.record_approval_result` line."""
    result = dict_of(record.get("result"))
    decision = result.get("decision")
    answer = _ANSWERS.get(decision) if isinstance(decision, str) else None
    return Question(text_of(record.get("action")), answer, reason=text_of(result.get("feedback")), answered_at=at, line=place)


def result_in(event: dict[str, Any], place: int, at: int | None) -> Said:
    """Say the result of a `tool.result` event."""
    held = event.get("result")
    result = held if isinstance(held, dict) else {"output": held}
    pieces = pieces_in(result.get("output"))
    text = "\n".join(piece.text for piece in pieces if piece.type == "text" and piece.text)
    code = _EXIT_CODE.search(text[-200:])
    failed = result.get("isError") is True
    return Said(
        "tool", place, pieces, result_of=text_of(event.get("toolCallId")) or None, at=at, failed=failed if isinstance(held, dict) else None,
        error=code.group(1) if code and failed else None, exit_code=int(code.group(2)) if code else None, extra=extra_of(result, ("output", "isError")),
    )  # fmt: skip


def usage_in(usage: Any) -> dict[str, Any]:
    """Return the columns of a model call that a `usage` object tells; the tokens that were sent are those of the cache and the others."""
    counts = {name: count_in(usage.get(name)) for name in _USAGE} if isinstance(usage, dict) else {}
    found = {column: counts[name] for name, column in _USAGE.items() if column and counts.get(name) is not None}
    sent = [count for name, count in counts.items() if name != "output" and count is not None]
    return {"input_tokens": sum(sent), **found} if sent else found


def milliseconds_in(event: dict[str, Any]) -> int | None:
    """Return how long the model took, in milliseconds: until its first word, and from there to its last."""
    times = [count_in(event.get(name)) for name in ("llmFirstTokenLatencyMs", "llmStreamDurationMs")]
    return None if times[0] is None or times[1] is None else times[0] + times[1]


def _piece(part: Any) -> Piece:
    if isinstance(part, str):
        return Piece("text", part)
    kind = part.get("type") if isinstance(part, dict) else None
    name, read = _TEXTS.get(kind, ("", "")) if isinstance(kind, str) else ("", "")
    if name and isinstance(part.get(name), str):
        return Piece(read, part[name], extra=extra_of(part, ("type", name)))
    image = (part.get("imageUrl") or part.get("image_url")) if isinstance(part, dict) else None
    url = image.get("url") if isinstance(image, dict) else image
    if kind == "image_url" and isinstance(url, str):
        return Piece("image", url)
    return Piece("other", text_of(kind), extra=object_of(part))
