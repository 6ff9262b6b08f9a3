"""Google's ADK: requests and responses of Gemini in `gcp.vertex.agent.*`."""

from __future__ import annotations

from typing import Any

from agentnb.readers.builders.message_list import Said
from agentnb.readers.builders.span_tree import SpanKind
from agentnb.readers.dialects import gemini
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.otel._record import Record
from agentnb.readers.formats.otel._values import arguments_in, exit_code_in, said_as, words_of

_PREFIX = "gcp.vertex.agent."


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    if not record.has(_PREFIX) and record.scope != "gcp.vertex.agent":
        return {}
    given, returned = record.take(f"{_PREFIX}tool_call_args"), record.take(f"{_PREFIX}tool_response")
    asked, response = parsed(record.take(f"{_PREFIX}llm_request")), parsed(record.take(f"{_PREFIX}llm_response"))
    if given is not None or returned is not None:
        return {"kind": "tool", "input": arguments_in(given), "output": words_of(returned), "exit_code": exit_code_in(returned)}
    kind: SpanKind | None = "agent" if record.name.startswith(("agent_run", "invoke_agent")) else None
    fields: dict[str, Any] = {"kind": kind}
    if record.name.startswith("agent_run ["):
        fields["name"] = record.name[11:].rstrip("]")
    return fields | {"heard": _heard(asked, record.place), "replied": _replied(response, record.place)}


def _heard(request: Any, place: int) -> tuple[Said, ...]:
    if not isinstance(request, dict) or not isinstance(request.get("contents"), list):
        return ()
    config = request.get("config")
    system = config.get("system_instruction") if isinstance(config, dict) else None
    said = gemini.said_of_system(system, place) if system else []
    return (*said, *(said_as(request["contents"], "user", place) or ()))


def _replied(response: Any, place: int) -> tuple[Said, ...]:
    content = response.get("content") if isinstance(response, dict) else None
    return said_as([content], "model", place) or () if isinstance(content, dict) else ()
