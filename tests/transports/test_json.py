"""A stage wants one JSON object in text: which texts are one, under which extraction, and where the others break."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

import agentnb.transports as tr
from agentnb.transports.bodies import EXTRACTIONS
from tests.transports.made import LENGTH, STOP, call, noted, transport

STATUS = '{"tool":"status","input":{}}'
FENCED = f"```json\n{STATUS}\n```"


def traced(*parts: Any, extraction: str = "fenced", stage: str = "full") -> tr.Trace:
    adapters = tr.AdapterCatalog([tr.JsonAdapter(extraction=extraction)])  # type: ignore[arg-type]  # one of EXTRACTIONS
    return tr.trace_selection(transport(adapter="json", adapters=adapters).prepare(stage), parts)


class Bad(NamedTuple):
    """A text that is no selection."""

    parts: list[Any]
    code: str
    broke_at: int | None
    place: int | None = None
    hint: str | None = None


BAD = {
    "V62 prose before": Bad([f"Sure! {STATUS}", STOP], "json_not_object", 0, 0),
    "V63 prose after": Bad([STATUS, " Hope this helps", STOP], "json_trailing_text", 1, 29),
    "V64 two objects": Bad([STATUS + STATUS, STOP], "json_trailing_text", 0, 28),
    "V65 cut by the limit": Bad(['{"tool":"weather.lookup","input":{"city":"Os', LENGTH], "truncated", 1),
    "V65 cut": Bad(['{"tool":"weather.lookup","input":{"city":"Os'], "json_incomplete", None),
    "V66 no input": Bad(['{"tool":"status"}', STOP], "envelope_missing_key", 0),
    "V66 one more key": Bad(['{"tool":"status","input":{},"why":1}', STOP], "envelope_extra_key", 0),
    "V66 input as text": Bad(['{"tool":"status","input":"{}"}', STOP], "envelope_bad_type", 0, None, "input_is_encoded_json"),
    "input as a number": Bad(['{"tool":"status","input":3}', STOP], "envelope_bad_type", 0),
    "tool as a number": Bad(['{"tool":3,"input":{}}', STOP], "envelope_bad_type", 0),
    "V67 a tool that is made up": Bad(['{"tool":"forecast","input":{}}', STOP], "unknown_tool", 0),
    "V67 the name on the wire": Bad(['{"tool":"weather_lookup","input":{}}', STOP], "unknown_tool", 0, None, "wire_name_of:weather.lookup"),
    "V69 a native call": Bad([call(0, "a", "status", "{}")], "unexpected_call", 0),
    "V70 a list": Bad([f"[{STATUS}]", STOP], "json_not_object", 0, 0),
    "two backticks": Bad(["``", STOP], "json_incomplete", 1),
    "a fence of two": Bad([f"``{STATUS}``", STOP], "json_not_object", 0, 0),
    "a fence that closes too early": Bad([f"```json\n{STATUS}\n``x", STOP], "json_trailing_text", 0, 37),
    "text after the fence": Bad([f"{FENCED}\nHope this helps", STOP], "json_trailing_text", 0, 41),
    "white space": Bad([" \n", STOP], "empty_response", 1),
    "white space at the limit": Bad([" \n", LENGTH], "truncated", 1),
    "broken JSON": Bad(["{tool: status}", STOP], "json_invalid", 0, 1),
    "a missing comma": Bad(['{"tool":"status" "input":{}}', STOP], "json_invalid", 0, 17),
    "nothing": Bad([], "empty_response", None),
    "a refusal": Bad([tr.RefusalPart(text="no"), STOP], "refused", 0),
}


@pytest.mark.parametrize("name", BAD)
def test_why_a_text_is_no_selection_and_where_it_broke(name: str) -> None:
    bad = BAD[name]
    found = traced(*bad.parts)
    assert (found.code, found.broke_at, found.outcome) == (bad.code, bad.broke_at, "cut" if bad.broke_at is None else "broken")
    assert found.failure is not None
    assert (found.failure.place, found.failure.hint) == (bad.place, bad.hint)


@pytest.mark.parametrize(
    ("text", "extractions"),
    [
        (STATUS, "strict fenced embedded"),
        (f" \ufeff\n{STATUS}\n", "strict fenced embedded"),
        (FENCED, "fenced embedded"),
        (f"```\n{STATUS}", "fenced embedded"),
        (f"````json title=x\n\n {STATUS}\n````\n", "fenced embedded"),
        (f"```json {STATUS}```", "fenced embedded"),
        (f"Sure! {STATUS}", "embedded"),
        (f"{STATUS} Hope this helps", "embedded"),
        (f"Sure:\n{FENCED}\nHope this helps", "embedded"),
        (f"`` {STATUS}", "embedded"),
        ("Use {braces} then " + STATUS, ""),
        ("no object", ""),
    ],
)
def test_which_extraction_takes_which_text(text: str, extractions: str) -> None:
    assert [extraction for extraction in EXTRACTIONS if traced(text, STOP, extraction=extraction).outcome == "ok"] == extractions.split()


def test_only_the_first_brace_is_tried() -> None:
    assert traced("Use {braces} then " + STATUS, extraction="embedded").code == "json_invalid"


def test_an_answer_in_pieces() -> None:
    found = traced('{"tool":"weather.look', 'up","input":{"city":"Oslo"}}', STOP)
    assert found.result == tr.ModelSelection(tool_id="weather.lookup", input={"city": "Oslo"})
    assert found.output_chars == 49
    assert [step.verdict for step in found.steps] == ["pending", "ok", "ok"]


def test_a_fence_in_pieces() -> None:
    found = traced("`", '``json\n{"tool":', '"status","input":{}}', "\n``", "`")
    assert [step.verdict for step in found.steps] == ["pending", "pending", "ok", "ok", "ok"]
    assert traced(FENCED, STOP).output_chars == 40


def test_prose_can_still_be_followed_by_an_object_only_where_that_is_taken() -> None:
    assert [step.verdict for step in traced("Sure! ", STATUS, extraction="embedded").steps] == ["pending", "ok"]
    assert [step.verdict for step in traced("Sure! ", STATUS, extraction="fenced").steps] == ["doomed", "doomed"]


def test_what_is_missing_and_what_is_too_much_is_told() -> None:
    for name, word in {"V66 no input": "input", "V66 one more key": "why"}.items():
        failure = traced(*BAD[name].parts).failure
        assert failure is not None
        assert failure.detail.endswith(word)


def test_a_tool_of_another_stage() -> None:
    assert traced('{"tool":"greet","input":{}}', STOP, stage="status-only").code == "tool_not_in_stage"


def test_keys_that_repeat_are_noted() -> None:
    found = traced('{"tool":"greet","tool":"status","input":{}}', STOP)
    assert isinstance(found.result, tr.ModelSelection)
    assert found.result.tool_id == "status"
    assert noted(found) == [("duplicate_key", None)]


def test_there_is_no_call_in_text() -> None:
    collector = transport().prepare("full", adapter="json").create_response()
    collector.push(call(0, "a", "status", "{}"))
    assert (collector.call, collector.calls) == (None, None)
    assert collector.every_call[0].name == "status"
