"""An event about a tool call -> what it tells: how the call is named, what it printed, whether it failed."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers.formats.codex._calls import Told
from agentnb.readers.formats.codex._results import seconds_in

_REPEATED = ("call_id", "type", "turn_id", "started_at_ms", "completed_at_ms", "id")


def command_told(event: dict[str, Any]) -> Told:
    """Return what an event tells of a command that ran."""
    command = {name: event[name] for name in ("command", "cwd") if event.get(name) is not None}
    code = event.get("exit_code")
    code = code if type(code) is int and abs(code) < 2**31 else None
    output = first_text(event, "aggregated_output", "formatted_output", "stdout", "stderr")
    failed = code != 0 if code is not None else event.get("status") in ("failed", "declined") or None
    rest = unread_of(event, "exit_code", "duration")
    error = f"Exit code {code}" if code else None
    return Told(
        "exec_command", to_json(command), output, code, failed, error, seconds_in(event.get("duration")), {"exec_command_end": rest}, ("command", "cwd")
    )


def patch_told(event: dict[str, Any]) -> Told:
    """Return what an event tells of a patch."""
    success = event.get("success")
    failed = not success if isinstance(success, bool) else event.get("status") in ("failed", "declined") or None
    output = first_text(event, "stdout", "stderr")
    error = first_text(event, "stderr") if failed else None
    changes = to_json({"changes": event.get("changes")})
    return Told("apply_patch", changes, output, None, failed, error, None, {"patch_apply_end": unread_of(event)}, ("changes",))


def mcp_told(event: dict[str, Any]) -> Told:
    """Return what an event tells of a tool of an MCP server."""
    invoked = event.get("invocation")
    invocation = invoked if isinstance(invoked, dict) else event
    name = ".".join(text for part in ("server", "tool") if (text := text_of(invocation.get(part))))
    result = event.get("result")
    error = result.get("Err") if isinstance(result, dict) and "Err" in result else event.get("error")
    good = result.get("Ok", result) if isinstance(result, dict) else result
    failed = error is not None or (isinstance(good, dict) and good.get("isError", good.get("is_error")) is True)
    output = text_of(error) if error is not None else content_text(good)
    kept = {"invocation": invoked, "result": good if not isinstance(good, dict) else {key: value for key, value in good.items() if key != "content"}}
    rest = unread_of(event, "invocation", "result", "duration", "error") | {key: value for key, value in kept.items() if value}
    words = (text_of(error) or output) if failed else None
    arguments = read_arguments(invocation.get("arguments")).text
    return Told(name or "mcp", arguments, output, None, failed, words, seconds_in(event.get("duration")), {"mcp_tool_call_end": rest}, ("invocation",))


def dynamic_told(event: dict[str, Any]) -> Told:
    """Return what an event tells of a tool that the program around Codex brought."""
    name = ".".join(text for part in ("namespace", "tool") if (text := text_of(event.get(part))))
    output = content_text({"content": event.get("content_items")})
    failed = event.get("success") is False or None
    rest = unread_of(event, "namespace", "tool", "arguments", "content_items", "duration", "callId", "turnId")
    error = text_of(event.get("error")) or (output if failed else None)
    return Told(name, read_arguments(event.get("arguments")).text, output, None, failed, error, seconds_in(event.get("duration")), {"dynamic_tool": rest})


def unread_of(event: dict[str, Any], *read: str) -> dict[str, Any]:
    """Return the fields of an event that are not read."""
    return {name: value for name, value in event.items() if name not in read and name not in _REPEATED and value not in (None, "")}


def first_text(event: dict[str, Any], *names: str) -> str | None:
    """Return the first of some fields that holds a text."""
    return next((text for name in names if isinstance(text := event.get(name), str) and text), None)


def content_text(result: Any) -> str | None:
    """Return the text of what a tool gave."""
    content = result.get("content") if isinstance(result, dict) else result
    if isinstance(content, list):
        return "\n".join(text for block in content if (text := block_text(block)) is not None)
    return text_of(content)


def block_text(block: Any) -> str | None:
    """Return the text of a block."""
    return text_of(block.get("text")) if isinstance(block, dict) and "text" in block else text_of(block)
