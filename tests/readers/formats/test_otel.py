"""OpenTelemetry: the containers that exporters write, the conventions of instrumentations, and what is no span of an agent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from agentnb.readers._reader import Sample
from agentnb.readers._rows import CallRow
from agentnb.readers.formats.otel import READER
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLE = Path(__file__).parent.parent / "samples" / "otel" / "loan-desk.otlp.json"
TRACE = "0af7651916cd43dd8448eb211c80319c"


def span(span_id: str, attributes: dict[str, Any], *, parent: str | None = None, start: int = 1, **fields: Any) -> dict[str, Any]:
    """Make a flattened span of one second."""
    times = {"start_time": (1_772_442_000 + start) * 10**9, "end_time": (1_772_442_001 + start) * 10**9}
    return {"trace_id": TRACE, "span_id": span_id, "parent_span_id": parent, "name": span_id, "attributes": attributes} | times | fields


def read_json(folder: Path, value: Any) -> Rows:
    """Read a file that holds a value, or a text as it is."""
    path = folder / "spans.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return read(path)


def extra_of(call: CallRow) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(call.extra or "{}")
    return value


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("otel", outline_of(read(SAMPLE)))


def raw_spans() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(SAMPLE.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"]
    return found


def plain(attributes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return attributes without the types of OTLP."""

    def value(held: dict[str, Any]) -> Any:
        (kind, inner), = held.items()  # fmt: skip
        return [value(item) for item in inner["values"]] if kind == "arrayValue" else int(inner) if kind == "intValue" else inner

    return {item["key"]: value(item["value"]) for item in attributes}


def as_sdk(raw: dict[str, Any]) -> dict[str, Any]:
    """Write a span as `to_json` of Python's SDK does."""
    events = [{"name": event["name"], "attributes": plain(event["attributes"])} for event in raw.get("events", ())]
    status = {"status_code": "ERROR", "description": raw["status"]["message"]} if raw["status"]["code"] == 2 else {"status_code": "OK"}
    return {
        "name": raw["name"], "context": {"trace_id": f"0x{raw['traceId']}", "span_id": f"0x{raw['spanId']}", "trace_state": "[]"}, "kind": "SpanKind.INTERNAL",
        "parent_id": f"0x{raw['parentSpanId']}" if "parentSpanId" in raw else None, "start_time": iso(raw["startTimeUnixNano"]),
        "end_time": iso(raw["endTimeUnixNano"]), "status": status, "attributes": plain(raw["attributes"]), "events": events, "links": [],
        "resource": {"attributes": {"service.name": "loan-desk"}},
    }  # fmt: skip


