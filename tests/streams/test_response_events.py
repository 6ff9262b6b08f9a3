"""Events of the Responses API: items by their place, the last event's response where there is one, else what came."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.streams.response_events import assemble_streamed, is_response_event

Event = dict[str, Any]


def event(kind: str, **fields: Any) -> Event:
    return {"type": f"response.{kind}", **fields}


CREATED = event("created", response={"id": "r", "object": "response", "status": "in_progress", "output": []})
TEXT = {"type": "output_text", "text": "It is lit.", "annotations": []}
MESSAGE = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": [TEXT]}
SAID = [
    event("output_item.added", output_index=0, item={**MESSAGE, "status": "in_progress", "content": []}),
    event("content_part.added", output_index=0, content_index=0, item_id="m", part={**TEXT, "text": ""}),
    event("output_text.delta", output_index=0, content_index=0, item_id="m-2", delta="It is "),
    event("output_text.delta", output_index=0, content_index=0, item_id="m-3", delta="lit."),
    event("output_text.done", output_index=0, content_index=0, item_id="m-4", text="It is lit."),
    event("content_part.done", output_index=0, content_index=0, part=TEXT),
    event("output_item.done", output_index=0, item=MESSAGE),
]
COMPLETED = event("completed", response={"id": "r", "object": "response", "status": "completed", "output": [MESSAGE], "usage": {"input_tokens": 4}})


def output_of(events: list[Any]) -> list[Any]:
    (response,) = assemble_streamed(events)
    output: list[Any] = response.value["output"]
    return output


def test_the_last_event_holds_the_whole_response() -> None:
    (response,) = assemble_streamed([CREATED, *SAID, COMPLETED])
    assert response.value == COMPLETED["response"]
    assert (response.whole, response.events, response.unread) == (True, 9, ())


@pytest.mark.parametrize("kept", [6, 7, 8])
def test_without_the_last_event_items_are_known_by_their_place_although_their_ids_change(kept: int) -> None:
    (response,) = assemble_streamed([CREATED, *SAID][:kept])
    assert [part["text"] for item in response.value["output"] for part in item["content"]] == ["It is lit."]
    assert (response.whole, response.oddities, response.value["status"]) == (False, ("cut_stream",), "in_progress")


@pytest.mark.parametrize("kept", range(1, 9))
def test_a_stream_that_is_cut_anywhere_says_so_and_never_raises(kept: int) -> None:
    assert [item.whole for item in assemble_streamed([CREATED, *SAID][:kept])] == [False]
    assert [item.whole for item in assemble_streamed([*SAID, COMPLETED][kept - 1 :])] == [True]


def test_a_response_whose_last_event_leaves_the_output_out_has_the_items_of_the_events_before_it() -> None:
    assert output_of([CREATED, *SAID, event("completed", response={"id": "r", "status": "completed", "output": []})]) == [MESSAGE]


@pytest.mark.parametrize(
    ("item", "subject", "field"),
    [
        ({"type": "function_call", "call_id": "c", "name": "find", "arguments": ""}, "function_call_arguments", "arguments"),
        ({"type": "mcp_call", "id": "c", "name": "find", "arguments": ""}, "mcp_call_arguments", "arguments"),
        ({"type": "custom_tool_call", "call_id": "c", "name": "run", "input": ""}, "custom_tool_call_input", "input"),
        ({"type": "code_interpreter_call", "id": "c", "code": ""}, "code_interpreter_call_code", "code"),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 50])
def test_any_split_of_what_a_tool_is_given_is_the_same(item: Event, subject: str, field: str, size: int) -> None:
    text = '{"street":"Ahornweg 7"}'
    deltas = [event(f"{subject}.delta", output_index=0, delta=text[start : start + size]) for start in range(0, len(text), size)]
    assert output_of([CREATED, event("output_item.added", output_index=0, item=item), *deltas]) == [{**item, field: text}]
    assert output_of([*deltas, event(f"{subject}.done", output_index=0, **{field: text})])[0] == {"type": item["type"], field: text}


def test_commands_summaries_refusals_and_patches_come_in_pieces_too() -> None:
    shell = {"type": "shell_call", "call_id": "s", "action": {"commands": []}}
    events = [
        event("output_item.added", output_index=0, item=shell),
        event("shell_call_command.added", output_index=0, command_index=0, command=""),
        event("shell_call_command.delta", output_index=0, command_index=0, delta="ls"),
        event("shell_call_command.delta", output_index=0, command_index=1, delta="pwd"),
        event("reasoning_summary_part.added", output_index=1, summary_index=0, part={"type": "summary_text", "text": ""}),
        event("reasoning_summary_text.delta", output_index=1, summary_index=0, delta="Look."),
        event("refusal.delta", output_index=2, content_index=0, delta="No."),
        event("apply_patch_call_operation_diff.delta", output_index=3, delta="+lamp"),
    ]
    assert output_of([CREATED, *events]) == [
        {**shell, "action": {"commands": ["ls", "pwd"]}},
        {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look."}]},
        {"type": "message", "role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"type": "apply_patch_call", "operation": {"diff": "+lamp"}},
    ]


def test_a_tool_of_the_service_tells_how_far_it_is() -> None:
    events = [event("output_item.added", output_index=0, item={"type": "web_search_call", "id": "w"}), event("web_search_call.searching", output_index=0)]
    assert output_of([CREATED, *events])[0]["status"] == "searching"
    assert output_of([event("mcp_list_tools.failed", output_index=0)]) == [{"type": "mcp_list_tools", "status": "failed"}]


def test_annotations_stand_with_their_text() -> None:
    note = {"type": "url_citation", "url": "https://example.com"}
    (item,) = output_of([CREATED, *SAID[:4], event("output_text.annotation.added", output_index=0, content_index=0, annotation=note)])
    assert item["content"] == [{**TEXT, "annotations": [note]}]


def test_responses_are_told_apart_by_their_beginnings() -> None:
    other = event("created", response={"id": "s", "status": "in_progress"})
    found = assemble_streamed([CREATED, *SAID, COMPLETED, other, event("failed", response={"id": "s", "status": "failed", "error": {"message": "No."}})])
    assert [(item.value["id"], item.value["status"], item.whole, item.first, item.events) for item in found] == [
        ("r", "completed", True, 0, 9),
        ("s", "failed", True, 9, 2),
    ]


def test_an_error_event_stands_in_the_response() -> None:
    (response,) = assemble_streamed([CREATED, {"type": "error", "code": "server_error", "message": "Sorry.", "sequence_number": 3}])
    assert (response.value["error"], response.whole) == ({"code": "server_error", "message": "Sorry."}, False)


def test_what_stands_beside_the_response_and_events_that_are_not_known_are_kept() -> None:
    (response,) = assemble_streamed([CREATED, event("wink", output_index=0), 7, {**COMPLETED, "copilot_usage": {"total": 3}}])
    assert response.value["copilot_usage"] == {"total": 3}
    assert response.unread == (event("wink", output_index=0), 7)


@pytest.mark.parametrize("value", [None, 1, [], {}, {"type": 3}, {"type": "error"}, {"type": "responses"}])
def test_other_values_are_no_events(value: Any) -> None:
    assert not is_response_event(value)
