"""What a model's turn decided: the raw turn as it came in, and the one decision that it is read as.

Names and meanings of the fields are those of MemberJunction's testing engine, in snake_case; camelCase is accepted, and `model_dump(by_alias=True)` gives
exactly that engine's record.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, PlainValidator, SerializationInfo, SerializerFunctionWrapHandler, WithJsonSchema, model_serializer, model_validator
from pydantic.alias_generators import to_camel

from agentnb.errors import TurnError
from agentnb.values._base import Value

DecisionKind = Literal["action", "subAgent", "chat", "taskComplete", "payloadChange", "other", "unparseable", "empty"]
Encoding = Literal["envelope", "native", "text", "none"]
DiagnosticCategory = Literal["no_output", "parse_error", "concatenated", "not_object"]
RoleKind = Literal["subAgent", "payloadChange", "chat", "taskComplete"]
DroppedPart = Literal["call", "argument", "text", "envelope", "entry"]

ROLE_KINDS: Final = ("subAgent", "payloadChange", "chat", "taskComplete")


def _is_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    raise ValueError(f"a text is expected, not {type(value).__name__}")


def _is_object(value: Any) -> dict[str, Any]:
    if isinstance(value, dict):
        return value
    raise ValueError(f"an object is expected, not {type(value).__name__}")


# Plain checks, because pydantic's own refuse texts with lone surrogates, which models do write.
Text = Annotated[str, PlainValidator(_is_text), WithJsonSchema({"type": "string"})]
Object = Annotated[dict[str, Any], PlainValidator(_is_object), WithJsonSchema({"type": "object"})]


class CamelValue(Value):
    """A value whose fields are also known by their camelCase names."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, protected_namespaces=())


class ControlToolRole(Value):
    """What calling a control tool decides: hand over, write to the payload, ask the user, or finish."""

    kind: RoleKind
    """subAgent, payloadChange, chat or taskComplete."""
    name: Text | None = None
    """The sub-agent's real name; with subAgent only."""

    @model_validator(mode="after")
    def _named(self) -> ControlToolRole:
        if (self.kind == "subAgent") != (self.name is not None):
            raise ValueError("a role of kind subAgent has the agent's name, and no other role has one")
        return self


class UnrecognizedRole(Value):
    """A role in somebody's map that is none of the four; its call decides nothing, as in the engine."""

    kind: Any = None
    """What stood in the place of the kind."""


class RawToolCall(Value):
    """One native tool call as the model made it; fields that are not known are ignored."""

    model_config = ConfigDict(extra="ignore")

    name: Text
    """The tool's name on the wire."""
    arguments: Any = None
    """Its arguments, parsed to an object; anything else counts as none."""


def read_calls(value: Any) -> tuple[RawToolCall, ...] | None:
    """Read a list of tool calls.

    Raises:
        TurnError: it is not a list, or a call in it has no name.
    """
    if value is None:
        return None
    if not isinstance(value, (list, tuple)):
        raise TurnError(f"the tool calls of a raw turn are a list of {{name, arguments}}, not {type(value).__name__}")
    return tuple(_read_call(call, place) for place, call in enumerate(value))


def _read_call(call: Any, place: int) -> RawToolCall:
    if isinstance(call, RawToolCall):
        return call
    if not isinstance(call, Mapping) or not isinstance(call.get("name"), str):
        raise TurnError(f"tool call {place} of a raw turn is a mapping with a text as its name; raw_turn_from_response reads a provider's own form")
    return RawToolCall(name=call["name"], arguments=call.get("arguments"))


def read_roles(value: Any) -> dict[str, ControlToolRole | UnrecognizedRole] | None:
    """Read a map of control tools; an entry of an unknown kind is kept as such.

    Raises:
        TurnError: it is not a mapping, or a role that hands over to a sub-agent has no name.
    """
    if value is None:
        return None
    if not isinstance(value, Mapping):
        raise TurnError(f"the control tools of a raw turn are a mapping of tool names to roles, not {type(value).__name__}")
    return {name: _read_role(name, role) for name, role in value.items() if role is not None}


