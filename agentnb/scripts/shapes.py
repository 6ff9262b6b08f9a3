"""The shape of a program: what is left when names, texts and numbers are taken out, so that the same computation written again is recognised.

Reduced word by word, without parsing, after agentfootprint's code shape: comments go, texts become S, numbers N, names V unless they are called or
belong to the language. In a shell the first word of a command is what is called; that is our own addition, since a shell calls without parentheses.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

LONGEST: Final = 65_536
"""Characters of the longest program that is given a shape."""
SHELLS: Final = frozenset({"bash", "sh", "zsh", "ksh", "fish", "shell"})
KEYWORDS: Final = frozenset(
    [
        "False",
        "None",
        "True",
        "and",
        "as",
        "assert",
        "async",
        "await",
        "break",
        "case",
        "catch",
        "class",
        "const",
        "continue",
        "def",
        "del",
        "delete",
        "do",
        "done",
        "elif",
        "else",
        "enum",
        "esac",
        "except",
        "export",
        "extends",
        "false",
        "fi",
        "finally",
        "fn",
        "for",
        "from",
        "func",
        "function",
        "global",
        "if",
        "implements",
        "import",
        "in",
        "instanceof",
        "interface",
        "is",
        "lambda",
        "let",
        "match",
        "new",
        "nil",
        "nonlocal",
        "not",
        "null",
        "of",
        "or",
        "pass",
        "raise",
        "return",
        "static",
        "struct",
        "super",
        "switch",
        "then",
        "this",
        "throw",
        "true",
        "try",
        "typeof",
        "undefined",
        "until",
        "use",
        "var",
        "void",
        "while",
        "with",
        "yield",
    ]
)

_LINE_COMMENT = re.compile(r"(?<!:)//[^\n]*")
_HASH_COMMENT = re.compile(r"#[^\n]*")
_SHELL_COMMENT = re.compile(r"(?:(?<=[\s;])|\A)#[^\n]*")
_TEXTS: Final = r"""\\.|(?P<text>'(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|`(?:[^`\\]|\\.)*+`)"""
_WORD = re.compile(rf"{_TEXTS}|(?P<number>\b\d[\w.]*)|(?P<name>[^\W\d]\w*+)(?P<called>\()?", re.DOTALL)
_SHELL_WORD = re.compile(rf"{_TEXTS}|(?P<begin>&&|\|\|?|;|\n|\$\(|\(|\{{)|(?P<number>(?<![\w-])\d[\w.]*)|(?P<name>[\w./~%@:+][\w./~%@:+-]*+=?)", re.DOTALL)
_SPACE = re.compile(r"\s+")


@lru_cache(maxsize=8192)
def shape_of(program: str, language: str | None = None) -> str:
    """Reduce a program to its shape.

    Args:
        program: the program.
        language: its language, where known; a shell has other comments and another way to call.

    Returns:
        The shape as text: `group(rows, "wwn")` and `group(items, "serial")` have one shape, `sort(items, "serial")` another.
    """
    if language in SHELLS:
        reduced = _reduce_shell(_SHELL_COMMENT.sub(" ", program.replace("\\\n", " ")))
    else:
        reduced = _WORD.sub(_reduced, _HASH_COMMENT.sub(" ", _LINE_COMMENT.sub(" ", _without_blocks(program))))
    return _SPACE.sub(" ", reduced).strip()


def shape_hash(program: str | None, language: str | None = None) -> str | None:
    """Return a short name for a program's shape: FNV-1a, 32 bits, as eight hexadecimal digits; None where there is no text or too much of it."""
    if program is None or len(program) > LONGEST:
        return None
    return _fnv(shape_of(program, language))


@lru_cache(maxsize=65536)
def _fnv(text: str) -> str:
    value = 0x811C9DC5
    for byte in text.encode("utf-8", "surrogatepass"):
        value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
    return f"{value:08x}"


def _without_blocks(program: str) -> str:
    """Take out `/* … */`; one that never ends is none, as in `ls /tmp/*`."""
    pieces, at = [], 0
    while (start := program.find("/*", at)) >= 0 and (end := program.find("*/", start + 2)) >= 0:
        pieces += [program[at:start], " "]
        at = end + 2
    return "".join([*pieces, program[at:]]) if pieces else program


def _reduced(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "text":
        return "S"
    if kind == "number":
        return "N"
    if kind == "name" and match["name"] not in KEYWORDS:
        return "V"
    return match[0]


def _reduce_shell(program: str) -> str:
    """Reduce a shell program: the first word of each command stays, as it is what is called."""
    begins = assigned = True

    def reduced(match: re.Match[str]) -> str:
        nonlocal begins, assigned
        kind = match.lastgroup
        if kind in ("text", "number"):
            begins, assigned = begins and assigned, False
            return "S" if kind == "text" else "N"
        if kind != "name":
            begins = begins or kind == "begin"
            return match[0]
        word = match["name"]
        assigned = word.endswith("=")
        stays = word in KEYWORDS or (begins and not assigned)
        begins = word in KEYWORDS or (begins and assigned)
        return word if stays else "V"

    return _SHELL_WORD.sub(reduced, program)
