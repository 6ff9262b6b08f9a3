"""Events of Amazon Bedrock's Converse: what they make, told apart and cut."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.streams.converse_events import assemble_responses, is_converse_event, read_frames

START = {"messageStart": {"role": "assistant"}}
STOP = {"messageStop": {"stopReason": "tool_use"}}


def delta(index: int, **fields: Any) -> dict[str, Any]:
    return {"contentBlockDelta": {"contentBlockIndex": index, "delta": fields}}


CALL = [
    START,
    delta(0, reasoningContent={"text": "Hm"}),
    delta(0, reasoningContent={"text": "m."}),
    delta(0, reasoningContent={"signature": "abc"}),
    delta(1, text="Let me see."),
    {"contentBlockStart": {"contentBlockIndex": 2, "start": {"toolUse": {"toolUseId": "u", "name": "find"}}}},
    delta(2, toolUse={"input": '{"id"'}),
    delta(2, toolUse={"input": ": 7}"}),
    {"contentBlockStop": {"contentBlockIndex": 2}},
    STOP,
]


def test_thoughts_words_and_calls_are_joined_in_their_blocks() -> None:
    (response,) = assemble_responses([*CALL, {"metadata": {"usage": {"inputTokens": 3}}}])
    assert response.value["output"]["message"]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "Hmm.", "signature": "abc"}}},
        {"text": "Let me see."},
        {"toolUse": {"toolUseId": "u", "name": "find", "input": {"id": 7}}},
    ]
    assert (response.value["stopReason"], response.value["usage"], response.whole, response.events) == ("tool_use", {"inputTokens": 3}, True, 11)


@pytest.mark.parametrize("kept", range(10))
def test_a_stream_that_is_cut_says_so_and_never_raises(kept: int) -> None:
    found = assemble_responses(CALL[:kept])
    assert [item.whole for item in found] == [False] * min(kept, 1)
    assert sum(item.events for item in found) == kept


def test_each_start_begins_a_response() -> None:
    assert [item.first for item in assemble_responses([START, STOP, START, {"later": 1}, STOP])] == [0, 2]


@pytest.mark.parametrize("value", [None, 5, [], {}, {"metadata": 5}, {"metadata": {}, "more": {}}, {"type": "messageStart"}])
def test_other_values_are_no_events(value: Any) -> None:
    assert not is_converse_event(value)


@pytest.mark.parametrize("data", [b"", b"\0" * 8, b"\0" * 40, b"\0\0\0\x10\0\0\0\0" + b"\0" * 8, b"\xff" * 64])
def test_data_without_frames_is_none(data: bytes) -> None:
    assert read_frames(data) is None
