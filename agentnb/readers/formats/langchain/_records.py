"""What a value of a LangChain file holds: a list of messages as it was at a moment, messages that were added, or pieces of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._fields import text_of
from agentnb.readers._times import Time, read_time
from agentnb.readers.dialects.langchain import is_message, is_message_list

_STATE_KEYS = frozenset(
    {"checkpoint", "checkpoint_id", "next", "tasks", "config", "parent_config", "parent_checkpoint", "thread_id", "created_at", "interrupts", "status"}
)
_RUN_KEYS = frozenset({"run_id", "thread_id", "attempt", "assistant_id"})
_SILENT_EVENTS = frozenset({"metadata", "end", "feedback", "heartbeat", "debug", "custom"})


class Snapshot(NamedTuple):
    """Messages that a value of the file holds."""

    messages: list[Any]
    whole: bool
    """Whether it is all of the conversation up to then, else it is what comes next."""
    state: dict[str, Any]
    """The state of the graph, or the object, that they stand in."""


class Placed(NamedTuple):
    """A snapshot and its place in the file, from 1."""

    place: int
    snapshot: Snapshot | None
    """None of a value that holds nothing of the kind."""
    value: Any
    numbered: bool = False
    """Whether it is the only one of its file: its messages are then placed by their own number."""


def snapshot_in(value: Any) -> Snapshot | None:
    """Return what a value holds of a conversation; None when it is nothing of LangChain."""
    if isinstance(value, list):
        return _in_list(value)
    if not isinstance(value, dict):
        return None
    if is_message(value):
        return Snapshot([value], whole=False, state={})
    if isinstance(value.get("event"), str) and "data" in value:
        return _in_event(value)
    if "run_id" in value and not value.keys() - _RUN_KEYS:
        # A stream begins with the run that it is of; as an event that was sent to a browser it has no name.
        return Snapshot([], whole=False, state={"metadata": value})
    value = _as_state(value)
    if is_state(value):
        values = value.get("values")
        listed = values.get("messages") if isinstance(values, dict) else None
        return Snapshot(_messages(listed), whole=True, state=value)
    if is_message_list(value.get("messages")) or "__interrupt__" in value:
        return Snapshot(_messages(value.get("messages")), whole="messages" in value, state={"values": value})
    return _in_update(value)


def is_state(value: Any) -> bool:
    """Tell whether a value is the state of a thread of LangGraph: its values, and where the graph stands."""
    if not isinstance(value, dict) or "values" not in value or len(_STATE_KEYS & value.keys()) < 2:
        return False
    values = value["values"]
    return values is None or (isinstance(values, dict) and (not values or "messages" not in values or isinstance(values["messages"], list)))


def _as_state(value: dict[str, Any]) -> dict[str, Any]:
    """Return what a store of checkpoints keeps of a thread as the state that a server would tell."""
    held = value.get("checkpoint") if isinstance(value.get("checkpoint"), dict) else value
    values = held.get("channel_values") if isinstance(held, dict) else None
    if not isinstance(held, dict) or not isinstance(values, dict):
        return value
    rest = {name: item for name, item in held.items() if name != "channel_values"}
    beside = {name: item for name, item in value.items() if name not in ("checkpoint", "channel_values")} if held is not value else {}
    return {**beside, "values": values, "checkpoint": rest, "created_at": held.get("ts")}


def records_of(document: Any) -> list[Placed]:
    """Return what a document holds: one list of messages or one state, or several in a list, the oldest first."""
    alone = snapshot_in(document)
    if alone is not None and not _is_stream(document):
        return [Placed(1, alone, document, numbered=True)]
    values = document if isinstance(document, list) else [document]
    return oldest_first([Placed(place, snapshot_in(value), value) for place, value in enumerate(values, 1)])


def oldest_first(records: Sequence[Placed]) -> list[Placed]:
    """Put the states of a history, which a server lists from the newest on, into the order in which they were."""
    times = [_time(record).micros for record in records]
    known = [time for time in times if time is not None]
    if len(known) < 2 or len(known) < len(records) or known[0] <= known[-1]:
        return list(records)
    return [record for _, _, record in sorted(zip(known, range(len(records), 0, -1), records, strict=True), key=lambda item: item[:2])]


def time_of(state: dict[str, Any]) -> Time:
    """Return when a state was saved."""
    return read_time(state.get("created_at"))


def thread_of(state: dict[str, Any]) -> str | None:
    """Return the id of the thread that a state belongs to."""
    config = state.get("config")
    for place in (state.get("metadata"), state.get("checkpoint"), config.get("configurable") if isinstance(config, dict) else None, state):
        found = place.get("thread_id") if isinstance(place, dict) else None
        if isinstance(found, str) and found:
            return found
    return None


def interrupts_of(state: dict[str, Any]) -> list[Any]:
    """Return the questions that a graph waits with, each once."""
    values = state.get("values")
    tasks = state.get("tasks")
    listed = [state.get("interrupts"), values.get("__interrupt__") if isinstance(values, dict) else None]
    listed += [task.get("interrupts") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    found: list[Any] = []
    for item in _flat(listed):
        if item not in found:
            found.append(item)
    return found


def error_of(state: dict[str, Any]) -> str | None:
    """Return why a graph failed, if the state tells."""
    tasks = state.get("tasks")
    errors = [task.get("error") for task in tasks if isinstance(task, dict)] if isinstance(tasks, list) else []
    found = next((error for error in (*errors, state.get("error")) if error), None)
    return text_of(found)


def _time(record: Placed) -> Time:
    return time_of(record.snapshot.state) if record.snapshot is not None else Time(None)


def _flat(listed: Iterable[Any]) -> Iterator[Any]:
    for items in listed:
        if isinstance(items, dict):
            yield from _flat(items.values())
        elif isinstance(items, list):
            yield from items


def _messages(listed: Any) -> list[Any]:
    return listed if isinstance(listed, list) else [listed] if isinstance(listed, dict) else []


def _is_stream(document: Any) -> bool:
    """Tell whether a list holds states, events or pieces rather than messages."""
    return isinstance(document, list) and not is_message_list(document)


def _in_list(value: list[Any]) -> Snapshot | None:
    if len(value) == 2 and is_message(value[0]) and isinstance(value[1], dict) and not is_message(value[1]):
        # What a stream of messages yields: a piece, and what is known of where it comes from.
        return Snapshot([value[0]], whole=False, state={"metadata": value[1]})
    if is_message_list(value):
        return Snapshot(value, whole=True, state={})
    if 2 <= len(value) <= 3 and isinstance(value[-1], dict | list) and all(isinstance(item, str | list) for item in value[:-1]):
        return snapshot_in(value[-1])
    return None


def _in_event(value: dict[str, Any]) -> Snapshot | None:
    event = value["event"].split("|")[0]
    if event in _SILENT_EVENTS:
        return Snapshot([], whole=False, state={"metadata": value["data"]} if event == "metadata" and isinstance(value["data"], dict) else {})
    if event == "error":
        return Snapshot([], whole=False, state={"error": value["data"]})
    found = snapshot_in(value["data"])
    return found._replace(whole=False) if found is not None and event.startswith("messages") else found


def _in_update(value: dict[str, Any]) -> Snapshot | None:
    """Return the messages that nodes of a graph added: `{node: {messages: […]}}`."""
    added = [_messages(update.get("messages")) for update in value.values() if isinstance(update, dict)]
    messages = [message for listed in added for message in listed]
    return Snapshot(messages, whole=False, state={}) if is_message_list(messages) else None
