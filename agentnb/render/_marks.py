"""How a state is shown: always a mark and a word, never colour alone."""

from __future__ import annotations

from typing import Final, NamedTuple

from agentnb.render._markup import Html, tag
from agentnb.values import Call


class Mark(NamedTuple):
    """A mark, its word and the class that colours both."""

    mark: str
    """One character."""
    word: str
    """What it means."""
    level: str
    """good, bad, warn or dim."""


CALL_MARKS: Final = {
    "done": Mark("✓", "done", "good"),
    "failed": Mark("✕", "failed", "bad"),
    "denied": Mark("⊘", "denied", "warn"),
    "unanswered": Mark("?", "no answer", "warn"),
    "running": Mark("…", "running", "dim"),
}
TURN_MARKS: Final = {
    **{state: CALL_MARKS[state] for state in ("done", "failed", "running")},
    "waiting": Mark("◔", "waiting", "warn"),
    "interrupted": Mark("⊘", "interrupted", "warn"),
    "stopped": Mark("■", "stopped", "warn"),
    "abandoned": Mark("○", "abandoned", "warn"),
}
VERDICT_MARKS: Final = {"right": Mark("✓", "right", "good"), "wrong": Mark("✕", "wrong", "bad")}
UNKNOWN: Final = Mark("–", "not told", "dim")


def mark_of(call: Call) -> Mark:
    """Return the mark of a call; a call that failed is marked so whatever its state says."""
    return CALL_MARKS["failed"] if call.failed and call.state in (None, "done") else CALL_MARKS.get(call.state or "", UNKNOWN)


def marked(mark: Mark, note: str = "") -> Html:
    """Show a mark with its word and, where given, a note between: `✕ ×3 failed`."""
    return tag("span", f"{mark.mark} {note}{mark.word}", class_=f"mark {mark.level}")
