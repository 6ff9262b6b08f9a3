"""One FunctAI call, as all records together tell it."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import object_in, object_of, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders.message_list import Piece, Said
from agentnb.readers.formats.functai._said import error_of, said_of_events, said_of_record, said_of_replies, usage_in
from agentnb.readers.formats.functai._store import Store
from agentnb.readers.formats.functai._turns import Row, Turn, objects_in, text_in

# Format, parent, steps and conversation are kept, though they are read: what a rated call was shown is put together from them.
_READ_RECORD = frozenset({"id", "started", "seconds", "inputs", "outputs", "error", "model", "exchanges", "invocation"})
_READ_KINDS = frozenset({"lease", "ended", "waiting", "approval", "tool", "reply", "call", "stop"})
_READ_TURN = frozenset({"functai_conversation", "kind", "seq", "at", "turn", "parent", "inputs"})


class Call:
    """What is known of a call: its record in the log, else its turn's records, a conversation's note of a helper, or its events."""

    def __init__(
        self, call_id: str, store: Store, *, turn: Turn | None = None, helper: Row | None = None, near: Row | None = None, made: Turn | None = None
    ) -> None:
        """Put together what the files tell of a call; of one that only others name, `near` is a record that does, and `made` the turn that it merged."""
        self.id = call_id
        self.made = made
        self.near = near if made is None else made.row
        self.turn = turn
        self.helper = helper
        self.row = store.best_call(call_id)
        self.events = store.events.get(call_id, [])
        self.ratings = store.ratings.get(call_id, [])
        self.record: dict[str, Any] = self.row.value if self.row is not None else {}
        self.started = next((row for row in self.events if row.value.get("kind") == "started"), None)
        self.ended = turn.ended.value if turn is not None and turn.ended is not None else {}
        self._end = next((row for row in self.events if row.value.get("kind") in ("done", "failed")), None)

    @property
    def source(self) -> Row:
        """The record it is read from in the first place."""
        known = [row for row in (self.row, self.turn.row if self.turn else None, self.helper, self.started, *self.events, self.near) if row is not None]
        return known[0]

    @property
    def parent(self) -> str | None:
        """The call that made it."""
        held = (text_in(self.record, "parent"), text_in(self.started.value, "parent") if self.started else None)
        return next((name for name in held if name), text_in(self.helper.value, "turn") if self.helper else self.made.id if self.made else None)

    @property
    def root(self) -> str | None:
        """The outermost call of its tree."""
        return text_in(self.record, "root") or next((root for row in self.events if (root := text_in(row.value, "root") or text_in(row.value, "tree"))), None)

    @property
    def invocation(self) -> int | None:
        """The number of the tool call inside which it was made."""
        number = self.record.get("invocation") or (self.started.value.get("invocation") if self.started is not None else None)
        return number if type(number) is int else None

    @property
    def program(self) -> dict[str, Any]:
        """The program that was called."""
        held = (self.record, self.helper.value if self.helper else {}, self.started.value if self.started else {})
        return next((program for record in held if (program := object_in(record, "program"))), {})

    @property
    def name(self) -> str:
        """The program's name."""
        named = text_in(self.program, "name") or next((name for row in self.events if (name := text_in(row.value, "function"))), None)
        return named or (text_in(self.made.made_by, "name") if self.made else None) or ""

    @property
    def inputs(self) -> dict[str, Any] | None:
        """What it was given."""
        lmcc = object_in(self.helper.value, "lmcc") if self.helper else {}
        held = (self.record, self.turn.row.value if self.turn else {}, lmcc, self.started.value if self.started else {})
        return next((record["inputs"] for record in held if isinstance(record.get("inputs"), dict)), None)

    @property
    def outputs(self) -> dict[str, Any] | None:
        """What it answered, field by field."""
        lmcc = object_in(self.helper.value, "lmcc") if self.helper else {}
        merged = self.made.ended.value if self.made is not None and self.made.ended is not None else {}
        return next((record["outputs"] for record in (self.record, self.ended, lmcc, merged) if isinstance(record.get("outputs"), dict)), None)

    @property
    def answer(self) -> str | None:
        """Its answer as a text: the value that was returned, else the output that the program calls its answer."""
        for record, name in ((self.ended, "value"), (self.record, "returned"), (self._end.value if self._end else {}, "value")):
            if record.get(name) is not None:
                return text_of(record[name])
        outputs, named = self.outputs or {}, self.program.get("answer")
        value = outputs.get(named) if isinstance(named, str) and named in outputs else next(reversed(outputs.values()), None)
        return text_of(value)

    @property
    def prompt(self) -> str | None:
        """What it was given as a text: a single text as it is, else the inputs as JSON."""
        values = list((self.inputs or {}).values())
        return values[0] if len(values) == 1 and isinstance(values[0], str) else None if self.inputs is None else to_json(self.inputs)

    @property
    def error(self) -> str | None:
        """Why it has no answer."""
        held = (self.record, self.ended, self._end.value if self._end else {})
        return next((error_of(record["error"]) for record in held if record.get("error") is not None), None)

    @property
    def is_told(self) -> bool:
        """Whether another record tells what its events do."""
        return self.row is not None or self.helper is not None or bool(object_in(self.ended, "lmcc"))

    @property
    def state(self) -> str | None:
        """How it ended; None of one that has no end, since nothing tells whether it goes on."""
        if self.row is None and self._end is None and self.helper is None:
            return "done" if self.made is not None else None
        cancelled = object_in(self.record or (self._end.value if self._end else {}), "error").get("type") == "Cancelled"
        return "done" if self.error is None else "stopped" if cancelled else "failed"

    @property
    def begins(self) -> int | None:
        """When it started, in microseconds."""
        return read_time(self.record.get("started")).micros or (self.started.at if self.started else self.turn.row.at if self.turn else None)

    @property
    def ends(self) -> int | None:
        """When it ended, in microseconds."""
        seconds, begins = self.record.get("seconds"), self.begins
        if begins is not None and isinstance(seconds, int | float) and not isinstance(seconds, bool) and 0 <= seconds < 1e9:
            return begins + round(seconds * 1e6)
        if self._end is not None:
            return self._end.at
        last = [row for kind in ("ended", "waiting") for row in self.turn.of(kind)] if self.turn else [self.helper] if self.helper else []
        return max((row.at for row in last if row is not None and row.at is not None), default=None)

    def said(self) -> list[Said]:
        """Say what its model and its tools said, from the fullest of the records."""
        place = self.source.place
        said = said_of_record(self.record, place)
        said = said or said_of_record({"steps": object_in(self.ended, "lmcc").get("steps")}, place)
        said = said or (said_of_record({"steps": object_in(self.helper.value, "lmcc").get("steps")}, place) if self.helper else [])
        said = said or said_of_events(self.events)
        if not said and self.turn is not None:
            replies, tools = ([row for row in self.turn.of(kind) if _is_outermost(row)] for kind in ("reply", "tool"))
            said = said_of_replies(sorted([*replies, *(tools if replies else [])], key=lambda row: row.place), self.turn.replayed())
        usage = usage_in(self.record.get("usage") or self.ended.get("usage"))
        return _with_usage(said, usage, self)

    def extra(self) -> str | None:
        """Return what of its records is not in a column of its own."""
        rest = rest_of(self.record, _READ_RECORD)
        exchanges = [_kept_exchange(one) for one in objects_in(self.record, "exchanges")]
        rest |= {"exchanges": exchanges} if exchanges else {}
        if self.turn is not None:
            kept = rest_of(self.turn.row.value, _READ_TURN)
            leases = [row.value for row in self.turn.of("lease")]
            rest |= {"turn": kept} if kept else {}
            rest |= {"attempts": self.turn.attempt, "holder": leases[-1].get("holder")} if leases else {}
            rest |= {"stop_asked_at": [row.value.get("at") for row in self.turn.of("stop")]} if self.turn.of("stop") else {}
            others = [row.value for kind, rows in self.turn.records.items() if kind not in _READ_KINDS for row in rows]
            rest |= {"records": others} if others else {}
            rest |= {f"ended_{name}": self.ended[name] for name in ("saw", "usage", "seconds", "model") if self.ended.get(name) and name not in rest}
        if self.helper is not None and self.row is None:
            rest |= {name: self.helper.value.get(name) for name in ("site", "saw", "program")}
        if self.row is None:
            lmcc = object_in(self.ended, "lmcc") or (object_in(self.helper.value, "lmcc") if self.helper is not None else {})
            rest |= {"steps": lmcc["steps"]} if lmcc.get("steps") else {}
            rest |= {"ended_saw": self.ended["saw"]} if "saw" in self.ended else {}
        if self.ratings:
            rest["ratings"] = [row.value for row in self.ratings]
        return object_of(rest) if rest else None


