"""A turn's calls as a tree in a real table: who called what, how many tokens, how long, when."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._index import TurnIndex
from agentnb.render._marks import mark_of, marked
from agentnb.render._markup import Html, bar, flag, join, tag
from agentnb.render._numbers import amount, count, facts, lasted, seconds
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._text import one_line
from agentnb.render._turns import prompt_line, turn_line
from agentnb.values import Call, Turn

INDENT: Final = "\u00a0\u00a0\u00a0"
DEEPEST_INDENT: Final = 12
NEXT: Final = 50


class Node(NamedTuple):
    """One call with its place in the tree."""

    call: Call
    """The call."""
    depth: int
    """How many calls are around it."""
    children: int
    """How many calls it has directly under it in this view."""
    tokens: int | None
    """Tokens of its model calls, those of calls inside it included."""


class Scale(NamedTuple):
    """The time that the bars are drawn on."""

    start: datetime
    """When the first call started."""
    length: float
    """Seconds until the last one ended."""


def render_call_tree(
    turn: Turn,
    *,
    only_failed: bool = False,
    by_time: bool = False,
    collapsed: Collection[str] = frozenset(),
    selected: str | None = None,
    first_row: int = 0,
    most: int | None = None,
    budget: int = BUDGET,
    live: bool = False,
    standalone: bool = True,
) -> Html:
    """Show a turn's calls as a tree.

    Args:
        turn: the turn, with its calls.
        only_failed: keep calls that failed, were denied or got no answer, and the calls around them.
        by_time: sort the calls under a call by how long they took, longest first; else by their order.
        collapsed: ids of the calls whose inner calls are not shown.
        selected: id of the selected call.
        first_row: the first row of the window, from 0.
        most: how many rows at most; without it as many as fit.
        budget: bytes of UTF-8 that are not exceeded, style sheet included; 200 kB at most.
        live: whether a kernel answers, so that there are controls.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same turn; a table that also reads without CSS.
    """
    nodes = _nodes(turn, only_failed=only_failed, by_time=by_time, collapsed=frozenset(collapsed))
    scale = _scale(turn.calls)
    head = _head(turn, only_failed=only_failed, by_time=by_time, live=live)
    columns = _columns(timed=scale is not None)
    left = Room(room_inside(budget, standalone=standalone) - weight(head) - weight(columns) - 600)
    rows: list[Html] = []
    for node in nodes[first_row : None if most is None else first_row + most]:
        row = _row(node, scale, collapsed, selected, live=live)
        if not left.take(row):
            break
        rows.append(row)
    roles: dict[str, Any] = {"role": "treegrid", "aria_label": "Call tree"} if live else {}
    table = tag("table", columns, tag("tbody", rows), class_="tree", **roles)
    none = tag("div", "no call failed" if only_failed else "no calls", class_="more")
    content = [head, table if rows else none, _more(nodes, first_row + len(rows), most or NEXT, live=live)]
    return framed("tree", f"Calls of turn {turn.turn_index + 1}", content, standalone=standalone, budget=budget)


def tree_order(turn: Turn, *, only_failed: bool = False, by_time: bool = False, collapsed: Collection[str] = frozenset()) -> tuple[str, ...]:
    """Return the ids of the calls in the order of the tree's rows."""
    return tuple(node.call.call_id for node in _nodes(turn, only_failed=only_failed, by_time=by_time, collapsed=frozenset(collapsed)))


def _nodes(turn: Turn, *, only_failed: bool, by_time: bool, collapsed: frozenset[str]) -> list[Node]:
    index = TurnIndex(turn)
    known = {call.call_id for call in turn.calls}
    roots = [call for call in turn.calls if call.parent_call_id not in known or call.parent_call_id == call.call_id]
    order = _walk(index, roots, by_time=by_time)
    tokens = _tokens(order)
    kept = _around_failures(order) if only_failed else known
    shown, hidden_below = list[Node](), None
    for call, depth in order:
        if hidden_below is not None and depth > hidden_below:
            continue
        hidden_below = depth if call.call_id in collapsed else None
        if call.call_id in kept:
            inside = sum(child.call_id in kept and child is not call for child in index.children[call.call_id])
            shown.append(Node(call, depth, inside, tokens[call.call_id]))
    return shown


def _walk(index: TurnIndex, roots: list[Call], *, by_time: bool) -> list[tuple[Call, int]]:
    """Return calls with their depth, outer before inner; every call once, whatever its parents say."""
    order, seen = list[tuple[Call, int]](), set[str]()
    waiting = [(call, 0) for call in reversed(roots)]
    while waiting:
        call, depth = waiting.pop()
        if call.call_id in seen:
            continue
        seen.add(call.call_id)
        order.append((call, depth))
        inside = index.children[call.call_id]
        if by_time:
            inside = sorted(inside, key=lambda child: (-(child.seconds or 0.0), child.call_index))
        waiting += [(child, depth + 1) for child in reversed(inside)]
    return order


