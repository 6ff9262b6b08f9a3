"""The account of a workspace: what became of every record of every file."""

from __future__ import annotations

import json
from collections import Counter
from functools import cached_property

from agentnb.render import ResultTable
from agentnb.values import Source, Value
from agentnb.workspace._database import Database


class Account(Value):
    """What became of every record: records_read = records_kept + records_merged + records_skipped, per file and in all."""

    sources: tuple[Source, ...] = ()
    """The files, in the order in which they were read; those that could not be read say why."""

    @property
    def records_read(self) -> int:
        """Records met."""
        return sum(source.records_read for source in self.sources)

    @property
    def records_kept(self) -> int:
        """Records that are in the tables."""
        return sum(source.records_kept for source in self.sources)

    @property
    def records_merged(self) -> int:
        """Records met before and not kept again."""
        return sum(source.records_merged for source in self.sources)

    @property
    def records_skipped(self) -> int:
        """Records left out."""
        return sum(source.records_skipped for source in self.sources)

    @property
    def adds_up(self) -> bool:
        """Whether every record of every file was kept, merged or skipped."""
        return all(source.records_read == source.records_kept + source.records_merged + source.records_skipped for source in self.sources)

    @cached_property
    def skipped(self) -> dict[str, int]:
        """Reasons for leaving records out, with their counts, most frequent first."""
        counts: Counter[str] = Counter()
        for source in self.sources:
            counts.update(json.loads(source.skipped or "{}"))
        return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))

    @property
    def table(self) -> ResultTable:
        """One row a file; an account shows itself as this."""
        columns = ("path", "format", "state", "read", "kept", "merged", "skipped", "why")
        rows = tuple(
            (one.path, one.format, one.state, one.records_read, one.records_kept, one.records_merged, one.records_skipped, one.reason or one.skipped)
            for one in self.sources
        )
        title = f"{self.records_read:,} records read = {self.records_kept:,} kept + {self.records_merged:,} merged + {self.records_skipped:,} skipped"
        types = tuple("BIGINT" if name in ("read", "kept", "merged", "skipped") else "VARCHAR" for name in columns)
        return ResultTable(columns=columns, types=types, rows=rows, total=len(rows), title=title)

    @property
    def not_read(self) -> tuple[Source, ...]:
        """Files that were not read: empty, binary, of no known format, unreadable."""
        return tuple(source for source in self.sources if source.state not in ("read", "duplicate"))


def load_account(database: Database) -> Account:
    """Make the account from the `sources` table."""
    return Account(sources=tuple(Source.model_construct(**row) for row in database.rows("select * from sources order by path, source_id")))
