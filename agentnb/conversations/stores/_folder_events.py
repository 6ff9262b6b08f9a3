"""Events of turns in a folder: `<turn>.jsonl` with its `.lock`, and `.writer` with the number of the last claim (FunctAI's layout)."""

from __future__ import annotations

import secrets
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from agentnb.conversations.stores._event_form import is_tree_id
from agentnb.conversations.stores._failures import failing_clearly
from agentnb.conversations.stores._files import sync_folder, write_new
from agentnb.conversations.stores._line_log import LineLog
from agentnb.conversations.stores._texts import event_text, json_of, read_objects
from agentnb.conversations.stores.event_rules import LogState, check_events, check_tree_id, next_claim
from agentnb.conversations.stores.memory import events_after
from agentnb.conversations.stores.protocols import Claim, Outcome, Record


class FolderEvents:
    """Keeps the events of turns in a folder.

    Args:
        folder: the folder; made when the first event is kept.
        timeout: seconds to wait for another process at most.
    """

    def __init__(self, folder: Path, *, timeout: float) -> None:
        self._folder = folder
        self._tree = lru_cache(maxsize=1024)(lambda tree: _Tree(folder / f"{tree}.jsonl", timeout=timeout))

    def claim(self, tree: str) -> Claim:
        """Become the writer of a log; see `EventStore.claim`."""
        if not self._is_there(tree):
            return next_claim(tree, LogState())
        log = self._tree(tree)
        with failing_clearly(self._folder, doing="written"), log.lines.held():
            claim = next_claim(tree, log.state())
            log.write_writer(claim.writer)
            return claim

    def append(self, tree: str, events: Sequence[Mapping[str, Any]]) -> Outcome:
        """Keep events; see `EventStore.append`."""
        check_tree_id(tree)
        log = self._tree(tree)
        with failing_clearly(self._folder, doing="written"), log.lines.held():
            checked = check_events(tree, events, log.state(), log.kept)
            new = [event_text(event) for event in checked.new]
            log.lines.append(lambda _: new)
            return checked.outcome

    def read(self, tree: str, *, after: Mapping[str, int] | None = None) -> list[Record]:
        """Return the events after a position; see `EventStore.read`."""
        with failing_clearly(self._folder, doing="read"):
            lines = self._tree(tree).lines.read() if self._is_there(tree) else []
        return events_after(tree, read_objects(lines), after)

    def _is_there(self, tree: str) -> bool:
        return is_tree_id(tree) and (self._folder / f"{tree}.jsonl").exists()


class _Tree:
    """What was read of one log: its state, and the seq of each of its lines."""

    def __init__(self, path: Path, *, timeout: float) -> None:
        self.lines = LineLog(path, timeout=timeout)
        self._writer = path.with_suffix(".writer")
        self._generation = 0
        self._state = LogState()
        self._seqs = array("q")

    def state(self) -> LogState:
        """Read on, and return the state."""
        self.lines.count()
        if self._generation != self.lines.generation:
            self._generation, self._state, self._seqs = self.lines.generation, LogState(), array("q")
        for line in self.lines.read(len(self._seqs)):
            event = json_of(line)
            is_event = isinstance(event, dict) and type(event.get("seq")) is int and {"writer", "kind", "call", "tree"} <= event.keys()
            # A line that is damaged keeps its place, so that places and seqs stay in step.
            self._seqs.append(event["seq"] if is_event else self._state.seq)
            if is_event:
                self._state = self._state.with_event(event)
        return self._state._replace(writer=self._read_writer())

    def kept(self, seq: int) -> Record | None:
        """Return the event with a seq."""
        place = bisect_left(self._seqs, seq)
        if place == len(self._seqs) or self._seqs[place] != seq:
            return None
        event = json_of(self.lines.read(place)[0])
        return event if isinstance(event, dict) else None

    def write_writer(self, writer: int) -> None:
        """Keep the number of the last claim, in one step."""
        beside = self._writer.with_name(f".{self._writer.name}-{secrets.token_hex(6)}")
        write_new(beside, str(writer).encode())
        beside.replace(self._writer)
        sync_folder(self._writer.parent)

    def _read_writer(self) -> int:
        try:
            text = self._writer.read_text(encoding="ascii", errors="replace").strip()
        except FileNotFoundError:
            return 1
        return int(text) if text.isdecimal() else 1
