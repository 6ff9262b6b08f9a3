"""The calls of FunctAI's files, each under the call that made it, and those that stand at the top."""

from __future__ import annotations

from agentnb.readers.formats.functai._calls import Call
from agentnb.readers.formats.functai._store import Store
from agentnb.readers.formats.functai._turns import Row, text_in


class Trees:
    """All calls that are known, and which made which."""

    def __init__(self, store: Store) -> None:
        """Sort the calls of a store."""
        self.calls: dict[str, Call] = {}
        self.made_by: dict[str, list[Call]] = {}
        self.tops: list[Call] = []
        turns = [turn for log in store.logs for turn in log.turns.values()]
        self.calls |= {turn.id: Call(turn.id, store, turn=turn) for turn in turns}
        for turn in turns:
            for row in turn.of("call"):
                self._add(text_in(row.value, "call"), store, row)
            # A merged turn made no call: its answer is that of the program that merged, which people rate.
            merger = text_in(turn.made_by, "call")
            if merger is not None and merger not in self.calls:
                self.calls[merger] = Call(merger, store, made=turn)
        for call_id in (*store.calls, *store.events):
            self._add(call_id, store)
        for call in list(self.calls.values()):
            self._place(call, store)

    def _add(self, call_id: str | None, store: Store, helper: Row | None = None) -> None:
        if call_id is not None and call_id not in self.calls:
            self.calls[call_id] = Call(call_id, store, helper=helper)

    def _place(self, call: Call, store: Store) -> None:
        """Put a call under its parent; of a parent that was never written, under the outermost call of its tree."""
        parent = call.parent
        if call.turn is not None:
            return
        if parent is None or self._is_above(call.id, parent):
            self.tops.append(call)
            return
        if parent not in self.calls:
            parent = call.root if call.root not in (None, call.id) else parent
            assert parent is not None
        if parent not in self.calls:
            self.calls[parent] = Call(parent, store, near=call.source)
            self.tops.append(self.calls[parent])
        self.made_by.setdefault(parent, []).append(call)

    def _is_above(self, call_id: str, other: str | None) -> bool:
        """Tell whether a call is among the parents of another, or the other itself: calls that name each other have nobody above them."""
        met: set[str] = set()
        while other is not None and other not in met:
            if other == call_id:
                return True
            met.add(other)
            other = self.calls[other].parent if other in self.calls else None
        return False


def in_order(call: Call) -> tuple[int, str]:
    """Return what sorts calls: their start, then their ids, which grow with time."""
    return call.begins or 0, call.id
