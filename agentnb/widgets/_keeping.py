"""A CLICK -> A RATING: what the browser says about a call, kept through `ws.rate`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agentnb.errors import RatingError
from agentnb.values import Rating
from agentnb.widgets._recorded import ratings_of

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

VERDICTS: Final[Mapping[str, str | None]] = {"right": "right", "wrong": "wrong", "withdraw": None}


def rate(workspace: Workspace, call_id: str, request: Mapping[str, Any], by: str) -> tuple[Rating, ...]:
    """Keep what a person said about a call.

    A note or an answer alone belongs to the verdict the person gave before; an answer makes it wrong. What was said with the same verdict
    stays unless it is said anew, since only the latest rating of a person counts.

    Args:
        workspace: where it is kept.
        call_id: the call or turn.
        request: `verdict` (right, wrong, withdraw or None), `answer` and `note` as text, and `toggle`: the same verdict again withdraws it.
        by: who says it.

    Returns:
        The ratings of the call, oldest first.

    Raises:
        RatingError: a note without a verdict, or a verdict that is none.
    """
    before = _latest(ratings_of(workspace, call_id), by)
    verdict = _verdict(request, before)
    if verdict is not None or before is not None:
        workspace.rate(call_id, verdict, by=by, **_words(request, before if before is not None and before.verdict == verdict else None, verdict))
    return ratings_of(workspace, call_id)


def as_answer(text: str) -> Any:
    """Return what a person typed as the value it is in JSON, else as the text it is."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _latest(ratings: tuple[Rating, ...], by: str) -> Rating | None:
    return next((rating for rating in reversed(ratings) if rating.rated_by == by and rating.counts and rating.verdict), None)


def _verdict(request: Mapping[str, Any], before: Rating | None) -> Any:
    asked = request.get("verdict")
    if asked is not None:
        if asked not in VERDICTS:
            raise RatingError(f"A verdict is right, wrong or withdraw, not {asked!r}.")
        again = request.get("toggle") and before is not None and before.verdict == asked
        return None if again else VERDICTS[asked]
    if request.get("answer") is not None:
        return "wrong"
    if before is None:
        raise RatingError("Say right or wrong first (keys 1 and 2): a note is kept with the verdict that it explains.")
    return before.verdict


def _words(request: Mapping[str, Any], before: Rating | None, verdict: Any) -> dict[str, Any]:
    words: dict[str, Any] = {}
    if before is not None:
        kept = {"answer": before.answer, "outputs": before.outputs}
        words |= {name: json.loads(value) for name, value in kept.items() if value is not None}
        words |= {"note": before.note, "reasons": before.reasons}
    if request.get("answer") is not None:
        words["answer"] = as_answer(str(request["answer"]))
    if request.get("note") is not None:
        words["note"] = str(request["note"])
    return {} if verdict is None else words
