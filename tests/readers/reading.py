"""Reading in tests: rows of whatever paths stand for, and what must hold of the rows of any recording."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec

from agentnb.readers import Rows, TakenIds, find_files, read_group, survey_files
from agentnb.readers._rows import CallRow, PartRow
from agentnb.values import Approval, Call, Conversation, Diagnostic, Part, Source, Turn, Value

VALUES: dict[str, type[Value]] = {
    "sources": Source,
    "diagnostics": Diagnostic,
    "conversations": Conversation,
    "turns": Turn,
    "calls": Call,
    "parts": Part,
    "approvals": Approval,
}
"""Names of the tables that readers fill, with the value that a row of it stands for."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def read(paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> Rows:
    """Read whatever paths stand for, all groups together, and check what must hold of any rows."""
    survey = survey_files(find_files(paths))
    rows, taken = Rows(), TakenIds()
    for group in (None, *survey.groups):
        found = read_group(group) if group is not None else survey.unread
        taken.set_apart(found, group.reader.format if group is not None else "")
        for name in VALUES:
            getattr(rows, name).extend(getattr(found, name))
    check(rows)
    return rows


def codes(rows: Rows) -> dict[str, int]:
    """Count the diagnostics by code."""
    return dict(sorted(Counter(diagnostic.code for diagnostic in rows.diagnostics).items()))


def line_of(rows: Rows, code: str) -> int | None:
    """Return the line of the only diagnostic with this code."""
    (found,) = (diagnostic.source_line for diagnostic in rows.diagnostics if diagnostic.code == code)
    return found


def calls_of(rows: Rows, kind: str = "tool") -> list[CallRow]:
    """Return the calls of a kind, in order."""
    return [call for call in rows.calls if call.kind == kind]


def texts_of(rows: Rows, role: str | None = None) -> list[str]:
    """Return the texts of the parts of type text, in order."""
    return [part.text or "" for part in rows.parts if part.type == "text" and role in (None, part.role)]


def account_of(rows: Rows) -> tuple[int, int, int, int]:
    """Return how many records were read, kept, merged and skipped, over all files."""
    columns = ("records_read", "records_kept", "records_merged", "records_skipped")
    read, kept, merged, skipped = (sum(getattr(source, column) for source in rows.sources) for column in columns)
    return read, kept, merged, skipped


def fields_of(row: Any) -> dict[str, Any]:
    """Return the fields of a row; texts that were kept as bytes are decoded."""
    return {name: value.decode() if isinstance(value, bytes) else value for name, value in msgspec.structs.asdict(row).items()}


def value_of(name: str, row: Any) -> Value:
    """Make the value that a row stands for."""
    fields = {
        field: _EPOCH + timedelta(microseconds=value) if field.endswith("_at") and value is not None else value for field, value in fields_of(row).items()
    }
    return VALUES[name](**fields)


def check(rows: Rows) -> None:
    """Check what must hold of the rows of any recording, however damaged it was."""
    _check_accounts(rows)
    _check_places(rows)
    _check_calls(rows)
    _check_parts(rows)
    for name in VALUES:
        for row in getattr(rows, name):
            value_of(name, row)
    _check_texts(rows)


def _check_accounts(rows: Rows) -> None:
    """The account of every file adds up, and every reason for leaving something out has its count."""
    for source in rows.sources:
        name = Path(source.path).name
        assert min(source.records_read, source.records_kept, source.records_merged, source.records_skipped) >= 0, name
        assert source.records_read == source.records_kept + source.records_merged + source.records_skipped, name
        assert sum(json.loads(source.skipped or "{}").values()) == source.records_skipped, name
        listed = [diagnostic for diagnostic in rows.diagnostics if diagnostic.source_id == source.source_id]
        assert [diagnostic.diagnostic_index for diagnostic in listed] == list(range(len(listed))), name
        assert source.diagnostics == len(listed) or source.diagnostics >= 500, name


