"""Which agent a span belongs to: a trace's tree -> the run of its agent, with the models and tools that it called and the runs of its sub-agents.

The agent at the top is the turn itself. An agent inside another one, below a tool or beside others, is a sub-agent: of the tool that it stands below, else
of the tool that was running all the while, else of the turn. Agents beside one another that hear what the one before them said, as after a handoff, are
one run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from agentnb.readers.builders._prints import prints_of
from agentnb.readers.builders._span_forest import Node, Trace, below
from agentnb.readers.builders.message_list import Said


class Event(NamedTuple):
    """A model call, a tool or a sub-agent of a run."""

    node: Node
    agent: str | None = None
    """Name of the agent it belongs to, if the run has one."""
    inside: Node | None = None
    """The model call or tool that it stands below."""
    run: Run | None = None
    """Of a sub-agent its run; the node is then its first span."""


class Run:
    """What one agent did."""

    def __init__(self, name: str, starter: Node | None = None) -> None:
        """Start a run that nothing is known of but who started it."""
        self.name = name
        self.starter = starter
        self.agents: list[Node] = []
        self.events: list[Event] = []

    def own(self, agent: Node) -> None:
        """Make an agent's span one of this run."""
        self.agents.append(agent)
        self.name = agent.span.name


class _Task(NamedTuple):
    """Spans whose tree is to be made part of a run."""

    run: Run
    tops: Sequence[Node]
    agent: str | None


def runs_of(trace: Trace) -> Run:
    """Return the run of a trace's topmost agent, its sub-agents inside it."""
    top = Run("")
    tools = [node for node in trace.nodes if node.span.kind == "tool"]
    waiting = [_Task(top, trace.roots, None)]
    runs = {id(top): top}
    while waiting:
        tasks = _grow(waiting.pop(), tools)
        waiting += tasks
        runs |= {id(task.run): task.run for task in tasks}
    for run in runs.values():
        run.events.sort(key=lambda event: event.node.key)
    return top


def _grow(task: _Task, tools: list[Node]) -> list[_Task]:
    """Add the nearest agents, models and tools to a run; what is below them comes in tasks of its own."""
    run, nearest = task.run, below(task.tops)
    agents = [node for node in nearest if node.span.kind == "agent"]
    if len(agents) == len(nearest) and agents:
        return _grow_agents(task, agents, tools)
    tasks = [_sub_agent(run, agent, None, tools) for agent in agents]
    for node in nearest:
        if node.span.kind == "tool" and node not in agents:
            tasks += _grow_tool(task, node)
        elif node.span.kind == "model":
            run.events.append(Event(node, task.agent))
            tasks += _grow_inside(task, node, tools)
    return tasks


def _grow_agents(task: _Task, agents: list[Node], tools: list[Node]) -> list[_Task]:
    """Take agents that stand alone or beside one another: one is the run itself, and so are those that continue it; others are sub-agents."""
    run = task.run
    started = {id(agent): tool for agent in agents if len(agents) > 1 and (tool := _running_tool(agent, tools)) is not None}
    free = [agent for agent in agents if id(agent) not in started] or agents[:1]
    tasks = [_sub_agent(run, agent, started[id(agent)], tools) for agent in agents if agent not in free]
    if all(_continues(agent, free[:place]) for place, agent in enumerate(free) if place):
        for agent in free:
            run.own(agent)
            tasks.append(_Task(run, agent.children, agent.span.name if len(free) > 1 else task.agent))
        run.name = free[0].span.name
        return tasks
    subs: dict[str, list[_Task]] = {}
    for agent in free:
        same = subs.setdefault(agent.span.name, [])
        # An agent that was started again, with what it said before, goes on.
        again = bool(same) and _continues(agent, same[0].run.agents)
        if again:
            same[0].run.own(agent)
        same.append(_Task(same[0].run, agent.children, None) if again else _sub_agent(run, agent, None, []))
    return tasks + [sub for same in subs.values() for sub in same]


def _sub_agent(run: Run, agent: Node, starter: Node | None, tools: list[Node]) -> _Task:
    sub = Run(agent.span.name, starter or _running_tool(agent, tools))
    sub.own(agent)
    run.events.append(Event(agent, run=sub, inside=starter))
    return _Task(sub, agent.children, None)


def _grow_tool(task: _Task, tool: Node) -> list[_Task]:
    """Add a tool with the tools below it; where models or agents are below it, all of that is the run of a sub-agent that the tool started."""
    tasks = []
    waiting = [Event(tool, task.agent)]
    while waiting:
        event = waiting.pop()
        task.run.events.append(event)
        inside = below(event.node.children)
        if all(node.span.kind == "tool" for node in inside):
            waiting += [Event(node, task.agent, event.node) for node in inside]
            continue
        sub = Run(event.node.span.name, event.node)
        task.run.events.append(Event(inside[0], run=sub, inside=event.node))
        tasks.append(_Task(sub, event.node.children, None))
    return tasks


def _grow_inside(task: _Task, model: Node, tools: list[Node]) -> list[_Task]:
    """Add what ran inside a model call: tools that the client ran before the call was over, and agents."""
    tasks = []
    for node in below(model.children):
        if node.span.kind == "agent":
            tasks.append(_sub_agent(task.run, node, None, tools))
        elif node.span.kind == "tool":
            grown = _grow_tool(task, node)
            place = next(place for place, event in enumerate(task.run.events) if event.node is node and event.run is None)
            task.run.events[place] = Event(node, task.agent, model)
            tasks += grown
    return tasks


def _running_tool(agent: Node, tools: list[Node]) -> Node | None:
    """Return the tool that was running all the while an agent ran: the shortest, and none inside the agent."""
    start, end = agent.span.started, agent.span.ended
    if start is None or end is None:
        return None
    around = [tool for tool in tools if _lasts(tool, start, end) and not _is_inside(tool, agent)]
    return min(around, key=lambda tool: ((tool.span.ended or 0) - (tool.span.started or 0), tool.key), default=None)


def _lasts(tool: Node, start: int, end: int) -> bool:
    return tool.span.started is not None and tool.span.ended is not None and tool.span.started <= start and end <= tool.span.ended


def _is_inside(node: Node, agent: Node) -> bool:
    above: Node | None = node
    while above is not None and above is not agent:
        above = above.parent
    return above is agent


def _continues(agent: Node, earlier: list[Node]) -> bool:
    """Tell whether an agent goes on where those before it ended: it hears what they said or heard; where nothing is recorded, it is taken to."""
    before = earlier[-1].span
    if agent.span.started is not None and before.ended is not None and agent.span.started < before.ended:
        return False
    heard, theirs = _first_heard(agent), _first_heard(earlier[0])
    said = {mark for other in earlier for node in _models_of(other) for mark in prints_of(_replies(node))}
    said |= {mark for mark in prints_of(message for message in theirs if message.role == "user")}
    return not heard or not said or not said.isdisjoint(prints_of(heard))


def _first_heard(agent: Node) -> list[Said]:
    heard = next((node.span.heard for node in _models_of(agent) if node.span.heard), agent.span.heard)
    return [message for message in heard if message.pieces or message.asked]


def _replies(node: Node) -> list[Said]:
    return [said for said in node.span.replied if said.pieces or said.asked]


def _models_of(agent: Node) -> list[Node]:
    found: list[Node] = []
    waiting = list(agent.children)
    while waiting:
        node = waiting.pop()
        if node.span.kind == "model":
            found.append(node)
        elif node.span.kind == "other":
            waiting.extend(node.children)
    return sorted(found, key=lambda node: node.key)
