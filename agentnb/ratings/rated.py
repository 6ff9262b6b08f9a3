"""Which calls have a known answer? Records of calls and ratings -> rows to evaluate, compare and teach with (specs of FunctAI: rated)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from agentnb.ratings.canonical import canonical
from agentnb.ratings.counting import counted
from agentnb.ratings.records import rating_of
from agentnb.streams.recorded_context import RecordedCalls
from agentnb.values import Rating, Value

CALL_FORMATS: Final = (1, 2)
"""Formats of call records that are read."""
WHY: Final[Mapping[str, str]] = {
    "other_signature": "made with other fields than the program has now",
    "no_content": "the inputs were not recorded, or not as data",
    "no_answer": "no rating gives the right answer: 'right' of a call without one, or 'wrong' alone",
    "no_context": "what the call was shown before cannot be shown again",
}
"""Why a rated call makes no row, by the name of the counter."""

Record = Mapping[str, Any]


class Program(NamedTuple):
    """The program whose calls are wanted; what is None is not asked for."""

    name: str
    """Its name."""
    module: str | None = None
    """Module that defines it."""
    file: str | None = None
    """File that defines it, of a program at top level (module `__main__`): two notebooks are two programs."""
    signature: str | None = None
    """Fingerprint of all its fields, reasoning and tools included."""
    interface: str | None = None
    """Fingerprint of its declared inputs and outputs: rows pool where these are the same."""


class LeftOut(NamedTuple):
    """A rated call that makes no row."""

    call_id: str
    """The call."""
    why: str
    """other_signature, no_content, no_answer or no_context."""


class RatedCall(Value):
    """A call whose right answer is known."""

    call_id: str
    """The call."""
    started: str
    """When it started, as its record says."""
    conversation: str | None = None
    """The conversation it was made in; null for one that stands alone."""
    inputs: Mapping[str, Any]
    """What it was given, by name."""
    outputs: Mapping[str, Any]
    """What it should have answered, by name, the answer first."""
    context: Mapping[str, Any]
    """What it was shown before: `earlier`, `conversation`, and where there are some `sections` and `helpers`; empty when nothing was shown."""
    version: str | None = None
    """Fingerprint of everything the program sent besides inputs."""
    rating: str
    """The verdict that gives the answer: right or wrong."""
    rated_by: str | None = None
    """Who gave it; null when only the account is known."""
    origin: str = "review"
    """How the rating came about."""
    sample: str | None = None
    """The random draw that the call was rated in."""
    disputed: bool = False
    """Whether people differ about it."""


class Rated(NamedTuple):
    """Calls with known answers, and what was left out."""

    calls: tuple[RatedCall, ...]
    """Oldest first: by start, then id."""
    left_out: Mapping[str, int]
    """How many rated calls make no row, by reason; `no_context` only where there is one."""
    excluded: tuple[LeftOut, ...]
    """Which these are, in the order of their calls."""


class RatedRecord(NamedTuple):
    """The record of a rated call."""

    call: Record
    """The record of the call."""
    ratings: tuple[Rating, ...]
    """The ratings that count, oldest first."""
    records: tuple[Record, ...]
    """Their records."""
    context: Mapping[str, Any] | None
    """What the call was shown before, by name; empty when nothing, None when it cannot be shown again as it was."""


def rated_calls(records: Iterable[Any], program: Program, *, by: str | None = None) -> Rated:
    """Find the calls of a program whose right answer people know.

    Args:
        records: call records (formats 1 and 2) and rating records (format 1) in any order; what is neither is passed over.
        program: whose calls.
        by: only what this person said.
    """
    listed = [record for record in records if isinstance(record, dict)]
    known = [_known(one, program) for one in rated_records(listed, program, by=by)]
    excluded = tuple(one for one in known if isinstance(one, LeftOut))
    counts = Counter(one.why for one in excluded)
    left_out = {why: counts[why] for why in WHY if why != "no_context" or counts[why]}
    return Rated(tuple(one for one in known if isinstance(one, RatedCall)), left_out, excluded)


def rated_records(records: Iterable[Any], program: Program, *, by: str | None = None) -> list[RatedRecord]:
    """Return the records of the rated calls of a program, oldest first, with the ratings that count.

    Args:
        records: call and rating records in any order.
        program: whose calls, by name, module and file.
        by: only what this person said.
    """
    listed = [record for record in records if isinstance(record, dict)]
    calls = _calls_by_id(listed)
    said = _said_by_call(listed, by)
    found = sorted((calls[call_id] for call_id in said.keys() & calls.keys() if _is_of(calls[call_id], program)), key=_order)
    recorded = RecordedCalls(calls)
    return [_with_ratings(call, said[call["id"]], _context(call, recorded)) for call in found]


def answer_values(call: Record, rating: Rating, record: Record) -> dict[str, Any]:
    """Return the right values that a rating gives for a call, the answer first; nothing when it gives none.

    Args:
        call: the record of the call.
        rating: the rating.
        record: the record of the rating, whose outputs keep their order.
    """
    call_answer = object_in(call, "program").get("answer")
    if rating.verdict == "right":
        outputs = object_in(call, "outputs")
        return {name: value for name, value in outputs.items() if name == call_answer and name not in described(call, "outputs")}
    answer = {call_answer: record["answer"]} if "answer" in record and isinstance(call_answer, str) else {}
    return {**answer, **{output: value for output, value in object_in(record, "outputs").items() if output not in answer}}


def object_in(record: Record, name: str) -> dict[str, Any]:
    """Return an object of a record; an empty one when it has none of this name."""
    value = record.get(name)
    return value if isinstance(value, dict) else {}


def described(call: Record, direction: str) -> tuple[str, ...]:
    """Return the names of a call's inputs or outputs that are written as descriptions, since they have no JSON form."""
    names = object_in(call, "described").get(direction)
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


