"""The records of one conversation -> its turns, what state each is in, and where the next one goes.

A fold: records are read one by one in their order, nothing is asked of a clock, and no record raises, whatever it holds. What does not count is told by a code.
After section 2 and 3 of FunctAI's conversations, format 1. One rule is stricter: of an attempt that another has overtaken nothing counts any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Literal, NamedTuple

from agentnb.streams._lifted import text_in
from agentnb.streams.turn_log import TurnLog, count_in

Sends = Literal["queue", "refuse", "branch"]
SENDS: Final[tuple[Sends, ...]] = ("queue", "refuse", "branch")
"""What becomes of a turn that is sent while another one is under way: it waits, it is refused, or it goes beside it."""
NOT_COUNTED: Final = {
    "no_record": "It is no record of a conversation.",
    "unknown_version": "Its version is not known here.",
    "unknown_turn": "The record is about a turn that was never started.",
    "second_turn": "A turn with this id was started before.",
    "second_end": "The turn had ended before.",
    "overtaken_attempt": "Another attempt had taken the turn over before.",
}
"""Why a record does not count, by code."""


class NextTurn(NamedTuple):
    """Where a turn goes that is sent now: after its parent, unless it has to wait or is refused."""

    parent: str | None = None
    """The turn that it continues; None for a first turn."""
    waits: str | None = None
    """The turn that has to end first; decide again then."""
    refuses: str | None = None
    """Why it cannot be sent now, as a code."""


class ConversationLog:
    """One conversation, as the records that were read so far tell it."""

    def __init__(self) -> None:
        """Start without records."""
        self.position = 0
        """The number of the last record; what a store appends next gets the next one."""
        self.head: str | None = None
        """The turn that the next one continues, unless somebody opened another."""
        self.turns: dict[str, TurnLog] = {}
        """The turns by id, in the order in which they were sent."""
        self.programs: dict[str, dict[str, Any]] = {}
        """The first record of each version of a program."""
        self.entries: list[dict[str, Any]] = []
        """What plugins stored, in order."""
        self.request_ids: dict[str, str] = {}
        """The turn that was first sent under an id of a request."""
        self.others: list[dict[str, Any]] = []
        """Records that name no turn and are of no kind that needs none."""

    @property
    def order(self) -> list[str]:
        """The ids of the turns, in the order in which they were sent."""
        return list(self.turns)

    def read_all(self, records: Iterable[Any]) -> ConversationLog:
        """Read records in their order; returns the log itself."""
        read = self.read
        for record in records:
            read(record)
        return self

    def read(self, record: Any) -> str | None:
        """Read the next record.

        Args:
            record: a JSON value; one that no line of a file gave, because it was damaged, still takes up its place.

        Returns:
            Why it does not count, as a code of `NOT_COUNTED`; None when it does.
        """
        if not isinstance(record, dict):
            self.position += 1
            return "no_record"
        seq = count_in(record, "seq") or self.position + 1
        self.position = max(self.position, seq)
        version = record.get("functai_conversation")
        if version != 1 or isinstance(version, bool):
            return "no_record" if version is None else "unknown_version"
        kind, turn_id = record.get("kind"), text_in(record, "turn")
        if kind == "program":
            self.programs.setdefault(text_in(record, "version") or "", record)
        elif kind == "entry":
            self.entries.append(record)
        elif turn_id is None:
            self.others.append(record)
        elif kind == "turn":
            return self._start_turn(record, turn_id)
        elif turn_id not in self.turns:
            return "unknown_turn"
        elif kind == "head":
            self.head = turn_id
        else:
            return self.turns[turn_id].read(record, seq)
        return None

    def branch(self, turn: str | None) -> list[str]:
        """Return the path from a first turn to this one; empty for a turn that is not known."""
        path: dict[str, None] = {}
        while turn is not None and turn in self.turns and turn not in path:
            path[turn] = None
            turn = self.turns[turn].parent
        return list(reversed(path))

    def done_on(self, turn: str | None) -> str | None:
        """Return this turn if it is done, else the nearest done one that it continues; None when there is none."""
        return next((each for each in reversed(self.branch(turn)) if self.turns[each].is_done), None)

    def view_head(self, pinned: str | None, *, exact: bool = False) -> str | None:
        """Return the turn that a view of the conversation continues.

        Args:
            pinned: the turn that the view was set on; None for one that follows the conversation's head.
            exact: whether the view stays on that turn, also when others continued it since.
        """
        if pinned is None:
            return self.head
        if exact:
            return pinned
        leads = {pinned: True}
        return next((turn for turn in reversed(self.turns) if self._comes_from(turn, leads)), pinned)

    def next_parent(self, head: str | None, sends: Sends, now: int) -> NextTurn:
        """Decide where a turn goes that is sent now.

        Args:
            head: the turn that the view continues.
            sends: what to do while that turn is under way.
            now: microseconds since 1970.
        """
        turn = self.turns.get(head) if head is not None else None
        if turn is None or head is None:
            return NextTurn()
        state = turn.state(now)
        if state not in ("running", "waiting"):
            return NextTurn(self.done_on(head))
        if sends == "branch":
            return NextTurn(self.done_on(turn.parent))
        return NextTurn(waits=head) if sends == "queue" and state == "running" else NextTurn(refuses="conversation-busy")

    def _start_turn(self, record: dict[str, Any], turn_id: str) -> str | None:
        if turn_id in self.turns:
            return "second_turn"
        turn = self.turns[turn_id] = TurnLog(record, turn_id, self.programs)
        if turn.parent in self.turns and turn.parent != turn_id:
            self.turns[turn.parent].children.append(turn_id)
        if turn.request_id is not None:
            self.request_ids.setdefault(turn.request_id, turn_id)
        self.head = turn_id
        return None

    def _comes_from(self, turn: str, known: dict[str, bool]) -> bool:
        """Tell whether a turn's path leads through one that is known to; what was found out is kept in `known`."""
        path: list[str] = []
        each: str | None = turn
        while each is not None and each in self.turns and each not in known:
            known[each] = False
            path.append(each)
            each = self.turns[each].parent
        found = each is not None and known.get(each, False)
        known.update(dict.fromkeys(path, found))
        return found
