"""A look at a file: is it text, lines or one document, and what are its first values?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from agentnb.readers._json import parse_document, parse_json
from agentnb.readers._lines import read_bytes
from agentnb.readers._reader import Sample

_HEAD = 1 << 18
_TAIL = 1 << 16
_VALUES = 20
_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


class Look(NamedTuple):
    """What a file is: a sample of its values, or the state and the reason why there is none."""

    sample: Sample | None
    state: str = "read"
    reason: str | None = None


def look_at(path: Path) -> Look:
    """Look at a file without reading all of it, unless it is one document.

    Raises:
        OSError: when the file cannot be opened.
    """
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head.strip() or head in _MARKS:
        return Look(None, "empty", "The file is empty.")
    if _is_binary(head):
        return Look(None, "binary", f"The file is binary: it begins with {head[:8]!r}.")
    values = _values_of_lines(_first_lines(head, whole=path.stat().st_size <= len(head)))
    if values is not None:
        return Look(Sample("lines", values, _last_values(path)))
    return _look_at_document(path)


def _values_of_lines(lines: list[bytes]) -> tuple[Any, ...] | None:
    """Return the values of lines the first or most of which are JSON, and at least one of them an object; None when it is no file of lines."""
    parsed = list(map(parse_json, lines))
    values = tuple(item.value for item in parsed if item.ok)
    begins = bool(parsed) and isinstance(parsed[0].value, dict)
    if len(lines) > 1 and (begins or len(values) * 2 >= len(lines)) and any(isinstance(value, dict) for value in values):
        return values
    return None


def _look_at_document(path: Path) -> Look:
    data = read_bytes(path)
    parsed = parse_document(data)
    if parsed.ok and "cut_document" not in parsed.oddities:
        return Look(Sample("document", (parsed.value,), oddities=parsed.oddities, one_line=b"\n" not in data.strip()))
    values = _values_of_lines(_first_lines(data, whole=True))
    if values is not None:
        return Look(Sample("lines", values, _last_values(path)))
    if parsed.ok and isinstance(parsed.value, dict | list) and parsed.value:
        return Look(Sample("document", (parsed.value,), oddities=parsed.oddities))
    return Look(None, "unknown_format", "The file is neither JSON nor JSON lines.")


def _is_binary(head: bytes) -> bool:
    if head.startswith(_MARKS) or head.lstrip()[:1] in (b"{", b"[", b'"'):
        return False
    return b"\x00" in head[:8192] or sum(byte < 9 or 13 < byte < 32 for byte in head[:2048]) * 10 > len(head[:2048])


def _first_lines(head: bytes, *, whole: bool) -> list[bytes]:
    """Return the first lines that are there to their end; of a file that fits into the head its last line too."""
    if head.startswith(_MARKS[1:]):
        head = head.decode("utf-16", "replace").encode()
    lines = head.removeprefix(_MARKS[0]).split(b"\n")
    if not whole and len(lines) > 1:
        lines.pop()
    return [line for line in lines if line.strip()][:_VALUES]


def _last_values(path: Path) -> tuple[Any, ...]:
    with path.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _TAIL))
        lines = file.read().split(b"\n")
    parsed = [parse_json(line) for line in lines[-_VALUES:] if line.strip()]
    return tuple(item.value for item in parsed if item.ok)
