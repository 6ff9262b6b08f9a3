"""Messages of one conversation, each once, whatever repeats them: states that follow one another, and branches where a thread went back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._times import Time
from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects.langchain import fields_of, hosted_results, is_message, said_of_message
from agentnb.readers.dialects.langchain_chunks import joined_chunks
from agentnb.readers.formats.langchain._records import Snapshot, time_of


class Node:
    """A message, and those that followed it."""

    __slots__ = ("account", "children", "message", "parent", "said", "time")

    def __init__(self, message: Any, said: Said, account: Account, parent: Node | None, time: Time) -> None:
        """Hold a message of a file, as it was said, after another."""
        self.message, self.said, self.account, self.parent, self.time = message, said, account, parent, time
        self.children: list[Node] = []

    def says(self) -> list[Said]:
        """Return the message, and the results that the service gave in it."""
        timed = self.said._replace(at=self.time.micros, zone_assumed=self.time.zone_assumed) if self.time.micros is not None else self.said
        return [timed, *hosted_results(self.message, self.said.place)]


class Stand(NamedTuple):
    """Where a graph stood: its state, and its last message."""

    state: dict[str, Any]
    tip: Node
    account: Account
    place: int


class Tree:
    """The messages of one conversation."""

    def __init__(self, conversation_id: str, account: Account, place: int) -> None:
        """Start without a message."""
        self.conversation_id = conversation_id
        self.account, self.place = account, place
        self.root = Node(None, Said("system", place, records=0), account, None, Time(None))
        self.stands: list[Stand] = []
        self._tip = self.root
        self._by_id: dict[str, Node] = {}
        self._snapshots = 0

    def add(self, snapshot: Snapshot, account: Account, place: int, *, numbered: bool) -> None:
        """Add what a value of a file holds; what is known already is merged.

        Args:
            snapshot: messages, and the state they stand in.
            account: of the file.
            place: of the value, from 1.
            numbered: whether messages are placed by their own number instead.
        """
        node = self.root if snapshot.whole else self._tip
        saved = time_of(snapshot.state)
        # The messages of a state that is the first of its conversation may be of any age; what a later one adds was said just before.
        time = saved if self._snapshots or len(snapshot.messages) == 1 else Time(None)
        self._snapshots += 1
        for number, message in enumerate(snapshot.messages, 1):
            where = number if numbered else place
            if is_message(message):
                node = self._add(message, node, account, where, time)
            else:
                account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=where, excerpt=message)
        if not snapshot.messages:
            account.keep()
        self._tip = node
        if snapshot.state and not snapshot.whole and self.stands and self.stands[-1].tip is node:
            self.stands[-1] = Stand(self.stands[-1].state | snapshot.state, node, account, place)
        elif snapshot.state:
            self.stands.append(Stand(snapshot.state, node, account, place))

    def begins_with(self, message: Any) -> bool:
        """Tell whether the conversation begins with this message."""
        said = said_of_message(message, 1)
        return any(_is_same(child.said, said) for child in self.root.children)

    def nodes(self) -> Iterator[Node]:
        """Yield every message after the one before it, a branch after all that followed its elder."""
        waiting = list(reversed(self.root.children))
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))

    def _add(self, message: Any, before: Node, account: Account, place: int, time: Time) -> Node:
        said = said_of_message(message, place)
        known = next((child for child in before.children if _is_same(child.said, said)), None)
        known = known or (self._by_id.get(said.id) if said.id else None)
        if known is not None:
            account.merge()
            self._renew(known, message, said)
            return known
        node = Node(message, said, account, before, time)
        before.children.append(node)
        if said.id:
            self._by_id[said.id] = node
        return node

    def _renew(self, node: Node, message: Any, said: Said) -> None:
        """Let a message that comes again say what it says now; a piece of a streamed one is put to what there is of it."""
        was_piece = (fields_of(node.message) or {}).get("is_chunk")
        if (fields_of(message) or {}).get("is_chunk"):
            if not was_piece:
                return
            message = joined_chunks([node.message, message])[0]
            said = said_of_message(message, node.said.place)
        elif _print(said) != _print(node.said) and not was_piece:
            text = "A message with this id says something else than before; it is shown as it was last."
            node.account.diagnose("changed_message", text, line=node.said.place, severity="info", excerpt=node.message)
        node.message, node.said = message, said._replace(place=node.said.place)
        if said.id:
            self._by_id[said.id] = node


def _is_same(known: Said, said: Said) -> bool:
    """Tell whether two messages are one: their ids tell; where one of them has none, what they say does."""
    if known.id and said.id:
        return known.id == said.id
    return _print(known) == _print(said)


def _print(said: Said) -> tuple[Any, ...]:
    return said.role, said.result_of, [(piece.type, piece.text) for piece in said.pieces], [(asked.name, asked.input) for asked in said.asked]
