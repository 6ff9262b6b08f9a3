"""Langfuse: a trace with its observations, lists of these, and exported tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "langfuse"


def observed(own_id: str, kind: str, second: int, given: Any = None, came: Any = None, parent: str | None = None, **more: Any) -> dict[str, Any]:
    return {
        "id": own_id, "traceId": "t", "type": kind, "name": more.pop("name", own_id), "parentObservationId": parent, "input": given, "output": came,
        "startTime": f"2026-04-01T08:00:{second:02}.000Z", "endTime": f"2026-04-01T08:00:{second + 1:02}.000Z", "level": "DEFAULT", **more,
    }  # fmt: skip


def read_value(folder: Path, value: Any) -> Rows:
    path = folder / "trace.json"
    path.write_text(json.dumps(value))
    return read(path)


ASKED = [{"role": "user", "content": "Is it late?"}]
SAID = {"role": "assistant", "content": "Yes."}
MODEL = observed("m", "GENERATION", 1, ASKED, SAID, "top", model="heron-2", usageDetails={"input": 7, "output": 2, "total": 9})
TOP = observed("top", "SPAN", 0, "Is it late?", "Yes.")


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("langfuse", outline_of(read(SAMPLES)))


@pytest.mark.parametrize(
    "form",
    [
        lambda listed: {"trace": {"id": "t", "name": "late"}, "observations": listed},
        lambda listed: {"id": "t", "name": "late", "timestamp": "2026-04-01T08:00:00Z", "observations": listed},
        lambda listed: {"data": listed, "meta": {"page": 1}},
        lambda listed: listed,
    ],
    ids=["download", "trace", "page of the API", "list"],
)
def test_observations_are_found_however_they_were_exported(tmp_path: Path, form: Any) -> None:
    rows = read_value(tmp_path, form([MODEL, TOP]))
    assert [source.format for source in rows.sources] == ["langfuse"]
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Is it late?", "Yes.")]
    assert [(model.name, model.input_tokens, model.output_tokens) for model in calls_of(rows, "model")] == [("heron-2", 7, 2)]
    assert account_of(rows) == (2, 2, 0, 0)


def test_content_may_be_json_in_json_and_tools_are_known_by_their_attributes() -> None:
    rows = read(SAMPLES / "ferry.trace.json")
    assert [(call.name, call.input, call.output, call.state) for call in calls_of(rows)] == [
        ("fare", '{"adults":2}', "18 crowns", "done"),
        ("print_ticket", '{"seats":2}', None, "failed"),
    ]
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Two tickets to Gull Island.", "That is 18 crowns.")]


def test_tokens_that_were_counted_apart_are_added_where_the_total_says_so() -> None:
    models = calls_of(read(SAMPLES / "ferry.trace.json"), "model")
    assert [(model.input_tokens, model.cached_tokens, model.output_tokens, model.reasoning_tokens, model.cost) for model in models] == [
        (20, None, 10, 4, 0.0012),
        (56, 16, 8, None, 0.0021),
    ]


def test_an_observation_with_the_level_error_has_failed_with_its_message() -> None:
    rows = read(SAMPLES / "ferry.trace.json")
    assert [(call.name, call.error) for call in rows.calls if call.failed] == [("print_ticket", "the printer has no paper")]


def test_tables_that_were_exported_apart_are_one_conversation() -> None:
    rows = read(sorted(SAMPLES.glob("rows.*")))
    (conversation,) = rows.conversations
    assert json.loads(conversation.labels or "") == {"user": "anna", "verdict": "fine"}
    assert [score["name"] for score in json.loads(conversation.extra or "")["scores"]] == ["verdict", "length"]
    assert conversation.conversation_id == "desk-5"
    assert (account_of(rows), codes(rows)) == ((6, 5, 0, 1), {"no_observations": 1})


def test_a_wrapper_around_the_call_of_the_service_is_one_call_with_it(tmp_path: Path) -> None:
    outer = observed("o", "GENERATION", 1, {"prompt": "Is it late?"}, "Yes.", "top", model="heron", usageDetails={"input": 99, "output": 9})
    inner = observed("i", "GENERATION", 1, ASKED, SAID, "o", model="heron-2", usageDetails={"input": 7, "output": 2})
    rows = read_value(tmp_path, [TOP, outer, inner])
    assert [(model.name, model.input_tokens) for model in calls_of(rows, "model")] == [("heron-2", 7)]
    assert account_of(rows) == (3, 2, 1, 0)


@pytest.mark.parametrize(
    ("given", "came"),
    [
        ({"messages": ASKED}, {"choices": [{"message": SAID, "finish_reason": "stop"}]}),
        ([{"role": "user", "parts": [{"type": "text", "content": "Is it late?"}]}], [{"role": "assistant", "parts": [{"type": "text", "content": "Yes."}]}]),
        ({"contents": [{"role": "user", "parts": [{"text": "Is it late?"}]}]}, {"content": {"role": "model", "parts": [{"text": "Yes."}]}}),
        ([{"type": "human", "content": "Is it late?"}], {"type": "ai", "content": "Yes."}),
        ({"messages": ["role='user' content='Is it late?' name=None"]}, "role='assistant' content='Yes.' name=None"),
        ("[HumanMessage(content='Is it late?', id='1')]", "content='Yes.' additional_kwargs={} response_metadata={} id='2' tool_calls=[]"),
        ({"args": ["Is it late?"], "kwargs": {}}, "Yes."),
        ({"prompt": "Is it late?"}, {"role": "assistant", "text": "Yes."}),
        (ASKED, {"role": "assistant", "content": [{"type": "text", "text": "Yes."}]}),
        ({"input": [{"type": "message", "role": "user", "content": "Is it late?"}]}, "Yes."),
    ],
    ids=["chat", "GenAI", "Gemini", "LangChain", "pydantic text", "Python text", "arguments", "prompt", "blocks", "Responses"],
)
def test_every_dialect_that_frameworks_pass_around_says_the_same(tmp_path: Path, given: Any, came: Any) -> None:
    rows = read_value(tmp_path, [observed("m", "GENERATION", 1, json.dumps(given), json.dumps(came), model="heron-2")])
    assert texts_of(rows) == ["Is it late?", "Yes."]


def test_calls_of_the_ai_sdk_are_read(tmp_path: Path) -> None:
    calls = [{"toolCallId": "c", "toolName": "clock", "input": '{"zone":"here"}'}]
    results = [{"type": "tool-result", "toolCallId": "c", "toolName": "clock", "output": {"type": "text", "value": "23:50"}}]
    again = {"role": "assistant", "content": [{"type": "tool-call", "toolCallId": "c", "toolName": "clock", "input": {"zone": "here"}}]}
    history = [*ASKED, again, {"role": "tool", "content": results}]
    rows = read_value(tmp_path, [observed("a", "GENERATION", 1, ASKED, calls), observed("b", "GENERATION", 3, history, "Yes.")])
    assert [(call.name, call.input, call.output) for call in calls_of(rows)] == [("clock", '{"zone":"here"}', "23:50")]
    assert texts_of(rows) == ["Is it late?", "Yes."]


def test_definitions_of_tools_among_messages_are_kept_beside_the_call(tmp_path: Path) -> None:
    tool = {"type": "function", "function": {"name": "clock", "parameters": {}}}
    rows = read_value(tmp_path, [MODEL | {"input": [*ASKED, {"role": "tool", "content": tool}]}, TOP])
    assert (texts_of(rows), codes(rows)) == (["Is it late?", "Yes."], {})
    assert json.loads(calls_of(rows, "model")[0].extra or b"")["tools"] == [tool]


def test_calls_that_only_langfuse_found_are_read(tmp_path: Path) -> None:
    found = MODEL | {"output": None, "toolCalls": [json.dumps({"id": "c", "name": "clock", "arguments": "{}", "type": "function"})], "toolCallNames": ["clock"]}
    rows = read_value(tmp_path, [TOP | {"output": None}, found])
    assert [(call.name, call.input, call.state) for call in calls_of(rows)] == [("clock", "{}", "unanswered")]


def test_what_a_model_was_given_may_be_lost(tmp_path: Path) -> None:
    rows = read_value(tmp_path, [MODEL | {"input": '{"content":"role"}'}, TOP])
    assert (texts_of(rows), account_of(rows)) == (["Is it late?", "Yes."], (2, 2, 0, 0))


def test_moments_that_were_sent_as_spans_are_one_call(tmp_path: Path) -> None:
    def moment(name: str, second: int, attributes: dict[str, Any], came: Any = None) -> dict[str, Any]:
        told = {"attributes": {"target": f"tool.search.{name}", "openinference.span.kind": "TOOL", **attributes}}
        return observed(f"tool.search.{name}-1", "SPAN", second, None, came, "top", metadata=json.dumps(told))

    arguments = {"tool.parameters": '{"query":"tides"}'}
    rows = read_value(tmp_path, [TOP, MODEL, moment("start", 2, arguments), moment("success", 4, arguments, "high"), moment("finish", 4, {})])
    assert [(call.name, call.input, call.output, call.seconds) for call in calls_of(rows)] == [("search", '{"query":"tides"}', "high", 2.0)]


def test_events_are_kept_with_the_conversation(tmp_path: Path) -> None:
    rows = read_value(tmp_path, [TOP, MODEL, observed("bell", "EVENT", 2, {"rings": 2}, None, "top")])
    assert json.loads(rows.conversations[0].extra or "")["events"][0]["input"] == {"rings": 2}
    assert account_of(rows) == (3, 3, 0, 0)


def test_a_parent_that_is_missing_is_noted_and_the_order_of_the_file_does_not_matter(tmp_path: Path) -> None:
    rows = read_value(tmp_path, [MODEL | {"parentObservationId": "gone"}])
    assert (codes(rows), len(calls_of(rows, "model"))) == ({"missing_parent": 1}, 1)
    second = observed("n", "GENERATION", 5, [*ASKED, SAID, {"role": "user", "content": "Sure?"}], "Sure.", "top")
    first, last = read_value(tmp_path, [TOP, MODEL, second]), read_value(tmp_path, [second, TOP, MODEL])
    assert texts_of(first) == texts_of(last) == ["Is it late?", "Yes.", "Sure?", "Sure."]


def test_what_is_no_record_of_langfuse_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read_value(tmp_path, [TOP, MODEL, {"id": 1}, "x"])
    assert (account_of(rows), rows.sources[0].skipped) == ((4, 2, 0, 2), '{"not_langfuse":2}')


def test_blocks_of_converse_that_were_written_as_text_are_what_they_say(tmp_path: Path) -> None:
    asked = json.dumps([{"text": "I look."}, {"toolUse": {"toolUseId": "u1", "name": "oven", "input": {"heat": 200}}}])
    result = json.dumps([{"toolResult": {"toolUseId": "u1", "status": "success", "content": [{"text": "warm"}]}}])
    heard = [{"role": "user", "content": json.dumps([{"text": "Warm?"}])}]
    repeated = [*heard, {"role": "assistant", "content": asked}, {"role": "tool", "content": result}]
    agent: dict[str, Any] = {"metadata": {"attributes": {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "baker"}}}
    rows = read_value(tmp_path, [
        observed("a", "GENERATION", 0, heard, {"message": "Yes.\n"}, usageDetails={"input": 30}, **agent),
        observed("m1", "GENERATION", 1, heard, {"message": asked, "finish_reason": "tool_use"}, "a", usageDetails={"input": 10}),
        observed("m2", "GENERATION", 3, repeated, {"message": json.dumps([{"text": "Yes."}]), "finish_reason": "end_turn"}, "a", usageDetails={"input": 20}),
    ])  # fmt: skip
    assert [(call.finish_reason, call.input_tokens) for call in calls_of(rows, "model")] == [("tool_use", 10), ("end_turn", 20)]
    assert [(call.name, call.output) for call in calls_of(rows)] == [("oven", "warm")]
    assert (rows.turns[0].prompt, rows.turns[0].answer, rows.conversations[0].agent_name) == ("Warm?", "Yes.", "baker")


def test_calls_that_stand_as_text_in_the_content_are_made_once_also_when_they_are_told_apart_later(tmp_path: Path) -> None:
    def call(own_id: str) -> str:
        return json.dumps([{"id": own_id, "type": "function", "function": {"name": "oven", "arguments": '{"heat": 200}'}}])

    asked = [{"role": "assistant", "content": call("c1")}, {"role": "assistant", "content": call("c2")}]
    later = [
        {"role": "tool", "content": call("c1")},
        {"role": "tool", "content": "warm"},
        {"role": "tool", "content": call("c2")},
        {"role": "tool", "content": "hot"},
    ]
    heard = [{"role": "user", "content": "Warm?"}]
    rows = read_value(tmp_path, [observed("m1", "GENERATION", 0, heard, asked), observed("m2", "GENERATION", 3, [*heard, *later], "Yes.")])
    assert [(call.tool_call_id, call.output, call.state) for call in calls_of(rows)] == [("c1", "warm", "done"), ("c2", "hot", "done")]
    assert codes(rows) == {}


def test_plain_messages_among_items_of_the_responses_api_are_said(tmp_path: Path) -> None:
    items = [{"role": "user", "content": "Warm?"}, {"type": "function_call", "call_id": "c1", "name": "oven", "arguments": "{}"},
             {"type": "function_call_output", "call_id": "c1", "output": "warm"}]  # fmt: skip
    rows = read_value(tmp_path, [observed("m1", "GENERATION", 0, items, "Yes.")])
    assert texts_of(rows) == ["Warm?", "Yes."]


def test_a_reply_of_anthropic_that_only_speaks_tells_why_it_stopped(tmp_path: Path) -> None:
    reply = {"id": "m", "type": "message", "role": "assistant", "content": [{"type": "text", "text": "Yes."}], "model": "c", "stop_reason": "end_turn"}
    (call,) = calls_of(read_value(tmp_path, [observed("m1", "GENERATION", 0, "Warm?", reply)]), "model")
    assert (call.finish_reason, call.name) == ("end_turn", "c")


def test_the_role_of_a_result_may_be_the_name_of_its_tool(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "oven", "arguments": "{}"}}
    given = [{"role": "user", "content": "Warm?"}, {"role": "assistant", "content": "", "tool_calls": [call]},
             {"role": "oven", "content": "warm", "additional_kwargs": {}}]  # fmt: skip
    rows = read_value(tmp_path, [observed("m1", "GENERATION", 0, given, "Yes.")])
    assert [(call.name, call.output) for call in calls_of(rows)] == [("oven", "warm")]


def test_an_agent_of_pydantic_ai_is_known_by_its_name_in_older_traces(tmp_path: Path) -> None:
    attributes = {"agent_name": "baker", "final_result": "Yes."}
    rows = read_value(tmp_path, [observed("top", "SPAN", 0), observed("run", "SPAN", 0, None, None, "top", metadata={"attributes": attributes}),
                                 observed("m1", "GENERATION", 0, "Warm?", "Yes.", "run")])  # fmt: skip
    assert rows.conversations[0].agent_name == "baker"
