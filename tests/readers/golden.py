"""What was read of a recording as text that a person can read from top to bottom, and its comparison with the golden file that one did read."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows
from agentnb.readers._rows import CallRow, PartRow, TurnRow
from tests.readers.reading import fields_of

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "readers"

_SHORT = 110
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_USAGE = ("input_tokens", "output_tokens", "cached_tokens", "cache_write_tokens", "reasoning_tokens", "cost")


def compare_with_golden(name: str, outline: dict[str, Any]) -> None:
    """Compare an outline with the golden file of this name; one that is missing is written, and fails, so that a person reads it."""
    path = GOLDEN / f"{name}.json"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(outline, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        pytest.fail(f"{path.name} was not there and was written: read it against the recording, then run the test again")
    assert outline == json.loads(path.read_text(encoding="utf-8"))


def outline_of(rows: Rows) -> dict[str, Any]:
    """Outline rows: accounts, diagnostics and conversations, with what was said and called in each turn as one line each."""
    return {
        "sources": [_known(row, "source_id", "modified_at") | {"path": Path(row.path).name} for row in rows.sources],
        "diagnostics": [_known(row, "source_id", "diagnostic_index", "message") for row in rows.diagnostics],
        "conversations": [_conversation(rows, row.conversation_id) | {"turns": _turns(rows, row.conversation_id)} for row in rows.conversations],
        "approvals": [_known(row, "source_id") for row in rows.approvals],
    }


def _conversation(rows: Rows, conversation_id: str) -> dict[str, Any]:
    row = next(row for row in rows.conversations if row.conversation_id == conversation_id)
    return _known(row, "source_id") | {"file": _file(rows, row.source_id)}


def _turns(rows: Rows, conversation_id: str) -> list[dict[str, Any]]:
    return [
        _known(turn, "source_id", "conversation_id") | {"lines": _Turn(rows, turn).lines()} for turn in rows.turns if turn.conversation_id == conversation_id
    ]


class _Turn:
    """Lines of one turn: parts in order, each model call before what it said, each tool call where it was asked for, sub-agents under their call."""

    def __init__(self, rows: Rows, turn: TurnRow) -> None:
        self.turn = turn
        self.calls = {call.call_id: call for call in rows.calls if call.turn_id == turn.turn_id}
        self.parts: defaultdict[str, list[PartRow]] = defaultdict(list)
        for part in rows.parts:
            if part.turn_id == turn.turn_id:
                self.parts[part.agent_call_id].append(part)

    def lines(self) -> list[str]:
        """Return the lines of the turn's own call and of everything under it."""
        own = self.calls[self.turn.turn_id]
        return self._agent(own, "")

    def _agent(self, agent: CallRow, indent: str) -> list[str]:
        lines = [indent + _called(agent)]
        begun: set[str | None] = {None}
        for part in self.parts[agent.call_id]:
            if part.step_id not in begun and part.step_id is not None:
                begun.add(part.step_id)
                lines.append(f"{indent}  {_called(self.calls[part.step_id])}")
            lines.extend(self._part(part, f"{indent}    " if part.step_id else f"{indent}  "))
        unsaid = [call for call in self.calls.values() if call.kind == "model" and call.parent_call_id == agent.call_id and call.call_id not in begun]
        lines.extend(f"{indent}  {_called(call)} (said nothing)" for call in unsaid)
        nested = [call for call in self.calls.values() if call.kind == "agent" and call.parent_call_id == agent.call_id]
        return lines + [line for call in nested for line in self._agent(call, f"{indent}  ")]

    def _part(self, part: PartRow, indent: str) -> list[str]:
        if part.type != "tool_call" or part.call_id is None:
            return [indent + _said(part)]
        lines = [indent + _called(self.calls[part.call_id])]
        nested = [call for call in self.calls.values() if call.kind == "agent" and call.parent_call_id == part.call_id]
        return lines + [line for call in nested for line in self._agent(call, f"{indent}  ")]


def _called(call: CallRow) -> str:
    """Return a call as a line: kind, name, state; where it stands; arguments, result, error; tokens and times."""
    said = [f"{call.kind} {call.name}", f"{call.state or 'state unknown'}", f"#{call.call_index}", f"line {call.source_line}", f"id {call.call_id}"]
    if call.tool_call_id is not None and not call.call_id.endswith(call.tool_call_id):
        said.append(f"tool_call_id {call.tool_call_id}")
    fields = fields_of(call)
    said += [f"{name} {_short(fields[name])}" for name in ("input", "output", "error", "finish_reason", "exit_code") if fields[name] is not None]
    said += [f"{name} {getattr(call, name)}" for name in _USAGE if getattr(call, name) is not None]
    if call.started_at is not None or call.ended_at is not None:
        said.append(f"{_time(call.started_at)} to {_time(call.ended_at)}")
    if call.seconds is not None:
        said.append(f"{call.seconds:.3f} s")
    return " | ".join(said)


def _said(part: PartRow) -> str:
    """Return a part as a line."""
    mark = "(injected) " if part.injected else ""
    result = f" of {part.call_id}" if part.call_id is not None else ""
    text = "" if part.text is None else f": {_short(part.text)}"
    mime = f" {part.mime_type}" if part.mime_type else ""
    return f"{part.message_index}.{part.part_index} {mark}{part.role} {part.type}{mime}{result}{text} | line {part.source_line} | {_time(part.said_at)}"


def _known(row: Any, *without: str) -> dict[str, Any]:
    fields = {name: value for name, value in fields_of(row).items() if name not in without and value is not None}
    return {name: _time(value) if name.endswith("_at") else _short(value) if isinstance(value, str) else value for name, value in fields.items()}


def _file(rows: Rows, source_id: str) -> str:
    return next(Path(source.path).name for source in rows.sources if source.source_id == source_id)


def _short(value: Any) -> str:
    text = str(value).replace("\r", "␍").replace("\n", "⏎").replace("\x1b", "␛")
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}… ({len(text):,} characters)"


def _time(micros: int | None) -> str:
    return "–" if micros is None else (_EPOCH + timedelta(microseconds=micros)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
