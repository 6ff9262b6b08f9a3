"""One item of the Responses API: a message, reasoning, a tool call of one of many kinds, or what a tool returned.

A tool with a `call_id` is run by the client, and its result is an item of its own; a tool without one was run by the service, which tells the result in the
item of the call, if it tells it at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agentnb.readers._fields import as_extra, extra_of, list_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked, Piece, Said, joined

ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""Roles of messages, and what they are here."""

_TEXTS = {"output_text": "text", "input_text": "text", "text": "text", "summary_text": "text", "reasoning_text": "text", "refusal": "refusal"}
_OVER = ("completed", "failed", "incomplete")
_WRAPPERS = frozenset({"parallel", "multi_tool_use.parallel"})
# Type of a call -> where its item tells what the tool was given.
_INPUTS = {
    "function_call": "arguments",
    "custom_tool_call": "input",
    "mcp_call": "arguments",
    "mcp_approval_request": "arguments",
    "web_search_call": "action",
    "shell_call": "action",
    "local_shell_call": "action",
    "computer_call": "action",
    "apply_patch_call": "operation",
    "tool_search_call": "arguments",
}


def is_item(value: Any) -> bool:
    """Tell whether a value is an item that no other service has."""
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "message" or (kind is None and isinstance(value, dict) and isinstance(value.get("role"), str)):
        return isinstance(value.get("content"), list) and any(
            isinstance(part, dict) and part.get("type") in ("output_text", "input_text") for part in value["content"]
        )
    if kind == "reasoning":
        return isinstance(value.get("summary"), list)
    return isinstance(kind, str) and (kind in _INPUTS or kind in _SAID)


def said_of_item(item: dict[str, Any], place: int) -> list[Said]:
    """Say an item; the first message of what it becomes stands for its record.

    Args:
        item: an object with a `type`, or a message with a role alone.
        place: its place in the recording, from 1.
    """
    kind = item.get("type")
    if not isinstance(kind, str):
        kind = "message" if isinstance(item.get("role"), str) else ""
    said = list(_say(item, kind, place))
    return [said[0], *(further._replace(records=0) for further in said[1:])]


def _say(item: dict[str, Any], kind: str, place: int) -> Iterable[Said]:
    if kind in _SAID:
        return _SAID[kind](item, place)
    if kind.endswith("_output") and ("call_id" in item or "output" in item):
        return [_result(item, place, _pieces(item.get("output")))]
    if kind in _INPUTS or (kind.endswith("_call") and ("call_id" in item or "status" in item)):
        return _called(item, kind, place)
    return [Said("assistant", place, (Piece("other", kind or None, extra=to_json(item)),))]


def _message(item: dict[str, Any], place: int) -> list[Said]:
    role, pieces, rest = item.get("role"), _pieces(item.get("content")), _rest(item, "role", "content")
    known = ROLES.get(role, "assistant") if isinstance(role, str) else "assistant"
    if known == "assistant" and pieces:
        # A reply is several items: what is not read of one stands with its words, not with the whole reply.
        extra = joined(pieces[0].extra, rest)
        return [Said(known, place, (pieces[0]._replace(extra=text_of(extra)), *pieces[1:]))]
    return [Said(known, place, pieces, extra=rest)]


def _reasoning(item: dict[str, Any], place: int) -> list[Said]:
    """Say a thought; one of which only the ciphertext is told stays a part without text."""
    blocks = [block for name in ("summary", "content") for block in list_of(item.get(name))]
    texts = [piece.text for piece in map(_piece, blocks) if piece.text]
    pieces = [Piece("reasoning", text) for text in texts] or [Piece("reasoning", None)]
    return [Said("assistant", place, (*pieces[:-1], pieces[-1]._replace(extra=_rest(item, "summary", "content"))))]


