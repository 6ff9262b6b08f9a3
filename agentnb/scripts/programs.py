"""Where the program stands in a recorded call's arguments, and in which language it is written, as far as the recording tells."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any, Final, NamedTuple

import msgspec

from agentnb.scripts.tools import CodeTool


class Program(NamedTuple):
    """A program as it was submitted."""

    text: str
    """The program itself: of `["bash", "-lc", "ls"]` it is `ls`; several commands are joined by LF."""
    argument: str
    """The argument that carried it; input where the arguments are one bare text."""
    language: str | None
    """Its language; None when neither the tool nor the arguments nor the program tell."""


ARGUMENTS: Final = (
    "command", "code", "cmd", "script", "program", "source", "source_code", "commands", "cells", "keystrokes", "python_code", "bash_command", "shell_command",
    "code_string", "snippet", "input", "query", "__arg1", "tool_input",
)  # fmt: skip
"""Arguments that carry a program, the most usual first."""
_WRAPPERS: Final = ("action", "arguments", "args", "params", "parameters", "input", "kwargs")
_LANGUAGE_ARGUMENTS: Final = ("language", "lang", "interpreter", "kernel", "runtime")
_NO_PROGRAM: Final = ("create", "view", "str_replace", "insert", "undo_edit", "edit")
_INTERPRETERS: Final = {
    "bash": "bash", "sh": "sh", "zsh": "zsh", "dash": "sh", "ash": "sh", "ksh": "ksh", "fish": "fish", "pwsh": "powershell", "powershell": "powershell",
    "python": "python", "python2": "python", "python3": "python", "ipython": "python", "uv": None, "node": "javascript", "nodejs": "javascript",
    "deno": "javascript", "bun": "javascript", "ruby": "ruby", "perl": "perl", "php": "php", "Rscript": "r", "lua": "lua",
}  # fmt: skip
_CODE_FLAGS: Final = re.compile(r"-[a-zA-Z]{0,3}c|-e|--eval|-Command|-NoProfile")
_SHEBANG = re.compile(r"#![ \t]*(?:\S*/)?([\w.+-]+)(?:[ \t]+(?:-\S+[ \t]+)?([\w.+-]+))?")
_LAUNCH = re.compile(r"\s*(?:[A-Z_]{1,40}=\S{0,200}\s+)?(?:\S{0,200}/)?([\w.]{2,12})(?:\s+-(?![ecl])\w{1,4}){0,3}\s+(?:-[a-z]{0,2}[ce]\s|-?\s?<<)")
_KEYS = re.compile(r"(?:(?:[CMS]-\S|Escape|Enter|Tab|BSpace|Space|Up|Down|Left|Right|Home|End|PageUp|PageDown|F\d{1,2})\s*)+")
"""Keys as tmux names them: pressed, not run."""
_VERSION = re.compile(r"[\d.]+\Z")
_decode = msgspec.json.Decoder().decode


def program_in(recorded: str | bytes | None, tool: CodeTool, *, name: str = "") -> Program | None:
    """Find the program in a call's arguments.

    Args:
        recorded: the arguments as JSON, as the `calls` table keeps them.
        tool: what the tool's name tells.
        name: the name the model called; `exec` with one bare text is Codex's code mode, which runs JavaScript.

    Returns:
        The program; None when the arguments hold none, whatever they are.
    """
    value = _parsed(recorded)
    if isinstance(value, str):
        return _bare(value, tool, name)
    if not isinstance(value, dict) or _is_no_program(value):
        return None
    return _named(value, tool) or next((_named(value[key], tool) for key in _WRAPPERS if isinstance(value.get(key), dict)), None)


def language_in(text: str) -> str | None:
    """Read the language off a program's first line: a shebang, or an interpreter that is given its code by `-c` or a here-document."""
    if text.startswith("#!"):
        match = _SHEBANG.match(text[:300])
        return _interpreter(match[2] if match[1] == "env" and match[2] else match[1]) if match else None
    launched = _LAUNCH.match(text[:400]) if "<<" in text[:400] or " -" in text[:400] else None
    return _interpreter(launched[1]) if launched else None


def _parsed(recorded: str | bytes | None) -> Any:
    if not recorded:
        return None
    try:
        return _decode(recorded)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        pass
    try:
        return json.loads(recorded, strict=False)
    except (ValueError, RecursionError):
        return None


def _bare(text: str, tool: CodeTool, name: str) -> Program | None:
    if text.lstrip()[:1] in ("{", "["):
        # Arguments that were written as JSON twice, or that broke off.
        inner = _parsed(text)
        return _named(inner, tool) if isinstance(inner, dict) else None
    if not tool.takes_text:
        return None
    return Program(text, "input", tool.language or ("javascript" if name == "exec" else language_in(text)))


def _is_no_program(arguments: dict[str, Any]) -> bool:
    """Tell editing and typing from running: an editor's command among code tools, keys for a process that runs already."""
    if arguments.get("is_input") in (True, "true") or ("session_id" in arguments and "chars" in arguments):
        return True
    if "keystrokes" in arguments and isinstance(keys := arguments["keystrokes"], str) and _KEYS.fullmatch(keys[:200]):
        return True
    return arguments.get("command") in _NO_PROGRAM and ("path" in arguments or "file_text" in arguments)


def _named(arguments: dict[str, Any], tool: CodeTool) -> Program | None:
    for argument in ARGUMENTS:
        if argument not in arguments:
            continue
        value = arguments[argument]
        if isinstance(value, str):
            return Program(value, argument, _told(arguments) or tool.language or language_in(value))
        if isinstance(value, list) and value:
            found = _listed(value, argument, _told(arguments) or tool.language)
            if found is not None:
                return found
    return None


def _told(arguments: dict[str, Any]) -> str | None:
    if len(arguments) == 1:
        return None
    word = next((arguments[key] for key in _LANGUAGE_ARGUMENTS if key in arguments and isinstance(arguments[key], str)), None)
    if word is not None:
        return word.strip()[:40].lower() or None
    kind = arguments.get("type")
    return "bash" if isinstance(kind, str) and kind.startswith("bash") else None


def _listed(items: list[Any], argument: str, language: str | None) -> Program | None:
    """Read a list: words of one command line, several commands, or the cells of a notebook."""
    if argument == "cells":
        cells = [cell for cell in map(_cell, items) if cell is not None]
        return Program("\n".join(cells), argument, language) if cells else None
    if not all(isinstance(item, str) for item in items):
        return None
    if argument in ("command", "cmd", "program", "script"):
        return _command_line(items, argument, language)
    return Program("\n".join(items), argument, language or language_in(items[0]))


def _cell(cell: Any) -> str | None:
    if isinstance(cell, dict):
        cell = next((cell[key] for key in ("source", "code", "text", "input") if key in cell), None)
    if isinstance(cell, list) and all(isinstance(line, str) for line in cell):
        return "".join(cell)
    return cell if isinstance(cell, str) else None


def _command_line(words: list[str], argument: str, language: str | None) -> Program:
    """Take the program out of `["bash", "-lc", program]`; any other command line is the words as a shell would be given them."""
    named = _interpreter(words[0].rsplit("/", 1)[-1])
    for at, word in enumerate(words[1:-1], 1):
        if named is None or not word.startswith("-"):
            break
        if _CODE_FLAGS.fullmatch(word) and word != "-NoProfile":
            return Program(words[at + 1], argument, named)
    return Program(shlex.join(words), argument, language)


def _interpreter(word: str) -> str | None:
    return _INTERPRETERS.get(word) or _INTERPRETERS.get(_VERSION.sub("", word))
