"""Python values as text -> values: some tools record `repr(value)` or `str(value)` where others record JSON. Nothing is ever evaluated."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from typing import Any

_LONGEST = 2_000_000
_BEGINS = re.compile(r"\s*(?:[\[{(]|[A-Za-z_][\w.]*\()")
_FIELD = re.compile(r"[A-Za-z_]\w*=")


def parse_repr(text: str) -> Any:
    """Parse what `repr` wrote of lists, dictionaries, texts and numbers; None when it is something else.

    An object such as `HumanMessage(content='hi')` becomes what `dumpd` of LangChain writes: `{"lc": 1, "type": "constructor", "id": […], "kwargs": {…}}`.
    """
    if len(text) > _LONGEST or not _BEGINS.match(text):
        return None
    try:
        return _value(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def parse_fields(text: str) -> dict[str, Any] | None:
    """Parse what `str` writes of a pydantic model, `role='user' content='hi' name=None`; None when it is something else.

    A field whose value is no literal keeps its text.
    """
    if len(text) > _LONGEST or not _FIELD.match(text):
        return None
    starts = _field_starts(text)
    if not starts:
        return None
    pieces = [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
    return {name: _literal(value.strip()) for name, _, value in (piece.partition("=") for piece in pieces)}


def _field_starts(text: str) -> list[int]:
    """Find where each field begins: a name and an equals sign outside of all brackets."""
    lines = [0, *(match.end() for match in re.finditer("\n", text))]
    starts: list[int] = []
    depth = 0
    before: tokenize.TokenInfo | None = None
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP and token.string in "([{":
                depth += 1
            elif token.type == tokenize.OP and token.string in ")]}":
                depth -= 1
            elif token.string == "=" and depth == 0 and before is not None and before.type == tokenize.NAME:
                starts.append(lines[before.start[0] - 1] + before.start[1])
            before = token
    except (tokenize.TokenError, SyntaxError, IndexError):
        return starts
    return starts


def _literal(text: str) -> Any:
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return text


def _value(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str | int | float | None) else str(node.value)
    if isinstance(node, ast.List | ast.Tuple | ast.Set):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        return {str(_value(key)): _value(value) for key, value in pairs if key is not None}
    if isinstance(node, ast.Call):
        given = {str(place): _value(item) for place, item in enumerate(node.args)}
        named = {keyword.arg: _value(keyword.value) for keyword in node.keywords if keyword.arg is not None}
        return {"lc": 1, "type": "constructor", "id": ast.unparse(node.func).split("."), "kwargs": given | named}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
        number = node.operand.value
        return -number if isinstance(number, int | float) else ast.unparse(node)
    return ast.unparse(node)
