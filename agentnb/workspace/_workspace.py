"""A workspace: what was read, as tables that can be asked, values that show themselves, and ratings that last."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb
import pyarrow as pa

from agentnb.errors import QueryError, WorkspaceError
from agentnb.readers import READERS, Candidate, Group, Rows, SourceFile, find_files, read_group, survey_files
from agentnb.render import WorkspaceCard
from agentnb.values import Call, Conversation, Rating, Turn
from agentnb.workspace._account import Account, load_account
from agentnb.workspace._card import make_card
from agentnb.workspace._columns import ROW_TABLES, Tables, to_table, to_tables
from agentnb.workspace._contract import contract
from agentnb.workspace._database import Database, Params
from agentnb.workspace._progress import Progress
from agentnb.workspace._rate import OMITTED, digest_of, make_rating
from agentnb.workspace._ratings import RatingLog, rating_record, ratings_of
from agentnb.workspace._stores import FolderStore, Kept, MemoryStore, Store
from agentnb.workspace._values import load_call, load_conversation, load_turn

Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

_FIND = """
with hits as (
    select 'part' as found_in, conversation_id, turn_id, coalesce(step_id, agent_call_id) as call_id, message_index as place, text
    from parts
    where contains(lower(text), lower($text))
    union all
    select 'input', conversation_id, turn_id, call_id, call_index, input
    from calls
    where contains(lower(input), lower($text))
    union all
    select 'output', conversation_id, turn_id, call_id, call_index, output
    from calls
    where contains(lower(output), lower($text))
    union all
    select 'name', conversation_id, turn_id, call_id, call_index, name
    from calls
    where contains(lower(name), lower($text))
)
select
    found_in,
    conversation_id,
    turn_id,
    call_id,
    regexp_replace(substr(text, greatest(1, instr(lower(text), lower($text)) - 40), 120), '\\s+', ' ', 'g') as excerpt
