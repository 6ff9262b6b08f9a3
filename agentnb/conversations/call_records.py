"""The record of a call that ended, in FunctAI's form (format 2), with no more in it than may be written."""

from __future__ import annotations

import getpass
import os
import platform
import socket
from collections.abc import Mapping
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any

from agentnb.conversations.canonical import size_of
from agentnb.conversations.redaction import ENVIRONMENT, Fields, content_of, redact_call
from agentnb.conversations.setting_layers import content_layers
from agentnb.errors import ConversationError
from agentnb.streams.event_forms import Content
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.frames import Frame
    from agentnb.conversations.programs import Program

_DESCRIBED = 2000
"""Characters of the description of a value that has no JSON form."""


def call_record(frame: Frame, outputs: Mapping[str, Any] | None, error: Exception | None) -> dict[str, Any]:
    """Return the record of a call.

    Args:
        frame: the call; everything that was noted of it is in its JSON form.
        outputs: what it answered; None when it has no answer.
        error: why it has none.
    """
    run, program = frame.run, frame.program
    written, described = _written(program, outputs)
    record: dict[str, Any] = {
        "functai_call": 2,
        "id": frame.id,
        "parent": frame.parent.id if frame.parent is not None else None,
        "root": run.events.tree,
        "program": program.described(),
        "started": time_text(frame.started),
        "seconds": round((run.now() - frame.started) / 1e6, 6),
        "content": True,
        "inputs": frame.inputs,
        "outputs": written,
        "sizes": {"inputs": _sizes(frame.inputs), "outputs": _sizes(written or {})},
        "error": None if error is None else error_record(error),
        "model": frame.exchanges[-1]["model"] if frame.exchanges else None,
        "usage": _usage(frame),
        "confidence": None,
        "exchanges": frame.exchanges,
        "saw": frame.saw,
        "caller": {},
        "process": process_record(),
        "site": frame.site,
    }
    record |= {"described": {"inputs": frame.described, "outputs": described}} if frame.described or described else {}
    record |= {"invocation": frame.invocation} if frame.invocation is not None else {}
    record |= {"writer": run.events.writer} if run.events.writer > 1 else {}
    record |= {"sections": frame.sections} if frame.sections else {}
    if run.conversation_id is not None or any(step["kind"] == "tool" for step in frame.steps):
        record |= {"steps": frame.steps} if program.kind == "ai" else {}
    if run.conversation_id is not None and frame.parent is None and run.journal is not None:
        record["conversation"] = {"id": run.conversation_id, "turn": frame.id, "parent": run.journal.turn.parent}
    return redact_call(record, frame.content) | {"site": frame.site}


def program_content(program: Program) -> Content:
    """Return what may be written of a program's calls here."""
    interface = program.interface
    added = tuple(field.name for field in interface.outputs if field.purpose != "plain")
    fields = Fields(tuple(field.name for field in interface.inputs), tuple(field.name for field in interface.outputs), added)
    return content_of(fields, content_layers(program.settings), environment=os.environ.get(ENVIRONMENT))


def error_record(error: BaseException) -> dict[str, Any]:
    """Return an error as records have it: type, message, and code where it has one."""
    code = getattr(error, "code", None)
    return {"type": type(error).__name__, "message": str(error)} | ({"code": code} if isinstance(code, str) else {})


@cache
def process_record() -> dict[str, Any]:
    """Return which process this is."""
    try:
        user = getpass.getuser()
    except (ImportError, KeyError, OSError):
        user = None
    try:
        version = metadata.version("agentnb-kit")
    except metadata.PackageNotFoundError:
        version = "not installed"
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "user": user,
        "language": "python",
        "runtime": platform.python_version(),
        "functai": f"agentnb {version}",
    }


def _written(program: Program, outputs: Mapping[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    if outputs is None:
        return None, []
    written: dict[str, Any] = {}
    described: list[str] = []
    for field in program.interface.outputs:
        if field.name not in outputs:
            continue
        try:
            written[field.name] = field.to_json(outputs[field.name])
        except ConversationError:
            written[field.name] = describe(outputs[field.name])
            described.append(field.name)
    return written, described


def describe(value: Any) -> dict[str, str]:
    """Return what is written of a value that has no JSON form."""
    return {"$type": type(value).__name__, "$repr": repr(value)[:_DESCRIBED]}


def _sizes(values: Mapping[str, Any]) -> dict[str, int]:
    return {name: size_of(value) for name, value in values.items()}


def _usage(frame: Frame) -> dict[str, int]:
    total: dict[str, int] = {}
    for exchange in frame.exchanges:
        for name, count in (exchange.get("usage") or {}).items():
            total[name] = total.get(name, 0) + count
    return total
