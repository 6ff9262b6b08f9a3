"""What a model sends, piece by piece, the same for every provider: text, reasoning, refusals, calls, and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeAlias

from pydantic import ConfigDict, InstanceOf, ValidationError
from pydantic.alias_generators import to_camel

from agentnb.values._base import Value

FinishWord = Literal["stop", "length", "tool_calls", "content_filter", "refusal", "unknown"]
PartKind = Literal["text", "reasoning", "refusal", "call", "call_end", "finish", "usage", "error"]


class StreamPart(Value):
    """A piece of a model's answer as it came in; the kinds of it differ in what they carry.

    Texts are only looked at, never decoded: a model may write lone surrogates, and they stay what they are.
    """

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    def record(self) -> dict[str, Any]:
        """Return the part as a JSON object, with what is null left out; `read_part` makes the part of it again."""
        return {name: value for name, value in self.__dict__.items() if value is not None}


class TextPart(StreamPart):
    """A piece of the answer's text."""

    kind: Literal["text"] = "text"
    """Always text."""
    text: InstanceOf[str]
    """The piece; may be empty."""


class ReasoningPart(StreamPart):
    """A piece of what the model thought; never part of the answer."""

    kind: Literal["reasoning"] = "reasoning"
    """Always reasoning."""
    text: InstanceOf[str]
    """The piece."""


class RefusalPart(StreamPart):
    """A piece of the words by which a model refuses."""

    kind: Literal["refusal"] = "refusal"
    """Always refusal."""
    text: InstanceOf[str]
    """The piece."""


class CallPart(StreamPart):
    """A piece of a native tool call: its beginning, its name, or some of its arguments."""

    kind: Literal["call"] = "call"
    """Always call."""
    index: int | None = None
    """The provider's number of the call in its answer; null when it gives none."""
    id: InstanceOf[str] | None = None
    """The provider's id of the call; empty counts as none."""
    name: InstanceOf[str] | None = None
    """The tool's name on the wire, or a piece of it; empty counts as none."""
    arguments: InstanceOf[str] | dict[str, Any] | None = None
    """A piece of the arguments as text, or all of them as an object."""


class CallEndPart(StreamPart):
    """The end of a native tool call, by a provider that tells it."""

    kind: Literal["call_end"] = "call_end"
    """Always call_end."""
    index: int | None = None
    """The provider's number of the call in its answer."""
    id: InstanceOf[str] | None = None
    """The provider's id of the call."""
    arguments: InstanceOf[str] | None = None
    """All of its arguments, which may correct the pieces before; null when they are not repeated."""


class FinishPart(StreamPart):
    """Why the model stopped."""

    kind: Literal["finish"] = "finish"
    """Always finish."""
    reason: FinishWord
    """stop, length, tool_calls, content_filter, refusal or unknown."""
    raw: InstanceOf[str] | None = None
    """The provider's own word, where it is another one."""


class UsagePart(StreamPart):
    """What the provider counted; kept as it is."""

    kind: Literal["usage"] = "usage"
    """Always usage."""
    data: dict[str, Any]
    """The provider's object."""


class ErrorPart(StreamPart):
    """An error that came instead of the answer, or in the middle of it."""

    kind: Literal["error"] = "error"
    """Always error."""
    message: InstanceOf[str]
    """What the provider, or the connection to it, said."""


ModelPart: TypeAlias = TextPart | ReasoningPart | RefusalPart | CallPart | CallEndPart | FinishPart | UsagePart | ErrorPart
"""A structured part; wherever parts are taken, a bare text stands for a `TextPart`."""

PART_TYPES: Final[dict[str, type[ModelPart]]] = {
    "text": TextPart,
    "reasoning": ReasoningPart,
    "refusal": RefusalPart,
    "call": CallPart,
    "call_end": CallEndPart,
    "finish": FinishPart,
    "usage": UsagePart,
    "error": ErrorPart,
}
"""The kinds of parts by their words."""


def read_part(value: Any) -> ModelPart:
    """Read a part from a text, a part, or a recorded object with a `kind`; camelCase is accepted.

    Args:
        value: the part in any of these forms.

    Raises:
        TypeError: it is none of them, or its fields are not those of its kind.
    """
    if isinstance(value, StreamPart):
        return value  # type: ignore[return-value]  # the eight kinds are all there are
    if isinstance(value, str):
        return TextPart(text=value)
    kind = value.get("kind") if isinstance(value, Mapping) else None
    if not isinstance(kind, str) or kind not in PART_TYPES:
        told = f"an object of kind {kind!r}" if isinstance(value, Mapping) else type(value).__name__
        raise TypeError(f"a part is a text, a part, or an object whose kind is one of {', '.join(PART_TYPES)}; this is {told}")
    try:
        return PART_TYPES[kind].model_validate(dict(value))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise TypeError(f"a part of kind {kind} cannot be read: {place}: {first['msg']}") from error


class ModelPartRow(Value):
    """One part of one answer, with what was known after it; a row of the `model_parts` table."""

    response_id: str
    """Id of the model call whose answer it is a part of."""
    part_index: int
    """Place in the stream, from 0."""
    kind: PartKind
    """text, reasoning, refusal, call, call_end, finish, usage or error."""
    call_index: int | None = None
    """The provider's number of the call; null when it gives none or the part is about no call."""
    call_id: str | None = None
    """The provider's id of the call, as this part gives it."""
    name: str | None = None
    """The tool's name on the wire, or the piece of it in this part."""
    chars: int
    """Characters by which it made the output longer."""
    output_chars: int
    """Characters of output so far: text, refusal and arguments, without names, ids and reasoning."""
    verdict: Literal["ok", "pending", "doomed"]
    """ok when what came so far is a valid selection, pending when more parts can make it one, else doomed."""
    code: str | None = None
    """Why it is no valid selection yet; null when it is one."""
