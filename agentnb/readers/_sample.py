"""A look at a file: is it lines, one document, a text or an archive, and what are its first values?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from agentnb.readers._archive import find_archive, open_member
from agentnb.readers._containers import sample_of
from agentnb.readers._content import Origin, Stream, locate, open_content
from agentnb.readers._framing import are_events, first_values, split_events, split_values
from agentnb.readers._json import parse_document, parse_json
from agentnb.readers._lines import without_mark
from agentnb.readers._reader import Sample
from agentnb.readers._yaml import parse_yaml

_HEAD = 1 << 18
_TAIL = 1 << 16
_TEXT = 1 << 16
_VALUES = 20
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
_ARCHIVES = (b"PK\x03\x04", b"PK\x05\x06")
_TAR = slice(257, 262)
_NO_VALUES = {"encrypted": "It is encrypted.", "unknown_compression": "It is compressed in a way that is not known."}


class Look(NamedTuple):
    """What a file is: a sample of its values, or the state and the reason why there is none."""

    sample: Sample | None
    state: str = "read"
    reason: str | None = None
    size: int = 0
    """How many bytes of text stand behind the values of the sample."""


def look_at(path: Path, origin: Origin = None) -> Look:
    """Look at a file without reading all of it, unless it is one document, or packed lines whose last values stand at its end.

    Raises:
        OSError: when the file cannot be opened.
    """
    with open_content(path, origin) as stream:
        head = stream.file.read(_HEAD)
        if head.startswith(_ARCHIVES) or head[_TAR] == b"ustar":
            look = _look_at_archive(path, origin)
            if look is not None:
                return look
        damage = next((_NO_VALUES[code] for code in stream.oddities if code in _NO_VALUES), None)
        if damage is not None:
            return Look(None, "unreadable", damage)
        if not head.strip() or head in _MARKS:
            return Look(None, "empty", "The file is empty.")
        if _is_binary(head):
            return Look(None, "binary", f"The file is binary: it begins with {head[:8]!r}.")
        return _look_at_text(head, stream)


def _look_at_archive(path: Path, origin: Origin) -> Look | None:
    archive = find_archive(locate(path, origin))
    if archive is None:
        return None
    if not archive.members:
        return Look(None, "empty", "The archive holds no files.")
    return Look(sample_of(archive)._replace(text=_begin_of_first(path / next(iter(archive.members)), origin)))


def _begin_of_first(member: Path, origin: Origin) -> str:
    """Return how the first member of an archive begins: a log that is an archive says there what it is of."""
    try:
        with open_member(locate(member, origin)) as content:
            return (content.read(_TEXT) or b"").decode("utf-8", "backslashreplace")
    except (OSError, ValueError):
        return ""


def _look_at_text(head: bytes, stream: Stream) -> Look:
    is_whole = len(head) < _HEAD
    lines = _first_lines(head, whole=is_whole)
    if are_events(lines):
        values = _values_of([data for _, data in split_events(enumerate(without_mark(head).split(b"\n"), 1))][:_VALUES])
        return Look(Sample("lines", values, values, framing="events"))
    values_of_lines = _values_of_lines(lines)
    if values_of_lines is not None:
        return Look(Sample("lines", values_of_lines, _last_values(head, stream)))
    data = without_mark(head + stream.file.read())
    return _look_at_document(data, stream.oddities)._replace(size=len(data))


def _values_of_lines(lines: list[bytes]) -> tuple[Any, ...] | None:
    """Return the values of lines the first or most of which are JSON, and at least one of them an object, or a named one; None when it is no file of lines."""
    parsed = list(map(parse_json, lines))
    values = tuple(item.value for item in parsed if item.ok)
    begins = bool(parsed) and isinstance(parsed[0].value, dict)
    if len(lines) > 1 and (begins or len(values) * 2 >= len(lines)) and any(isinstance(value, dict) or _is_named_object(value) for value in values):
        return values
    return None


def _is_named_object(value: Any) -> bool:
    """Tell whether a value is a name, or an object, and what is known of it, as some logs write each event."""
    return isinstance(value, list) and len(value) == 2 and isinstance(value[0], str | dict) and isinstance(value[1], dict)


def _look_at_document(data: bytes, damage: tuple[str, ...]) -> Look:
    parsed = parse_document(data)
    if parsed.ok and "cut_document" not in parsed.oddities:
        return Look(Sample("document", (parsed.value,), oddities=(*damage, *parsed.oddities), one_line=b"\n" not in data.strip()))
    lines = data.split(b"\n")
    values = _values_of_lines([line for line in lines if line.strip()][:_VALUES])
    if values is not None:
        return Look(Sample("lines", values, _values_of(lines[-_VALUES:])))
    values = _values_of(first_values(data, _VALUES))
    if any(isinstance(value, dict) for value in values):
        return Look(Sample("lines", values, _values_of(list(split_values(data))[-_VALUES:]), framing="values"))
    if parsed.ok and isinstance(parsed.value, dict | list) and parsed.value:
        return Look(Sample("document", (parsed.value,), oddities=(*damage, *parsed.oddities)))
    return _look_at_words(data, damage)


def _look_at_words(data: bytes, damage: tuple[str, ...]) -> Look:
    """Look at what is not JSON: YAML, or any other text."""
    text = data[:_TEXT].decode("utf-8", "backslashreplace")
    if data.lstrip()[:1] in (b"{", b"["):
        return Look(None, "unknown_format", "The file begins like JSON, but no value can be made of it.")
    document, reason = parse_yaml(data)
    if document is not None:
        return Look(Sample("document", (document,), oddities=damage, text=text))
    return Look(Sample("text", oddities=damage, text=text), reason=reason)


def _is_binary(head: bytes) -> bool:
    if head.startswith(_MARKS) or head.lstrip()[:1] in (b"{", b"[", b'"'):
        return False
    return b"\x00" in head[:8192] or sum(byte < 9 or 13 < byte < 32 for byte in head[:2048]) * 10 > len(head[:2048])


def _first_lines(head: bytes, *, whole: bool) -> list[bytes]:
    """Return the first lines that are there to their end; of a file that fits into the head its last line too."""
    lines = without_mark(head).split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line.strip()][:_VALUES]


def _last_values(head: bytes, stream: Stream) -> tuple[Any, ...]:
    tail = _tail_of(stream.file) if not stream.layers and stream.file.seekable() else _tail_by_reading(head, stream.file)
    return _values_of(without_mark(tail).split(b"\n")[-_VALUES:])


def _tail_of(file: BinaryIO) -> bytes:
    file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL))
    return file.read()


def _tail_by_reading(head: bytes, file: BinaryIO) -> bytes:
    tail = head[-_TAIL:]
    while piece := file.read(_HEAD):
        tail = (tail + piece)[-_TAIL:]
    return tail


def _values_of(lines: list[bytes]) -> tuple[Any, ...]:
    parsed = [parse_json(line) for line in lines if line.strip()]
    return tuple(item.value for item in parsed if item.ok)
