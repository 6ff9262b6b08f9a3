"""The events of a turn -> its calls, who called whom, and the tree as a person reads it. After section 5.1 of FunctAI's conversations."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Final, Literal, NamedTuple

from agentnb.streams._lifted import text_in
from agentnb.streams.call_events import position_of
from agentnb.streams.turn_log import count_in

_MARKS: Final = {"done": "", "failed": " [failed]", None: " [running]"}


class TreeCall(NamedTuple):
    """One call of a tree, as its events tell it."""

    call: str
    """Its id."""
    parent: str | None
    """The call that made it; None for one that nobody made."""
    function: str
    """The name of its program."""
    invocation: int | None
    """The number of the tool call inside which it was made."""
    ended: Literal["done", "failed"] | None
    """How it ended; None while it has no end."""
    module: str | None
    """The module of its program."""
    superseded: bool = False
    """Whether it was open when its turn was resumed: another call took its place, and it will never end."""


def calls_of_events(events: Iterable[Any], turn: str | None = None) -> list[TreeCall]:
    """Return the calls of a tree in the order in which they started.

    Args:
        events: the events of one log, in order; what is none is passed over.
        turn: the outermost call, which goes on under the same id when its turn is resumed; without it, the first call that started.
    """
    started: dict[str, dict[str, Any]] = {}
    ends: dict[str, Literal["done", "failed"]] = {}
    writer = 1
    for event in events:
        call, kind = text_in(event, "call"), text_in(event, "kind")
        if call is None:
            continue
        writer = max(writer, _writer_of(event))
        if kind == "started":
            started.setdefault(call, event)
        elif kind in ("done", "failed") and call in started:
            ends.setdefault(call, "done" if kind == "done" else "failed")
    root = turn if turn is not None else next(iter(started), None)
    return [_tree_call(event, call, ends.get(call), superseded=call != root and _writer_of(event) < writer) for call, event in started.items()]


def find_calls(calls: Iterable[TreeCall], function: str, *, module: str | None = None) -> list[TreeCall]:
    """Return the calls of a program, those that have an answer first, then those that failed or run, last those that were superseded.

    Args:
        calls: the calls of a tree.
        function: the name of the program.
        module: its module; without it, a program of any.
    """
    found = [call for call in calls if call.function == function and module in (None, call.module)]
    return sorted(found, key=lambda call: 0 if call.ended == "done" else 2 if call.superseded else 1)


def tree_text(calls: Sequence[TreeCall], turn: str) -> str:
    """Write the tree of a turn, a call a line, without a line end at its end; empty when the turn's own call is not among them.

    A call whose parent is not among them is not shown. Marks say what did not end well: failed, running, superseded.
    """
    made_by: dict[str, list[TreeCall]] = {}
    for call in calls:
        if call.parent is not None and call.call != turn:
            made_by.setdefault(call.parent, []).append(call)
    lines: list[str] = []
    waiting = [(call, "", "", "") for call in calls if call.call == turn]
    while waiting:
        call, lead, branch, below = waiting.pop()
        lines.append(f"{lead}{branch}{call.function}{' [superseded]' if call.superseded else _MARKS[call.ended]}")
        children = made_by.pop(call.call, [])
        marks = [("├─ ", "│  ")] * (len(children) - 1) + [("└─ ", "   ")]
        waiting += reversed([(child, lead + below, mark, under) for child, (mark, under) in zip(children, marks, strict=False)])
    return "\n".join(lines)


def _tree_call(event: dict[str, Any], call: str, end: Literal["done", "failed"] | None, *, superseded: bool) -> TreeCall:
    parent, module = text_in(event, "parent"), text_in(event.get("program"), "module")
    return TreeCall(call, parent, text_in(event, "function") or "", count_in(event, "invocation"), end, module, superseded and end is None)


def _writer_of(event: Any) -> int:
    position = position_of(event)
    return position.writer if position is not None else 1