def _kept_exchange(exchange: dict[str, Any]) -> dict[str, Any]:
    """Return what of an exchange says whether it can be shown again; request and reply are in the parts."""
    kept = {name: exchange[name] for name in ("request_hash", "finish") if exchange.get(name) is not None}
    return kept | ({"replied": True} if exchange.get("response") is not None else {})


def _is_outermost(row: Row) -> bool:
    """Tell whether a reply or a tool is of the turn's own call: those of helpers are told by the events of these."""
    return "/" not in (text_in(row.value, "site") or "")


def _with_usage(said: list[Said], usage: dict[str, Any], call: Call) -> list[Said]:
    """Put the usage of a whole call on its model call, when there is one and nothing counts it closer."""
    replies = [place for place, item in enumerate(said) if item.role == "assistant"]
    if not usage or any(item.usage for item in said):
        return said
    model = call.record.get("model") or call.ended.get("model")
    if len(replies) == 1:
        alone = said[replies[0]]
        said[replies[0]] = alone._replace(usage=usage, model=alone.model or (model if isinstance(model, str) else None))
    elif not replies and isinstance(model, str):
        text = call.answer
        pieces = (Piece("text", text),) if text is not None else ()
        return [Said("assistant", call.source.place, pieces, started=call.begins, at=call.ends, model=model, usage=usage, records=0)]
    return said
