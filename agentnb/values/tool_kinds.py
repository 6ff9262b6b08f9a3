"""What kind of thing does a tool do: read, write, run, verify, poll, or something else?

The default map knows the tools of the coding agents whose recordings can be read; a mapping or a function of one's own comes first. Names are compared in
lower case and without separators: the whole name first, then the longest words that it begins with, then the longest that it ends with.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal

from agentnb.values.test_runs import check_command, shell_programs

ToolKind = Literal["read", "write", "run", "verify", "poll", "other"]
ToolKinds = Mapping[str, ToolKind] | Callable[[str, Any], ToolKind | None]
"""What overrides the default map: kinds by name, or a function of name and arguments that returns None where the default holds."""

KINDS: Final[tuple[ToolKind, ...]] = ("read", "write", "run", "verify", "poll", "other")

_NAMES: Final[Mapping[str, str]] = {
    "read": "read readfile readfiles readmanyfiles view viewfile open openfile cat ls list listdir listdirectory listfiles glob globfilesearch grep grepsearch "
    "search searchfiles codebasesearch findfiles find findfile fetch webfetch websearch browse query describe inspect codeindex metagraph scrolldown scrollup "
    "goto notebookread readresource toolsearch",
    "write": "write writefile writetofile edit editfile multiedit strreplace strreplaceeditor patch applypatch applydiff replaceinfile searchreplace "
    "replacestringinfile insertedit insert create createfile delete deletefile move rename renamefile notebookedit save append replace editnotebook",
    "run": "browser computer javascript startapp openpreview program",
    "python": "python pythonrepl pythoninterpreter ipython runipython runcell executecell codeinterpreter codeexecution",
    "shell": "bash shell exec execute run terminal execcommand executecommand runcommand runterminalcommand runterminalcmd runinterminal executebash "
    "bashcommand command localshell localshellcall runshellcommand shellcommand cmd",
    "verify": "test tests runtests runtest testrun pytest lint typecheck check verify validate buildwithtests unittest getdiagnostics diagnostics geterrors",
    "poll": "wait sleep poll status bashoutput taskoutput getterminaloutput readterminal readbash getcommandoutput commandstatus waitagent",
    "stdin": "writestdin writebash sendinput",
    "editor": "strreplaceeditor strreplacebasededittool texteditor fileeditor editor",
    "git": "git",
    "files": "managefiles",
    "lsp": "lsp",
    "other": "askuser requestuserinput ask todo todowrite todoread writetodos updatetodos plan updateplan createplan exitplanmode enterplanmode message "
    "sendmessage memory savememory creatememory updatememory spawn spawnagent task createtask updatetask agent think thought skill finish submit killshell "
    "present presentfiles killbash getuserinput updategoal creategoal",
}  # fmt: skip
_BY_NAME: Final = {name: kind for kind, names in _NAMES.items() for name in names.split()}
_FIRST: Final = frozenset(name for name, kind in _BY_NAME.items() if kind not in ("verify", "other", "poll")) | {
    "get",
    "update",
    "wait",
    "lint",
    "typecheck",
    "runtests",
}
"""Names that also count as the beginning of a longer one; a business tool that checks or validates something runs no tests."""
_LONGEST: Final = max(map(len, _FIRST))
_STARRED: Final = {"get": "read", "update": "write"}
_ASIDE: Final = frozenset(("todo", "todos", "plan", "memory", "memories", "message", "thought", "goal"))
_TOLD: Final = frozenset(["sendmessage", "think", "finish", "submit", "present", "presentfiles"])
"""Tools besides these by which an agent shows, notes or hands in something and learns nothing."""
_OPENERS: Final = frozenset(["open", "openfile", "create", "createfile"])
_WEB: Final = frozenset(["fetch", "webfetch", "websearch", "browse", "toolsearch", "readresource"])
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_COMMANDS: Final = ("command", "cmd", "keystrokes", "script", "code", "input", "bash_command", "commands", "action")
_EDITS_IN_CODE: Final = re.compile(r"^(?:edit_file\w*|insert_content_at_line|append_file|create_file)\(", re.MULTILINE)
"""Helpers of agents that edit files out of a notebook cell."""
_TOOLS_IN_CODE: Final = re.compile(r"\btools\.\w+\(")
_COMMAND_IN_CODE: Final = re.compile(r"""\b(?:cmd|command)["']?\s*:\s*("(?:[^"\\]|\\.)*")""")
_READING_GIT: Final = frozenset(["status", "diff", "log", "show", "blame", "branch", "ls-files", "grep", "rev-parse", "describe", "remote"])
_READING_FILES: Final = frozenset(("mkdir", "list", "stat"))
_VIEWING: Final = frozenset(("view", "open", "read", "list", "scroll_down", "scroll_up"))
_ACTIONS: Final = ("action", "command", "subcommand", "operation", "method")
_PATCH: Final = "*** Begin Patch"
_PATHS: Final = (
    "file_path",
    "path",
    "filePath",
    "filename",
    "file",
    "target_file",
    "notebook_path",
    "AbsolutePath",
    "TargetFile",
    "relative_path",
    "absolute_path",
    "filepath",
    "uri",
)
_PATCHED: Final = re.compile(r"\*\*\* (?:Add|Update|Delete) File: ([^\n\\]+)")
_SUFFIXES: Final = (
    "py pyi js jsx ts tsx mjs cjs vue svelte go rs java kt cs c h cc cpp hpp swift rb php ex exs hs scala dart lua sql sh bash ps1 r jl ipynb json yaml yml "
    "toml ini cfg xml html css scss graphql proto tf gradle kts groovy pl clj erl fs ml nim zig m mm pony sol v vhd"
)
_SOURCES: Final = frozenset(_SUFFIXES.split())
_PROSE: Final = frozenset(("readme", "license", "licence", "changelog", "notice", "authors", "copying"))


def tool_kind(name: str, arguments: Any = None, *, tool_kinds: ToolKinds | None = None) -> ToolKind:
    """Say what kind of thing a call does.

    Args:
        name: name of the tool, as recorded.
        arguments: its arguments as Python values; shells and editors are judged by them.
        tool_kinds: kinds of one's own, asked first.

    Returns:
        The kind; other for a name that is not known.

    Raises:
        ValueError: `tool_kinds` gave a kind that there is not.
    """
    own = _own_kind(name, arguments, tool_kinds)
    if own is not None:
        return own
    kind = _kind_of_name(name)
    judge = _JUDGES.get(kind)
    return judge(arguments) if judge else kind  # type: ignore[return-value]


def is_mapped(name: str, tool_kinds: ToolKinds | None = None) -> bool:
    """Say whether the map knows a name; another one is taken to be of kind other."""
    return _own_kind(name, None, tool_kinds) is not None or _kind_of_name(name) != "other" or _joined(name) in _BY_NAME


def is_shell(name: str) -> bool:
    """Say whether a tool runs commands in a shell."""
    return _kind_of_name(name) == "shell"


def command_in(arguments: Any) -> str:
    """Return the command among a shell tool's arguments; empty without one. Of code that calls tools it returns the commands that stand in it as they are."""
    if isinstance(arguments, str):
        return "\n".join(_commands_in_code(arguments)) or arguments if is_code(arguments) else arguments
    if isinstance(arguments, Mapping):
        found = next((arguments[key] for key in _COMMANDS if arguments.get(key)), "")
        return command_in(found) if not isinstance(found, Mapping) else command_in(dict(found))
    if isinstance(arguments, (list, tuple)) and all(isinstance(word, str) for word in arguments):
        shell = len(arguments) > 2 and arguments[1] in ("-c", "-lc", "-ic")
        return str(arguments[-1]) if shell else " ".join(arguments)
    return ""


def is_code(arguments: Any) -> bool:
    """Say whether a shell tool was given code that calls tools, such as `await tools.exec_command({"cmd": "pytest"})`, in the place of a command."""
    return isinstance(arguments, str) and _TOOLS_IN_CODE.search(arguments) is not None


def is_lookup(name: str, arguments: Any) -> bool:
    """Say whether a read looks something up outside of a workspace: a page of the web, or a record of some business, each of which the task needs.

    What reads files or code is known by its name, or by a path among its arguments.
    """
    joined = _joined(name)
    return joined in _WEB or "web" in _words(name) or (joined not in _BY_NAME and not paths_in(arguments))


def brings_news(name: str) -> bool:
    """Say whether a tool may tell the agent something that the user should hear; what shows files or keeps a list of tasks does not."""
    words = _words(name)
    return _ASIDE.isdisjoint(words) and "".join(words) not in _TOLD | {"todowrite", "writetodos", "updatetodos", "todoread"}


def opens_file(name: str) -> bool:
    """Say whether a tool opens a file in which later edits are made without naming it."""
    return _joined(name) in _OPENERS


def paths_in(arguments: Any) -> list[str]:
    """Return the files that a write's arguments name; empty when they name none."""
    if isinstance(arguments, str):
        return [path.strip() for path in _PATCHED.findall(arguments)]
    if not isinstance(arguments, Mapping):
        return []
    found = [arguments[key] for key in _PATHS if isinstance(arguments.get(key), str)]
    changes = arguments.get("changes")
    if isinstance(changes, Mapping):
        found += [path for path in changes if isinstance(path, str)]
    patches = (value for value in arguments.values() if isinstance(value, str) and _PATCH in value)
    return found or [path.strip() for patch in patches for path in _PATCHED.findall(patch)]


def needs_check(name: str, arguments: Any) -> bool:
    """Say whether a write is one that a check could cover: of a source or configuration file, or of a file that is not told.

    A tool of some business that creates or updates a record has no file, and no test run would say anything about it.
    """
    paths = paths_in(arguments)
    if paths:
        return any(map(_is_checked, paths))
    return _joined(name) in _BY_NAME or _kind_of_name(name) in ("editor", "shell", "files", "lsp")


def _own_kind(name: str, arguments: Any, tool_kinds: ToolKinds | None) -> ToolKind | None:
    if tool_kinds is None:
        return None
    found = tool_kinds(name, arguments) if callable(tool_kinds) else tool_kinds.get(name, tool_kinds.get(_joined(name)))
    if found is not None and found not in KINDS:
        raise ValueError(f"tool_kinds says that {name!r} is of kind {found!r}; the kinds are {', '.join(KINDS)}")
    return found


@lru_cache(maxsize=4096)
def _kind_of_name(name: str) -> str:
    words = _words(name)
    joined = "".join(words)
    if joined in _BY_NAME:
        return "editor" if joined == "strreplaceeditor" else _BY_NAME[joined]
    if not _ASIDE.isdisjoint(words):
        return "other"
    # No known name has more words than letters, so that a recorded name of any length is looked at in one go.
    most = min(len(words) - 1, _LONGEST)
    for size in range(most, 0, -1):
        head = "".join(words[:size])
        if head in _FIRST:
            return _STARRED.get(head) or _BY_NAME[head]
    for size in range(most, 0, -1):
        tail = "".join(words[-size:])
        if tail in _FIRST and tail not in _STARRED:
            return _BY_NAME[tail]
    return next((kind for head, kind in _STARRED.items() if joined.startswith(head)), "other")


@lru_cache(maxsize=4096)
def _words(name: str) -> tuple[str, ...]:
    plain = name.rpartition("__")[2] if name.startswith("mcp__") else name.rpartition(".")[2] or name
    return tuple(word.casefold() for word in _WORDS.findall(plain))


def _joined(name: str) -> str:
    return "".join(_words(name))


def _shell_kind(arguments: Any) -> ToolKind:
    command = command_in(arguments)
    if not command.strip():
        return "poll" if isinstance(arguments, Mapping) and not command and any(key in arguments for key in _COMMANDS) else "run"
    if check_command(command) is not None:
        return "verify"
    if _PATCH in command or command.lstrip().startswith("apply_patch"):
        return "write"
    return "poll" if "sleep" in command and set(shell_programs(command)) == {"sleep"} else "run"


def _commands_in_code(code: str) -> list[str]:
    found = []
    for match in _COMMAND_IN_CODE.finditer(code):
        try:
            found.append(str(json.loads(match[1], strict=False)))
        except ValueError:
            continue
    return found


def _editor_kind(arguments: Any) -> ToolKind:
    return "read" if _action(arguments) in _VIEWING else "write"


def _python_kind(arguments: Any) -> ToolKind:
    return "write" if _EDITS_IN_CODE.search(command_in(arguments)) else "run"


def _stdin_kind(arguments: Any) -> ToolKind:
    typed = next((arguments[key] for key in ("chars", "input", "text", "data") if arguments.get(key)), "") if isinstance(arguments, Mapping) else arguments
    return "run" if typed else "poll"


def _git_kind(arguments: Any) -> ToolKind:
    words = _action(arguments).removeprefix("git ").split() or [""]
    return "read" if words[0] in _READING_GIT else "run"


def _files_kind(arguments: Any) -> ToolKind:
    return "read" if _action(arguments) in _READING_FILES else "write"


def _lsp_kind(arguments: Any) -> ToolKind:
    return "write" if _action(arguments) == "rename" and isinstance(arguments, Mapping) and bool(arguments.get("apply")) else "read"


_JUDGES: Final[Mapping[str, Callable[[Any], ToolKind]]] = {
    "shell": _shell_kind,
    "python": _python_kind,
    "editor": _editor_kind,
    "stdin": _stdin_kind,
    "git": _git_kind,
    "files": _files_kind,
    "lsp": _lsp_kind,
}


def _action(arguments: Any) -> str:
    names: Iterable[Any] = (arguments.get(key) for key in _ACTIONS) if isinstance(arguments, Mapping) else (arguments,)
    return next((name.strip().casefold() for name in names if isinstance(name, str)), "")


def _is_checked(path: str) -> bool:
    name = path.strip().replace("\\", "/").rpartition("/")[2]
    stem, dot, suffix = name.rpartition(".")
    if not dot:
        return name.casefold() not in _PROSE
    if not stem:
        return False
    return suffix.casefold() in _SOURCES or name == "CMakeLists.txt"
