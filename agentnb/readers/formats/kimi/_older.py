"""Lines of older wire logs, which hold a time and a message with a type and a payload, as the events that newer logs write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

_USAGE = {"input_other": "inputOther", "output": "output", "input_cache_read": "inputCacheRead", "input_cache_creation": "inputCacheCreation"}
_DECISIONS = {"approve": "approved", "approve_for_session": "approved", "reject": "rejected"}


class Event(NamedTuple):
    """An event in the newer form; of one inside a sub-agent, the call that started it and the agent's kind."""

    kind: str
    value: dict[str, Any]
    agent_of: str | None = None
    agent_name: str | None = None


def is_older(value: Any) -> bool:
    """Tell whether a line is of an older log."""
    message = value.get("message") if isinstance(value, dict) else None
    return isinstance(message, dict) and isinstance(message.get("type"), str) and isinstance(message.get("payload"), dict) and "timestamp" in value


class OlderLines:
    """Turns lines of an older log into events."""

    def __init__(self) -> None:
        """Start before the first line."""
        self._requests: dict[str, dict[str, Any]] = {}

    def event_in(self, message: dict[str, Any]) -> Event:
        """Return the event that a message is; one of no known type is kept under its own name."""
        kind, payload = message["type"], message["payload"]
        if kind == "SubagentEvent" and is_older({"timestamp": 0, "message": payload.get("event")}):
            inner = self.event_in(payload["event"])
            named = payload.get("parent_tool_call_id") or payload.get("task_tool_call_id")
            name = payload.get("subagent_type")
            return inner._replace(agent_of=named if isinstance(named, str) else "", agent_name=name if isinstance(name, str) else None)
        make = _MAKES.get(kind)
        made = make(self, payload) if make is not None else None
        return made or Event(kind, {"type": kind, "payload": payload})

    def _begin_turn(self, payload: dict[str, Any]) -> Event:
        return Event("turn.prompt", {"type": "turn.prompt", "input": payload.get("user_input")})

    def _steer(self, payload: dict[str, Any]) -> Event:
        return Event("turn.steer", {"type": "turn.steer", "input": payload.get("user_input")})

    def _begin_step(self, payload: dict[str, Any]) -> Event:
        return Event("loop:step.begin", {"type": "step.begin", "step": payload.get("n")})

    def _interrupt(self, payload: dict[str, Any]) -> Event:
        return Event("turn.cancel", {"type": "StepInterrupted", **payload})

    def _part(self, payload: dict[str, Any]) -> Event:
        return Event("loop:content.part", {"part": payload})

    def _call(self, payload: dict[str, Any]) -> Event | None:
        function = payload.get("function")
        if not isinstance(function, dict):
            return None
        return Event("loop:tool.call", {"toolCallId": payload.get("id"), "name": function.get("name"), "args": function.get("arguments")})

    def _result(self, payload: dict[str, Any]) -> Event | None:
        value = payload.get("return_value")
        if not isinstance(value, dict):
            return None
        rest = {name: item for name, item in value.items() if name not in ("is_error", "output")}
        result = {"output": value.get("output"), "isError": value.get("is_error"), **rest}
        return Event("loop:tool.result", {"toolCallId": payload.get("tool_call_id"), "result": result})

    def _status(self, payload: dict[str, Any]) -> Event | None:
        usage = payload.get("token_usage")
        if not isinstance(usage, dict):
            return None
        return Event("loop:step.end", {"usage": {_USAGE.get(name, name): count for name, count in usage.items()}, "messageId": payload.get("message_id")})

    def _request(self, payload: dict[str, Any]) -> Event | None:
        if isinstance(payload.get("id"), str):
            self._requests[payload["id"]] = payload
        return None

    def _response(self, payload: dict[str, Any]) -> Event | None:
        request = self._requests.pop(str(payload.get("request_id")), None)
        if request is None:
            return None
        response = payload.get("response")
        decision = _DECISIONS.get(response) if isinstance(response, str) else None
        result = {"decision": decision, "feedback": payload.get("feedback"), "response": response}
        asked = request.get("description") or request.get("action")
        value = {"type": "ApprovalResponse", "toolCallId": request.get("tool_call_id"), "action": asked, "result": result}
        return Event("permission.record_approval_result", value)


_MAKES: dict[str, Callable[[OlderLines, dict[str, Any]], Event | None]] = {
    "TurnBegin": OlderLines._begin_turn,
    "SteerInput": OlderLines._steer,
    "StepBegin": OlderLines._begin_step,
    "StepInterrupted": OlderLines._interrupt,
    "ContentPart": OlderLines._part,
    "ToolCall": OlderLines._call,
    "ToolResult": OlderLines._result,
    "StatusUpdate": OlderLines._status,
    "ApprovalRequest": OlderLines._request,
    "ApprovalResponse": OlderLines._response,
    "ApprovalRequestResolved": OlderLines._response,
}