def as_javascript(raw: dict[str, Any]) -> dict[str, Any]:
    """Write a span as an exporter of JavaScript does."""
    events = [{"name": event["name"], "attributes": plain(event["attributes"])} for event in raw.get("events", ())]
    times = {name: [int(raw[key]) // 10**9, int(raw[key]) % 10**9] for name, key in (("startTime", "startTimeUnixNano"), ("endTime", "endTimeUnixNano"))}
    context = {"traceId": raw["traceId"], "spanId": raw["spanId"]}
    rest = {"attributes": plain(raw["attributes"]), "events": events, "resource": {"attributes": {"service.name": "loan-desk"}}}
    return {"name": raw["name"], "spanContext": context, "parentSpanId": raw.get("parentSpanId"), "status": raw["status"]} | times | rest


def iso(nanos: str) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(int(nanos) / 1e9, UTC).isoformat().replace("+00:00", "Z")


CONTAINERS = {
    "one resource a line": lambda: "\n".join(json.dumps({"resourceSpans": [resource_of([raw])]}) for raw in raw_spans()),
    "a list of the SDK": lambda: json.dumps([as_sdk(raw) for raw in raw_spans()]),
    "one span of the SDK a line": lambda: "\n".join(json.dumps(as_sdk(raw)) for raw in raw_spans()),
    "spans of the SDK without a separator": lambda: "".join(json.dumps(as_sdk(raw), indent=1) for raw in raw_spans()),
    "a session with its spans": lambda: json.dumps({"session_id": "x", "span_count": 14, "spans": [as_sdk(raw) for raw in raw_spans()]}),
    "spans of JavaScript": lambda: json.dumps([as_javascript(raw) for raw in raw_spans()]),
}


def resource_of(spans: list[dict[str, Any]]) -> dict[str, Any]:
    held = [{"key": "service.name", "value": {"stringValue": "loan-desk"}}]
    return {"resource": {"attributes": held}, "scopeSpans": [{"scope": {"name": "lark.agents"}, "spans": spans}]}


@pytest.mark.parametrize("container", CONTAINERS)
def test_the_same_spans_are_read_from_every_container(container: str, tmp_path: Path) -> None:
    rows, expected = read_json(tmp_path, CONTAINERS[container]()), read(SAMPLE)
    assert [source.format for source in rows.sources] == ["otel"]
    assert account_of(rows) == account_of(expected) == (14, 14, 0, 0)
    told = [
        [(call.call_id, call.kind, call.name, call.state, call.output, call.input_tokens, call.started_at) for call in found.calls]
        for found in (rows, expected)
    ]
    assert told[0] == told[1]
    assert [(turn.turn_id, turn.prompt, turn.answer) for turn in rows.turns] == [(turn.turn_id, turn.prompt, turn.answer) for turn in expected.turns]


def test_files_of_one_session_are_read_as_one_conversation(tmp_path: Path) -> None:
    for number, raw in enumerate(raw_spans()):
        (tmp_path / f"{number}.json").write_text(json.dumps({"resourceSpans": [resource_of([raw])]}))
    rows = read(tmp_path)
    assert [conversation.conversation_id for conversation in rows.conversations] == ["loan-desk-12"]
    assert len(rows.turns) == 2


def test_events_that_were_logged_apart_belong_to_their_spans(tmp_path: Path) -> None:
    def log(name: str, body: Any, span_id: str = "0000000000000001") -> dict[str, Any]:
        named = [{"key": "event.name", "value": {"stringValue": name}}]
        fields = {"kvlistValue": {"values": [{"key": key, "value": {"stringValue": value}} for key, value in body.items()]}}
        return {"traceId": TRACE, "spanId": span_id, "attributes": named, "body": fields}

    logs = [log("gen_ai.user.message", {"content": "Hi."}), log("gen_ai.choice", {"message": '{"role":"assistant","content":"Hello."}'})]
    lines = [
        {"resourceLogs": [{"scopeLogs": [{"logRecords": [*logs, log("gen_ai.choice", {}, "0000000000000009")]}]}]},
        span("0000000000000001", {"gen_ai.operation.name": "chat", "gen_ai.request.model": "lark-2"}),
    ]
    rows = read_json(tmp_path, "\n".join(map(json.dumps, lines)))
    assert (rows.turns[0].prompt, rows.turns[0].answer) == ("Hi.", "Hello.")
    assert (account_of(rows), codes(rows)) == ((4, 3, 0, 1), {"log_without_span": 1})


def test_one_map_of_attributes_is_a_span_without_times(tmp_path: Path) -> None:
    rows = read_json(tmp_path, {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_book", "input": '{"title": "Emma"}', "output": "shelf 9"})
    (call,) = calls_of(rows)
    assert (call.name, call.input, call.output, call.started_at) == ("find_book", '{"title": "Emma"}', "shelf 9", None)


def test_ids_that_are_only_zeros_name_nothing(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / f"{number}.json").write_text(json.dumps([span("0" * 16, {"gen_ai.request.model": f"lark-{number}"}, trace_id="0" * 32)]))
    assert len({conversation.conversation_id for conversation in read(tmp_path).conversations}) == 2


FOREIGN: tuple[Any, ...] = (
    {"info": {"trace_id": "tr-1"}, "data": {"spans": [{"span_id": "a", "trace_id": "b", "attributes": {"mlflow.spanType": '"TOOL"'}}]}},
    {"data": [{"object": "trace.span", "id": "span_1", "trace_id": "trace_1", "span_data": {"type": "agent"}}]},
    {"trace": {"id": "t"}, "observations": [{"id": "o", "type": "GENERATION"}]},
    [{"role": "user", "content": "hi"}],
    {"id": "run", "run_type": "llm", "dotted_order": "x", "trace_id": "t", "inputs": {}},
    {"resourceSpans": "none"},
    {"attributes": {"color": "red"}},
    [],
)


@pytest.mark.parametrize("value", FOREIGN, ids=range(len(FOREIGN)))
def test_what_is_of_another_format_is_not_claimed(value: Any) -> None:
    assert not READER.matches(Sample("document", (value,)))
    assert not READER.matches(Sample("lines", (value,)))


def test_flattened_prompts_are_put_in_the_order_of_their_numbers_of_which_some_may_be_missing(tmp_path: Path) -> None:
    attributes = {
        "gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be kind.", "gen_ai.prompt.10.role": "tool", "gen_ai.prompt.10.tool_call_id": "c1",
        "gen_ai.prompt.10.content": "shelf 4", "gen_ai.prompt.2.role": "user", "gen_ai.prompt.2.content": "Where is Dune?",
        "gen_ai.prompt.9.role": "assistant", "gen_ai.prompt.9.tool_calls.0.id": "c1", "gen_ai.prompt.9.tool_calls.0.name": "find_book",
        "gen_ai.prompt.9.tool_calls.0.arguments": '{"title": "Dune"}', "gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "On shelf 4.",
        "gen_ai.completion.0.finish_reason": "stop", "gen_ai.usage.prompt_tokens": 9, "gen_ai.usage.completion_tokens": "4", "llm.request.type": "chat",
    }  # fmt: skip
    rows = read_json(tmp_path, [span("a", attributes)])
    assert texts_of(rows) == ["Be kind.", "Where is Dune?", "On shelf 4."]
    assert [(call.name, call.output) for call in calls_of(rows)] == [("find_book", "shelf 4")]
    step = calls_of(rows, "model")[1]
    assert (step.input_tokens, step.output_tokens, step.finish_reason) == (9, 4, "stop")


def test_openinference_messages_hold_pieces_calls_and_images(tmp_path: Path) -> None:
    heard, replied = "llm.input_messages.0.message", "llm.output_messages"
    attributes = {
        "openinference.span.kind": "LLM", "llm.model_name": "lark-2", f"{heard}.role": "user",
        f"{heard}.contents.0.message_content.type": "text", f"{heard}.contents.0.message_content.text": "What is this?",
        f"{heard}.contents.1.message_content.type": "image", f"{heard}.contents.1.message_content.image.image.url": "https://example.com/cat.png",
        f"{replied}.4.message.role": "assistant", f"{replied}.4.message.content": "A cat.",
        f"{replied}.1.message.role": "assistant", f"{replied}.1.message.tool_calls.3.tool_call.function.name": "see",
        f"{replied}.1.message.tool_calls.3.tool_call.function.arguments": "{}", "llm.token_count.prompt": 30, "llm.token_count.completion": 7,
        "llm.token_count.prompt_details.cache_read": 20, "llm.cost.total": 0.002, "input.value": "the same again", "output.value": "the same again",
    }  # fmt: skip
    rows = read_json(tmp_path, [span("a", attributes)])
    (step,) = calls_of(rows, "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.cost) == (30, 7, 20, 0.002)
    assert [(part.type, part.text) for part in rows.parts if part.type != "tool_call"] == [
        ("text", "What is this?"),
        ("image", "https://example.com/cat.png"),
        ("text", "A cat."),
    ]
    assert [call.name for call in calls_of(rows)] == ["see"]


def test_a_tool_of_openinference_has_its_message_s_text_and_exit_code(tmp_path: Path) -> None:
    returned = '{"type": "tool", "content": "{\\"stdout\\": \\"\\", \\"exit_code\\": 2}", "tool_call_id": "c7", "name": "shell", "status": "error"}'
    (call,) = calls_of(read_json(tmp_path, [span("a", {"openinference.span.kind": "TOOL", "tool.name": "shell", "output.value": returned})]))
    assert (call.tool_call_id, call.output, call.exit_code, call.state) == ("c7", '{"stdout": "", "exit_code": 2}', 2, "failed")


def test_a_call_of_the_vercel_sdk_is_the_agent_and_its_requests_are_model_calls(tmp_path: Path) -> None:
    calls = '[{"toolCallId":"c1","toolName":"find_book","input":"{\\"title\\":\\"Dune\\"}"}]'
    prompt = '{"system":"Be kind.","prompt":"Where is Dune?"}'
    request = '[{"role":"user","content":[{"type":"text","text":"Where is Dune?"}]}]'
    usage = {"ai.usage.inputTokens": 5, "ai.usage.outputTokens": 2, "ai.usage.inputTokenDetails.cacheWriteTokens": 1}
    spans = [
        span("root", {"ai.operationId": "ai.generateText", "ai.prompt": prompt, "ai.response.text": "On shelf 4.", **usage}),
        span("m1", {"ai.operationId": "ai.generateText.doGenerate", "ai.prompt.messages": request, "ai.response.toolCalls": calls, **usage}, parent="root"),
        span("t1", {"ai.operationId": "ai.toolCall", "ai.toolCall.name": "find_book", "ai.toolCall.id": "c1", "ai.toolCall.args": '{"title":"Dune"}',
                    "ai.toolCall.result": '{"shelf":4}'}, parent="root", start=2),
    ]  # fmt: skip
    rows = read_json(tmp_path, spans)
    (step,), (call,) = calls_of(rows, "model"), calls_of(rows)
    assert (step.input_tokens, step.output_tokens, step.cache_write_tokens) == (5, 2, 1)
    assert (call.step_id, call.input, call.output, call.seconds) == (step.call_id, '{"title":"Dune"}', '{"shelf":4}', 1.0)


def test_requests_of_the_vercel_sdk_without_parents_are_hung_below_the_call_that_made_them(tmp_path: Path) -> None:
    named = {"resource.name": "ask", "ai.telemetry.functionId": "ask"}
    outer = span("a", {"ai.operationId": "ai.streamText", "operation.name": "ai.streamText ask", "ai.prompt": '{"prompt":"Hi."}', **named}, trace_id="one")
    inner = {"ai.operationId": "ai.streamText.doStream", "operation.name": "ai.streamText.doStream ask", "ai.response.text": "Hello.", **named}
    rows = read_json(tmp_path, [span("b", inner, trace_id="two"), outer])
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Hi.", "Hello.")]


STORY = ("Hi.", "Hello.")
MESSAGES = {
    "events with contents": [
        {"name": "gen_ai.user.message", "attributes": {"content": '[{"text": "Hi."}]'}},
        {"name": "gen_ai.choice", "attributes": {"message": '[{"text": "Hello."}]', "finish_reason": "end_turn"}},
    ],
    "an event of details": [
        {
            "name": "gen_ai.client.inference.operation.details",
            "attributes": {
                "gen_ai.input.messages": '[{"role":"user","parts":[{"type":"text","content":"Hi."}]}]',
                "gen_ai.output.messages": '[{"role":"assistant","parts":[{"type":"text","content":"Hello."}],"finish_reason":"end_turn"}]',
            },
        }
    ],
    "a body with input and output": [
        {
            "event_name": "strands.telemetry.tracer",
            "body": {
                "input": {"messages": [{"role": "user", "content": {"content": '[{"text": "Hi."}]'}}]},
                "output": {"messages": [{"role": "assistant", "content": {"message": "Hello.", "finish_reason": "end_turn"}}]},
            },
        }
    ],
}


@pytest.mark.parametrize("form", MESSAGES)
def test_messages_may_stand_in_events(form: str, tmp_path: Path) -> None:
    rows = read_json(tmp_path, [span("a", {"gen_ai.operation.name": "chat"}, span_events=MESSAGES[form])])
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [STORY]


def test_the_events_of_logfire_stand_in_an_attribute_as_json(tmp_path: Path) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "find_book", "arguments": {"title": "Dune"}}}
    events = [
        {"event.name": "gen_ai.user.message", "content": "Where is Dune?", "role": "user"},
        {"event.name": "gen_ai.assistant.message", "role": "assistant", "tool_calls": [call]},
        {"event.name": "gen_ai.tool.message", "content": "shelf 4", "role": "tool", "id": "c1", "name": "find_book"},
        {"event.name": "gen_ai.choice", "index": 0, "message": {"role": "assistant", "content": "On shelf 4."}},
    ]
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "lark-2", "events": json.dumps(events)}
    rows = read_json(tmp_path, [span("a", {"agent_name": "desk", "all_messages_events": json.dumps(events)}), span("b", attributes, parent="a", start=2)])
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Where is Dune?", "On shelf 4.")]
    assert [(call.name, call.output) for call in calls_of(rows)] == [("find_book", "shelf 4")]


def test_a_whole_transcript_of_an_agent_is_read_where_its_models_tell_nothing(tmp_path: Path) -> None:
    transcript = [{"role": "user", "parts": [{"type": "text", "content": "Hi."}]}, {"role": "assistant", "parts": [{"type": "text", "content": "Hello."}]}]
    spans = [
        span("a", {"gen_ai.operation.name": "invoke_agent", "pydantic_ai.all_messages": json.dumps(transcript)}),
        span("b", {"gen_ai.operation.name": "chat"}, parent="a", start=2),
    ]
    rows = read_json(tmp_path, spans)
    assert ([(turn.prompt, turn.answer) for turn in rows.turns], len(calls_of(rows, "model"))) == ([STORY], 1)


def test_adk_tells_requests_and_responses_of_gemini_in_the_span_around_the_model_s(tmp_path: Path) -> None:
    request = {"model": "lark", "config": {"system_instruction": "Be kind."}, "contents": [{"role": "user", "parts": [{"text": "Hi."}]}]}
    response = {"content": {"role": "model", "parts": [{"text": "Hello."}]}}
    adk = {"gcp.vertex.agent.llm_request": json.dumps(request), "gcp.vertex.agent.llm_response": json.dumps(response), "gen_ai.request.model": "lark"}
    spans = [
        span("a", {"gcp.vertex.agent.session_id": "s-1", **adk}),
        span("b", {"gen_ai.operation.name": "generate_content", "gen_ai.usage.input_tokens": 4}, parent="a"),
    ]
    rows = read_json(tmp_path, spans)
    assert ([(turn.prompt, turn.answer) for turn in rows.turns], account_of(rows)) == ([STORY], (2, 1, 1, 0))
    assert (rows.conversations[0].conversation_id, [step.input_tokens for step in calls_of(rows, "model")]) == ("s-1", [4])


def test_monocle_tells_in_events_what_went_in_and_out_as_python_wrote_it(tmp_path: Path) -> None:
    def events(given: Any, returned: Any, **measures: Any) -> list[dict[str, Any]]:
        told = [{"name": "data.input", "attributes": {"input": given}}, {"name": "data.output", "attributes": {"response": returned}}]
        return [*told, {"name": "metadata", "attributes": measures}] if measures else told

    base = {"monocle_apptrace.version": "0.8", "scope.agentic.session": "s-2"}
    call_told = '{"ai": {"name": "find_book", "args": {"title": "Dune"}, "id": "c1"}}'
    asked = events(['{"user": "Where is Dune?"}'], call_told, prompt_tokens=7, finish_reason="tool_calls")
    spans = [
        span("a", {**base, "span.type": "agentic.invocation", "entity.1.name": "desk"}, events=events('["Where is Dune?"]', "On shelf 4.")),
        span("b", {**base, "span.type": "inference.framework", "entity.2.name": "lark-2"}, parent="a", start=2, events=asked),
        span("c", {**base, "span.type": "agentic.tool.invocation", "entity.1.name": "find_book"}, parent="a", start=4,
             events=events("{'title': 'Dune', 'most': None}", "shelf 4")),
    ]  # fmt: skip
    rows = read_json(tmp_path, spans)
    (call,), (step,) = calls_of(rows), calls_of(rows, "model")
    assert (call.tool_call_id, call.output, call.seconds, step.input_tokens, step.finish_reason) == ("c1", "shelf 4", 1.0, 7, "tool_calls")
    assert (rows.conversations[0].agent_name, rows.turns[0].prompt) == ("desk", "Where is Dune?")


def test_traceloop_tells_kinds_and_what_went_in_and_out_of_a_tool(tmp_path: Path) -> None:
    given = '{"inputs": {"title": "Dune"}, "tags": [], "kwargs": {}}'
    spans = [
        span("a", {"traceloop.span.kind": "workflow", "traceloop.entity.name": "desk", "traceloop.association.properties.session_id": "s-3"}),
        span("b", {"traceloop.span.kind": "task", "traceloop.entity.name": "step"}, parent="a"),
        span("c", {"traceloop.span.kind": "tool", "traceloop.entity.name": "find_book", "traceloop.entity.input": given,
                   "traceloop.entity.output": '{"output": "shelf 4"}'}, parent="b"),
    ]  # fmt: skip
    rows = read_json(tmp_path, spans)
    assert [(call.name, call.input, call.output) for call in calls_of(rows)] == [("find_book", '{"title":"Dune"}', "shelf 4")]
    assert (rows.conversations[0].conversation_id, rows.conversations[0].agent_name) == ("s-3", "desk")


def test_a_failed_span_says_why_and_keeps_the_stack(tmp_path: Path) -> None:
    raised = {"exception.type": "ValueError", "exception.message": "no such shelf", "exception.stacktrace": "desk.py, line 3"}
    attributes = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "find_book"}
    failed = span("a", attributes, status={"code": "STATUS_CODE_ERROR"}, events=[{"name": "exception", "attributes": raised}])
    (call,) = calls_of(read_json(tmp_path, [failed]))
    assert (call.state, call.error, extra_of(call)["events"]) == ("failed", "ValueError: no such shelf", [{"name": "exception", **raised}])


def test_values_cut_off_by_the_exporter_stay_text(tmp_path: Path) -> None:
    whole = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "x" * 9_000}]}])
    attributes = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": whole[:8192], "gen_ai.output.messages": '[{"role":"assist'}
    rows = read_json(tmp_path, [span("a", attributes)])
    assert texts_of(rows) == [whole[:8192], '[{"role":"assist']


