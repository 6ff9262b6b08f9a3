"""One content block of Anthropic Messages: a piece that was said, a tool call, or what a tool returned, whoever ran it."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._fields import as_extra, extra_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders.message_list import Asked, Piece

CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})
"""Types of blocks that ask for a tool: one that the client runs, one of the service, one of a server that the service calls."""

_READ_CALL = frozenset({"type", "id", "name", "input"})
_READ_RESULT = frozenset({"type", "tool_use_id", "content", "is_error"})
# What a result of a tool of the service holds as text, and which fields then say nothing more.
_TEXT_FIELDS = {"web_search_result": ("title", "url"), "text_editor_code_execution_view_result": ("content",), "search_result": ("title", "source")}


class Returned(NamedTuple):
    """What a result block says."""

    pieces: tuple[Piece, ...]
    failed: bool | None = None
    error: str | None = None
    exit_code: int | None = None
    extra: dict[str, Any] = {}  # noqa: RUF012 - never changed; a NamedTuple takes no factory
    """What was not read, or cannot stand in the text."""


def is_result(block: Any) -> bool:
    """Tell whether a block is the result of a tool, of whatever kind."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and kind.endswith("tool_result")


def is_call(block: Any) -> bool:
    """Tell whether a block asks for a tool."""
    kind = block.get("type") if isinstance(block, dict) else None
    return isinstance(kind, str) and kind in CALLS


def asked_in(block: dict[str, Any]) -> Asked:
    """Return the tool call that a block asks for; one that a program made names the call of that program."""
    rest = rest_of(block, _READ_CALL)
    caller = rest.get("caller")
    inside = text_of(caller.get("tool_id")) if isinstance(caller, dict) else None
    if caller == {"type": "direct"}:
        del rest["caller"]
    if block.get("type") != "tool_use":
        rest = {"type": block.get("type"), **rest}
    arguments = read_arguments(block.get("input"))
    name, call_id = text_of(block.get("name")) or "", text_of(block.get("id")) or None
    return Asked(call_id, name, arguments.text, as_extra(rest), arguments.oddities, inside=inside)


def piece_in(block: Any) -> Piece:
    """Return the piece that a block is."""
    if isinstance(block, str):
        return Piece("text", block)
    kind = block.get("type") if isinstance(block, dict) else None
    if kind == "text" and isinstance(block.get("text"), str):
        return Piece("text", block["text"], extra=_extra(block, "type", "text"))
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return Piece("reasoning", block["thinking"] or None, extra=_extra(block, "type", "thinking"))
    if kind == "redacted_thinking":
        return Piece("reasoning", None, extra=to_json(block))
    if kind == "compaction" and isinstance(block.get("content"), str):
        return Piece("other", block["content"], extra=_extra(block, "content"))
    if kind == "image" and isinstance(block.get("source"), dict):
        return _image(block)
    source = block.get("source") if isinstance(block, dict) else None
    mime = text_of(source.get("media_type")) if isinstance(source, dict) else None
    return Piece("other", text_of(kind), mime, object_of(block))


def returned_in(block: dict[str, Any]) -> Returned:
    """Return what a result block says; the exit code and the failure of a tool of the service stand in its content."""
    content = block.get("content")
    rest = rest_of(block, _READ_RESULT)
    failed = block["is_error"] if isinstance(block.get("is_error"), bool) else None
    if "is_error" in block and failed is None and block["is_error"] is not None:
        rest["is_error"] = block["is_error"]
    if isinstance(content, dict):
        told = _told_by(content)
        return told._replace(failed=told.failed if failed is None else failed, extra=rest | told.extra)
    listed = content if isinstance(content, list) else [] if content is None else [content]
    pieces = tuple(_shown_in(item) for item in listed)
    # Only the text of a result has a place of its own: what else its blocks say stands with the call.
    unread = [to_unread for item in listed if isinstance(item, dict) and (to_unread := _unread_of_shown(item))]
    return Returned(pieces, failed, extra=rest | ({"content": unread} if unread else {}))


