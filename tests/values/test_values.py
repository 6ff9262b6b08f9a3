"""A value never changes, is exact about its fields, and says what each of them means."""

from __future__ import annotations

import inspect

import pytest
from pydantic import ValidationError

import agentnb.values
from agentnb.values import Call, Diagnostic, Part, Usage, Value
from tests.values.made import call, part

MODELS = sorted(
    (kind for _, kind in inspect.getmembers(agentnb.values, inspect.isclass) if issubclass(kind, Value) and kind is not Value), key=lambda kind: kind.__name__
)


def test_every_kind_of_value_is_on_the_face_of_the_package() -> None:
    names = [
        "Approval", "Call", "ControlToolRole", "Conversation", "Decision", "Diagnostic", "Discarded", "Message", "Nudge", "ObservedAction", "ObservedDecision",
        "ObservedSubAgent", "Part", "Rating", "RawToolCall", "RawTurn", "Rule", "RuleCheck", "RuleContext", "RuleExplanation", "RuleHit", "RulePoint",
        "Sample", "SampledCall", "ScriptProgram", "ScriptRow", "Source", "Step", "Turn", "Usage", "WaitingApproval",
    ]  # fmt: skip
    assert [kind.__name__ for kind in MODELS] == names
    assert sorted(name for name in agentnb.values.__all__ if name[0].isupper()) == sorted([*names, "Value"])


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_every_field_has_a_sentence_that_is_also_in_its_json_schema(kind: type[Value]) -> None:
    described = {name: field.description or "" for name, field in kind.model_fields.items()}
    assert [name for name, text in described.items() if not text.endswith(".")] == []
    schema = kind.model_json_schema(by_alias=False)["properties"]
    assert {name: schema[name]["description"] for name in described} == described


@pytest.mark.parametrize("kind", MODELS, ids=lambda kind: kind.__name__)
def test_every_kind_of_value_says_what_it_is(kind: type[Value]) -> None:
    assert kind.__doc__ is not None
    assert kind.__doc__ != Value.__doc__


def test_a_value_never_changes() -> None:
    usage = Usage(input_tokens=3)
    with pytest.raises(ValidationError, match="frozen"):
        usage.input_tokens = 4
    assert usage.input_tokens == 3


def test_a_value_refuses_a_field_it_does_not_know() -> None:
    with pytest.raises(ValidationError, match="tokens_sent"):
        Usage(tokens_sent=3)  # type: ignore[call-arg]


def test_a_value_refuses_a_word_that_its_field_does_not_have() -> None:
    with pytest.raises(ValidationError, match="state"):
        call(state="finished")
    with pytest.raises(ValidationError, match="role"):
        part(role="developer")


def test_values_that_hold_the_same_are_equal_and_can_be_kept_in_sets() -> None:
    assert len({Usage(input_tokens=3), Usage(input_tokens=3), Usage(output_tokens=3)}) == 2


def test_a_repr_leaves_out_what_is_not_known() -> None:
    diagnostic = Diagnostic(source_id="s", diagnostic_index=0, severity="info", code="not_json", message="The line is not JSON.")
    assert repr(diagnostic) == "Diagnostic(source_id='s', diagnostic_index=0, severity='info', code='not_json', message='The line is not JSON.')"
    assert repr(Usage()) == "Usage()"


def test_a_repr_keeps_a_zero_and_a_no() -> None:
    shown = repr(call(input_tokens=0, failed=False, output=""))
    assert "input_tokens=0" in shown
    assert "failed=False" in shown
    assert "call_index=0" in shown
    assert "output=" not in shown


def test_a_call_has_its_tokens_and_cost_as_one_value() -> None:
    made = call(input_tokens=10, output_tokens=2, cached_tokens=4, cache_write_tokens=1, reasoning_tokens=1, cost=0.25)
    assert made.usage == Usage(input_tokens=10, output_tokens=2, cached_tokens=4, cache_write_tokens=1, reasoning_tokens=1, cost=0.25)
    assert set(Usage.model_fields) <= set(Call.model_fields)


@pytest.mark.parametrize(("text", "value"), [('{"a": 1}', {"a": 1}), ('"ls -l"', "ls -l"), ("null", None), (None, None)])
def test_the_arguments_of_a_call_are_python_values(text: str | None, value: object) -> None:
    assert call(input=text).arguments == value


def test_a_part_points_to_its_call_and_needs_no_text() -> None:
    made = part(type="tool_call", text=None, call_id="c")
    assert isinstance(made, Part)
    assert (made.text, made.call_id) == (None, "c")
