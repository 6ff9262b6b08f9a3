"""How is an answer kept in a file? JSON lines: what it was meant for, then its events as the provider sent them, or its parts.

Events are kept raw and lifted when they are read, so that a lifter that gets better reads old recordings better.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from agentnb.streams.parts import LIFTED, lift_parts
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.values import Value
from agentnb.values.model_parts import ModelPart, read_part


class StreamHeader(Value):
    """The first line of a recorded stream."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore")

    v: int = 1
    """Version of the form."""
    dialect: str | None = None
    """The provider's dialect; null when parts are kept."""
    transport: str | None = None
    """The transport that the answer was meant for."""
    stage: str | None = None
    """The stage."""
    adapter: str | None = None
    """The adapter."""
    catalog_digest: str | None = None
    """Digest of the tools that were offered: with other tools it is another question."""
    note: str | None = None
    """What is worth knowing about it."""


class RecordedStream(Value):
    """A recorded stream, as it was read."""

    header: StreamHeader
    """What it was meant for."""
    parts: tuple[ModelPart, ...]
    """Its parts, in order."""
    unread: tuple[int, ...] = ()
    """Lines that are none of it, from 1."""

    def made_with(self, prepared: PreparedModelInteraction) -> bool | None:
        """Tell whether it was made with the same tools; None when it does not tell."""
        return None if self.header.catalog_digest is None else self.header.catalog_digest == prepared.catalog_digest


def read_stream(lines: str | Iterable[str]) -> RecordedStream:
    """Read a recorded stream; a line that is none of it is told by its number, and raises nothing.

    Args:
        lines: the text of the file, or its lines.
    """
    header, items, unread = StreamHeader(), list[tuple[str, Any]](), list[int]()
    for number, line in enumerate(lines.splitlines() if isinstance(lines, str) else lines, 1):
        if not line.strip():
            continue
        value = _parsed(line)
        if isinstance(value, dict) and "raw" not in value and "part" not in value and not items and number == 1:
            header = _header(value)
        elif isinstance(value, dict) and ("raw" in value or _is_part(value.get("part"))):
            items.append(("raw", value["raw"]) if "raw" in value else ("part", value["part"]))
        else:
            unread.append(number)
    return RecordedStream(header=header, parts=tuple(_parts(items, header.dialect)), unread=tuple(unread))


def write_stream(header: StreamHeader, *, raw: Iterable[Any] = (), parts: Iterable[Any] = ()) -> str:
    """Write a recorded stream.

    Args:
        header: what it was meant for.
        raw: events as the provider sent them; the header says in which dialect.
        parts: or parts, where there are no events.

    Returns:
        The text of the file.
    """
    lines: list[dict[str, Any]] = [header.model_dump(exclude_none=True)]
    lines += [{"seq": at, "raw": event} for at, event in enumerate(raw)]
    lines += [{"seq": at, "part": read_part(part).record()} for at, part in enumerate(parts)]
    return "".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines)


def _parsed(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None


def _header(value: dict[str, Any]) -> StreamHeader:
    texts = {name: item for name, item in value.items() if isinstance(item, str)}
    return StreamHeader.model_validate({**texts, **({"v": value["v"]} if type(value.get("v")) is int else {})})


def _is_part(value: Any) -> bool:
    try:
        read_part(value)
    except TypeError:
        return False
    return True


def _parts(items: list[tuple[str, Any]], dialect: str | None) -> Iterable[ModelPart]:
    if dialect in LIFTED and all(kind == "raw" for kind, _ in items):
        return lift_parts([value for _, value in items], str(dialect))
    return [read_part(value) for kind, value in items if kind == "part"]