def _told_by(content: dict[str, Any]) -> Returned:
    """Return what a result with one object as content says: an error, the output of a program, a page, a file."""
    kind = text_of(content.get("type")) or ""
    rest = {name: value for name, value in content.items() if value is not None and name != "type"}
    if "error_code" in content or kind.endswith("_error"):
        code = text_of(rest.pop("error_code", None))
        message = text_of(rest.pop("error_message", None))
        words = ": ".join(filter(None, (code, message))) or kind
        return Returned((Piece("text", words),), failed=True, error=words, extra=_kept(kind, rest))
    if "return_code" in content or "stdout" in content:
        return _told_by_program(kind, rest)
    if kind == "web_fetch_result" and isinstance(content.get("content"), dict):
        document = rest.pop("content")
        return Returned((_shown_in(document),), extra=_kept(kind, rest | {"content": _unread_of_shown(document)}))
    for name in ("content", "text"):
        if isinstance(content.get(name), str):
            return Returned((Piece("text", rest.pop(name)),), extra=_kept(kind, rest))
    lines = content.get("lines")
    if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
        del rest["lines"]
        return Returned((Piece("text", "\n".join(lines)),), extra=_kept(kind, rest))
    return Returned((Piece("text", to_json(rest)),), extra=_kept(kind, {}))


def _told_by_program(kind: str, rest: dict[str, Any]) -> Returned:
    stdout, stderr = rest.get("stdout"), rest.get("stderr")
    code = rest.get("return_code")
    shown = [text for text in (stdout, stderr) if isinstance(text, str) and text]
    exit_code = rest.pop("return_code") if type(code) is int and -(2**31) <= code < 2**32 else None
    if not (stdout and stderr):
        # One of them alone is the output.
        for name in ("stdout", "stderr"):
            if isinstance(rest.get(name), str):
                del rest[name]
    files = rest.pop("content") if isinstance(rest.get("content"), list) else []
    text = "".join(f"{part}\n" if number < len(shown) and not part.endswith("\n") else part for number, part in enumerate(shown, 1))
    pieces = (Piece("text", text), *map(piece_in, files))
    failed = exit_code != 0 if exit_code is not None else None
    error = first_line(shown[-1]) or None if failed and shown else None
    return Returned(pieces, failed, error, exit_code, _kept(kind, rest))


def _kept(kind: str, rest: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, **rest} if kind else rest


def _shown_in(item: Any) -> Piece:
    """Return a piece of a result: text, also that of a page or a file, an image, or something else."""
    kind = item.get("type") if isinstance(item, dict) else None
    fields = _TEXT_FIELDS.get(kind) if isinstance(kind, str) else None
    if fields is not None:
        words = [text for field in fields if (text := text_of(item.get(field)))]
        nested = item.get("content")
        words += [block["text"] for block in nested if isinstance(block, dict) and isinstance(block.get("text"), str)] if isinstance(nested, list) else []
        return Piece("text", "\n".join(words))
    source = item.get("source") if isinstance(item, dict) else None
    if kind == "document" and isinstance(source, dict) and source.get("type") == "text" and isinstance(source.get("data"), str):
        return Piece("text", source["data"])
    return piece_in(item)


def _unread_of_shown(item: dict[str, Any]) -> dict[str, Any]:
    """Return what is not read of a piece of a result that is shown as text."""
    if _shown_in(item).type != "text":
        return {}
    kind = item.get("type")
    if kind == "document":
        source = {name: value for name, value in item["source"].items() if name != "data" and value is not None}
        return {name: value for name, value in item.items() if name != "source" and value is not None} | {"source": source}
    if kind == "text":
        return rest_of(item, ("type", "text"))
    return {name: value for name, value in item.items() if value is not None}


def _image(block: dict[str, Any]) -> Piece:
    source = block["source"]
    name = next((name for name in ("data", "url", "file_id") if isinstance(source.get(name), str)), "")
    rest = rest_of(source, (name, "media_type", "type"))
    extra = rest_of(block, ("type", "source")) | ({"source": rest} if rest else {})
    return Piece("image", text_of(source.get(name)), text_of(source.get("media_type")), as_extra(extra))


def _extra(block: dict[str, Any], *read: str) -> str | None:
    return extra_of(block, read)
