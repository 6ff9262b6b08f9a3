"""Tools that a model wants: run in their order, at once where they only read, told what went wrong, changed and blocked by hooks."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import agentnb as anb
from agentnb.scripts import ResultCeiling
from tests.conversations.scripted import EchoProvider, wants

WAIT = 10


def tools_told(tools: list[Any], *calls: tuple[str, dict[str, Any]], **settings: Any) -> list[str]:
    """Return what a model is told of the tools that it wants in one reply."""

    @anb.program(tools=tools, **settings)
    def agent(message: str) -> str:
        """Help."""

    model = EchoProvider(lambda request: "done" if request.input[-1]["role"] == "tool" else wants(*calls))
    assert agent("Hi", model=model) == "done"
    return [part["output"] for message in model.requests[-1].input if message["role"] == "tool" for part in message["parts"]]


@anb.tool(effects="reads")
def add(one: int, other: int = 1) -> int:
    """Add two numbers."""
    return one + other


@anb.tool(effects="changes")
def fail(reason: str) -> str:
    """Fail."""
    raise ValueError(reason)


def test_what_a_tool_returns_is_told_as_text_or_json() -> None:
    @anb.tool(effects="reads")
    async def table() -> dict[str, Any]:
        """Give a table."""
        return {"rows": [1, None], "é": True}

    assert tools_told([add, table], ("add", {"one": 1}), ("table", {})) == ["2", '{"rows": [1, null], "é": true}']


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("add", {"one": "many"}), "error: ValidationError: "),
        (("add", {"one": 1, "more": 2}), "error: ValidationError: "),
        (("fail", {"reason": "no"}), "error: ValueError: no"),
        (("nothing", {}), "error: there is no tool named 'nothing'"),
    ],
)
def test_what_goes_wrong_with_a_tool_is_told_to_the_model(call: tuple[str, dict[str, Any]], said: str) -> None:
    (told,) = tools_told([add, fail], call)
    assert told.startswith(said)


def test_what_a_tool_raises_ends_the_call_where_that_is_wanted() -> None:
    with pytest.raises(ValueError, match="no"):
        tools_told([fail], ("fail", {"reason": "no"}), tool_errors="raise")


def meeting(effects: str | None, parties: int = 2) -> Any:
    """Return a tool that ends once it runs twice at once."""
    barrier = threading.Barrier(parties)

    @anb.tool(effects=effects)  # type: ignore[arg-type]
    def meet(name: str) -> str:
        """Meet."""
        try:
            barrier.wait(0.2 if effects != "reads" else WAIT)
        except threading.BrokenBarrierError:
            return f"{name} alone"
        return f"{name} met"

    return meet


def test_tools_that_only_read_run_at_once_and_are_told_in_the_models_order() -> None:
    assert tools_told([meeting("reads")], ("meet", {"name": "a"}), ("meet", {"name": "b"})) == ["a met", "b met"]


def test_tools_that_change_something_run_one_after_another_unless_that_is_allowed() -> None:
    calls = [("meet", {"name": "a"}), ("meet", {"name": "b"})]
    assert tools_told([meeting("changes")], *calls) == ["a alone", "b alone"]
    assert tools_told([meeting(None)], *calls) == ["a alone", "b alone"]
    assert tools_told([meeting("changes")], *calls, parallel_tools=True) == ["a met", "b met"]


class Hook:
    """Changes, blocks, and rewrites."""

    name = "guard"

    def tool_call(self, approval: dict[str, Any]) -> Any:
        """Change the input of one call, and block another."""
        return "not today" if approval["input"]["one"] == 13 else {"one": 100}

    def tool_result(self, approval: dict[str, Any], output: str) -> str:
        """Rewrite what comes out."""
        return f"<{output}>"


def test_hooks_change_inputs_block_calls_and_rewrite_results() -> None:
    assert tools_told([add], ("add", {"one": 1}), ("add", {"one": 13}), hooks=[Hook()]) == ["<101>", "This call was blocked (guard): not today"]


def test_a_function_answers_at_once_on_the_input_that_hooks_left() -> None:
    asked: list[Any] = []

    def decide(approval: dict[str, Any]) -> Any:
        asked.append((approval["name"], approval["path"], approval["input"]))
        return "too much"

    @anb.tool(effects="changes")
    def pay(one: int) -> str:
        """Pay."""
        return "paid"

    assert tools_told([pay], ("pay", {"one": 5}), hooks=[Hook()], approve=decide) == ["The person did not allow this call. Reason: too much"]
    assert asked == [("pay", "agent/pay", {"one": 100})]


def test_a_plain_call_has_nobody_to_ask() -> None:
    with pytest.raises(anb.ConversationError, match="approval-required"):
        tools_told([fail], ("fail", {"reason": "x"}), approve="changes")


def test_a_result_over_the_ceiling_of_a_tool_is_withheld() -> None:
    @anb.tool(effects="reads", result_ceiling=ResultCeiling(max_chars=1000))
    def long() -> str:
        """Say much."""
        return "x" * 5000

    (told,) = tools_told([long], ("long", {}))
    assert "x" * 1001 not in told
    assert "5,000" in told or "5000" in told, told


def test_sync_and_async_tools_may_call_programs() -> None:
    @anb.program
    def shout(text: str) -> str:
        """SHOUT."""

    @anb.tool(effects="reads")
    def loud(text: str) -> str:
        """Say it loud."""
        return str(shout(text))

    @anb.tool(effects="reads")
    async def louder(text: str) -> str:
        """Say it louder."""
        return str(await shout.acall(text))

    @anb.program(tools=[loud, louder])
    def agent(message: str) -> str:
        """Help."""

    def reply(request: Any) -> Any:
        if "SHOUT" in request.instruction:
            return "HEY"
        if request.input[-1]["role"] == "tool":
            return "".join(part["output"] for message in request.input if message["role"] == "tool" for part in message["parts"])
        return wants(("loud", {"text": "a"}), ("louder", {"text": "b"}))

    assert agent("Hi", model=EchoProvider(reply)) == "HEYHEY"
