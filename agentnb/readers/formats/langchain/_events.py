"""Events of `astream_events`: what started, streamed and ended -> the runs that they tell of."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.dialects.langchain_chunks import joined_chunks
from agentnb.readers.formats.langsmith._runs import Posted, Runs
from agentnb.readers.formats.langsmith._spans import span_of

_EVENT = re.compile(r"on_(chat_model|llm|tool|chain|retriever|prompt|parser)_(start|stream|end|error)$")
_KINDS = {"chat_model": "llm"}
_FIELDS = {"input": "inputs", "output": "outputs", "error": "error"}


def is_event(value: Any) -> bool:
    """Tell whether a value is an event of a run."""
    return isinstance(value, dict) and isinstance(value.get("event"), str) and value["event"].startswith("on_") and isinstance(value.get("run_id"), str)


def thread_of_event(event: dict[str, Any]) -> str | None:
    """Return the id of the thread that an event belongs to, else of the run at the top."""
    metadata, parents = event.get("metadata"), event.get("parent_ids")
    thread = metadata.get("thread_id") if isinstance(metadata, dict) else None
    top = parents[0] if isinstance(parents, list) and parents else event["run_id"]
    return thread if isinstance(thread, str) and thread else top if isinstance(top, str) else None


class Events:
    """The events of one file."""

    def __init__(self, account: Account) -> None:
        """Start without events."""
        self._account = account
        self._runs = Runs()
        self._chunks: dict[str, list[Any]] = {}
        self._top: str | None = None

    def add(self, event: dict[str, Any], place: int) -> None:
        """Take an event: the first of a run is its record, and what follows is merged."""
        match, run_id = _EVENT.match(event["event"]), event["run_id"]
        self._top = self._top or run_id
        parents = event.get("parent_ids")
        above = [parent for parent in parents if isinstance(parent, str)] if isinstance(parents, list) else [self._top] if run_id != self._top else []
        data = event.get("data") if isinstance(event.get("data"), dict) else {}
        assert isinstance(data, dict)
        fields = {own: data[name] for name, own in _FIELDS.items() if data.get(name) is not None}
        if match is not None and match[2] == "stream":
            self._chunks.setdefault(run_id, []).append(data.get("chunk"))
            fields = {}
        if "outputs" in fields and not isinstance(fields["outputs"], dict):
            fields["outputs"] = {"output": fields["outputs"]}
        run = {
            "id": run_id, "name": event.get("name"), "run_type": _KINDS.get(match[1], match[1]) if match is not None else "chain",
            "trace_id": above[0] if above else run_id, "parent_run_id": above[-1] if above else None, "tags": event.get("tags"),
            "extra": {"metadata": event.get("metadata")}, **fields,
        }  # fmt: skip
        self._runs.add(Posted(run), self._account, place)

    def give(self, tree: SpanTree) -> None:
        """Give the runs to a tree; one that never ended said what it had streamed."""
        for run in self._runs.link():
            chunks = self._chunks.get(run.run_id)
            if chunks and "outputs" not in run.fields and run.kind == "llm":
                run.fields["outputs"] = {"messages": joined_chunks(chunks)}
            tree.add(span_of(run), run.account)


def first_events(values: Iterable[Any]) -> bool:
    """Tell whether a file begins with events."""
    return any(map(is_event, values))