from hits
order by conversation_id, turn_id, found_in, place, call_id
limit $limit
"""


class Workspace:
    """Recorded runs as tables, values and ratings; `anb.open` makes one.

    Nothing here holds a lock on a file: many notebooks and agents may use one folder at once. A workspace may be used from several threads; a relation
    that `sql` returns belongs to the thread that made it.
    """

    def __init__(self, store: Store, *, name: str | None = None) -> None:
        """Show what a store keeps; use `anb.open`."""
        self._store = store
        self._database = Database()
        self._ratings = RatingLog(store.folder / "ratings" if store.folder is not None else None)
        self._paths: list[Path] = []
        self._shown: tuple[Any, ...] | None = None
        self.name = name or (store.folder.name if store.folder is not None else "memory")
        self.rater: str | None = None
        """The person whose ratings these are, unless `rate` is told another."""
        self._sync()

    @property
    def folder(self) -> Path | None:
        """The folder it is kept in; None while it is kept in memory."""
        return self._store.folder

    def read(self, paths: Paths) -> Workspace:
        """Read further files.

        Args:
            paths: a file, a folder, a glob with `**`, or several of these.

        Returns:
            The workspace itself.

        Raises:
            FileNotFoundError: when a path does not exist or a pattern matches nothing.
            UnknownFormat: when the one file that was named is of no known format.
            WorkspaceError: when the folder of the workspace cannot be written.
        """
        listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
        found = find_files(listed)
        groups = self._store.groups()
        known = {file.path: candidate for candidate in _candidates(groups) for file in [candidate.file]}
        survey = survey_files(found, {item.path: known[item.path.absolute()] for item in found if item.path.absolute() in known})
        current = {frozenset(_state(file) for file in group.files) for group in groups if group.format is not None}
        changed = [group for group in survey.groups if frozenset(_state(member.file) for member in group.members) not in current]
        self._read_groups(changed)
        self._note_unread(survey.unread, groups, {item.path.absolute() for item in found})
        self._paths.extend(path for path in map(Path, listed) if path not in self._paths)
        self._sync()
        return self

    def refresh(self) -> Workspace:
        """Read files that have grown or are new, and see what other notebooks and agents have added.

        Returns:
            The workspace itself.
        """
        kept = [file.path for group in self._store.groups() for file in group.files if file.path.exists()]
        present = [path for path in self._paths if path.exists() or "*" in str(path)]
        if kept or present:
            self.read([*present, *kept])
        self._sync()
        return self

    def sql(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Ask the tables.

        Args:
            query: DuckDB SQL; `from tool_errors` is enough. `ws.tables()` lists what there is.
            params: values for `$1, $2, …` as a list, or for `$name` as a dict.

        Returns:
            A relation, which runs when it is looked at: it shows itself as a table, `.df()` is a pandas frame, `.fetchall()` a list of tuples,
            `.pl()` polars, `.materialize()` keeps the result.

        Raises:
            QueryError: when DuckDB refuses the query.
        """
        self._sync()
        relation = self._database.query(query, params)
        return self._database.cursor().sql("select 'done' as result") if relation is None else relation

    def tables(self) -> duckdb.DuckDBPyRelation:
        """List the tables and views with a line on each."""
        known = contract()
        names = [*known.tables, *known.views]
        kinds = ["table"] * len(known.tables) + ["view"] * len(known.views)
        query = "select unnest($1) as name, unnest($2) as kind, unnest($3) as about"
        return self._database.cursor().sql(query, params=[names, kinds, [known.comments[name] for name in names]])

    def columns(self, table: str) -> duckdb.DuckDBPyRelation:
        """List the columns of a table or view with their types and meaning.

        Raises:
            QueryError: when there is no such table or view.
        """
        known = contract()
        if table not in known.tables and table not in known.views:
            raise QueryError(f"There is no table or view {table!r}. ws.tables() lists them.")
        rows = self._database.rows(f"describe {table}")
        abouts = [_about(table, row["column_name"]) for row in rows]
        query = "select unnest($1) as name, unnest($2) as type, unnest($3) as about"
        return self._database.cursor().sql(query, params=[[row["column_name"] for row in rows], [row["column_type"].lower() for row in rows], abouts])

    def find(self, text: str, *, limit: int = 100) -> duckdb.DuckDBPyRelation:
        """Find a text in everything that was said, asked of tools and returned by them, whatever its case.

        Args:
            text: the text, as it stands.
            limit: how many places to return at most.

        Returns:
            A relation: found_in (part, input, output, name), conversation_id, turn_id, call_id, excerpt.
        """
        return self.sql(_FIND, {"text": text, "limit": limit})

    def conversation(self, conversation_id: str) -> Conversation:
        """Return a conversation with its turns.

        Raises:
            UnknownId: when there is none with this id.
        """
        self._sync()
        return load_conversation(self._database, conversation_id)

    def turn(self, turn_id: str) -> Turn:
        """Return a turn with its messages, calls, approvals and ratings.

        Raises:
            UnknownId: when there is none with this id.
        """
        self._sync()
        return load_turn(self._database, turn_id)

    def call(self, call_id: str) -> Call:
        """Return a call.

        Raises:
            UnknownId: when there is none with this id.
        """
        self._sync()
        return load_call(self._database, call_id)

    @property
    def account(self) -> Account:
        """What became of every record of every file."""
        self._sync()
        return load_account(self._database)

    @property
    def card(self) -> WorkspaceCard:
        """What it holds, what looks wrong, what was not understood; a workspace shows itself as this."""
        account = self.account
        kept_in = "memory" if self.folder is None else str(self.folder)
        unsaved = self.folder is None and bool(self._ratings.records())
        return make_card(self._database, account, kept_in=kept_in, ratings_unsaved=unsaved)

    def rate(
        self,
        target: Turn | Call | Rating | Mapping[str, Any] | str | Any,
        verdict: str | bool | None | Any = OMITTED,
        *,
        answer: Any = OMITTED,
        outputs: Mapping[str, Any] | None = None,
        note: str | None = None,
        reasons: Sequence[str] = (),
        by: str | None = None,
    ) -> Rating:
        """Rate a call or a turn: right, wrong, or None to withdraw what the same person said before.

        In a folder the rating is written and flushed to the disk before this returns. In memory it lives only as long as the workspace: `save` keeps it.

        Args:
            target: a turn, step or call, its id, or a row with a call_id.
            verdict: 'right' or 'wrong' (True, False), None to withdraw; may be left out when the right answer is given, and is then 'wrong'.
            answer: the right answer, anything JSON can hold; only with 'wrong'.
            outputs: further right outputs by name; only with 'wrong'.
            note: free text.
            reasons: short reasons, as tags.
            by: the person; else `ws.rater`; outside notebooks else the account of the operating system.

        Returns:
            The rating as it was kept.

        Raises:
            RatingError: when it makes no sense, or in a notebook names no person.
            UnknownId: when there is no such call.
            WorkspaceError: when it could not be written; then it is not kept.
        """
        self._sync()
        rating = make_rating(
            self._database, target, verdict, answer=answer, outputs=outputs, note=note, reasons=reasons, by=by or self.rater
        )
        self._ratings.append(rating_record(rating))
        self._sync()
        return rating

    def save(self, folder: str | os.PathLike[str]) -> Workspace:
        """Keep the workspace in a folder from now on, with everything it holds and the ratings that were made.

        Args:
            folder: a new or empty folder, or a workspace to add to.

        Returns:
            The workspace itself, now kept in the folder.

        Raises:
            WorkspaceError: when the folder cannot be written; the workspace then stays as it was.
        """
        path = Path(folder).expanduser()
        if self.folder is not None and path.absolute() == self.folder.absolute():
            return self
        store = FolderStore(path)
        for group in self._store.groups():
            store.keep(group.format, group.files, group.keys, {name: _loaded(table) for name, table in group.tables.items()})
        ratings = RatingLog(path / "ratings")
        present = {record.get("id") for record in ratings.records()}
        ratings.extend(record for record in self._ratings.records() if record.get("id") not in present)
        self._store, self._ratings, self._shown = store, ratings, None
        self.name = path.name if self.name == "memory" else self.name
        self._sync()
        return self

    def close(self) -> None:
        """Free the tables; ratings are on disk already, or were never saved."""
        self._database.close()

    def __enter__(self) -> Workspace:
        """Return the workspace, to be closed at the end of a with block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the workspace."""
        self.close()

    def __repr__(self) -> str:
        """Return one line: where it is kept and how much it holds."""
        (row,) = self._database.rows("select (select count(*) from conversations) as conversations, (select count(*) from turns) as turns")
        where = "in memory" if self.folder is None else f"in {self.folder}"
        return f"<Workspace {where}: {row['conversations']:,} conversations, {row['turns']:,} turns>"

    def _read_groups(self, groups: Sequence[Group]) -> None:
        total = sum(member.file.size for group in groups for member in group.members)
        with Progress(total, "reading") as progress:
            for group in groups:
                rows = read_group(group, progress.add)
                files, keys = [member.file for member in group.members], [sorted(member.keys) for member in group.members]
                self._store.keep(group.reader.format, files, keys, to_tables(rows))

    def _note_unread(self, unread: Rows, groups: Sequence[Kept], looked_at: set[Path]) -> None:
        """Keep the account of files that cannot be read, with that of earlier ones which were not looked at again."""
        earlier = [group for group in groups if group.format is None]
        files = [SourceFile(Path(row.path), row.bytes, (row.modified_at or 0) * 1000) for row in unread.sources]
        carried = [file for group in earlier for file in group.files if file.path.absolute() not in looked_at]
        if not files and (not earlier or len(carried) == sum(len(group.files) for group in earlier)):
            return
        tables = to_tables(unread)
        ids = pa.array([row["source_id"] for row in self._sources_of(earlier) if Path(row["path"]).absolute() not in looked_at], pa.large_string())
        for name in ("sources", "diagnostics"):
            old = [_loaded(group.tables[name]) for group in earlier]
            kept = [table.filter(pa.compute.is_in(table["source_id"], value_set=ids)) for table in old]
            tables[name] = pa.concat_tables([*kept, tables[name]])
        self._store.keep(None, [*carried, *files], [()] * (len(carried) + len(files)), tables)

    def _sources_of(self, groups: Sequence[Kept]) -> list[dict[str, Any]]:
        return [row for group in groups for row in _loaded(group.tables["sources"]).to_pylist()]

    def _sync(self) -> None:
        """Let the tables show what the store and the ratings hold now; cheap when nothing has changed."""
        records = self._ratings.records()
        state = (self._store_state(), self._ratings.generation)
        if state == self._shown:
            return
        if self._shown is None or state[0] != self._shown[0]:
            self._groups = self._store.groups()
            self._database.show(self._groups, {})
        ratings = ratings_of(records)
        extra = {"ratings": to_table("ratings", [_RatingRow(rating) for rating in ratings]), "diagnostics": self._rating_diagnostics(ratings)}
        self._database.show(self._groups, extra)
        self._shown = state

    def _store_state(self) -> Any:
        if self.folder is None:
            return tuple(id(group.tables) for group in self._store.groups())
        try:
            return (self.folder / "tables").stat().st_mtime_ns
        except OSError as error:
            raise WorkspaceError(error.errno, f"The workspace {self.folder} is gone or cannot be read: {error.strerror}") from error

    def _rating_diagnostics(self, ratings: Sequence[Rating]) -> pa.Table:
        """Say which ratings are of calls that are not there, or whose input is another one now."""
        rows = self._database.rows(
            """
            select c.call_id, coalesce(c.input, t.prompt) as input
            from calls as c
            left join turns as t on c.call_id = t.turn_id
            where c.call_id in (select unnest($1))
            order by c.call_id
            """,
            [sorted({rating.call_id for rating in ratings if rating.counts})],
        ) if ratings else []  # fmt: skip
        digests = {row["call_id"]: digest_of(row["input"]) for row in rows}
        odd = [(rating, _oddity(rating, digests)) for rating in ratings if rating.counts]
        return to_table("diagnostics", [_RatingDiagnostic(index, rating, code) for index, (rating, code) in enumerate(odd) if code is not None])


