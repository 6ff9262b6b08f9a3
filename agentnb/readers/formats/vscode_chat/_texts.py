"""Pieces of a chat as VS Code keeps them -> text: Markdown, references, and the trees in which tools give their results."""

from __future__ import annotations

import re
from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers._json import parse_json, to_json

_SUFFIX = re.compile(r"__vscode-\d+$")


def plain_id(call_id: Any) -> str | None:
    """Return a call's id without what VS Code adds to it in one place and not in another."""
    text = text_of(call_id)
    return _SUFFIX.sub("", text) or None if text is not None else None


def markdown_of(value: Any) -> str:
    """Return a text that is plain or Markdown in an object."""
    if isinstance(value, dict):
        inner = value.get("value", value.get("content"))
        return inner if isinstance(inner, str) else markdown_of(inner) if isinstance(inner, dict) else ""
    return value if isinstance(value, str) else ""


def reference_of(part: dict[str, Any]) -> str:
    """Return the name of what a reference among the words refers to."""
    told = part.get("inlineReference")
    if not isinstance(told, dict):
        return text_of(part.get("name")) or ""
    location = told.get("location")
    uri = told.get("uri", location.get("uri") if isinstance(location, dict) else told)
    path = uri.get("path") or uri.get("fsPath") or uri.get("external") if isinstance(uri, dict) else None
    return text_of(part.get("name") or told.get("name")) or (text_of(path) or "").rsplit("/", 1)[-1]


def result_text(result: Any) -> str | None:
    """Return what a tool gave as the model was shown it."""
    content = result.get("content") if isinstance(result, dict) and "content" in result else result
    if content is None:
        return None
    parts = content if isinstance(content, list) else [content]
    return "\n".join(map(_part_text, parts))


def _part_text(part: Any) -> str:
    value = part.get("value", part.get("text", part)) if isinstance(part, dict) else part
    if isinstance(value, str) and value.startswith('{"node":'):
        parsed = parse_json(value.encode("utf-8", "replace"))
        value = parsed.value if parsed.ok else value
    if isinstance(value, str):
        return value
    if isinstance(value, dict) and isinstance(value.get("node"), dict):
        pieces: list[str] = []
        _gather(value["node"], pieces)
        return "".join(pieces)
    return to_json(value)


def _gather(node: Any, pieces: list[str]) -> None:
    """Gather the texts of a tree of prompt elements."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if not isinstance(current, dict):
            continue
        if isinstance(current.get("text"), str):
            if pieces and current.get("lineBreakBefore"):
                pieces.append("\n")
            pieces.append(current["text"])
        children = current.get("children")
        waiting.extend(reversed(children) if isinstance(children, list) else [])
