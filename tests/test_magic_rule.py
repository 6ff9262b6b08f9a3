"""%%rule: the body of a cell becomes a rule, is tried at once, and can be put back into a cell."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from IPython.core.interactiveshell import InteractiveShell

import agentnb as anb
from agentnb.magics_rule import cell_of
from tests.render.pages import Page
from tests.shells import make_shell
from tests.workspace.unended import unended_workspace

BODY = "if ctx.verify_failed:\n    return 'It is ' + colour\n"


@pytest.fixture(scope="module")
def shell() -> InteractiveShell:
    return make_shell()


@pytest.fixture(autouse=True)
def ws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shell: Any) -> Iterator[anb.Workspace]:
    monkeypatch.setattr("agentnb.workspace._open._opened", [])
    (tmp_path / "logs").mkdir()
    shell.user_ns["colour"] = "red"
    with unended_workspace(tmp_path / "logs") as ws:
        yield ws


def rule(shell: Any, line: str, cell: str | None = None) -> Any:
    return shell.run_line_magic("rule", line) if cell is None else shell.run_cell_magic("rule", line, cell)


def shown(shell: Any, value: Any) -> dict[str, str]:
    data, _ = shell.display_formatter.format(value)
    return dict(data)


def test_a_cell_is_tried_on_every_turn_and_kept_in_the_workspace(shell: InteractiveShell, ws: anb.Workspace) -> None:
    found = rule(shell, "too_red --phase final --cap 2", BODY)
    assert (found.turns, found.turns_hit, [hit.nudge for hit in found.first]) == (9, 1, ["It is red"])
    assert (ws.rules[-1].code, ws.rules[-1].phase, ws.rules[-1].cap) == ("too_red", "final", 2)
    assert ws.sql("select count(*) from rule_hits where rule = 'too_red'").fetchall() == [(0,)]
    ws.rules.insert(0, ws.rules.pop())
    assert ws.sql("select distinct nudge from rule_hits where rule = 'too_red'").fetchall() == [("It is red",)]


def test_what_it_found_shows_itself_with_evidence(shell: InteractiveShell, ws: anb.Workspace) -> None:
    (turn_id,) = ws.sql("select turn_id from turns where prompt = 'See to red'").fetchall()[0]
    ws.rate(turn_id, "wrong", by="ana")
    bundle = shown(shell, rule(shell, "too_red", BODY))
    assert bundle["text/plain"] == "rule too_red · 1 turn of 9 · 1 nudge · precision 100% · recall 100% · 1 rated turn"
    text = Page(bundle["text/html"]).text
    for words in ("1 turn of 9", turn_id, "It is red", "verify_failed is true"):
        assert words in text, words


def test_an_expression_is_enough(shell: InteractiveShell) -> None:
    assert rule(shell, "many --phase tools --cap 1", "ctx.tool_calls >= 3").turns_hit == 3


def test_a_body_that_raises_shows_its_line_in_the_cell_and_registers_nothing(shell: InteractiveShell, ws: anb.Workspace) -> None:
    with pytest.raises(anb.RuleError, match="ZeroDivisionError in line 3 of its cell") as raised:
        rule(shell, "bad", "n = 0\n1 / n\n")
    assert raised.value.line == 3
    with pytest.raises(SyntaxError) as wrong:
        rule(shell, "bad", "n = 0\nif n\n    return 1\n")
    assert wrong.value.lineno == 3
    assert len(ws.rules) == 11


def test_the_traceback_shows_the_line_itself(shell: InteractiveShell, capsys: pytest.CaptureFixture[str]) -> None:
    run: Any = shell.run_cell
    run("%%rule bad\nn = 0\n1 / n\n", store_history=False)
    told = "".join(capsys.readouterr())
    assert "1 / n" in told
    assert "ZeroDivisionError" in told


def test_the_cell_of_a_rule_is_put_back_and_makes_the_same_rule(shell: Any, ws: anb.Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    placed: list[str] = []
    monkeypatch.setattr(shell, "set_next_input", lambda text, replace=False: placed.append(text))
    found = rule(shell, "too_red --cap 2", BODY)
    rule(shell, "too_red")
    assert placed == [f"%%rule too_red --phase final --cap 2\n{BODY}"] == [cell_of(ws.rules[-1])]
    line, _, body = placed[0].partition("\n")
    assert rule(shell, line.removeprefix("%%rule "), body) == found
    with pytest.raises(anb.OptionError, match=r"No rule of this workspace is called 'gone'\. Those made by cells are: too_red"):
        rule(shell, "gone")
    with pytest.raises(anb.OptionError, match="'no_action' was not made by a cell"):
        rule(shell, "no_action")


def test_a_kept_cell_is_there_in_the_next_process_and_is_not_run_by_itself(
    shell: Any, ws: anb.Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(anb.OptionError, match=r"this one is kept in memory. ws.save"):
        rule(shell, "too_red --keep", BODY)
    ws.save(tmp_path / "triage")
    rule(shell, "../too/red --keep --cap 3", BODY)
    assert [path.name for path in (tmp_path / "triage" / "rules").iterdir()] == ["%2E%2E%2Ftoo%2Fred.py"]
    placed: list[str] = []
    monkeypatch.setattr(shell, "set_next_input", lambda text, replace=False: placed.append(text))
    with anb.open(workspace=tmp_path / "triage") as again:
        assert len(again.rules) == 11
        rule(shell, "../too/red")
    assert placed == [f"%%rule ../too/red --phase final --cap 3\n{BODY}"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "wants the code of the rule first"),
        ("--cap 1", "wants the code of the rule first"),
        ("mine --phase", "does not know --phase without a value"),
        ("mine --tries 3", "does not know --tries"),
        ("mine --phase end", "--phase is 'end'; expected final"),
        ("mine --cap many", "--cap is 'many'; expected how many"),
        ("mine --ws other", "No workspace is named 'other'"),
        ("'mine", "No closing quotation"),
    ],
)
def test_a_wrong_line_says_what_was_expected(shell: InteractiveShell, line: str, message: str) -> None:
    with pytest.raises(anb.OptionError, match=message):
        rule(shell, line, "True")


def test_a_cell_without_a_check_is_refused(shell: InteractiveShell) -> None:
    with pytest.raises(SyntaxError, match="holds no check"):
        rule(shell, "mine", "# nothing\n")
    with pytest.raises(ValueError, match="cannot be the code"):
        rule(shell, "x" * 65, "True")
