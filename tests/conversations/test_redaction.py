"""Which values are written down: one objection is enough, and what can quote a dropped value goes with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.conversations.redaction import Fields, check_log_content, content_of, redact_call
from agentnb.errors import SettingError
from tests.conformance import cases_in, read_case, validator

FIELDS = Fields(("transcript", "question"), ("reasoning", "result"), ("reasoning",))
HIDDEN = "SECRET"


def outcome_of(case: dict[str, Any]) -> dict[str, Any]:
    """Say what becomes of a case's record in the words of the cases."""
    fields = Fields(**{name: tuple(names) for name, names in case["fields"].items()})
    try:
        layers = [check_log_content(layer["log_content"], fields=fields if layer["where"] == "own" else None) for layer in case["layers"]]
    except SettingError as refused:
        return {"refuses": refused.code, "field": refused.field}
    return {"record": redact_call(case["record"], content_of(fields, layers, environment=case["environment"]))}


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("content"), ids=lambda path: path.stem)
def test_a_record_keeps_what_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    assert outcome_of(case) == case["expect"]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("content"), ids=lambda path: path.stem)
def test_a_record_that_is_written_is_of_the_published_form(path: Path) -> None:
    outcome = outcome_of(read_case(path))
    if "record" in outcome:
        validator("call").validate(outcome["record"])


def record(**keys: Any) -> dict[str, Any]:
    return {
        "functai_call": 2,
        "content": True,
        "inputs": {"transcript": HIDDEN, "question": "why", "undeclared": HIDDEN},
        "outputs": {"reasoning": HIDDEN, "result": "no"},
        "described": {"inputs": ["transcript", "question"], "outputs": ["reasoning"]},
        "steps": [HIDDEN],
        "sections": [HIDDEN],
        "returned": HIDDEN,
        "changes": [{"plugin": "budget", "version": "1", "hook": "request", "change": {"was": HIDDEN}}],
        "exchanges": [{"model": "m", "request": {"text": HIDDEN}, "error": {"type": "E", "message": HIDDEN}, "diagnosis": HIDDEN}],
        "error": {"type": "E", "message": HIDDEN},
        "of_a_later_version": HIDDEN,
        **keys,
    }


def test_nothing_that_can_quote_a_dropped_value_is_written() -> None:
    kept = redact_call(record(), content_of(FIELDS, [{"transcript": False}]))
    assert HIDDEN not in json.dumps(kept)
    assert kept == {
        "functai_call": 2,
        "content": False,
        "omitted": {"inputs": ["transcript"], "outputs": ["reasoning"]},
        "inputs": {"question": "why"},
        "outputs": {"result": "no"},
        "described": {"inputs": ["question"], "outputs": []},
        "changes": [{"plugin": "budget", "version": "1", "hook": "request"}],
        "exchanges": [{"model": "m", "error": {"type": "E"}}],
        "error": {"type": "E"},
    }


def test_a_record_that_did_not_say_whether_it_is_whole_says_that_it_is_not() -> None:
    kept = redact_call({"inputs": {}, "outputs": None}, content_of(FIELDS, [False]))
    assert (kept["content"], kept["inputs"], kept["outputs"]) == (False, {}, None)


def test_a_record_that_is_written_whole_is_as_it_was() -> None:
    assert redact_call(record(), content_of(FIELDS)) == record()


@given(st.lists(st.none() | st.booleans() | st.dictionaries(st.sampled_from(["*", "transcript", "reasoning", "result", "other"]), st.booleans()), max_size=4))
def test_a_further_layer_never_brings_a_field_back(layers: list[Any]) -> None:
    for count in range(len(layers)):
        fewer, more = content_of(FIELDS, layers[:count]), content_of(FIELDS, layers[: count + 1])
        assert set(more.inputs) <= set(fewer.inputs)
        assert set(more.outputs) <= set(fewer.outputs)
    assert content_of(FIELDS, layers) == content_of(FIELDS, reversed(layers))


@pytest.mark.parametrize("damage", [None, 5, "x", [], [5], {"a": 1}], ids=repr)
@pytest.mark.parametrize("name", ["inputs", "outputs", "described", "probabilities", "changes", "exchanges", "error"])
def test_a_record_with_anything_in_a_field_is_redacted(name: str, damage: Any) -> None:
    assert redact_call(record(**{name: damage}), content_of(FIELDS, [False]))["content"] is False


@pytest.mark.parametrize("value", ["no", 0, ["transcript"], {"transcript": "no"}, {"transcript": 0}], ids=repr)
def test_what_is_no_setting_is_refused(value: Any) -> None:
    with pytest.raises(SettingError, match=r"log-content: .*use True"):
        check_log_content(value)


def test_a_misspelt_field_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(SettingError, match=r"names transcrpit, .* has transcript, question, reasoning, result"):
        check_log_content({"transcrpit": False}, fields=FIELDS)


@pytest.mark.parametrize(("word", "whole"), [("0", False), (" False ", False), ("NO", False), ("off\n", False), ("", True), (None, True), ("none", True)])
def test_four_words_of_the_environment_drop_everything(word: str | None, whole: bool) -> None:
    assert content_of(FIELDS, [{"question": True}], environment=word).whole is whole
