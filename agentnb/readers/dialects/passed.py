"""What went into a span and came out of it, whatever the traced program passed around: arguments, results, what an agent heard and said, and errors."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._fields import text_of
from agentnb.readers._json import to_json
from agentnb.readers._reprs import parse_repr
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._prints import prints_of
from agentnb.readers.builders._spans import Span
from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects import langchain
from agentnb.readers.dialects.any import heard_in, parsed, replied_in, said_in_any

_ALONE = frozenset({"output", "input", "result", "return_value"})


class Returned(NamedTuple):
    """What a tool returned."""

    text: str | None
    """As the agent was shown it."""
    tool_call_id: str | None = None
    error: str | None = None
    """What went wrong, if the result says so itself."""
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """What the result tells besides its text."""


class Conversed(NamedTuple):
    """What an agent was given and answered."""

    heard: tuple[Said, ...]
    replied: tuple[Said, ...]


def arguments_in(value: Any) -> str | None:
    """Return a tool's arguments as JSON, also those that stand alone under the name `input`, or that were written as Python text."""
    value = _without_wrapper(parsed(value), _ALONE)
    if isinstance(value, str):
        read = parsed(value)
        read = read if isinstance(read, dict | list) else parse_repr(value)
        return to_json(read if isinstance(read, dict | list) else value) if value else None
    return None if value is None else to_json(value)


def returned_in(value: Any, place: int) -> Returned:
    """Return a tool's result: of a message of a tool or a list of texts what it says, else the value itself."""
    given, value = value, _without_wrapper(parsed(value), _ALONE)
    value = parsed(value, 1) if langchain.is_message(parsed(value, 1)) else value
    if isinstance(value, str):
        messages = langchain.messages_in_text(value)
        value = messages[0] if messages is not None and len(messages) == 1 else value
    if langchain.is_message(value):
        return _of_message(value, place)
    texts = _texts_in(value)
    if texts is not None:
        failed = isinstance(value, dict) and (value.get("isError") is True or value.get("is_error") is True)
        return Returned(texts, error=first_line(texts) if failed else None)
    if isinstance(given, str) and isinstance(value, dict | list):
        # Its words are kept as they were, where there is only one way to say them.
        return Returned(given if parsed(given, 1) == value else to_json(value))
    return Returned(text_of(value))


def conversed_in(inputs: Any, outputs: Any, place: int) -> Conversed:
    """Return what an agent heard, and the last of what it said that it had not heard."""
    heard = heard_in(inputs, place) if inputs not in (None, "", {}, []) else ()
    if outputs in (None, "", {}, []):
        return Conversed(heard, ())
    said = said_in_any(outputs, place)
    if said is None:
        return Conversed(heard, replied_in(_without_wrapper(parsed(outputs), _ALONE), place))
    known = prints_of(heard)
    new = said[len(known) :] if prints_of(said)[: len(known)] == known else said
    return Conversed(heard, tuple(message for message in new if message.role == "assistant")[-1:])


def without_inherited(spans: list[Span]) -> list[Span]:
    """Take errors from spans that only wrap one that failed: tracers write an error on every span above it."""
    parents = {span.span_id: span.parent_id for span in spans}
    above: set[str] = set()
    for failed in (span.parent_id for span in spans if span.error is not None):
        parent = failed
        while parent is not None and parent not in above:
            above.add(parent)
            parent = parents.get(parent)
    return [span._replace(error=None) if span.kind == "other" and span.span_id in above else span for span in spans]


def with_top(spans: list[Span]) -> list[Span]:
    """Let what only wraps be the agent where it is the top of a trace: it is what a person started."""
    known = {span.span_id for span in spans}
    tops = [place for place, span in enumerate(spans) if span.parent_id not in known]
    if len(tops) != 1 or spans[tops[0]].kind != "other":
        return spans
    return [span._replace(kind="agent") if place == tops[0] else span for place, span in enumerate(spans)]


def _without_wrapper(value: Any, names: frozenset[str]) -> Any:
    if isinstance(value, dict) and len(value) == 1:
        name, inside = next(iter(value.items()))
        return inside if name in names and inside is not None else value
    return value


def _of_message(message: dict[str, Any], place: int) -> Returned:
    said = langchain.said_of_message(message, place)
    text = "\n".join(piece.text for piece in said.pieces if piece.type == "text" and piece.text is not None)
    fields = langchain.fields_of(message) or {}
    artifact = fields.get("artifact")
    extra = {"artifact": artifact} if langchain.is_told(artifact) else {}
    return Returned(text, said.result_of, first_line(text) or "The tool failed." if said.failed else None, extra)


def _texts_in(value: Any) -> str | None:
    """Return the text of content that is nothing but texts, as tools of the Model Context Protocol return it."""
    content = value.get("content") if isinstance(value, dict) and not value.keys() - {"content", "isError", "is_error", "role"} else value
    if isinstance(content, str) and content is not value:
        return content
    if not isinstance(content, list) or not content:
        return None
    texts = [block.get("text") if isinstance(block, dict) and block.get("type") == "text" else None for block in content]
    return "\n".join(text for text in texts if isinstance(text, str)) if all(isinstance(text, str) for text in texts) else None
