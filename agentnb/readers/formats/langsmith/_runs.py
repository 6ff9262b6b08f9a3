"""Runs of LangSmith: where a file keeps them, which pieces of one belong together, and how they stand to one another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import object_in
from agentnb.readers.dialects.langchain import is_told

_MARKS = ("dotted_order", "trace_id", "parent_run_id", "child_runs", "start_time")


class Posted(NamedTuple):
    """A run as a file tells it, whole or in part, and the run that it is nested in."""

    run: dict[str, Any]
    parent_id: str | None = None


class Run:
    """A run, put together of all that tells of it."""

    def __init__(self, run_id: str, fields: dict[str, Any], account: Account, place: int) -> None:
        """Start with what is met first."""
        self.run_id, self.fields, self.account, self.place = run_id, fields, account, place
        self.parent: Run | None = None
        self.children: list[Run] = []

    @property
    def kind(self) -> str:
        """What ran, in LangSmith's words."""
        kind = self.fields.get("run_type")
        return kind if isinstance(kind, str) else ""

    @property
    def trace_id(self) -> str:
        """The trace it belongs to: runs that stand inside others may not repeat it."""
        run, passed = self, {self.run_id}
        while trace_of(run.fields) is None and run.parent is not None and run.parent.run_id not in passed:
            run = run.parent
            passed.add(run.run_id)
        return trace_of(run.fields) or run.run_id

    @property
    def order(self) -> str:
        """What sorts runs that stand beside one another."""
        order = self.fields.get("dotted_order")
        return order if isinstance(order, str) else str(self.fields.get("start_time") or "")

    @property
    def metadata(self) -> dict[str, Any]:
        """What the program noted of the run."""
        return object_in(object_in(self.fields, "extra"), "metadata")

    @property
    def error(self) -> str | None:
        """Why it failed, as recorded."""
        error = self.fields.get("error")
        return error if isinstance(error, str) and error.strip() else None


class Runs:
    """The runs of a group of files."""

    def __init__(self) -> None:
        """Start without runs."""
        self.by_id: dict[str, Run] = {}

    def add(self, posted: Posted, account: Account, place: int) -> None:
        """Take a run; what was told of it before is kept, and what is new to it is added."""
        fields = posted.run
        run_id = id_of(fields)
        parent_id = fields.get("parent_run_id") or posted.parent_id or _ids_in(fields)[-2:-1] or None
        if isinstance(parent_id, list):
            parent_id = parent_id[0]
        own = {name: value for name, value in fields.items() if name != "child_runs"} | ({"parent_run_id": parent_id} if isinstance(parent_id, str) else {})
        known = self.by_id.get(run_id) if run_id is not None else None
        if known is not None:
            account.merge()
            extra = object_in(known.fields, "extra") | object_in(own, "extra")
            metadata = known.metadata | object_in(object_in(own, "extra"), "metadata")
            known.fields |= {name: value for name, value in own.items() if is_told(value)} | {"extra": extra | {"metadata": metadata}}
            return
        run_id = run_id or f"{account.row.source_id}/{place}/{len(self.by_id)}"
        self.by_id[run_id] = Run(run_id, own, account, place)

    def link(self) -> list[Run]:
        """Give each run its parent and children, in their order."""
        for run in self.by_id.values():
            parent = self.by_id.get(str(run.fields.get("parent_run_id") or ""))
            if parent is not None and parent is not run:
                run.parent = parent
                parent.children.append(run)
        for run in self.by_id.values():
            run.children.sort(key=lambda child: child.order)
        return list(self.by_id.values())


def is_run(value: Any) -> bool:
    """Tell whether a value is a run."""
    return (
        isinstance(value, dict) and isinstance(value.get("run_type"), str) and any(name in value for name in _MARKS) and ("inputs" in value or "name" in value)
    )


def is_batch(value: Any) -> bool:
    """Tell whether a value is what a client sends: runs that began, and what is new of others."""
    if not isinstance(value, dict) or not ({"post", "patch"} & value.keys()):
        return False
    listed = [value.get("post"), value.get("patch")]
    return all(isinstance(runs, list | None) for runs in listed) and any(_is_part(run) for runs in listed if runs for run in runs[:20])


def runs_in(value: Any) -> list[Any] | None:
    """Return the runs of a value of a file, each as it stands there; None when it holds none."""
    if is_run(value):
        return [value]
    if is_batch(value):
        return [*(value.get("post") or ()), *(value.get("patch") or ())]
    if isinstance(value, dict) and isinstance(value.get("runs"), list) and any(map(is_run, value["runs"][:20])):
        return list(value["runs"])
    if isinstance(value, list) and any(is_run(item) or is_batch(item) for item in value[:20]):
        return [run for item in value for run in (runs_in(item) or [item])]
    return None


def nested_runs(run: dict[str, Any]) -> Iterator[Posted]:
    """Yield a run and the runs that stand inside it."""
    waiting = [Posted(run)]
    while waiting:
        posted = waiting.pop()
        yield posted
        children = posted.run.get("child_runs")
        if isinstance(children, list):
            waiting += [Posted(child, id_of(posted.run)) for child in reversed(children) if isinstance(child, dict)]


def is_part_of_run(value: Any) -> bool:
    """Tell whether a value tells of a run: a whole one, or what is new of one."""
    return is_run(value) or _is_part(value)


def id_of(run: dict[str, Any]) -> str | None:
    """Return the id of a run: its own, else the last one in its order."""
    own = run.get("id")
    return own if isinstance(own, str) and own else next(iter(_ids_in(run)[-1:]), None)


def trace_of(run: dict[str, Any]) -> str | None:
    """Return the id of the trace that a run belongs to."""
    own = run.get("trace_id")
    return own if isinstance(own, str) and own else next(iter(_ids_in(run)[:1]), None)


def _is_part(value: Any) -> bool:
    return isinstance(value, dict) and (isinstance(value.get("dotted_order"), str) or (isinstance(value.get("id"), str) and "trace_id" in value))


def _ids_in(run: dict[str, Any]) -> list[str]:
    """Return the ids in the order of a run, from the top of its trace on: each stands behind the Z of a time."""
    order = run.get("dotted_order")
    return [part.partition("Z")[2] for part in order.split(".") if "Z" in part] if isinstance(order, str) else []
