"""`%load_ext agentnb`: SQL as a cell."""

from __future__ import annotations

import shlex
from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from IPython.core.magic import Magics, cell_magic, magics_class

from agentnb.errors import OptionError

_USAGE = "%%ask [--ws NAME] [-o VARIABLE]"


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


def register_magics(shell: InteractiveShell) -> None:
    """Add the magics to a running IPython."""
    shell.register_magics(AgentnbMagics)


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
