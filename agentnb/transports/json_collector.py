"""Collectors of text: a JSON envelope that names a tool, or plain prose."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any, Final

from agentnb.transports.bodies import Extraction, JsonBody
from agentnb.transports.collector import EMPTY, Collector, Problem
from agentnb.transports.scanner import classify, parse_object
from agentnb.transports.stages import Projection
from agentnb.values.model_selections import ModelSelection

KEYS: Final = ("tool", "input")
"""The keys of an envelope."""

_UNEXPECTED: Final = Problem("unexpected_call", told="there is a native call; this transport wants text")
_INCOMPLETE: Final = Problem("json_incomplete", curable=True, told="the JSON object stops in the middle")
_STATES: Final = {"not_object": "json_not_object", "trailing": "json_trailing_text", "invalid": "json_invalid"}


class JsonCollector(Collector):
    """Wants one JSON object with a tool's id and its input."""

    def __init__(self, projection: Projection, *, extraction: Extraction = "fenced") -> None:
        super().__init__(projection.begins_a_name)
        self._projection = projection
        self._extraction = extraction
        self._body = JsonBody(extraction)
        self._envelope: tuple[Problem | None, ModelSelection | None] | None = None
        self._repeated_keys = False

    def _take_text(self, text: str) -> None:
        super()._take_text(text)
        self._body.feed(text)

    def _problem(self) -> Problem | None:
        blocked = self._blocked()
        if blocked is not None:
            return blocked
        if self.assembly.slots:
            return _UNEXPECTED
        if not self.has_prose:
            return self._truncated_or(EMPTY)
        state = self._body.state
        if state in ("empty", "incomplete"):
            return self._truncated_or(_INCOMPLETE)
        if state == "complete":
            return self._read()[0]
        reading = self._body.reading()
        return Problem(
            _STATES[state],
            curable=state == "not_object" and self._extraction == "embedded",
            place=reading.place,
            told=f"at character {reading.place} there is {reading.reason}",
        )

    def _selection(self) -> ModelSelection | None:
        return self._read()[1]

    def _read(self) -> tuple[Problem | None, ModelSelection | None]:
        """Read the envelope, once: what follows the object does not change it."""
        if self._envelope is None:
            begin, end = self._body.bounds or (0, 0)
            try:
                parsed = parse_object(self.text[begin:end])
            except (ValueError, RecursionError) as error:
                self._envelope = Problem("json_invalid", told=f"the object cannot be read here: {error}"), None
                return self._envelope
            self._repeated_keys = parsed.repeated_keys
            problem = _envelope_problem(parsed.value) or self._tool_problem(parsed.value["tool"])
            selection = None if problem is not None else ModelSelection.model_construct(tool_id=parsed.value["tool"], input=parsed.value["input"], call=None)
            self._envelope = problem, selection
        return self._envelope

    def _tool_problem(self, tool_id: str) -> Problem | None:
        if tool_id in self._projection.offered_ids:
            return None
        if tool_id in self._projection.catalog:
            return Problem("tool_not_in_stage", told=f"{tool_id!r} is a tool of the catalog, and not offered in stage {self._projection.stage_id!r}")
        meant = self._projection.catalog.by_wire_name(tool_id)
        if meant is not None:
            return Problem("unknown_tool", told=f"{tool_id!r} is the name on the wire of {meant.id!r}; text names tools by id", hint=f"wire_name_of:{meant.id}")
        tool_id = tool_id[:200]
        close = get_close_matches(tool_id, sorted(self._projection.offered_ids), n=3)
        meaning = f"; did the model mean {' or '.join(close)}?" if close else ""
        return Problem("unknown_tool", told=f"there is no tool {tool_id!r}{meaning}")

    def _late_notes(self) -> tuple[str, ...]:
        return ("duplicate_key",) if self._repeated_keys else ()


class TextCollector(Collector):
    """Wants text; a text that the length limit cut is accepted, and `finish_reason` says so."""

    def __init__(self, *, allow_empty: bool = False) -> None:
        super().__init__(_no_name)
        self._allow_empty = allow_empty

    def _problem(self) -> Problem | None:
        blocked = self._blocked()
        if blocked is not None:
            return blocked
        if self.assembly.slots:
            return _UNEXPECTED
        return None if self._allow_empty or any(self._texts) else EMPTY

    def _selection(self) -> ModelSelection:
        return ModelSelection.model_construct(tool_id="text", input={"text": self.text}, call=None)


def _envelope_problem(envelope: dict[str, Any]) -> Problem | None:
    missing = [key for key in KEYS if key not in envelope]
    if missing:
        return Problem("envelope_missing_key", told=f"the object lacks {', '.join(missing)}")
    extra = [key for key in envelope if key not in KEYS]
    if extra:
        return Problem("envelope_extra_key", told=f"the object has more than tool and input: {', '.join(extra)[:200]}")
    if not isinstance(envelope["tool"], str):
        return Problem("envelope_bad_type", told=f"tool is a text, not {type(envelope['tool']).__name__}")
    value = envelope["input"]
    if not isinstance(value, dict):
        encoded = isinstance(value, str) and classify(value).state == "complete"
        return Problem("envelope_bad_type", told=f"input is an object, not {type(value).__name__}", hint="input_is_encoded_json" if encoded else None)
    return None


def _no_name(text: str) -> bool:
    return False
