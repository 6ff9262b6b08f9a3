"""What a person said about a turn that waits or was interrupted: as records, or as the reason why it cannot be said."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agentnb.conversations.canonical import text_of
from agentnb.conversations.ledger import Record, new_record
from agentnb.errors import ConversationError
from agentnb.streams.turn_log import TurnLog, UnfinishedTool


def answer_records(turn: TurnLog, which: Any, *, is_yes: bool, by: str | None, reason: str | None, now: int) -> list[Record]:
    """Return the record of an answer to what a turn asks.

    Args:
        turn: the turn.
        which: an approval, matched by invocation, and by site and plugin where it has them; an invocation number; or None for the only one.
        is_yes: whether the tool may run.
        by: who answers.
        reason: why, or the answer to a question.
        now: microseconds since 1970.

    Raises:
        ConversationError: with the code turn-state: nothing is asked, or not this.
        TypeError: several things are asked, and `which` does not say which.
    """
    asked = turn.unanswered() if turn.ended is None else []
    if not asked:
        state = turn.state(now)
        raise ConversationError("turn-state", f"turn {turn.id[:8]} is {state} and asks nothing; somebody may have answered already", turn=turn.id)
    approval = _only_one(asked) if which is None else _matching(asked, which, turn)
    return [new_record("approval", now, turn=turn.id, **answer_fields(approval, is_yes=is_yes, by=by, reason=reason))]


def answer_fields(approval: Mapping[str, Any], *, is_yes: bool, by: str | None, reason: str | None) -> dict[str, Any]:
    """Return the fields of the record of an answer, whoever gave it: which question it is about, and what was said."""
    asked = {name: approval[name] for name in ("site", "invocation", "plugin", "path") if approval.get(name) is not None}
    return {**asked, "verdict": "yes" if is_yes else "no", "by": by, "reason": reason}


def resume_records(turn: TurnLog, results: Mapping[Any, Any], rerun: list[Any], *, now: int) -> list[Record]:
    """Return what is recorded about tools that may have run, before a turn goes on.

    Args:
        turn: the turn.
        results: what they put out, by invocation, tool call id, or (site, invocation).
        rerun: those that shall run again, by the same.
        now: microseconds since 1970.

    Raises:
        ConversationError: turn-state, when the turn neither waits nor was interrupted, or asks something; turn-unfinished, when nothing is said of a tool.
    """
    state = turn.state(now)
    if state not in ("waiting", "interrupted"):
        raise ConversationError("turn-state", f"turn {turn.id[:8]} is {state}; only one that waits or was interrupted can be resumed", turn=turn.id)
    asked = turn.unanswered()
    if asked:
        told = ", ".join(str(item.get("path")) for item in asked)
        raise ConversationError("turn-state", f"turn {turn.id[:8]} asks a person first: {told}; answer by turn.approve() or turn.deny()", turn=turn.id)
    records: list[Record] = []
    open_tools: list[UnfinishedTool] = []
    for tool in turn.unfinished():
        place = {"site": tool.site, "invocation": tool.invocation, "id": tool.id, "name": tool.name}
        given = next((results[key] for key in _keys_of(tool) if key in results), None)
        if any(key in results for key in _keys_of(tool)):
            records.append(new_record("tool", now, turn=turn.id, **place, state="given", output=text_of(given)))
        elif any(key in rerun for key in _keys_of(tool)):
            records.append(new_record("tool", now, turn=turn.id, **place, state="rerun"))
        else:
            open_tools.append(tool)
    if open_tools:
        told = "; ".join(f"{tool.name} (invocation {tool.invocation} at {tool.site})" for tool in open_tools)
        raise ConversationError(
            "turn-unfinished",
            f"turn {turn.id[:8]} was interrupted while a tool ran, which may have done its work: {told}. Look, and then either "
            f"turn.resume(results={{{open_tools[0].invocation}: 'what it put out'}}) or turn.resume(rerun=[{open_tools[0].invocation}])",
            turn=turn.id,
        )
    return records


def _only_one(asked: list[dict[str, Any]]) -> dict[str, Any]:
    if len(asked) > 1:
        told = ", ".join(f"{item.get('invocation')}: {item.get('path')}" for item in asked)
        raise TypeError(f"this turn asks {len(asked)} things ({told}); say which by one of turn.waiting, or by its invocation number where no two share it")
    return asked[0]


def _matching(asked: list[dict[str, Any]], which: Any, turn: TurnLog) -> dict[str, Any]:
    wanted = which if isinstance(which, Mapping) else {"invocation": which}
    found = [item for item in asked if all(item.get(name) == wanted[name] for name in ("invocation", "site", "plugin") if wanted.get(name) is not None)]
    if isinstance(which, Mapping) and "plugin" not in which and len(found) > 1:
        found = [item for item in found if "plugin" not in item]
    if not found:
        told = ", ".join(f"{item.get('invocation')} ({item.get('path')} at {item.get('site')})" for item in asked)
        raise ConversationError("turn-state", f"turn {turn.id[:8]} does not ask about {which!r}; it asks about {told}", turn=turn.id)
    if len(found) > 1:
        raise TypeError(f"invocation {which!r} is asked about at {len(found)} places; give one of turn.waiting, which says the place too")
    return found[0]


def _keys_of(tool: UnfinishedTool) -> list[Any]:
    """Return everything by which a person may name a tool that may have run, the most exact first."""
    keys: list[Any] = [(tool.site, tool.invocation), tool.invocation, str(tool.invocation)]
    return [*keys, tool.id] if tool.id is not None else keys