def _called(item: dict[str, Any], kind: str, place: int) -> Iterator[Said]:
    """Say a call, and that the service ran it where it did."""
    field = _INPUTS.get(kind, "arguments")
    given = item.get(field)
    given = item.get("actions") if given is None and kind == "computer_call" else given
    arguments = read_arguments(given)
    if kind == "custom_tool_call" and isinstance(given, str):
        # Its input is free text, such as a program or a patch, and no JSON that would be broken.
        arguments = arguments._replace(text=to_json(given), oddities=())
    hosted = item.get("call_id") is None and item.get("callId") is None and (kind == "web_search_call" or kind not in _INPUTS)
    name = text_of(item.get("name")) or kind.removesuffix("_call")
    call_id = text_of(item.get("call_id") or item.get("callId") or item.get("id")) or None
    extra = _rest(item, "call_id", "callId", "name", "caller", "output", "error", field, "" if item.get("call_id") or item.get("callId") else "id")
    call = Asked(call_id, name, arguments.text, extra, arguments.oddities, inside=_caller(item))
    yield Said("assistant", place, asked=(call, *_wrapped(call)))
    if hosted and item.get("status") in _OVER:
        yield _result(item, place, _pieces(item.get("output")))._replace(result_of=call_id, same_step=True, extra=None)


def _mcp_call(item: dict[str, Any], place: int) -> list[Said]:
    """Say a call of an MCP server, which the service runs; when a person was asked before, it is the call that waited for the answer."""
    call_id, request = text_of(item.get("id")) or None, text_of(item.get("approval_request_id")) or None
    arguments = read_arguments(item.get("arguments"))
    extra = _rest(item, "id", "name", "arguments", "output", "error")
    question = Question(answer="yes") if request else None
    call = Asked(call_id, text_of(item.get("name")) or "mcp", arguments.text, extra, arguments.oddities, question=question, follows=request)
    asked = Said("assistant", place, asked=(call,))
    error = item.get("error")
    if item.get("output") is None and error is None and item.get("status") not in _OVER and "status" in item:
        return [asked]
    words = text_of(error.get("message") or error) if isinstance(error, dict) else text_of(error)
    failed = True if error is not None or item.get("status") in ("failed", "incomplete") else None
    return [asked, Said("tool", place, _pieces(item.get("output")), result_of=call_id, same_step=True, error=words, failed=failed)]


def _approval_request(item: dict[str, Any], place: int) -> list[Said]:
    arguments = read_arguments(item.get("arguments"))
    name, call_id = text_of(item.get("name")) or "mcp", text_of(item.get("id")) or None
    extra = _rest(item, "id", "name", "arguments")
    return [Said("assistant", place, asked=(Asked(call_id, name, arguments.text, extra, arguments.oddities, question=Question(line=place)),))]


def _approval_response(item: dict[str, Any], place: int) -> list[Said]:
    """Say what a person answered: no ends the call; after yes its result is still to come."""
    approved = item.get("approve")
    question = Question(answer="yes" if approved is True else "no" if approved is False else None, reason=text_of(item.get("reason")), line=place)
    call_id = text_of(item.get("approval_request_id")) or None
    extra = _rest(item, "approval_request_id", "approve", "reason")
    return [Said("tool", place, result_of=call_id, question=question, decides=approved is not False, extra=extra)]


def _code_interpreter(item: dict[str, Any], place: int) -> list[Said]:
    call_id = text_of(item.get("id")) or None
    code = item.get("code")
    extra = _rest(item, "id", "code", "outputs")
    asked = Said("assistant", place, asked=(Asked(call_id, "code_interpreter", None if code is None else to_json({"code": code}), extra),))
    if item.get("outputs") is None and item.get("status") not in _OVER:
        return [asked]
    failed = True if item.get("status") in ("failed", "incomplete") else None
    pieces = tuple(map(_output, list_of(item.get("outputs"))))
    return [asked, Said("tool", place, pieces, result_of=call_id, same_step=True, failed=failed)]


def _file_search(item: dict[str, Any], place: int) -> list[Said]:
    call_id = text_of(item.get("id")) or None
    queries = item.get("queries")
    asked = Asked(call_id, "file_search", None if queries is None else to_json({"queries": queries}), _rest(item, "id", "queries", "results"))
    results = item.get("results")
    pieces = () if results is None else (Piece("text", to_json(results)),)
    said = [Said("assistant", place, asked=(asked,))]
    failed = True if item.get("status") in ("failed", "incomplete") else None
    return [*said, Said("tool", place, pieces, result_of=call_id, same_step=True, failed=failed)] if pieces or item.get("status") in _OVER else said


