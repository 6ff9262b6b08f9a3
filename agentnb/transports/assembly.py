"""Which pieces belong to which native call? Calls are put together from parts as providers really send them.

Indexes are reused, ids are repeated or missing, names are resent or come in fragments, arguments are sent twice: each of these is noted where it is seen, and
none is mended. The rules are our own design over what public provider libraries and their issue threads show.
"""

from __future__ import annotations

from collections.abc import Callable

from agentnb.transports.canonical import write_arguments
from agentnb.transports.scanner import JsonScanner
from agentnb.values.model_parts import CallEndPart, CallPart


class CallSlot:
    """One native call while its parts come in."""

    __slots__ = ("_counted", "_pieces", "chars", "ended", "id", "name", "name_settled", "ordinal", "scanner")

    def __init__(self, ordinal: int) -> None:
        self.ordinal = ordinal
        """Place among the calls, from 1."""
        self.id = ""
        self.name = ""
        self.name_settled = False
        """Whether nothing can be added to the name any more."""
        self.ended = False
        self.scanner = JsonScanner()
        """Reads the arguments."""
        self.chars = 0
        """Characters of the arguments."""
        self._pieces: list[str] = []
        self._counted = 0

    @property
    def shown_id(self) -> str:
        """Its id; without one, one that is the same in every run."""
        return self.id or f"call-{self.ordinal}"

    @property
    def arguments(self) -> str:
        """The text of its arguments so far."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def append(self, piece: str) -> int:
        """Add a piece to the arguments, and return by how many characters the output grew."""
        if not piece:
            return 0
        self.name_settled = True
        self._pieces.append(piece)
        self.scanner.feed(piece)
        return self._grow(self.chars + len(piece))

    def replace(self, text: str) -> int:
        """Take a text for all of the arguments, and return by how many characters the output grew, which is never less than none."""
        self._pieces = [text]
        self.scanner = JsonScanner()
        self.scanner.feed(text)
        return self._grow(len(text))

    def holds(self, text: str) -> bool:
        """Tell whether a text is what the arguments are already."""
        return len(text) == self.chars and text == self.arguments

    def _grow(self, chars: int) -> int:
        self.chars = chars
        grown = max(0, chars - self._counted)
        self._counted += grown
        return grown


class CallAssembly:
    """The calls of one answer, in the order in which they began."""

    def __init__(self, begins_a_name: Callable[[str], bool], note: Callable[[str], None]) -> None:
        self.slots: list[CallSlot] = []
        self.latest: CallSlot | None = None
        self._by_index: dict[int, CallSlot] = {}
        self._by_id: dict[str, CallSlot] = {}
        self._begins_a_name = begins_a_name
        self._note = note

    def take(self, part: CallPart) -> tuple[CallSlot, int]:
        """Take a piece of a call; return the call, and by how many characters the output grew."""
        slot = self._slot_of(part)
        if part.index is not None:
            self._by_index[part.index] = slot
        self.latest = slot
        if part.id and not slot.id:
            slot.id = part.id
            self._by_id[part.id] = slot
        if part.name:
            self._name(slot, part.name)
        if part.arguments is None:
            return slot, 0
        return slot, slot.append(part.arguments if isinstance(part.arguments, str) else write_arguments(part.arguments))

    def end(self, part: CallEndPart) -> tuple[CallSlot | None, int]:
        """Take the end of a call; return the call, if there is one, and by how many characters the output grew."""
        slot = self._known(part.index, part.id)
        if slot is None:
            self._note("end_without_call")
            return None, 0
        slot.ended = slot.name_settled = True
        if part.arguments is None or slot.holds(part.arguments):
            return slot, 0
        if slot.chars:
            self._note("arguments_corrected")
        return slot, slot.replace(part.arguments)

    def _known(self, index: int | None, own_id: str | None) -> CallSlot | None:
        if index is not None and index in self._by_index:
            return self._by_index[index]
        if own_id:
            return self._by_id.get(own_id)
        return self.latest if index is None else None

    def _slot_of(self, part: CallPart) -> CallSlot:
        if part.index is not None and part.index in self._by_index:
            return self._indexed(self._by_index[part.index], part)
        known = self._by_id.get(part.id) if part.id else None
        if part.index is not None:
            if known is not None and not part.name:
                return known
            if known is not None:
                self._note("duplicate_call_id")
            return self._open()
        if part.id:
            return known if known is not None else self._open()
        return self._unmarked(part)

    def _indexed(self, slot: CallSlot, part: CallPart) -> CallSlot:
        """Choose for a part whose index is known: another id begins another call only together with a name."""
        if not (part.id and slot.id and part.id != slot.id):
            return slot
        if part.name:
            self._note("index_reused")
            return self._open()
        self._note("id_changed")
        return slot

    def _unmarked(self, part: CallPart) -> CallSlot:
        """Choose for a part without index and id: a name begins a call, unless it is resent while the latest call goes on."""
        latest = self.latest
        if latest is None:
            return self._open()
        goes_on = not latest.ended and latest.scanner.state in ("empty", "incomplete")
        return latest if not part.name or (part.name == latest.name and goes_on) else self._open()

    def _open(self) -> CallSlot:
        if self.latest is not None:
            self.latest.name_settled = True
        slot = CallSlot(len(self.slots) + 1)
        self.slots.append(slot)
        return slot

    def _name(self, slot: CallSlot, piece: str) -> None:
        if not slot.name:
            slot.name = piece
        elif slot.name == piece:
            self._note("name_resent")
        elif not slot.name_settled and self._begins_a_name(slot.name + piece):
            slot.name += piece
        else:
            self._note("name_conflict")
