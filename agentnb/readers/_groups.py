"""Files -> groups of files that belong together: a session and its sub-agents, a run and its continuation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from agentnb.readers._archive import find_member
from agentnb.readers._content import Held, Origin, locate, open_content
from agentnb.readers._reader import Reader, Sample

_PIECE = 1 << 20


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
    """What was seen of it; None of a file that is looked at again if it must be read: it was known before and has not changed, or is too large to be held."""
    origin: Origin = None
    """Where its content is kept when it is no file of this path."""


class Group(NamedTuple):
    """Files that are read together."""

    reader: Reader
    members: tuple[Candidate, ...]


def state_of(path: Path, origin: Origin = None) -> SourceFile:
    """Return size and time of a file, by which a change is noticed; of a member of an archive its size and the time of the archive.

    Raises:
        OSError: when the file is gone.
    """
    place = locate(path, origin)
    size = find_member(place).entry.size if place.inner else None
    if isinstance(place.root, Held):
        return SourceFile(path, len(place.root.data) if size is None else size, place.root.modified_ns)
    stat = place.root.stat()
    return SourceFile(path, stat.st_size if size is None else size, stat.st_mtime_ns)


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


def copies_of_earlier(candidates: Sequence[Candidate]) -> dict[Path, Path]:
    """Find files with the same content as an earlier one; only those are read for it that are of equal size, or belong together and are packed."""
    by_size: dict[int, list[Candidate]] = {}
    for candidate in candidates:
        by_size.setdefault(candidate.file.size, []).append(candidate)
    related = [group.members for group in group_files(candidates) if len(group.members) > 1]
    alike = [*(same for same in by_size.values() if len(same) > 1), *(same for same in related if any(map(_is_packed, same)))]
    digests: dict[Path, bytes] = {}
    for candidate in (candidate for same in alike for candidate in same):
        digests.setdefault(candidate.file.path, _digest(candidate.file.path, candidate.origin))
    first: dict[bytes, Path] = {}
    copies: dict[Path, Path] = {}
    for path in (candidate.file.path for candidate in candidates if candidate.file.path in digests):
        if (earlier := first.setdefault(digests[path], path)) is not path:
            copies[path] = earlier
    return copies


def _is_packed(candidate: Candidate) -> bool:
    try:
        with open_content(candidate.file.path, candidate.origin) as stream:
            return stream.counted is not None
    except OSError:
        return False


def _digest(path: Path, origin: Origin) -> bytes:
    digest = hashlib.blake2b()
    try:
        with open_content(path, origin) as stream:
            while piece := stream.file.read(_PIECE):
                digest.update(piece)
    except OSError:
        digest.update(str(path).encode("utf-8", "surrogateescape"))  # it is gone meanwhile, and like no other
    return digest.digest()
