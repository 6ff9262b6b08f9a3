"""The vendors' own clients against a server that speaks their wire format: whole answers, cut ones, refusals, slow ones, and callers who leave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.errors import OptionError, OutputBudgetExceeded, SelectionError
from tests.transports.made import W, transport
from tests.transports.running import run as run_coroutine
from tests.transports.server import Answer, Cut, Pause, Server, serving
from tests.transports.wire_events import EVENTS, chat, chat_events, message_events, responses_events

pytest.importorskip("openai", reason="the extra openai is not installed")
pytest.importorskip("anthropic", reason="the extra anthropic is not installed")

APIS = ("chat", "responses", "anthropic")


def provider(api: str, server: Server, **options: Any) -> Any:
    own = {"max_retries": 0, "api_key": "key", **options}
    if api == "anthropic":
        return tr.AnthropicProvider("model", base_url=server.url, **own)
    return tr.OpenAIProvider("model", api=api, base_url=f"{server.url}/v1", **own)  # type: ignore[arg-type]  # one of the two


CUT_AT = {"chat": 4, "responses": 5, "anthropic": 8}
"""How many events come before the arguments are complete."""


def asked(api: str, work: Callable[[tr.ModelRunner, Server], Awaitable[Any]], *answers: Answer, budget: int | None = None, **options: Any) -> Any:
    """Serve answers, and work with a runner that asks for them."""

    async def run() -> Any:
        async with serving(*answers) as server:
            own = provider(api, server, **options)
            try:
                return await work(tr.ModelRunner(own, [transport(), tr.text_transport("text", {"temperature": 0.5})], output_budget=budget), server)
            finally:
                await own.aclose()

    return run_coroutine(asyncio.wait_for(run(), 30))


async def ask(runner: tr.ModelRunner, server: Server) -> tr.ModelRun:
    return await runner.invoke(input="How is Oslo?", transport="support", stage="full")


def failed(api: str, *answers: Answer, **options: Any) -> SelectionError:
    async def work(runner: tr.ModelRunner, server: Server) -> SelectionError:
        with pytest.raises(SelectionError) as caught:
            await ask(runner, server)
        return caught.value

    error: SelectionError = asked(api, work, *answers, **options)
    return error


@pytest.mark.parametrize("piece", [None, 1, 7], ids=["an event at a time", "a byte at a time", "seven bytes at a time"])
@pytest.mark.parametrize("api", APIS)
def test_an_answer_is_streamed_and_resolved(api: str, piece: int | None) -> None:
    run = asked(api, ask, Answer(EVENTS[api](), piece=piece))
    assert run.value == ("Oslo", "full")
    assert run.selection.call == tr.SelectedCall(id="call_1", name=W, argument_chars=16)
    assert (run.output_chars, run.finish_reason, run.schema_chars, run.collector.text) == (25, "tool_calls", 422, "Checking.")
    assert run.collector.usage is not None
    assert tr.trace_selection(run.prepared, run.parts).outcome == "ok"


def test_what_openai_is_sent() -> None:
    async def work(runner: tr.ModelRunner, server: Server) -> list[Any]:
        await ask(runner, server)
        await runner.invoke(input="How is Oslo?", transport="support", stage="status-only", adapter="json")
        await runner.invoke(input=[{"role": "user", "content": "Hi"}], transport="text")
        return server.requests

    envelope = [chat({"content": '{"tool":"status","input":{}}'}), chat({}, "stop"), "data: [DONE]\n\n"]
    requests = asked("chat", work, Answer(chat_events()), Answer(envelope), Answer([chat({"content": "Hi."}), chat({}, "stop")]))
    assert [path for path, _ in requests] == ["/v1/chat/completions"] * 3
    native, text, plain = (body for _, body in requests)
    assert (native["tool_choice"], native["parallel_tool_calls"], native["stream"], len(native["tools"])) == ("required", False, True, 3)
    assert native["messages"] == [{"role": "user", "content": "How is Oslo?"}]
    assert (text["response_format"], "tools" in text, text["messages"][0]["role"]) == ({"type": "json_object"}, False, "system")
    assert "状态查询" in text["messages"][0]["content"]
    assert (plain["temperature"], plain["messages"], "tools" in plain) == (0.5, [{"role": "user", "content": "Hi"}], False)


def test_what_responses_and_anthropic_are_sent() -> None:
    async def work(runner: tr.ModelRunner, server: Server) -> Any:
        await ask(runner, server)
        return server.requests[0]

    path, body = asked("responses", work, Answer(responses_events()))
    assert (path, body["input"], body["tools"][0]["name"]) == ("/v1/responses", [{"role": "user", "content": "How is Oslo?"}], W)
    path, body = asked("anthropic", work, Answer(message_events()))
    assert (path, body["tool_choice"], body["max_tokens"]) == ("/v1/messages", {"type": "any", "disable_parallel_tool_use": True}, 4096)
    assert body["tools"][0]["input_schema"]["required"] == ["city"]


def test_anthropic_cannot_be_forced_while_it_thinks() -> None:
    async def work(server: Server) -> Any:
        own = provider("anthropic", server)
        thinking = transport(options={"thinking": {"type": "enabled", "budget_tokens": 1024}, "max_tokens": 2048})
        await tr.ModelRunner(own, [thinking]).invoke(input="How is Oslo?", transport=thinking, stage="full", adapter=None)
        await own.aclose()
        return server.requests[0][1]

    async def run() -> Any:
        async with serving(Answer(message_events())) as server:
            return await work(server)

    body = run_coroutine(run())
    assert (body["tool_choice"]["type"], body["max_tokens"], body["thinking"]["budget_tokens"]) == ("auto", 2048, 1024)


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_ends_early_is_cut_and_nothing_in_it_is_wrong(api: str) -> None:
    error = failed(api, Answer(EVENTS[api]()[: CUT_AT[api]]))
    assert error.code == "arguments_incomplete"
    assert tr.trace_selection(error.prepared, error.parts).outcome == "cut"


@pytest.mark.parametrize("api", APIS)
def test_a_connection_that_breaks_is_an_error_at_its_place(api: str) -> None:
    error = failed(api, Answer([*EVENTS[api]()[: CUT_AT[api]], Cut()]))
    assert error.code == "provider_error"
    trace = tr.trace_selection(error.prepared, error.parts)
    assert (trace.outcome, trace.broke_at, trace.steps[-1].kind) == ("broken", len(error.parts) - 1, "error")
    assert trace.calls[0].name == W


REFUSALS = {
    "chat": {"error": {"message": "slow down", "type": "rate_limit", "code": None}},
    "responses": {"error": {"message": "slow down", "type": "rate_limit", "code": None}},
    "anthropic": {"type": "error", "error": {"type": "rate_limit_error", "message": "slow down"}},
}


@pytest.mark.parametrize("status", [400, 401, 429, 500])
@pytest.mark.parametrize("api", APIS)
def test_a_request_that_is_refused_is_told_with_its_status(api: str, status: int) -> None:
    error = failed(api, Answer(status=status, body=REFUSALS[api]))
    assert error.code == "provider_error"
    assert f"HTTP {status}: " in error.detail
    assert "slow down" in error.detail
    assert len(error.parts) == 1


@pytest.mark.parametrize("api", APIS)
def test_an_error_in_the_middle_of_a_stream(api: str) -> None:
    events = {
        "chat": 'data: {"error": {"message": "overloaded"}}\n\n',
        "responses": {"type": "error", "code": "server_error", "message": "overloaded", "param": None, "sequence_number": 9},
        "anthropic": {"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}},
    }
    error = failed(api, Answer([*EVENTS[api]()[: CUT_AT[api]], events[api]]))
    assert error.code == "provider_error"
    assert "overloaded" in error.detail


@pytest.mark.parametrize("api", APIS)
def test_data_that_is_no_json_is_an_error(api: str) -> None:
    error = failed(api, Answer([*EVENTS[api]()[: CUT_AT[api]], "event: content_block_delta\ndata: {oops\n\n"]))
    assert error.code == "provider_error"


@pytest.mark.parametrize("api", APIS)
def test_slow_pieces_are_waited_for(api: str) -> None:
    events = [step for event in EVENTS[api]() for step in (Pause(0.01), event)]
    assert asked(api, ask, Answer(events)).value == ("Oslo", "full")


@pytest.mark.parametrize("api", APIS)
def test_a_stream_that_stalls_is_given_up_after_the_timeout(api: str) -> None:
    error = failed(api, Answer([*EVENTS[api]()[: CUT_AT[api]], Pause(20)]), timeout=0.3)
    assert error.code == "provider_error"
    assert "ime" in error.detail


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_is_not_there(api: str) -> None:
    async def run() -> Any:
        async with serving() as server:
            own = provider(api, server)
        with pytest.raises(SelectionError, match="provider_error: the provider sent an error: APIConnectionError"):
            await ask(tr.ModelRunner(own, [transport()]), server)
        await own.aclose()

    run_coroutine(run())


@pytest.mark.parametrize("api", APIS)
def test_a_caller_who_leaves_ends_the_connection(api: str) -> None:
    async def work(runner: tr.ModelRunner, server: Server) -> None:
        task = asyncio.ensure_future(ask(runner, server))
        while not server.requests:
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left_by_client.wait(), 5)

    asked(api, work, Answer([*EVENTS[api]()[: CUT_AT[api]], Pause(20)]))


@pytest.mark.parametrize("api", APIS)
def test_an_answer_over_its_budget_ends_the_connection(api: str) -> None:
    async def work(runner: tr.ModelRunner, server: Server) -> OutputBudgetExceeded:
        with pytest.raises(OutputBudgetExceeded) as caught:
            await ask(runner, server)
        await asyncio.wait_for(server.left_by_client.wait(), 5)
        return caught.value

    error = asked(api, work, Answer([*EVENTS[api]()[: CUT_AT[api]], Pause(20)]), budget=9)
    assert (error.chars, error.budget, error.parts[-1].kind) == (18, 9, "call")


def test_a_client_that_is_not_installed_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str, *rest: Any) -> Any:
        raise ImportError(name)

    monkeypatch.setattr("agentnb.transports.providers._vendor.importlib.import_module", missing)
    for make in (lambda: tr.OpenAIProvider("m"), lambda: tr.AnthropicProvider("m")):
        with pytest.raises(ImportError, match=r"pip install 'agentnb-kit\["):
            make()


def test_another_api_is_refused() -> None:
    with pytest.raises(OptionError, match="chat or responses"):
        tr.OpenAIProvider("m", api="assistants")  # type: ignore[arg-type]  # the mistake that is tested


def test_a_local_server_needs_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert tr.OpenAIProvider("m", base_url="http://127.0.0.1:1/v1").model == "m"
