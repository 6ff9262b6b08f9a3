"""What an agent's own span tells that it said -> model calls, where none were recorded: some SDKs send a span for the agent and for its tools only."""

from __future__ import annotations

from agentnb.readers.builders._span_forest import Node
from agentnb.readers.builders._span_memory import merged_replies
from agentnb.readers.builders._span_runs import Event, Run
from agentnb.readers.builders.message_list import Said


def add_told_models(run: Run) -> None:
    """Add model calls to a run that has none: one for each reply of its agent, before the tools that it asked for.

    Only replies that ask for tools, or of which is known what they cost, show that a model was called. What all cost together stands with the last.
    """
    if any(event.run is None and event.node.span.kind == "model" for event in run.events):
        return
    agent = next((node for node in run.agents if _tells_calls(node)), None)
    if agent is None:
        return
    replies = _replies_of(agent.span.replied)
    usage, agent.span = agent.span.usage, agent.span._replace(usage={})
    place = 0
    for number, said in enumerate(replies, 1):
        last = number == len(replies)
        place = len(run.events) if last and not said.asked else _place_of(said, run.events, place)
        span = agent.span._replace(
            span_id=f"{agent.span.span_id}/{number}", parent_id=agent.span.span_id, name="", kind="model", started=None, heard=(), replied=(said,),
            ended=agent.span.ended if last else None, input=None, output=None, error=None, usage=usage if last else {}, extra={},
        )  # fmt: skip
        run.events.insert(place, Event(Node(span, agent.account)))
        place += 1


def _tells_calls(agent: Node) -> bool:
    replied = agent.span.replied
    return bool(replied) and all(said.role == "assistant" for said in replied) and (bool(agent.span.usage) or any(said.asked for said in replied))


def _replies_of(messages: tuple[Said, ...]) -> list[Said]:
    """Put messages together that are one reply: words that follow a call begin the next."""
    groups: list[list[Said]] = []
    for said in messages:
        if not groups or (said.pieces and any(before.asked for before in groups[-1])):
            groups.append([])
        groups[-1].append(said)
    return [said for group in groups for said in merged_replies(group)]


def _place_of(said: Said, events: list[Event], start: int) -> int:
    """Return where the first of the tools stands that a reply asked for: by its id, else by its name; where none is recorded, the earliest place left."""
    ids, names = {asked.tool_call_id for asked in said.asked} - {None}, {asked.name for asked in said.asked}
    tools = [(place, event.node.span) for place, event in enumerate(events) if place >= start and event.node.span.kind == "tool" and event.run is None]
    by_id = next((place for place, span in tools if span.tool_call_id in ids), None)
    return by_id if by_id is not None else next((place for place, span in tools if span.name in names), start)
