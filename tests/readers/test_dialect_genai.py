"""Messages as OpenTelemetry records them: with parts, as events, under flattened keys."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.readers.builders.message_list import Said
from agentnb.readers.dialects.any import said_in_any
from agentnb.readers.dialects.genai import is_message_list, messages_of_events, messages_of_keys, said_of_message


def say(*parts: Any, role: str = "assistant", **fields: Any) -> list[Said]:
    return said_of_message({"role": role, "parts": list(parts), **fields}, 1)


def test_parts_are_texts_thoughts_and_calls_in_one_message() -> None:
    call = {"type": "tool_call", "id": "c1", "name": "find_book", "arguments": {"title": "Emma"}}
    (said,) = say({"type": "reasoning", "content": "Hm."}, {"type": "text", "content": "Let me see."}, call, finish_reason="tool_call")
    assert [(piece.type, piece.text) for piece in said.pieces] == [("reasoning", "Hm."), ("text", "Let me see.")]
    assert [(asked.tool_call_id, asked.name, asked.input) for asked in said.asked] == [("c1", "find_book", '{"title":"Emma"}')]
    assert said.finish_reason == "tool_call"


@pytest.mark.parametrize("role", ["tool", "user"])
def test_results_are_messages_of_their_own_whoever_s_message_they_stand_in(role: str) -> None:
    results = [{"type": "tool_call_response", "id": "c1", "response": {"shelf": 4}}, {"type": "tool_call_response", "id": "c2", "result": "gone", "name": "x"}]
    said = say(*results, {"type": "text", "content": "And now?"}, role=role)
    assert [(item.role, item.result_of, item.pieces[0].text) for item in said] == [
        ("tool", "c1", '{"shelf":4}'),
        ("tool", "c2", "gone"),
        (role, None, "And now?"),
    ]
    assert [item.records for item in said] == [1, 0, 0]


def test_an_image_keeps_its_address_or_its_data() -> None:
    (said,) = say({"type": "uri", "modality": "image", "uri": "https://example.com/a.png"}, {"type": "blob", "mime_type": "image/png", "content": "iVBO"})
    assert [(piece.type, piece.text, piece.mime_type) for piece in said.pieces] == [
        ("image", "https://example.com/a.png", None),
        ("image", "iVBO", "image/png"),
    ]


def test_blocks_of_converse_are_parts() -> None:
    blocks = [{"text": "Look."}, {"toolUse": {"toolUseId": "c1", "name": "see", "input": {}}}, {"reasoningContent": {"reasoningText": {"text": "Hm."}}}]
    (said,) = said_of_message({"role": "assistant", "content": blocks}, 1)
    assert [(piece.type, piece.text) for piece in said.pieces] == [("text", "Look."), ("reasoning", "Hm.")]
    shown = {"toolResult": {"toolUseId": "c1", "status": "error", "content": [{"text": "no"}, {"text": "light"}]}}
    (result,) = said_of_message({"role": "user", "content": [shown]}, 1)
    assert (said.asked[0].name, result.result_of, result.pieces[0].text, result.failed) == ("see", "c1", "no\nlight", True)


def test_a_call_written_as_python_s_repr_in_a_text_is_a_call() -> None:
    text = "ResponseFunctionToolCall(arguments='{\"a\": 1}', call_id='c1', name='add', type='function_call', status=None)"
    (said,) = say({"type": "text", "content": text})
    assert ([(asked.tool_call_id, asked.name, asked.input) for asked in said.asked], said.pieces) == ([("c1", "add", '{"a": 1}')], ())


def test_what_is_not_known_is_kept() -> None:
    (said,) = say({"type": "hologram", "depth": 3}, 7, {"type": "text", "content": "x", "lang": "en"}, mood="glad")
    assert [(piece.type, piece.extra) for piece in said.pieces] == [
        ("other", '{"type":"hologram","depth":3}'),
        ("other", '{"value":7}'),
        ("text", '{"lang":"en"}'),
    ]
    assert said.extra == '{"mood":"glad"}'


def test_the_older_events_are_messages() -> None:
    told = messages_of_events([
        ("gen_ai.system.message", {"content": "Be kind."}),
        ("gen_ai.user.message", {"content": '[{"text": "Where is Dune?"}]'}),
        ("gen_ai.assistant.message", {"tool_calls": '[{"id": "c1", "function": {"name": "find_book", "arguments": "{}"}}]'}),
        ("gen_ai.tool.message", {"content": "shelf 4", "id": "c1"}),
        ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"content": "On shelf 4."}}),
        ("other.event", {"content": "x"}),
    ])  # fmt: skip
    heard = [said for message in told.heard for said in said_of_message(message, 1)]
    assert [(said.role, said.pieces[0].text if said.pieces else None) for said in heard] == [
        ("system", "Be kind."),
        ("user", "Where is Dune?"),
        ("assistant", None),
        ("tool", "shelf 4"),
    ]
    (reply,) = said_of_message(told.replied[0], 1)
    assert (heard[2].asked[0].name, heard[3].result_of, reply.pieces[0].text, reply.finish_reason) == ("find_book", "c1", "On shelf 4.", "stop")


def test_flattened_keys_are_read_in_the_order_of_their_numbers() -> None:
    attributes = {"p.10.content": "last", "p.10.role": "user", "p.2.content": "first", "p.2.role": "user", "p.name": "no message", "pp.0.role": "user"}
    messages = messages_of_keys(attributes, "p")
    assert [said.pieces[0].text for message in messages for said in said_of_message(message, 1)] == ["first", "last"]


def test_content_of_another_dialect_is_left_to_its_reader() -> None:
    block = '[{"type": "tool_use", "id": "c1", "name": "see", "input": {}}]'
    messages = messages_of_keys({"p.0.role": "assistant", "p.0.content": block}, "p")
    assert not is_message_list(messages)
    said = said_in_any(messages, 1)
    assert said is not None
    assert [asked.name for asked in said[0].asked] == ["see"]


@pytest.mark.parametrize(
    "value", [None, [], [7], [{"role": "user"}], [{"role": "user", "parts": [{"text": "hi"}]}], [{"role": 3, "parts": []}], {"role": "user"}]
)
def test_what_has_no_parts_with_a_type_is_not_claimed(value: Any) -> None:
    assert not is_message_list(value)


STRANGE: tuple[Any, ...] = (
    None,
    True,
    -1,
    "",
    "x",
    [],
    [[]],
    {},
    {"type": None},
    {"type": []},
    {"type": "tool_call"},
    {"type": "tool_call", "id": {}, "name": 1},
)


@pytest.mark.parametrize("value", STRANGE, ids=repr)
def test_nothing_that_stands_in_a_message_raises(value: Any) -> None:
    messages = [*messages_of_keys({"p.0.role": value, "p.0.content": value, "p.0.tool_calls": value, "p.0": value, "p.1": value}, "p")]
    told = messages_of_events([("gen_ai.choice", {"message": value}), ("gen_ai.tool.message", {"content": value, "id": value, "tool_calls": value})])
    for message in [{"role": "user", "parts": [value]}, {"role": "assistant", "content": value}, *messages, *told.heard, *told.replied]:
        assert all(isinstance(said, Said) for said in said_of_message(message, 1)) or "parts" not in message
