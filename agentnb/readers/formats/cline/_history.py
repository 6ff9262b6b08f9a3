"""The messages that the extension sent to a model -> what was said, with tools and results that stand in the text taken out of it."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.formats.cline._sdk import said_in
from agentnb.readers.formats.cline._xml import asking_in, is_beside, judge, result_in, unwrapped

COMPLETION = "attempt_completion"
"""The call with which the agent gives its answer; it returns something only when the person does not accept that."""


def said_of(message: dict[str, Any], place: int) -> list[Said]:
    """Say a message of a task.

    Args:
        message: one of Anthropic Messages, with a time in newer versions.
        place: its place in the list, from 1.
    """
    said: list[Said] = []
    for item in said_in(message, place):
        if item.role == "assistant":
            said.append(_with_call(item))
        elif item.role == "user" and not item.injected:
            said.extend(_without_results(item))
        else:
            said.append(_judged(item) if item.role == "tool" else item)
    return [said[0]._replace(records=1), *(item._replace(records=0) for item in said[1:])]


def completion_in(asked: Asked) -> str | None:
    """Return the answer that a call gives."""
    parsed = parse_json((asked.input or "").encode("utf-8", "backslashreplace"))
    return text_of(parsed.value.get("result")) if parsed.ok and isinstance(parsed.value, dict) else None


def _with_call(said: Said) -> Said:
    """Take a call out of the text of a reply that has none of its own."""
    if said.asked:
        return said._replace(asked=tuple(map(_ended, said.asked)))
    pieces: list[Piece] = []
    asked: tuple[Asked, ...] = ()
    for piece in said.pieces:
        found = asking_in(piece.text) if piece.type == "text" and piece.text and not asked else None
        if found is None or not found.asked:
            pieces.append(piece)
            continue
        asked = found.asked
        if found.text.strip():
            pieces.append(piece._replace(text=found.text))
    return said._replace(pieces=tuple(pieces), asked=tuple(map(_ended, asked)))


def _ended(asked: Asked) -> Asked:
    return asked._replace(state="done") if asked.name == COMPLETION else asked


def _without_results(said: Said) -> list[Said]:
    """Part a person's words from results and from what the tool put beside them: a result goes on until another text of either kind."""
    results: list[list[Piece]] = []
    spoken: list[Piece] = []
    beside: list[Piece] = []
    for piece in said.pieces:
        text = piece.text if piece.type == "text" else None
        result = result_in(text) if text else None
        if result is not None:
            results.append([piece._replace(text=result)] if result else [])
        elif text is not None and is_beside(text):
            beside.append(piece)
        elif results and not (text is not None and unwrapped(text) != text):
            results[-1].append(piece)
        else:
            wrapped = text is not None and unwrapped(text) != text
            spoken.append(piece._replace(text=unwrapped(text or ""), extra=to_json({"as_sent": text}) if wrapped else piece.extra) if wrapped else piece)
    found = [_judged(said._replace(role="tool", pieces=tuple(pieces), id=None, extra=None)) for pieces in results]
    if spoken or not (found or beside):
        found.append(said._replace(pieces=tuple(spoken)))
    if beside:
        found.append(said._replace(pieces=tuple(beside), injected=True, extra=None if spoken else said.extra, id=None))
    return found


def _judged(said: Said) -> Said:
    """Add what the text of a result tells: that the person refused the call, that it failed, an exit code."""
    told = judge("\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text))
    question = said.question or (Question(answer="no", reason=told.reason, answered_at=said.at, line=said.place) if told.denied else None)
    failed = said.failed if told.failed is None else told.failed
    return said._replace(
        question=question, failed=failed, error=told.error or said.error, exit_code=told.exit_code if said.exit_code is None else said.exit_code
    )
