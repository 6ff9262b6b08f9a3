"""Can a call that was logged be asked again as it was, with the earlier turns that it saw? From the records of calls alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from agentnb.streams._lifted import list_in, object_in, text_in
from agentnb.streams.saw import check_kept, read_saw, show


class RecordedContext(NamedTuple):
    """What a call was shown, so that it can be shown it again; or why it cannot."""

    earlier: tuple[dict[str, Any], ...] = ()
    """Each earlier call: its inputs and outputs, and its steps and signature where it was shown with steps."""
    conversation: str | None = None
    """The conversation of the call."""
    sections: tuple[str, ...] = ()
    """What was added to its instruction."""
    helpers: tuple[dict[str, Any], ...] = ()
    """Of a module, the helpers that were shown something: program, call, earlier, and sections where there are any."""
    refuses: str | None = None
    """Why it cannot be shown again, as a code; it never is in part."""

    def as_row(self) -> dict[str, Any]:
        """Return what is known of it by name: the columns that a row of data gets."""
        if self.refuses is not None:
            return {"refuses": self.refuses}
        further = {"conversation": self.conversation, "sections": list(self.sections), "helpers": list(self.helpers)}
        return {"earlier": list(self.earlier), **{name: value for name, value in further.items() if value}}


class RecordedCalls:
    """The records of a call log, by call and by the call that made them.

    Args:
        records: by id; of each call the record of its highest writer.
    """

    def __init__(self, records: Mapping[str, Mapping[str, Any]]) -> None:
        self._records = records
        self._made_by: dict[str, list[Mapping[str, Any]]] = {}
        for record in sorted(records.values(), key=lambda record: (text_in(record, "started") or "", text_in(record, "id") or "")):
            self._made_by.setdefault(text_in(record, "parent") or "", []).append(record)

    def context_of(self, call: str) -> RecordedContext:
        """Return what a call was shown, and for a module what its helpers were."""
        record = self._records.get(call, {})
        own = self._earlier(call)
        helpers = self._inside(call) if object_in(record, "program").get("kind") == "module" else []
        shown = [(helper, self._earlier(text_in(helper, "id") or "")) for helper in helpers]
        refused = next((earlier for earlier in (own, *(earlier for _, earlier in shown)) if isinstance(earlier, str)), None)
        if refused is not None or isinstance(own, str):
            return RecordedContext(refuses=refused)
        told = tuple(_helper_row(helper, earlier) for helper, earlier in shown if earlier or _sections(helper))
        return RecordedContext(tuple(own), text_in(object_in(record, "conversation"), "id"), _sections(record), told)

    def _earlier(self, call: str) -> list[dict[str, Any]] | str:
        """Return the earlier calls that a call was shown, or why that cannot be told."""
        kept = check_kept(call, self._records.get)
        if kept.refuses is not None:
            return kept.refuses
        found: list[dict[str, Any]] = []
        for entry in read_saw(call, self._records.get).entries:
            record = self._records.get(entry["call"], {})
            with_steps = entry.get("steps") is True
            shown = show({**record, "signature": object_in(record, "program").get("signature")}, entry)
            if shown.turn is None or (with_steps and not shown.turn["steps"]):
                return shown.refuses or "not-kept"
            found.append({name: shown.turn[name] for name in (("inputs", "outputs", "steps", "signature") if with_steps else ("inputs", "outputs"))})
        return found

    def _inside(self, call: str) -> list[Mapping[str, Any]]:
        """Return the calls inside a call, in the order in which they were started, each before those inside it."""
        found: dict[str, Mapping[str, Any]] = {}
        waiting = self._made_by.get(call, [])[::-1]
        while waiting:
            record = waiting.pop()
            name = text_in(record, "id") or ""
            if name not in found and name != call:
                found[name] = record
                waiting += self._made_by.get(name, [])[::-1] if name else []
        return list(found.values())


def _helper_row(helper: Mapping[str, Any], earlier: Any) -> dict[str, Any]:
    sections = {"sections": list(_sections(helper))} if _sections(helper) else {}
    return {"program": text_in(object_in(helper, "program"), "name"), "call": helper.get("id"), "earlier": earlier, **sections}


def _sections(record: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(section for section in list_in(record, "sections") if isinstance(section, str))
