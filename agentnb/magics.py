"""`%load_ext agentnb`: SQL as a cell, a raw turn as a cell, and, beside this file, a rule as a cell."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING, Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class

from agentnb.errors import OptionError, TurnError
from agentnb.magics_rule import RuleMagics

if TYPE_CHECKING:
    from agentnb.decisions import Explanation

_USAGE = "%%ask [--ws NAME] [-o VARIABLE]"
_NORMALIZE_USAGE = "%%normalize [-o VARIABLE]"


@magics_class
class AgentnbMagics(Magics):
    """The cell magics of agentnb."""

    shell: InteractiveShell

    @cell_magic
    def ask(self, line: str, cell: str) -> Any:
        """Ask the workspace that was opened last: the cell is DuckDB's SQL, its result the output.

        `--ws NAME` asks the workspace of that name; `-o VARIABLE` also puts the relation into a variable. `{name}` is not filled in: values go in as
        `$name`, and stand for the variable of that name in the notebook.
        """
        from agentnb.workspace import last_opened

        options = _options(line)
        relation = last_opened(options.get("--ws")).sql(cell, _values_for(cell, self.shell.user_ns))
        if "-o" in options:
            self.shell.user_ns[options["-o"]] = relation
        return relation

    @cell_magic
    def normalize(self, line: str, cell: str) -> Explanation:
        """Say what a raw turn decided and why: the cell is the turn, as JSON or as a Python expression over the notebook's variables.

        A turn is an object with `text`, `toolCalls`, `protocol` and the like, or what has one: a step, or a text, which is read as the output alone.
        `-o VARIABLE` also puts the explanation into a variable; its `decision` is what `normalize_decision` returns.
        """
        from agentnb.decisions import explain_decision

        options = _normalize_options(line)
        explanation = explain_decision(_turn_of(_evaluated(cell, self.shell)))
        if "-o" in options:
            self.shell.user_ns[options["-o"]] = explanation
        return explanation


def register_magics(shell: InteractiveShell) -> None:
    """Add the magics to a running IPython."""
    shell.register_magics(AgentnbMagics, RuleMagics)


def _options(line: str) -> dict[str, str]:
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"%%ask does not understand {line.strip()!r}: {error}. It is used as {_USAGE}, with the query below it.") from None
    options = dict(zip(words[::2], words[1::2], strict=False))
    wrong = [word for word in words[::2] if word not in ("--ws", "-o")]
    if wrong or len(words) % 2:
        raise OptionError(f"%%ask does not know {' '.join(wrong) or words[-1] + ' without a value'}. It is used as {_USAGE}, with the query below it.")
    if not options.get("-o", "_").isidentifier():
        raise OptionError(f"-o takes the name of a variable, and {options['-o']!r} is none. %%ask is used as {_USAGE}, with the query below it.")
    return options


def _normalize_options(line: str) -> dict[str, str]:
    words = line.split()
    if not words:
        return {}
    if len(words) != 2 or words[0] != "-o":
        raise OptionError(f"%%normalize does not understand {line.strip()!r}. It is used as {_NORMALIZE_USAGE}, with the turn below it.")
    if not words[1].isidentifier():
        raise OptionError(f"-o takes the name of a variable, and {words[1]!r} is none. %%normalize is used as {_NORMALIZE_USAGE}, with the turn below it.")
    return {"-o": words[1]}


def _evaluated(cell: str, shell: InteractiveShell) -> Any:
    """Return the value of a cell: JSON first, so that true, false and null mean what they mean there; else Python."""
    if not cell.strip():
        raise TurnError('There is no turn. A cell such as {"text": "Done.", "protocol": "implicit"} is one, or turn.steps[2].')
    try:
        return json.loads(cell)
    except (ValueError, RecursionError) as error:
        not_json = str(error)
    try:
        code = compile(cell.strip(), "<%%normalize>", "eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise TurnError(f"The cell is neither JSON ({not_json}) nor a Python expression ({error}). It holds one turn, and nothing else.") from None
    # What it raises is the person's own error, and is shown as such.
    return eval(code, shell.user_global_ns, shell.user_ns)


def _turn_of(value: Any) -> Any:
    from agentnb.values import RawTurn, Step

    if isinstance(value, Step):
        return value.raw
    if isinstance(value, str):
        return RawTurn(text=value)
    known = [key for name, field in RawTurn.model_fields.items() for key in (name, field.alias)]
    if isinstance(value, dict) and value and not any(key in value for key in known):
        raise TurnError(
            f"The object has none of the fields of a turn ({', '.join(str(field.alias) for field in RawTurn.model_fields.values())}). "
            "If it is the output itself, an envelope, write it as a text, in quotes: what a model puts out is text."
        )
    return value


def _values_for(query: str, variables: dict[str, Any]) -> dict[str, Any] | None:
    """Return the notebook's variables that the query names as $name."""
    import duckdb

    try:
        statements = duckdb.extract_statements(query)
    except duckdb.Error:
        # The query itself says what is wrong with it when it runs.
        return None
    wanted = {name for statement in statements for name in statement.named_parameters if not name.isdecimal()}
    missing = sorted(wanted - variables.keys())
    if missing:
        raise OptionError(f"The query names ${missing[0]}, but there is no variable {missing[0]}. Set it in a cell above.")
    return {name: variables[name] for name in wanted} or None
