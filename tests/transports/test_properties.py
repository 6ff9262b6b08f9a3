"""What holds for every stream: splits change nothing, verdicts agree with results, counts never fall, nothing cut is called broken."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import agentnb.transports as tr
from agentnb.errors import SelectionError
from tests.transports.made import CALLED, LENGTH, STOP, W, call, end, transport

MANY = settings(derandomize=True, max_examples=150, deadline=None)
TRANSPORT = transport()
SESSION = tr.SessionTransport("chat", tools=TRANSPORT.tools)
PREPARED = {
    **{f"{stage} {adapter}": TRANSPORT.prepare(stage, adapter=adapter) for stage in TRANSPORT.stage_ids for adapter in ("native", "json")},
    "embedded": transport(adapter="json", adapters=tr.AdapterCatalog([tr.JsonAdapter(extraction="embedded")])).prepare("full"),
    "session": SESSION.prepare(),
    "lenient session": tr.SessionTransport("chat", tools=TRANSPORT.tools, on_invalid="collect").prepare(),
    "text": tr.text_transport("text").prepare(),
}
STATUS = '{"tool":"status","input":{}}'
NAMES = st.sampled_from([None, "", "greet", "status", W, "weather_", "lookup", "forecast"])
TEXTS = st.sampled_from(
    ["", " ", "{", "}", '{"city":', '"Oslo"}', '{"city":"Oslo"}', "{}", "[1]", "null", "Hello", "`", "```json\n", STATUS, STATUS[:9], STATUS[9:]]
)
IDS = st.sampled_from([None, "", "a", "b"])
INDEXES = st.sampled_from([None, 0, 0, 1])
PARTS = st.lists(
    st.one_of(
        TEXTS,
        st.builds(call, INDEXES, IDS, NAMES, st.one_of(st.none(), TEXTS, st.just({"city": "Oslo"}))),
        st.builds(end, INDEXES, st.one_of(st.none(), TEXTS), IDS),
        st.sampled_from([STOP, LENGTH, CALLED, tr.RefusalPart(text="no"), tr.RefusalPart(text=""), tr.ReasoningPart(text="hm")]),
        st.sampled_from([tr.ErrorPart(message="gone"), tr.UsagePart(data={})]),
    ),
    max_size=8,
)
ARGUMENTS = ['{"city":"Oslo"}', ' {"city" : "\\u00e9\\n" } ', '{"city":"Os', "{'city'", '{"city":"a"}{"city":"a"}', "[]", '{"city":[1,2.5e3,null]}', "\ufeff{}"]
ANSWERS = [STATUS, f"```json\n{STATUS}\n```", f"Sure! {STATUS} Bye", '{"tool":"weather.lookup","input":{"city":"Os', "", f"``{STATUS}", f"```\n{STATUS}\n``x"]


def outcome(prepared: tr.PreparedModelInteraction, parts: list[Any]) -> tuple[Any, ...]:
    found = tr.trace_selection(prepared, parts)
    return found.result, found.failure, found.output_chars, found.outcome


@pytest.mark.parametrize("arguments", ARGUMENTS)
@pytest.mark.parametrize("finish", [[], [CALLED], [LENGTH]], ids=["cut", "called", "length"])
def test_how_arguments_are_split_changes_nothing(arguments: str, finish: list[Any]) -> None:
    for name in ("full native", "session"):
        whole = outcome(PREPARED[name], [call(0, "a", W, arguments), *finish])
        for first in range(len(arguments) + 1):
            for second in range(first, len(arguments) + 1):
                pieces = (arguments[:first], arguments[first:second], arguments[second:])
                parts = [call(0, "a", W), *(call(0, None, None, piece) for piece in pieces), *finish]
                assert outcome(PREPARED[name], parts) == whole


@pytest.mark.parametrize("text", ANSWERS)
@pytest.mark.parametrize("name", ["full json", "embedded", "text", "session"])
def test_how_a_text_is_split_changes_nothing(text: str, name: str) -> None:
    for finish in ([], [STOP], [LENGTH]):
        whole = outcome(PREPARED[name], [text, *finish])
        assert outcome(PREPARED[name], [*text, *finish]) == whole
        for first in range(len(text) + 1):
            for second in range(first, len(text) + 1):
                assert outcome(PREPARED[name], [text[:first], text[first:second], text[second:], *finish]) == whole


@MANY
@given(parts=PARTS, name=st.sampled_from(sorted(PREPARED)))
def test_ok_is_said_exactly_when_there_is_a_selection(parts: list[Any], name: str) -> None:
    collector = PREPARED[name].create_response()
    before = 0
    for part in parts:
        collector.push(part)
        try:
            collector.evaluate()
            code = None
        except SelectionError as error:
            code = error.code
        assert (collector.verdict().verdict == "ok", collector.verdict().code) == (code is None, code)
        assert collector.output_chars >= before
        before = collector.output_chars


@MANY
@given(parts=PARTS, name=st.sampled_from(sorted(PREPARED)))
def test_after_the_end_nothing_turns_good_without_a_note(parts: list[Any], name: str) -> None:
    found = tr.trace_selection(PREPARED[name], parts)
    finished = next((at for at, step in enumerate(found.steps) if step.kind == "finish"), len(parts))
    later = [step.verdict for step in found.steps[finished:]]
    if "doomed" in later and "ok" in later[later.index("doomed") :]:
        assert "after_finish" in {note.code for note in found.notes}


@MANY
@given(parts=PARTS, name=st.sampled_from(sorted(PREPARED)))
def test_where_it_broke_is_the_beginning_of_the_last_doomed_run(parts: list[Any], name: str) -> None:
    found = tr.trace_selection(PREPARED[name], parts)
    verdicts = [step.verdict for step in found.steps]
    if found.outcome == "broken":
        assert found.broke_at is not None
        assert set(verdicts[found.broke_at :]) == {"doomed"}
        assert found.broke_at == 0 or verdicts[found.broke_at - 1] != "doomed"
    else:
        assert found.broke_at is None
    assert (found.result is None) == (found.failure is not None)
    assert [frame.verdict for frame in tr.replay_frames(PREPARED[name], parts)] == verdicts


CITIES = st.dictionaries(st.just("city"), st.text(max_size=8), min_size=1)


@MANY
@given(value=CITIES, cuts=st.lists(st.integers(0, 99), max_size=4), stop=st.integers(0, 99), adapter=st.sampled_from(["native", "json"]))
def test_a_valid_answer_that_stops_anywhere_is_never_called_broken(value: dict[str, str], cuts: list[int], stop: int, adapter: str) -> None:
    given_arguments = json.dumps(value, ensure_ascii=False)
    text = given_arguments if adapter == "native" else f'```json\n{{"tool":"weather.lookup","input":{given_arguments}}}\n```'
    text = text[: stop % (len(text) + 1)]
    places = sorted({cut % (len(text) + 1) for cut in cuts})
    pieces = [text[begin:finish] for begin, finish in zip([0, *places], [*places, len(text)], strict=True)]
    parts: list[Any] = [call(0, "a", W), *(call(0, None, None, piece) for piece in pieces)] if adapter == "native" else list(pieces)
    assert "doomed" not in {step.verdict for step in tr.trace_selection(PREPARED[f"full {adapter}"], parts).steps}


@MANY
@given(
    tool=st.sampled_from(["greet", "status", "weather.lookup", "forecast"]),
    value=st.dictionaries(st.text(max_size=4), st.none() | st.integers() | st.text(max_size=4), max_size=3),
    stage=st.sampled_from(TRANSPORT.stage_ids),
)
def test_both_adapters_take_the_same_selections(tool: str, value: dict[str, Any], stage: str) -> None:
    arguments = json.dumps(value)
    names = {item.id: item.wire_name for item in TRANSPORT.tools}
    native = tr.trace_selection(PREPARED[f"{stage} native"], [call(0, "a", names.get(tool, tool), arguments), CALLED])
    text = tr.trace_selection(PREPARED[f"{stage} json"], [f'{{"tool":{json.dumps(tool)},"input":{arguments}}}', STOP])
    assert native.code == text.code
    if isinstance(native.result, tr.ModelSelection) and isinstance(text.result, tr.ModelSelection):
        assert (native.result.tool_id, native.result.input) == (text.result.tool_id, text.result.input) == (tool, value)
