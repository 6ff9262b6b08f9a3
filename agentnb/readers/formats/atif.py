"""ATIF, the trajectory format of Harbor and Terminal-Bench 2: a call and its result stand in one step.

Results often name no call, and may be more or fewer than the calls. A sub-agent is another trajectory: embedded, in the same file, or in a file of its
own that a result refers to. After a summary the continuation repeats context, which is kept as injected messages and counted once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, as_extra, count_in, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import CallRow, Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said

_READ_STEP = frozenset(
    {"step_id", "timestamp", "source", "model_name", "message", "reasoning_content", "tool_calls", "observation", "metrics", "is_copied_context"}
)
_READ_METRICS = {
    "prompt_tokens": ("input_tokens", count_in),
    "completion_tokens": ("output_tokens", count_in),
    "cached_tokens": ("cached_tokens", count_in),
    "cost_usd": ("cost", amount_in),
}
# Sub-agents of sub-agents: nobody's run is nested as deeply as this, and each level takes room on the stack.
_MOST_NESTED = 50


class _Trajectory(NamedTuple):
    """One trajectory object, the account of its file, and the name of the file, by which others refer to it."""

    record: dict[str, Any]
    account: Account
    file_name: str


def _matches(sample: Sample) -> bool:
    return any(_is_trajectory(value) for value in _trajectories_in(sample.document)) if sample.shape == "document" else any(map(_is_trajectory, sample.values))


def _is_trajectory(value: Any) -> bool:
    return isinstance(value, dict) and str(value.get("schema_version", "")).startswith("ATIF-v") and isinstance(value.get("steps"), list)


def _trajectories_in(document: Any) -> list[Any]:
    """Return the trajectories of a document: itself, or what a list or an object such as {parent, child} wraps."""
    if _is_trajectory(document):
        return [document]
    return list(document.values()) if isinstance(document, dict) else document if isinstance(document, list) else []


def _keys(sample: Sample) -> set[str]:
    values = _trajectories_in(sample.document) if sample.shape == "document" else sample.values
    known = [value for value in values if _is_trajectory(value)]
    names = {name for value in known for name in (*_names(value), *_names_referred_to(value))}
    return names | {name for value in known if (name := _continued_name(value)) is not None}


def _names(record: dict[str, Any]) -> list[str]:
    return [name for name in (record.get("session_id"), record.get("trajectory_id")) if isinstance(name, str)]


def _names_referred_to(record: dict[str, Any]) -> Iterator[str]:
    for step in record["steps"]:
        for reference in _references(step):
            yield from _names(reference)


def _continued_name(record: dict[str, Any]) -> str | None:
    """Return the session that a trajectory continues: the n-th continuation of `x` is named `x-cont-n`, and says that it is one."""
    agent = record.get("agent")
    extra = agent.get("extra") if isinstance(agent, dict) else None
    index = extra.get("continuation_index") if isinstance(extra, dict) else None
    session, suffix = record.get("session_id"), f"-cont-{index}"
    if type(index) is not int or not isinstance(session, str) or not session.endswith(suffix):
        return None
    first = session.removesuffix(suffix)
    return first if index == 1 else f"{first}-cont-{index - 1}"


def _references(step: Any) -> Iterator[dict[str, Any]]:
    for result in _results(step):
        yield from _references_in(result)


def _references_in(result: dict[str, Any]) -> list[dict[str, Any]]:
    references = result.get("subagent_trajectory_ref")
    return [reference for reference in references if isinstance(reference, dict)] if isinstance(references, list) else []


def _results(step: Any) -> list[dict[str, Any]]:
    observation = step.get("observation") if isinstance(step, dict) else None
    results = observation.get("results") if isinstance(observation, dict) else None
    return [result for result in results if isinstance(result, dict)] if isinstance(results, list) else []


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    trajectories = [item for file in files for item in _trajectories_of(file, on_bytes)]
    children = {id(found.record) for item in trajectories for _, found in _sub_agents(item, trajectories)}
    reading = _Reading(trajectories, rows)
    # One that others refer to is read with them; two that refer to each other have nobody above them, so the first of them is read for itself.
    for item in (*(item for item in trajectories if id(item.record) not in children), *trajectories):
        if id(item.record) not in reading.begun:
            _Run(item, reading).read()


def _trajectories_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[_Trajectory]:
    account = file.account
    if file.sample.shape == "document":
        on_bytes(account.row.bytes)
        account.note_oddities(file.sample.oddities, line=None)
        values: Iterable[Any] = _trajectories_in(file.sample.document)
    else:
        values = (value for _, value in read_values(file, on_bytes))
    for value in values:
        if _is_trajectory(value):
            yield from _with_embedded(_Trajectory(value, account, file.name))
        else:
            account.leave_out("no_trajectory", "The record is no ATIF trajectory; it was left out.", excerpt=value)


def _with_embedded(item: _Trajectory) -> Iterator[_Trajectory]:
    yield item
    children = item.record.get("subagent_trajectories")
    for child in children if isinstance(children, list) else ():
        # Some producers leave the version out where a trajectory stands inside of another.
        if isinstance(child, dict) and isinstance(child.get("steps"), list):
            yield from _with_embedded(_Trajectory(child, item.account, ""))


def _sub_agents(item: _Trajectory, trajectories: list[_Trajectory]) -> Iterator[tuple[dict[str, Any], _Trajectory]]:
    """Yield each reference to a sub-agent whose trajectory is known, with that trajectory."""
    for step in item.record["steps"]:
        for reference in _references(step):
            found = _find(reference, item, trajectories)
            if found is not None:
                yield reference, found


def _find(reference: dict[str, Any], item: _Trajectory, trajectories: list[_Trajectory]) -> _Trajectory | None:
    """Find a trajectory by its trajectory id, else by its session id; one never refers to itself."""
    for name in ("trajectory_id", "session_id"):
        wanted = reference.get(name)
        for known in trajectories:
            if wanted is not None and known.record is not item.record and known.record.get(name) == wanted:
                return known
        if wanted is not None and name == "trajectory_id":
            return None
    return None


def _conversation_id(record: dict[str, Any]) -> str:
    """Return the session's id, else the trajectory's, else a digest of how it begins."""
    names = [name for name in _names(record) if name]
    begin = list(itertools.takewhile(lambda step: not isinstance(step, dict) or step.get("source") != "agent", record["steps"]))
    digest = digest_of(["atif", record.get("agent"), begin])
    return names[0] if names else f"atif-{digest}"


class _Reading:
    """What is known while the trajectories of a group are read."""

    def __init__(self, trajectories: list[_Trajectory], rows: Rows) -> None:
        self.trajectories = trajectories
        self.apart = Apart(rows, READER.format)
        self.begun: set[int] = set()


class _Run:
    """Reads one trajectory, with the sub-agents it refers to, as a conversation."""

    def __init__(self, item: _Trajectory, reading: _Reading) -> None:
        self.item = item
        self.reading = reading
        self.trajectories = reading.trajectories
        self.draft = reading.apart.start(_conversation_id(item.record), item.account)

    def read(self) -> None:
        """Read the trajectory and its sub-agents into the tables."""
        record, draft = self.item.record, self.draft
        agent = record.get("agent") if isinstance(record.get("agent"), dict) else {}
        assert isinstance(agent, dict)
        draft.row.agent_name, draft.row.agent_version = text_of(agent.get("name")), text_of(agent.get("version"))
        draft.row.parent_conversation_id = _continued_name(record) or self._named_continuation()
        rest = {name: value for name, value in record.items() if name not in ("steps", "subagent_trajectories", "session_id")}
        draft.extra |= rest
        self._read_steps(draft.main, self.item, {id(record)})
        draft.finish()

    def _named_continuation(self) -> str | None:
        """Return the conversation whose trajectory names this file as its continuation."""
        for known in self.trajectories:
            reference = known.record.get("continued_trajectory_ref")
            if isinstance(reference, str) and self.item.file_name and reference.rsplit("/", 1)[-1] == self.item.file_name:
                return next(iter(_names(known.record)), None)
        return None

    def _read_steps(self, thread: Thread, item: _Trajectory, above: set[int]) -> None:
        reader = MessageList(thread, item.account)
        self.reading.begun.add(id(item.record))
        for place, step in enumerate(item.record["steps"], 1):
            if not isinstance(step, dict):
                item.account.leave_out("no_step", "The step is no object; it was left out.", line=place, excerpt=step)
                continue
            first_call = len(thread.calls)
            said = _said_in(step, place, item.record)
            reader.read(said)
            calls = [call for call in thread.calls[first_call:] if call.kind == "tool"]
            for call in calls:
                # A step has one time for its calls and their results, which tells nothing of how long they took.
                call.ended_at = call.seconds = None
            if any(message.role == "tool" and message.result_of is None for message in said):
                thread.share(calls, line=place)
            self._read_sub_agents(thread, item, step, calls, above)
        reader.finish()

    def _read_sub_agents(self, thread: Thread, item: _Trajectory, step: dict[str, Any], calls: list[CallRow], above: set[int]) -> None:
        for result in _results(step):
            for reference in _references_in(result):
                found = _find(reference, item, self.trajectories)
                if found is not None and (id(found.record) in self.reading.begun or len(above) > _MOST_NESTED):
                    message = f"The trajectory of {', '.join(_names(found.record))} stands elsewhere already; it is read once."
                    item.account.diagnose("repeated_agent", message, severity="info", conversation_id=self.draft.row.conversation_id)
                    continue
                if found is None:
                    names = ", ".join(_names(reference)) or "a sub-agent"
                    message = f"The trajectory of {names} is not among the files; its call has only the result."
                    item.account.diagnose("agent_log_missing", message, severity="info", conversation_id=self.draft.row.conversation_id)
                    continue
                self._read_sub_agent(thread, found, _starter(result, calls), above)

    def _read_sub_agent(self, thread: Thread, found: _Trajectory, starter: CallRow | None, above: set[int]) -> None:
        agent = found.record.get("agent")
        name = text_of(agent.get("name")) if isinstance(agent, dict) else None
        names = _names(found.record)
        wanted = f"{self.draft.row.conversation_id}/{names[-1] if names else 'agent'}"
        first = next((step for step in found.record["steps"] if isinstance(step, dict)), {})
        side = self.draft.start_thread(wanted, name or "", found.account, at=read_time(first.get("timestamp")).micros, line=1)
        own_turn = thread.turn
        starter = starter or next((call for call in thread.calls if own_turn is not None and call.call_id == own_turn.turn_id), None)
        side.parent = Link(starter, thread) if starter is not None else None
        self._read_steps(side, found, above | {id(found.record)})


def _starter(result: dict[str, Any], calls: list[CallRow]) -> CallRow | None:
    named = result.get("source_call_id")
    return next((call for call in calls if call.tool_call_id == named), None) if named else calls[0] if len(calls) == 1 else None


def _said_in(step: dict[str, Any], place: int, trajectory: dict[str, Any]) -> list[Said]:
    """Turn a step into messages: what was said, then the results, which stand in the same step."""
    source = step.get("source")
    copied = step.get("is_copied_context") is True
    role = {"agent": "assistant", "user": "user"}.get(str(source), "system")
    rest = rest_of(step, _READ_STEP)
    time = read_time(step.get("timestamp"))
    calls = step.get("tool_calls")
    asked = tuple(map(_asked, calls)) if isinstance(calls, list) else ()
    thought = step.get("reasoning_content")
    thoughts = (Piece("reasoning", thought),) if isinstance(thought, str) and thought else ()
    replies = role == "assistant" and not copied
    usage, unread = _usage(step.get("metrics")) if replies else ({}, step.get("metrics"))
    extra = rest | ({"metrics": unread} if unread else {})
    agent = trajectory.get("agent")
    model = step.get("model_name") or (agent.get("model_name") if isinstance(agent, dict) else None)
    pieces = _pieces(step.get("message"))
    if calls and (copied or not replies or not isinstance(calls, list)):
        extra["tool_calls"] = calls
    said = Said(
        role, place, (*thoughts, *pieces), asked if replies else (), at=time.micros, zone_assumed=time.zone_assumed, model=text_of(model), usage=usage,
        injected=copied or role == "system", extra=as_extra(extra),
    )  # fmt: skip
    # A step is one record of the file, however many messages it stands for.
    return [said, *(_said_result(result, place, time.micros, bool(said.asked), copied) for result in _results(step))]


def _said_result(result: dict[str, Any], place: int, at: int | None, has_calls: bool, copied: bool) -> Said:
    extra = extra_of(result, ("source_call_id", "content"))
    named = text_of(result.get("source_call_id"))
    return Said(
        "tool", place, _pieces(result.get("content")), result_of=named, loose=not has_calls and named is None, at=at, injected=copied, extra=extra, records=0
    )


def _pieces(content: Any) -> tuple[Piece, ...]:
    if isinstance(content, str):
        return (Piece("text", content),) if content else ()
    if not isinstance(content, list):
        return () if content is None else (Piece("other", None, extra=object_of(content)),)
    return tuple(map(_piece, content))


def _piece(block: Any) -> Piece:
    if isinstance(block, dict) and block.get("type") == "text" and isinstance(block.get("text"), str):
        return Piece("text", block["text"])
    if isinstance(block, dict) and block.get("type") == "image" and isinstance(block.get("source"), dict):
        source = block["source"]
        return Piece("image", text_of(source.get("path") or source.get("data")), text_of(source.get("media_type")))
    return Piece("other", None, extra=object_of(block))


def _asked(call: Any) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    rest = {name: value for name, value in call.items() if name not in ("tool_call_id", "function_name", "arguments")}
    arguments = read_arguments(call.get("arguments"))
    extra = as_extra(rest)
    return Asked(text_of(call.get("tool_call_id")) or None, text_of(call.get("function_name")) or "", arguments.text, extra, arguments.oddities)


def _usage(metrics: Any) -> tuple[dict[str, Any], Any]:
    """Return the columns to set, and what is not read."""
    if not isinstance(metrics, dict):
        return {}, metrics
    known = {column: read(metrics.get(name)) for name, (column, read) in _READ_METRICS.items()}
    known = {column: value for column, value in known.items() if value is not None}
    return known, {name: value for name, value in metrics.items() if value is not None and _READ_METRICS.get(name, ("",))[0] not in known}


READER = Reader(format="atif", title="ATIF trajectory (Harbor, Terminal-Bench)", matches=_matches, keys=_keys, read=_read)
