"""How do the phrases of a language file become regular expressions?

A phrase is words with a space between; `(a|b)` is a choice, `(a|b)?` may be left out (with the space behind it, where it is a word of its own), `*` stands
for letters, `#` for a number, and a hyphen also matches a space. That is all there is, so that somebody who speaks a language can write its file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SPACE: Final = r"(?: |(?<='))"
"""What separates two words of a normalised text: a space, or nothing after an apostrophe, as in French."""
END: Final = r"(?:(?<=')|(?!\w))"
_SIGNS: Final = {"(": "(?:", ")": ")", "|": "|", "?": "?", "*": r"\w+", "#": r"\d+(?:[.,]\d+)?", "-": "[- ]", " ": SPACE}
_WORDS: Final = re.compile(r"[\w*#]+(?:'(?=[\w* ]|$))?")
_GROUP_LEFT_OUT: Final = re.compile(r"(?<![^ (|])\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)\? ")


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
    begin = phrase.find("(")
    if begin < 0:
        at = phrase.find("?")
        return {phrase} if at < 0 else {phrase[:at] + phrase[at + 1 :], phrase[: at - 1] + phrase[at + 1 :]}
    end = _closing(phrase, begin)
    optional = phrase[end + 1 : end + 2] == "?"
    chosen = {form for choice in _choices(phrase[begin + 1 : end]) for form in spread(choice)}
    rest = phrase[end + 1 + optional :]
    heads, tails = spread(phrase[:begin]), spread(rest)
    forms = {head + choice + tail for head in heads for choice in chosen for tail in tails}
    without = rest.removeprefix(" ") if phrase[begin - 1 : begin] in ("", " ", "(", "|") else rest
    return forms | {head + tail for head in heads for tail in spread(without)} if optional else forms


def _closing(phrase: str, begin: int) -> int:
    depth = 0
    for at in range(begin, len(phrase)):
        depth += (phrase[at] == "(") - (phrase[at] == ")")
        if depth == 0:
            return at
    raise ValueError(f"{phrase!r} has a bracket that is not closed")


def _choices(inside: str) -> list[str]:
    choices, depth = [""], 0
    for sign in inside:
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and depth == 0:
            choices.append("")
        else:
            choices[-1] += sign
    return choices


def surest_words(phrases: Iterable[str]) -> frozenset[str] | None:
    """Return words of which every text that holds one of these phrases has one.

    Of each form it is the longest, and of equally long ones the last; None when a form has no words of its own.
    """
    found: set[str] = set()
    for form in (form for phrase in phrases for form in spread(phrase)):
        words = [word for word in _WORDS.findall(form) if "*" not in word and "#" not in word]
        if not words:
            return None
        found.add(max(reversed(words), key=lambda word: len(word.rstrip("'"))))
    return frozenset(found)
