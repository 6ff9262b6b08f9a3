"""A stage wants one native call: what is one, what is none yet, and what can never become one."""

from __future__ import annotations

import contextlib
from typing import Any, NamedTuple

import pytest

import agentnb.transports as tr
from agentnb.errors import CollectorClosed, SelectionError
from tests.transports.made import CALLED, LENGTH, STOP, W, call, end, noted, prepared, trace, transport

OSLO = '{"city":"Oslo"}'


class Good(NamedTuple):
    """An answer that is a valid selection."""

    parts: list[Any]
    tool: str
    input: dict[str, Any]
    chars: int
    notes: tuple[tuple[str, int | None], ...] = ()
    id: str = "a"


class Bad(NamedTuple):
    """An answer that is none."""

    parts: list[Any]
    code: str
    broke_at: int | None
    """None for a stream that was cut."""
    place: int | None = None
    hint: str | None = None
    notes: tuple[tuple[str, int | None], ...] = ()
    stage: str = "full"


GOOD = {
    "V22 a call without arguments that is ended": Good([call(1, "toolu_1", "status", ""), end(1), CALLED], "status", {}, 0, id="toolu_1"),
    "V25 white space for no arguments": Good([call(0, "a", "status", " \n"), STOP], "status", {}, 2),
    "V26 prose beside the call": Good(["Let me check. ", call(0, "a", W, OSLO), CALLED], "weather.lookup", {"city": "Oslo"}, 15, (("prose_with_call", None),)),
    "V35 a closed object at the length limit": Good([call(0, "a", W, OSLO), LENGTH], "weather.lookup", {"city": "Oslo"}, 15),
    "V40 the name resent": Good(
        [call(0, "a", W, '{"city":'), call(0, "a", W, '"Oslo"}'), CALLED], "weather.lookup", {"city": "Oslo"}, 15, (("name_resent", 1),)
    ),
    "V41 the name in fragments": Good(
        [call(0, "a", "weather_"), call(0, None, "lookup"), call(0, None, None, OSLO), CALLED], "weather.lookup", {"city": "Oslo"}, 15
    ),
    "V42 two entries of one index": Good(
        [call(0, "a", W), call(0, None, None, '{"city":"Os'), call(0, None, None, 'lo"}'), CALLED], "weather.lookup", {"city": "Oslo"}, 15
    ),
    "V44 another id without a name": Good(
        [call(0, "x1", W, '{"city":'), call(0, "x2", None, '"Oslo"}'), CALLED], "weather.lookup", {"city": "Oslo"}, 15, (("id_changed", 1),), "x1"
    ),
    "V45 neither index nor id": Good(
        [call(None, None, W, '{"city":'), call(None, None, None, '"Oslo"}'), CALLED], "weather.lookup", {"city": "Oslo"}, 15, (), "call-1"
    ),
    "V46 arguments as an object": Good([call(None, None, W, {"city": "Oslo"}), STOP], "weather.lookup", {"city": "Oslo"}, 15, (), "call-1"),
    "V47 the end corrects the arguments": Good(
        [call(0, "a", W, '{"city":"Osl"}'), end(0, OSLO)], "weather.lookup", {"city": "Oslo"}, 15, (("arguments_corrected", 1),)
    ),
    "V48 the name after the arguments": Good([call(0, "a", None, OSLO), call(0, None, W), CALLED], "weather.lookup", {"city": "Oslo"}, 15),
    "V53 reasoning before the call": Good([tr.ReasoningPart(text="x" * 20), call(0, "a", "status", "{}"), CALLED], "status", {}, 2),
    "V55 an end of nothing": Good([end(3), call(0, "a", "status", "{}"), CALLED], "status", {}, 2, (("end_without_call", 0),)),
    "V56 text after the end": Good([call(0, "a", "status", "{}"), STOP, "late"], "status", {}, 2, (("after_finish", 2), ("prose_with_call", None))),
    "an empty id and an empty name on the pieces that follow": Good(
        [call(0, "a", W, '{"city":'), call(0, "", "", '"Oslo"}'), CALLED], "weather.lookup", {"city": "Oslo"}, 15
    ),
    "an index that does not begin at 0": Good([call(7, "a", W, OSLO), CALLED], "weather.lookup", {"city": "Oslo"}, 15),
}

