"""Events of the Messages API: blocks, inputs of tools, thoughts and usage become one message."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.streams.message_events import assemble_messages, is_message_event

Event = dict[str, Any]
START: Event = {
    "type": "message_start",
    "message": {"id": "m", "type": "message", "role": "assistant", "model": "lamp", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1}},
}
END: list[Event] = [{"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 40}}, {"type": "message_stop"}]


def block(index: int, **fields: Any) -> Event:
    return {"type": "content_block_start", "index": index, "content_block": fields}


def delta(index: int, kind: str, **fields: Any) -> Event:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **fields}}


def content_of(events: list[Any]) -> list[Any]:
    (message,) = assemble_messages(events)
    content: list[Any] = message.value["content"]
    return content


def test_texts_thoughts_and_signatures_are_joined_in_their_blocks() -> None:
    events = [
        block(0, type="thinking", thinking="", signature=""),
        delta(0, "thinking_delta", thinking="Hm"),
        delta(0, "thinking_delta", thinking="m."),
        delta(0, "signature_delta", signature="c2ln"),
        block(1, type="text", text=""),
        delta(1, "text_delta", text="It "),
        {"type": "ping"},
        delta(1, "text_delta", text="is lit."),
        delta(1, "citations_delta", citation={"title": "Lamps"}),
    ]
    assert content_of([START, *events, *END]) == [
        {"type": "thinking", "thinking": "Hmm.", "signature": "c2ln"},
        {"type": "text", "text": "It is lit.", "citations": [{"title": "Lamps"}]},
    ]


@pytest.mark.parametrize("size", range(1, 10))
def test_any_split_of_an_input_gives_the_same_object(size: int) -> None:
    text = '{"street": "Ahornweg 7", "rooms": [1, 2]}'
    pieces = ["", *(text[start : start + size] for start in range(0, len(text), size))]
    events = [START, block(0, type="tool_use", id="t", name="find", input={}), *(delta(0, "input_json_delta", partial_json=piece) for piece in pieces), *END]
    assert content_of(events) == [{"type": "tool_use", "id": "t", "name": "find", "input": {"street": "Ahornweg 7", "rooms": [1, 2]}}]


def test_a_tool_without_input_keeps_the_empty_object_of_its_start() -> None:
    assert content_of([START, block(0, type="tool_use", id="t", name="ls", input={}), delta(0, "input_json_delta", partial_json=""), *END])[0]["input"] == {}


@pytest.mark.parametrize("text", ['{"street": "Ah', '{"n": NaN}', '{"s": "\\ud800"}', "[" * 2000])
def test_an_input_that_is_not_json_stays_the_text_it_is(text: str) -> None:
    events = [START, block(0, type="tool_use", id="t", name="find", input={}), delta(0, "input_json_delta", partial_json=text)]
    assert content_of(events)[0]["input"] == text


def test_the_last_usage_counts_and_keeps_what_only_the_first_told() -> None:
    (message,) = assemble_messages([START, *END])
    assert message.value["usage"] == {"input_tokens": 9, "output_tokens": 40}
    assert (message.value["stop_reason"], message.whole, message.events) == ("end_turn", True, 3)


def test_each_start_begins_a_message_and_events_add_up() -> None:
    other = {**START, "message": {**START["message"], "id": "n", "content": [{"type": "tool_use", "id": "t", "name": "roll", "input": {}}]}}
    found = assemble_messages([START, other, *END])
    assert [(item.value["id"], item.whole, item.first, item.events) for item in found] == [("m", False, 0, 1), ("n", True, 1, 3)]
    assert found[1].value["content"][0]["name"] == "roll"


def test_a_start_that_is_sent_twice_begins_one_message() -> None:
    (message,) = assemble_messages([START, START, block(0, type="text", text="Hello"), *END])
    assert (message.value["id"], message.whole, message.events) == ("m", True, 5)


def test_what_is_not_known_before_the_start_belongs_to_the_message() -> None:
    (message,) = assemble_messages([{"type": "future_event"}, {"type": "content_block_stop", "index": 0}, START, *END])
    assert (message.value["id"], message.first, message.events, len(message.unread)) == ("m", 0, 5, 1)


@pytest.mark.parametrize("kept", range(6))
def test_a_stream_that_is_cut_says_so_and_never_raises(kept: int) -> None:
    events = [
        START,
        block(0, type="text", text=""),
        delta(0, "text_delta", text="It "),
        delta(0, "text_delta", text="is."),
        {"type": "content_block_stop", "index": 0},
        *END,
    ]
    assert [item.whole for item in assemble_messages(events[:kept])] == [False] * min(kept, 1)
    assert [item.whole for item in assemble_messages(events[kept:])] == [True]


def test_what_misses_its_beginning_is_known_by_its_deltas() -> None:
    assert content_of([delta(0, "text_delta", text="lit."), delta(1, "input_json_delta", partial_json="{}"), delta(2, "thinking_delta", thinking="Hm.")]) == [
        {"type": "text", "text": "lit."},
        {"type": "tool_use", "input": {}},
        {"type": "thinking", "thinking": "Hm."},
    ]


def test_an_error_stands_in_the_message_that_it_ended() -> None:
    error = {"type": "overloaded_error", "message": "Overloaded"}
    (message,) = assemble_messages([START, {"type": "error", "error": error}])
    assert (message.value["error"], message.whole) == (error, False)


def test_a_summary_of_the_history_is_a_block() -> None:
    assert content_of([START, block(0, type="compaction", content=None), delta(0, "compaction_delta", content="Earlier: lamps."), *END]) == [
        {"type": "compaction", "content": "Earlier: lamps."}
    ]


def test_events_that_are_not_known_are_kept_unread() -> None:
    odd = [{"type": "content_block_delta", "index": 0, "delta": {"type": "smell_delta"}}, {"type": "surprise"}, 7]
    (message,) = assemble_messages([START, *odd, *END])
    assert message.unread == tuple(odd)


@pytest.mark.parametrize("value", [None, 1, [], {}, {"type": 3}, {"type": "ping"}, {"type": "message"}])
def test_other_values_are_no_events(value: Any) -> None:
    assert not is_message_event(value)
