"""What models and tools really did, written down by themselves: beside the log, so that the log can be held against it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple


class Note(NamedTuple):
    """One thing that was done."""

    what: str
    """asked and replied of a model; began and ended of a tool."""
    name: str
    """Digest of the request, or the tool with its argument."""
    pid: int
    """The process that did it."""
    output: str | None = None
    """What a tool put out."""


class SideFile:
    """A file of notes, each on the disk before what it tells goes on."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @classmethod
    def at(cls, path: str) -> SideFile:
        """Return the side file at a path."""
        return cls(Path(path))

    def note(self, what: str, name: str, output: str | None = None) -> None:
        """Write a note."""
        descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(descriptor, json.dumps([what, name, os.getpid(), output]).encode() + b"\n")
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    def notes(self) -> list[Note]:
        """Return every note, in order."""
        if not self._path.exists():
            return []
        return [Note(*json.loads(line)) for line in self._path.read_text(encoding="utf-8").splitlines()]

    def count(self, what: str, name: str) -> int:
        """Return how often something was done."""
        return sum(note.what == what and note.name == name for note in self.notes())