BAD = {
    "V23 a call and nothing more": Bad([call(0, "a", "status", "")], "arguments_incomplete", None),
    "V24 the length limit after the name": Bad([call(0, "a", "status", ""), LENGTH], "truncated", 1),
    "V27 prose": Bad(["It is sunny.", " Bye", STOP], "no_call", 2),
    "V28 the envelope of the other adapter": Bad(['{"tool":"status","input":{}}', STOP], "no_call", 1, None, "json_envelope"),
    "V29 nothing": Bad([STOP], "empty_response", 0),
    "V30 two calls": Bad([call(0, "a", "greet", "{}"), call(1, "b", "status", "{}"), CALLED], "multiple_calls", 1),
    "V31 a tool that is made up": Bad([call(0, "a", "forecast", "{}"), CALLED], "unknown_tool", 0),
    "V32 a tool of another stage": Bad([call(0, "a", W, OSLO), CALLED], "tool_not_in_stage", 0, stage="recognize"),
    "V33 cut by the length limit": Bad([call(0, "a", W, '{"city":"Os'), LENGTH], "truncated", 1),
    "V34 cut without a word": Bad([call(0, "a", W, '{"city":"Os')], "arguments_incomplete", None),
    "V36 a list": Bad([call(0, "a", W, '["Oslo"]'), CALLED], "arguments_not_object", 0, 0),
    "V36 null": Bad([call(0, "a", W, "null"), CALLED], "arguments_not_object", 0, 0),
    "V37 single quotes": Bad([call(0, "a", W, "{'city':"), call(0, None, None, "'Oslo'}"), CALLED], "arguments_invalid", 0, 1),
    "V38 not a number": Bad([call(0, "a", W, '{"city":NaN}'), CALLED], "arguments_invalid", 0, 8),
    "V39 arguments resent": Bad([call(0, "a", W, OSLO), call(0, None, None, OSLO), CALLED], "arguments_invalid", 1, 15, "repeated_object"),
    "V43 an index reused": Bad([call(0, "a", "greet", "{}"), call(0, "b", "status", "{}")], "multiple_calls", 1, notes=(("index_reused", 1),)),
    "V49 no name": Bad([call(0, "a", None, "{}"), CALLED], "call_without_name", 1),
    "V50 a refusal": Bad([tr.RefusalPart(text="I can't help"), tr.FinishPart(reason="refusal")], "refused", 0),
    "V51 a filter": Bad(["x", tr.FinishPart(reason="content_filter")], "filtered", 1),
    "V52 an error": Bad([call(0, "a", "status", "{}"), tr.ErrorPart(message="overloaded")], "provider_error", 1),
    "nothing at the length limit": Bad([LENGTH], "truncated", 0),
    "no name at the length limit": Bad([call(0, "a"), LENGTH], "truncated", 1),
    "a name that only began": Bad([call(0, "a", "weather_")], "unknown_tool", None),
    "a name that only began, and ended": Bad([call(0, "a", "weather_"), CALLED], "unknown_tool", 1),
    "a name that goes on after the arguments": Bad(
        [call(0, "a", "weather_", "{"), call(0, None, "lookup"), CALLED], "unknown_tool", 0, notes=(("name_conflict", 1),)
    ),
    "an empty stream": Bad([], "empty_response", None),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_valid_selection_and_what_was_odd_about_it(name: str) -> None:
    good = GOOD[name]
    found = trace(*good.parts)
    assert found.outcome == "ok", found.failure
    assert found.result == tr.ModelSelection(
        tool_id=good.tool, input=good.input, call=tr.SelectedCall(id=good.id, name=found.calls[0].name, argument_chars=good.chars)
    )
    assert noted(found) == list(good.notes)


@pytest.mark.parametrize("name", BAD)
def test_why_it_is_no_selection_and_where_it_broke(name: str) -> None:
    bad = BAD[name]
    found = trace(*bad.parts, stage=bad.stage)
    assert (found.code, found.broke_at, found.outcome) == (bad.code, bad.broke_at, "cut" if bad.broke_at is None else "broken")
    assert found.failure is not None
    assert (found.failure.place, found.failure.hint) == (bad.place, bad.hint)
    assert noted(found) == list(bad.notes)


def test_the_verdicts_of_a_call_that_comes_in_pieces() -> None:
    found = trace(call(0, "call_1", W, ""), call(0, None, None, '{"ci'), call(0, None, None, 'ty": "Tok'), call(0, None, None, 'yo"}'), CALLED)
    assert [step.verdict for step in found.steps] == ["pending", "pending", "pending", "ok", "ok"]
    assert [step.output_chars for step in found.steps] == [0, 4, 13, 17, 17]
    assert [step.delta_chars for step in found.steps] == [0, 4, 9, 4, 0]
    assert found.result == tr.ModelSelection(tool_id="weather.lookup", input={"city": "Tokyo"}, call=tr.SelectedCall(id="call_1", name=W, argument_chars=17))


def test_the_verdicts_of_a_name_that_comes_in_fragments() -> None:
    found = trace(*GOOD["V41 the name in fragments"].parts)
    assert [(step.verdict, step.code) for step in found.steps] == [
        ("pending", "unknown_tool"),
        ("pending", "arguments_incomplete"),
        ("ok", None),
        ("ok", None),
    ]


def test_output_is_text_refusal_and_arguments_and_never_falls() -> None:
    assert trace(*GOOD["V26 prose beside the call"].parts).output_chars == 29
    assert trace(*GOOD["V56 text after the end"].parts).output_chars == 6
    assert trace(*BAD["V50 a refusal"].parts).output_chars == 12
    corrected = trace(*GOOD["V47 the end corrects the arguments"].parts)
    assert [step.output_chars for step in corrected.steps] == [14, 15]
    shortened = trace(call(0, "a", "status", '{"aaaaaaaa":1}'), end(0, "{}"), end(0, '{"b":1}'))
    assert [step.output_chars for step in shortened.steps] == [14, 14, 14]
    thought = trace(*GOOD["V53 reasoning before the call"].parts)
    assert (thought.output_chars, thought.reasoning_chars) == (2, 20)


def test_arguments_keep_every_digit_and_of_equal_keys_the_last() -> None:
    found = trace(call(0, "a", W, '{"city":"a","city":"b","n":9007199254740993}'), CALLED)
    assert isinstance(found.result, tr.ModelSelection)
    assert found.result.input == {"city": "b", "n": 9007199254740993}
    assert found.calls[0].argument_chars == 44
    assert noted(found) == [("duplicate_key", None)]


def test_what_is_missing_is_told_with_what_comes_close() -> None:
    found = trace(call(0, "a", "weather_lokup", OSLO), CALLED)
    assert found.failure is not None
    assert "did the model mean weather_lookup?" in found.failure.detail


@pytest.mark.parametrize(("parts", "state"), [([call(0, "a", "status", "{}"), STOP], "finished"), ([STOP], "failed")], ids=["after success", "after failure"])
def test_a_collector_serves_one_answer(parts: list[Any], state: str) -> None:
    collector = prepared().create_response()
    for part in parts:
        collector.push(part)
    with contextlib.suppress(SelectionError):
        collector.finish()
    assert (collector.error is not None) == (state == "failed")
    assert collector.state == state
    for again in (collector.finish, lambda: collector.push("more")):
        with pytest.raises(CollectorClosed) as caught:
            again()
        assert caught.value.state == state
    assert collector.parts == len(parts)


def test_what_is_no_part_is_refused_and_counts_for_nothing() -> None:
    collector = prepared().create_response()
    for wrong in (3, None, {"kind": "text", "text": "x"}):
        with pytest.raises(TypeError, match="a part is a text or one of the parts"):
            collector.push(wrong)  # type: ignore[arg-type]  # the mistake that is tested
    assert collector.parts == 0


def test_looking_does_not_end_anything() -> None:
    collector = prepared().create_response()
    with pytest.raises(SelectionError, match="empty_response"):
        collector.evaluate()
    collector.push(call(0, "a", "status", "{}"))
    assert collector.evaluate().tool_id == "status"
    assert collector.calls is None
    assert collector.call == tr.SelectedCall(id="a", name="status", argument_chars=2)
    assert collector.finish().tool_id == "status"


def test_prose_beside_the_call_can_be_forbidden() -> None:
    strict = transport(adapters=tr.AdapterCatalog([tr.NativeAdapter(strict_prose=True)])).prepare("full")
    found = tr.trace_selection(strict, ["Let me check. ", call(0, "a", "status", "{}"), CALLED])
    assert (found.code, found.broke_at) == ("prose_not_allowed", 1)
    assert tr.trace_selection(strict, [" \n", call(0, "a", "status", "{}"), CALLED]).outcome == "ok"


def test_of_two_ends_the_first_counts() -> None:
    found = trace(call(0, "a", "status", ""), LENGTH, STOP)
    assert (found.code, found.finish_reason) == ("truncated", "length")
    assert ("second_finish", 2) in noted(found)


def test_surrogates_that_a_model_wrote_are_kept() -> None:
    found = trace(call(0, "a", W, '{"city":"\\ud800"}'), CALLED)
    assert isinstance(found.result, tr.ModelSelection)
    assert found.result.input == {"city": "\ud800"}
    assert trace(call(0, "a", W, '{"city":"\ud800"}'), CALLED).outcome == "ok"


def test_an_object_that_is_no_json_is_not_made_one() -> None:
    assert trace(call(0, "a", W, {"city": float("nan")}), CALLED).code == "arguments_invalid"
    deep: dict[str, Any] = {}
    for _ in range(5000):
        deep = {"": deep}
    assert trace(call(0, "a", W, deep), CALLED).code == "arguments_invalid"
