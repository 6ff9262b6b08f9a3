"""An answer with the names and numbers that stand in nothing its agent was shown, each marked by a sign and a word, and what was searched for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._marks import Mark as Sign
from agentnb.render._marks import marked
from agentnb.render._markup import Html, join, tag, text
from agentnb.render._numbers import amount, count, facts
from agentnb.render._room import BUDGET, weight
from agentnb.render._secrets import mask
from agentnb.render._text import more, one_line, visible
from agentnb.scripts import EvidenceCheck
from agentnb.scripts.evidence.check import CheckedValue, EvidencePlace

VERDICTS: Final = {
    "unsupported": Sign("✕", "in nothing it was shown", "bad"),
    "supported": Sign("✓", "found", "good"),
    "exempt": Sign("○", "was said to it", "dim"),
}
LIMIT: Final = "found is not right: a value can be real and still wrong here"
ORDER: Final = ("unsupported", "supported", "exempt")
ROWS: Final = (60, 25, 10, 4)
ANSWER: Final = (8_000, 4_000, 1_500, 400)
"""Characters of the answer that are shown, where there is less and less room."""
MOST_PLACES: Final = 30


def render_evidence(check: EvidenceCheck, *, selected: str | None = None, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a checked answer: unsupported values marked in it, then each value with its verdict and, folded, the places that were searched.

    Args:
        check: the check.
        selected: the value whose places are unfolded.
        budget: bytes of the HTML.
        standalone: whether the style sheet and the section around it come along.
    """
    head = heading("names and numbers of the answer", _known(check))
    room = room_inside(budget, standalone=standalone) - weight(head) - 100
    for rows, characters in zip(ROWS, ANSWER, strict=True):
        element = tag("div", _answer(check, characters), _caps(check), _values(check, rows, selected), tag("div", LIMIT, class_="dim"), class_="steps")
        if weight(element) <= room:
            return framed("evidence", "Evidence", [head, element], standalone=standalone, budget=budget)
    return framed("evidence", "Evidence", [head, too_large()], standalone=standalone, budget=budget)


def plain_evidence(check: EvidenceCheck) -> str:
    """Say in one line how many values stand in nothing that the agent was shown, and which."""
    listed = f": {one_line(check.listed(), 200)}" if check.unsupported else ""
    return visible(f"Evidence · {_known(check)}{listed}")


def _known(check: EvidenceCheck) -> str:
    exempt = sum(value.verdict == "exempt" for value in check.values)
    return facts(
        amount(check.candidates, "value"),
        f"{count(len(check.unsupported))} in nothing it was shown" if check.unsupported else None,
        f"{count(check.from_this_turn)} from this turn" if check.from_this_turn else None,
        f"{count(check.from_prior_turns)} from earlier turns" if check.from_prior_turns else None,
        f"{count(exempt)} said to it" if exempt else None,
        f"{amount(len(check.searched), 'text')} searched",
    )


def _answer(check: EvidenceCheck, characters: int) -> Html:
    if not check.answer:
        return tag("div", "no answer", class_="dim")
    hidden = len(check.answer) - characters
    rest = tag("span", f"… {more(hidden)}", class_="cut") if hidden > 0 else None
    return tag("pre", join(_pieces(check, characters)), rest, class_="said", dir="auto")


def _pieces(check: EvidenceCheck, characters: int) -> Iterator[Html]:
    """Cut the answer at the marks of its unsupported values; an answer that holds what looks like a secret is shown masked and without marks in it."""
    answer = check.answer[:characters]
    if mask(answer) != answer:
        yield text(answer)
        return
    at = 0
    for start, end in sorted((mark.start, mark.end) for value in check.unsupported for mark in value.marks):
        if start >= at and end <= len(answer):
            yield text(answer[at:start])
            yield tag("b", answer[start:end], tag("span", " ✕ unsupported", class_="mark bad"), class_="bad")
            at = end
    yield text(answer[at:])


def _caps(check: EvidenceCheck) -> list[Html]:
    return [tag("div", f"! {cap}", class_="warn") for cap in check.caps]


def _values(check: EvidenceCheck, rows: int, selected: str | None) -> list[Html]:
    if not check.values:
        return [tag("div", "the answer has no name or number that is looked up", class_="dim")]
    ordered = sorted(check.values, key=lambda value: ORDER.index(value.verdict))
    shown = [_value(check, value, selected) for value in ordered[:rows]]
    return [*shown, tag("div", more(len(ordered) - rows, "value"), class_="more")] if len(ordered) > rows else shown


def _value(check: EvidenceCheck, value: CheckedValue, selected: str | None) -> Html:
    sign = VERDICTS[value.verdict]
    spelled = f"as {one_line(value.found_as or '', 60)}" if value.found_as not in (None, value.value) or value.spelled else None
    line = join(marked(sign), tag("code", value.shown, class_="name"), tag("span", facts(value.kind, spelled), class_="dim"), by=" ")
    unfold = value.value == selected
    if value.verdict == "unsupported":
        return tag("details", tag("summary", line), _searched(check), class_="call failed", open=unfold)
    places = [check.searched[place] for place in value.places if place < len(check.searched)]
    return tag("details", tag("summary", line), tag("ul", [_place(place) for place in places]), class_="call", open=unfold)


def _searched(check: EvidenceCheck) -> Html:
    """List what was searched in vain."""
    if not check.searched:
        return tag("div", "there was nothing to search: the agent was shown no text", class_="dim")
    left = len(check.searched) - MOST_PLACES
    rest = tag("li", more(left, "text"), class_="dim") if left > 0 else None
    return tag("ul", tag("li", "not found in:", class_="dim"), [_place(place) for place in check.searched[:MOST_PLACES]], rest)


def _place(place: EvidencePlace) -> Html:
    what = "said to the agent" if place.exempts else "result"
    known = facts(what, f"turn {place.turn}", f"{amount(place.characters, 'character')}")
    return tag("li", tag("b", one_line(place.name, 60) or "unnamed"), " ", tag("span", known, class_="dim"), data_call=place.call_id)
