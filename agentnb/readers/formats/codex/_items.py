"""An item of the model's history as Codex writes it -> what it says; what Codex itself put among a person's words is told apart."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agentnb.readers._fields import extra_of, read_arguments, text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.dialects.responses_items import said_of_item

_INJECTED = re.compile(
    r"\s*(?:<(?:environment_context|user_instructions|user_action|turn_aborted|user_shell_command|subagent_notification|skill|hook_prompt|goal_context"
    r"|permissions instructions|collaboration_mode|skills_instructions|apps_instructions|plugins_instructions|INSTRUCTIONS|model_switch|personality_spec"
    r"|subagents)\b|# AGENTS\.md instructions\b|Warning: The maximum number of unified exec)"
)
_PASSED = "internal_chat_message_metadata_passthrough"


class Spoken(NamedTuple):
    """Words that may stand in both streams."""

    kind: str
    text: str


def said_in_item(item: dict[str, Any], place: int) -> list[Said]:
    """Say an item; the first message stands for the record."""
    kind = item.get("type")
    if _PASSED in item:
        item = {name: value for name, value in item.items() if name != _PASSED}
    if kind == "agent_message":
        # Words of another agent, which no person said.
        extra = extra_of(item, ("type", "content"))
        return [said_of_item({"role": "user", "content": item.get("content")}, place)[0]._replace(injected=True, extra=extra)]
    if kind in ("tool_call", "tool_result"):
        return _said_of_named_tool(item, place)
    if kind == "ghost_snapshot":
        return [Said("system", place, (Piece("other", kind, extra=to_json(item)),), injected=True)]
    output = item.get("output")
    if isinstance(output, dict) and "content" in output:
        (result,) = said_of_item({**item, "output": output["content"]}, place)[:1]
        return [result._replace(failed=True if output.get("success") is False else None)]
    said = said_of_item(item, place)
    return [said[0]._replace(injected=True)] if _puts_in(said[0]) else said


def _said_of_named_tool(item: dict[str, Any], place: int) -> list[Said]:
    """Say a call or a result that names its tool and has no id, as some versions wrote them."""
    function, name = item.get("function"), text_of(item.get("name"))
    name = name or (text_of(function.get("name")) if isinstance(function, dict) else None)
    call_id = text_of(item.get("call_id") or item.get("id")) or None
    if item["type"] == "tool_call":
        arguments = read_arguments(item.get("arguments", item.get("input")))
        rest = extra_of(item, ("type", "name", "function", "arguments", "input", "call_id", "id"))
        return [Said("assistant", place, asked=(Asked(call_id, name or "", arguments.text, rest, arguments.oddities),))]
    result = item.get("result", item.get("output"))
    told = result if isinstance(result, dict) else {}
    texts = [told[part] for part in ("stdout", "stderr") if isinstance(told.get(part), str) and told[part]]
    code = next((told[part] for part in ("exitCode", "exit_code") if type(told.get(part)) is int), None)
    text = "\n".join(texts) if texts or "stdout" in told else text_of(result)
    pieces = (Piece("text", text),) if text is not None else ()
    rest = to_json({"result": told}) if told else None
    return [Said("tool", place, pieces, result_of=call_id, result_name=name, exit_code=code, failed=bool(code) if code is not None else None, extra=rest)]


def spoken_in(said: Said) -> Spoken | None:
    """Return the words of an item that an event may repeat."""
    if said.asked or said.injected or said.role not in ("user", "assistant"):
        return None
    reasoned = [piece.text for piece in said.pieces if piece.type == "reasoning" and piece.text]
    if said.role == "assistant" and reasoned:
        return Spoken("reasoning", "\n".join(reasoned))
    texts = [piece.text for piece in said.pieces if piece.type == "text" and piece.text]
    return Spoken(said.role, "\n".join(texts)) if texts or said.role == "user" else None


def is_injected(text: str) -> bool:
    """Tell whether Codex put a text among a person's words."""
    return _INJECTED.match(text) is not None


def searched_in(item: dict[str, Any], told: dict[str, Any]) -> dict[str, Any]:
    """Add to the item of a web search what its event tells: the id, the query, the results."""
    more = {name: told[name] for name in ("action", "query") if told.get(name) not in (None, "") and item.get(name) is None}
    results = {"output": to_json(told["results"])} if told.get("results") else {}
    return {**more, **results, **item, "id": item.get("id") or text_of(told.get("call_id"))}


def _puts_in(said: Said) -> bool:
    """Tell whether a message is one that Codex put among the others."""
    texts = [piece.text for piece in said.pieces if piece.type == "text" and piece.text]
    return said.role == "system" or (said.role == "user" and bool(texts) and all(map(is_injected, texts)))
