"""Ratings of some calls: are they allowed, of which calls, by whom? All are made before the first is kept."""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any, Final, NamedTuple, get_args

from agentnb.conversations.identifiers import new_id
from agentnb.errors import RatingError, UnknownId
from agentnb.ratings import canonical, spelled
from agentnb.values import Rating
from agentnb.values.ratings import Origin, Verdict
from agentnb.workspace._call_facts import CallFact, CallFacts
from agentnb.workspace._database import Database
from agentnb.workspace._values import unknown


class Omitted(Enum):
    """Stands for an argument that was not given where None means something."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        """Show it in a signature as what it is."""
        return "<omitted>"


OMITTED = Omitted.OMITTED

_VERDICTS: Final[dict[Any, Verdict | None]] = {"right": "right", "wrong": "wrong", None: None, True: "right", False: "wrong"}
_DRAWN: Final = "select call_id from sampled_calls where sample = $1 and call_id in (select unnest($2)) order by call_id"


class Rater(NamedTuple):
    """Who says something: exactly one of the two."""

    person: str | None
    """A named person."""
    account: str | None
    """The account, which may stand for several."""


def make_ratings(
    database: Database,
    facts: CallFacts,
    call_ids: Sequence[str],
    verdict: Any,
    *,
    answer: Any = OMITTED,
    outputs: Mapping[str, Any] | None = None,
    note: str | None = None,
    reasons: Iterable[str] = (),
    tags: Iterable[str] | None = None,
    by: str | None = None,
    origin: str = "review",
    sample: str | None = None,
) -> list[Rating]:
    """Make the ratings of some calls, all alike, or say what is wrong with one of them.

    Raises:
        RatingError: when verdict, correction, reasons, tags, person, origin or sample do not fit together.
        UnknownId: when there is no such call.
    """
    kind = "tags" if verdict is OMITTED and tags is not None and answer is OMITTED and outputs is None else "verdict"
    word = None if kind == "tags" else _verdict_of(verdict, has_correction=answer is not OMITTED or outputs is not None)
    person, account = rater_of(by, must_be_named="ipykernel" in sys.modules)
    calls = _calls_of(database, facts, call_ids)
    said: dict[str, Any] = {
        "kind": kind,
        "verdict": word,
        "rated_by": person,
        "account": account,
        "answer": None if answer is OMITTED else _json(answer, "answer"),
        "outputs": _outputs(outputs),
        "reasons": _words(reasons, "reasons", "wrong amount"),
        "tags": None if tags is None else _words(tags, "tags", "invented price"),
        "note": _note(note),
        "origin": _origin(origin),
        "sample": _sample(database, sample, [call.call_id for call in calls]),
        "counts": word is not None,
    }
    return [Rating(rating_id=new_id(), rated_at=datetime.now(UTC), **_of_call(call), **said) for call in calls]


def rater_of(by: str | None, *, must_be_named: bool) -> Rater:
    """Return who speaks: the person, else the account of the operating system.

    Raises:
        RatingError: when it is no name, or nobody is named who must be.
    """
    person = _person(by, must_be_named)
    return Rater(person, None if person else _account())


def _of_call(call: CallFact) -> dict[str, Any]:
    return {"call_id": call.call_id, "call_name": call.name, "call_digest": call.digest}


def _calls_of(database: Database, facts: CallFacts, call_ids: Sequence[str]) -> list[CallFact]:
    """Return what is known of calls, in their order; a turn that was merged is the call that merged.

    Raises:
        UnknownId: when one is not there.
    """
    known = facts.of(spelled(wanted) for wanted in call_ids)
    found: list[CallFact] = []
    for wanted in call_ids:
        fact = known[spelled(wanted)]
        if fact is None:
            raise unknown(database, "call", wanted)
        found.append(fact)
    made = facts.of(fact.made_by for fact in found if fact.made_by)
    return list({fact.call_id: fact for fact in (_merger(fact, made) for fact in found)}.values())


def _merger(fact: CallFact, made: Mapping[str, CallFact | None]) -> CallFact:
    if not fact.made_by:
        return fact
    merger = made[fact.made_by]
    if merger is None:
        raise UnknownId(
            f"The turn {fact.call_id!r} was merged by the call {fact.made_by!r}, which is what a rating is about, and that call is not among what "
            "was read. Read the log of calls too: ws.read(…)."
        )
    return merger


def _origin(origin: str) -> str:
    if origin not in get_args(Origin):
        raise RatingError(f"origin= says how a rating came about: {', '.join(get_args(Origin))}; not {origin!r}.")
    return origin


def _sample(database: Database, sample: str | None, call_ids: Sequence[str]) -> str | None:
    """Return the name of a draw that holds these calls.

    Raises:
        RatingError: when there is no such draw, or one of the calls was not drawn.
    """
    if sample is None:
        return None
    drawn = {row["call_id"] for row in database.rows(_DRAWN, [sample, list(call_ids)])}
    missing = next((call_id for call_id in call_ids if call_id not in drawn), None)
    if missing is None:
        return sample
    if not database.rows("select sample from samples where sample = $1 limit 1", [sample]):
        raise RatingError(f"There is no sample {sample!r}. ws.sample(query, n, seed=…, name={sample!r}) draws one; ws.sql('from samples') lists them.")
    raise RatingError(f"The call {missing!r} was not drawn in the sample {sample!r}, so rating it says nothing about that sample. Leave sample= out.")


def _verdict_of(verdict: Any, has_correction: bool) -> Verdict | None:
    if verdict is OMITTED:
        if not has_correction:
            raise RatingError("A rating needs a verdict: 'right', 'wrong', or None to withdraw one. A right answer alone says 'wrong'; tags need no verdict.")
        return "wrong"
    try:
        word = _VERDICTS[verdict]
    except (KeyError, TypeError):
        raise RatingError(f"The verdict {verdict!r} is none of 'right', 'wrong' (or True, False), and None, which withdraws a rating.") from None
    if has_correction and word != "wrong":
        what = "None, which withdraws a rating" if word is None else repr(word)
        raise RatingError(f"A right answer goes with the verdict 'wrong', not with {what}. Leave answer= and outputs= out, or rate 'wrong'.")
    return word


def _person(by: str | None, must_be_named: bool) -> str | None:
    if not isinstance(by, str | None):
        raise RatingError(f"by= is the name of a person, such as 'ana', not {by!r}.")
    name = by.strip() if by else ""
    if not name and must_be_named:
        raise RatingError("Who rates? Name the person once with ws.rater = 'ana', or with by='ana': in a notebook an account may stand for several people.")
    return spelled(name) or None


def _account() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        # In a container an account may have a number only.
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _words(words: Iterable[str], name: str, example: str) -> tuple[str, ...]:
    listed = [words] if isinstance(words, str) or not isinstance(words, Iterable) else list(words)
    if isinstance(words, str) or not all(isinstance(word, str) for word in listed):
        raise RatingError(f"{name}= is a list of short texts, such as ['{example}'], not {words!r}.")
    return tuple(dict.fromkeys(spelled(word.strip()) for word in listed if word.strip()))


def _note(note: str | None) -> str | None:
    if not isinstance(note, str | None):
        raise RatingError(f"note= is a text, not {note!r}.")
    return spelled(note) if note else None


def _outputs(outputs: Mapping[str, Any] | None) -> str | None:
    if outputs is None:
        return None
    if not isinstance(outputs, Mapping) or not all(isinstance(name, str) for name in outputs):
        raise RatingError(f"outputs= holds right outputs by name, such as {{'amount': 12}}, not {outputs!r}.")
    return _json(dict(outputs), "outputs")


def _json(value: Any, name: str) -> str:
    try:
        return canonical(json.loads(json.dumps(value, allow_nan=False)))
    except (TypeError, ValueError, RecursionError) as error:
        raise RatingError(f"{name}= must be what JSON can hold (text, numbers, lists, dicts), not {value!r}: {error}.") from None
