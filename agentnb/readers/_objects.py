"""What is at hand in Python -> the bytes of a file that could have held it: parsed messages, objects of an SDK, bytes, texts, open files."""

from __future__ import annotations

import base64
import dataclasses
import enum
import hashlib
import io
import json
import numbers
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from datetime import date, datetime, timedelta
from datetime import time as time_of_day
from pathlib import Path
from typing import Any, NamedTuple

from agentnb.errors import UnknownFormat
from agentnb.readers._content import Held
from agentnb.readers._discover import Found
from agentnb.readers._read import survey_files

_MOST_DEEP = 150
_NAME = 56
_REPR = 200
# Methods by which objects of SDKs say what they hold, the one that keeps most of it first.
_DUMPS = ("model_dump", "to_dict", "dict", "_asdict")


class Given(NamedTuple):
    """An object as a file: the path that stands for it, and its content."""

    path: Path
    content: Held

    @property
    def found(self) -> Found:
        """The file, as readers know it."""
        return Found(self.path, named=True, origin=self.content)


def is_content(value: Any) -> bool:
    """Tell whether a value is bytes or an open file: content as it is, rather than a parsed value."""
    return isinstance(value, bytes | bytearray | memoryview) or callable(getattr(value, "read", None))


def as_files(value: Any, name: str | None = None) -> list[Given]:
    """Make files of an object.

    Args:
        value: bytes, an open file, or a parsed value: a message list, a request, a list of events, an export, plain or as objects of an SDK. A dict or a
            list of several such values makes one file of each.
        name: a name for it. What is given later under the same name takes its place. Without a name, an open file has its own, and anything else one that
            is made from its content.

    Returns:
        The files; they are of formats that can be read, unless they hold nothing, or are archives.

    Raises:
        UnknownFormat: when it is of no known format.
        OSError: when an open file cannot be read.
    """
    if is_content(value):
        data, own_name = _read(value)
        given = _given(data, name or own_name, "bytes")
        survey_files([given.found])
        return [given]
    plain = to_plain(value)
    refusals: list[UnknownFormat] = []
    for form in _forms(plain, name):
        try:
            survey_files([item.found for item in form])
        except UnknownFormat as error:
            refusals.append(error)
        else:
            return form
    raise refusals[0]


def text_as_file(text: str, name: str | None = None) -> Given:
    """Make a file of a text, such as JSON or lines of JSON.

    Raises:
        UnknownFormat: when it is of no known format.
    """
    given = _given(text.encode("utf-8", "surrogatepass"), name, "text")
    survey_files([given.found])
    return given


def to_plain(value: Any) -> Any:
    """Return a value as JSON has it: objects of SDKs, dataclasses and the like as what they hold, times as ISO text, bytes as base64.

    Raises:
        UnknownFormat: when it is an object that does not tell what it holds, or holds itself.
    """
    plain = _plain(value, 0)
    if not isinstance(plain, dict | list):
        kind = type(value).__name__
        raise UnknownFormat(f"A {kind} cannot be read: it is no message list, request, response, export or the like. It is: {repr(value)[:_REPR]}.")
    return plain


def _read(value: Any) -> tuple[bytes, str | None]:
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value), None
    data = value.read()
    name = getattr(value, "name", None)
    if not isinstance(data, str | bytes | bytearray | memoryview):
        raise UnknownFormat(f"A {type(value).__name__} cannot be read: its read() returns a {type(data).__name__}, neither bytes nor text.")
    return data.encode("utf-8", "surrogatepass") if isinstance(data, str) else bytes(data), os.fspath(name) if isinstance(name, str | Path) else None


def _forms(plain: Any, name: str | None) -> Iterator[list[Given]]:
    """Yield what a value may be: one document, the values of a file of lines, or several documents."""
    kind = _kind_of(plain)
    yield [_given(_to_bytes(plain), name, kind)]
    if isinstance(plain, list):
        lines = b"".join(_to_bytes(item) + b"\n" for item in plain)
        if len(plain) > 1:
            yield [_given(lines, name, kind)]
        if plain and all(isinstance(item, list) for item in plain):
            yield _apart([(f"{name} {number}" if name else None, item) for number, item in enumerate(plain, 1)])
    elif plain and all(isinstance(item, list | dict) for item in plain.values()):
        yield _apart([(f"{name} {key}" if name else key, item) for key, item in plain.items()])


def _apart(items: Iterable[tuple[str | None, Any]]) -> list[Given]:
    return [_given(_to_bytes(item), name, _kind_of(item)) for name, item in items]


def _kind_of(plain: Any) -> str:
    if isinstance(plain, list):
        return "messages" if plain and isinstance(plain[0], dict) and ("role" in plain[0] or "content" in plain[0]) else "list"
    return "object"


def _given(data: bytes, name: str | None, kind: str) -> Given:
    words = "".join(" " if letter in "<>" or not letter.isprintable() else letter for letter in name or "").strip()
    if len(words) > _NAME:
        words = f"…{words[10 - _NAME :]} {_digest(words.encode())}"
    return Given(Path(f"<{words or f'{kind} {_digest(data)}'}>"), Held(data, time.time_ns()))


def _digest(data: bytes) -> str:
    return hashlib.blake2b(data, digest_size=4).hexdigest()


def _to_bytes(plain: Any) -> bytes:
    return json.dumps(plain, separators=(",", ":")).encode()


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, enum.Enum):
        return _plain(value.value, depth)
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return str(value)
    if depth > _MOST_DEEP:
        raise UnknownFormat("The object cannot be read: it holds itself, or is nested too deeply.")
    if isinstance(value, Mapping):
        return {_key(key): _plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    if isinstance(value, datetime | date | time_of_day):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, numbers.Real):
        return int(value) if isinstance(value, numbers.Integral) else float(value)
    return _plain_object(value, depth)


def _plain_object(value: Any, depth: int) -> Any:
    dumped = _dumped(value)
    if dumped is not None:
        return _plain(dumped, depth + 1)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name, None), depth + 1) for field in dataclasses.fields(value)}
    fields = getattr(type(value), "__struct_fields__", None) or [field.name for field in getattr(type(value), "__attrs_attrs__", ())]
    if fields:
        return {name: _plain(getattr(value, name, None), depth + 1) for name in fields}
    if isinstance(value, Set):
        return sorted((_plain(item, depth + 1) for item in value), key=repr)
    if isinstance(value, Iterable) and not isinstance(value, type | io.IOBase):
        return [_plain(item, depth + 1) for item in value]
    return str(value)


def _dumped(value: Any) -> Mapping[str, Any] | None:
    """Ask an object of an SDK what it holds; None when it has no way of saying so."""
    if isinstance(value, type):
        return None
    for name in _DUMPS:
        dump = getattr(value, name, None)
        dumped = _ask(dump, {"mode": "json"} if name == "model_dump" else {}) if callable(dump) else None
        if isinstance(dumped, Mapping):
            return dumped
    return None


def _ask(dump: Callable[..., Any], options: dict[str, str]) -> Any:
    try:
        return dump(**options)
    except Exception:  # code of others, which may want arguments; there are further ways
        return None


def _key(key: Any) -> str:
    return key if isinstance(key, str) else str(_plain(key, _MOST_DEEP) if isinstance(key, enum.Enum) else key)
