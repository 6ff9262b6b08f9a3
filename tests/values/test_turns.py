"""A turn knows its steps, its tool calls and what it cost; a step knows what it said and asked for."""

from __future__ import annotations

from agentnb.values import Turn, Usage
from tests.values.made import call, message, part, turn


def made() -> Turn:
    """A turn with two steps, a tool call that starts a sub-agent, and the sub-agent's own step and call."""
    first = call(call_id="s1", kind="model", name="m", parent_call_id="t", call_index=1, input_tokens=10, output_tokens=1, finish_reason="tool_use")
    task = call(call_id="task", name="Task", parent_call_id="t", step_id="s1", call_index=2, state="done")
    second = call(call_id="s2", kind="model", name="m", parent_call_id="t", call_index=3, input_tokens=20, cost=0.5)
    agent = call(call_id="a", kind="agent", name="helper", parent_call_id="task", call_index=4)
    inner = call(call_id="s3", kind="model", name="m", parent_call_id="a", call_index=5, input_tokens=5)
    search = call(call_id="search", parent_call_id="a", step_id="s3", call_index=6, state="failed", failed=True)
    said = [
        message(0, part(text="Find it.")),
        message(
            1,
            part(role="assistant", type="reasoning", text="Hm.", step_id="s1"),
            part(role="assistant", type="tool_call", text=None, step_id="s1", call_id="task"),
        ),
        message(2, part(role="assistant", text="Found", step_id="s2"), part(role="assistant", text="it.", step_id="s2", part_index=1)),
        message(3, part(role="assistant", text="Searching.", step_id="s3", agent_call_id="a")),
    ]
    return turn(first, task, second, agent, inner, search, messages=tuple(said), prompt="Find it.")


def test_the_own_call_of_a_turn_has_its_id() -> None:
    assert made().call == call(call_id="t", kind="agent", name="agent")


def test_the_own_call_may_be_missing_in_a_turn_made_without_calls() -> None:
    assert Turn(turn_id="t", conversation_id="k", turn_index=0, source_id="s").call is None


def test_steps_are_the_model_calls_of_the_own_agent_in_order() -> None:
    steps = made().steps
    assert [(step.step_id, step.step_index) for step in steps] == [("s1", 0), ("s2", 1)]
    assert made().steps_of("t") == steps


def test_a_sub_agent_has_steps_of_its_own() -> None:
    (step,) = made().steps_of("a")
    assert (step.step_id, step.step_index, step.text) == ("s3", 0, "Searching.")
    assert [call.call_id for call in step.tool_calls] == ["search"]


def test_an_agent_call_that_is_not_there_has_no_steps() -> None:
    assert made().steps_of("nobody") == ()


def test_a_step_has_what_it_said_thought_and_asked_for() -> None:
    first, second = made().steps
    assert (first.text, first.reasoning, first.finish_reason) == ("", "Hm.", "tool_use")
    assert [part.type for part in first.parts] == ["reasoning", "tool_call"]
    assert [call.call_id for call in first.tool_calls] == ["task"]
    assert (second.text, second.reasoning, second.tool_calls) == ("Found\n\nit.", "", ())
    assert second.usage == Usage(input_tokens=20, cost=0.5)


def test_the_tool_calls_of_a_turn_are_those_of_its_sub_agents_too() -> None:
    assert [call.call_id for call in made().tool_calls] == ["task", "search"]


def test_the_usage_of_a_turn_is_that_of_all_its_model_calls_each_once() -> None:
    assert made().usage == Usage(input_tokens=35, output_tokens=1, cost=0.5)


def test_the_text_of_a_message_is_without_reasoning_calls_and_empty_parts() -> None:
    parts = (part(text="One."), part(type="reasoning", text="Hm."), part(text=""), part(type="image", text="data"), part(text="Two."))
    assert message(0, *parts).text == "One.\n\nTwo."
