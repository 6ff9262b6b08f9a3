"""Observations of a trace of Langfuse -> spans: their content is whatever the traced program's framework passed around."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import text_of
from agentnb.readers._times import read_time
from agentnb.readers.builders._spans import Span
from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects import chat, genai
from agentnb.readers.dialects.any import heard_in, parsed, replied_in, said_in_any
from agentnb.readers.dialects.langchain import is_told
from agentnb.readers.dialects.passed import arguments_in, conversed_in, returned_in, with_top, without_inherited
from agentnb.readers.formats.langfuse._kinds import kind_of, moment_of, name_of
from agentnb.readers.formats.langfuse._records import attributes_of, field, metadata_of
from agentnb.readers.formats.langfuse._usage import usage_of

_INPUTS = ("gen_ai.tool.call.arguments", "tool_arguments", "gcp.vertex.agent.tool_call_args", "ai.toolCall.args", "tool.parameters", "input.value")
_OUTPUTS = ("gen_ai.tool.call.result", "tool_response", "gcp.vertex.agent.tool_response", "ai.toolCall.result", "output.value")
_CALL_IDS = ("gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id")
_MODELS = ("gen_ai.response.model", "ai.response.model", "llm.model_name", "gen_ai.request.model")
_SESSIONS = ("session.id", "gen_ai.conversation.id", "langfuse.session.id", "gcp.vertex.agent.session_id")
_READ = frozenset(
    {"id", "type", "name", "startTime", "endTime", "input", "output", "metadata", "level", "statusMessage", "model", "providedModelName", "usageDetails"}
    | {"costDetails", "usage", "inputUsage", "outputUsage", "totalUsage", "inputCost", "outputCost", "totalCost", "unit", "traceId", "parentObservationId"}
    | {"projectId", "environment", "createdAt", "updatedAt", "latency", "timeToFirstToken", "internalModelId", "internalModel", "usagePricingTierId"}
    | {"usagePricingTierName", "calculatedInputCost", "calculatedOutputCost", "calculatedTotalCost", "inputPrice", "outputPrice", "totalPrice", "modelId"}
    | {"providedCostDetails", "providedUsageDetails", "promptTokens", "completionTokens", "totalTokens", "toolCalls", "toolCallNames"}
)
# What the input and the output of the observation repeat.
_REPEATED = re.compile(
    r"(?:input|output)\.(?:value|mime_type)$|llm\.(?:input|output)_messages|llm\.(?:prompts|token_count|model_name)|gen_ai\.(?:input|output)\.messages"
    r"|gen_ai\.(?:prompt|completion|usage|tool\.call|tool\.name|system_instructions)|pydantic_ai\.all_messages|all_messages_events|final_result$"
    r"|gcp\.vertex\.agent\.(?:llm_|tool_|event_id)|ai\.(?:prompt\.messages|response\.(?:text|toolCalls)|toolCall\.|usage\.)|tool_(?:arguments|response)$"
    r"|tool\.parameters$|logfire\.json_schema$|history$"
)
# How Python writes that there is no text.
_NO_WORDS = ("None", '"None"')
_WORDS = re.compile(r"(?:developer|system|user|assistant|tool|human|ai): ", re.IGNORECASE)


class Met(NamedTuple):
    """An observation, the account of its file, and its place there."""

    observation: dict[str, Any]
    account: Account
    place: int


def spans_of(met: list[Met], trace: dict[str, Any], labels: dict[str, Any]) -> list[Span]:
    """Make spans of the observations of a trace, in their order.

    Args:
        met: the observations.
        trace: the trace itself, without fields when it was not recorded.
        labels: what is known of the conversation to group by.
    """
    session = _session_of(trace, met)
    spans = with_top([_bare(item, session, labels) for item in met])
    kinds = {span.span_id: span.kind for span in spans}
    filled = [_filled(span, item, inside_model=kinds.get(span.parent_id or "") == "model") for span, item in zip(spans, met, strict=True)]
    top = next((place for place, span in enumerate(filled) if span.kind == "agent"), None)
    if top is not None:
        filled[top] = _with_trace(filled[top], trace)
    return without_inherited(_with_moments(filled, met))


def _bare(item: Met, session: str | None, labels: dict[str, Any]) -> Span:
    observation = item.observation
    attributes = attributes_of(metadata_of(observation))
    kind = kind_of(observation, attributes)
    started, ended = read_time(field(observation, "startTime")), read_time(field(observation, "endTime"))
    return Span(
        observation["id"],
        text_of(field(observation, "parentObservationId")) or None,
        text_of(field(observation, "traceId")) or "",
        name_of(observation, attributes, kind),
        kind,
        item.place,
        started=started.micros,
        ended=ended.micros,
        conversation_id=session,
        error=_error_of(observation),
        labels=labels,
        zone_assumed=started.zone_assumed or ended.zone_assumed,
    )


def _filled(span: Span, item: Met, *, inside_model: bool) -> Span:
    if span.kind == "other":
        return span
    observation, metadata = item.observation, metadata_of(item.observation)
    attributes = attributes_of(metadata)
    span = span._replace(extra=_extra(observation, metadata, attributes))
    if span.kind == "model":
        return _model(span, observation, attributes, inside_model=inside_model)
    if span.kind == "tool":
        return _tool(span, observation, attributes)
    conversed = conversed_in(parsed(observation.get("input")), parsed(observation.get("output")), span.place)
    model = text_of(field(observation, "model")) or _told(attributes, _MODELS)
    replied = tuple(said._replace(model=said.model or model) for said in conversed.replied)
    usage = usage_of(observation)
    return span._replace(heard=conversed.heard, replied=replied, usage=usage if any(usage.values()) else {})


def _model(span: Span, observation: dict[str, Any], attributes: dict[str, Any], *, inside_model: bool) -> Span:
    heard = _heard(span, observation, attributes, inside_model=inside_model)
    replied = () if inside_model and observation.get("output") in _NO_WORDS else _replied(span, observation, attributes)
    replied = _with_calls(replied, observation, span.place)
    model = next((said.model for said in replied if said.model), None) or _told(attributes, _MODELS[:2])
    model = model or text_of(field(observation, "model") or field(observation, "providedModelName")) or _told(attributes, _MODELS) or ""
    own = {name: value for said in replied for name, value in said.usage.items()}
    finish = next((said.finish_reason for said in replied if said.finish_reason), None) or _finish_of(attributes)
    return span._replace(name=model, heard=heard, replied=replied, usage=usage_of(observation) | own, finish_reason=finish)


def _heard(span: Span, observation: dict[str, Any], attributes: dict[str, Any], *, inside_model: bool) -> tuple[Said, ...]:
    """Return what a model was given; one inside another whose messages were written as one text leaves it to the other to tell them."""
    value = parsed(observation.get("input"))
    value = [item for item in value if not _is_definition(item)] if isinstance(value, list) else value
    said = said_in_any(value, span.place)
    if said is None or _is_lost(said):
        said = _of_keys(attributes, "llm.input_messages", span.place) or _of_keys(attributes, "gen_ai.prompt", span.place) or said
    if said is not None:
        return () if _is_lost(said) else said
    if value in (None, "", [], {}) or (inside_model and isinstance(value, str) and _WORDS.match(value)) or value == {"content": "role"}:
        return ()
    arguments = value.get("args") if isinstance(value, dict) and set(value) <= {"args", "kwargs"} else None
    return heard_in(arguments[0] if isinstance(arguments, list) and len(arguments) == 1 else value, span.place)


def _is_definition(message: Any) -> bool:
    """Tell whether what stands among messages only defines a tool, as one SDK writes what a model may call."""
    content = message.get("content") if isinstance(message, dict) and message.get("role") == "tool" else None
    return isinstance(content, dict) and isinstance(content.get("function"), dict) and "parameters" in content["function"]


def _is_lost(said: tuple[Said, ...]) -> bool:
    """Tell whether only the name of a field is left of what a model was given, as one SDK writes messages that it cannot read."""
    return len(said) == 1 and [piece.text for piece in said[0].pieces] == ["role"]


def _replied(span: Span, observation: dict[str, Any], attributes: dict[str, Any]) -> tuple[Said, ...]:
    value = parsed(observation.get("output"))
    if value in (None, "", [], {}):
        return _of_keys(attributes, "llm.output_messages", span.place) or _of_keys(attributes, "gen_ai.completion", span.place)
    said = replied_in(value, span.place)
    return tuple(message._replace(role="assistant") if message.role == "user" and len(said) == 1 else message for message in said)


def _with_calls(replied: tuple[Said, ...], observation: dict[str, Any], place: int) -> tuple[Said, ...]:
    """Add the tool calls that Langfuse found in a reply, where the reply itself does not tell them."""
    listed = parsed(field(observation, "toolCalls"))
    calls = [call for call in map(parsed, listed) if isinstance(call, dict)] if isinstance(listed, list) else []
    if not calls or any(said.asked for said in replied):
        return replied
    asked = chat.asked_in({"tool_calls": calls})
    head = replied[0] if replied else Said("assistant", place)
    return (head._replace(asked=asked), *replied[1:])


def _of_keys(attributes: dict[str, Any], prefix: str, place: int) -> tuple[Said, ...]:
    """Return the messages whose fields are attributes of their own, `llm.input_messages.0.message.role`."""
    if not any(name.startswith(f"{prefix}.") for name in attributes):
        return ()
    if not any(name.startswith(f"{prefix}.0.") for name in attributes):
        # The beginning was cut off, since a span may have so many attributes only; what is left makes no sense.
        return ()
    return said_in_any(genai.messages_of_keys(attributes, prefix), place) or ()


def _tool(span: Span, observation: dict[str, Any], attributes: dict[str, Any]) -> Span:
    given, came = observation.get("input"), observation.get("output")
    given = _first(attributes, _INPUTS) if given in (None, "", "{}", {}) and _first(attributes, _INPUTS) is not None else given
    came = _first(attributes, _OUTPUTS) if came in (None, "", "{}", '"{}"', {}) else came
    returned = returned_in(_once(came), span.place)
    call_id = _told(attributes, _CALL_IDS) or returned.tool_call_id
    error = span.error or returned.error
    return span._replace(input=arguments_in(given), output=returned.text, tool_call_id=call_id, error=error, extra=span.extra | returned.extra)


def _once(value: Any) -> Any:
    """Return a text that was written as JSON once more than it was by the tool."""
    inner = parsed(value, 1) if isinstance(value, str) and value[:1] == '"' else value
    return inner if isinstance(inner, str) else value


def _with_moments(spans: list[Span], met: list[Met]) -> list[Span]:
    """Give the start of a model call or a tool what the moment of its success tells, where these are spans beside each other."""
    moments = [moment_of(item.observation, attributes_of(metadata_of(item.observation))) for item in met]
    order = sorted(range(len(spans)), key=lambda place: (spans[place].started or 0, spans[place].place))
    begun: dict[str, int] = {}
    for place in order:
        moment = moments[place]
        if moment is None:
            continue
        if moment.name == "start":
            begun[moment.stem] = place
        elif moment.stem in begun and moment.name in ("success", "error"):
            start = begun[moment.stem]
            later = _filled(spans[place]._replace(kind=spans[start].kind), met[place], inside_model=False)
            spans[start] = spans[start]._replace(
                output=spans[start].output or later.output,
                replied=spans[start].replied or later.replied,
                usage=spans[start].usage | later.usage,
                ended=later.started,
                error=spans[start].error or later.error,
            )
    return spans


def _with_trace(span: Span, trace: dict[str, Any]) -> Span:
    """Give the top of a trace what only the trace tells that it was given and answered."""
    conversed = conversed_in(parsed(trace.get("input")), parsed(trace.get("output")), span.place)
    return span._replace(heard=span.heard or conversed.heard, replied=span.replied or conversed.replied)


def _session_of(trace: dict[str, Any], met: list[Met]) -> str | None:
    """Return the session that a trace belongs to, or the thread of the graph that ran."""
    told = [field(trace, "sessionId"), *(field(item.observation, "sessionId") for item in met)]
    for record in (trace, *(item.observation for item in met)):
        metadata = metadata_of(record)
        attributes = attributes_of(metadata)
        told += [*(attributes.get(name) for name in _SESSIONS), metadata.get("thread_id")]
    return next((session for session in told if isinstance(session, str) and session), None)


def _error_of(observation: dict[str, Any]) -> str | None:
    if observation.get("level") != "ERROR":
        return None
    message = field(observation, "statusMessage")
    return message[:500] if isinstance(message, str) and message.strip() else "The observation has the level ERROR."


def _finish_of(attributes: dict[str, Any]) -> str | None:
    reasons = parsed(attributes.get("gen_ai.response.finish_reasons"))
    reason = reasons[0] if isinstance(reasons, list) and reasons else attributes.get("ai.response.finishReason")
    return reason if isinstance(reason, str) else None


def _extra(observation: dict[str, Any], metadata: dict[str, Any], attributes: dict[str, Any]) -> dict[str, Any]:
    """Return what was not read of an observation that becomes a call."""
    read = {name for known in _READ for name in (known, re.sub(r"(?<!^)(?=[A-Z])", "_", known).lower())}
    rest = {name: value for name, value in observation.items() if name not in read and is_told(value)}
    told = {name: value for name, value in attributes.items() if is_told(value) and not _REPEATED.match(name)}
    kept = {name: value for name, value in metadata.items() if name not in ("attributes", "resourceAttributes", "scope") and is_told(value)}
    level = observation.get("level")
    rest |= {"level": level} if level in ("WARNING", "DEBUG") else {}
    if level == "WARNING" and is_told(field(observation, "statusMessage")):
        rest["statusMessage"] = field(observation, "statusMessage")
    given = parsed(observation.get("input"))
    tools = [item["content"] for item in given if _is_definition(item)] if isinstance(given, list) else []
    return rest | ({"tools": tools} if tools else {}) | ({"attributes": told} if told else {}) | ({"metadata": kept} if kept else {})


def _first(attributes: dict[str, Any], names: tuple[str, ...]) -> Any:
    return next((attributes[name] for name in names if attributes.get(name) not in (None, "")), None)


def _told(attributes: dict[str, Any], names: tuple[str, ...]) -> str | None:
    found = _first(attributes, names)
    return found if isinstance(found, str) else None
