"""What the agent was shown, as forms that can be looked up: each with the turn that served it last and the results that carried it."""

from __future__ import annotations

import re
from collections.abc import Container
from typing import Final, NamedTuple

from agentnb.scripts.evidence.spellings import parts_of, times_in
from agentnb.scripts.evidence.texts import leaves_of
from agentnb.scripts.evidence.words import PIECE, forms_of, normalize, split_commas, tokenize

MOST_FORMS: Final = 200_000
"""Different forms that an index holds; past them it is cut, which is said, and only forms that are asked for are still taken."""
MOST_CARRIERS: Final = 8
"""Results that are remembered per form and turn."""
LONGEST_WHOLE: Final = 80
"""Characters up to which a string of JSON is also one form by itself."""
_PLAIN = re.compile(r"[a-z0-9:_\-/.,%+@#$]+")
_IN_A_FORM = re.compile(r"[A-Za-z0-9]")


class Found(NamedTuple):
    """Where a form stands."""

    turn: int
    """The latest turn that served it."""
    carriers: tuple[int, ...]
    """Places of the results of that turn that carried it, at most eight."""
    cut: bool
    """Whether there are more."""
    spelled: bool
    """Whether it stands there only in another spelling."""


class EvidenceIndex:
    """Forms that can be looked up, exactly and never as parts of others.

    Args:
        wanted: forms that are still taken when the index is full.
        most: different forms that it holds.
    """

    def __init__(self, *, wanted: Container[str] = frozenset(), most: int = MOST_FORMS) -> None:
        self.truncated = False
        """Whether something was left out because the index was full."""
        self._wanted = wanted
        self._most = most
        self._forms: dict[str, list[int]] = {}
        self._spelled: set[str] = set()
        self._known: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {}

    def __len__(self) -> int:
        """Count the different forms."""
        return len(self._forms)

    def serve(self, text: str, *, carrier: int, turn: int) -> None:
        """Take in a text that the agent was shown.

        Args:
            text: the result of a tool.
            carrier: a number for this result.
            turn: number of the turn that served it; texts are served in their order.
        """
        for leaf in leaves_of(text):
            if leaf.whole and len(leaf.text) <= LONGEST_WHOLE and (form := normalize(leaf.text)):
                self._take(form, carrier, turn)
            self._take_text(leaf.text, carrier, turn)

    def find(self, form: str) -> Found | None:
        """Say where a form stands; None when it stands nowhere."""
        found = self._forms.get(form)
        if found is None:
            return None
        carriers = tuple(found[1:])
        return Found(found[0], carriers[:MOST_CARRIERS], len(carriers) > MOST_CARRIERS, form in self._spelled)

    def _take_text(self, text: str, carrier: int, turn: int) -> None:
        known, read = self._known, self._forms_of
        # Folding to ASCII first keeps letters apart that only lower-casing would make letters of ours.
        lowered = text.lower() if text.isascii() else None
        pieces = _PLAIN.findall(lowered) if lowered is not None and "'" not in lowered else [match[0] for match in PIECE.finditer(text)]
        for piece in dict.fromkeys(pieces):
            forms = known.get(piece)
            if forms is None:
                forms = known[piece] = read(piece)
            for form in forms[0]:
                self._take(form, carrier, turn)
            for form in forms[1]:
                self._take(form, carrier, turn, spelled=True)

    @staticmethod
    def _forms_of(piece: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return the forms of a piece, and those it has in another spelling."""
        if piece.isalpha() and piece.isascii():
            return (piece.lower(),), ()
        exact = [token for token in (tokenize(piece) if "'" in piece or not piece.isascii() else map(normalize, split_commas(piece))) if token]
        exact = [form for token in exact for form in forms_of(token)]
        others = [normalize(part) for token in exact for part in parts_of(token)]
        return tuple(dict.fromkeys(exact)), tuple(form for form in dict.fromkeys(others) if form and form not in exact and _IN_A_FORM.search(form))

    def _take(self, form: str, carrier: int, turn: int, *, spelled: bool = False) -> None:
        found = self._forms.get(form)
        if found is None:
            if len(self._forms) >= self._most:
                self.truncated = True
                if form not in self._wanted:
                    return
            self._forms[form] = [turn, carrier]
            if spelled:
                self._spelled.add(form)
        elif found[0] != turn:
            self._forms[form] = [turn, carrier]
            self._mark(form, spelled)
        elif found[-1] != carrier:
            if len(found) <= MOST_CARRIERS + 1:
                found.append(carrier)
            self._mark(form, spelled)
        elif not spelled:
            self._spelled.discard(form)

    def _mark(self, form: str, spelled: bool) -> None:
        if not spelled:
            self._spelled.discard(form)


def exempt_forms(text: str) -> set[str]:
    """Return the forms that are exempt because a person or the system said them, with the other spellings of their dates and clock times."""
    forms = {form for leaf in leaves_of(text) for token in tokenize(leaf.text) for form in forms_of(token)}
    others = {spelled for token in forms for spelled in (*times_in(token, by_parts=True), *map(normalize, parts_of(token)))}
    return forms | (others - {""})
