"""The GenAI semantic conventions, new and old: attributes, events, flattened prompts, and what Logfire and Strands write in their names."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers.builders.message_list import Said
from agentnb.readers.builders.span_tree import SpanKind
from agentnb.readers.dialects.any import parsed
from agentnb.readers.dialects.genai import EVENT_ROLES, messages_of_events, messages_of_keys
from agentnb.readers.formats.otel._record import Record, SpanEvent
from agentnb.readers.formats.otel._values import amount_of, arguments_in, count_of, exit_code_in, said_as, words_of

_KINDS: dict[str, SpanKind] = {
    "chat": "model", "text_completion": "model", "completion": "model", "generate_content": "model", "llm_call": "model", "responses": "model",
    "inference": "model", "message": "model", "invoke_agent": "agent", "invoke_workflow": "agent", "workflow": "agent", "agent": "agent",
    "execute_tool": "tool", "tool": "tool", "retrieval": "tool", "agent_handoff": "tool", "create_agent": "other", "embeddings": "other", "unknown": "other",
}  # fmt: skip
"""Operations, and what ran."""

_AGENT_EVENTS = frozenset({"gen_ai.client.inference.operation.details", "gen_ai.client.agent.invocation.details", "gen_ai.agent.invocation.details"})

READ_EVENTS = frozenset({*EVENT_ROLES, *_AGENT_EVENTS})
"""Names of the events that this convention reads."""

USAGE = {
    "input_tokens": ("gen_ai.usage.input_tokens", "gen_ai.usage.prompt_tokens", "llm.usage.prompt_tokens"),
    "output_tokens": ("gen_ai.usage.output_tokens", "gen_ai.usage.completion_tokens", "llm.usage.completion_tokens"),
    "cached_tokens": (
        "gen_ai.usage.cache_read.input_tokens", "gen_ai.usage.cache_read_input_tokens", "gen_ai.usage.details.cache_read_tokens",
        "gen_ai.usage.cached_tokens", "gen_ai.usage.details.cached_tokens", "gen_ai.usage.details.cache_read_input_tokens",
    ),
    "cache_write_tokens": (
        "gen_ai.usage.cache_creation.input_tokens", "gen_ai.usage.cache_creation_input_tokens", "gen_ai.usage.cache_write_input_tokens",
        "gen_ai.usage.details.cache_write_tokens", "gen_ai.usage.details.cache_creation_input_tokens",
    ),
    "reasoning_tokens": (
        "gen_ai.usage.reasoning_tokens", "gen_ai.usage.reasoning.output_tokens", "gen_ai.usage.details.reasoning_tokens", "llm.usage.reasoning_tokens",
    ),
}  # fmt: skip
_COSTS = ("operation.cost", "gen_ai.usage.cost", "gen_ai.usage.total_cost", "gen_ai.cost.total")


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that these conventions tell."""
    _spread_events(record)
    kind = _kind_of(record)
    fields: dict[str, Any] = {"kind": kind}
    if kind == "tool":
        return fields | _tool(record)
    if kind in ("model", "agent"):
        fields["usage"] = usage_in(record, USAGE, _COSTS)
    if kind == "model":
        fields["name"] = record.take_text("gen_ai.response.model", "gen_ai.request.model")
        fields["finish_reason"] = reason_in(record.take("gen_ai.response.finish_reasons", "gen_ai.response.finish_reason", "gen_ai.response.stop_reason"))
    if kind == "agent":
        fields |= {
            "name": record.take_text("gen_ai.agent.name", "agent_name", "gen_ai.workflow.name") or _named_after(record, "invoke_agent"),
            "agent_version": record.take_text("gen_ai.agent.version"),
        }
    told = _messages(record)
    if kind == "agent" and fields["usage"]:
        model = text_of(record.attributes.get("gen_ai.response.model") or record.attributes.get("gen_ai.request.model"))
        told["replied"] = tuple(said._replace(model=said.model or model) for said in told["replied"])
    return fields | told


def usage_in(record: Record, names: dict[str, tuple[str, ...]], costs: tuple[str, ...]) -> dict[str, Any]:
    """Return the columns of a model call that attributes tell, each by the first of its names that holds a count."""
    found: dict[str, Any] = {column: count_of(record.take(*known)) for column, known in names.items()}
    found["cost"] = amount_of(record.take(*costs))
    apart = (found.get("cached_tokens") or 0) + (found.get("cache_write_tokens") or 0)
    if found.get("input_tokens") is not None and apart > found["input_tokens"]:
        # A part that is larger than the whole stands beside it, as Anthropic counts.
        found["input_tokens"] += apart
    return {column: value for column, value in found.items() if value is not None}


def reason_in(value: Any) -> str | None:
    """Return why a model stopped; of several choices the first one's reason."""
    held = parsed(value)
    return text_of(held[0] if isinstance(held, list) and held else held)


def _kind_of(record: Record) -> SpanKind | None:
    operation = record.take_text("gen_ai.operation.name")
    if operation == "handoff":
        # Without the agent that is handed over to it tells less than the tool that the model asked for.
        return "tool" if record.has("gen_ai.handoff.to_agent") else "other"
    if operation is not None and operation in _KINDS:
        return _KINDS[operation]
    if record.has("gen_ai.tool.name", "gen_ai.tool.call."):
        return "tool"
    if record.has("gen_ai.request.model", "gen_ai.response.model", "gen_ai.usage.", "gen_ai.prompt", "gen_ai.completion", "llm.request.type"):
        return "model"
    if record.has("event_loop.cycle_id"):
        # A round of an agent repeats what the model call in it was given.
        return "other"
    return "agent" if record.has("gen_ai.agent.name", "gen_ai.input.messages") else None


