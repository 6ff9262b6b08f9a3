"""Rows of the tables -> call records: what `agentnb.ratings` reads, whichever format a call was recorded in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from agentnb.ratings import object_in, rating_of_row, rating_record, write_time
from agentnb.readers import LIVE
from agentnb.values import Step, Turn
from agentnb.workspace._database import Database
from agentnb.workspace._situations import Situations
from agentnb.workspace._values import load_conversation

_RATED: Final = """
select distinct c.conversation_id, v.format, v.agent_name, v.agent_version
from calls as c
inner join ratings as r on c.call_id = r.call_id
inner join conversations as v on c.conversation_id = v.conversation_id
where r.counts and c.name = $1 and ($2::varchar is null or v.agent_name = $2)
order by c.conversation_id
"""
_CALLS: Final = """
select c.call_id, c.conversation_id, c.turn_id, c.parent_call_id, c.kind, c.name, c.input, c.output, c.error, c.failed, c.extra, c.started_at, t.prompt,
    t.answer, t.parent_turn_id, v.format, v.agent_name, v.agent_version, json_extract(v.extra, '$.programs') as programs
from calls as c
inner join conversations as v on c.conversation_id = v.conversation_id
left join turns as t on c.call_id = t.turn_id
where c.conversation_id in (select unnest($1)) and (c.kind = 'agent' or c.call_id in (select call_id from ratings))
order by c.conversation_id, c.call_index
"""
_SAID: Final = "from ratings where call_id in (select unnest($1)) order by rated_at, rating_id"


def records_for(database: Database, name: str, agent: str | None) -> list[dict[str, Any]]:
    """Return the records that the rated calls of one name need: the calls of their conversations, and all that was said of them."""
    rated = database.rows(_RATED, [name, agent])
    rows = database.rows(_CALLS, [[row["conversation_id"] for row in rated]])
    told = _steps_told(database, [row for row in rows if row["kind"] == "model" and row["name"] == name])
    said = database.rows(_SAID, [[row["call_id"] for row in rows]])
    parents = {row["call_id"]: row["parent_turn_id"] for row in rows}
    rated_ids = {row["call_id"] for row in said}
    calls = [record_of_row(row, told, _before(row["call_id"], parents) if row["call_id"] in rated_ids else []) for row in rows]
    return [*calls, *(rating_record(rating_of_row(row)) for row in said)]


def record_of_row(row: Mapping[str, Any], told: Mapping[str, dict[str, Any]], before: Sequence[str]) -> dict[str, Any]:
    """Make the record of a call: FunctAI's as it was kept, else one that says as much.

    Imported calls have no interface, so their program is known by its name and the agent.

    Args:
        row: the call, with its turn and conversation.
        told: what model calls had been told, by their ids.
        before: the turns that it continues, the first one first.
    """
    extra = _object(row["extra"])
    known: dict[str, Any] = {"id": row["call_id"], "started": _time(row["started_at"])}
    if row["format"] in ("functai", LIVE):
        return (_kept(row, extra) if "functai_call" in extra else _noted(row, extra)) | known
    inputs, outputs = _values(row, told)
    program = {"name": row["name"], "kind": row["kind"], "module": None, "version": row["agent_version"], "agent": row["agent_name"]}
    return known | {
        "functai_call": 2,
        "parent": row["parent_call_id"],
        "program": program | {"answer": next(iter(outputs or {}), "answer")},
        "content": True,
        **({} if inputs is None else {"inputs": inputs}),
        "outputs": outputs,
        "saw": [{"call": turn_id} for turn_id in before],
        "conversation": {"id": row["conversation_id"], "turn": row["turn_id"], "parent": row["parent_turn_id"]},
    }


def _before(turn_id: str, parents: Mapping[str, str | None]) -> list[str]:
    """Return the turns that lead to a turn, the first one first."""
    way: dict[str, None] = {}
    at = parents.get(turn_id)
    while at is not None and at not in way and at != turn_id:
        way[at] = None
        at = parents.get(at)
    return [*reversed(way)]


def _kept(row: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Put FunctAI's record together again: its values are in columns, the rest of it is kept as it was."""
    record = dict(extra)
    record["exchanges"] = [_exchange(one) for one in extra.get("exchanges", ()) if isinstance(one, dict)]
    record["conversation"] = object_in(extra, "conversation") or {"id": row["conversation_id"]}
    values = {"inputs": row["input"], "outputs": row["output"]}
    return record | {name: json.loads(text) for name, text in values.items() if text is not None}


