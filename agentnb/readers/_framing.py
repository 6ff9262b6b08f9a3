"""Where one JSON value ends and the next begins, in a text that is not one value a line: server-sent events, and values without a separator."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from agentnb.readers._json import parse_json

_FIELD = re.compile(rb"(data|event|id|retry)?:")
_STRING_OR_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_NEXT_VALUE = re.compile(r"\n(?=[{\[])")
_BLANK = re.compile(r"\s*")
_DONE = b"[DONE]"
_decoder = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


def are_events(lines: Sequence[bytes]) -> bool:
    """Tell whether lines, blank ones left out, are server-sent events whose data are JSON objects."""
    if not lines or not all(map(_FIELD.match, lines)):
        return False
    pieces = [_data_of(line) for line in lines if line.startswith(b"data:")]
    whole = [parse_json(piece) for piece in (*pieces, b"\n".join(pieces)) if piece.lstrip().startswith(b"{")]
    return any(parsed.ok and isinstance(parsed.value, dict) for parsed in whole)


def split_events(lines: Iterable[tuple[int, bytes]]) -> Iterator[tuple[int, bytes]]:
    """Yield the data of server-sent events, each with the number of its first line; names, ids, comments and the mark of the end are no data.

    Args:
        lines: every line with its number, blank ones too, since these end an event.
    """
    place, data = 0, list[bytes]()
    for number, line in lines:
        line = line.strip(b"\r\n")
        if not line.strip():
            if data:
                yield place, b"\n".join(data)
            data = []
        elif line.startswith(b"data:") and (piece := _data_of(line)).strip() != _DONE:
            # Some logs leave out the blank lines between events; data that are whole end there.
            if data and parse_json(b"\n".join(data)).ok:
                yield place, b"\n".join(data)
                data = []
            place = place if data else number
            data.append(piece)
        elif not _FIELD.match(line):
            if data:
                yield place, b"\n".join(data)
            data = []
            yield number, line
    if data:
        yield place, b"\n".join(data)


def split_values(data: bytes) -> Iterator[bytes]:
    """Yield the texts of JSON values that stand directly after one another; after a damaged one it goes on with the next that begins a line."""
    text = data.decode("utf-8", "surrogateescape")
    place = _skip_blank(text, 0)
    while place < len(text):
        end = _end_of_value(text, place)
        if end is None:
            found = _NEXT_VALUE.search(text, place + 1)
            end = found.end() if found else len(text)
        yield text[place:end].strip().encode("utf-8", "surrogateescape")
        place = _skip_blank(text, end)


def first_values(data: bytes, count: int) -> list[bytes]:
    """Return the first values that stand directly after one another; nothing when it is not so from the beginning, or there is only one."""
    text = data.decode("utf-8", "surrogateescape")
    found: list[bytes] = []
    place = _skip_blank(text, 0)
    while place < len(text) and len(found) < count and text[place] in "{[":
        end = _end_of_value(text, place)
        if end is None:
            break
        found.append(text[place:end].encode("utf-8", "surrogateescape"))
        place = _skip_blank(text, end)
    return found if len(found) > 1 else []


def _data_of(line: bytes) -> bytes:
    return line.removeprefix(b"data:").removeprefix(b" ").rstrip(b"\r\n")


def _skip_blank(text: str, place: int) -> int:
    found = _BLANK.match(text, place)
    return found.end() if found else place


def _end_of_value(text: str, place: int) -> int | None:
    try:
        return _decoder.raw_decode(text, place)[1]
    except ValueError:
        return None
    except RecursionError:
        return _end_of_brackets(text, place)


def _end_of_brackets(text: str, place: int) -> int | None:
    """Find the end of a value that is nested too deeply to be decoded."""
    data = text[place:].encode("utf-8", "surrogateescape")
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(data):
        token = match.group()
        depth += (token in (b"[", b"{")) - (token in (b"]", b"}"))
        if depth == 0:
            return place + len(data[: match.end()].decode("utf-8", "surrogateescape"))
    return None
