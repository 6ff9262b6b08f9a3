"""Which earlier calls was a call shown, how, and can it be shown them again? After section 11.2 of FunctAI's conversations.

What a record says it saw is a list of entries: calls, each with how it was shown; the first may be short for all that another call saw. What cannot be read for
certain is told by a code, and never taken for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.streams._lifted import list_in, object_in, text_in

Records = Callable[[str], Mapping[str, Any] | None]
"""Returns the record of a call by its id; None when there is none."""
DEFAULT_SLOT: Final = "turns"
_KEYS: Final = frozenset({"call", "steps", "without", "slot"})
# The name that tool calls have among the outputs of a call's record; in a step the step itself names it.
_CALLS: Final = "calls"


class Saw(NamedTuple):
    """What a call saw, entry by entry; or why that is not known."""

    entries: tuple[dict[str, Any], ...] = ()
    """The calls that it was shown, in order, each with how."""
    unknown: str | None = None
    """Why it is not known: not-recorded, missing-call, unknown-key, saw-cycle."""
    call: str | None = None
    """The call whose record does not tell."""


class Kept(NamedTuple):
    """Whether the records keep what it takes to show a call again what it saw."""

    refuses: str | None = None
    """Why not: a code of `Saw`, or missing-call, not-kept, turn-invalid; None when they do."""
    call: str | None = None
    """The call that cannot be shown."""


class Shown(NamedTuple):
    """An earlier call as a model is shown it; or why it cannot be."""

    turn: dict[str, Any] | None
    """Its signature, inputs, steps and outputs, without what was left out."""
    slot: str = DEFAULT_SLOT
    """Where it is shown."""
    refuses: str | None = None
    """Why it cannot be shown: turn-invalid."""


def read_saw(call: str, records: Records) -> Saw:
    """Read what a call saw, with everything that is short for what another call saw written out.

    Args:
        call: its id.
        records: the records of calls.
    """
    waiting: list[tuple[str, list[Any]]] = []
    met: dict[str, None] = {}
    current: str | None = call
    while current is not None:
        if current in met:
            return Saw(unknown="saw-cycle", call=current)
        met[current] = None
        record = records(current)
        entries = record.get("saw") if record is not None else None
        if not isinstance(entries, list):
            # A call that is named and does not tell what it saw is as good as missing (case saw/06); of the call in question it is the record that is silent.
            return Saw(unknown="not-recorded" if record is not None and current == call else "missing-call", call=current)
        short_for = _short_for(entries[0]) if entries else None
        waiting.append((current, entries[1:] if short_for is not None else entries))
        current = short_for
    found: list[dict[str, Any]] = []
    for name, rest in reversed(waiting):
        if not all(map(_is_entry, rest)):
            return Saw(unknown="unknown-key", call=name)
        found += rest
    return Saw(tuple(found))


def check_kept(call: str, records: Records) -> Kept:
    """Tell whether the records keep what it takes to show a call again what it saw."""
    saw = read_saw(call, records)
    if saw.unknown is not None:
        return Kept(saw.unknown, saw.call)
    found = ((_why_not(entry, records(entry["call"])), entry["call"]) for entry in saw.entries)
    return next((Kept(code, name) for code, name in found if code is not None), Kept())


def show(turn: Mapping[str, Any], entry: Mapping[str, Any]) -> Shown:
    """Return an earlier call as an entry shows it.

    Args:
        turn: its signature, inputs, steps and outputs.
        entry: how it is shown: with steps or without, and which fields are left out.

    Returns:
        Without steps, its values alone. A step that held a field that is left out loses its message too, which would show it. Leaving out the tool calls of a
        step that is shown would leave results that answer nothing, so that is refused.
    """
    without = {name for name in list_in(entry, "without") if isinstance(name, str)}
    slot = text_in(entry, "slot") or DEFAULT_SLOT
    steps = [step for step in list_in(turn, "steps") if isinstance(step, dict)] if entry.get("steps") is True else []
    if any(text_in(step, "calls_field") in without for step in steps):
        return Shown(None, slot, "turn-invalid")
    signed = {"signature": turn["signature"]} if "signature" in turn else {}
    values = {name: _less(object_in(turn, name), without) for name in ("inputs", "outputs")}
    return Shown({**signed, "inputs": values["inputs"], "steps": [_step_without(step, without) for step in steps], "outputs": values["outputs"]}, slot)


def shorten(entries: Sequence[dict[str, Any]], parent: str | None, records: Records) -> list[dict[str, Any]]:
    """Write what a turn saw as short as can be: what its parent saw, and then the parent, where it is exactly that.

    Args:
        entries: what it saw, in full.
        parent: the turn that it continues.
        records: tells what the parent saw.
    """
    if parent is None or len(entries) < 2 or entries[-1].get("call") != parent:
        return list(entries)
    before = read_saw(parent, records)
    same = before.unknown is None and list(before.entries) == list(entries[:-1])
    return [{"saw_of": parent}, entries[-1]] if same else list(entries)


def _short_for(entry: Any) -> str | None:
    return text_in(entry, "saw_of") if isinstance(entry, dict) and set(entry) == {"saw_of"} else None


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or not set(entry) <= _KEYS or text_in(entry, "call") is None:
        return False
    without = entry.get("without", [])
    names_texts = isinstance(without, list) and all(isinstance(name, str) for name in without)
    return names_texts and isinstance(entry.get("steps", True), bool) and text_in({"slot": DEFAULT_SLOT, **entry}, "slot") is not None


def _why_not(entry: Mapping[str, Any], record: Mapping[str, Any] | None) -> str | None:
    """Return why a call cannot be shown again as it was; None when it can."""
    without, with_steps = set(list_in(entry, "without")), entry.get("steps") is True
    if with_steps and _CALLS in without:
        return "turn-invalid"
    if record is None:
        return "missing-call"
    if record.get("truncated") is True or not _keeps_values(record, without):
        return "not-kept"
    return "not-kept" if with_steps and not _keeps_requests(record) else None


def _keeps_values(record: Mapping[str, Any], without: set[str]) -> bool:
    """Tell whether the values that were shown stand in the record, and not a description of them."""
    lost = {name for part in ("described", "omitted") for side in ("inputs", "outputs") for name in list_in(record.get(part), side)}
    told = record.get("content") is True or isinstance(record.get("omitted"), dict)
    return told and not {name for name in lost if isinstance(name, str)} - without


def _keeps_requests(record: Mapping[str, Any]) -> bool:
    exchanges = list_in(record, "exchanges")
    return record.get("content") is True and all(
        text_in(exchange, "request_hash") is not None and (object_in(exchange, "response") != {} or exchange.get("finish") is None) for exchange in exchanges
    )


def _less(values: dict[str, Any], without: set[str]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in without}


def _step_without(step: dict[str, Any], without: set[str]) -> dict[str, Any]:
    outputs = object_in(step, "outputs")
    if step.get("kind") != "model" or not without & outputs.keys():
        return step
    return {**{name: value for name, value in step.items() if name != "message"}, "outputs": _less(outputs, without)}
