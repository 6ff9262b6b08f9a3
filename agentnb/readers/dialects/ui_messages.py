"""One message of the AI SDK as a user interface keeps it (UIMessage, and the older form with `toolInvocations`): a whole run of an agent in one message.

Steps are set apart by parts of their own, and a tool's call, its approval and its result are one part, whose state says how far it came. What the run cost
is told once for the message: it stands with the only step, or with the last one, and then says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from agentnb.readers._fields import count_in, dict_of, extra_of, object_of, read_arguments, text_of
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import exit_code_of
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.replies import cut_reply

_ROLES = frozenset({"system", "user", "assistant", "data"})
_KINDS = frozenset({"text", "reasoning", "step-start", "dynamic-tool", "tool-invocation", "file", "source", "source-url", "source-document"})
_READ_MESSAGE = frozenset({"role", "parts", "id", "createdAt", "content", "toolInvocations", "finishReason", "error"})
_READ_TOOL = frozenset({"type", "toolName", "toolCallId", "state", "input", "rawInput", "args", "output", "result", "errorText", "approval"})
_USAGE = (
    ("input_tokens", ("inputTokens", "promptTokens")),
    ("output_tokens", ("outputTokens", "completionTokens")),
    ("cached_tokens", ("cachedInputTokens",)),
    ("reasoning_tokens", ("reasoningTokens",)),
)
_DENIED = "output-denied"


def is_message(value: Any) -> bool:
    """Tell whether a value is a message of a user interface: of messages of other kinds the parts have other types."""
    if not isinstance(value, dict) or not isinstance(value.get("role"), str) or value["role"] not in _ROLES:
        return False
    if isinstance(value.get("toolInvocations"), list):
        return True
    parts = value.get("parts")
    return isinstance(parts, list) and ("id" in value or bool(parts)) and all(map(_is_part, parts))


def said_of_message(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message in no format's terms; the first of what it becomes stands for its record.

    Args:
        message: one of which `is_message` is true.
        place: its place in the recording, from 1.
    """
    time = read_time(message.get("createdAt"))
    own_id = text_of(message.get("id")) or None
    parts = _parts(message)
    if message["role"] != "assistant":
        role = message["role"] if message["role"] != "data" else "system"
        pieces = tuple(piece for part in parts for piece in _pieces(part))
        return [Said(role, place, pieces, at=time.micros, zone_assumed=time.zone_assumed, extra=extra_of(message, _READ_MESSAGE), id=own_id)]
    steps = _steps(parts)
    said = [item for step in steps for item in cut_reply(Said("assistant", place, at=time.micros, records=0), _items(step, place))]
    said[0] = said[0]._replace(records=1, zone_assumed=time.zone_assumed, id=own_id)
    return _with_totals(said, message, len(steps))


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return isinstance(part.get("text"), str)
    return isinstance(kind, str) and (kind in _KINDS or kind.startswith(("tool-", "data-")))


def _parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the parts of a message; the older form has a text and tools beside it instead."""
    if isinstance(message.get("parts"), list):
        return [part for part in message["parts"] if isinstance(part, dict)]
    content = message.get("content")
    tools = [{"type": "tool-invocation", "toolInvocation": tool} for tool in message["toolInvocations"]]
    reasoning = message.get("reasoning")
    thoughts = [{"type": "reasoning", "reasoning": reasoning}] if isinstance(reasoning, str) else []
    return [*thoughts, *tools, *([{"type": "text", "text": text_of(content)}] if content else [])]


def _steps(parts: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    """Cut the parts of a reply into model calls: at the parts that say so, else where a tool's own number of the step changes."""
    steps: list[list[dict[str, Any]]] = [[]]
    number: Any = None
    for part in parts:
        invocation = part.get("toolInvocation")
        own = invocation.get("step") if isinstance(invocation, dict) else None
        if part.get("type") == "step-start":
            steps.append([])
        else:
            if own is not None and number is not None and own != number:
                steps.append([])
            number = own if own is not None else number
            steps[-1].append(part)
    return steps[1:] if len(steps) > 1 and not steps[0] else steps


