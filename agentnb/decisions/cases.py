"""Which turn should decide what? Cases, one JSON object each, checked when they are loaded and not when they are judged."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal

from agentnb.decisions._json import parse_json
from agentnb.decisions.evaluate import Evaluation, evaluate_decision
from agentnb.decisions.expectations import DecisionExpectation, read_expectation, write_expectation
from agentnb.decisions.matchers import type_of
from agentnb.decisions.normalize import normalize_decision
from agentnb.errors import CaseError
from agentnb.values.decisions import CamelValue, ObservedDecision, RawTurn

TOOL_CHOICES: Final = ("auto", "none", "required")


class CaseInput(CamelValue):
    """What the model is given in a case."""

    payload: Any = None
    """The payload before the turn."""
    conversation_messages: tuple[Any, ...] = ()
    """The history, in the form with tool calls and tool results."""
    template_data: Any = None
    """What the prompt's template is filled with."""
    tool_choice: Literal["auto", "none", "required"] | None = None
    """Whether the model may or must call a tool."""


class CaseOrigin(CamelValue):
    """The recorded step that a case was made of; for people, since nothing is matched by it."""

    conversation_id: str | None = None
    """The conversation it belongs to."""
    turn_id: str | None = None
    """The turn it belongs to."""
    step_id: str | None = None
    """The step itself."""


class Case(CamelValue):
    """One prompt and what the turn that follows should decide."""

    id: str
    """Its id, which is also the name of its file."""
    agent: str
    """The agent it is about."""
    description: str = ""
    """What it is about, in words."""
    tags: tuple[str, ...] = ()
    """What it belongs to."""
    input: CaseInput = CaseInput()
    """What the model is given."""
    expect: DecisionExpectation
    """What the turn should decide."""
    origin: CaseOrigin | None = None
    """The recorded step it was made of; null for one that was written by hand."""


def parse_case(value: Any, *, name: str | None = None) -> Case:
    """Read one case from its JSON object; everything in it is checked now.

    Args:
        value: the parsed file.
        name: the file's name, for messages about a case without an id.

    Raises:
        CaseError: the case cannot be used; the message holds its id and the place.
    """
    if not isinstance(value, Mapping):
        raise CaseError(f"{_called(None, name)}: a case is an object, not {type_of(value)}")
    identity = value.get("id")
    where = _called(identity, name)
    for key in ("id", "agent"):
        if not isinstance(value.get(key), str) or not value[key]:
            raise CaseError(f"{where}: a case needs an {key}, a text that is not empty")
    if value.get("expect") is None:
        raise CaseError(f"{where}: a case needs an object as what to expect")
    tags, description = value.get("tags"), value.get("description")
    if tags is not None and not (isinstance(tags, (list, tuple)) and all(isinstance(tag, str) for tag in tags)):
        raise CaseError(f"{where}: tags are a list of texts")
    return Case(
        id=value["id"],
        agent=value["agent"],
        description=description if isinstance(description, str) else "",
        tags=tuple(tags or ()),
        input=_input(value.get("input"), where),
        expect=read_expectation(value["expect"], where=where),
        origin=_origin(value.get("origin")),
    )


def parse_cases(texts: Mapping[str, str]) -> tuple[Case, ...]:
    """Read the cases of a folder from the texts of its files, in the order of their names.

    Args:
        texts: names of files with their texts.

    Raises:
        CaseError: a file is not JSON, or its case cannot be used, or two cases have one id.
    """
    cases: dict[str, Case] = {}
    places: dict[str, str] = {}
    for name, text in sorted(texts.items()):
        parsed = parse_json(text.removeprefix("\ufeff"))
        if parsed.error is not None:
            raise CaseError(f"{name}: not JSON: {parsed.error}")
        case = parse_case(parsed.value, name=name)
        if case.id in cases:
            raise CaseError(f"{name}: case {case.id!r} is in {places[case.id]}, too; ids are unique")
        cases[case.id], places[case.id] = case, name
    return tuple(cases.values())


def write_case(case: Case) -> dict[str, Any]:
    """Return a case as its file holds it, so that `parse_case` gives the same again.

    Raises:
        CaseError: a matcher of it has no form in a file.
    """
    given = {
        "payload": case.input.payload,
        "conversationMessages": list(case.input.conversation_messages),
        "templateData": case.input.template_data,
        "toolChoice": case.input.tool_choice,
    }
    written = {
        "id": case.id,
        "agent": case.agent,
        "description": case.description,
        "tags": list(case.tags),
        "input": {key: part for key, part in given.items() if part not in (None, [])},
        "expect": write_expectation(case.expect),
        "origin": {} if case.origin is None else case.origin.model_dump(by_alias=True, exclude_none=True),
    }
    return {key: part for key, part in written.items() if part not in ("", [], {})}


def evaluate_case(case: Case, turn: ObservedDecision | RawTurn | Mapping[str, Any]) -> Evaluation:
    """Judge a turn by a case.

    Args:
        case: the case.
        turn: a decision, or a raw turn that is normalized first.
    """
    return evaluate_decision(case.expect, turn if isinstance(turn, ObservedDecision) else normalize_decision(turn))


def _input(value: Any, where: str) -> CaseInput:
    if value is None:
        return CaseInput()
    if not isinstance(value, Mapping):
        raise CaseError(f"{where}: the input is an object, not {type_of(value)}")
    choice = value.get("toolChoice", value.get("tool_choice"))
    if choice is not None and choice not in TOOL_CHOICES:
        raise CaseError(f"{where}: {choice!r} is no tool choice; choices are {', '.join(TOOL_CHOICES)}")
    messages = value.get("conversationMessages", value.get("conversation_messages"))
    if messages is not None and not isinstance(messages, (list, tuple)):
        raise CaseError(f"{where}: conversationMessages are a list, not {type_of(messages)}")
    return CaseInput(
        payload=value.get("payload"),
        conversation_messages=tuple(messages or ()),
        template_data=value.get("templateData", value.get("template_data")),
        tool_choice=choice,
    )


def _origin(value: Any) -> CaseOrigin | None:
    """Return what a case says of where it comes from; what cannot be read says nothing."""
    known = {str(field.alias): value.get(field.alias) for field in CaseOrigin.model_fields.values()} if isinstance(value, Mapping) else {}
    given = {name: text for name, text in known.items() if isinstance(text, str)}
    return CaseOrigin.model_validate(given) if given else None


def _called(identity: Any, name: str | None) -> str:
    if isinstance(identity, str) and identity:
        return f"case {identity!r}"
    return f"case in {name}" if name else "a case without an id"
