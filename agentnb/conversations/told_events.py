"""What was told of a call tree by the processes that ran it before, so that one that goes on tells the rest, and nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Key = tuple[Any, ...]


class ToldEvents:
    """The kept events of earlier attempts.

    A process that dies may not have written what it told last; so what a resumed run repeats is looked up here, event by event, and told where it is missing.
    """

    def __init__(self, events: Iterable[Mapping[str, Any]] = ()) -> None:
        """Take in the events of a log, in order."""
        self._keys: set[Key] = set()
        self._counts: Counter[Key] = Counter()
        self._texts: dict[Key, list[str]] = {}
        self._repeated: Counter[Key] = Counter()
        for event in events:
            self._take(str(event.get("call")), str(event.get("kind")), event)

    def has_ended(self, call: str) -> bool:
        """Tell whether the end of a call was told."""
        return (call, "end") in self._keys

    def rest(self, call: str, kind: str, fields: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return what is still to be told of an event that a resumed run repeats; None when all of it was told."""
        if kind == "request":
            return None if fields["request"] <= self._counts[call, kind] else fields
        if kind == "retry":
            self._repeated[call, kind] += 1
            return None if self._repeated[call, kind] <= self._counts[call, kind] else fields
        if kind == "text":
            left = self._left(call, fields)
            return {**fields, "text": left} if left else None
        return None if _key(call, kind, fields) in self._keys else fields

    def _left(self, call: str, fields: Mapping[str, Any]) -> str:
        texts, text = self._texts.get((call, fields["field"]), [""]), str(fields["text"])
        if text in texts:
            return ""
        return text[len(texts[-1]) :] if text.startswith(texts[-1]) else text

    def _take(self, call: str, kind: str, event: Mapping[str, Any]) -> None:
        if kind in ("request", "retry"):
            self._counts[call, kind] += 1
            for (of, _), texts in self._texts.items():
                if of == call:
                    texts.append("")
        elif kind == "text":
            texts = self._texts.setdefault((call, event.get("field")), [""])
            texts[-1] += str(event.get("text") or "")
        else:
            self._keys.add(_key(call, kind, event))


def _key(call: str, kind: str, fields: Mapping[str, Any]) -> Key:
    """Return what tells one event of a call from the others of its kind."""
    if kind in ("done", "failed"):
        return call, "end"
    return (call, kind) if kind == "started" else (call, kind, fields.get("invocation"), fields.get("plugin"))
