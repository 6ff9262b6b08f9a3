"""Archives among files -> the files inside of them, unless an archive is one recording as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentnb.readers._archive import Archive, find_archive, find_member
from agentnb.readers._content import locate
from agentnb.readers._discover import NEVER, Found
from agentnb.readers._reader import Sample
from agentnb.readers._register import recognise

_DEPTH = 2
_NEVER = NEVER | {"__MACOSX"}


def with_members(found: Iterable[Found]) -> list[Found]:
    """Put in the place of each archive what is in it, and of an archive inside of it too; each file is there once.

    An archive that a reader takes as a whole stays, and so do one that holds nothing and one that is damaged, which the account has to say.
    """
    items: dict[str, Found] = {}
    for item in found:
        for inner in _expanded(item, _DEPTH - _depth_of(item)):
            items.setdefault(str(inner.path), inner)
    return list(items.values())


def sample_of(archive: Archive) -> Sample:
    """Return what is seen of an archive: the names of its members."""
    return Sample("archive", tuple(archive.members), oddities=() if archive.whole else ("cut_archive",))


def _expanded(item: Found, depth: int) -> Iterator[Found]:
    archive = _archive_at(item) if depth > 0 else None
    if archive is None or not archive.members or recognise(sample_of(archive)) is not None:
        yield item
        return
    for name in archive.members:
        if _NEVER.isdisjoint(name.split("/")):
            yield from _expanded(Found(item.path / name, item.named and len(archive.members) == 1, item.origin), depth - 1)
    if not archive.whole:
        yield item


def _depth_of(item: Found) -> int:
    """Return how many archives a file is inside of."""
    try:
        place = locate(item.path, item.origin)
        return 0 if not place.inner else 2 if find_member(place).place.inner else 1
    except OSError:
        return 0  # see _archive_at


def _archive_at(item: Found) -> Archive | None:
    try:
        return find_archive(locate(item.path, item.origin))
    except OSError:
        return None  # which the look at it says