def _image_generation(item: dict[str, Any], place: int) -> list[Said]:
    call_id = text_of(item.get("id")) or None
    prompt = item.get("revised_prompt")
    given = to_json({"prompt": prompt}) if prompt is not None else None
    said = [Said("assistant", place, asked=(Asked(call_id, "image_generation", given, _rest(item, "id", "revised_prompt", "result", "output_format")),))]
    image = item.get("result")
    kind = item.get("output_format")
    pieces = () if image is None else (Piece("image", text_of(image), f"image/{kind if isinstance(kind, str) else 'png'}"),)
    failed = True if item.get("status") in ("failed", "incomplete") else None
    return [*said, Said("tool", place, pieces, result_of=call_id, same_step=True, failed=failed)] if pieces or item.get("status") in _OVER else said


def _program(item: dict[str, Any], place: int) -> list[Said]:
    """Say a program that calls tools: the calls it makes name it as their caller."""
    call_id = text_of(item.get("call_id") or item.get("id")) or None
    code = item.get("code")
    extra = _rest(item, "call_id", "code")
    return [Said("assistant", place, asked=(Asked(call_id, "program", None if code is None else to_json({"code": code}), extra),))]


def _program_output(item: dict[str, Any], place: int) -> list[Said]:
    output = item.get("output", item.get("result"))
    return [_result(item, place, _pieces(output))._replace(extra=_rest(item, "call_id", "output", "result"), same_step=True)]


def _shell_output(item: dict[str, Any], place: int) -> list[Said]:
    """Say what commands printed; the exit code is the first that is not zero, and a command that ran out of time failed."""
    outputs = [output for output in list_of(item.get("output")) if isinstance(output, dict)]
    if not outputs:
        return [_result(item, place, _pieces(item.get("output")))]
    texts = [str(output[name]) for output in outputs for name in ("stdout", "stderr") if output.get(name)]
    outcomes = [output["outcome"] for output in outputs if isinstance(output.get("outcome"), dict)]
    exits = [outcome["exit_code"] for outcome in outcomes if type(outcome.get("exit_code")) is int]
    late = any(outcome.get("type") == "timeout" for outcome in outcomes)
    said = _result(item, place, (Piece("text", "\n".join(texts)),))
    extra = to_json(rest_of(item, ("type", "call_id")))
    return [
        said._replace(
            exit_code=next((code for code in exits if code), exits[0] if exits else None),
            failed=late or None,
            error="Timed out." if late else None,
            extra=extra,
        )
    ]


def _local_shell_output(item: dict[str, Any], place: int) -> list[Said]:
    """Say what a command printed: a JSON text that may hold the output beside the exit code."""
    said = _result(item, place, _pieces(item.get("output")))._replace(result_of=text_of(item.get("call_id") or item.get("id")) or None)
    output = item.get("output")
    parsed = parse_json(output.encode()) if isinstance(output, str) else None
    told = parsed.value if parsed is not None and parsed.ok else output
    metadata = told.get("metadata") if isinstance(told, dict) else None
    code = next((found.get("exit_code") for found in (told, metadata) if isinstance(found, dict) and type(found.get("exit_code")) is int), None)
    return [said._replace(exit_code=code)]


def _computer_output(item: dict[str, Any], place: int) -> list[Said]:
    return [_result(item, place, _pieces([item["output"]] if isinstance(item.get("output"), dict) else item.get("output")))]


def _tool_search_output(item: dict[str, Any], place: int) -> list[Said]:
    tools = item.get("tools")
    said = _result(item, place, () if tools is None else (Piece("text", to_json(tools)),))
    return [said._replace(same_step=item.get("execution") == "server", extra=_rest(item, "call_id", "tools", "execution"))]


def _aside(item: dict[str, Any], place: int) -> list[Said]:
    """Say what the service noted: tools of a server, a history that was made shorter, a reference to an earlier item."""
    return [Said("assistant", place, (Piece("other", text_of(item.get("type")), extra=to_json(item)),))]


_SAID: dict[str, Callable[[dict[str, Any], int], Iterable[Said]]] = {
    "message": _message,
    "reasoning": _reasoning,
    "mcp_call": _mcp_call,
    "mcp_approval_request": _approval_request,
    "mcp_approval_response": _approval_response,
    "mcp_list_tools": _aside,
    "code_interpreter_call": _code_interpreter,
    "file_search_call": _file_search,
    "image_generation_call": _image_generation,
    "program": _program,
    "program_output": _program_output,
    "shell_call_output": _shell_output,
    "local_shell_call_output": _local_shell_output,
    "computer_call_output": _computer_output,
    "tool_search_output": _tool_search_output,
    "function_call_output": lambda item, place: [_result(item, place, _pieces(item.get("output")))],
    "function_call_result": lambda item, place: _called_back(item, place),
    "custom_tool_call_output": lambda item, place: [_result(item, place, _pieces(item.get("output")))],
    "apply_patch_call_output": lambda item, place: [_result(item, place, _pieces(item.get("output")))],
    "compaction": _aside,
    "item_reference": _aside,
}


