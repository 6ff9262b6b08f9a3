"""Raw turns made for the tests, and the maps that most of them use."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.decisions import normalize_decision
from agentnb.values import ObservedDecision

NAMES = {"execute_code": "Execute Code", "search_docs": "Search Docs"}
ROLES: dict[str, Any] = {
    "ask_user": {"kind": "chat"},
    "complete_task": {"kind": "taskComplete"},
    "payload_change_request": {"kind": "payloadChange"},
    "delegate_to_planner": {"kind": "subAgent", "name": "Planner"},
}


def envelope(**fields: Any) -> ObservedDecision:
    """Decide an envelope with these fields at its top."""
    return normalize_decision({"text": json.dumps(fields)})


def step(type_: Any = None, **fields: Any) -> dict[str, Any]:
    """Make a next step."""
    return ({} if type_ is None else {"type": type_}) | fields


def native(*calls: tuple[str, Any], text: str | None = None) -> ObservedDecision:
    """Decide a turn of native calls with the maps of the tests."""
    listed = [{"name": name, "arguments": arguments} for name, arguments in calls]
    return normalize_decision({"text": text, "toolCalls": listed, "toolNameMap": NAMES, "controlToolMap": ROLES})


def near(value: Any, **tolerances: Any) -> Any:
    """A number, or several, that may differ in their last digits."""
    return pytest.approx(value, **tolerances)
