"""Files of one group -> sessions: which is a sub-agent of which, which continues which, and what they repeat of each other."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._fields import text_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile
from agentnb.readers._rows import TurnRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._thread import Link
from agentnb.readers.formats.codex._lines import read_line
from agentnb.readers.formats.codex._rollout import Rollout

_LINES = frozenset({"session_meta", "turn_context", "response_item", "event_msg", "compacted", "world_state", "inter_agent_communication_metadata"})
_ITEMS = frozenset(
    {
        "message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call",
        "local_shell_call_output", "web_search_call", "tool_search_call", "tool_search_output", "image_generation_call", "ghost_snapshot",
    }
)  # fmt: skip
_BEGINNINGS = frozenset({"task_started", "turn_started"})


class Head(NamedTuple):
    """What the beginning of a file says about its session."""

    session_id: str | None = None
    group_id: str | None = None
    """The session that it is a part of."""
    parent_id: str | None = None
    """The session whose sub-agent it is."""
    forked_from: str | None = None
    """The session that it began as a copy of."""
    name: str = ""
    """Name of the sub-agent."""


class _Member(NamedTuple):
    """A file, what its beginning says, and a name for a session that has none."""

    file: OpenFile
    head: Head
    digest: str


def is_line(value: Any) -> bool:
    """Tell whether a value is a line of a rollout."""
    return isinstance(value, dict) and isinstance(value.get("payload"), dict) and isinstance(value.get("type"), str) and value["type"] in _LINES


def is_item(value: Any) -> bool:
    """Tell whether a value is an item that stands alone on its line."""
    return isinstance(value, dict) and isinstance(value.get("type"), str) and value["type"] in _ITEMS and "payload" not in value


def head_of(values: Sequence[Any]) -> Head:
    """Read what the first values of a file say about its session."""
    meta = next((value["payload"] for value in values if is_line(value) and value["type"] == "session_meta"), None)
    if meta is None:
        flat = next((value for value in values[:1] if isinstance(value, dict) and "type" not in value and isinstance(value.get("id"), str)), {})
        return Head(flat.get("id") or None)
    spawn = _spawn_of(meta)
    parent = text_of(meta.get("parent_thread_id") or spawn.get("parent_thread_id"))
    is_agent = isinstance(meta.get("source"), dict) and "subagent" in meta["source"]
    name = next((text for key in ("agent_nickname", "agent_path", "agent_role") if (text := text_of(meta.get(key) or spawn.get(key)))), "")
    session_id = text_of(meta.get("id")) or text_of(meta.get("session_id"))
    return Head(session_id, text_of(meta.get("session_id")), parent if parent and is_agent else None, text_of(meta.get("forked_from_id")), name)


def _spawn_of(meta: dict[str, Any]) -> dict[str, Any]:
    source = meta.get("source")
    agent = source.get("subagent") if isinstance(source, dict) else None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    return spawn if isinstance(spawn, dict) else {}


class Sessions:
    """The rollouts of one group."""

    def __init__(self, apart: Apart) -> None:
        """Start with no files."""
        self._apart = apart
        self._members: list[_Member] = []
        self._rollouts: dict[str, Rollout] = {}
        self._mains: list[Rollout] = []
        self._agents: list[tuple[Rollout, Rollout, str]] = []

    def add(self, file: OpenFile, head: Head, digest: str) -> None:
        """Take in a file; the digest names its session if it has no id."""
        self._members.append(_Member(file, head, digest))

    def read(self, on_bytes: OnBytes) -> None:
        """Read all files: a session before its sub-agents and forks."""
        waiting = list(self._members)
        while waiting:
            ids = {member.head.session_id for member in waiting}
            ready = next((member for member in waiting if not {member.head.parent_id, member.head.forked_from} & (ids - {member.head.session_id})), waiting[0])
            waiting.remove(ready)
            self._read(ready, on_bytes)
        for agent, above, agent_id in self._agents:
            call = above.calls.starter_of(agent_id)
            if call is not None:
                agent.thread.parent = Link(call, above.thread)
        for rollout in (*self._mains, *(agent for agent, _, _ in self._agents)):
            rollout.finish()
        for rollout in self._mains:
            rollout.thread.draft.finish()

    def _read(self, member: _Member, on_bytes: OnBytes) -> None:
        file, head, _ = member
        several = sum(other.head.session_id == head.session_id for other in self._members) > 1 and head.session_id is not None
        rollout = self._rollouts.get(head.session_id or "")
        if rollout is None:
            rollout = self._start(member)
        else:
            rollout.move_to(file.account)
        known = self._turns_before(head)
        for place, value in _own_values(file, on_bytes, known, rollout):
            if several and rollout.repeats(hashlib.blake2b(to_json(value).encode(), digest_size=12).digest()):
                file.account.merge()
            else:
                read_line(rollout, value, place)
        rollout.flush()

    def _start(self, member: _Member) -> Rollout:
        file, head, digest = member
        above = self._rollouts.get(head.parent_id or "")
        if above is not None:
            agent_id = head.session_id or "agent"
            thread = above.thread.draft.start_thread(agent_id, head.name, file.account, at=None, line=1)
            rollout = Rollout(thread, file.account)
            self._agents.append((rollout, above, agent_id))
        else:
            draft = self._apart.start(head.session_id or digest, file.account)
            draft.row.agent_name = "codex"
            draft.row.parent_conversation_id = head.forked_from or head.parent_id
            rollout = Rollout(draft.main, file.account)
            self._mains.append(rollout)
        if head.session_id is not None:
            self._rollouts[head.session_id] = rollout
        return rollout

    def _turns_before(self, head: Head) -> dict[str, TurnRow]:
        """Return the turns of the sessions that a file may begin as a copy of."""
        before = (self._rollouts.get(session_id or "") for session_id in (head.forked_from, head.parent_id) if session_id != head.session_id)
        return {turn_id: turn for rollout in before if rollout is not None for turn_id, turn in rollout.turns.items()}


def _own_values(file: OpenFile, on_bytes: OnBytes, known: dict[str, TurnRow], rollout: Rollout) -> Iterator[tuple[int, Any]]:
    """Yield the values of a file that are not copied from another session of which the turns are known."""
    copying = False
    for number, (place, value) in enumerate(_values_of(file, on_bytes)):
        payload = value.get("payload") if known and isinstance(value, dict) else None
        if isinstance(payload, dict):
            turn_id = payload.get("turn_id")
            begins = payload.get("type") in _BEGINNINGS if isinstance(payload.get("type"), str) else value.get("type") == "turn_context"
            if begins and isinstance(turn_id, str):
                copying = turn_id in known
                rollout.continues = known.get(turn_id, rollout.continues)
            elif number > 0 and value.get("type") == "session_meta":
                copying = True
        if copying:
            file.account.merge()
        else:
            yield place, value


def _values_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    if file.sample.shape != "document":
        yield from read_values(file, on_bytes)
        return
    for _, document in read_values(file, on_bytes):
        items = [document.get("session"), *document["items"]] if isinstance(document, dict) else document
        yield from ((place, value) for place, value in enumerate(items, 0 if isinstance(document, dict) else 1) if place or value is not None)
