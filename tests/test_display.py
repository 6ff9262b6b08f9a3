"""Values and relations show themselves in IPython, and importing agentnb imports nothing for the sake of its looks."""

from __future__ import annotations

import importlib
import subprocess
import sys
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import pytest
from IPython.core.formatters import DisplayFormatter
from IPython.core.interactiveshell import InteractiveShell

from agentnb import render
from agentnb.display import ROWS, SHOWN, register, relation_table
from agentnb.values import ScriptRow
from tests.render.pages import Page
from tests.render.samples import conversation, refund_turn

NESTED = (
    "select 1 as n, 2.5::decimal(5, 2) as price, [1, 2] as list, {'a': 1} as pair, null::integer as nothing, '<b>' as text, 'a'::blob as data, "
    "timestamptz '2026-03-02 10:00:00+01' as moment, interval 3 days as long, true as yes"
)


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    """What `register` needs of a shell: how it shows things."""
    made = cast(InteractiveShell, SimpleNamespace(display_formatter=DisplayFormatter()))
    register(made)
    return made


def shown(shell: InteractiveShell, value: Any) -> dict[str, str]:
    display: Any = shell.display_formatter
    data, _ = display.format(value)
    return dict(data)


def test_every_value_shows_itself_as_html_and_as_one_line(shell: InteractiveShell) -> None:
    turn = refund_turn()
    script = ScriptRow(
        conversation_id="c",
        turn_id="t",
        call_id="x",
        dispatch=1,
        tool="python",
        argument="code",
        bytes=8,
        lines=1,
        text="print(1)",
        outcome="completed",
        turn=1,
        iteration=1,
    )
    values = [turn, turn.calls[3], turn.steps[0], conversation(turn), turn.messages[0], turn.ratings[0], turn.approvals[0], script]
    for value in values:
        bundle = shown(shell, value)
        assert set(bundle) == {"text/html", "text/plain"}
        assert Page(bundle["text/html"]).text
        assert "\n" not in bundle["text/plain"]
        assert len(bundle["text/plain"]) < 300


def test_a_list_of_turns_is_a_list_of_lines(shell: InteractiveShell) -> None:
    assert shown(shell, [refund_turn()])["text/plain"].startswith('[Turn 2 "It never arrived.')


def test_a_relation_shows_as_our_table(shell: InteractiveShell) -> None:
    bundle = shown(shell, duckdb.sql("select range as n, 'x' || range as word from range(3)"))
    assert bundle["text/plain"] == "n  word\n0  x0\n1  x1\n2  x2\n(3 rows)"
    assert list(Page(bundle["text/html"]).all(data_view="table"))
    assert set(bundle) == {"text/html", "text/plain"}


def test_a_large_relation_is_cut_and_counted(shell: InteractiveShell) -> None:
    relation = duckdb.sql("from range(100000)")
    assert relation is not None
    table = relation_table(relation)
    assert (len(table.rows), table.total) == (ROWS, 100_000)
    assert "more rows of 100,000" in shown(shell, relation)["text/html"]


def test_a_relation_is_run_once_for_both_and_counted_only_when_there_is_more(shell: InteractiveShell) -> None:
    runs: list[int] = []

    def noted(value: int) -> int:
        runs.append(value)
        return value

    with duckdb.connect() as database:
        database.create_function("noted", noted, [duckdb.sqltype("INTEGER")], duckdb.sqltype("INTEGER"))
        shown(shell, database.sql("select noted(7) as n"))
    assert runs == [7]


def test_every_type_of_duckdb_can_be_shown(shell: InteractiveShell) -> None:
    bundle = shown(shell, duckdb.sql(NESTED))
    for text in ("2026-03-02 09:00:00Z", '{"a": 1}', "[1, 2]", "2.50", "null", "1 byte", "3 days", "true"):
        assert text in bundle["text/plain"]


def test_a_workspace_shows_its_card() -> None:
    assert next(each for each in SHOWN if each.name == "Workspace").attribute == "card"


def test_the_register_names_types_and_functions_that_exist() -> None:
    for each in SHOWN:
        assert hasattr(importlib.import_module(each.module), each.name)
        assert callable(getattr(render, each.html))
        assert callable(getattr(render, each.plain))


def test_registering_imports_neither_renderers_nor_pandas_nor_duckdb() -> None:
    code = (
        "import sys\nfrom types import SimpleNamespace\nfrom IPython.core.formatters import DisplayFormatter\nfrom agentnb.display import register\n"
        "register(SimpleNamespace(display_formatter=DisplayFormatter()))\n"
        "print(sorted({'duckdb', 'pandas', 'agentnb.render', 'agentnb.workspace', 'ipywidgets'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