def _check_places(rows: Rows) -> None:
    """Every row has a file; ids of conversations and turns are there once; turns of a conversation are numbered from 0."""
    sources = {source.source_id for source in rows.sources}
    assert {row.source_id for name in VALUES for row in getattr(rows, name)} <= sources
    conversations = [conversation.conversation_id for conversation in rows.conversations]
    assert duplicates(conversations) == []
    assert duplicates([turn.turn_id for turn in rows.turns]) == []
    assert {turn.conversation_id for turn in rows.turns} == set(conversations)
    for conversation_id in conversations:
        own = [turn.turn_index for turn in rows.turns if turn.conversation_id == conversation_id]
        assert own == list(range(len(own)))


def _check_calls(rows: Rows) -> None:
    """Calls form one tree per turn; what they name is there, in the same turn. An id is unique in its conversation."""
    turns = {turn.turn_id: turn.conversation_id for turn in rows.turns}
    assert duplicates([(call.conversation_id, call.call_id) for call in rows.calls]) == []
    assert duplicates([(call.conversation_id, call.call_index) for call in rows.calls]) == []
    for calls in calls_by_conversation(rows).values():
        for call in calls.values():
            _check_call(call, calls)
            assert turns[call.turn_id] == call.conversation_id
    ids = {(call.conversation_id, call.call_id) for call in rows.calls}
    assert {(turn.conversation_id, turn.turn_id) for turn in rows.turns} <= ids
    assert {(approval.conversation_id, approval.call_id) for approval in rows.approvals} <= ids
    assert {diagnostic.call_id for diagnostic in rows.diagnostics} - {None} <= {call_id for _, call_id in ids}


def calls_by_conversation(rows: Rows) -> dict[str, dict[str, CallRow]]:
    """Return the calls of each conversation by their ids."""
    found: defaultdict[str, dict[str, CallRow]] = defaultdict(dict)
    for call in rows.calls:
        found[call.conversation_id][call.call_id] = call
    return found


def _check_call(call: CallRow, calls: dict[str, CallRow]) -> None:
    assert call.failed == (call.state == "failed")
    assert (call.parent_call_id is None) == (call.call_id == call.turn_id)
    for other in (call.parent_call_id, call.step_id):
        assert other is None or calls[other].turn_id == call.turn_id
    assert call.step_id is None or (call.kind == "tool" and calls[call.step_id].kind == "model")
    assert call.input is None or json.loads(call.input) is not Ellipsis
    assert reaches_its_turn(call, calls)


def reaches_its_turn(call: CallRow, calls: dict[str, CallRow]) -> bool:
    """Tell whether a call has its turn's own call above it."""
    above: CallRow | None = call
    for _ in range(1_000):
        if above is None or above.parent_call_id is None:
            break
        above = calls.get(above.parent_call_id)
    return above is not None and above.call_id == call.turn_id


def _check_parts(rows: Rows) -> None:
    """Parts are numbered without gaps in their message, messages are in order, and what parts name is there."""
    by_conversation = calls_by_conversation(rows)
    parts: defaultdict[str, list[PartRow]] = defaultdict(list)
    for part in rows.parts:
        parts[part.conversation_id].append(part)
    for own in parts.values():
        assert all(_follows(before, part) for before, part in pairwise(own))
    for part in rows.parts:
        calls = by_conversation[part.conversation_id]
        assert calls[part.agent_call_id].kind == "agent"
        assert calls[part.agent_call_id].turn_id == part.turn_id
        assert part.step_id is None or calls[part.step_id].parent_call_id == part.agent_call_id
        assert part.call_id is None or calls[part.call_id].kind == "tool"
        assert part.text is None or part.call_id is None or part.type not in ("tool_call", "tool_result")


def _follows(before: PartRow, part: PartRow) -> bool:
    if part.message_index == before.message_index:
        return part.part_index == before.part_index + 1
    return part.message_index > before.message_index and part.part_index == 0


def _check_texts(rows: Rows) -> None:
    """Every text and number can be stored, and every `extra` and `labels` is a JSON object."""
    for name in VALUES:
        for row in getattr(rows, name):
            fields = fields_of(row)
            for value in fields.values():
                assert not isinstance(value, str) or value.encode() is not None
                assert not isinstance(value, int) or -(2**63) <= value < 2**63
            for field in ("extra", "labels"):
                assert fields.get(field) is None or isinstance(json.loads(fields[field], strict=False), dict)


def duplicates(values: Sequence[Any]) -> list[Any]:
    """Return what is in a list more than once."""
    return [value for value, count in Counter(values).items() if count > 1]
