"""Which sentences does a text have that its writer says himself? Code, quotes and addresses are blanked first; every place is one of the original text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

_REASONING: Final = (("<think>", "</think>"), ("<thinking>", "</thinking>"))
_FENCE = re.compile(r"[ \t]*(?:[-*+][ \t]+)?(`{3,}|~{3,})")
# Every alternative begins with a letter or mark of its own, so that a text is passed over quickly, and an opening mark ends the search for the mark that
# closes the one before: nothing here looks at a character more than a few times.
_INLINE = re.compile(r'``{0,2}+[^`\n]++`{1,3}|"[^"\n]*"|“[^“”\n]*”|„[^„“”\n]*[“”]|«[^«»\n]*»|https?://\S+|HTTPS?://\S+|ftp://\S+|www\.\S+')
_QUOTED = re.compile(r"[ \t]*>")
_MARKS = re.compile(r"[ \t]*(?P<heading>#{1,6}[ \t]+)?(?P<bullet>(?:[-*+•‣◦–—]|\d{1,3}[.)])[ \t]+)?(?P<box>\[[ xX✓✔✗]?\](?=\s|$)|[✅✓✔☑☐](?=\ufe0f?\s))?")
_BREAK = re.compile(r"(?<![.!?…؟])[.!?…؟]++[*_)\]\"'”’»]*+\s++")
_UNDERLINES = re.compile(r"_(?:(?<!\w_)_*+|(?<!__)_*+(?!\w))")
_ACCENTS = re.compile("[\u0300-\u036f\u0483-\u0487\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f]+")
_WORD = re.compile(r"\w+(?:'(?=\w))?")
_CHOICES = re.compile(r"(?<=[?؟\uff1f])[*_\s]*[(\[][^()\[\]\n?]{1,40}[)\]][*_\s]*$")
_CLOSERS: Final = "*_`) \u00a0\u202f»”\"'"
_APOSTROPHES: Final = str.maketrans({"’": "'", "\u2018": "'", "\u02bc": "'", "`": "'", "\u00b4": "'", "œ": "oe", "Œ": "OE"})


class Sentence(NamedTuple):
    """One sentence and where it stands."""

    text: str
    """Normalised."""
    start: int
    """Its first character in the original text."""
    end: int
    """Behind its last character there."""
    question: bool
    """Whether it ends in a question mark."""
    words: frozenset[str]
    """Its words; one that stands before an apostrophe keeps it."""


class Line(NamedTuple):
    """One line of prose, without its marks."""

    sentences: tuple[Sentence, ...]
    bullet: bool
    """Whether it is an item of a list."""
    checked: bool | None
    """Whether its checkbox is ticked; None without one."""
    heading: bool
    indented: bool


def lines_of(text: str) -> Iterator[Line]:
    """Yield the lines of a text that hold words, in order, with code, quotes, reasoning and addresses left out."""
    place = 0
    for raw in blanked(text).splitlines(keepends=True):
        if not raw.isspace():
            yield _line(raw, place)
        place += len(raw)


def blanked(text: str) -> str:
    """Put spaces in place of what the writer does not say himself; places stay the same."""
    kept = _without_reasoning(text)
    if "`" in kept or "~~~" in kept or ">" in kept:
        kept = "".join(_own_lines(kept))
    return _INLINE.sub(lambda match: " " * len(match[0]), kept)


def without_reasoning(text: str) -> str:
    """Take blocks of reasoning out of a text."""
    return _without_reasoning(text, filled=False) if "<think" in text else text


def normalised(text: str) -> str:
    """Bring a text into the form of the word lists: compatible characters, straight apostrophes, no case, no accents, single spaces."""
    if text.isascii():
        return " ".join(text.lower().replace("`", "'").split())
    folded = unicodedata.normalize("NFKC", text.translate(_APOSTROPHES)).casefold()
    return " ".join(_ACCENTS.sub("", unicodedata.normalize("NFD", folded)).split())


def words_in(text: str) -> list[str]:
    """Return the words of a normalised text, in order; one that stands before an apostrophe keeps it, as in `j'` `ajoute`."""
    return _WORD.findall(text)


def ends_with_user_question(text: str) -> bool:
    """Say whether a text hands control back: its last line ends in a question mark, closing marks and choices such as `(yes/no)` aside.

    Args:
        text: what the agent answered.
    """
    last = _CHOICES.sub("", text.rstrip().rpartition("\n")[2]).rstrip(_CLOSERS)
    return last.endswith(("?", "؟", "\uff1f"))


def _line(raw: str, place: int) -> Line:
    marks = _MARKS.match(raw)
    start = marks.end() if marks else 0
    box = marks["box"] if marks else None
    struck = raw[start:].strip().startswith("~~")
    checked = True if struck else None if box is None else box not in ("[ ]", "[]", "☐")
    bullet = bool(marks and (marks["bullet"] or box))
    return Line(tuple(_sentences(raw, start, place)), bullet, checked, bool(marks and marks["heading"]), raw[:1] in " \t")


def _sentences(raw: str, start: int, place: int) -> Iterator[Sentence]:
    ends = [match.end() for match in _BREAK.finditer(raw, start)]
    for begin, end in zip([start, *ends], [*ends, len(raw)], strict=True):
        piece = raw[begin:end]
        text = normalised(_plain(piece))
        if text:
            lead = len(piece) - len(piece.lstrip())
            question = ("?" in text or "؟" in text) and text.rstrip(_CLOSERS).endswith(("?", "؟"))
            yield Sentence(text, place + begin + lead, place + begin + len(piece.rstrip()), question, frozenset(words_in(text)))


def _plain(piece: str) -> str:
    """Take marks of emphasis out of a text; an underline inside a name stays."""
    bare = piece.replace("*", "").replace("~~", "")
    return _UNDERLINES.sub("", bare) if "_" in bare else bare


def _own_lines(text: str) -> Iterator[str]:
    fence = ""
    for line in text.splitlines(keepends=True):
        match = _FENCE.match(line)
        ends = bool(fence) and match is not None and match[1].startswith(fence)
        if fence or match or _QUOTED.match(line):
            yield _blank(line)
        else:
            yield line
        fence = "" if ends else fence or (match[1] if match else "")


def _without_reasoning(text: str, *, filled: bool = True) -> str:
    for opener, closer in _REASONING:
        pieces, place = [], 0
        while (begin := text.find(opener, place)) >= 0:
            end = text.find(closer, begin)
            end = len(text) if end < 0 else end + len(closer)
            pieces += [text[place:begin], _blank(text[begin:end]) if filled else ""]
            place = end
        if pieces:
            text = "".join([*pieces, text[place:]])
    return text


def _blank(text: str) -> str:
    return "\n".join([" " * len(line) for line in text.split("\n")])
