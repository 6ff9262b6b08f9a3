"""Rows become Arrow columns that hold exactly what the rows hold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agentnb.readers._rows import CallRow, PartRow, Rows
from agentnb.workspace._columns import ROW_TABLES, to_table, to_tables
from agentnb.workspace._contract import contract


def part(text: str | bytes | None) -> PartRow:
    """Make a part that says a text."""
    return PartRow("conversation", "turn", 0, 0, "user", "text", "turn", "source", text=text)  # type: ignore[arg-type]


@given(st.lists(st.one_of(st.none(), st.text(st.characters(codec="utf-8")), st.sampled_from(["", "ascii", "naïve", "→", "🌻", "\0"]))))
def test_every_text_comes_back_as_it_was(texts: list[str | None]) -> None:
    column = to_table("parts", [part(text) for text in texts])["text"]
    assert column.to_pylist() == texts
    assert column.null_count == texts.count(None)
    column.validate(full=True)


def test_json_that_was_kept_as_bytes_is_the_text_it_spells() -> None:
    call = CallRow("call", "conversation", "turn", None, 0, "tool", "Read", "source", input='{"path": "größe.py"}'.encode(), output="→ 1".encode())
    table = to_table("calls", [call])
    assert (table["input"].to_pylist(), table["output"].to_pylist()) == (['{"path": "größe.py"}'], ["→ 1"])


def test_a_table_without_rows_has_its_columns_all_the_same() -> None:
    tables = to_tables(Rows())
    assert {name: tables[name].schema for name in ROW_TABLES} == {name: contract().tables[name] for name in ROW_TABLES}