def _noted(row: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """Make the record of a call that the log of a conversation alone tells of: a turn, or a helper that it remembers."""
    version = object_in(extra, "turn").get("program")
    listed = json.loads(row["programs"]) if row["programs"] else []
    noted = next((one for one in listed if isinstance(one, dict) and one.get("version") == version), None) or object_in(extra, "program")
    outputs = _object(row["output"])
    program = {name: noted.get(name) for name in ("module", "signature", "interface")} | {"name": row["name"], "version": version}
    program |= {"kind": noted.get("program_kind", "ai"), "answer": noted.get("answer") or next(reversed(outputs), None)}
    saw = extra.get("ended_saw", extra.get("saw"))
    return {
        "functai_call": 2,
        "parent": row["parent_call_id"],
        "program": program,
        "content": True,
        **({"inputs": _object(row["input"])} if row["input"] is not None else {}),
        "outputs": outputs or None,
        "steps": extra.get("steps", []),
        "conversation": {"id": row["conversation_id"], "turn": row["turn_id"], "parent": row["parent_turn_id"]},
        **({} if saw is None else {"saw": saw}),
    }


def _exchange(kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of an exchange decides whether a call can be shown again: that a reply was kept, not which."""
    return {name: value for name, value in kept.items() if name != "replied"} | ({"response": {}} if kept.get("replied") else {})


def _values(row: Mapping[str, Any], told: Mapping[str, dict[str, Any]]) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """Return what an imported call was given and what it answered, by name; None where it was not recorded."""
    if row["kind"] == "model":
        step = told.get(row["call_id"])
        return (None, None) if step is None else ({"messages": step["messages"]}, {"message": step["message"]})
    if row["kind"] == "agent" and (row["prompt"] is not None or row["input"] is None):
        inputs = None if row["prompt"] is None else {"prompt": row["prompt"]}
        return inputs, None if row["answer"] is None else {"answer": row["answer"]}
    return _arguments(row["input"]), None if row["output"] is None else {"output": row["output"]}


def _arguments(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return value if isinstance(value, dict) else {"input": value}


def _steps_told(database: Database, rows: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Return for each model call the messages before it and the one that it said."""
    told: dict[str, dict[str, Any]] = {}
    wanted = {row["call_id"] for row in rows}
    for conversation_id in sorted({row["conversation_id"] for row in rows}):
        turns = load_conversation(database, conversation_id).turns
        situations = Situations(turns)
        for turn in turns:
            for step in _steps_of(turn):
                if step.step_id in wanted:
                    told[step.step_id] = {"messages": situations.history(turn, step), "message": _message(step)}
    return told


def _steps_of(turn: Turn) -> list[Step]:
    return [step for call in turn.calls if call.kind == "agent" for step in turn.steps_of(call.call_id)]


def _message(step: Step) -> dict[str, Any]:
    calls = [{"id": call.call_id, "name": call.name, "arguments": call.arguments} for call in step.tool_calls]
    return {"role": "assistant", "content": step.text, **({"toolCalls": calls} if calls else {})}


def _object(text: str | None) -> dict[str, Any]:
    try:
        value = json.loads(text) if text else None
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _time(moment: datetime | None) -> str:
    return write_time(moment) if moment is not None else ""
