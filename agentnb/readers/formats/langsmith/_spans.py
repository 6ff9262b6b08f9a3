"""A run of LangSmith -> a span: what a model was given and said, a tool's arguments and result, and why a run failed."""

from __future__ import annotations

import re
from typing import Any

from agentnb.readers._fields import amount_in, count_in, object_in, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.builders.span_tree import Span, SpanKind
from agentnb.readers.dialects import chat, langchain
from agentnb.readers.dialects.any import heard_in, replied_in, said_in_any
from agentnb.readers.dialects.langchain import is_told
from agentnb.readers.dialects.passed import arguments_in, conversed_in, returned_in
from agentnb.readers.formats.langsmith._runs import Run

_KINDS: dict[str, SpanKind] = {"llm": "model", "tool": "tool", "retriever": "tool"}
_THREADS = ("thread_id", "session_id", "conversation_id")
_READ = frozenset(
    {"id", "name", "run_type", "start_time", "end_time", "inputs", "outputs", "error", "parent_run_id", "trace_id", "dotted_order", "extra", "events", "tags"}
    | {"prompt_tokens", "completion_tokens", "total_tokens", "total_cost", "prompt_cost", "completion_cost", "session_name", "child_runs", "child_run_ids"}
    | {"parent_run_ids", "direct_child_run_ids", "serialized", "attachments"}
)
_READ_EXTRA = frozenset({"metadata", "color", "batch_size", "tool_call_count", "tool_call_id", "runtime"})
_READ_METADATA = frozenset({"ls_model_name", *_THREADS})
_READ_OUTPUTS = frozenset({"generations", "llm_output", "type", "run"})
# Failed only in name: the graph stopped there to ask a person.
_INTERRUPTS = ("GraphInterrupt(", "NodeInterrupt(", "GraphBubbleUp(")
_TRACEBACK = "Traceback (most recent call last)"
_ROLES = {"System": "system", "Developer": "system", "Human": "user", "AI": "assistant", "Tool": "tool", "Function": "tool"}
_ROLE = re.compile(rf"^({'|'.join(_ROLES)}): ", re.MULTILINE)


def span_of(run: Run) -> Span:
    """Make a span of a run, which knows its parent and children."""
    fields, kind = run.fields, _kind_of(run)
    started, ended = read_time(fields.get("start_time")), read_time(fields.get("end_time"))
    error = run.error
    waits = error is not None and error.startswith(_INTERRUPTS)
    span = Span(
        run.run_id,
        text_of(fields.get("parent_run_id")),
        run.trace_id,
        text_of(fields.get("name")) or "",
        kind,
        run.place,
        started=started.micros,
        ended=None if waits and kind == "tool" else ended.micros,
        conversation_id=next((str(run.metadata[name]) for name in _THREADS if run.metadata.get(name)), None),
        error=None if waits or error is None or (kind == "other" and _is_inherited(run)) else _short(error),
        extra=_extra(run, kind),
        labels=_labels(run),
        zone_assumed=started.zone_assumed or ended.zone_assumed,
    )
    return _FILL[kind](span, run)


def _kind_of(run: Run) -> SpanKind:
    """Tell what a run is: a graph is an agent, as is the top of a trace without one; other chains, prompts and parsers only wrap."""
    kind = _KINDS.get(run.kind)
    if kind is not None:
        return kind
    is_top = run.parent is None and run.kind in ("chain", "agent")
    return "agent" if _is_graph(run) or (is_top and not _has_graph(run)) else "other"


def _is_graph(run: Run) -> bool:
    return any(tag.startswith("graph:step:") for child in run.children for tag in _tags(child))


def _has_graph(run: Run) -> bool:
    waiting = list(run.children)
    while waiting:
        child = waiting.pop()
        if _is_graph(child):
            return True
        waiting.extend(child.children)
    return False


def _fill_model(span: Span, run: Run) -> Span:
    outputs = object_in(run.fields, "outputs")
    replied = _replied(outputs, run.place)
    model = next((said.model for said in replied if said.model), None) or _model_of(run)
    finish = next((said.finish_reason for said in replied if said.finish_reason), None)
    return span._replace(name=model or "", heard=_heard(run), replied=replied, usage=_usage(outputs, run), finish_reason=finish)


def _fill_tool(span: Span, run: Run) -> Span:
    outputs = run.fields.get("outputs")
    returned = returned_in(outputs if outputs else None, run.place)
    call_id = object_in(run.fields, "extra").get("tool_call_id") or returned.tool_call_id
    return span._replace(
        input=arguments_in(run.fields.get("inputs")),
        output=returned.text,
        tool_call_id=text_of(call_id) or None,
        error=span.error or returned.error,
        extra=span.extra | returned.extra,
    )


def _fill_agent(span: Span, run: Run) -> Span:
    conversed = conversed_in(run.fields.get("inputs"), run.fields.get("outputs"), run.place)
    return span._replace(heard=conversed.heard, replied=conversed.replied)


def _fill_other(span: Span, run: Run) -> Span:
    return span


def _heard(run: Run) -> tuple[Said, ...]:
    """Return what a model was given: its own inputs, else what the run before it or above it passed on, else the prompt as text."""
    inputs = run.fields.get("inputs")
    said = said_in_any(inputs, run.place) if not isinstance(inputs, dict) or "prompts" not in inputs else None
    if said is not None:
        return said
    above: Run | None = run
    while above is not None:
        said = _passed_on(above)
        if said is not None:
            return said
        above = above.parent if above.parent is None or _KINDS.get(above.parent.kind) is None else None
    prompts = inputs.get("prompts") if isinstance(inputs, dict) else None
    if isinstance(prompts, list) and prompts and isinstance(prompts[0], str):
        return _of_prompt(prompts[0], run.place)
    return heard_in(inputs, run.place) if inputs else ()


