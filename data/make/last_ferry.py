"""One question to five agents: which ferry is the last one on Sunday? Each was recorded by another tool, and one of them made its answer up."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from data.make.chat import Record, write_json, write_lines
from data.make.clock import Clock
from data.make.ids import Ids

QUESTION = "Which is the last ferry from Gull Island on Sunday? Please book two seats on it."
POLICY = "You are the desk of an invented ferry line. Look times up, never guess them."
MODEL = "invented-model-1"
START = datetime(2026, 9, 4, 16, 30, tzinfo=UTC)

SUNDAY = {"day": "sunday", "ferries": [{"ferry": "F3", "leaves": "09:10"}, {"ferry": "F12", "leaves": "17:40"}]}
SATURDAY = {"day": "saturday", "ferries": [{"ferry": "F3", "leaves": "09:10"}, {"ferry": "F14", "leaves": "19:20"}]}
BOOKED = {"booking": "B-204", "ferry": "F12", "seats": 2}


class Call(NamedTuple):
    """A tool call and what came back; None when nothing did."""

    name: str
    arguments: Record
    result: Record | str | None


class Step(NamedTuple):
    """What a model said and asked for at once, and what it cost."""

    text: str
    calls: tuple[Call, ...] = ()
    tokens: tuple[int, int] = (0, 0)


_LOOK = Call("timetable", {"route": "Gull Island", "day": "sunday"}, SUNDAY)
_LOOK_WRONG = Call("timetable", {"route": "Gull Island", "day": "saturday"}, SATURDAY)
_LOOK_DOWN = Call("timetable", {"route": "Gull Island", "day": "sunday"}, "Error: the timetable service does not answer")
_BOOK = Call("book_seats", {"ferry": "F12", "seats": 2}, BOOKED)
_BOOK_WAITS = Call("book_seats", {"ferry": "F12", "seats": 2}, None)
_DONE = "The last ferry on Sunday is F12 at 17:40. I booked two seats, booking B-204."
_INVENTED = "The last ferry on Sunday leaves at 18:30, and I booked two seats for you."

RIGHT = (Step("", (_LOOK,), (310, 24)), Step("F12 at 17:40 is the last one.", (_BOOK,), (402, 31)), Step(_DONE, (), (455, 29)))
DETOUR = (Step("", (_LOOK_WRONG,), (310, 24)), Step("That was Saturday.", (_LOOK,), (398, 27)), Step("", (_BOOK,), (486, 22)), Step(_DONE, (), (540, 29)))
MADE_UP = (Step("", (_LOOK_DOWN,), (310, 24)), Step(_INVENTED, (), (371, 26)))
WAITS = (Step("", (_LOOK,), (310, 24)), Step("The last one is F12 at 17:40. May I book two seats?", (_BOOK_WAITS,), (402, 33)))


def write(folder: Path, *, rehearse: bool = False) -> None:
    """Write the five files into a folder; there is nothing to rehearse."""
    write_json(folder / "gemini.contents.json", gemini(RIGHT))
    write_lines(folder / "codex.rollout.jsonl", codex(RIGHT))
    write_json(folder / "langgraph.thread.json", langgraph(MADE_UP))
    write_json(folder / "spans.otlp.json", otlp(DETOUR))
    write_json(folder / "ui.messages.json", ui_messages(WAITS))


def gemini(steps: tuple[Step, ...]) -> Record:
    """Write a run as contents of the Gemini API; calls have no ids there."""
    contents: list[Record] = [{"role": "user", "parts": [{"text": QUESTION}]}]
    for step in steps:
        words = [{"text": step.text}] if step.text else []
        contents.append({"role": "model", "parts": [*words, *({"functionCall": {"name": call.name, "args": call.arguments}} for call in step.calls)]})
        results = [{"functionResponse": {"name": call.name, "response": call.result}} for call in step.calls if call.result is not None]
        contents += [{"role": "user", "parts": results}] if results else []
    return {"model": MODEL, "systemInstruction": {"parts": [{"text": POLICY}]}, "contents": contents}


def codex(steps: tuple[Step, ...]) -> list[Record]:
    """Write a run as a Codex rollout: the tools are commands in a shell, and the total of tokens grows."""
    clock, ids = Clock(START), Ids("last-ferry-codex")
    turn_id, total = ids.uuid(), {"input_tokens": 0, "cached_input_tokens": 0, "output_tokens": 0, "reasoning_output_tokens": 0, "total_tokens": 0}
    meta = {"id": ids.uuid(), "timestamp": clock.text, "cwd": "/home/mira/ferries", "originator": "codex_cli", "cli_version": "0.128.0", "source": "cli"}
    lines = [_line(clock, "session_meta", meta), _event(clock, "task_started", turn_id=turn_id)]
    lines.append(_line(clock, "turn_context", {"turn_id": turn_id, "cwd": meta["cwd"], "approval_policy": "on-request", "model": MODEL, "effort": "low"}))
    lines.append(_item(clock, type="message", role="user", content=[{"type": "input_text", "text": QUESTION}]))
    lines.append(_event(clock, "user_message", message=QUESTION))
    for step in steps:
        clock.tick(2.5)
        if step.text:
            lines.append(_event(clock, "agent_message", message=step.text))
            lines.append(_item(clock, type="message", role="assistant", content=[{"type": "output_text", "text": step.text}]))
        for call in step.calls:
            lines += _command(clock, ids.call(), call)
        total = total | {"input_tokens": total["input_tokens"] + step.tokens[0], "output_tokens": total["output_tokens"] + step.tokens[1]}
        total["total_tokens"] = total["input_tokens"] + total["output_tokens"]
        last = {"input_tokens": step.tokens[0], "cached_input_tokens": 0, "output_tokens": step.tokens[1], "total_tokens": sum(step.tokens)}
        lines.append(_event(clock, "token_count", info={"total_token_usage": total, "last_token_usage": last, "model_context_window": 200000}))
    return [*lines, _event(clock, "task_complete", turn_id=turn_id, last_agent_message=steps[-1].text)]


def _command(clock: Clock, call_id: str, call: Call) -> list[Record]:
    """Write a tool as the command that does the same, with its output as the agent was shown it."""
    words = " ".join(f"--{name} '{value}'" for name, value in call.arguments.items())
    asked = _item(clock, type="function_call", name="exec_command", arguments=json.dumps({"cmd": f"ferries {call.name} {words}"}), call_id=call_id)
    clock.tick(0.8)
    shown = f"Wall time: 0.8 seconds\nProcess exited with code 0\nOutput:\n{json.dumps(call.result)}\n"
    return [asked, _item(clock, type="function_call_output", call_id=call_id, output=shown)]


def _line(clock: Clock, type: str, payload: Record) -> Record:
    return {"timestamp": clock.tick(0.01), "type": type, "payload": payload}


def _item(clock: Clock, **payload: Any) -> Record:
    return _line(clock, "response_item", payload)


def _event(clock: Clock, type: str, **payload: Any) -> Record:
    return _line(clock, "event_msg", {"type": type, **payload})


def langgraph(steps: tuple[Step, ...]) -> Record:
    """Write a run as the state of a LangGraph thread: messages without times."""
    ids = Ids("last-ferry-langgraph")
    messages: list[Record] = [
        {"type": "system", "content": POLICY, "id": ids.uuid()},
        {"type": "human", "content": QUESTION, "id": ids.uuid()},
    ]
    for step in steps:
        calls = [{"name": call.name, "args": call.arguments, "id": ids.call(), "type": "tool_call"} for call in step.calls]
        usage = {"input_tokens": step.tokens[0], "output_tokens": step.tokens[1], "total_tokens": sum(step.tokens)}
        reply = {"type": "ai", "content": step.text, "id": f"run-{ids.uuid()}", "tool_calls": calls, "usage_metadata": usage}
        messages.append(reply | {"response_metadata": {"model_name": MODEL, "finish_reason": "tool_calls" if calls else "stop"}})
        for call, asked in zip(step.calls, calls, strict=True):
            failed = isinstance(call.result, str)
            result = {"type": "tool", "content": call.result if failed else json.dumps(call.result), "name": call.name, "tool_call_id": asked["id"]}
            messages.append(result | {"id": ids.uuid(), "status": "error" if failed else "success"})
    thread, checkpoint = ids.uuid(), ids.uuid()
    state = {"values": {"messages": messages, "title": "Last ferry on Sunday"}, "next": [], "tasks": [], "metadata": {"thread_id": thread, "step": 3}}
    return state | {"checkpoint": {"thread_id": thread, "checkpoint_id": checkpoint}, "created_at": "2026-09-04T16:30:09+00:00"}


def otlp(steps: tuple[Step, ...]) -> Record:
    """Write a run as OpenTelemetry spans: every model call repeats all that was said before it, and children come before their parents."""
    clock, ids = Clock(START), Ids("last-ferry-spans")
    trace_id, root, spans = ids.hex(32), ids.hex(16), list[Record]()
    said: list[Record] = [{"role": "user", "parts": [{"type": "text", "content": QUESTION}]}]
    for step in steps:
        calls = [(call, ids.call()) for call in step.calls]
        parts: list[Record] = [{"type": "text", "content": step.text}] if step.text else []
        parts += [{"type": "tool_call", "id": call_id, "name": call.name, "arguments": call.arguments} for call, call_id in calls]
        reply = {"role": "assistant", "parts": parts, "finish_reason": "tool_calls" if calls else "stop"}
        attributes = {
            "gen_ai.operation.name": "chat", "gen_ai.request.model": MODEL, "gen_ai.input.messages": json.dumps(said),
            "gen_ai.output.messages": json.dumps([reply]), "gen_ai.usage.input_tokens": step.tokens[0], "gen_ai.usage.output_tokens": step.tokens[1],
        }  # fmt: skip
        spans.append(_span(clock, trace_id, ids.hex(16), root, f"chat {MODEL}", attributes, seconds=2.0))
        said.append(reply)
        for call, call_id in calls:
            result = json.dumps(call.result)
            told = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": call.name, "gen_ai.tool.call.id": call_id}
            told |= {"gen_ai.tool.call.arguments": json.dumps(call.arguments), "gen_ai.tool.call.result": result}
            spans.append(_span(clock, trace_id, ids.hex(16), root, f"execute_tool {call.name}", told, seconds=0.5))
            said.append({"role": "tool", "parts": [{"type": "tool_call_response", "id": call_id, "response": result}]})
    agent = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": "Ferry desk", "gen_ai.conversation.id": ids.uuid()}
    whole = _span(Clock(START), trace_id, root, "", "invoke_agent Ferry desk", agent, seconds=(clock.now - START).total_seconds())
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": "ferry-desk"}}]}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"scope": {"name": "invented.instrumentation"}, "spans": [*spans, whole]}]}]}


def _span(clock: Clock, trace_id: str, span_id: str, parent: str, name: str, attributes: Record, *, seconds: float) -> Record:
    started = round(clock.now.timestamp() * 1e9)
    clock.tick(seconds)
    values = [{"key": key, "value": {"intValue": str(value)} if isinstance(value, int) else {"stringValue": value}} for key, value in attributes.items()]
    span = {"traceId": trace_id, "spanId": span_id, "parentSpanId": parent, "name": name, "kind": 1, "startTimeUnixNano": str(started)}
    return span | {"endTimeUnixNano": str(round(clock.now.timestamp() * 1e9)), "attributes": values, "status": {"code": 1}}


def ui_messages(steps: tuple[Step, ...]) -> Record:
    """Write a run as the chat that a user interface keeps: one message holds it all, and the last call waits for a person."""
    ids = Ids("last-ferry-ui")
    parts: list[Record] = []
    for step in steps:
        parts.append({"type": "step-start"})
        parts += [{"type": "text", "text": step.text, "state": "done"}] if step.text else []
        for call in step.calls:
            part: Record = {"type": f"tool-{call.name}", "toolCallId": ids.call(), "input": call.arguments}
            waits = {"state": "approval-requested", "approval": {"id": ids.uuid()}}
            parts.append(part | (waits if call.result is None else {"state": "output-available", "output": call.result}))
    usage = {"inputTokens": sum(step.tokens[0] for step in steps), "outputTokens": sum(step.tokens[1] for step in steps)}
    asked = {"id": ids.message(), "role": "user", "parts": [{"type": "text", "text": QUESTION}]}
    answered = {"id": ids.message(), "role": "assistant", "metadata": {"totalUsage": usage}, "parts": parts}
    return {"id": ids.uuid(), "messages": [asked, answered]}