def test_json_inside_json_is_read_through(tmp_path: Path) -> None:
    messages = json.dumps(json.dumps(json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi."}]}])))
    rows = read_json(tmp_path, [span("a", {"gen_ai.operation.name": "chat", "gen_ai.input.messages": messages})])
    assert texts_of(rows, "user") == ["Hi."]


def test_what_no_convention_reads_is_kept_with_the_call(tmp_path: Path) -> None:
    rows = read_json(tmp_path, [span("a", {"gen_ai.operation.name": "chat", "shop.shelf": 4}, links=[{"to": "b"}])])
    (step,) = calls_of(rows, "model")
    assert extra_of(step) == {"span": "a", "links": [{"to": "b"}], "attributes": {"shop.shelf": 4}}


def test_spans_that_serve_no_agent_and_values_that_are_no_spans_are_left_out_and_counted(tmp_path: Path) -> None:
    spans = [span("a", {"http.method": "GET"}), 7, {"name": "x"}, span("b", {"db.system": "sqlite"}, parent="a")]
    rows = read_json(tmp_path, spans)
    assert (rows.conversations, account_of(rows)) == ([], (4, 0, 0, 4))
    assert codes(rows) == {"no_agent_span": 1, "no_span": 2}


def told_by_agent(**more: Any) -> list[dict[str, Any]]:
    """Make spans of an agent and its tools without model calls, as some SDKs send them; the agent's span tells its replies."""
    said: dict[str, dict[str, Any]] = {
        "0.message": {"role": "assistant", "content.0": "I ask both."},
        "1.message": {"role": "assistant", "tool_calls.0.tool_call": {"id": "t1", "function.name": "ask_baker", "function.arguments": '{"bread": "rye"}'}},
        "2.message": {"role": "assistant", "content.0": "Rye is sold out."},
    }
    replies = {
        f"llm.output_messages.{place}.{name}{inner}": value
        for place, fields in said.items()
        for name, held in fields.items()
        for inner, value in ([(f".{key}", item) for key, item in held.items()] if isinstance(held, dict) else [("", held)])
    }
    agent = {
        "openinference.span.kind": "AGENT",
        "input.value": "Is there bread?",
        "output.value": "Rye is sold out.",
        "llm.model_name": "m-1",
        **replies,
        **more,
    }
    tool = {"openinference.span.kind": "TOOL", "tool.name": "ask_baker", "tool.id": "t1", "output.value": "none left"}
    return [span("a", agent) | {"end_time": (1_772_442_009) * 10**9}, span("b", tool, parent="a", start=2)]


def test_replies_that_only_the_agent_s_span_tells_are_model_calls_around_its_tools(tmp_path: Path) -> None:
    rows = read_json(tmp_path, told_by_agent(**{"llm.token_count.prompt": 40, "llm.token_count.completion": 9}))
    models = calls_of(rows, "model")
    assert [(call.name, call.input_tokens, call.output_tokens) for call in models] == [("m-1", None, None), ("m-1", 40, 9)]
    assert [(call.name, call.step_id, call.output) for call in calls_of(rows)] == [("ask_baker", models[0].call_id, "none left")]
    assert (rows.turns[0].prompt, rows.turns[0].answer) == ("Is there bread?", "Rye is sold out.")
    assert texts_of(rows) == ["Is there bread?", "I ask both.", "Rye is sold out."]


def test_what_was_read_from_a_cache_is_part_of_the_input_also_where_it_was_counted_beside_it(tmp_path: Path) -> None:
    counts = {"llm.token_count.prompt": 4, "llm.token_count.prompt_details.cache_read": 90, "llm.token_count.prompt_details.cache_write": 6}
    assert calls_of(read_json(tmp_path, told_by_agent(**counts)), "model")[-1].input_tokens == 100


def test_what_an_agent_cost_stands_with_it_where_its_model_calls_are_recorded(tmp_path: Path) -> None:
    model = {"openinference.span.kind": "LLM", "llm.output_messages.0.message.role": "assistant", "llm.output_messages.0.message.content": "No.",
             "llm.token_count.prompt": 5}  # fmt: skip
    rows = read_json(tmp_path, [span("a", {"openinference.span.kind": "AGENT", "llm.token_count.prompt": 5}), span("b", model, parent="a")])
    assert [call.input_tokens for call in calls_of(rows, "model")] == [5]
    assert extra_of(calls_of(rows, "agent")[0])["usage"] == {"input_tokens": 5}


@pytest.mark.parametrize("form", ["row", "rest", "jaeger", "text", "tree", "tempo"])
def test_stores_and_viewers_write_the_same_spans_in_shapes_of_their_own(tmp_path: Path, form: str) -> None:
    attributes = {"openinference.span.kind": "LLM", "llm.model_name": "m-1", "llm.output_messages.0.message.role": "assistant",
                  "llm.output_messages.0.message.content": "Yes."}  # fmt: skip
    made = span("b", attributes)
    times = {"start_time": "2026-03-02T09:00:01Z", "end_time": "2026-03-02T09:00:02Z"}
    message = {"message.role": "assistant", "message.content": "Yes."}
    tags = [{"key": name, "type": "string", "value": value} for name, value in attributes.items()]
    typed = [{"key": name, "value": {"stringValue": value}} for name, value in attributes.items()]
    shapes: dict[str, Any] = {
        "row": [times | {"name": "b", "span_kind": "LLM", "context.trace_id": TRACE, "context.span_id": "b", "parent_id": None, "status_code": "OK",
                         "attributes.llm.model_name": "m-1", "attributes.llm.output_messages": [message]}],
        "rest": {"data": [times | {"id": "x", "name": "b", "context": {"trace_id": TRACE, "span_id": "b"}, "attributes": attributes}], "next_cursor": None},
        "jaeger": {"data": [{"traceID": TRACE, "spans": [{"traceID": TRACE, "spanID": "b", "operationName": "b", "references": [], "tags": tags,
                                                         "startTime": 1_772_442_001_000_000, "duration": 1_000_000, "processID": "p"}],
                             "processes": {"p": {"serviceName": "bakery"}}}]},
        "text": [made | {"attributes": json.dumps(attributes)}],
        "tree": [made | {"attributes": {"openinference": {"span": {"kind": "LLM"}}, "llm": {"model_name": "m-1", "output_messages": [{"message": {
            "role": "assistant", "content": "Yes."}}]}}}],
        "tempo": {"trace": {"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": TRACE, "spanId": "b", "name": "b", "attributes": typed,
                  "startTimeUnixNano": str(made["start_time"]), "endTimeUnixNano": str(made["end_time"])}]}]}]}},
    }  # fmt: skip
    rows = read_json(tmp_path, shapes[form])
    assert [(call.name, call.seconds, call.started_at) for call in calls_of(rows, "model")] == [("m-1", 1.0, 1_772_442_001_000_000)]
    assert texts_of(rows) == ["Yes."]


