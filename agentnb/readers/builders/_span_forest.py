"""Spans -> trees, one for each trace: sorted, without repetitions and cycles, two spans of one call made one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from agentnb.readers._account import Account
from agentnb.readers.builders._prints import canonical
from agentnb.readers.builders._spans import Span, united


class Met(NamedTuple):
    """A span, and the account of the file it was met in."""

    span: Span
    account: Account


class Node:
    """A span in its tree."""

    __slots__ = ("account", "children", "merged", "parent", "span")

    def __init__(self, span: Span, account: Account) -> None:
        """Start a node that stands alone."""
        self.span = span
        self.account = account
        self.merged = False
        self.parent: Node | None = None
        self.children: list[Node] = []

    @property
    def key(self) -> tuple[int, int]:
        """What sorts spans: when they started, then their place."""
        span = self.span
        return (span.started if span.started is not None else span.ended or 0, span.place)


class Trace:
    """The tree of one trace."""

    def __init__(self, trace_id: str, nodes: list[Node]) -> None:
        """Take the nodes of a trace, sorted, each with its parent and children."""
        self.trace_id = trace_id
        self.nodes = nodes
        self.roots = [node for node in nodes if node.parent is None]
        self.conversation_id = next((node.span.conversation_id for node in _downwards(self.roots) if node.span.conversation_id), None)

    @property
    def root_id(self) -> str:
        """Name the turn that the trace is: its root, or the root that is missing but named, else the trace."""
        if len(self.roots) == 1 and self.roots[0].span.parent_id is None:
            return self.roots[0].span.span_id
        missing = {node.span.parent_id for node in self.roots}
        only = next(iter(missing)) if len(missing) == 1 else None
        return only or self.trace_id

    @property
    def speaks(self) -> bool:
        """Whether there is anything of an agent in it: a model call, a tool, or an agent that was told or said something."""
        return any(node.span.kind in ("model", "tool") or (node.span.kind == "agent" and _has_words(node.span)) for node in self.nodes)

    def skip(self) -> None:
        """Leave all of it out."""
        for node in self.nodes:
            node.account.skip("no_agent_span")
        first = self.nodes[0]
        message = f"The trace {self.trace_id} has no span of an agent, a model or a tool ({len(self.nodes)} spans); it was left out."
        first.account.diagnose("no_agent_span", message, line=first.span.place, severity="info", excerpt=first.span.name)


def plant(met: Iterable[Met]) -> list[Trace]:
    """Make a tree of each trace, in the order in which the traces started.

    Spans with the same id are one. A model call or a tool inside another that stands for the same call is one with it: the inner span's fields count,
    what it lacks comes from the outer one. A parent that is missing, or that is below its own child, is noted.
    """
    by_trace: dict[str, dict[str, Node]] = {}
    for span, account in met:
        nodes = by_trace.setdefault(span.trace_id, {})
        known = nodes.get(span.span_id)
        if known is None:
            nodes[span.span_id] = Node(span, account)
            continue
        account.merge()
        known.span = united(known.span, span)._replace(ended=max((time for time in (known.span.ended, span.ended) if time is not None), default=None))
    traces = [_trace(trace_id, nodes) for trace_id, nodes in by_trace.items()]
    return sorted(traces, key=lambda trace: trace.nodes[0].key[0])


def below(tops: Iterable[Node]) -> list[Node]:
    """Return the nearest agents, models and tools at or below some spans, through those that only wrap, in their order."""
    found: list[Node] = []
    waiting = list(tops)
    while waiting:
        node = waiting.pop()
        if node.span.kind == "other":
            waiting.extend(node.children)
        else:
            found.append(node)
    return sorted(found, key=lambda node: node.key)


def _has_words(span: Span) -> bool:
    return bool(span.heard or span.replied or span.input or span.output)


def _trace(trace_id: str, by_id: dict[str, Node]) -> Trace:
    nodes = sorted(by_id.values(), key=lambda node: node.key)
    tops = _Tops()
    if not any(node.span.parent_id for node in nodes):
        _hang_by_times(nodes)
    for node in nodes:
        parent = by_id.get(node.span.parent_id or "")
        if parent is None:
            if node.span.parent_id:
                message = f"The parent {node.span.parent_id} of the span {node.span.name!r} is not in the recording; the span is read as a root."
                node.account.diagnose("missing_parent", message, line=node.span.place, severity="info")
            continue
        if tops.of(parent) is node:
            message = f"The span {node.span.name!r} is its own ancestor; it is read as a root."
            node.account.diagnose("span_cycle", message, line=node.span.place)
            continue
        tops.hang(node, parent)
        node.parent = parent
        parent.children.append(node)
    trace = Trace(trace_id, nodes)
    for node in reversed(list(_downwards(trace.roots))):
        _unite(node)
    return trace


def _hang_by_times(nodes: list[Node]) -> None:
    """Name the parents of spans that an exporter wrote without any: the shortest agent that ran all the while."""
    agents = [(place, node) for place, node in enumerate(nodes) if node.span.kind == "agent" and None not in (node.span.started, node.span.ended)]
    for place, node in enumerate(nodes):
        start, end = node.span.started, node.span.ended
        if start is None or end is None:
            continue
        # Of two that ran at the same times the first is above.
        around = [
            other for number, other in agents
            if other is not node and _lasts(other.span, start, end) and (number < place or not _lasts(node.span, other.span.started, other.span.ended))
        ]  # fmt: skip
        if around:
            above = min(around, key=lambda other: ((other.span.ended or 0) - (other.span.started or 0), other.key))
            node.span = node.span._replace(parent_id=above.span.span_id)


def _lasts(span: Span, start: int | None, end: int | None) -> bool:
    return None not in (span.started, span.ended, start, end) and (span.started or 0) <= (start or 0) and (end or 0) <= (span.ended or 0)


class _Tops:
    """Which node is at the top of the tree that a node hangs in, while trees are put together."""

    def __init__(self) -> None:
        self._above: dict[int, Node] = {}

    def of(self, node: Node) -> Node:
        """Find the top above a node; the way to it is short the next time."""
        passed: list[Node] = []
        while (above := self._above.get(id(node))) is not None:
            passed.append(node)
            node = above
        for other in passed:
            self._above[id(other)] = node
        return node

    def hang(self, node: Node, parent: Node) -> None:
        """Hang a tree below a node."""
        self._above[id(node)] = parent


def _downwards(roots: Iterable[Node]) -> Iterator[Node]:
    """Yield the nodes of trees, parents before their children."""
    waiting = list(roots)[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        waiting.extend(reversed(node.children))


def _unite(node: Node) -> None:
    """Make a model call, or a tool, one with the only one of its kind right below it; the outer of several model calls only wraps them."""
    kind = node.span.kind
    inside = below(node.children) if kind in ("model", "tool") else []
    same = [other for other in inside if other.span.kind == kind]
    if not same or (kind == "tool" and not _is_same_tool(node, inside)):
        return
    if len(same) == 1:
        inner = same[0]
        merged = united(inner.span, node.span)._replace(parent_id=node.span.parent_id)
        wrapper = node.span._replace(kind="other", parent_id=node.span.span_id)
        inner.span, node.span = wrapper, merged
        inner.account, node.account = node.account, inner.account
        inner.merged = True
        node.children.sort(key=lambda child: child.key)
        return
    _share(node.span, same)
    node.span = node.span._replace(kind="other")
    node.merged = True


def _share(outer: Span, inner: list[Node]) -> None:
    """Give what only the outer of several model calls tells to the first and the last of them."""
    first, last = inner[0], inner[-1]
    if not any(node.span.heard for node in inner):
        first.span = first.span._replace(heard=outer.heard)
    if not any(node.span.replied for node in inner):
        last.span = last.span._replace(replied=outer.replied)
    if not any(node.span.usage for node in inner):
        last.span = last.span._replace(usage=outer.usage)
    if not any(node.span.error for node in inner):
        last.span = last.span._replace(error=outer.error)


def _is_same_tool(outer: Node, inside: list[Node]) -> bool:
    if len(inside) != 1 or outer.span.name != inside[0].span.name:
        return False
    own, other = outer.span.input, inside[0].span.input
    return own is None or other is None or canonical(own) == canonical(other)