def _passed_on(run: Run) -> tuple[Said, ...] | None:
    """Return the messages that were put together right before a run, beside it, or that its parent was given."""
    parent = run.parent
    if parent is None:
        return None
    before = [other for other in parent.children if other.order < run.order and _KINDS.get(other.kind) is None]
    if before and before[-1].kind in ("prompt", "chain") and run.kind == "llm":
        said = said_in_any(before[-1].fields.get("outputs"), run.place)
        if said is not None:
            return said
    return said_in_any(parent.fields.get("inputs"), run.place)


def _of_prompt(prompt: str, place: int) -> tuple[Said, ...]:
    """Return the messages of a prompt that was written as one text, each behind the name of who said it."""
    starts = list(_ROLE.finditer(prompt))
    if not starts or starts[0].start() != 0:
        return (Said("user", place, (Piece("text", prompt),)),)
    ends = [match.start() for match in starts[1:]] + [len(prompt)]
    texts = [(_ROLES[match.group(1)], prompt[match.end() : end].rstrip("\n")) for match, end in zip(starts, ends, strict=True)]
    return tuple(Said(role, place, (Piece("text", text),)) for role, text in texts)


def _replied(outputs: dict[str, Any], place: int) -> tuple[Said, ...]:
    generations = outputs.get("generations")
    if outputs.get("object") == "chat.completion.chunk":
        # The client put the chunks of a stream together, and left them their name.
        outputs = {**outputs, "object": "chat.completion"}
    if not isinstance(generations, list):
        return replied_in(outputs, place) if outputs else ()
    flat = [item for group in generations for item in (group if isinstance(group, list) else [group]) if isinstance(item, dict)]
    if not flat:
        return ()
    message, text = flat[0].get("message"), flat[0].get("text")
    said = langchain.said_in([message], place) if langchain.is_message(message) else replied_in(text, place) if text else ()
    further = [item for item in flat[1:] if item]
    info = flat[0].get("generation_info")
    if said and said[0].finish_reason is None and isinstance(info, dict):
        said = (said[0]._replace(finish_reason=text_of(info.get("finish_reason"))), *said[1:])
    if said and further:
        said = (said[0]._replace(extra=to_json({"generations": further})), *said[1:])
    return said


def _usage(outputs: dict[str, Any], run: Run) -> dict[str, Any]:
    """Return the columns of a model call: from what the service told, else from what LangSmith counted."""
    told = object_in(outputs, "llm_output")
    fields = run.fields
    counted = {
        "input_tokens": count_in(fields.get("prompt_tokens")),
        "output_tokens": count_in(fields.get("completion_tokens")),
        "cost": amount_in(fields.get("total_cost")),
    }
    found = {name: value for name, value in counted.items() if value is not None}
    found |= chat.usage_in(told.get("token_usage") or told.get("usage"))
    return found | langchain.usage_in(outputs.get("usage_metadata") or run.metadata.get("usage_metadata"))


def _model_of(run: Run) -> str | None:
    params = object_in(object_in(run.fields, "extra"), "invocation_params")
    told = object_in(object_in(run.fields, "outputs"), "llm_output").get("model_name")
    return text_of(told or run.metadata.get("ls_model_name") or params.get("model") or params.get("model_name"))


def _is_inherited(run: Run) -> bool:
    """Tell whether a run only failed because one below it did."""
    own = _short(run.error or "")
    waiting = list(run.children)
    while waiting:
        child = waiting.pop()
        if child.error is not None and _short(child.error) == own:
            return True
        waiting.extend(child.children)
    return False


def _short(error: str) -> str:
    """Return what was raised, without where."""
    words = error.split(_TRACEBACK)[0].strip()
    if words:
        return words[:500]
    return next((line.strip() for line in reversed(error.splitlines()) if line.strip()), "")[:500]


def _tags(run: Run) -> list[str]:
    tags = run.fields.get("tags")
    return [tag for tag in tags if isinstance(tag, str)] if isinstance(tags, list) else []


def _labels(run: Run) -> dict[str, Any]:
    """Return what the top of a trace says to group by."""
    if run.fields.get("parent_run_id"):
        return {}
    labels: dict[str, Any] = {"project": run.fields.get("session_name"), "tags": [tag for tag in _tags(run) if not tag.startswith(("seq:", "graph:"))]}
    feedback = object_in(run.fields, "feedback_stats")
    labels |= {name: value["avg"] for name, value in feedback.items() if isinstance(value, dict) and value.get("avg") is not None}
    return {name: value for name, value in labels.items() if is_told(value)}


def _extra(run: Run, kind: SpanKind) -> dict[str, Any]:
    """Return what was not read of a run that becomes a call."""
    if kind == "other":
        return {}
    fields, extra = run.fields, object_in(run.fields, "extra")
    rest = {name: value for name, value in fields.items() if name not in _READ and is_told(value)}
    rest |= {name: value for name, value in extra.items() if name not in _READ_EXTRA and is_told(value)}
    if metadata := {name: value for name, value in run.metadata.items() if name not in _READ_METADATA and is_told(value)}:
        rest["metadata"] = metadata
    if (run.error is not None and _TRACEBACK in run.error) or (run.error or "").startswith(_INTERRUPTS):
        rest["error"] = run.error
    outputs = object_in(fields, "outputs")
    if kind == "model" and "generations" in outputs:
        rest |= {name: value for name, value in outputs.items() if name not in _READ_OUTPUTS and is_told(value)}
        rest |= {
            name: value for name, value in object_in(outputs, "llm_output").items() if name not in ("token_usage", "usage", "model_name") and is_told(value)
        }
    return rest


_FILL = {"model": _fill_model, "tool": _fill_tool, "agent": _fill_agent, "other": _fill_other}
