"""Chunks of Gemini: parts are joined per kind, and a call whose arguments come one by one becomes whole."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.streams.gemini_chunks import assemble_responses, is_gemini_chunk


def chunk(*parts: dict[str, Any], end: str | None = None, **fields: Any) -> dict[str, Any]:
    candidate = {"content": {"role": "model", "parts": list(parts)}} | ({"finishReason": end} if end else {})
    return {"candidates": [candidate], "responseId": "r", **fields}


def piece(path: str | None = None, *, more: bool = True, **value: Any) -> dict[str, Any]:
    call = {"willContinue": True} if more else {}
    return {"functionCall": call | ({"partialArgs": [{"jsonPath": path, **value}]} if path else {})}


def parts_of(chunks: list[Any]) -> list[Any]:
    (response,) = assemble_responses(chunks)
    parts: list[Any] = response.value["candidates"][0]["content"]["parts"]
    return parts


def test_texts_are_joined_and_thoughts_apart_from_them() -> None:
    chunks = [
        chunk({"text": "Hm", "thought": True}),
        chunk({"text": "m.", "thought": True}),
        chunk({"text": "It "}),
        chunk({"text": "is.", "thoughtSignature": "c2ln"}, end="STOP"),
    ]
    assert parts_of(chunks) == [{"text": "Hmm.", "thought": True}, {"text": "It is.", "thoughtSignature": "c2ln"}]


def test_calls_stay_whole_and_in_order() -> None:
    calls = [{"functionCall": {"name": name, "args": {"x": 1}}} for name in ("find", "count")]
    assert parts_of([chunk(calls[0]), chunk(calls[1], {"text": "Done."}, end="STOP")]) == [*calls, {"text": "Done."}]


def test_the_last_usage_counts_and_metadata_that_repeat_stand_once() -> None:
    chunks = [
        chunk({"text": "a"}, usageMetadata={"trafficType": "SHARED", "totalTokenCount": 3}, modelVersion="m"),
        chunk({"text": "b"}, usageMetadata={"totalTokenCount": 9}, end="STOP"),
    ]
    (response,) = assemble_responses(chunks)
    assert (response.value["usageMetadata"], response.value["modelVersion"]) == ({"trafficType": "SHARED", "totalTokenCount": 9}, "m")


def test_arguments_that_come_one_by_one_are_put_where_their_paths_say() -> None:
    chunks = [
        chunk({"functionCall": {"name": "order", "willContinue": True}, "thoughtSignature": "c2ln"}),
        chunk(piece("$.items[0].name", stringValue="desk ", willContinue=True)),
        chunk(piece("$.items[0].name", stringValue="lamp", willContinue=True)),
        chunk(piece("$.items[0].name", stringValue="")),
        chunk(piece("$.items[1]['gift note']", nullValue="NULL_VALUE")),
        chunk(piece("$.count", numberValue=2)),
        chunk(piece("$.express", boolValue=False, more=False)),
        chunk({"text": "Ordered."}, end="STOP"),
    ]
    args = {"items": [{"name": "desk lamp"}, {"gift note": None}], "count": 2, "express": False}
    assert parts_of(chunks) == [{"functionCall": {"name": "order", "args": args}, "thoughtSignature": "c2ln"}, {"text": "Ordered."}]


def test_a_call_whose_last_piece_is_missing_keeps_what_came_and_the_next_call_begins_with_its_name() -> None:
    chunks = [
        chunk({"functionCall": {"name": "order", "willContinue": True}}),
        chunk(piece("$.n", numberValue=1)),
        chunk({"functionCall": {"name": "count", "args": {}}}, end="STOP"),
    ]
    assert parts_of(chunks) == [{"functionCall": {"name": "order", "args": {"n": 1}}}, {"functionCall": {"name": "count", "args": {}}}]


@pytest.mark.parametrize("path", ["n", "$..n", "$.a[99999999]", "$[0]", 7])
def test_an_argument_without_a_place_is_kept_as_it_came(path: Any) -> None:
    (part,) = parts_of(
        [chunk({"functionCall": {"name": "order", "willContinue": True}}), chunk({"functionCall": {"partialArgs": [{"jsonPath": path, "numberValue": 1}]}})]
    )
    assert part["functionCall"]["partialArgs"] == [{"jsonPath": path, "numberValue": 1}]


def test_responses_are_told_apart_by_id_else_by_the_reason_why_they_ended() -> None:
    chunks: list[dict[str, Any]] = [chunk({"text": "a"}, end="STOP"), {"usageMetadata": {}}, chunk({"text": "b"})]
    plain = [{name: value for name, value in item.items() if name != "responseId"} for item in chunks]
    assert [(item.first, item.events, item.whole) for item in assemble_responses(plain)] == [(0, 2, True), (2, 1, False)]
    assert len(assemble_responses([chunk({"text": "a"}), chunk({"text": "b"}) | {"responseId": "s"}])) == 2


def test_a_prompt_that_was_blocked_is_a_whole_answer() -> None:
    (response,) = assemble_responses([{"promptFeedback": {"blockReason": "SAFETY"}, "responseId": "r"}])
    assert (response.whole, response.value["candidates"]) == (True, [])


@pytest.mark.parametrize("value", [None, 1, [], {}, {"candidates": 3}, {"usageMetadata": {}}])
def test_other_values_are_no_chunks(value: Any) -> None:
    assert not is_gemini_chunk(value)


def test_what_is_no_chunk_is_kept_unread() -> None:
    (response,) = assemble_responses([chunk({"text": "a"}), "odd", {"candidates": [3], "responseId": "r"}])
    assert response.unread == ("odd", {"candidates": [3]})
