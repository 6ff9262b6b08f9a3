"""Readers that other distributions bring, by entry points of the group `agentnb.readers`; whatever is wrong with one, it stops no other.

What goes wrong is said once, with the name of the distribution. See `agentnb.readers` for how to write one.
"""

from __future__ import annotations

import importlib.metadata
import logging
from collections.abc import Sequence
from dataclasses import fields

from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows

GROUP = "agentnb.readers"
_log = logging.getLogger("agentnb")


def load_plugins() -> tuple[Reader, ...]:
    """Import the readers of other distributions, in the order of their names."""
    points = importlib.metadata.entry_points(group=GROUP)
    loaded: dict[str, Reader] = {}
    for point in sorted(points, key=lambda point: (_distribution_of(point), point.name)):
        reader = _load(point)
        if reader is not None and loaded.setdefault(reader.format, reader) is not reader:
            _log.warning("%s: there is a reader of the format %r already; this one is not used.", _name_of(point), reader.format)
    return tuple(loaded.values())


def _load(point: importlib.metadata.EntryPoint) -> Reader | None:
    name = _name_of(point)
    try:
        value = point.load()
    except Exception as error:  # code of others
        _log.warning("%s cannot be imported: %s: %s. Files of its format are not read.", name, type(error).__name__, error)
        return None
    reader = getattr(value, "READER", value)
    if not isinstance(reader, Reader):
        _log.warning("%s is no agentnb.readers.Reader, nor a module with one as READER; it is not used.", name)
        return None
    return _Guarded(reader, name).reader()


class _Guarded:
    """A reader of others: what it raises goes no further."""

    def __init__(self, reader: Reader, name: str) -> None:
        self._own = reader
        self._name = name
        self._said: set[str] = set()

    def reader(self) -> Reader:
        return self._own._replace(matches=self.matches, keys=self.keys, read=self.read)

    def matches(self, sample: Sample) -> bool:
        try:
            return bool(self._own.matches(sample))
        except Exception as error:  # code of others
            self._say("matches", error)
            return False

    def keys(self, sample: Sample) -> set[str]:
        try:
            return set(map(str, self._own.keys(sample)))
        except Exception as error:  # code of others
            self._say("keys", error)
            return set()

    def read(self, files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
        found = Rows()
        try:
            self._own.read(files, found, on_bytes)
        except OSError:
            raise  # a file that is gone meanwhile is the workspace's to handle
        except Exception as error:  # code of others
            self._say("read", error)
            for file in files:
                file.account.fail(f"{self._name} failed: {type(error).__name__}: {error}.")
            return
        for field in fields(Rows):
            getattr(rows, field.name).extend(getattr(found, field.name))
        rows.turn_ids |= found.turn_ids

    def _say(self, what: str, error: Exception) -> None:
        if what not in self._said:
            self._said.add(what)
            _log.warning("%s: its %s raised %s: %s. It is said once.", self._name, what, type(error).__name__, error)


def _distribution_of(point: importlib.metadata.EntryPoint) -> str:
    return point.dist.name if point.dist is not None else ""


def _name_of(point: importlib.metadata.EntryPoint) -> str:
    return f"The reader {point.name} of {_distribution_of(point) or 'an unknown distribution'}"
