"""Sessions take prose and any number of calls; text transports take text; and a selection becomes a result."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import BaseModel

import agentnb.transports as tr
from agentnb.errors import AdapterError, OutputBudgetExceeded, ResolveError, SelectionError
from tests.transports.made import CALLED, EMPTY, LENGTH, STAGES, STOP, W, call, catalog, end, noted, prepared, transport
from tests.transports.running import run as run_coroutine

OSLO = '{"city":"Oslo"}'


def session(**options: Any) -> tr.PreparedModelInteraction:
    return tr.SessionTransport("chat", tools=catalog(), **options).prepare()


def reply_of(*parts: Any, **options: Any) -> tr.SessionReply:
    found = tr.trace_selection(session(**options), parts).result
    assert isinstance(found, tr.SessionReply)
    return found


def test_prose_and_several_calls() -> None:
    found = tr.trace_selection(session(), ["On it. ", call(0, "a", W, '{"city":'), call(1, "b", "status"), call(0, None, None, '"Oslo"}'), CALLED])
    assert isinstance(found.result, tr.SessionReply)
    assert found.result.text == "On it. "
    assert [(item.tool_id, item.input) for item in found.result.selections] == [("weather.lookup", {"city": "Oslo"}), ("status", {})]
    assert [(item.id, item.argument_chars, item.tool_id) for item in found.calls] == [("a", 15, "weather.lookup"), ("b", 0, "status")]
    assert found.output_chars == 22


def test_prose_alone_is_fine_and_nothing_is_not() -> None:
    assert reply_of("Hello.", STOP) == tr.SessionReply(text="Hello.")
    assert tr.trace_selection(session(), [STOP]).code == "empty_response"
    assert tr.trace_selection(session(), [LENGTH]).code == "truncated"


def test_a_faulty_call_raises_or_is_collected() -> None:
    parts = [call(0, "a", "status", "{}"), call(1, "b", "forecast", "{}"), CALLED]
    found = tr.trace_selection(session(), parts)
    assert (found.code, found.failure.ordinal if found.failure else None) == ("unknown_tool", 2)
    assert [item.tool_id for item in found.calls] == ["status", None]
    collected = reply_of(*parts, on_invalid="collect")
    assert [item.tool_id for item in collected.selections] == ["status"]
    assert [(item.call.id, item.code, item.ordinal) for item in collected.rejected] == [("b", "unknown_tool", 2)]


def test_equal_ids_are_kept_apart_by_order() -> None:
    parts = [call(0, "same", "status", "{}"), call(1, "same", W, OSLO), CALLED]
    found = tr.trace_selection(session(), parts)
    assert isinstance(found.result, tr.SessionReply)
    assert [item.tool_id for item in found.result.selections] == ["status", "weather.lookup"]
    assert noted(found) == [("duplicate_call_id", 1)]


def test_a_call_that_the_limit_cut_is_told_by_its_place() -> None:
    found = tr.trace_selection(session(), [call(0, "a", "status", "{}"), call(1, "b", W, '{"ci'), LENGTH])
    assert (found.code, found.failure.ordinal if found.failure else None) == ("truncated", 2)


def test_the_first_faulty_call_is_told_although_a_later_one_broke_before() -> None:
    steps = tr.trace_selection(
        session(), [call(0, "a", W, '{"ci'), call(1, "b", "status", "[]"), call(0, None, None, 'ty":"Oslo"}'), end(1, "{}"), CALLED]
    ).steps
    assert [step.code for step in steps] == ["arguments_incomplete", "arguments_incomplete", "arguments_not_object", None, None]


def test_a_name_is_settled_when_the_next_call_begins() -> None:
    steps = tr.trace_selection(session(), [call(0, "a", "weather_"), call(1, "b", "status", "{}")]).steps
    assert [(step.verdict, step.code) for step in steps] == [("pending", "unknown_tool"), ("doomed", "unknown_tool")]


def test_calls_stand_on_collectors_of_sessions_only() -> None:
    assert session().create_response().calls == ()
    assert prepared().create_response().calls is None


def test_a_session_offers_all_tools_some_or_those_of_its_stages() -> None:
    assert session().tool_ids == ("greet", "status", "weather.lookup")
    assert (session().options.tool_choice, session().options.parallel_tool_calls, session().stage) == ("auto", True, "session")
    assert session(tool_ids=["status"]).tool_ids == ("status",)
    staged = tr.SessionTransport("chat", tools=catalog(), stages=STAGES)
    assert staged.prepare("recognize").tool_ids == ("greet", "status")
    with pytest.raises(TypeError, match="not both"):
        session(tool_ids=["status"], stages=STAGES)


def test_a_session_takes_native_calls_only() -> None:
    with pytest.raises(AdapterError, match="adapter_not_supported"):
        tr.SessionTransport("chat", tools=catalog()).prepare(adapter="json")


def test_a_session_resolves_in_order_and_stops_at_the_first_failure_unless_told() -> None:
    reply = tr.SessionReply(
        selections=(
            tr.ModelSelection(tool_id="status", input={}),
            tr.ModelSelection(tool_id="weather.lookup", input={"city": 1}),
            tr.ModelSelection(tool_id="greet", input={}),
        )
    )
    with pytest.raises(ResolveError, match="input_rejected"):
        session().resolve(reply, "session")
    for results in (session(on_error="collect").resolve(reply, "session"), run_coroutine(session(on_error="collect").aresolve(reply, "session"))):
        assert results[::2] == ["status", "greet"]
        assert isinstance(results[1].error, ResolveError)


def test_text() -> None:
    text = tr.text_transport("answer", {"temperature": 0}).prepare()
    found = tr.trace_selection(text, ["服务", "正常"])
    assert isinstance(found.result, tr.ModelSelection)
    assert (found.output_chars, text.resolve(found.result)) == (4, "服务正常")
    assert (text.options.to_dict(), text.schema_chars, text.instruction, text.all_options) == ({}, 0, None, {"temperature": 0})


@pytest.mark.parametrize(
    ("parts", "code"), [([STOP], "empty_response"), (["a", call(0, "a", "status", "{}")], "unexpected_call"), (["half", LENGTH], None), ([], "empty_response")]
)
def test_what_is_no_text(parts: list[Any], code: str | None) -> None:
    assert tr.trace_selection(tr.text_transport("answer").prepare(), parts).code == code


def test_an_empty_text_can_be_allowed() -> None:
    assert tr.trace_selection(tr.text_transport("answer", allow_empty=True).prepare(), [STOP]).outcome == "ok"


@pytest.mark.parametrize("name", ["json", "toolChoice", "functions", "parallel_tool_calls"])
def test_options_that_tools_decide_are_reserved(name: str) -> None:
    for make in (lambda: tr.text_transport("answer", {name: 1}), lambda: transport(options={name: 1})):
        with pytest.raises(AdapterError, match="reserved_option"):
            make()


def test_a_selection_becomes_a_result() -> None:
    assert prepared().resolve(tr.ModelSelection(tool_id="weather.lookup", input={"city": "Oslo"}), "full") == ("Oslo", "full")
    assert prepared("full", "json").resolve(tr.ModelSelection(tool_id="status", input={}), "full") == "status"


@pytest.mark.parametrize(
    ("tool_id", "given", "stage", "code"),
    [
        ("weather.lookup", {"city": 1}, "full", "input_rejected"),
        ("status", {"a": 1}, "full", "input_rejected"),
        ("status", {}, "recognize", "stage_mismatch"),
        ("nope", {}, "full", "tool_not_in_stage"),
    ],
)
def test_a_selection_that_is_not_accepted(tool_id: str, given: dict[str, Any], stage: str, code: str) -> None:
    with pytest.raises(ResolveError) as caught:
        prepared().resolve(tr.ModelSelection(tool_id=tool_id, input=given), stage)
    assert caught.value.code == code


def one_tool(parse: Any, resolve: Any) -> tr.PreparedModelInteraction:
    tools = tr.define_model_tools([{"id": "a", "description": "A.", "input_schema": {"json_schema": EMPTY, "parse": parse}, "resolve": resolve}])
    return tr.StageTransport("t", tools=tools, stages=[{"id": "s", "tool_ids": ["a"]}]).prepare("s")


def test_a_parser_cannot_change_the_record() -> None:
    selection = tr.ModelSelection(tool_id="a", input={"list": [1]})

    def parse(value: dict[str, Any]) -> Any:
        value["list"].append(2)
        return value.pop("list")

    assert one_tool(parse, lambda value: value).resolve(selection) == [1, 2]
    assert selection.input == {"list": [1]}


def test_what_a_model_of_pydantic_says_is_kept_as_a_list() -> None:
    class Place(BaseModel):
        city: str

    with pytest.raises(ResolveError, match="city: Field required") as caught:
        one_tool(Place.model_validate, lambda value: value).resolve(tr.ModelSelection(tool_id="a", input={}))
    assert caught.value.errors[0]["loc"] == ("city",)
    assert caught.value.__cause__ is not None


def test_what_a_tool_raises_passes_unchanged() -> None:
    def resolve() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        one_tool(dict, resolve).resolve(tr.ModelSelection(tool_id="a", input={}))


def test_an_awaitable_is_returned_or_awaited() -> None:
    async def resolve(value: Any, context: tr.ToolContext) -> str | None:
        return context.call.id if context.call is not None else None

    selection = tr.ModelSelection(tool_id="a", input={}, call=tr.SelectedCall(id="call_1"))
    waiting = one_tool(dict, resolve).resolve(selection)
    assert run_coroutine(waiting) == "call_1"
    assert run_coroutine(one_tool(dict, resolve).aresolve(selection)) == "call_1"


def test_something_else_than_a_selection_is_refused() -> None:
    with pytest.raises(TypeError, match="a selection is a ModelSelection"):
        prepared().resolve({"tool_id": "status"})
    with pytest.raises(TypeError, match="a SessionReply"):
        session().resolve(tr.ModelSelection(tool_id="status", input={}))


def test_collecting_stops_at_the_budget_and_closes_the_source() -> None:
    closed: list[bool] = []

    def source() -> Any:
        try:
            yield from ("Hello", " you", " there")
        finally:
            closed.append(True)

    text = tr.text_transport("answer").prepare()
    assert tr.collect(text, source(), output_budget=15).result == tr.ModelSelection(tool_id="text", input={"text": "Hello you there"})
    with pytest.raises(OutputBudgetExceeded) as caught:
        tr.collect(text, source(), output_budget=8)
    assert (caught.value.at_part, caught.value.chars, caught.value.budget) == (1, 9, 8)
    assert closed == [True, True]
    with pytest.raises(SelectionError):
        tr.collect(text, [])
