"""One rating: is it allowed, of which call, by whom?"""

from __future__ import annotations

import getpass
import json
import os
import sys
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from agentnb.errors import RatingError
from agentnb.ratings import canonical, spelled
from agentnb.values import Call, Rating, Step, Turn
from agentnb.values.ratings import Verdict
from agentnb.workspace._database import Database
from agentnb.workspace._ids import new_id
from agentnb.workspace._said import digest_of
from agentnb.workspace._values import unknown


class Omitted(Enum):
    """Stands for an argument that was not given where None means something."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        """Show it in a signature as what it is."""
        return "<omitted>"


OMITTED = Omitted.OMITTED

_VERDICTS: dict[Any, Verdict | None] = {"right": "right", "wrong": "wrong", None: None, True: "right", False: "wrong"}
_IDS = ("call_id", "call", "step_id", "decision_id", "turn_id")
"""Fields of a row that say what is rated, the nearest first."""


def make_rating(
    database: Database,
    target: Any,
    verdict: Any,
    *,
    answer: Any = OMITTED,
    outputs: Mapping[str, Any] | None = None,
    note: str | None = None,
    reasons: Iterable[str] = (),
    by: str | None = None,
) -> Rating:
    """Make the rating of a turn or call, or say what is wrong with it.

    Raises:
        RatingError: when verdict, correction, reasons or person do not fit together.
        UnknownId: when there is no such call.
        TypeError: when the target is nothing that can be rated.
    """
    call = _call_of(database, target)
    word = _verdict_of(verdict, has_correction=answer is not OMITTED or outputs is not None)
    person = _person(by)
    return Rating(
        rating_id=new_id(),
        call_id=call["call_id"],
        verdict=word,
        rated_by=person,
        account=None if person else _account(),
        rated_at=datetime.now(UTC),
        answer=None if answer is OMITTED else _json(answer, "answer"),
        outputs=_outputs(outputs),
        reasons=_reasons(reasons),
        note=_note(note),
        origin="review",
        call_name=call["name"],
        call_digest=digest_of(call["input"]),
        counts=word is not None,
    )


def target_id(target: Any) -> str:
    """Return the call id of what can be rated: a turn, step, call or rating, a row with a call_id, step_id, decision_id or turn_id, or the id itself.

    Raises:
        TypeError: when it is none of these.
    """
    if isinstance(target, str):
        return target
    if isinstance(target, Turn):
        return target.turn_id
    if isinstance(target, Step):
        return target.call.call_id
    if isinstance(target, Call | Rating):
        return target.call_id
    found = next((value for name in _IDS if isinstance(value := _field(target, name), str)), None)
    if found is None:
        hint = " A row as a tuple does not say which value is the id: use ws.sql(…).df(), or row[0]." if isinstance(target, tuple | list) else ""
        raise TypeError(f"A {type(target).__name__} cannot be rated. Give a turn, a step, a call, its id as text, or a row that has a call_id.{hint}")
    return found


def _field(row: Any, name: str) -> Any:
    """Return a field of a dict, of a row of a pandas frame, or of a named tuple; None when it has none of this name."""
    if isinstance(row, Mapping) or hasattr(row, "keys"):
        return row[name] if name in row.keys() else None  # noqa: SIM118 (`in` asks a Series for its index too, but not every row)
    return getattr(row, name, None) if isinstance(row, tuple) else None


def _call_of(database: Database, target: Any) -> dict[str, Any]:
    wanted = target_id(target)
    # A turn is known by what the person said, which its own call does not hold.
    rows = database.rows(
        """
        select c.call_id, c.name, coalesce(c.input, t.prompt) as input
        from calls as c
        left join turns as t on c.call_id = t.turn_id
        where c.call_id = $1
        order by c.call_id
        """,
        [spelled(wanted)],
    )
    if not rows:
        raise unknown(database, "call", wanted)
    return rows[0]


def _verdict_of(verdict: Any, has_correction: bool) -> Verdict | None:
    if verdict is OMITTED:
        if not has_correction:
            raise RatingError("A rating needs a verdict: 'right', 'wrong', or None to withdraw one; with a right answer alone it is 'wrong'.")
        return "wrong"
    try:
        word = _VERDICTS[verdict]
    except (KeyError, TypeError):
        raise RatingError(f"The verdict {verdict!r} is none of 'right', 'wrong' (or True, False), and None, which withdraws a rating.") from None
    if has_correction and word != "wrong":
        what = "None, which withdraws a rating" if word is None else repr(word)
        raise RatingError(f"A right answer goes with the verdict 'wrong', not with {what}. Leave answer= and outputs= out, or rate 'wrong'.")
    return word


def _person(by: str | None) -> str | None:
    if not isinstance(by, str | None):
        raise RatingError(f"by= is the name of a person, such as 'ana', not {by!r}.")
    name = by.strip() if by else ""
    if not name and "ipykernel" in sys.modules:
        raise RatingError("Who rates? Name the person once with ws.rater = 'ana', or with by='ana': in a notebook an account may stand for several people.")
    return spelled(name) or None


def _account() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        # In a container an account may have a number only.
        return str(os.getuid()) if hasattr(os, "getuid") else "unknown"


def _reasons(reasons: Iterable[str]) -> tuple[str, ...]:
    listed = [reasons] if isinstance(reasons, str) or not isinstance(reasons, Iterable) else list(reasons)
    if isinstance(reasons, str) or not all(isinstance(reason, str) for reason in listed):
        raise RatingError(f"reasons= is a list of short texts, such as ['wrong amount'], not {reasons!r}.")
    return tuple(spelled(reason.strip()) for reason in listed if reason.strip())


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