def test_a_reason_with_a_traceback_is_told_by_the_exception(tmp_path: Path) -> None:
    event = {"name": "exception", "attributes": {"exception.type": "OvenError", "exception.message": "too hot"}}
    status = {"code": "ERROR", "message": "OvenError('too hot')Traceback (most recent call last):\n  File x"}
    tool = span("b", {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "bake"}, status=status, events=[event])
    assert calls_of(read_json(tmp_path, [tool]))[0].error == "OvenError: too hot"


def test_a_model_that_failed_and_generated_nothing_said_nothing(tmp_path: Path) -> None:
    attributes = {"openinference.span.kind": "LLM", "output.value": '{"generations": [[]], "llm_output": null, "type": "LLMResult"}'}
    rows = read_json(tmp_path, [span("a", attributes, status={"code": "ERROR", "message": "429"})])
    assert (calls_of(rows, "model")[0].error, list(filter(None, texts_of(rows)))) == ("429", [])


def test_a_round_of_an_agent_that_repeats_its_model_call_is_no_agent(tmp_path: Path) -> None:
    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": "Hi"}]}])
    reply = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "Hello."}]}])
    words = {"gen_ai.input.messages": said, "gen_ai.output.messages": reply}
    spans = [
        span("a", {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "greeter"}),
        span("b", {"event_loop.cycle_id": "1", **words}, parent="a"),
        span("c", {"gen_ai.operation.name": "chat", **words}, parent="b"),
    ]
    rows = read_json(tmp_path, spans)
    assert [call.name for call in calls_of(rows, "agent")] == ["greeter"]
    assert texts_of(rows) == ["Hi", "Hello."]


