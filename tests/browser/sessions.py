"""A coding agent's session as its log file has it, made for the tests."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SESSION = "0b8f6c1e-2f0a-4c55-9f0e-5d0c5b7a1111"


def write_session(path: Path, turns: int = 3) -> Path:
    """Write a session of some turns; in the last one a refund fails."""
    records: list[dict[str, Any]] = []
    for at in range(turns):
        failing = at == turns - 1
        prompt = "It never arrived. Please refund it." if failing else f"Where is order W{at}?"
        _add(records, "user", {"role": "user", "content": prompt})
        _add_call(records, at, "get_order", {"order_id": f"W{at}"}, "shipped")
        if failing:
            _add_call(records, at + 1000, "refund", {"order_id": f"W{at}", "method": "gift_card"}, "Error: payment method does not match", is_error=True)
        _add(
            records,
            "assistant",
            _said(f"msg_end_{at}", [{"type": "text", "text": "It could not be refunded." if failing else "It is on its way."}], "end_turn"),
        )
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def _add_call(records: list[dict[str, Any]], at: int, name: str, arguments: dict[str, Any], output: str, *, is_error: bool = False) -> None:
    call = {"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": arguments}
    _add(records, "assistant", _said(f"msg_{at}", [{"type": "text", "text": f"I call {name}."}, call], "tool_use"))
    _add(records, "user", {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"toolu_{at}", "content": output, "is_error": is_error}]})


def _said(message_id: str, content: list[dict[str, Any]], stop_reason: str) -> dict[str, Any]:
    usage = {"input_tokens": 800, "output_tokens": 40}
    return {
        "id": message_id,
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "content": content,
        "stop_reason": stop_reason,
        "usage": usage,
    }


def _add(records: list[dict[str, Any]], kind: str, message: dict[str, Any]) -> None:
    at = len(records)
    known = {"sessionId": SESSION, "cwd": "/home/ana/shop", "version": "2.0.1", "userType": "external", "isSidechain": False}
    place = {"uuid": f"{at:08x}-0000-4000-8000-000000000000", "parentUuid": f"{at - 1:08x}-0000-4000-8000-000000000000" if at else None}
    said_at = (START + timedelta(seconds=2 * at)).isoformat().replace("+00:00", "Z")
    records.append({**place, **known, "type": kind, "timestamp": said_at, "message": message})
