"""Rated calls as rows: a dict each, whose data keeps its names whatever the columns about the rating are called."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agentnb.ratings.rated import RatedCall

ABOUT: tuple[str, ...] = ("call", "version", "rating", "rated_by", "origin", "sample", "disputed")
"""Columns about the rating, behind the data."""


def rows_of(calls: Sequence[RatedCall]) -> list[dict[str, Any]]:
    """Make the rows: inputs, right outputs, what was shown before where any of these calls was shown something, then the columns about the rating.

    A column that would bear the name of an input or output of any row gets underscores in front until its name is free.
    """
    data = {name for call in calls for name in (*call.inputs, *call.outputs)}
    contexts = {name for call in calls for name in call.context}
    shown = [name for name in ("earlier", "conversation", "sections", "helpers") if name in contexts]
    names = {name: _free(name, data) for name in (*shown, *ABOUT)}
    return [_row(call, shown, names) for call in calls]


def _free(name: str, taken: Iterable[str]) -> str:
    while name in taken:
        name = f"_{name}"
    return name


def _row(call: RatedCall, shown: Sequence[str], names: Mapping[str, str]) -> dict[str, Any]:
    nothing: dict[str, Any] = {"earlier": [], "conversation": call.conversation, "sections": None, "helpers": []}
    context = {names[name]: call.context.get(name, nothing[name]) for name in shown}
    about = (call.call_id, call.version, call.rating, call.rated_by, call.origin, call.sample, call.disputed)
    return {**call.inputs, **call.outputs, **context, **{names[name]: value for name, value in zip(ABOUT, about, strict=True)}}