def test_spans_without_any_parents_hang_below_the_agent_that_ran_all_the_while(tmp_path: Path) -> None:
    def event(given: Any, came: Any) -> list[dict[str, Any]]:
        sides = {side: {"messages": [{"role": role, "content": text}]} for side, role, text in (("input", "user", given), ("output", "assistant", came))}
        return [{"event_name": "x", "attributes": {"event.name": "x"}, "body": sides}]

    asked = {"generations": [[{"text": "I look.", "message": {"tool_calls": [{"name": "oven", "args": {"heat": 200}, "id": "c1"}]}}]]}
    result = {"name": "oven", "type": "tool", "content": "warm", "tool_call_id": "c1"}
    state = json.dumps({"messages": [{"type": "human", "content": "Warm?"}]}), json.dumps({"messages": [{"type": "ai", "content": "Yes."}]})
    spans = [
        span("m1", {"event.name": "x"}, span_events=event("Warm?", json.dumps(asked)), start=1),
        span("t1", {"event.name": "x"}, span_events=event("{'heat': 200}", json.dumps(result)), start=2),
        span("m2", {"event.name": "x"}, span_events=event("Warm?", json.dumps({"generations": [[{"text": "Yes."}]]})), start=3),
        span("a1", {"event.name": "x"}, span_events=event(*state), start=1) | {"end_time": 1_772_442_009 * 10**9},
    ]
    rows = read_json(tmp_path, spans)
    assert [(call.kind, call.name, call.output) for call in rows.calls if call.kind != "model"] == [("agent", "a1", None), ("tool", "oven", "warm")]
    assert (rows.turns[0].prompt, rows.turns[0].answer, len(calls_of(rows, "model"))) == ("Warm?", "Yes.", 2)


