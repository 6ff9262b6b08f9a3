"""Rows with known answers: to look at, to split, to evaluate with and to teach with."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, overload

from agentnb.errors import RatingError
from agentnb.ratings import WHY, LeftOut, RatedCall, chat_example, rows_of, spelled, split_groups
from agentnb.render import ResultTable

if TYPE_CHECKING:
    import pandas as pd


_WIDE: Final = 2**63
"""Whole numbers from here on fit into no column of a table."""


class Split(NamedTuple):
    """Rows to learn from, and rows to judge by, that share no group."""

    train: RatedRows
    """To learn from."""
    test: RatedRows
    """To judge by."""


class RatedRows(Sequence[Mapping[str, Any]]):
    """Calls of a program whose right answer is known: a dict each, oldest first."""

    def __init__(self, calls: Sequence[RatedCall], *, name: str, left_out: Mapping[str, int], excluded: Sequence[LeftOut]) -> None:
        """Keep the rows; use `anb.rated`."""
        self.calls: tuple[RatedCall, ...] = tuple(calls)
        """The rows as values, inputs and right outputs apart."""
        self.name = name
        """The program."""
        self.left_out: Mapping[str, int] = left_out
        """How many rated calls make no row, by reason."""
        self.excluded: tuple[LeftOut, ...] = tuple(excluded)
        """Which calls these are, and why."""
        self._rows = rows_of(self.calls)

    @overload
    def __getitem__(self, place: int) -> Mapping[str, Any]: ...
    @overload
    def __getitem__(self, place: slice) -> RatedRows: ...
    def __getitem__(self, place: int | slice) -> Mapping[str, Any] | RatedRows:
        """Return a row, or rows."""
        return self._of(self.calls[place]) if isinstance(place, slice) else self._rows[place]

    def __len__(self) -> int:
        """Return how many rows there are."""
        return len(self._rows)

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        """Iterate over the rows."""
        return iter(self._rows)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<RatedRows {self.name}: {len(self):,} rows, {len(self.disputed):,} disputed, {sum(self.left_out.values()):,} left out>"

    @property
    def disputed(self) -> RatedRows:
        """The rows about which people differ."""
        return self._of([call for call in self.calls if call.disputed])

    @property
    def why_left_out(self) -> str:
        """What was left out, in words; empty when nothing was."""
        return "; ".join(f"{count:,} {why} ({WHY[why]})" for why, count in self.left_out.items() if count)

    @property
    def table(self) -> ResultTable:
        """The rows as a table that shows itself."""
        columns = tuple(dict.fromkeys(name for row in self._rows for name in row))
        named = f"{self.name}: " if self.name else ""
        title = f"{named}{len(self):,} calls with a known answer" + (f"; left out: {self.why_left_out}" if self.why_left_out else "")
        return ResultTable(columns=columns, rows=tuple(tuple(_cell(row.get(name)) for name in columns) for row in self._rows), total=len(self), title=title)

    def df(self) -> pd.DataFrame:
        """Return the rows as a pandas frame; a column that a row does not have is empty there."""
        import pandas as pd

        return pd.DataFrame(self._rows)

    def split(self, by: str = "conversation", *, test: float = 0.2, seed: int = 0) -> Split:
        """Divide the rows into those to learn from and those to judge by, so that no group is on both sides.

        Args:
            by: `conversation`, or the name of a column. A row without one is a group of its own.
            test: share of the groups to judge by; at least one group is on each side.
            seed: a whole number; the same seed divides the same rows alike.

        Raises:
            RatingError: when there is no such column, or fewer than two groups.
        """
        if by != "conversation" and not any(by in row for row in self._rows):
            raise RatingError(f"The rows have no column {by!r} to split by; they have {', '.join(self._rows[0]) if self._rows else 'no rows'}.")
        groups = [call.conversation if by == "conversation" else _group(row.get(by)) for call, row in zip(self.calls, self._rows, strict=True)]
        chosen = split_groups(groups, test=test, seed=seed)
        pairs = list(zip(self.calls, chosen, strict=True))
        return Split(self._of([call for call, is_test in pairs if not is_test]), self._of([call for call, is_test in pairs if is_test]))

    def to_jsonl(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the rows as JSON lines, and write them to a file when one is named."""
        return _written(self._rows, path)

    def to_openai_chat(self, path: str | os.PathLike[str] | None = None, *, system: str | None = None) -> str:
        """Return the rows as examples for fine-tuning in OpenAI's chat form: a JSON line each with `messages`, the right answer last.

        Earlier turns stand before the question. One text input is said as it is, several are said as JSON, and so is an answer that is no text.

        Args:
            path: a file to write them to.
            system: what the system message of each example says.
        """
        return _written([chat_example(call, system=system) for call in self.calls], path)

    def to_parquet(self, path: str | os.PathLike[str]) -> Path:
        """Write the rows to a Parquet file; lists and objects, whose shape may differ from row to row, are JSON texts there.

        Returns:
            The file.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = list(dict.fromkeys(name for row in self._rows for name in row))
        pq.write_table(pa.table({name: _column([row.get(name) for row in self._rows]) for name in columns}), os.fspath(path))
        return Path(path)

    def _of(self, calls: Sequence[RatedCall]) -> RatedRows:
        return RatedRows(calls, name=self.name, left_out=self.left_out, excluded=self.excluded)


def _written(rows: Sequence[Mapping[str, Any]], path: str | os.PathLike[str] | None) -> str:
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if path is not None:
        Path(path).write_bytes(text.encode("utf-8", "backslashreplace"))
    return text


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


def _group(value: Any) -> str | None:
    return None if value is None else json.dumps(value, sort_keys=True)


def _column(values: list[Any]) -> list[Any]:
    """Return values of one type: texts as they are, numbers where all are numbers that fit, else JSON texts."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {str}:
        return [None if value is None else spelled(value) for value in values]
    fits = all(not isinstance(value, int) or abs(value) < _WIDE for value in values)
    if len(kinds) <= 1 and not kinds & {dict, list} and fits:
        return values
    return [None if value is None else spelled(json.dumps(value, ensure_ascii=False)) for value in values]
