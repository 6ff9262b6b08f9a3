"""One rating: is it allowed, of which call, by whom?"""

from __future__ import annotations

import getpass
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import Enum
from typing import Any

from agentnb.errors import RatingError
from agentnb.values import Call, Rating, Step, Turn
from agentnb.workspace._database import Database
from agentnb.workspace._ids import new_id
from agentnb.workspace._values import unknown


class Omitted(Enum):
    """Stands for an argument that was not given where None means something."""

    OMITTED = "omitted"

    def __repr__(self) -> str:
        """Show it in a signature as what it is."""
        return "<omitted>"


OMITTED = Omitted.OMITTED

_VERDICTS: dict[Any, str | None] = {"right": "right", "wrong": "wrong", None: None, True: "right", False: "wrong"}


def make_rating(
    database: Database,
    target: Any,
    verdict: Any,
    *,
    answer: Any = OMITTED,
    outputs: Mapping[str, Any] | None = None,
    note: str | None = None,
    reasons: Sequence[str] = (),
    by: str | None = None,
) -> Rating:
    """Make the rating of a turn or call, or say what is wrong with it.

    Raises:
        RatingError: when verdict, correction, reasons or person do not fit together.
        UnknownId: when there is no such call.
        TypeError: when the target is nothing that can be rated.
    """
    call = _call_of(database, target)
    has_correction = answer is not OMITTED or outputs is not None
    word = _verdict_of(verdict, has_correction)
    if has_correction and word != "wrong":
        raise RatingError(f"A right answer goes with the verdict wrong, not with {word or 'a withdrawn one'}. Leave answer= and outputs= out, or rate 'wrong'.")
    person = _person(by)
    return Rating(
        rating_id=new_id(),
        call_id=call["call_id"],
        verdict=word,  # type: ignore[arg-type]
        rated_by=person,
        account=None if person else getpass.getuser(),
        rated_at=datetime.now(UTC),
        answer=None if answer is OMITTED else _json(answer, "answer"),
        outputs=None if outputs is None else _json(dict(outputs), "outputs"),
        reasons=_reasons(reasons),
        note=note or None,
        origin="review",
        call_name=call["name"],
        call_digest=digest_of(call["input"]),
    )


def digest_of(text: str | None) -> str:
    """Return the digest of a call's input by which a rating knows the call again."""
    return hashlib.blake2b((text or "").encode(), digest_size=8).hexdigest()


def target_id(target: Any) -> str:
    """Return the call id of what can be rated: a turn, step, call or rating, a row with a call_id or turn_id, or the id itself.

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
    found = next((target[name] for name in ("call_id", "turn_id", "call") if isinstance(target, Mapping) and isinstance(target.get(name), str)), None)
    if found is None:
        raise TypeError(f"A {type(target).__name__} cannot be rated. Give a turn, a step, a call, its id as text, or a row that has a call_id.")
    return str(found)


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
        [wanted],
    )
    if not rows:
        raise unknown(database, "call", wanted)
    return rows[0]


def _verdict_of(verdict: Any, has_correction: bool) -> str | None:
    if verdict is OMITTED:
        if not has_correction:
            raise RatingError("A rating needs a verdict: 'right', 'wrong', or None to withdraw one; with a right answer alone it is 'wrong'.")
        return "wrong"
    try:
        return _VERDICTS[verdict]
    except (KeyError, TypeError):
        raise RatingError(f"The verdict {verdict!r} is none of 'right', 'wrong' (or True, False), and None, which withdraws a rating.") from None


def _person(by: str | None) -> str | None:
    name = by.strip() if by else ""
    if not name and "ipykernel" in sys.modules:
        raise RatingError("Who rates? Name the person once with ws.rater = 'ana', or with by='ana': in a notebook an account may stand for several people.")
    return name or None


def _reasons(reasons: Sequence[str]) -> tuple[str, ...]:
    if isinstance(reasons, str) or not all(isinstance(reason, str) for reason in reasons):
        raise RatingError(f"reasons is a list of short texts, such as ['wrong amount'], not {reasons!r}.")
    return tuple(reason.strip() for reason in reasons if reason.strip())


def _json(value: Any, name: str) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise RatingError(f"{name}= must be what JSON can hold (text, numbers, lists, dicts), not {value!r}: {error}.") from None
