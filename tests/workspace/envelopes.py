"""Conversations with an agent that answers in envelopes, in words, and by calls, as rows that no file holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.values import Call, Conversation, Part, Turn
from agentnb.workspace import Workspace
from tests.workspace.recordings import workspace_of

ENVELOPE = '{"taskComplete": false, "nextStep": {"type": "Actions", "actions": [{"name": "look", "params": {"day": 1}}]}}'
Said = tuple[str | None, Sequence[tuple[str, str]]]


def decided_workspace(**conversations: Sequence[Said | dict[str, Any]]) -> Workspace:
    """Make a workspace of conversations of one turn: each step is its text and its calls, or a dict with further fields of its model call."""
    rows: dict[str, list[Any]] = {"conversations": [], "turns": [], "calls": [], "parts": []}
    for name, steps in conversations.items():
        rows["conversations"].append(Conversation(conversation_id=name, format="made", agent_name="helper", source_id="s"))
        rows["turns"].append(Turn(turn_id=f"{name}/1", conversation_id=name, turn_index=0, prompt=f"Please help {name}.", source_id="s"))
        rows["calls"].append(_call(name, f"{name}/1", 0, "agent", name="helper", parent_call_id=None))
        rows["parts"].append(_part(name, 0, 0, "user", text=f"Please help {name}."))
        for place, step in enumerate(steps, 1):
            _add(rows, name, place, step)
    return workspace_of(rows)


def _add(rows: dict[str, list[Any]], name: str, place: int, step: Said | dict[str, Any]) -> None:
    fields: dict[str, Any] = dict(step) if isinstance(step, dict) else {"text": step[0], "calls": step[1]}
    text, calls = fields.pop("text", None), fields.pop("calls", ())
    own, model = f"{name}/1/s{place}", fields.pop("model", "small-1")
    rows["calls"].append(_call(name, own, place * 10, "model", name=model, **fields))
    if text is not None:
        rows["parts"].append(_part(name, place * 2, 0, "assistant", text=text, step_id=own))
    for number, (tool, given) in enumerate(calls, 1):
        call_id = f"{own}/{tool}-{number}"
        rows["calls"].append(_call(name, call_id, place * 10 + number, "tool", name=tool, input=given, step_id=own, output=f"{tool} says {place}"))
        rows["parts"].append(_part(name, place * 2, number, "assistant", type="tool_call", call_id=call_id, step_id=own))
        rows["parts"].append(_part(name, place * 2 + 1, number, "tool", type="tool_result", call_id=call_id))


def _call(conversation: str, call_id: str, index: int, kind: str, **fields: Any) -> Call:
    known = {"conversation_id": conversation, "turn_id": f"{conversation}/1", "parent_call_id": f"{conversation}/1", "state": "done", "source_id": "s"}
    return Call.model_validate(known | {"call_id": call_id, "call_index": index, "kind": kind} | fields)


def _part(name: str, message: int, index: int, role: str, **fields: Any) -> Part:
    known = {"conversation_id": name, "turn_id": f"{name}/1", "agent_call_id": f"{name}/1", "type": "text", "source_id": "s"}
    return Part.model_validate(known | {"message_index": message, "part_index": index, "role": role} | fields)
