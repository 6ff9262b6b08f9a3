"""Chunks of Chat Completions: fragments become the completion that the service would have sent at once."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.streams.chat_chunks import assemble_completions, is_chat_chunk
from agentnb.streams.cohere_events import assemble_answers, is_cohere_event


def chunk(delta: dict[str, Any], *, end: str | None = None, index: int = 0, own_id: str = "c-1", **fields: Any) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": end}
    return {"id": own_id, "object": "chat.completion.chunk", "model": "lamp-1", "choices": [choice], **fields}


def call(index: int | None, own_id: str | None = None, name: str | None = None, arguments: str | None = None) -> dict[str, Any]:
    fields = {"index": index, "id": own_id, "type": "function" if own_id else None}
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    return {"tool_calls": [{key: value for key, value in fields.items() if value is not None} | {"function": function}]}


def message_of(chunks: list[Any]) -> dict[str, Any]:
    (completion,) = assemble_completions(chunks)
    message: dict[str, Any] = completion.value["choices"][0]["message"]
    return message


def functions(chunks: list[Any]) -> list[tuple[str | None, str, str]]:
    return [(item.get("id"), item["function"]["name"], item["function"]["arguments"]) for item in message_of(chunks)["tool_calls"]]


def test_texts_and_reasoning_are_joined_each_in_its_own_field() -> None:
    deltas = [{"role": "assistant", "content": ""}, {"reasoning_content": "Look "}, {"reasoning_content": "it up."}, {"content": "It is "}, {"content": "lit."}]
    message = message_of([*map(chunk, deltas), chunk({}, end="stop")])
    assert message == {"role": "assistant", "content": "It is lit.", "reasoning_content": "Look it up."}


def test_usage_comes_in_a_last_chunk_without_choices() -> None:
    (completion,) = assemble_completions([chunk({"content": "Yes."}, end="stop"), {"id": "c-1", "choices": [], "usage": {"prompt_tokens": 7}}])
    assert completion.value["usage"] == {"prompt_tokens": 7}
    assert (completion.whole, completion.events, completion.value["model"]) == (True, 2, "lamp-1")


def test_a_call_is_told_by_its_index_and_named_once() -> None:
    deltas = [call(0, "a", "find", ""), call(1, "b", "count", '{"of'), call(0, arguments='{"x":1}'), call(1, name="", arguments='":2}')]
    assert functions([*map(chunk, deltas), chunk({}, end="tool_calls")]) == [("a", "find", '{"x":1}'), ("b", "count", '{"of":2}')]


def test_a_whole_call_in_one_chunk_needs_no_index() -> None:
    deltas = [call(None, "a", "find", "{}"), call(None, "b", "find", '{"x":1}')]
    assert functions([*map(chunk, deltas)]) == [("a", "find", "{}"), ("b", "find", '{"x":1}')]


def test_calls_that_all_have_the_index_0_are_told_by_their_ids_and_names() -> None:
    deltas = [call(0, "a", "find", "{}"), call(0, "b", "count", "{"), call(0, arguments="}")]
    assert functions([*map(chunk, deltas)]) == [("a", "find", "{}"), ("b", "count", "{}")]


def test_the_old_single_function_call_and_a_refusal_are_joined_too() -> None:
    deltas: list[dict[str, Any]] = [
        {"function_call": {"name": "find", "arguments": "{"}},
        {"function_call": {"arguments": "}"}},
        {"refusal": "I "},
        {"refusal": "can't."},
    ]
    message = message_of([*(chunk(delta) for delta in deltas)])
    assert (message["function_call"], message["refusal"]) == ({"name": "find", "arguments": "{}"}, "I can't.")


def test_content_may_come_in_blocks_of_which_texts_are_joined() -> None:
    thought = {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]}
    deltas: list[dict[str, Any]] = [{"content": [thought]}, {"content": [{"type": "text", "text": "It "}]}, {"content": "is."}]
    assert message_of([*(chunk(delta) for delta in deltas)])["content"] == [thought, {"type": "text", "text": "It is."}]


def test_completions_that_alternate_are_told_apart_by_their_ids() -> None:
    chunks = [chunk({"content": "A"}), chunk({"content": "B"}, own_id="c-2"), chunk({"content": "a"}, end="stop"), chunk({"content": "b"}, own_id="c-2")]
    assert [(item.value["choices"][0]["message"]["content"], item.whole, item.first) for item in assemble_completions(chunks)] == [
        ("Aa", True, 0),
        ("Bb", False, 1),
    ]


def test_what_comes_before_the_id_belongs_to_the_completion_after_it() -> None:
    prompt = {"id": "", "object": "chat.completion.chunk", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]}
    (completion,) = assemble_completions([prompt, chunk({"content": "Yes."}, end="stop")])
    assert (completion.value["id"], completion.value["prompt_filter_results"]) == ("c-1", [{"prompt_index": 0}])


def test_several_answers_of_a_completion_are_its_choices_in_order() -> None:
    (completion,) = assemble_completions([chunk({"content": "two"}, index=1, end="stop"), chunk({"content": "one"}, end="length")])
    assert [choice["message"]["content"] for choice in completion.value["choices"]] == ["one", "two"]
    assert completion.whole


@pytest.mark.parametrize("kept", range(1, 5))
def test_a_stream_that_is_cut_says_so_and_keeps_what_came(kept: int) -> None:
    chunks = [
        chunk(call(0, "a", "find", "")),
        chunk(call(0, arguments='{"x"')),
        chunk(call(0, arguments=":1")),
        chunk(call(0, arguments="}")),
        chunk({}, end="stop"),
    ]
    (completion,) = assemble_completions(chunks[:kept])
    assert (completion.whole, completion.oddities) == (False, ("cut_stream",))
    assert completion.value["choices"][0]["finish_reason"] is None
    assert '{"x":1}'.startswith(functions(chunks[:kept])[0][2])


@pytest.mark.parametrize("size", range(1, 9))
def test_any_split_of_the_arguments_gives_the_same_call(size: int) -> None:
    arguments = '{"street":"Ahornweg 7"}'
    pieces = [call(0, arguments=arguments[start : start + size]) for start in range(0, len(arguments), size)]
    assert functions([chunk(call(0, "a", "find", "")), *map(chunk, pieces)]) == [("a", "find", arguments)]


def test_what_is_no_chunk_is_kept_unread_and_counted() -> None:
    (completion,) = assemble_completions([chunk({"content": "Yes."}, end="stop"), "odd", {"id": "c-1", "choices": [7]}])
    assert (completion.events, completion.unread) == (3, ("odd", {"choices": [7]}))


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, {"choices": None}, {"choices": [None]}, {"choices": [{"message": {}}]}])
def test_other_values_are_no_chunks(value: Any) -> None:
    assert not is_chat_chunk(value)


def test_an_answer_of_cohere_has_a_plan_and_calls_that_come_as_an_object() -> None:
    asked = {"id": "f", "type": "function", "function": {"name": "find", "arguments": ""}}
    events = [
        {"type": "message-start", "id": "m", "delta": {"message": {"role": "assistant", "tool_plan": "", "tool_calls": []}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "I "}}},
        {"type": "tool-plan-delta", "delta": {"message": {"tool_plan": "look."}}},
        {"type": "tool-call-start", "index": 0, "delta": {"message": {"tool_calls": asked}}},
        {"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": {"arguments": "{}"}}}}},
        {"type": "tool-call-end", "index": 0},
        {"type": "message-end", "delta": {"finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 4}}}},
    ]
    assert all(map(is_cohere_event, events))
    (answer,) = assemble_answers(events)
    message = {"role": "assistant", "tool_plan": "I look.", "tool_calls": [asked | {"function": {"name": "find", "arguments": "{}"}}]}
    assert answer.value == {"id": "m", "finish_reason": "TOOL_CALL", "usage": {"tokens": {"input_tokens": 4}}, "message": message}
    assert (answer.whole, answer.events) == (True, 7)
    assert not assemble_answers(events[:-1])[0].whole


def test_texts_and_citations_of_cohere_are_joined() -> None:
    events = [
        {"type": "message-start", "id": "m"},
        {"type": "content-start", "index": 0, "delta": {"message": {"content": {"type": "text", "text": ""}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "It is "}}}},
        {"type": "content-delta", "index": 0, "delta": {"message": {"content": {"text": "lit."}}}},
        {"type": "citation-start", "index": 0, "delta": {"message": {"citations": {"start": 0, "end": 2}}}},
    ]
    message = assemble_answers(events)[0].value["message"]
    assert (message["content"], message["citations"]) == ([{"type": "text", "text": "It is lit."}], [{"start": 0, "end": 2}])
