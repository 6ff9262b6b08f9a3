"""What an observation of Langfuse was: older SDKs know no tools and agents, but the attributes of the span that was sent tell."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentnb.readers._fields import text_of
from agentnb.readers.builders._spans import SpanKind
from agentnb.readers.dialects import langchain
from agentnb.readers.dialects.any import parsed

_TYPES: dict[str, SpanKind] = {"GENERATION": "model", "AGENT": "agent", "TOOL": "tool", "RETRIEVER": "tool"}
_TOLD: dict[str, dict[str, SpanKind]] = {
    "openinference.span.kind": {"LLM": "model", "TOOL": "tool", "AGENT": "agent", "RETRIEVER": "tool"},
    "gen_ai.operation.name": {"execute_tool": "tool", "invoke_agent": "agent", "chat": "model", "text_completion": "model", "generate_content": "model"},
    "langsmith.span.kind": {"llm": "model", "tool": "tool", "retriever": "tool"},
    "traceloop.span.kind": {"tool": "tool", "agent": "agent"},
    "ai.operationId": {"ai.toolCall": "tool"},
}
_AGENTS = ("gen_ai.agent.name", "agent_name", "graph.node.id", "agent.name")
_TOOLS = ("gen_ai.tool.name", "tool.name", "ai.toolCall.name")
_RUNS = frozenset({"final_result", "all_messages_events", "pydantic_ai.all_messages"})
_PREFIX = re.compile(r"^(?:running tool: |execute_tool |tool: |agent_run \[(?=.*\]$)|invoke_agent )")
# BeeAI sends its events as spans: `tool.search.wikipedia.start`, then `….success` and `….finish` beside it.
_NUMBER = re.compile(r"-\d+$")
_EVENT = re.compile(r"\.(?:start|success|finish|error|retry|update|partial_update|new_token)$")


class Moment(NamedTuple):
    """A moment of a model call or a tool that was sent as a span of its own."""

    stem: str
    """What it is a moment of."""
    name: str
    """Such as start or success."""


def kind_of(observation: dict[str, Any], attributes: dict[str, Any]) -> SpanKind:
    """Tell what an observation was: by its type, by what its attributes say, or by a tool's message that came out of it."""
    target = _target_of(observation, attributes)
    if target is not None:
        return _kind_of_event(target)
    if attributes.get("gen_ai.operation.name") == "invoke_agent" and observation["type"] != "EVENT":
        # An agent that names its model is taken for a generation by older servers.
        return "agent"
    kind = _TYPES.get(observation["type"])
    for name, kinds in _TOLD.items() if kind is None and observation["type"] != "EVENT" else ():
        told = attributes.get(name)
        if isinstance(told, str) and told in kinds:
            return kinds[told]
    if kind is not None or observation["type"] != "SPAN":
        return kind or "other"
    if any(isinstance(attributes.get(name), str) for name in _TOOLS):
        return "tool"
    if isinstance(attributes.get("gen_ai.agent.name"), str) or (isinstance(attributes.get("agent_name"), str) and not _RUNS.isdisjoint(attributes)):
        return "agent"
    output = langchain.fields_of(parsed(observation.get("output")))
    return "tool" if output is not None and output["type"] == "tool" else "other"


def name_of(observation: dict[str, Any], attributes: dict[str, Any], kind: SpanKind) -> str:
    """Return the name of a tool or an agent, else of the observation."""
    told = next((attributes[name] for name in (_TOOLS if kind == "tool" else _AGENTS) if isinstance(attributes.get(name), str)), None)
    if told is not None and kind in ("tool", "agent"):
        return str(told)
    target = _target_of(observation, attributes)
    if kind == "tool" and target is not None:
        return _EVENT.sub("", target).removeprefix("tool.")
    name = text_of(observation.get("name")) or ""
    bare = _PREFIX.sub("", name)
    return bare.removesuffix("]") if name.startswith("agent_run [") else bare


def moment_of(observation: dict[str, Any], attributes: dict[str, Any]) -> Moment | None:
    """Return which moment of what an event of BeeAI is; None of any other observation."""
    target = _target_of(observation, attributes)
    if target is None or not target.startswith(("tool.", "backend.")):
        return None
    stem, _, moment = target.rpartition(".")
    return Moment(stem, moment)


def _target_of(observation: dict[str, Any], attributes: dict[str, Any]) -> str | None:
    """Return the name of the event of BeeAI that an observation was, which also its name tells, with a number."""
    target, name = attributes.get("target"), observation.get("name")
    if isinstance(target, str) and (target == "groupId" or _EVENT.search(target)):
        return target
    bare = _NUMBER.sub("", name) if isinstance(name, str) and name.startswith(("tool.", "backend.", "agent.")) else ""
    return bare if bare != name and _EVENT.search(bare) else None


def _kind_of_event(target: str) -> SpanKind:
    """Only the start of a model call or a tool stands for it; what an agent reports of itself repeats these."""
    if not target.endswith(".start"):
        return "other"
    return "tool" if target.startswith("tool.") else "model" if target.startswith("backend.") else "other"
