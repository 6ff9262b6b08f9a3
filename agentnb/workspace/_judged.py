"""What people say of a workspace: ratings, and the random draws that make a number of them honest."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol, TypedDict, Unpack, overload

import duckdb

from agentnb.conversations.identifiers import new_id
from agentnb.errors import RatingError
from agentnb.ratings import draw, rating_record
from agentnb.values import Call, Rating, Sample, Step, Turn
from agentnb.workspace._database import Database, Params
from agentnb.workspace._drawn import KeptSample, now, sample_record
from agentnb.workspace._logs import Logs
from agentnb.workspace._mirror import Mirror
from agentnb.workspace._next import NEXT
from agentnb.workspace._picked import id_column, picked
from agentnb.workspace._rate import OMITTED, make_ratings, rater_of

_UNSAVED: Final = "Ratings of this workspace live only as long as it does, since it is kept in memory: ws.save('folder') keeps them, and everything else of it."
_log = logging.getLogger("agentnb")


class RatingWords(TypedDict, total=False):
    """What may be said with a verdict."""

    answer: Any
    outputs: Mapping[str, Any] | None
    note: str | None
    reasons: Iterable[str]
    tags: Iterable[str] | None
    by: str | None
    origin: str
    sample: str | None


class Judged(Protocol):
    """What is needed of a workspace."""

    _database: Database
    _logs: Logs
    _mirror: Mirror
    _said_unsaved: bool
    rater: str | None

    @property
    def folder(self) -> Path | None:
        """The folder it is kept in."""
        ...

    def sql(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Ask the tables."""
        ...

    def _sync(self) -> None: ...


