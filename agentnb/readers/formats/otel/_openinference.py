"""OpenInference: `openinference.span.kind`, and messages under flattened keys."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import text_of
from agentnb.readers.builders.message_list import Said
from agentnb.readers.builders.span_tree import SpanKind
from agentnb.readers.dialects.any import parsed, said_in_any
from agentnb.readers.dialects.genai import messages_of_keys
from agentnb.readers.formats.otel._genai import usage_in
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, exit_code_in, said_as, words_of

_KINDS: dict[str, SpanKind] = {"LLM": "model", "TOOL": "tool", "AGENT": "agent", "RETRIEVER": "tool", "RERANKER": "tool", "GUARDRAIL": "tool"}
_USAGE = {
    "input_tokens": ("llm.token_count.prompt",),
    "output_tokens": ("llm.token_count.completion",),
    "cached_tokens": ("llm.token_count.prompt_details.cache_read", "llm.token_count.prompt_details.cache_input"),
    "cache_write_tokens": ("llm.token_count.prompt_details.cache_write",),
    "reasoning_tokens": ("llm.token_count.completion_details.reasoning",),
}
_HANDOFF = "handoff to "


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    told = record.take_text("openinference.span.kind")
    if told is None and not record.has("llm.input_messages.", "llm.output_messages.", "llm.token_count.", "llm.model_name"):
        return {}
    kind: SpanKind = _KINDS.get(told.upper(), "other") if told is not None else "model"
    fields: dict[str, Any] = {"kind": kind}
    if kind == "tool":
        return fields | _tool(record)
    if kind == "model":
        return fields | _model(record)
    if kind == "agent":
        return fields | _agent(record)
    return fields


def _tool(record: Record) -> dict[str, Any]:
    name = record.take_text("tool.name", "tool_call.function.name") or record.name
    if name.startswith(_HANDOFF):
        # The model asks for a handoff by a tool that the SDK names so; what goes in is who hands over, and what comes out to whom.
        return {"name": f"transfer_to_{name.removeprefix(_HANDOFF)}"}
    value = record.take("output.value")
    result = _result_in(value, record.place)
    output = "\n".join(piece.text for piece in result.pieces if piece.text is not None) if result is not None else words_of(value)
    record.take("output.mime_type", "input.mime_type")
    return {
        "name": name,
        "tool_call_id": record.take_text("tool_call.id", "tool.id", "tool.call_id") or (result.result_of if result is not None else None),
        "input": arguments_in(record.take("input.value", "tool_call.function.arguments")),
        "output": output if output is not None else _documents(record),
        "exit_code": exit_code_in(output),
    }


def _result_in(value: Any, place: int) -> Said | None:
    """Return the message that a tool of LangChain returns in the place of its result."""
    if not isinstance(value, str) or "tool_call_id" not in value:
        return None
    held = parsed(value)
    said = said_in_any({"type": "tool", **held} if isinstance(held, dict) and "content" in held else held, place)
    return said[0] if said is not None and len(said) == 1 and said[0].role == "tool" else None


def _documents(record: Record) -> str | None:
    """Return the texts that a retriever found."""
    below = {name: value for name, value in record.attributes.items() if name.startswith("retrieval.documents.") and name.endswith(".document.content")}
    texts = [text_of(value) or "" for _, value in sorted(below.items(), key=lambda item: _number_in(item[0]))]
    record.take(*below)
    return "\n\n".join(texts) if texts else None


def _number_in(name: str) -> int:
    return next((int(piece) for piece in name.split(".") if piece.isdecimal()), 0)


def _model(record: Record) -> dict[str, Any]:
    heard = _messages(record, "llm.input_messages", "user")
    replied = _messages(record, "llm.output_messages", "assistant")
    record.take("input.mime_type", "output.mime_type")
    return {
        "name": record.take_text("llm.model_name"),
        "usage": usage_in(record, _USAGE, ("llm.cost.total",)),
        "finish_reason": record.take_text("llm.finish_reason"),
        **_words(record, heard, replied),
    }


def _agent(record: Record) -> dict[str, Any]:
    record.take("input.mime_type", "output.mime_type")
    heard, replied = (_messages(record, f"llm.{name}_messages", role) for name, role in (("input", "user"), ("output", "assistant")))
    model = record.take_text("llm.model_name")
    words = _words(record, heard, tuple(said._replace(model=model) for said in replied))
    return {"name": record.take_text("agent.name") or record.name, "usage": usage_in(record, _USAGE, ("llm.cost.total",)), **words}


def _words(record: Record, heard: tuple[Said, ...], replied: tuple[Said, ...]) -> dict[str, Any]:
    """Return what was heard and said; what went in and out as a whole says the same again, and is read only where there are no messages."""
    given, returned = record.take("input.value"), record.take("output.value")
    held = parsed(given)
    if isinstance(held, dict) and isinstance(held.get("task"), str) and "reset" in held:
        # What an agent of smolagents was called with.
        given = held["task"]
    fields: dict[str, Any] = {"heard": heard or said_as(given, "user", record.place) or ()}
    said = replied or (() if _is_empty(returned) else said_as(returned, "assistant", record.place) or ())
    # A state that comes out of a graph holds all the messages, the last of which is the answer.
    fields["replied"] = said if replied else said[-1:] if said and said[0].role != "assistant" else said
    without = bool(fields["replied"]) or _is_empty(returned)
    return fields | ({} if fields["heard"] else {"input": words_of(given)}) | ({} if without else {"output": words_of(returned)})


def _is_empty(returned: Any) -> bool:
    """Tell whether what came out is LangChain's result of a model that failed, in which nothing was generated."""
    held = parsed(returned)
    return isinstance(held, dict) and held.get("generations") in ([], [[]])


def _messages(record: Record, prefix: str, role: str) -> tuple[Said, ...]:
    messages = messages_of_keys(record.take_below(f"{prefix}."), prefix)
    return tuple(said for message in messages for said in said_as([message], role, record.place) or ())
