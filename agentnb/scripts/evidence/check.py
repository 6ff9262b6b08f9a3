"""ANSWER + WHAT WAS SHOWN -> WHICH VALUES STAND IN IT: each token with its verdict, and where it was found."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, NamedTuple

from agentnb.scripts.evidence.index import MOST_FORMS, EvidenceIndex, Found, exempt_forms
from agentnb.scripts.evidence.options import EvidenceOptions
from agentnb.scripts.evidence.spellings import spellings_of
from agentnb.scripts.evidence.words import Candidate, classify, forms_of, normalize, pieces_of
from agentnb.values import Value

MOST_TOKENS: Final = 20_000
"""Tokens of an answer that are looked at."""
MOST_REPORTED: Final = 12
"""Unsupported values that are reported; the rest is counted."""
LONGEST_VALUE: Final = 64
"""Characters of a value that is reported."""
LIBRARY_WORDS: Final = ("[evidence check", "[schema check")
"""How corrections of the library begin; they quote what was accused and exempt nothing."""


class Served(NamedTuple):
    """A text that the agent was shown."""

    text: str
    """The text, as it was shown."""
    name: str = ""
    """What gave it: the name of a tool, or who said it."""
    call_id: str | None = None
    """The call that gave it, if one did."""
    turn: int = 1
    """Number of the turn in which it was shown."""


class Mark(Value):
    """One place of an answer at which a value stands."""

    start: int
    """Where it begins, in characters."""
    end: int
    """Where it ends."""


class EvidencePlace(Value):
    """A text that was searched."""

    name: str
    """What gave it: a tool, or user, system and the like for what was said."""
    call_id: str | None = None
    """The call that gave it; null for what was said."""
    turn: int
    """Number of the turn in which it was shown."""
    characters: int
    """Its length in characters."""
    exempts: bool = False
    """Whether it was said to the agent and so exempts what stands in it; what tools returned is evidence."""


class CheckedValue(Value):
    """One value of an answer, with what became of it."""

    value: str
    """What was looked up: the number without its unit, else the token in normal form."""
    kind: str
    """number, identifier, or the name of a declared shape."""
    verdict: Literal["supported", "exempt", "unsupported"]
    """supported stands in a tool's result, exempt was said to the agent, unsupported stands in neither."""
    found_as: str | None = None
    """The form that was found; null when none was."""
    spelled: bool = False
    """Whether it was found only in another spelling: a date written otherwise, an item of a list."""
    turn: int | None = None
    """The latest turn that served it."""
    places: tuple[int, ...] = ()
    """Places among the searched texts at which it was found, at most eight."""
    marks: tuple[Mark, ...] = ()
    """Where it stands in the answer."""

    @property
    def shown(self) -> str:
        """The value as it is reported: at most 64 characters."""
        return self.value if len(self.value) <= LONGEST_VALUE else self.value[: LONGEST_VALUE - 1] + "…"


class EvidenceCheck(Value):
    """Which names and numbers of an answer stand in what the agent was shown.

    A value that is supported was shown to the agent; that it is right, current or about the right thing is not said.
    """

    answer: str
    """The answer as it was checked."""
    values: tuple[CheckedValue, ...] = ()
    """Its candidates, distinct by value, in their order."""
    searched: tuple[EvidencePlace, ...] = ()
    """The texts that were searched: what was said first, then what tools returned."""
    turn: int = 1
    """Number of the turn that answered."""
    index_truncated: bool = False
    """Whether the index was full before all evidence was in it; nobody is accused on the strength of such an index."""
    caps: tuple[str, ...] = ()
    """Which caps were hit, in words."""

    @property
    def candidates(self) -> int:
        """How many values were looked up."""
        return len(self.values)

    @property
    def unsupported(self) -> tuple[CheckedValue, ...]:
        """The values that stand in nothing that the agent was shown."""
        return tuple(value for value in self.values if value.verdict == "unsupported")

    @property
    def from_this_turn(self) -> int:
        """Supported values that a result of this turn served."""
        return sum(1 for value in self.values if value.verdict == "supported" and value.turn == self.turn)

    @property
    def from_prior_turns(self) -> int:
        """Supported values that only results of earlier turns served."""
        return sum(1 for value in self.values if value.verdict == "supported" and value.turn != self.turn)

    @property
    def latest_prior_turn(self) -> int | None:
        """The latest earlier turn that served a supported value."""
        return max((value.turn for value in self.values if value.verdict == "supported" and value.turn not in (None, self.turn)), default=None)

    @property
    def tool_results_this_turn(self) -> int:
        """Results of this turn that were searched."""
        return sum(1 for place in self.searched if not place.exempts and place.turn == self.turn)

    def listed(self) -> str:
        """Write the unsupported values: the first twelve, then how many more."""
        shown = [value.shown for value in self.unsupported]
        more = f" and {len(shown) - MOST_REPORTED} more" if len(shown) > MOST_REPORTED else ""
        return ", ".join(shown[:MOST_REPORTED]) + more


