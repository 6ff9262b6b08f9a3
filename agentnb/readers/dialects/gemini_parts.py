"""One part of a content of Gemini: a piece that was said, a function call, or what a function returned.

Names are in camelCase or in snake_case, as the client wrote them.
"""

from __future__ import annotations

import re
from typing import Any

from agentnb.readers._fields import as_extra, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders.message_list import Asked, Piece, Said

CODE_TOOL = "code_execution"
"""Name of the tool with which the service runs code itself."""

# A response of a function that holds nothing else is what the function said.
_WRAPPERS = frozenset({"output", "result", "return_value", "error"})
# Thoughts that a client wrote into the text, encrypted.
_REDACTED = re.compile(r"\s*<think redacted=[^>]*>.*</think>\s*", re.DOTALL)
_SHELL = "run_shell_command"
# Some recordings hold its lines with their breaks written out.
_BREAK = r"(?:^|\\n)"
_EXIT = re.compile(_BREAK + r"Exit Code: (-?\d{1,9})(?=\s*$|\\n)", re.MULTILINE)
_SHELL_ERROR = re.compile(_BREAK + r"(?:Error|Stderr): (?!\((?:none|empty)\))(.+?)(?=$|\\n)", re.MULTILINE)
_SNAKE = re.compile(r"(?<!^)(?=[A-Z])")


def field(value: Any, name: str) -> Any:
    """Return a field of an object by its name in camelCase, however its client wrote it; None when it is not there."""
    if not isinstance(value, dict):
        return None
    found = value.get(name)
    return value.get(_snake(name)) if found is None else found


def unread(value: dict[str, Any], read: frozenset[str] | set[str]) -> dict[str, Any]:
    """Return the fields of an object that are not among those named in camelCase."""
    names = read | {_snake(name) for name in read}
    return rest_of(value, names)


def parts_in(content: dict[str, Any]) -> list[Any]:
    """Return the parts of a content."""
    parts = content.get("parts")
    return parts if isinstance(parts, list) else [] if parts is None else [parts]


def pieces_in(parts: Any) -> tuple[Piece, ...]:
    """Return what is said by a text, a part, or a list of them; calls and results among them are pieces of another kind."""
    listed = parts if isinstance(parts, list) else [] if parts is None else [parts]
    items = [(part, item_in(part, 0)) for part in listed]
    return tuple(as_piece(part, item) for part, item in items)


def as_piece(part: Any, item: Piece | Asked | Said) -> Piece:
    """Return what a part says where no call and no result can stand."""
    return item if isinstance(item, Piece) else Piece("other", next(iter(part), None), extra=object_of(part))


def item_in(part: Any, place: int) -> Piece | Asked | Said:
    """Return what a part is; a result becomes a message of its own."""
    if isinstance(part, str):
        return Piece("text", part)
    if not isinstance(part, dict):
        return Piece("other", None, extra=object_of(part))
    for name, read in (("functionCall", _call), ("executableCode", _code), ("inlineData", _media), ("fileData", _media)):
        if isinstance(field(part, name), dict):
            return read(field(part, name), unread(part, {name}))
    for name, told in (("functionResponse", _returned), ("codeExecutionResult", _ran)):
        if isinstance(field(part, name), dict):
            return told(field(part, name), unread(part, {name}), place)
    if isinstance(part.get("text"), str):
        rest = unread(part, {"text", "thought"})
        if _REDACTED.fullmatch(part["text"]):
            return Piece("reasoning", None, extra=to_json(part))
        kind = "reasoning" if part.get("thought") is True else "text"
        return Piece(kind, part["text"], extra=as_extra(rest))
    kept = {name: value for name, value in part.items() if value is not None}
    return Piece("other", next(iter(kept), None), extra=to_json(kept))


def _call(call: dict[str, Any], beside: dict[str, Any]) -> Asked:
    rest = unread(call, {"id", "name", "args"}) | beside
    arguments = read_arguments(call.get("args"))
    return Asked(text_of(call.get("id")) or None, text_of(call.get("name")) or "", arguments.text, as_extra(rest), arguments.oddities)


def _code(code: dict[str, Any], beside: dict[str, Any]) -> Asked:
    asked = {name: value for name, value in code.items() if name != "id" and value is not None}
    return Asked(text_of(code.get("id")) or None, CODE_TOOL, to_json(asked), as_extra(beside))


def _media(media: dict[str, Any], beside: dict[str, Any]) -> Piece:
    mime = text_of(field(media, "mimeType"))
    rest = unread(media, {"mimeType", "data", "fileUri"}) | beside
    kind = "image" if mime is not None and mime.startswith("image/") else "other"
    return Piece(kind, text_of(field(media, "data") or field(media, "fileUri")), mime, as_extra(rest))


def _returned(result: dict[str, Any], beside: dict[str, Any], place: int) -> Said:
    """Say what a function returned; one that holds an error failed."""
    response = result.get("response")
    rest = unread(result, {"id", "name", "response", "parts"}) | beside
    name = text_of(result.get("name"))
    error = response.get("error") if isinstance(response, dict) else None
    only = next(iter(response.values())) if isinstance(response, dict) and len(response) == 1 and _WRAPPERS.issuperset(response) else None
    text = only if isinstance(only, str) else text_of(response)
    pieces = ((Piece("text", text),) if text is not None else ()) + pieces_in(result.get("parts"))
    exit_code, complaint = _of_shell(text) if name == _SHELL else (None, None)
    return Said(
        "tool",
        place,
        pieces,
        result_of=text_of(result.get("id")) or None,
        result_name=name,
        error=first_line(text_of(error) or "") or None if error else complaint,
        failed=True if error or exit_code else None,
        exit_code=exit_code,
        extra=as_extra(rest),
    )


def _of_shell(text: str | None) -> tuple[int | None, str | None]:
    """Return the exit code that the shell tool of Gemini CLI writes into its result, and what the command complained about if it failed."""
    match = _EXIT.search(text or "")
    exit_code = int(match[1]) if match else None
    complaint = _SHELL_ERROR.search(text or "") if exit_code else None
    return exit_code, first_line(complaint[1]) if complaint else None


def _ran(result: dict[str, Any], beside: dict[str, Any], place: int) -> Said:
    """Say what the code returned that the service ran."""
    outcome, output = text_of(result.get("outcome")), text_of(result.get("output"))
    failed = None if outcome in (None, "OUTCOME_UNSPECIFIED") else outcome != "OUTCOME_OK"
    rest = unread(result, {"id", "output"}) | beside
    error = (first_line(output or "") or outcome) if failed else None
    pieces = (Piece("text", output),) if output is not None else ()
    extra = as_extra(rest)
    return Said("tool", place, pieces, result_of=text_of(result.get("id")) or None, result_name=CODE_TOOL, failed=failed, error=error, extra=extra)


def _snake(name: str) -> str:
    return _SNAKE.sub("_", name).lower()
