"""Live conversations in the tables: each is a group of its own, and read again only when something was appended to it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from typing import Final, NamedTuple

from agentnb.conversations.stores import Store
from agentnb.errors import WorkspaceError
from agentnb.readers import LIVE, Rows, SourceFile, TakenIds, live_state, read_live
from agentnb.values import Diagnostic
from agentnb.workspace._batches import KeptFile, KeptGroup, conversation_ids, source_ids
from agentnb.workspace._columns import to_tables
from agentnb.workspace._live_places import UNREADABLE, LivePlace, conversation_path
from agentnb.workspace._live_store import LiveStore
from agentnb.workspace._progress import Progress

_SETTLES: Final = 3_000_000
"""Microseconds after which what was appended last has surely been followed by what belongs to it, such as the last events of a turn that was stopped."""
_LOT: Final = 20_000
"""Records of conversations that are kept together."""


class _Moving(NamedTuple):
    """A conversation whose rows may change though nothing is appended to it: a turn of it runs, or did so a moment ago."""

    place: LivePlace
    conversation_id: str
    turns: tuple[str, ...]
    """The turns that run."""
    until: int
    """When it is looked at again whatever happens, in microseconds since 1970: a lease runs out, or it has come to rest."""
    progress: int
    """What the place said of its turns."""

    def has_moved(self, now: int) -> bool:
        """Tell whether it has to be read again."""
        return now >= self.until or (bool(self.turns) and self.place.progress(self.turns) != self.progress)


class LivePlaces:
    """Lets a store show the conversations of places as they are now."""

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._places: dict[str, LivePlace] = {}
        self._lengths: dict[str, Mapping[str, int]] = {}
        self._moving: dict[str, _Moving] = {}
        self._failed: dict[str, str] = {}
        self._lock = threading.RLock()

    def watch(self, place: LivePlace) -> None:
        """Watch a place from now on; one of a name that is watched already stays as it is."""
        with self._lock:
            self._places.setdefault(place.name, place)

    def names(self) -> frozenset[str]:
        """Return the names of the places that are watched."""
        return frozenset(self._places)

    def stores(self) -> list[Store]:
        """Return the places as stores, which can be written; a file that is not there is none yet.

        Raises:
            ConversationError: one cannot be opened.
        """
        return [store for place in list(self._places.values()) if (store := place.opened()) is not None]

    def look_again(self) -> None:
        """Look at every conversation the next time: the store is another one, or has changed."""
        with self._lock:
            self._lengths.clear()

    def take_in(self, store: LiveStore) -> None:
        """Read what has changed. A place that cannot be read is told of in the diagnostics, and what was read of it before stays."""
        with self._lock:
            for place in list(self._places.values()):
                try:
                    self._take(place, store)
                    self._failed.pop(place.name, None)
                except UNREADABLE as error:
                    self._lengths.pop(place.name, None)
                    self._failed[place.name] = str(error) or type(error).__name__
            store.note([_unreadable(index, *failed) for index, failed in enumerate(sorted(self._failed.items()))])

    def _take(self, place: LivePlace, store: LiveStore) -> None:
        lengths, now = place.lengths(), time.time_ns() // 1000
        moved = {each.conversation_id for each in self._moving.values() if each.place is place and each.has_moved(now)}
        if not moved and lengths == self._lengths.get(place.name):
            return
        known = {file.path: file.size for batch in store.batches() for group in batch.groups if group.format == LIVE for file in group.files}
        changed = [each for each, length in lengths.items() if each in moved or known.get(str(conversation_path(place, each))) != length]
        lot = _Lot(store, {str(conversation_path(place, each)) for each in changed})
        with Progress(sum(lengths[each] for each in changed), "reading", unit=" records") as progress:
            for each in changed:
                self._read(place, each, lot, now)
                progress.add(lengths[each])
        lot.keep()
        self._lengths[place.name] = dict(lengths)

    def _read(self, place: LivePlace, conversation_id: str, lot: _Lot, now: int) -> None:
        live = place.read(conversation_id)
        state = live_state(live.records, now)
        path = str(conversation_path(place, conversation_id))
        file = SourceFile(conversation_path(place, conversation_id), len(live.records), (state.last_at or 0) * 1000)
        settles = min(state.last_at or 0, now) + _SETTLES
        moves = bool(state.running) or settles > now
        if moves:
            until = settles if state.until is None else state.until
            # What is told of a turn between the two looks is seen at the next one: its number is taken first.
            self._moving[path] = _Moving(place, conversation_id, state.running, until, place.progress(state.running) if state.running else 0)
        else:
            self._moving.pop(path, None)
        lot.add(file, read_live(live, file, now), moves=moves)


class _Lot:
    """Conversations that are kept together: those at rest in the store, the others over it."""

    def __init__(self, store: LiveStore, changed: set[str]) -> None:
        """Start empty.

        Args:
            store: keeps them.
            changed: the paths of all conversations that will come.
        """
        self._store = store
        batches = store.batches()
        again = source_ids(group for batch in batches for group in batch.groups if any(file.path in changed for file in group.files))
        self._taken = TakenIds(each for batch in batches for each in conversation_ids(batch, without=batch.hidden | again)) if changed else TakenIds()
        self._resting, self._moving = _Pile(), _Pile()

    def add(self, file: SourceFile, rows: Rows, *, moves: bool) -> None:
        self._taken.set_apart(rows, LIVE)
        kept = KeptFile(str(file.path), file.size, file.modified_ns, str(file.path), rows.sources[0].source_id)
        (self._moving if moves else self._resting).add(KeptGroup(LIVE, (kept,)), rows)
        if self._resting.records > _LOT:
            self._keep_resting()

    def keep(self) -> None:
        """Hand over what there is to the store."""
        self._keep_resting()
        if self._moving.groups:
            self._store.lay(self._moving.groups, to_tables(self._moving.rows))

    def _keep_resting(self) -> None:
        pile, self._resting = self._resting, _Pile()
        if not pile.groups:
            return
        tables = to_tables(pile.rows)
        try:
            self._store.add(pile.groups, tables)
        except WorkspaceError:
            # A folder that cannot be written can still be asked; the conversations themselves are safe where they are.
            self._store.lay(pile.groups, tables)
        else:
            self._store.clear(file.path for group in pile.groups for file in group.files)


class _Pile:
    """Groups, and their rows."""

    def __init__(self) -> None:
        self.groups: list[KeptGroup] = []
        self.rows = Rows()
        self.records = 0

    def add(self, group: KeptGroup, rows: Rows) -> None:
        self.groups.append(group)
        self.records += group.files[0].size
        for field in fields(Rows):
            getattr(self.rows, field.name).extend(getattr(rows, field.name))


def _unreadable(index: int, name: str, reason: str) -> Diagnostic:
    message = f"The live conversations in {name} cannot be read now: {reason}. What was read of them before is shown; the next query looks again."
    return Diagnostic(source_id="live", diagnostic_index=index, severity="error", code="live_unreadable", message=message)


def names_of_live(groups: Iterable[KeptGroup]) -> Sequence[str]:
    """Return the names of the places whose conversations were kept."""
    return sorted({file.path.rpartition("/")[0] for group in groups if group.format == LIVE for file in group.files})