def _result(item: dict[str, Any], place: int, pieces: tuple[Piece, ...]) -> Said:
    failed = True if item.get("status") in ("failed", "incomplete") else None
    caller = _caller(item)
    extra = _rest(item, "call_id", "output", "" if caller is None else "caller")
    return Said("tool", place, pieces, result_of=text_of(item.get("call_id")) or None, failed=failed, extra=extra)


def _called_back(item: dict[str, Any], place: int) -> list[Said]:
    """Say a result as the agents' library in JavaScript and what builds on it write it: under other names, and one that has no id names its tool."""
    given = next((item[name] for name in ("output", "content", "result") if item.get(name) is not None), None)
    pieces = _pieces([given] if isinstance(given, dict) and "text" in given else given)
    named = {name: value for name, value in item.items() if name not in ("callId", "name", "output", "content", "result")}
    call_id = item.get("callId") or item.get("call_id")
    return [_result(named | {"call_id": call_id}, place, pieces)._replace(result_name=text_of(item.get("name")))]


def _wrapped(call: Asked) -> tuple[Asked, ...]:
    """Return the calls that a call of `parallel` stands for; they have no ids."""
    parsed = parse_json(call.input.encode()) if call.name in _WRAPPERS and call.input else None
    uses = parsed.value.get("tool_uses") if parsed is not None and isinstance(parsed.value, dict) else None
    return tuple(_use(use, call.tool_call_id) for use in list_of(uses))


def _use(use: Any, wrapper: str | None) -> Asked:
    if not isinstance(use, dict):
        return Asked(None, "", to_json(use), inside=wrapper)
    name = text_of(use.get("recipient_name")) or ""
    arguments = read_arguments(use.get("parameters"))
    extra = extra_of(use, ("recipient_name", "parameters"))
    return Asked(None, name.removeprefix("functions."), arguments.text, extra, arguments.oddities, inside=wrapper)


def _caller(item: dict[str, Any]) -> str | None:
    caller = item.get("caller")
    return text_of(caller.get("caller_id")) if isinstance(caller, dict) else None


def _pieces(content: Any) -> tuple[Piece, ...]:
    if content is None:
        return ()
    return tuple(map(_piece, content)) if isinstance(content, list) else (_piece(content),)


def _piece(part: Any) -> Piece:
    if isinstance(part, str):
        return Piece("text", part)
    kind = part.get("type") if isinstance(part, dict) else None
    field = _TEXTS.get(kind) if isinstance(kind, str) else None
    if field is not None and isinstance(part.get(field), str):
        rest = {name: value for name, value in part.items() if name not in ("type", field) and value not in (None, [])}
        return Piece("text", part[field], extra=as_extra(rest))
    if kind in ("input_image", "computer_screenshot", "image") and isinstance(part.get("image_url"), str):
        url = part["image_url"]
        mime = url[5:].replace(",", ";").split(";")[0] if url.startswith("data:") else None
        return Piece("image", url, mime or None, extra_of(part, ("type", "image_url")))
    return Piece("other", text_of(kind), extra=object_of(part))


def _output(output: Any) -> Piece:
    kind = output.get("type") if isinstance(output, dict) else None
    if kind == "logs" and isinstance(output.get("logs"), str):
        return Piece("text", output["logs"], extra=extra_of(output, ("type", "logs")))
    if kind == "image" and isinstance(output.get("url"), str):
        return _piece({**{name: value for name, value in output.items() if name != "url"}, "image_url": output["url"]})
    return Piece("other", text_of(kind), extra=object_of(output))


def _rest(item: dict[str, Any], *read: str) -> str | None:
    """Write what is not read of an item; that it is completed is told by what stands in it."""
    rest = {name: value for name, value in item.items() if name not in ("type", *read) and value is not None and (name, value) != ("status", "completed")}
    return as_extra(rest)