def check_answer(
    answer: str, results: Iterable[Served], said: Iterable[Served] = (), *, options: EvidenceOptions | None = None, turn: int = 1, most_forms: int = MOST_FORMS
) -> EvidenceCheck:
    """Look up the names and numbers of an answer in what the agent was shown.

    Args:
        answer: the answer.
        results: what tools returned, oldest first, those of earlier turns included; neither arguments nor the agent's own words are evidence.
        said: what persons and the system said to the agent; what stands in it is exempt. The library's own corrections are left out.
        options: settings; without them numbers count from four digits.
        turn: number of the turn that answered.
        most_forms: different forms that the index holds.

    Returns:
        The check; time and memory grow with the length of the texts and not faster.
    """
    settings = options or EvidenceOptions()
    candidates, over = _candidates(answer, settings)
    exempt, places = _exempt([text for text in said if not text.text.startswith(LIBRARY_WORDS)]) if candidates else ({}, [])
    index = EvidenceIndex(wanted={form for candidate in candidates.values() for form in candidate.forms}, most=most_forms)
    for result in results:
        index.serve(result.text, carrier=len(places), turn=result.turn)
        places.append(_place(result, exempts=False))
    caps = [f"the answer has more than {MOST_TOKENS:,} tokens; the rest was not looked at"] if over else []
    if index.truncated:
        caps.append(f"the evidence has more than {most_forms:,} different forms; past them only those of the answer were taken")
    values = tuple(_checked(candidate, exempt, index) for candidate in candidates.values())
    return EvidenceCheck(answer=answer, values=values, searched=tuple(places), turn=turn, index_truncated=index.truncated, caps=tuple(caps))


class _Wanted(NamedTuple):
    """A candidate with everything that is looked up for it."""

    candidate: Candidate
    forms: dict[str, bool]
    """Forms, each with whether it is another spelling."""
    marks: list[Mark]


def _candidates(answer: str, options: EvidenceOptions) -> tuple[dict[str, _Wanted], bool]:
    found: dict[str, _Wanted] = {}
    known: dict[str, Candidate | None] = {}
    for place, piece in enumerate(pieces_of(answer)):
        if place >= MOST_TOKENS:
            return found, True
        token = piece.token
        if token not in known:
            known[token] = classify(token, options)
        candidate = known[token]
        if candidate is None or options.is_exempt(candidate.value):
            continue
        wanted = found.get(candidate.value)
        if wanted is None:
            wanted = found[candidate.value] = _Wanted(candidate, dict.fromkeys(forms_of(candidate.value), False), [])
        if candidate.glued:
            # A number read off `1007us` is looked up as that token too; the index is never widened for it.
            wanted.forms.setdefault(token, False)
        raw = answer[piece.start : piece.end].lower()
        for spelled in (*spellings_of(token), *(spellings_of(raw) if raw != token else ())):
            wanted.forms.setdefault(normalize(spelled), True)
        wanted.marks.append(Mark.model_construct(start=piece.start, end=piece.end))
    return found, False


def _exempt(said: Sequence[Served]) -> tuple[dict[str, int], list[EvidencePlace]]:
    forms: dict[str, int] = {}
    for at, text in enumerate(said):
        for form in exempt_forms(text.text):
            forms.setdefault(form, at)
    return forms, [_place(text, exempts=True) for text in said]


def _place(text: Served, *, exempts: bool) -> EvidencePlace:
    return EvidencePlace(name=text.name, call_id=text.call_id, turn=text.turn, characters=len(text.text), exempts=exempts)


def _checked(wanted: _Wanted, exempt: dict[str, int], index: EvidenceIndex) -> CheckedValue:
    candidate, marks = wanted.candidate, tuple(wanted.marks)
    said = next((form for form in wanted.forms if form in exempt), None)
    if said is not None:
        spelled = wanted.forms[said]
        return CheckedValue(value=candidate.value, kind=candidate.kind, verdict="exempt", found_as=said, spelled=spelled, places=(exempt[said],), marks=marks)
    hits = [(form, found) for form in wanted.forms if (found := index.find(form)) is not None]
    if not hits:
        return CheckedValue(value=candidate.value, kind=candidate.kind, verdict="unsupported", marks=marks)
    form, found = max(hits, key=lambda hit: (not _is_spelled(wanted, *hit), hit[1].turn))
    return CheckedValue(
        value=candidate.value, kind=candidate.kind, verdict="supported", found_as=form, spelled=_is_spelled(wanted, form, found), turn=found.turn,
        places=found.carriers, marks=marks,
    )  # fmt: skip


def _is_spelled(wanted: _Wanted, form: str, found: Found) -> bool:
    return wanted.forms[form] or found.spelled