def test_the_thread_of_a_machine_is_no_session_and_a_turn_of_codex_is_a_model_call(tmp_path: Path) -> None:
    turn = {"model": "m-1", "codex.turn.token_usage.input_tokens": 14, "codex.turn.token_usage.cached_input_tokens": 8}
    rows = read_json(tmp_path, [span("a", {"thread.id": 13, **turn})])
    (call,) = calls_of(rows, "model")
    assert (call.name, call.input_tokens, call.cached_tokens, rows.conversations[0].conversation_id) == ("m-1", 14, 8, TRACE)


def test_a_handoff_that_names_nobody_is_no_agent(tmp_path: Path) -> None:
    model = {"gen_ai.operation.name": "chat", "gen_ai.completion": '{"text": "Over to you.", "finish_reason": "stop"}'}
    handed = {"gen_ai.operation.name": "handoff", "gen_ai.agent.name": "baker"}
    rows = read_json(tmp_path, [span("a", {"gen_ai.operation.name": "invoke_agent"}), span("b", model, parent="a"), span("c", handed, parent="a", start=2)])
    assert (len(calls_of(rows, "agent")), texts_of(rows)) == (1, ["Over to you."])


def test_a_tool_and_a_task_of_smolagents_are_told_by_their_names(tmp_path: Path) -> None:
    task = {"openinference.span.kind": "AGENT", "input.value": json.dumps({"task": "Bake.", "stream": False, "reset": True})}
    given = {"args": [], "sanitize_inputs_outputs": True, "kwargs": {"heat": 200}}
    tool = {"openinference.span.kind": "TOOL", "tool.name": "oven", "input.value": json.dumps(given)}
    rows = read_json(tmp_path, [span("a", task), span("b", tool, parent="a")])
    assert (rows.turns[0].prompt, json.loads(calls_of(rows)[0].input or "")) == ("Bake.", {"heat": 200})


def test_a_trace_with_several_tops_lasts_until_the_last_of_them_ends(tmp_path: Path) -> None:
    spans = [span(f"m{number}", {"gen_ai.operation.name": "chat", "gen_ai.prompt": "Hi", "gen_ai.completion": str(number)}, start=number) for number in (1, 5)]
    rows = read_json(tmp_path, spans)
    assert (rows.turns[0].started_at, rows.turns[0].ended_at) == (1_772_442_001_000_000, 1_772_442_006_000_000)