class JudgedCalls:
    """Part of a workspace: what people said about calls, and which calls they were asked about."""

    @overload
    def rate(self, target: Turn | Step | Call | Rating | str, verdict: Any = OMITTED, **words: Unpack[RatingWords]) -> Rating: ...
    @overload
    def rate(self, target: Any, verdict: Any = OMITTED, **words: Unpack[RatingWords]) -> Any: ...
    def rate(
        self: Judged,
        target: Any,
        verdict: Any = OMITTED,
        *,
        answer: Any = OMITTED,
        outputs: Mapping[str, Any] | None = None,
        note: str | None = None,
        reasons: Iterable[str] = (),
        tags: Iterable[str] | None = None,
        by: str | None = None,
        origin: str = "review",
        sample: str | None = None,
    ) -> Any:
        """Rate a call or a turn, or several alike: right, wrong, or None to withdraw what the same person said before.

        In a folder a rating is written and flushed to the disk before this returns; those of a list are all checked before the first is written, at once.

        Args:
            target: a turn, step or call, its id, a row with a call_id; or a list of these, a frame, or what `sql` returned. Of a merged turn the call
                that merged is rated.
            verdict: 'right' or 'wrong' (True, False), None to withdraw; may be left out with a right answer, and is then 'wrong', or with tags alone.
            answer: the right answer, anything JSON can hold; only with 'wrong'.
            outputs: further right outputs by name; only with 'wrong'.
            note: free text.
            reasons: short reasons for the verdict.
            tags: open codes, beside the verdict or without one. They stand until the same person gives others; an empty list takes them back.
            by: the person; else `ws.rater`; outside notebooks else the account of the operating system.
            origin: how the rating came about: review, edit or import.
            sample: the random draw in which the call was rated (`ws.sample`).

        Returns:
            The rating as it was kept; of several calls the list of them.

        Raises:
            RatingError: when it makes no sense, or in a notebook names no person.
            UnknownId: when there is no such call.
            WorkspaceError: when it could not be written; then nothing of it is kept.
        """
        self._sync()
        calls = picked(target)
        words: dict[str, Any] = {"answer": answer, "outputs": outputs, "note": note, "reasons": reasons, "tags": tags}
        ratings = make_ratings(self._database, self._mirror.facts, calls.call_ids, verdict, **words, by=by or self.rater, origin=origin, sample=sample)
        keep_ratings(self, ratings)
        return ratings if calls.several else ratings[0]

    def sample(
        self: Judged, query: Any, n: int, *, seed: int, name: str, stratify_by: str | None = None, by: str | None = None, params: Params = None
    ) -> Sample:
        """Draw calls at random, and record the draw under a name: what is said of it can be said of all calls of the query.

        The draw is kept in the workspace and never edited. The same draw again is the one that was recorded; its calls, in the order in which to rate them,
        are `from sampled_calls where sample = 'NAME' order by draw_index`.

        Args:
            query: SQL, or a relation or frame, with a call_id (or step_id, turn_id): the calls to draw from.
            n: how many to draw; all, when there are fewer.
            seed: a whole number; the same seed on the same calls draws the same, and a larger draw begins with the smaller one.
            name: name of the draw, for `ws.rate(…, sample=name)` and `anb.accuracy(ws, name)`.
            stratify_by: a column of the query: each of its groups gives its share, and at least one call.
            by: who draws; else `ws.rater`, else the account.
            params: values for the query.

        Returns:
            The draw.

        Raises:
            RatingError: when there is nothing to draw from, or another draw has this name.
            QueryError: when DuckDB refuses the query.
            WorkspaceError: when it could not be written; then there is no such draw.
        """
        if not name.strip() or type(n) is not int or n < 1 or type(seed) is not int:
            raise RatingError("A sample needs a name, a size n of 1 or more, and a whole number as seed: ws.sample(query, 50, seed=1, name='march').")
        asked = self.sql(query, params) if isinstance(query, str) else query
        groups = _groups(asked, stratify_by)
        if not groups:
            raise RatingError("There is nothing to draw from: the query returns no calls.")
        person, account = rater_of(by or self.rater, must_be_named=False)
        drawn = tuple(draw(groups, n, seed=seed))
        made = Sample(
            sample=name, sample_id=new_id(), query=query if isinstance(query, str) else None, seed=seed, asked=n, drawn=len(drawn), population=len(groups),
            stratified_by=stratify_by, drawn_by=person, account=account, drawn_at=now(),
        )  # fmt: skip
        return _recorded(self, KeptSample(made, drawn))

    def next_to_rate(self: Judged, query: Any = "from calls where kind = 'agent'", *, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Say which calls of a query to look at next, and why: what is learnt from them is not known yet.

        First the calls about which people differ, then those at which a rule fired and that nobody rated, then one of each kind (program, version, failed or
        not) of which nothing is rated. These are picked, not drawn: their ratings say where a program fails, not how often.

        Args:
            query: SQL, or a relation, with a call_id (or step_id, turn_id).
            params: values for the query.

        Returns:
            A relation: call_id, reason, detail, priority.

        Raises:
            RatingError: when the query names no call.
            QueryError: when DuckDB refuses it.
        """
        asked: duckdb.DuckDBPyRelation = self.sql(query, params) if isinstance(query, str) else query
        # A query that names rule_hits lets them be worked out.
        self.sql("from rule_hits limit 0")
        column = duckdb.ColumnExpression(id_column(asked.columns)).alias("call_id")
        found = asked.select(column).query("wanted", NEXT)
        assert found is not None, "a select has a result"
        return found


def keep_ratings(workspace: Judged, ratings: Sequence[Rating]) -> None:
    """Keep ratings, all or none, and say once when they will not last.

    Raises:
        WorkspaceError: when they could not be written.
    """
    workspace._logs.ratings.append(*map(rating_record, ratings))
    if workspace.folder is None and not workspace._said_unsaved:
        workspace._said_unsaved = True
        _log.warning(_UNSAVED)
    workspace._sync()


def _groups(asked: Any, stratify_by: str | None) -> dict[str, str | None]:
    """Return the group of each call that was asked for; None everywhere without a column of groups."""
    if stratify_by is None:
        return dict.fromkeys(picked(asked).call_ids) if _has_rows(asked) else {}
    columns = list(asked.columns)
    if stratify_by not in columns:
        raise RatingError(f"stratify_by= names a column of the query, and it has {', '.join(map(str, columns[:8]))}, not {stratify_by!r}.")
    rows = asked.fetchall() if isinstance(asked, duckdb.DuckDBPyRelation) else asked[columns].itertuples(index=False)
    call, group = columns.index(id_column(columns)), columns.index(stratify_by)
    return {row[call]: str(row[group]) for row in rows}


def _has_rows(asked: Any) -> bool:
    return bool(asked.limit(1).fetchall()) if isinstance(asked, duckdb.DuckDBPyRelation) else bool(len(asked))


def _recorded(workspace: Judged, kept: KeptSample) -> Sample:
    """Record a draw, unless it was; of two processes that draw under one name at once the first one counts."""
    wanted = kept.sample
    before = _sample_named(workspace, wanted.sample)
    if before is None:
        workspace._logs.samples.append(sample_record(kept))
        workspace._sync()
        before = _sample_named(workspace, wanted.sample) or wanted
    calls = [row["call_id"] for row in workspace._database.rows("from sampled_calls where sample = $1 order by draw_index", [wanted.sample])]
    if calls != [one.call_id for one in kept.calls] or before.stratified_by != wanted.stratified_by:
        raise RatingError(
            f"There is a sample {wanted.sample!r} already, of {before.drawn:,} other calls out of {before.population:,} (seed {before.seed}), and a draw is "
            "never edited: draw under another name."
        )
    return before


def _sample_named(workspace: Judged, name: str) -> Sample | None:
    rows = workspace._database.rows("from samples where sample = $1 limit 1", [name])
    return Sample.model_validate(rows[0]) if rows else None