def _items(parts: list[dict[str, Any]], place: int) -> Iterator[Piece | Asked | Said]:
    for part in parts:
        kind = str(part.get("type"))
        invocation = part.get("toolInvocation") if kind == "tool-invocation" else None
        if isinstance(invocation, dict):
            yield from _tool({"type": "dynamic-tool", **invocation}, place)
        elif kind == "dynamic-tool" or kind.startswith("tool-"):
            yield from _tool(part, place)
        else:
            yield from _pieces(part)


def _pieces(part: dict[str, Any]) -> tuple[Piece, ...]:
    kind = part.get("type")
    if kind in ("text", "reasoning"):
        text = text_of(part.get("text") if part.get("text") is not None else part.get("reasoning"))
        read = {"type", "text", "reasoning"} | ({"state"} if part.get("state") == "done" else set())
        extra = extra_of(part, read)
        return (Piece(str(kind), text, extra=extra),) if text or extra else ()
    if kind == "file":
        mime = text_of(part.get("mediaType") or part.get("mimeType"))
        url = text_of(part.get("url") or part.get("data"))
        if str(mime).startswith("image/"):
            return (Piece("image", url, mime, extra_of(part, ("type", "mediaType", "mimeType", "url", "data"))),)
        return (Piece("other", "file", mime, object_of(part)),)
    return (Piece("other", text_of(kind), extra=object_of(part)),)


def _tool(part: dict[str, Any], place: int) -> Iterator[Asked | Said]:
    """Say a tool's part: the call, and its result if there is one."""
    state = part.get("state")
    own_id = text_of(part.get("toolCallId")) or None
    name = text_of(part.get("toolName")) or str(part.get("type")).removeprefix("tool-").removeprefix("dynamic-tool")
    input = next((part[field] for field in ("input", "args", "rawInput") if part.get(field) is not None), None)
    error = text_of(part.get("errorText"))
    output = part.get("output") if "output" in part else part.get("result")
    arguments = read_arguments(input)
    question = _question(part, place)
    if name or input is not None:
        yield Asked(
            own_id, name, arguments.text, extra_of(part, _READ_TOOL), arguments.oddities, question=question, state="denied" if state == _DENIED else None
        )
    if output is not None or error is not None:
        pieces = (Piece("text", text_of(output) if output is not None else error),)
        failed = state == "output-error" if isinstance(state, str) and state.startswith("output-") else None
        yield Said("tool", place, pieces, result_of=own_id, failed=failed or None, error=error, exit_code=exit_code_of(output))


def _question(part: dict[str, Any], place: int) -> Question | None:
    approval = part.get("approval")
    if not isinstance(approval, dict) and part.get("state") not in ("approval-requested", "approval-responded", _DENIED):
        return None
    told = approval if isinstance(approval, dict) else {}
    answers: dict[Any, Literal["yes", "no"]] = {True: "yes", False: "no"}
    approved = told.get("approved")
    answer = "no" if part.get("state") == _DENIED else answers[approved] if isinstance(approved, bool) else None
    return Question(answer=answer, reason=text_of(told.get("reason")), line=place)


def _with_totals(said: list[Said], message: dict[str, Any], steps: int) -> list[Said]:
    """Put what is told of the whole message with its last model call: usage, why it stopped, an error, and what is not read."""
    last = max(index for index, item in enumerate(said) if item.role == "assistant" and not item.same_step)
    fields = dict_of(message.get("metadata"))
    usage: dict[str, Any] = next((fields[name] for name in ("totalUsage", "usage") if isinstance(fields.get(name), dict)), {})
    columns = {column: count for column, names in _USAGE for name in names if (count := count_in(usage.get(name))) is not None}
    extra = extra_of(message | ({"usage_of_steps": steps} if columns and steps > 1 else {}), _READ_MESSAGE)
    reason, error = text_of(message.get("finishReason")), text_of(message.get("error"))
    said[last] = said[last]._replace(usage=columns, finish_reason=reason, error=error, extra=extra)
    return said
