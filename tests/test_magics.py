"""%%ask: SQL as a cell, its result as the output."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import agentnb as anb
from tests.shells import make_shell
from tests.workspace.recordings import write_session


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    return make_shell()


@pytest.fixture(autouse=True)
def opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shell: Any) -> Iterator[anb.Workspace]:
    monkeypatch.setattr("agentnb.workspace._open._opened", [])
    yield anb.open(write_session(tmp_path / "a.jsonl", "a", turns=2))
    for name in ("found", "thing", "tool", "names", "unused"):
        shell.user_ns.pop(name, None)


def ask(shell: Any, line: str, cell: str) -> Any:
    return shell.run_cell_magic("ask", line, cell)


def test_a_cell_is_a_question_to_the_workspace_that_was_opened_last(shell: InteractiveShell, tmp_path: Path) -> None:
    assert ask(shell, "", "select count(*) from turns").fetchall() == [(2,)]
    anb.open(write_session(tmp_path / "b.jsonl", "b"))
    assert ask(shell, "", "select count(*) from turns;\n").fetchall() == [(1,)]


def test_the_result_goes_into_a_variable_too(shell: InteractiveShell) -> None:
    shown = ask(shell, "-o found", "from tool_errors")
    assert shell.user_ns["found"] is shown
    assert len(shown.df()) == 2


def test_a_workspace_can_be_named(shell: InteractiveShell, tmp_path: Path) -> None:
    anb.open(write_session(tmp_path / "b.jsonl", "b"), name="the other")
    anb.open([])
    assert ask(shell, '--ws "the other" -o found', "select count(*) from turns").fetchall() == [(1,)]
    with pytest.raises(anb.OptionError, match="No workspace is named 'third'; there are the other, memory"):
        ask(shell, "--ws third", "from turns")


def test_a_dollar_stands_for_a_variable(shell: InteractiveShell) -> None:
    shell.user_ns |= {"tool": "Bash", "names": ["Bash", "Read"], "unused": object()}
    assert ask(shell, "", "select count(*) from tool_calls where name = $tool").fetchall() == [(4,)]
    assert ask(shell, "", "select count(*) from tool_calls where name in (select unnest($names))").fetchall() == [(4,)]
    assert ask(shell, "", "select '$tool', '{tool}'").fetchall() == [("$tool", "{tool}")]
    assert ask(shell, "", "select 1; select $names[1]").fetchall() == [("Bash",)]


def test_a_variable_that_is_missing_or_no_value_is_an_error_that_names_it(shell: InteractiveShell) -> None:
    with pytest.raises(anb.OptionError, match=r"names \$nothing, but there is no variable nothing"):
        ask(shell, "", "select $nothing")
    shell.user_ns["thing"] = object()
    with pytest.raises(anb.QueryError, match="Unable to transform python value"):
        ask(shell, "", "select $thing")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("from turns", "does not know from"),
        ("-x y", "does not know -x"),
        ("-o", "-o without a value"),
        ("-o found --ws", "--ws without a value"),
        ('--ws "open', "does not understand '--ws \"open': No closing quotation"),
        ("-o 1st", "-o takes the name of a variable"),
    ],
)
def test_options_that_are_not_understood_say_how_it_is_used(shell: InteractiveShell, line: str, message: str) -> None:
    with pytest.raises(anb.OptionError, match=message) as caught:
        ask(shell, line, "from turns")
    assert "%%ask [--ws NAME] [-o VARIABLE]" in str(caught.value)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(("cell", "hint"), [(" ", "There is no query"), ("\n", "There is no query"), ("from cals", "ws.tables"), ("selec", "DuckDB's SQL")])
def test_a_query_that_is_refused_comes_with_a_hint(shell: InteractiveShell, cell: str, hint: str) -> None:
    with pytest.raises(anb.QueryError, match=hint):
        ask(shell, "-o found", cell)
    assert "found" not in shell.user_ns


def test_without_an_open_workspace_it_says_how_to_open_one(shell: InteractiveShell, opened: anb.Workspace) -> None:
    opened.close()
    with pytest.raises(anb.OptionError, match=r"No workspace is open. Open one first: ws = anb\.open"):
        ask(shell, "", "from turns")


def test_the_result_shows_itself_as_our_table(shell: InteractiveShell) -> None:
    display: Any = shell.display_formatter
    data, _ = display.format(ask(shell, "", "from turns select turn_index, prompt order by turn_index"))
    assert 'class="agentnb"' in data["text/html"]
    assert data["text/plain"].splitlines()[0].split() == ["turn_index", "prompt"]
