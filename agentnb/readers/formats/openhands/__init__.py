"""OpenHands: event lists, results of evaluations with their history, and conversations kept as one file per event, in both generations of events.

A record is an event; around a history each result is one more. Files with one event each name no conversation: those of one folder are one. Nothing
observed (`null`) is skipped; the state of the agent, what was recalled and what was condensed stand as injected parts.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.openhands import _first, _second
from agentnb.readers.formats.openhands._run import Placed, Run

_EACH_A_FILE = "event"
_BASE = ("agent", "workspace", "execution_status", "persistence_dir", "max_iterations", "stats")


class _Recording(NamedTuple):
    """Events that belong together, the result of an evaluation around them, and the file of the first."""

    events: list[Placed]
    result: dict[str, Any]
    account: Account
    place: int


def _matches(sample: Sample) -> bool:
    if sample.shape == "document":
        value = _unpaged(sample.document)
        return _is_result(value) or _is_event(value) or _is_base(value) or (isinstance(value, list) and _are_events(value[:20]))
    return any(_is_result(value) for value in sample.values) or _are_events(list(sample.values))


def _unpaged(value: Any) -> Any:
    """Return the events that the server gave as one page."""
    items = value.get("items") if isinstance(value, dict) and "next_page_id" in value else None
    return items if isinstance(items, list) else value


def _are_events(values: list[Any]) -> bool:
    return bool(values) and sum(map(_is_event, values)) * 2 >= len(values)


def _is_event(value: Any) -> bool:
    return _first.is_event(value) or _second.is_event(value)


def _is_result(value: Any) -> bool:
    """Tell whether a value is the result of an evaluation with its history."""
    history = value.get("history") if isinstance(value, dict) else None
    if not isinstance(history, list) or not any(name in value for name in ("instance_id", "instruction", "git_patch", "test_result")):
        return False
    return any(_is_old_event(item) or _is_event(item) for item in _flat(history[:6]))


def _is_old_event(value: Any) -> bool:
    """Tell whether a value is an event of the very old form, whose fields stand side by side and whose source is not told."""
    return isinstance(value, dict) and any(isinstance(value.get(name), str) for name in ("action", "observation")) and "role" not in value


def _is_base(value: Any) -> bool:
    """Tell whether a value is the state that a conversation of one file per event keeps beside them."""
    return isinstance(value, dict) and isinstance(value.get("id"), str) and sum(name in value for name in _BASE) > 3


def _flat(history: list[Any]) -> Iterator[Any]:
    """Yield the events of a history; a very old one holds pairs of an action and what was observed."""
    for item in history:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def _keys(sample: Sample) -> set[str]:
    if sample.shape == "document":
        value = _unpaged(sample.document)
        if _is_event(value) or _is_base(value):
            return {_EACH_A_FILE}
        return {_name_of(value, {})} if isinstance(value, list) else {_name_of(list(_flat(value["history"])), value)} if _is_result(value) else set()
    values = (*sample.values, *sample.last_values)
    return {_name_of(list(_flat(value["history"])), value) for value in values if _is_result(value)}


def _name_of(events: list[Any], result: dict[str, Any]) -> str:
    """Name a conversation by the task and how it began; times and ids of events stand in that, so two runs of a task differ."""
    begin = list(itertools.takewhile(lambda event: not isinstance(event, dict) or event.get("source") != "agent" or event.get("action") == "system", events))
    first = next((event.get("id") for event in events if isinstance(event, dict) and isinstance(event.get("id"), str)), None)
    if first is not None:
        return str(first)
    task = text_of(result.get("instance_id"))
    digest = digest_of(["openhands", task, begin[:3]])
    return f"openhands-{task}-{digest}" if task else f"openhands-{digest}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    folders: dict[PurePath, list[Placed]] = {}
    bases: dict[PurePath, tuple[dict[str, Any], Account]] = {}
    for file in files:
        value = file.sample.document
        if file.sample.shape == "document" and (_is_event(value) or _is_base(value)):
            for _ in read_values(file, on_bytes):
                if _is_event(value):
                    folders.setdefault(file.path.parent, []).append(Placed(1, value, file.account))
                else:
                    bases[file.path.parent] = (value, file.account)
            continue
        for recording in _recordings_of(file, on_bytes):
            _read_recording(recording, apart, _name_of([event.record for event in recording.events], recording.result))
    for folder, events in folders.items():
        base = bases.pop(folder, None) or bases.pop(folder.parent, None)
        _read_folder(events, base, apart)
    for _, account in bases.values():
        account.leave_out("no_events", "It is the state of a conversation whose events are not among the files.", severity="info")


def _read_folder(events: list[Placed], base: tuple[dict[str, Any], Account] | None, apart: Apart) -> None:
    """Read the events that are files of one folder, in the order in which they came."""
    events.sort(key=_order)
    result: dict[str, Any] = {}
    if base is not None:
        result, account = {"state": base[0]}, base[1]
        account.keep()
    first = events[0]
    name = text_of(base[0]["id"]) if base is not None else None
    _read_recording(_Recording(events, result, first.account, 1), apart, name or _name_of([event.record for event in events], {}))


def _order(event: Placed) -> tuple[int, int]:
    named = event.record.get("id")
    return (named if type(named) is int else 0), read_time(event.record.get("timestamp")).micros or 0


def _recordings_of(file: OpenFile, on_bytes: OnBytes) -> Iterator[_Recording]:
    account = file.account
    loose: list[Placed] = []
    for place, value in ((place, _unpaged(value)) for place, value in read_values(file, on_bytes)):
        if _is_result(value):
            account.keep()
            yield _Recording([Placed(number, item, account) for number, item in enumerate(_flat(value["history"]), 1)], value, account, place)
        elif isinstance(value, list):
            loose += [Placed(number, item, account) for number, item in enumerate(value, 1)]
        elif _is_event(value):
            loose.append(Placed(place, value, account))
        else:
            account.leave_out("no_event", "The record is no event and no result of OpenHands; it was left out.", line=place, excerpt=value)
    if loose:
        yield _Recording(loose, {}, account, 1)


def _read_recording(recording: _Recording, apart: Apart, name: str) -> None:
    draft = apart.start(name, recording.account, line=recording.place)
    run = Run(draft, recording.account, recording.result)
    for event in recording.events:
        run.at(event.account)
        if not isinstance(event.record, dict):
            event.account.leave_out("no_event", "It stands among the events and is none; it was left out.", line=event.place, excerpt=event.record)
        elif _second.is_event(event.record):
            _second.read_event(event, run)
        else:
            _first.read_event(event, run)
    run.finish()


READER = Reader(format="openhands", title="OpenHands (events, evaluation results, conversations)", matches=_matches, keys=_keys, read=_read)
