"""What a workspace says about the programs that its agents ran, and about the names and numbers of their answers."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import duckdb

from agentnb.errors import WorkspaceError
from agentnb.scripts import MAX_SCRIPT_BYTES, EvidenceCheck, EvidenceOptions, Served, check_evidence, export_scripts, with_scripts
from agentnb.values import Conversation, ScriptRow, Turn
from agentnb.workspace._database import Database, Params
from agentnb.workspace._values import load_conversation, load_turn

AT_ONCE: Final = 1_000
"""Rows that are held while they are written."""

# A table's column of the same name is the program while its turn runs; of a recorded turn the text stands with the program.
_ROWS = """
select r.* replace (case when r.bytes <= $1 then coalesce(r.text, p.text) end as text)
from script_rows as r
left join script_programs as p on r.call_id = p.call_id
"""
_OF_TURN = f"{_ROWS} where r.turn_id = $2 order by r.dispatch"
_IN_ORDER = f"{_ROWS} order by r.conversation_id, r.turn, r.turn_id, r.dispatch"
_BEFORE_TURNS = """
select text, role, injected
from parts
where conversation_id = $1 and turn_id = '' and role in ('user', 'system') and type = 'text' and text <> ''
order by message_index, part_index
"""


class Asked(Protocol):
    """What is needed of a workspace."""

    _database: Database

    def sql(self, query: str, params: Params = None) -> duckdb.DuckDBPyRelation:
        """Ask the tables."""
        ...

    def _sync(self) -> None: ...


class RanPrograms:
    """Part of a workspace: which programs ran for an answer, and whether the answer stands in what the agent was shown."""

    def check_evidence(
        self: Asked, turn: Turn | str, *, results: Iterable[Served | str] = (), said: Iterable[Served | str] = (), **settings: Any
    ) -> EvidenceCheck:
        """Say of every name and number in a turn's answer whether it stands in what the agent was shown, in this turn or before it, and where.

        Args:
            turn: a turn, or its id.
            results: more that tools returned, which the recording does not have.
            said: more that was said to the agent: system prompts, files it was given.
            settings: of the check, as `EvidenceOptions` takes them: min_digits, shapes, exempt, posture and so on.

        Returns:
            The check; it shows itself with the unsupported values marked.

        Raises:
            UnknownId: there is no such turn.
            ScriptError: a setting that cannot be.
        """
        options = EvidenceOptions(**settings)
        self._sync()
        found = turn if isinstance(turn, Turn) else load_turn(self._database, turn)
        conversation = load_conversation(self._database, found.conversation_id)
        before = [Served(text, "injected" if injected else role) for text, role, injected in self.sql(_BEFORE_TURNS, [found.conversation_id]).fetchall()]
        return check_evidence(found, earlier=earlier_turns(conversation, found), results=results, said=[*before, *said], options=options)

    def answer_with_scripts(self: Asked, turn: Turn | str) -> str:
        """Return a turn's answer with the programs that ran for it: how each ended, its size and its text, told by the recording and not by the model.

        Args:
            turn: a turn, or its id.

        Returns:
            The answer with the block; the same answer when no program ran or when it is JSON; empty when there is no answer and no program.

        Raises:
            UnknownId: there is no such turn.
        """
        self._sync()
        found = turn if isinstance(turn, Turn) else load_turn(self._database, turn)
        relation = self.sql(_OF_TURN, [MAX_SCRIPT_BYTES, found.turn_id])
        rows = [_row(relation.columns, row) for row in relation.fetchall()]
        return with_scripts(found.answer or "", rows, turn=rows[0].turn) if rows else found.answer or ""

    def export_scripts(self: Asked, path: str | os.PathLike[str], *, redact: bool = False) -> int:
        """Write the script rows as JSON lines, as published: camelCase, what is absent left out.

        The file is written beside, flushed to the disk and then put under its name, so that no one ever sees half of it.

        Args:
            path: the file; one that is there is replaced.
            redact: whether the programs are left out, which quote the data they were given. Also without it a text of over 65,536 bytes is.

        Returns:
            How many rows were written.

        Raises:
            WorkspaceError: the file cannot be written; what was there stays.
        """
        names = self.sql(_IN_ORDER, [MAX_SCRIPT_BYTES]).columns
        cursor = self._database.cursor().execute(_IN_ORDER, [MAX_SCRIPT_BYTES])
        found = (row for rows in iter(lambda: cursor.fetchmany(AT_ONCE), []) for row in rows)
        lines = (_line(row) for named in found for row in export_scripts([_row(names, named)], redact=redact))
        return _write_lines(Path(path).expanduser(), lines)


def earlier_turns(conversation: Conversation, turn: Turn) -> list[Turn]:
    """Return the turns that led to a turn, oldest first: those that it continues, not those of other branches."""
    known = {each.turn_id: each for each in conversation.turns}
    led: dict[str, Turn] = {}
    parent = turn.parent_turn_id
    while parent in known and parent not in led and parent != turn.turn_id:
        led[parent] = known[parent]
        parent = known[parent].parent_turn_id
    return [*reversed(led.values())]


def _row(names: Sequence[str], row: Sequence[Any]) -> ScriptRow:
    return ScriptRow.model_construct(**dict(zip(names, row, strict=True)))


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _write_lines(path: Path, lines: Iterable[str]) -> int:
    beside, written = path.with_name(f".writing-{secrets.token_hex(6)}"), 0
    try:
        with beside.open("w", encoding="utf-8", newline="\n") as stream:
            for line in lines:
                stream.write(line)
                written += 1
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(path)
    except OSError as error:
        raise WorkspaceError(f"The script rows could not be written to {path}: {error.strerror or error}.") from error
    finally:
        beside.unlink(missing_ok=True)
    return written