def _named_after(record: Record, operation: str) -> str | None:
    """Return what stands after the operation in a span's name, as the conventions ask for."""
    return record.name.removeprefix(operation).strip() or record.name or None


def _tool(record: Record) -> dict[str, Any]:
    handed = record.take_text("gen_ai.handoff.to_agent")
    result = record.take("gen_ai.tool.call.result", "gen_ai.tool.output", "gen_ai.tool.result", "tool_response", "output", "output.value")
    given = record.take("gen_ai.tool.call.arguments", "gen_ai.tool.input", "tool_arguments", "input", "input.value")
    told = messages_of_events((event.name, event.held) for event in record.take_events())
    if result is None and told.replied:
        result = _words_in(told.replied, record.place)
    if given is None and told.heard:
        given = next((held.held.get("content") for held in record.events if held.name == "gen_ai.tool.message"), None)
    return {
        # The model asks for a handoff by a tool that the SDK names so.
        "name": f"transfer_to_{handed}" if handed else record.take_text("gen_ai.tool.name") or _named_after(record, "execute_tool"),
        "tool_call_id": record.take_text("gen_ai.tool.call.id"),
        "input": arguments_in(given),
        "output": words_of(result),
        "exit_code": exit_code_in(result),
    }


def _words_in(messages: list[dict[str, Any]], place: int) -> str | None:
    said = [said for message in messages for said in said_as([message], "assistant", place) or ()]
    return "\n".join(piece.text for message in said for piece in message.pieces if piece.text is not None) or None


def _messages(record: Record) -> dict[str, Any]:
    """Return what was heard and said: attributes first, then events, flattened keys, and whole transcripts."""
    place = record.place
    told = messages_of_events((event.name, event.held) for event in (*record.take_events(), *_logfire_events(record)))
    heard = said_as(record.take("gen_ai.input.messages"), "user", place)
    heard = heard or _each(told.heard, "user", place) or _each(messages_of_keys(record.take_below("gen_ai.prompt."), "gen_ai.prompt"), "user", place)
    replied = said_as(record.take("gen_ai.output.messages"), "assistant", place)
    replied = replied or _each(told.replied, "assistant", place)
    replied = replied or _each(messages_of_keys(record.take_below("gen_ai.completion."), "gen_ai.completion"), "assistant", place)
    heard = heard or said_as(record.take("gen_ai.prompt"), "user", place)
    replied = replied or said_as(record.take("gen_ai.completion"), "assistant", place)
    transcript = said_as(record.take("pydantic_ai.all_messages"), "user", place) or ()
    result = record.take_text("final_result")
    if transcript and not heard:
        replies = next((number for number, said in enumerate(transcript) if said.role == "assistant"), len(transcript))
        heard, replied = transcript[:replies], replied or transcript[replies:]
    fields: dict[str, Any] = {"heard": (*_system(record, heard or ()), *(heard or ())), "replied": replied or ()}
    texts = {"input": ("gen_ai.input.messages", "gen_ai.prompt"), "output": ("gen_ai.output.messages", "gen_ai.completion")}
    held = {"input": heard, "output": replied}
    words: dict[str, Any] = {name: words_of(record.take(*names)) for name, names in texts.items() if not held[name]}
    if result is not None and not replied:
        words["output"] = result
    return fields | words | ({"duplicates": ("input", "output")} if heard or replied else {})


def _system(record: Record, heard: Iterable[Said]) -> tuple[Said, ...]:
    """Say the instructions that stand apart from the messages, unless these repeat them."""
    value = parsed(record.take("gen_ai.system_instructions"))
    if value is None:
        return ()
    if isinstance(value, str):
        value = [{"type": "text", "content": value}]
    said = said_as([{"role": "system", "parts": value if isinstance(value, list) else [value]}], "system", record.place) or ()
    return said if not any(message.role == "system" for message in heard) else ()


def _each(messages: list[dict[str, Any]], role: str, place: int) -> tuple[Said, ...]:
    return tuple(said for message in messages for said in said_as([message], role, place) or ())


def _logfire_events(record: Record) -> list[SpanEvent]:
    """Return the events that older versions of Logfire keep in an attribute, as JSON."""
    value = parsed(record.take("events", "all_messages_events", "logfire.events"))
    listed = [event for event in value if isinstance(event, dict)] if isinstance(value, list) else []
    return [SpanEvent(text_of(event.get("event.name") or event.get("event_name")) or f"gen_ai.{event.get('role')}.message", event) for event in listed]


def _spread_events(record: Record) -> None:
    """Let attributes that stand in an event of details count as the span's own; AgentCore puts what went in and out into the event's body."""
    for event in record.take_events():
        if event.name in _AGENT_EVENTS:
            for name, value in event.held.items():
                record.attributes.setdefault(name, value)
            continue
        for side, attribute in (("input", "gen_ai.input.messages"), ("output", "gen_ai.output.messages")):
            held = event.held.get(side)
            if isinstance(held, dict) and isinstance(held.get("messages"), list):
                record.attributes.setdefault(attribute, [_unwrapped(message) for message in held["messages"]])


def _unwrapped(message: Any) -> Any:
    """Return a message of AgentCore's events, whose content may be an object that holds the content, or the message."""
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, dict):
        return message
    inner = parsed(content.get("content") if content.get("content") is not None else content.get("message"))
    return {**message, "content": inner if inner is not None else content}