def _tokens(order: list[tuple[Call, int]]) -> dict[str, int | None]:
    found: dict[str, int | None] = {}
    for call, _ in reversed(order):
        own = call.usage.total_tokens if call.kind == "model" else None
        total = found.get(call.call_id)
        found[call.call_id] = total = own if total is None else total + (own or 0)
        parent = call.parent_call_id
        if total is not None and parent is not None and parent != call.call_id:
            found[parent] = (found.get(parent) or 0) + total
    return found


def _around_failures(order: list[tuple[Call, int]]) -> set[str]:
    kept: set[str] = set()
    for call, _ in reversed(order):
        if call.call_id in kept or mark_of(call).level in ("bad", "warn"):
            kept.add(call.call_id)
            if call.parent_call_id is not None:
                kept.add(call.parent_call_id)
    return kept


def _scale(calls: tuple[Call, ...]) -> Scale | None:
    spans = [span for call in calls if (span := _span(call))]
    if not spans:
        return None
    start = min(begun for begun, _ in spans)
    length = (max(ended for _, ended in spans) - start).total_seconds()
    return Scale(start, length) if length > 0 else None


def _span(call: Call) -> tuple[datetime, datetime] | None:
    if call.started_at is None:
        return None
    ended = call.ended_at or call.started_at + timedelta(seconds=min(max(call.seconds or 0.0, 0.0), 1e8))
    return call.started_at, max(ended, call.started_at)


def _head(turn: Turn, *, only_failed: bool, by_time: bool, live: bool) -> Html:
    line = turn_line(turn)
    others = sum(call.kind in ("model", "agent") for call in turn.calls)
    known = facts(amount(line.tool_calls, "tool call"), amount(others, "model and agent call"), lasted(line.seconds))
    controls = [
        tag("button", "only failed", type="button", data_action="only-failed", aria_pressed=flag(only_failed)),
        tag("button", "by time", type="button", data_action="by-time", aria_pressed=flag(by_time)),
    ]
    return heading(f"turn {turn.turn_index + 1} · {one_line(prompt_line(line), 60)}", known, *(controls if live else ()))


def _columns(*, timed: bool) -> Html:
    names = [tag("th", "call", scope="col"), tag("th", "tokens", scope="col", align="right"), tag("th", "seconds", scope="col", align="right")]
    return tag("thead", tag("tr", names, tag("th", "when", scope="col", class_="lane") if timed else None))


def _row(node: Node, scale: Scale | None, collapsed: Collection[str], selected: str | None, *, live: bool) -> Html:
    call, mark = node.call, mark_of(node.call)
    unfolded = call.call_id not in collapsed
    roles: dict[str, Any] = {"role": "row", "aria_level": node.depth + 1, "aria_selected": flag(call.call_id == selected)} if live else {}
    if live and node.children:
        roles["aria_expanded"] = flag(unfolded)
    quiet = mark.level == "good" or call.state is None or (call.kind == "model" and not call.failed)
    name = tag("span", one_line(call.name, 60) or call.kind, class_="name")
    notes = facts("sub-agent" if call.kind == "agent" and node.depth else None, f"exit {call.exit_code}" if call.exit_code is not None else None)
    shown = [name, tag("span", notes, class_="dim") if notes else None, None if quiet else marked(mark)]
    first = tag("td", INDENT * min(node.depth, DEEPEST_INDENT), _twist(node, unfolded, live=live), join(shown, by=" "))
    cells = [first, tag("td", count(node.tokens), align="right"), tag("td", seconds(call.seconds), align="right")]
    if scale is not None:
        cells.append(tag("td", _lane(call, scale), class_="lane"))
    classes = {"model": call.kind == "model", "failed": mark.level == "bad" and call.kind != "agent", "sel": call.call_id == selected}
    return tag("tr", cells, class_=" ".join(word for word, holds in classes.items() if holds) or None, data_call=call.call_id, **roles)


def _twist(node: Node, unfolded: bool, *, live: bool) -> Html:
    sign = ("▾" if unfolded else "▸") if node.children else "\u00a0"
    if not live or not node.children:
        return join(tag("span", sign, class_="twist"), " ")
    word = "fold" if unfolded else "unfold"
    return join(tag("button", sign, type="button", class_="twist", data_action="toggle", aria_label=word, tabindex=-1), " ")


def _lane(call: Call, scale: Scale) -> Html | None:
    span = _span(call)
    if span is None:
        return None
    return bar((span[0] - scale.start).total_seconds() / scale.length, (span[1] - span[0]).total_seconds() / scale.length)


def _more(nodes: list[Node], following: int, most: int, *, live: bool) -> Html | None:
    rest = nodes[following:]
    if not rest:
        return None
    failed = sum(mark_of(node.call).level == "bad" for node in rest)
    told = facts(amount(len(rest), "more call"), f"{count(failed)} of them failed" if failed else None)
    button = tag("button", f"next {min(most, len(rest))}", type="button", data_action="more-rows", data_first=following) if live else None
    return tag("div", told, join(" ", button) if button else None, class_="more", data_more="rows")
