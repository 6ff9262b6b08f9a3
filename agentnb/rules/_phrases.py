"""How do the phrases of a language file become regular expressions?

A phrase is words with a space between; `(a|b)` is a choice, `(a|b)?` may be left out, `*` stands for letters, `#` for a number, and a hyphen also matches
a space. That is all there is, so that somebody who speaks a language can write its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SPACE: Final = r"(?: |(?<='))"
"""What separates two words of a normalised text: a space, or nothing after an apostrophe, as in French."""
END: Final = r"(?!\w)"
_SIGNS: Final = {"(": "(?:", ")": ")", "|": "|", "?": "?", "*": r"\w+", "#": r"\d+(?:[.,]\d+)?", "-": "[- ]", " ": SPACE}
_GROUP: Final = re.compile(r"\(([^()]*)\)(\?)?")
_WORDS: Final = re.compile(r"[\w*#]+(?:'(?=[\w* ]|$))?")
_GROUP_LEFT_OUT: Final = re.compile(r"\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\? ")


def written(phrase: str) -> str:
    """Return the regular expression of one phrase, without its ends.

    Args:
        phrase: in the notation of this module; groups nest two deep.
    """
    while (marked := _GROUP_LEFT_OUT.sub(r"((\1)\v)?", phrase)) != phrase:
        phrase = marked
    return "".join(SPACE if sign == "\v" else _SIGNS.get(sign) or re.escape(sign) for sign in phrase)


def any_of(phrases: Iterable[str]) -> str:
    """Return the regular expression of a choice between phrases, longest first."""
    ordered = sorted(set(phrases), key=lambda phrase: (-len(phrase), phrase))
    return f"(?:{'|'.join(map(written, ordered))})"


def plain_words(phrase: str) -> str:
    """Return a phrase that has no signs as the fixed text a look-behind needs.

    Raises:
        ValueError: it has a choice, which a look-behind cannot hold.
    """
    if set(phrase) & set("()|?*#"):
        raise ValueError(f"{phrase!r} stands in not_after, where only plain words can: write each form as a phrase of its own")
    return re.escape(phrase)


def spread(phrase: str) -> set[str]:
    """Return every form of a phrase, its choices made."""
    match = _GROUP.search(phrase)
    if match is None:
        return {phrase.replace("?", "")} | ({phrase[: at - 1] + phrase[at + 1 :]} if (at := phrase.find("?")) > 0 else set())
    before, after = phrase[: match.start()], phrase[match.end() :]
    forms = [before + choice + after for choice in match[1].split("|")]
    left_out = [before + after.removeprefix(" ")] if match[2] else []
    return {form for phrase in (*forms, *left_out) for form in spread(phrase)}


def surest_words(phrases: Iterable[str]) -> frozenset[str] | None:
    """Return words of which every text has one that holds one of these phrases: the longest of each form; None when a form has no words of its own."""
    found: set[str] = set()
    for form in (form for phrase in phrases for form in spread(phrase)):
        words = [word for word in _WORDS.findall(form) if "*" not in word and "#" not in word]
        if not words:
            return None
        found.add(max(words, key=len))
    return frozenset(found)
