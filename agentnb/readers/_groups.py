"""Files -> groups of files that belong together: a session and its sub-agents, a run and its continuation."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agentnb.readers._reader import Reader, Sample


class SourceFile(NamedTuple):
    """A file as it was: a change is noticed by its size and time."""

    path: Path
    size: int
    """In bytes."""
    modified_ns: int
    """Time of the last change, in nanoseconds since 1970."""


class Candidate(NamedTuple):
    """A file whose format is known."""

    file: SourceFile
    reader: Reader
    keys: frozenset[str]
    sample: Sample | None = None
    """What was seen of it; None of a file that was known before and has not changed, which is looked at again only if it must be read."""


class Group(NamedTuple):
    """Files that are read together."""

    reader: Reader
    members: tuple[Candidate, ...]


def state_of(path: Path) -> SourceFile:
    """Return size and time of a file, by which a change is noticed.

    Raises:
        OSError: when the file is gone.
    """
    stat = path.stat()
    return SourceFile(path, stat.st_size, stat.st_mtime_ns)


def group_files(candidates: Sequence[Candidate]) -> list[Group]:
    """Put together the files of one format that share a key, directly or through others; groups and members stay in the order of the files."""
    leader: dict[tuple[str, str], int] = {}
    parent = list(range(len(candidates)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for index, candidate in enumerate(candidates):
        for key in candidate.keys:
            first = leader.setdefault((candidate.reader.format, key), index)
            low, high = sorted((root(first), root(index)))
            parent[high] = low
    members: dict[int, list[Candidate]] = {}
    for index, candidate in enumerate(candidates):
        members.setdefault(root(index), []).append(candidate)
    return [Group(group[0].reader, tuple(group)) for group in members.values()]


def copies_of_earlier(candidates: Iterable[Candidate]) -> dict[Path, Path]:
    """Find files with the same bytes as an earlier one; only files of equal size are read for it."""
    by_size: dict[int, list[Path]] = {}
    for candidate in candidates:
        by_size.setdefault(candidate.file.size, []).append(candidate.file.path)
    copies: dict[Path, Path] = {}
    for paths in by_size.values():
        seen: dict[bytes, Path] = {}
        for path in paths if len(paths) > 1 else ():
            with path.open("rb") as file:
                digest = hashlib.file_digest(file, "blake2b").digest()
            if (first := seen.setdefault(digest, path)) is not path:
                copies[path] = first
    return copies
