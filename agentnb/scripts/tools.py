"""Which recorded tools run code, by name: there is no declaration in a recording, but the names that agents give such tools are few."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final, NamedTuple


class CodeTool(NamedTuple):
    """What the name of a tool tells about the programs it runs."""

    language: str | None
    """Language of its programs; None when the name does not tell."""
    takes_text: bool
    """Whether arguments that are one bare text are the program."""
    hosted: bool
    """Whether a service runs the program, so that a failure without an exit code is the service's."""


_RUN: Final = "(?:execute|exec|run|local|sandbox|computer|container|unified|docker|in|persistent|stateful|async)"
_WHAT: Final = (
    "(?:bash|sh|zsh|shell|powershell|pwsh|terminal|command|cmd|exec|script|code|cells?|python3?|ipython|jupyter|javascript|js|nodejs|node|typescript|ruby|repl)"
)
_TAIL: Final = "(?:commands?|cmd|code|repl|ast|interpreter|exec|execution|execute|executor|runner|run|tool|cells?|call|program|sandbox|script|terminal|shell)"
_CODE_TOOL = re.compile(f"{_RUN}{{0,3}}{_WHAT}{_TAIL}{{0,3}}|execute|run|program")
_NO_CODE: Final = frozenset({"callcommand", "commandcall", "codetool", "scripttool", "cell", "cells", "cmdtool"})
_LANGUAGES: Final = (
    ("ipython", "python"), ("python", "python"), ("jupyter", "python"), ("powershell", "powershell"), ("pwsh", "powershell"), ("zsh", "zsh"),
    ("bash", "bash"), ("javascript", "javascript"), ("nodejs", "javascript"), ("typescript", "typescript"), ("ruby", "ruby"),
)  # fmt: skip
_PYTHON_SERVICES: Final = frozenset({"codeinterpreter", "codeinterpretercall", "codeexecution", "codeexecutiontool"})
_HOSTED: Final = _PYTHON_SERVICES | {"bashcodeexecution"}
_NAMED_ARGUMENTS: Final = frozenset({"bash", "shell", "localshell", "execcommand", "run", "execute", "executebash", "executecommand", "command"})
"""Tools that always name their arguments: one bare text means that the arguments could not be read."""
_SEPARATORS = re.compile(r"__|[./:]")


@lru_cache(maxsize=4096)
def code_tool(name: str) -> CodeTool | None:
    """Return what a tool's name tells of the programs it runs; None when it runs none.

    Args:
        name: the name the model called, with or without that of its server: `Bash`, `exec_command`, `mcp__ide__executeCode`, `functions.shell`.

    Returns:
        What is known. Editors (`apply_patch`, `str_replace_editor`, `text_editor_code_execution`), calculators, queries and what only types into a
        process that runs already (`write_stdin`) run no program of their own.
    """
    last = _SEPARATORS.split(name.strip())[-1] if len(name) <= 200 else ""
    flat = re.sub(r"[^a-z0-9]", "", last.lower())
    if flat in _NO_CODE or not _CODE_TOOL.fullmatch(flat):
        return None
    language = "python" if flat in _PYTHON_SERVICES else next((language for word, language in _LANGUAGES if word in flat), None)
    return CodeTool(language, flat not in _NAMED_ARGUMENTS, flat in _HOSTED)