def _read_role(tool: Any, role: Any) -> ControlToolRole | UnrecognizedRole:
    if isinstance(role, (ControlToolRole, UnrecognizedRole)):
        return role
    kind = role.get("kind") if isinstance(role, Mapping) else role
    if not isinstance(role, Mapping) or not isinstance(kind, str) or kind not in ROLE_KINDS:
        return UnrecognizedRole(kind=kind)
    if kind == "subAgent" and not isinstance(role.get("name"), str):
        raise TurnError(f"control tool {tool!r} hands over to a sub-agent; its role needs the agent's name")
    return ControlToolRole.model_validate({"kind": kind, "name": role["name"] if kind == "subAgent" else None})


def _read_names(value: Any) -> dict[str, str] | None:
    if value is None:
        return None
    if not isinstance(value, Mapping) or not all(isinstance(item, str) for pair in value.items() for item in pair):
        raise TurnError("the tool names of a raw turn are a mapping of names on the wire to names of Actions, both texts")
    return dict(value)


def _text_or_none(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    raise TurnError(f"text and protocol of a raw turn are texts or null, not {type(value).__name__}; raw_turn_from_response reads a provider's own form")


class RawTurn(CamelValue):
    """What a model put out in one turn, whatever form it chose; missing and null mean the same, and fields that are not known are ignored."""

    model_config = ConfigDict(extra="ignore")

    text: Annotated[str | None, PlainValidator(_text_or_none), WithJsonSchema({"type": ["string", "null"]})] = None
    """The text beside the tool calls, or the whole output."""
    tool_calls: Annotated[tuple[RawToolCall, ...] | None, PlainValidator(read_calls), WithJsonSchema({"type": ["array", "null"]})] = None
    """Native tool calls, in order; none and an empty list are the same."""
    tool_name_map: Annotated[dict[str, str] | None, PlainValidator(_read_names), WithJsonSchema({"type": ["object", "null"]})] = None
    """Names of tools on the wire to real names of Actions; a name that is not in it stands for itself."""
    protocol: Annotated[str | None, PlainValidator(_text_or_none), WithJsonSchema({"type": ["string", "null"]})] = None
    """envelope, hybrid or implicit: what the model was told to do; anything else is read as envelope."""
    control_tool_map: Annotated[
        dict[str, ControlToolRole | UnrecognizedRole] | None, PlainValidator(read_roles), WithJsonSchema({"type": ["object", "null"]})
    ] = None
    """Names of control tools to what calling them decides."""


class ObservedAction(Value):
    """One Action that a turn wants to run."""

    name: Text
    """Name of the Action."""
    params: Object
    """Its parameters; empty when it has none."""


class ObservedSubAgent(Value):
    """One sub-agent that a turn hands over to."""

    name: Text
    """Name of the sub-agent."""
    message: Text | None = None
    """What it is told; null when the turn does not say."""

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        return {key: value for key, value in write(self).items() if value is not None}


class Discarded(Value):
    """Something in a turn that has no part in its decision."""

    what: DroppedPart
    """call, argument, text, envelope or entry: what it was."""
    name: Text
    """Which: the call's name, the path in the envelope, or the kind of the envelope."""
    reason: str
    """Why it has no part."""
    content: Any = None
    """What it said, as far as it stands nowhere else in the decision."""


OWN: Final = frozenset({"diagnosticCategory", "concatenatedObjects", "discarded"})
"""Fields that the engine's record does not have."""


class ObservedDecision(CamelValue):
    """What a turn decided, the same for every form it can take.

    `model_dump(by_alias=True)` and `record()` give the record of MemberJunction's engine: its camelCase keys, absent ones left out; `model_dump()` gives
    every field, with the category of the diagnostic and what was discarded, which that record does not have.
    """

    kind: DecisionKind
    """action, subAgent, chat, taskComplete, payloadChange, other, unparseable or empty."""
    encoding: Encoding
    """How it arrived: envelope, native (at least one tool call), text (an implicit answer) or none (nothing at all)."""
    actions: tuple[ObservedAction, ...] = ()
    """Actions in the order of the wire, duplicates kept."""
    sub_agents: tuple[ObservedSubAgent, ...] = ()
    """Sub-agents in the order of the wire."""
    message: Text | None = None
    """What the user would read; null when there is nothing."""
    task_complete: bool = False
    """Whether the turn says that the task is complete."""
    payload_change: Object | None = None
    """The change of the payload that the turn asks for."""
    envelope_parsed: bool | None = None
    """True when an envelope was read, false when one was expected and could not be; null for native calls, texts and no output."""
    step_type: Text | None = None
    """The envelope's own word for its next step, untouched."""
    diagnostic: str | None = None
    """Why a turn is unparseable or empty."""
    diagnostic_category: DiagnosticCategory | None = None
    """no_output, parse_error, concatenated or not_object; null when there is no diagnostic."""
    concatenated_objects: int | None = None
    """How many objects were written one after the other; only with the category concatenated."""
    dual_channel: bool | None = None
    """Whether the text beside the calls was an envelope too; null when there are no calls."""
    shadow_envelope_kind: DecisionKind | None = None
    """What that envelope would have decided; only with dual_channel."""
    narration_with_calls: bool | None = None
    """Whether there was text beside the calls that is no envelope; null when there are no calls."""
    placeholder_call: bool | None = None
    """Whether every call beside the text says nothing, as if made only because it could be; null when there are no calls."""
    discarded: tuple[Discarded, ...] = ()
    """What in the turn has no part in the decision."""

    def record(self) -> dict[str, Any]:
        """Return the record of MemberJunction's engine: camelCase keys, those that are absent left out; params and payloads are not copied."""
        fields = {to_camel(name): getattr(self, name) for name in type(self).model_fields}
        fields["actions"] = [{"name": action.name, "params": action.params} for action in self.actions]
        fields["subAgents"] = [{"name": agent.name} if agent.message is None else {"name": agent.name, "message": agent.message} for agent in self.sub_agents]
        return {key: value for key, value in fields.items() if key not in OWN and (value is not None or key == "envelopeParsed")}

    @model_validator(mode="after")
    def _consistent(self) -> ObservedDecision:
        broken = next((rule for rule, holds in _INVARIANTS if not holds(self)), None)
        if broken is not None:
            raise ValueError(f"no decision is like this: {broken}")
        return self

    @model_serializer(mode="wrap")
    def _written(self, write: SerializerFunctionWrapHandler, info: SerializationInfo) -> dict[str, Any]:
        if info.by_alias and info.mode == "python":
            return self.record()
        written: dict[str, Any] = write(self)
        if not info.by_alias:
            return written
        return {key: value for key, value in written.items() if key not in OWN and (value is not None or key == "envelopeParsed")}


_INVARIANTS: Final[tuple[tuple[str, Callable[[ObservedDecision], bool]], ...]] = (
    ("envelope_parsed is false exactly when the kind is unparseable", lambda d: (d.envelope_parsed is False) == (d.kind == "unparseable")),
    (
        "envelope_parsed is true exactly when an envelope was read",
        lambda d: (d.envelope_parsed is True) == (d.encoding == "envelope" and d.kind != "unparseable"),
    ),
    ("an unparseable turn has the encoding envelope", lambda d: d.kind != "unparseable" or d.encoding == "envelope"),
    ("the encoding is none exactly when the kind is empty", lambda d: (d.encoding == "none") == (d.kind == "empty")),
    ("a text completes the task", lambda d: d.encoding != "text" or (d.kind == "taskComplete" and d.task_complete)),
    ("a shadow envelope has a kind, and only with dual_channel", lambda d: (d.shadow_envelope_kind is not None) == (d.dual_channel is True)),
    ("a native turn is never other", lambda d: d.encoding != "native" or d.kind != "other"),
    ("the flags about calls stand in native turns and only there", lambda d: all((flag is not None) == (d.encoding == "native") for flag in _flags(d))),
    ("text beside calls is an envelope or narration, not both", lambda d: not (d.dual_channel and d.narration_with_calls)),
    ("a step type stands in an envelope", lambda d: d.step_type is None or d.envelope_parsed is True),
    ("a diagnostic is of an unparseable or empty turn", lambda d: d.diagnostic is None or d.kind in ("unparseable", "empty")),
)


def _flags(decision: ObservedDecision) -> tuple[bool | None, bool | None, bool | None]:
    return decision.dual_channel, decision.narration_with_calls, decision.placeholder_call
