"""`%%rule`: the body of a cell becomes a rule of the workspace, is tried on its turns at once, and can be put back into a cell."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple
from urllib.parse import quote

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, line_cell_magic, magics_class

from agentnb.errors import OptionError

if TYPE_CHECKING:
    from agentnb.rules import Backtest
    from agentnb.values import Rule
    from agentnb.workspace import Workspace

USAGE: Final = "%%rule CODE [--phase final|tools] [--cap N] [--ws NAME] [--keep]"
_VALUED: Final = ("--phase", "--cap", "--ws")


class _Asked(NamedTuple):
    """What the line of the magic says."""

    code: str
    phase: Literal["final", "tools"]
    cap: int
    workspace: str | None
    keep: bool


@magics_class
class RuleMagics(Magics):
    """The magic about rules."""

    shell: InteractiveShell

    @line_cell_magic
    def rule(self, line: str, cell: str | None = None) -> Backtest | None:
        """Make a rule, try it on the workspace that was opened last, and take it among the rules of that workspace.

        The cell is the check: an expression over `ctx`, or statements that return or end in one. A text is the nudge, True asks for one that only names the
        rule, None and False mean that it does not fire. `ctx` has the fields of `anb.RuleContext`; the notebook's variables can be used, and so can
        `is_go_ahead`, `announces_work`, `lists_remaining_work`, `ends_with_user_question`, `answered`, `finish_reason` and `re`.

        `--phase final` looks at answers, `--phase tools` at the points after tool calls; `--cap N` allows a turn that many nudges; `--ws NAME` means the
        workspace of that name. A rule of the same code is replaced. `--keep` also writes the cell into the workspace's folder, as `rules/CODE.py`, which is
        never run by itself: `%rule CODE` puts it back into a cell, to be read and run.
        """
        from agentnb.rules import rule_from_cell
        from agentnb.workspace import last_opened

        if cell is None:
            self._put_back(line)
            return None
        asked = _asked(line)
        workspace = last_opened(asked.workspace)
        folder = _folder(workspace) if asked.keep else None
        # The body begins at the second line of the cell, below the magic.
        rule = rule_from_cell(
            asked.code, cell, phase=asked.phase, cap=asked.cap, names=self.shell.user_ns, filename=f"<rule {asked.code}>", first_line=2
        )  # fmt: skip
        found = workspace.add_rule(rule)
        if folder is not None:
            folder.mkdir(exist_ok=True)
            _file(folder, asked.code).write_text(cell_of(rule), "utf-8")
        return found

    def _put_back(self, line: str) -> None:
        words = _words(line)
        if len(words) not in (1, 3) or words[0].startswith("-") or words[1:2] not in ([], ["--ws"]):
            raise OptionError(f"%rule CODE [--ws NAME] puts the cell of a rule back; {USAGE}, with the check below it, makes one.")
        from agentnb.workspace import last_opened

        workspace = last_opened(words[2] if len(words) == 3 else None)
        self.shell.set_next_input(_cell_in(workspace, words[0]), replace=True)


def cell_of(rule: Rule) -> str:
    """Return the cell that makes a rule, with its line of magic.

    Raises:
        OptionError: the rule was not made by a cell.
    """
    if rule.body is None or callable(rule.cap):
        raise OptionError(f"The rule {rule.code!r} was not made by a cell, so there is none to put back.")
    return f"%%rule {shlex.quote(rule.code)} --phase {rule.phase} --cap {rule.cap}\n{rule.body}"


def _cell_in(workspace: Workspace, code: str) -> str:
    rule = next((rule for rule in workspace.rules if rule.code == code), None)
    if rule is not None:
        return cell_of(rule)
    kept = None if workspace.folder is None else _file(workspace.folder / "rules", code)
    if kept is not None and kept.is_file():
        return kept.read_text("utf-8")
    known = ", ".join(rule.code for rule in workspace.rules if rule.body is not None) or "none"
    raise OptionError(f"No rule of this workspace is called {code!r}. Those made by cells are: {known}.")


def _folder(workspace: Workspace) -> Path:
    if workspace.folder is None:
        raise OptionError("--keep writes into the folder of the workspace, and this one is kept in memory. ws.save('folder') gives it one.")
    return workspace.folder / "rules"


def _file(folder: Path, code: str) -> Path:
    return folder / f"{quote(code, safe=' ').replace('.', '%2E')}.py"


def _asked(line: str) -> _Asked:
    words = _words(line)
    keep = "--keep" in words
    words = [word for word in words if word != "--keep"]
    if not words or words[0].startswith("-"):
        raise OptionError(f"%%rule wants the code of the rule first. It is used as {USAGE}, with the check below it.")
    options = dict(zip(words[1::2], words[2::2], strict=False))
    wrong = [word for word in words[1::2] if word not in _VALUED]
    if wrong or len(words) % 2 == 0:
        raise OptionError(f"%%rule does not know {' '.join(wrong) or words[-1] + ' without a value'}. It is used as {USAGE}, with the check below it.")
    phase, cap = options.get("--phase", "final"), options.get("--cap", "1")
    if phase not in ("final", "tools"):
        raise OptionError(f"--phase is {phase!r}; expected final (answers) or tools (the points after tool calls).")
    if not cap.isdecimal():
        raise OptionError(f"--cap is {cap!r}; expected how many nudges a turn may get, a whole number of 0 or more.")
    return _Asked(words[0], "final" if phase == "final" else "tools", int(cap), options.get("--ws"), keep)


def _words(line: str) -> list[str]:
    try:
        return shlex.split(line)
    except ValueError as error:
        raise OptionError(f"%%rule does not understand {line.strip()!r}: {error}. It is used as {USAGE}, with the check below it.") from None