def _with_ratings(call: Record, said: Iterable[tuple[Rating, Record]], context: Mapping[str, Any] | None) -> RatedRecord:
    listed = list(said)
    return RatedRecord(call, tuple(rating for rating, _ in listed), tuple(record for _, record in listed), context)


def _context(call: Record, recorded: RecordedCalls) -> Mapping[str, Any] | None:
    """Return what a call was shown before.

    A record that does not say it (format 1) is of a call that stands alone, unless it tells of an earlier turn: then what was shown is not known.
    """
    if not isinstance(call.get("saw"), list):
        return None if object_in(call, "conversation").get("parent") else {}
    context = recorded.context_of(call["id"])
    if context.refuses is not None:
        return None
    return context.as_row() if context.earlier or context.sections or context.helpers else {}


def _calls_by_id(records: Iterable[Record]) -> dict[str, Record]:
    """Return the record of each call; of a call that was resumed, that of its last writer."""
    calls: dict[str, Record] = {}
    for record in records:
        call_id = record.get("id")
        if record.get("functai_call") in CALL_FORMATS and isinstance(call_id, str) and (call_id not in calls or _writer(record) > _writer(calls[call_id])):
            calls[call_id] = record
    return calls


def _writer(record: Record) -> int:
    number = record.get("writer")
    return number if isinstance(number, int) else 1


def _said_by_call(records: Iterable[Record], by: str | None) -> Mapping[str, list[tuple[Rating, Record]]]:
    """Return the ratings that count, oldest first, with their records."""
    held = {rating.rating_id: (rating, record) for record in records if (rating := rating_of(record)) is not None}
    said: defaultdict[str, list[tuple[Rating, Record]]] = defaultdict(list)
    for rating in counted(rating for rating, _ in held.values() if by is None or rating.rated_by == by):
        if rating.counts:
            said[rating.call_id].append((rating, held[rating.rating_id][1]))
    return said


def _is_of(call: Record, program: Program) -> bool:
    own = object_in(call, "program")
    wanted = {"name": program.name, "module": program.module, "file": program.file}
    return all(value is None or own.get(name) == value for name, value in wanted.items())


def _order(call: Record) -> tuple[str, str]:
    return str(call.get("started") or ""), call["id"]


def _known(one: RatedRecord, program: Program) -> RatedCall | LeftOut:
    call = one.call
    given = [(rating, values) for rating, record in zip(one.ratings, one.records, strict=True) if (values := answer_values(call, rating, record))]
    lacks: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("other_signature", lambda: not _has_fields_of(call, program)),
        ("no_content", lambda: not _has_inputs(call)),
        ("no_answer", lambda: not given),
        ("no_context", lambda: one.context is None),
    )
    why = next((why for why, is_lacking in lacks if is_lacking()), None)
    if why is not None:
        return LeftOut(call["id"], why)
    rating, outputs = given[-1]
    return RatedCall(
        call_id=call["id"],
        started=_order(call)[0],
        conversation=_text(object_in(call, "conversation").get("id")),
        inputs=object_in(call, "inputs"),
        outputs=outputs,
        context=one.context or {},
        version=_text(object_in(call, "program").get("version")),
        rating=str(rating.verdict),
        rated_by=rating.rated_by,
        origin=rating.origin or "review",
        sample=rating.sample,
        disputed=len({each.verdict for each in one.ratings}) > 1 or len({canonical(values) for _, values in given}) > 1,
    )


def _has_fields_of(call: Record, program: Program) -> bool:
    """Tell whether a call was made with the fields of the program; of format 1 the signature stands in for the interface."""
    if program.interface is None and program.signature is None:
        return True
    own = object_in(call, "program")
    interface = own.get("interface", own.get("signature") if call.get("functai_call") == 1 else None)
    return (program.interface is not None and interface == program.interface) or (program.signature is not None and own.get("signature") == program.signature)


def _has_inputs(call: Record) -> bool:
    """Tell whether every input was recorded, as data: a large record loses its values, and says so by having none."""
    omitted = call.get("omitted")
    whole = call.get("content") is True or (isinstance(omitted, dict) and not omitted.get("inputs"))
    return whole and isinstance(call.get("inputs"), dict) and not described(call, "inputs")


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None
