"""Ratings of other tools -> ratings here: once each, with an account of what was left out and why."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

from agentnb.errors import RatingError
from agentnb.ratings import ABSENT, ForeignRating, canonical, read_foreign, spelled, time_of, verdict_of
from agentnb.render import ResultTable
from agentnb.values import Rating, Value
from agentnb.values.ratings import Verdict
from agentnb.workspace._call_facts import digest_of
from agentnb.workspace._database import Database
from agentnb.workspace._foreign_files import foreign_rows

_SPACE: Final = uuid.UUID("6f2c0a1e-52f5-5b0e-9d0f-0d6a3f1c7e11")
"""Names of imported ratings are made in it: the same judgement has the same id however often it is imported."""

# Spans and runs of other tools are the last part of an id here, or are kept with the call where its id is that of the provider.
_FOUND: Final = """
select name, min(call_id) as call_id, count(distinct call_id) as calls
from (
    select unnest([call_id, split_part(call_id, '/', -1), json_extract_string(extra, '$.span_id'), json_extract_string(extra, '$.trace_id')]) as name, call_id
    from calls
    union all
    select conversation_id as name, turn_id as call_id
    from turns
    where conversation_id in (from turns select conversation_id group by all having count(*) = 1)
)
where name in (select unnest($1))
group by name
order by name
"""
_CALLS: Final = """
select c.call_id, c.name, coalesce(c.input, t.prompt) as input, coalesce(t.answer, c.output) as output
from calls as c
left join turns as t on c.call_id = t.turn_id
where c.call_id in (select unnest($1))
order by c.call_id, c.conversation_id
"""


class NotImported(Value):
    """A row that became no rating."""

    row: int
    """Its place, from 0."""
    ids: tuple[str, ...] = ()
    """The ids that it names."""
    why: str
    """Why it was left out, and what to do."""


class ImportedRatings(Value):
    """What became of the rows of an import."""

    kept: int
    """Ratings that were kept now."""
    already: int
    """Ratings that had been imported before."""
    forms: tuple[str, ...]
    """Forms that were found: phoenix, mlflow, langfuse, langsmith, functai, table."""
    left_out: tuple[NotImported, ...]
    """Rows that became no rating, with reasons."""

    @property
    def table(self) -> ResultTable:
        """What was left out as a table that shows itself, the counts in its title."""
        rows = tuple((one.row, ", ".join(one.ids), one.why) for one in self.left_out)
        title = f"ratings imported · {', '.join(self.forms) or 'no form that is known'} · {self.kept:,} kept · {self.already:,} known already"
        return ResultTable(columns=("row", "ids", "why left out"), rows=rows, total=len(rows), title=f"{title} · {len(rows):,} left out")


class Reading(NamedTuple):
    """How the rows of an import are to be understood."""

    name: str | None
    """The criterion that is the verdict; None where there is one only."""
    labels: Mapping[str, str]
    """What labels mean."""
    threshold: float | None
    """From which number on a score is right."""
    judges: bool
    """Whether judgements of models and programs are taken too."""
    by: str | None
    """Who judged where a row does not say."""
    account: str | None
    """The account, where nobody is named at all."""
    calls: Mapping[str, str]
    """Calls here by the ids of the other tool."""


class Imported(NamedTuple):
    """Ratings to keep, and the account of the rest."""

    ratings: list[Rating]
    """Ratings that are new."""
    found: ImportedRatings
    """What became of every row."""


def read_import(database: Database, what: Any, reading: Reading, now: datetime) -> Imported:
    """Make ratings of the rows of a file, a frame or objects.

    Raises:
        RatingError: when there are no rows, or judgements of several criteria and none is named.
    """
    listed = list(read_foreign(foreign_rows(what)))
    said = _with_expected([one for one in listed if isinstance(one, ForeignRating)])
    unknown = [NotImported(row=one, why="it is of no form that is known: a row names a call_id and a verdict") for one in listed if isinstance(one, int)]
    _check_names(said, reading)
    calls = _calls_for(database, said, reading.calls)
    ours = _exported(database, said)
    made = [_rating_of(one, reading, calls, now) for one in said if _is_asked(one, reading) and one.exported not in ours]
    others = [_left(one, f"it is about {one.name!r}, and name={reading.name!r} was asked for") for one in said if not _is_asked(one, reading)]
    ratings = {rating.rating_id: rating for rating in made if isinstance(rating, Rating)}
    known = {row["rating_id"] for row in database.rows("select rating_id from ratings where rating_id in (select unnest($1))", [list(ratings)])}
    left_out = sorted([*unknown, *others, *(one for one in made if isinstance(one, NotImported))], key=lambda one: (one.row, one.ids, one.why))
    new = [rating for rating_id, rating in ratings.items() if rating_id not in known]
    forms = tuple(sorted({one.form for one in said}))
    already = len(known) + sum(one.exported in ours for one in said)
    return Imported(new, ImportedRatings(kept=len(new), already=already, forms=forms, left_out=tuple(left_out)))


def _exported(database: Database, said: Iterable[ForeignRating]) -> dict[str, Verdict | None]:
    """Return the ratings of this workspace that come back: those which were exported from it, with the verdict that they had."""
    named = {one.exported: one for one in said if one.exported is not None}
    rows = database.rows("select rating_id, verdict from ratings where rating_id in (select unnest($1))", [list(named)])
    return {row["rating_id"]: row["verdict"] for row in rows if verdict_of(named[row["rating_id"]].value) == row["verdict"]}


def _with_expected(said: Sequence[ForeignRating]) -> list[ForeignRating]:
    """Put an answer that was given as what should come out with the judgement of the same person on the same call, where there is one."""
    expected = {(one.ids, one.by): one for one in said if one.expected}
    judged = [one for one in said if not one.expected]
    used = {(one.ids, one.by) for one in judged} & expected.keys()
    joined = [one._replace(answer=expected[one.ids, one.by].answer) if (one.ids, one.by) in used and one.answer is ABSENT else one for one in judged]
    return [*joined, *(one for one in said if one.expected and (one.ids, one.by) not in used)]


def _is_asked(one: ForeignRating, reading: Reading) -> bool:
    return reading.name is None or one.name in (None, reading.name) or one.expected


def _check_names(said: Sequence[ForeignRating], reading: Reading) -> None:
    """Refuse judgements of several criteria as one verdict: the last one would stand for all."""
    names = Counter(one.name for one in said if one.name is not None and not one.expected and (one.kind == "person" or reading.judges))
    if reading.name is None and len(names) > 1:
        listed = ", ".join(f"{name!r} ({count:,})" for name, count in names.most_common(8))
        raise RatingError(f"The rows judge {len(names)} criteria: {listed}. name= says which of them is the verdict.")


def _calls_for(database: Database, said: Iterable[ForeignRating], given: Mapping[str, str]) -> dict[str, dict[str, Any]]:
    """Return what is known of the calls that ids stand for; an id that stands for several calls for none of them."""
    names = sorted({spelled(name) for one in said for name in one.ids})
    own = {name: given[name] for name in names if name in given}
    rest = [name for name in names if name not in own]
    rows = database.rows(_FOUND, [[*rest, *own.values()]])
    found = {row["name"]: row["call_id"] for row in rows if row["calls"] == 1}
    exact = {row["call_id"]: row for row in reversed(database.rows(_CALLS, [[*rest, *own.values(), *found.values()]]))}
    placed = {name: exact.get(name) or exact.get(found.get(name, "")) for name in (*rest, *own.values())}
    return {name: call for name in names if (call := placed.get(own.get(name, name))) is not None}


def _rating_of(one: ForeignRating, reading: Reading, calls: Mapping[str, dict[str, Any]], now: datetime) -> Rating | NotImported:
    if one.kind == "judge" and not reading.judges:
        return _left(one, "a model or a program judged it, no person: judges=True takes these too")
    # A span that is not here must not fall back to its trace, which is another call.
    call = calls.get(spelled(one.ids[0])) if one.ids else None
    if call is None:
        return _left(one, "no call here has this id, or several have: read the recording first, or name the call with calls={id: call_id}")
    verdict, answer = _judged(one, call, reading)
    if verdict is None and one.value is not None and not one.tags:
        return _left(one, _unclear(one))
    # A null verdict is one that was taken back; none at all is none.
    is_tags = verdict is None and one.value is not None
    person = one.by if one.by and one.kind == "person" else f"judge: {one.by or 'unnamed'}" if one.kind == "judge" else reading.by
    said: dict[str, Any] = {
        "kind": "tags" if is_tags else "verdict",
        "verdict": verdict,
        "answer": canonical(answer) if answer is not ABSENT and verdict == "wrong" else None,
        "outputs": canonical(dict(one.outputs)) if one.outputs is not None and verdict == "wrong" else None,
        "rated_by": spelled(person) if person else None,
        "account": None if person else reading.account,
        "reasons": tuple(map(spelled, one.reasons)),
        "tags": None if one.tags is None else tuple(map(spelled, one.tags)),
        "note": spelled(one.note) if one.note else None,
        "origin": "import",
        "sample": one.sample,
        "call_id": call["call_id"],
    }
    moment = _moment(one.at)
    identity = uuid.uuid5(_SPACE, canonical([one.form, one.key, None if moment is None else moment.isoformat(), _without(said, "account")]))
    about = {"call_name": call["name"], "call_digest": digest_of(call["input"]), "rated_at": moment or now, "counts": verdict is not None}
    return Rating(rating_id=str(identity), **said, **about)


def _judged(one: ForeignRating, call: Mapping[str, Any], reading: Reading) -> tuple[Verdict | None, Any]:
    """Return the verdict and the right answer that a row gives; an answer that is the call's own says right."""
    if one.value is not ABSENT and one.value is not None:
        verdict = verdict_of(one.value, labels=reading.labels, threshold=reading.threshold)
        return verdict, _value(one) if verdict == "wrong" else ABSENT
    if one.outputs is not None:
        return "wrong", ABSENT
    if one.answer is ABSENT:
        return None, ABSENT
    own = {canonical(call["output"]), canonical(_parsed(call["output"]))}
    return ("right", ABSENT) if canonical(_value(one)) in own else ("wrong", _value(one))


def _value(one: ForeignRating) -> Any:
    """Return the right answer; in a table, whose cells are texts, JSON stands for the value that it is."""
    return _parsed(one.answer) if one.form == "table" else one.answer


def _parsed(value: Any) -> Any:
    try:
        return json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return value


def _unclear(one: ForeignRating) -> str:
    if one.value is ABSENT:
        return "it gives neither a verdict nor a right answer"
    hint = "threshold= says from which number on it is right" if isinstance(one.value, int | float) else "labels={'good': 'right'} says what a label means"
    return f"{one.value!r:.80} says neither right nor wrong: {hint}"


def _left(one: ForeignRating, why: str) -> NotImported:
    return NotImported(row=one.place, ids=one.ids, why=why)


def _moment(value: Any) -> datetime | None:
    """Read a time as exports have it: ISO 8601, or milliseconds or seconds since 1970."""
    if isinstance(value, str) and not value.strip().isdecimal():
        return time_of(value.strip())
    if hasattr(value, "isoformat"):
        return time_of(value.isoformat())
    try:
        number = float(value)
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=number / 1000 if number > 1e11 else number)
    except (TypeError, ValueError, OverflowError):
        return None


def _without(values: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != name}