class _RatingRow:
    """A rating with the columns of its table."""

    def __init__(self, rating: Rating) -> None:
        self.__dict__.update({name: getattr(rating, name) for name in Rating.model_fields})
        self.reasons = list(rating.reasons)


class _RatingDiagnostic:
    """What is odd about a rating, with the columns of the diagnostics table."""

    def __init__(self, index: int, rating: Rating, code: str) -> None:
        self.source_id = "ratings"
        self.diagnostic_index = index
        self.severity = "warning"
        self.code = code
        what = "is of a call that is not among the recordings that were read" if code == "rating_without_call" else "was given when the call had another input"
        self.message = f"The rating {rating.verdict} by {rating.rated_by or rating.account} {what}."
        self.source_line = None
        self.conversation_id = None
        self.call_id = rating.call_id
        self.excerpt = rating.note


def _oddity(rating: Rating, digests: Mapping[str, str]) -> str | None:
    digest = digests.get(rating.call_id)
    if digest is None:
        return "rating_without_call"
    return "rating_of_changed_call" if rating.call_digest not in (None, digest) else None


def _about(table: str, column: str) -> str:
    """Return the comment on a column; a view's column has that of the column of the same name."""
    comments = contract().comments
    own = comments.get(f"{table}.{column}")
    return own or next((comments[f"{other}.{column}"] for other in ("calls", "turns", *contract().tables) if f"{other}.{column}" in comments), "")


def _candidates(groups: Sequence[Kept]) -> list[Candidate]:
    """Return the files of groups as they were when they were read, so that they need not be looked at again."""
    readers = {reader.format: reader for reader in READERS}
    return [
        Candidate(file._replace(path=file.path.absolute()), readers[group.format], frozenset(keys))
        for group in groups
        if group.format in readers
        for file, keys in zip(group.files, group.keys, strict=True)
    ]


def _state(file: SourceFile) -> tuple[Path, int, int]:
    return file.path.absolute(), file.size, file.modified_ns


def _loaded(table: pa.Table | Path) -> pa.Table:
    if isinstance(table, pa.Table):
        return table
    import pyarrow.parquet as pq

    return pq.read_table(table)


__all__ = ["ROW_TABLES", "Tables", "Workspace"]
