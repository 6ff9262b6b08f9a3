"""Named random draws: recorded once, never edited, so that anybody can check which sample a rating belongs to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from agentnb.ratings import Drawn, spelled, time_of, write_time
from agentnb.values import Sample, SampledCall
from agentnb.workspace._append_log import AppendLog
from agentnb.workspace._stores import Store

FORMAT: Final = 1
"""Version of the record."""


class KeptSample(NamedTuple):
    """A draw, and its calls in the order of the draw."""

    sample: Sample
    """The draw."""
    calls: tuple[Drawn, ...]
    """Its calls."""


def sample_log(store: Store) -> AppendLog[KeptSample]:
    """Open the draws beside the tables of a store."""
    return AppendLog(None if store.place is None else store.place / "samples", sample_of, noun="sample")


def sample_record(kept: KeptSample) -> dict[str, Any]:
    """Write a draw as a record."""
    sample = kept.sample
    who = {"by": sample.drawn_by} if sample.drawn_by else {"account": sample.account}
    known: dict[str, Any] = {"agentnb_sample": FORMAT, "id": sample.sample_id, "sample": sample.sample, "at": write_time(sample.drawn_at), **who}
    known |= {"query": sample.query, "seed": sample.seed, "asked": sample.asked, "population": sample.population, "stratified_by": sample.stratified_by}
    return known | {"calls": [[one.call_id, one.stratum, one.stratum_population] for one in kept.calls]}


def sample_of(record: Any) -> KeptSample | None:
    """Make the draw of a record; None when it is none, or of another format."""
    if not isinstance(record, dict) or record.get("agentnb_sample") != FORMAT:
        return None
    moment, calls = time_of(record.get("at")), record.get("calls")
    numbers = [record.get(name) for name in ("seed", "asked", "population")]
    texts = [record.get(name) for name in ("id", "sample")]
    if moment is None or not isinstance(calls, list) or not all(isinstance(text, str) for text in texts) or not all(type(one) is int for one in numbers):
        return None
    drawn = tuple(Drawn(spelled(call_id), stratum, population) for call_id, stratum, population in filter(_is_drawn, calls))
    words = {field: record[name] for field, name in _TEXTS.items() if isinstance(record.get(name), str)}
    made = {"sample_id": texts[0], "sample": texts[1], "seed": numbers[0], "asked": numbers[1], "population": numbers[2], "drawn": len(drawn)}
    return KeptSample(Sample.model_validate({**words, **made, "drawn_at": moment}), drawn)


def sample_rows(kept: Iterable[KeptSample]) -> Mapping[str, Sequence[Sample | SampledCall]]:
    """Return the rows of `samples` and `sampled_calls`: of two draws of one name the first one is that draw."""
    first: dict[str, KeptSample] = {}
    for one in sorted(kept, key=lambda one: (one.sample.drawn_at, one.sample.sample_id)):
        first.setdefault(one.sample.sample, one)
    calls = [
        SampledCall(sample=name, call_id=drawn.call_id, draw_index=place, stratum=drawn.stratum, stratum_population=drawn.stratum_population)
        for name, one in first.items()
        for place, drawn in enumerate(one.calls)
    ]
    return {"samples": [one.sample for one in first.values()], "sampled_calls": calls}


_TEXTS: Final = {"query": "query", "stratified_by": "stratified_by", "drawn_by": "by", "account": "account"}


def _is_drawn(call: Any) -> bool:
    return isinstance(call, list) and len(call) == 3 and isinstance(call[0], str) and isinstance(call[1], str | None) and type(call[2]) is int


def now() -> datetime:
    """Return this moment in UTC."""
    return datetime.now(UTC)
