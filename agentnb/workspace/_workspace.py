"""A workspace: what was read, as tables that can be asked, values that show themselves, and ratings that last."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import duckdb

from agentnb.decisions import Case, DecisionExpectation
from agentnb.errors import QueryError, WorkspaceError
from agentnb.readers import LIVE, Found, Given, find_files
from agentnb.render import WorkspaceCard
from agentnb.rules import default_rules
from agentnb.values import Call, Conversation, Decision, ObservedDecision, Step, Turn
from agentnb.workspace._account import Account, load_account
from agentnb.workspace._batches import absolute
from agentnb.workspace._card import make_card
from agentnb.workspace._case_files import keep_case
from agentnb.workspace._contract import contract
from agentnb.workspace._database import Database, Params
from agentnb.workspace._derived import DERIVED, Derivations
from agentnb.workspace._exchanged import ExchangedRatings
from agentnb.workspace._expect import make_case
from agentnb.workspace._folder import FolderStore, copy_batches
from agentnb.workspace._given import Input, sort_input
from agentnb.workspace._judged import JudgedCalls
from agentnb.workspace._live_runs import LiveRuns
from agentnb.workspace._live_store import LiveStore
from agentnb.workspace._logs import logs_of
from agentnb.workspace._mirror import Mirror
from agentnb.workspace._ran import RanPrograms
from agentnb.workspace._reading import find_again, take_in
from agentnb.workspace._ruled import RuledTurns
from agentnb.workspace._search import FIND
from agentnb.workspace._stores import Store
from agentnb.workspace._traced import TracedAnswers
from agentnb.workspace._values import load_call, load_conversation, load_turn


class Workspace(ExchangedRatings, JudgedCalls, LiveRuns, RanPrograms, RuledTurns, TracedAnswers):
    """Recorded runs as tables, values and ratings; `anb.open` makes one.

    Nothing here holds a lock on a file: many notebooks and agents may use one folder at once. A workspace may be used from several threads; a relation
    that `sql` returns belongs to the thread that made it.
    """

    def __init__(self, store: Store, *, name: str | None = None) -> None:
        """Show what a store keeps; use `anb.open`."""
        self._store = LiveStore(store)
        self._watch_own()
        self._database = Database()
        self._logs = logs_of(store)
        self._mirror = Mirror(self._database, self._store, self._logs)
        self.rules = default_rules()
        self._derivations = Derivations(self._database, lambda: self.rules)
        self._watched: dict[str, str] = {}
        self._said_unsaved = False
        self.name = name or ("memory" if store.place is None else store.place.name)
        """By which a magic finds it again."""
        self.rater: str | None = None
        """The person whose ratings these are, unless `rate` is told another."""
        self.closed = False
        """Whether `close` was called."""

    @property
    def folder(self) -> Path | None:
        """The folder it is kept in; None while it is kept in memory."""
        return self._store.folder

    @property
    def generation(self) -> object:
        """What changes whenever the tables do, compared by `==`; asking it is cheap."""
        self._sync()
        return self._store.state()

    @property
    def is_damaged(self) -> bool:
        """Whether tables of the folder cannot be read; `refresh` reads their sources again, and `diagnostics` says which these are."""
        self._check_open()
        return bool(self._store.damaged())

    def read(self, what: Input, *, name: str | None = None, latest_first: bool = False) -> Workspace:
        """Read further files, or what is at hand in Python; files that are known and have not changed are not read again.

        Args:
            what: a file, a folder, a glob with `**`, or several of these; a database of live conversations (an SQLite file or the URL of one on PostgreSQL),
                which is followed from then on; or an open file, bytes, or parsed values such as a list of messages, which are kept with the workspace,
                since there is no file to read them from again.
            name: of what is no path: what is given later under the same name takes its place.
            latest_first: whether the files that changed last come first, rather than in the order of the paths.

        Returns:
            The workspace itself.

        Raises:
            FileNotFoundError: when a path does not exist or a pattern matches nothing.
            UnknownFormat: when the one file that was named, or an object, is of no known format.
            WorkspaceError: when the folder of the workspace cannot be written.
        """
        self._check_open()
        paths, given = sort_input(what, name)
        paths = self._watch_urls(paths)
        found = self._watch_files(find_files(paths))
        self._take_in(sorted(found, key=_latest_first) if latest_first else found, given)
        self._watched |= {absolute(path): path for path in map(os.path.expanduser, paths)}
        return self

    def refresh(self) -> Workspace:
        """Read files that have grown or are new, and see what other notebooks and agents have added.

        A file that is gone keeps its rows.

        Returns:
            The workspace itself.

        Raises:
            WorkspaceError: when the folder of the workspace cannot be written.
        """
        self._check_open()
        self._store.check()
        self._watch_again()
        found = [item.path for path, given in self._watched.items() for item in self._watch_files(_present(path, given))]
        groups = [group for batch in self._store.batches() for group in batch.groups]
        damaged = [group for _, lost in self._store.damaged() for group in lost]
        kept = [file.source.path for group in (*groups, *damaged) if group.format != LIVE for file in group.files]
        self._take_in(find_again(self._store, (*found, *kept)))
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
        self._derivations.fill_for(query, self._store.batches(), self._store.state())
        return self._database.query(query, params)

    def analyze(self) -> Workspace:
        """Work out now what a query would otherwise wait for when it first asks: decisions, rule hits, script rows.

        Returns:
            The workspace itself.
        """
        self._sync()
        self._derivations.fill(DERIVED, self._store.batches(), self._store.state())
        return self

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
            A relation: found_in (part, input, output, error, name), conversation_id, turn_id, call_id, excerpt.
        """
        return self.sql(FIND, {"text": text, "limit": limit})

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
        unsaved = self.folder is None and bool(self._logs.ratings.entries())
        filled = self._derivations.filled(self._store.state())
        return make_card(self._database, account, kept_in=kept_in, ratings_unsaved=unsaved, filled=filled)

    def expect(
        self,
        step: Step | Call | Decision | Mapping[str, Any] | str | Any,
        expectation: DecisionExpectation | ObservedDecision | Mapping[str, Any] | str | None = None,
        *,
        folder: str | os.PathLike[str] = "cases",
        id: str | None = None,
        description: str | None = None,
        tags: Sequence[str] = (),
        replace: bool = False,
    ) -> Case:
        """Turn a step that a person judged into a case, kept as `<id>.json`: what it had been told, and what it should have decided.

        Args:
            step: a step, its id, a row with it, a decision, or a tool call, which stands for the step that asked for it.
            expectation: what is expected, as a value or as a case file writes it, or 'right' for what it decided. By default what was said of it: rated
                right, the same again; rated wrong, the right answer: an expectation, the right arguments of its call, or words that the person should read.
            folder: the folder of the cases.
            id: id of the case and name of its file; by default made of the step's.
            description: what it is about; by default what the rating says.
            tags: what it belongs to.
            replace: whether another case of this id is overwritten.

        Returns:
            The case, which is on disk.

        Raises:
            CaseError: nobody said what is right, people differ, or there is another case of this id.
            UnknownId: there is no such call.
        """
        self._sync()
        case = make_case(self._database, step, expectation, identity=id, description=description, tags=tags)
        keep_case(case, folder, replace=replace)
        return case

    def save(self, folder: str | os.PathLike[str]) -> Workspace:
        """Keep the workspace in a folder from now on, with everything it holds, the ratings that were made and the traces.

        Args:
            folder: a new or empty folder, or a workspace to add to.

        Returns:
            The workspace itself, now kept in the folder.

        Raises:
            WorkspaceError: when the folder cannot be written; the workspace then stays as it was.
        """
        self._check_open()
        path = Path(folder).expanduser()
        if self._store.place == Path(absolute(path)):
            return self
        store = FolderStore(path)
        copy_batches(self._store, store)
        logs = logs_of(store)
        logs.take_over(self._logs)
        self._store, self._logs = LiveStore(store), logs
        self._watch_own()
        self._mirror.follow(self._store, logs)
        self.name = path.name if self.name == "memory" else self.name
        return self

    def close(self) -> None:
        """Free the tables; ratings are on disk already, or were never saved. Whoever asks a closed workspace is told so."""
        self.closed = True
        self._database.close()

    def __enter__(self) -> Workspace:
        """Return the workspace, to be closed at the end of a with block."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the workspace."""
        self.close()

    def __repr__(self) -> str:
        """Return one line: where it is kept and how much it holds."""
        where = "in memory" if self.folder is None else f"in {self.folder}"
        if self.closed:
            return f"<Workspace {where}: closed>"
        self._sync()
        (row,) = self._database.rows("select (select count(*) from conversations) as conversations, (select count(*) from turns) as turns")
        unsaved = ", ratings not saved" if self.folder is None and self._logs.ratings.entries() else ""
        return f"<Workspace {where}: {row['conversations']:,} conversations, {row['turns']:,} turns{unsaved}>"

    def _take_in(self, found: Sequence[Found], given: Sequence[Given] = ()) -> None:
        held = [item.found._replace(origin=self._store.hold(item.path, item.content)) for item in given]
        try:
            take_in(self._store, [*found, *held])
        finally:
            self._sync()

    def _sync(self) -> None:
        """Let the tables show what is there now: what grows by itself, live conversations and what other notebooks said, is followed before each query."""
        self._check_open()
        self._live.take_in(self._store)
        self._mirror.sync()

    def _check_open(self) -> None:
        if self.closed:
            raise WorkspaceError(f"The workspace {self.folder or 'in memory'} is closed. anb.open opens {'it again' if self.folder else 'another'}.")


def _present(path: str, given: str) -> list[Found]:
    """Return the files that a path stands for now: none when it is gone."""
    try:
        return find_files(given if absolute(given) == path else path)
    except FileNotFoundError:
        return []


def _latest_first(found: Found) -> tuple[int, str]:
    try:
        return -found.path.stat().st_mtime_ns, str(found.path)
    except OSError:
        return 0, str(found.path)


def _about(table: str, column: str) -> str:
    """Return the comment on a column; a column of a view that has none of its own is that of the first table in the view that has one."""
    known = contract()
    below = [f"{name}.{column}" for name in known.under(table)]
    return next((known.comments[name] for name in (f"{table}.{column}", *below) if name in known.comments), "")
