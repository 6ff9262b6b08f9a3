"""A runner asks, collects and resolves; and when something is wrong, what had come is at hand."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.errors import OutputBudgetExceeded, ResolveError, SchemaBudgetExceeded, SelectionError, UnknownTransport
from tests.transports.made import CALLED, STOP, W, call, transport
from tests.transports.running import run as run_coroutine

OSLO = [call(0, "a", W, '{"city":"Oslo"}'), CALLED]
TEXT = tr.text_transport("text", {"temperature": 0.5})


def ran(provider: Any, *, budgets: dict[str, int] | None = None, **asked: Any) -> tr.ModelRun:
    runner = tr.ModelRunner(provider, [transport(), TEXT], **(budgets or {}))
    return run_coroutine(runner.invoke(input="Hello", **{"transport": "support", **asked}))


class Plain:
    """A provider as the published example has it: it takes nothing and yields texts."""

    async def stream(self) -> AsyncIterator[str]:
        yield "Hel"
        yield "lo"


def test_texts_make_a_text() -> None:
    run = ran(Plain(), transport=TEXT)
    assert (run.value, run.parts, run.output_chars, run.finish_reason) == ("Hello", ("Hel", "lo"), 5, None)
    assert repr(run) == "ModelRun('Hello' from 2 parts, 5 characters)"


def test_a_call_makes_the_result_of_its_tool() -> None:
    run = ran(tr.ScriptedProvider(OSLO), stage="full")
    assert (run.value, run.schema_chars, run.selection) == (("Oslo", "full"), 422, run.collector.result)


def test_a_script_gives_its_answers_in_order_and_remembers_what_it_was_asked() -> None:
    script = tr.ScriptedProvider("Hello.", lambda request: str(request.options["temperature"]), [{"kind": "text", "text": "Bye."}])
    assert [ran(script, transport=TEXT).value for _ in range(3)] == ["Hello.", "0.5", "Bye."]
    assert script.requests[0] == tr.ModelRequest("Hello", None, {"temperature": 0.5})
    with pytest.raises(LookupError, match="has 3 answers, and was asked 4 times"):
        ran(script, transport=TEXT)


def test_a_provider_is_given_instruction_and_options() -> None:
    script = tr.ScriptedProvider('{"tool":"status","input":{}}')
    assert ran(script, stage="status-only", adapter="json").value == "status"
    assert script.requests[0].options == {"json": True}
    assert str(script.requests[0].instruction).startswith("Reply with one JSON object")


def test_a_recording_answers_every_time() -> None:
    chunk = {"choices": [{"delta": {"content": "Hello."}, "finish_reason": "stop"}]}
    recorded = tr.RecordedProvider([chunk], dialect="openai-chat")
    assert [ran(recorded, transport=TEXT).value for _ in range(2)] == ["Hello.", "Hello."]


def test_what_came_is_at_hand_when_it_is_no_selection() -> None:
    with pytest.raises(SelectionError) as caught:
        ran(tr.ScriptedProvider(["It is sunny.", STOP]), stage="full")
    assert caught.value.parts == ("It is sunny.", STOP)
    assert tr.trace_selection(caught.value.prepared, caught.value.parts).code == caught.value.code == "no_call"


def test_what_came_is_at_hand_when_the_tool_does_not_accept_it() -> None:
    with pytest.raises(ResolveError) as caught:
        ran(tr.ScriptedProvider([call(0, "a", W, '{"city":1}'), CALLED]), stage="full")
    assert len(caught.value.parts) == 2


def test_a_stage_is_wanted_where_there_are_stages_and_only_there() -> None:
    with pytest.raises(TypeError, match="needs a stage: recognize, status-only, full"):
        ran(tr.ScriptedProvider("x"))
    with pytest.raises(TypeError, match="neither stages nor adapters"):
        ran(tr.ScriptedProvider("x"), transport=TEXT, stage="full")


def test_only_transports_of_the_runner_are_asked() -> None:
    for other in ("other", tr.text_transport("text")):
        with pytest.raises(UnknownTransport) as caught:
            ran(tr.ScriptedProvider("x"), transport=other)
        assert caught.value.known == ("support", "text")
    with pytest.raises(ValueError, match="two transports have the id 'text'"):
        tr.ModelRunner(Plain(), [TEXT, TEXT])  # type: ignore[arg-type]  # it takes no request


def test_nothing_is_asked_over_the_schema_budget() -> None:
    script = tr.ScriptedProvider(OSLO)
    with pytest.raises(SchemaBudgetExceeded):
        ran(script, budgets={"schema_budget": 421}, stage="full")
    assert script.requests == []
    assert ran(script, budgets={"schema_budget": 422}, stage="full").value == ("Oslo", "full")


def test_reading_stops_over_the_output_budget_and_the_provider_is_closed() -> None:
    seen: list[str] = []

    class Long:
        def stream(self, request: tr.ModelRequest) -> Iterator[str]:
            try:
                for number in range(100):
                    seen.append(str(number))
                    yield "12345"
            finally:
                seen.append("closed")

    with pytest.raises(OutputBudgetExceeded) as caught:
        ran(Long(), budgets={"output_budget": 10}, transport=TEXT)
    assert (caught.value.at_part, caught.value.chars, caught.value.budget, len(caught.value.parts)) == (2, 15, 10, 3)
    assert seen == ["0", "1", "2", "closed"]


def test_a_provider_whose_stream_is_awaited_first() -> None:
    class Awaited:
        async def stream(self, request: tr.ModelRequest) -> list[Any]:
            return OSLO

    assert ran(Awaited(), stage="full").value == ("Oslo", "full")


def test_a_provider_that_streams_nothing_of_the_kind_is_told() -> None:
    class Wrong:
        def stream(self, request: tr.ModelRequest) -> Any:
            return 3

    with pytest.raises(TypeError, match="parts one after another, not int"):
        ran(Wrong(), transport=TEXT)


def test_a_session_gives_all_results() -> None:
    session = tr.SessionTransport("chat", tools=transport().tools)
    script = tr.ScriptedProvider(["On it.", call(0, "a", W, '{"city":"Oslo"}'), call(1, "b", "status", "{}"), CALLED])
    run = run_coroutine(tr.ModelRunner(script, [session]).invoke(input="Hello", transport=session))
    assert run.value == [("Oslo", "session"), "status"]
