"""What does a text do: agree, promise work, list open work, ask? Three predicates, in English and French, with the sentence that matched.

After the public description of Navin's continuation rules; the words are data files beside this module.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from agentnb.rules._language import Closed, Finder, Grammar, Language, grammar_of
from agentnb.rules._sentences import Line, Sentence, lines_of, normalised, without_reasoning, words_in

LONGEST_GO_AHEAD: Final = 60
"""Characters of a message that can be a bare yes."""
NEAR_END: Final = 400
"""Characters at the end of a text within which a sentence is said to stand near the end."""
LONGEST_UNIT: Final = 4
ENDING: Final = 2_000
"""Characters at the end of a text in which its last sentences are looked for."""
_CORE_SIGNS: Final = "👍🚀✅✔☑👌"
_FILLER_SIGNS: Final = "🙏"
_SIGN: Final = re.compile(f"([{_CORE_SIGNS}{_FILLER_SIGNS}])[\ufe0f\U0001f3fb-\U0001f3ff]*")
_FENCES: Final = ("```", "~~~")
_BOXES: Final = ("[ ]", "[]", "☐")
_JOINED = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")
_INNER_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w)")
_CLAUSE_END = re.compile(r";| [-–—]+ ")


class Said(NamedTuple):
    """The sentence that matched, and where it stands in the text."""

    sentence: str
    """As it was written."""
    start: int
    """Its first character."""
    end: int
    """Behind its last character."""
    near_end: bool
    """Whether it ends within the last 400 characters."""


def is_go_ahead(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a message is a bare yes: short, of words of agreement only, with no content of its own.

    Args:
        text: what the user wrote.
        languages: whose words count; without them all that come along.

    Returns:
        True for "go", "ok continue", "vas-y"; False for "continue with the parser", "thanks" and for any question.
    """
    message = (text or "").strip()
    if not message or len(message) > LONGEST_GO_AHEAD or any(sign in message for sign in "?؟\uff1f\r\n\u2028\u2029"):
        return False
    grammar = grammar_of(languages)
    return any(_kind(grammar, unit) == "core" for unit in _units(grammar, _words_of(message)) or ())


def announces_work(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a text promises an action that is neither conditional nor left to the user.

    Args:
        text: what the agent answered.
        languages: whose words count; without them all that come along.
    """
    return announced_work(text, languages=languages) is not None


def lists_remaining_work(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a text promises an action, or lists open work that is not left to the user.

    Args:
        text: what the agent answered.
        languages: whose words count; without them all that come along.
    """
    return listed_work(text, languages=languages) is not None


def asks_of_user(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether one of the last two sentences of a text asks the user to confirm or to tell something: that hands control back, as a closing question does.

    Args:
        text: what the agent answered.
        languages: whose words count; without them all that come along.
    """
    grammar = grammar_of(languages)
    return any(_any(grammar.request, sentence.text, sentence.words) for sentence in _ending(text)[-2:])


def is_acknowledgement(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a bare yes has no word that asks for something: "ok" and "sounds good" only acknowledge where nothing was offered; "go" does not.

    Args:
        text: what the user wrote.
        languages: whose words count; without them all that come along.
    """
    if not is_go_ahead(text, languages=languages):
        return False
    grammar = grammar_of(languages)
    units = _units(grammar, _words_of((text or "").strip())) or ()
    return all(unit in grammar.acknowledging or unit in _CORE_SIGNS for unit in units if _kind(grammar, unit) == "core")


def offers_work(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether an answer holds something that a yes can agree to: a question near its end, work that it announces, offers or leaves open.

    Args:
        text: what the agent answered.
        languages: whose words count; without them all that come along.
    """
    grammar = grammar_of(languages)
    offering = (grammar.promise, grammar.request, grammar.open, grammar.left, grammar.condition)
    return any(sentence.question or any(_any(finders, sentence.text, sentence.words) for finders in offering) for sentence in _ending(text))


def asks_to_read(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a request asks for reading and a report, such as a review or a summary, and for no change.

    Args:
        text: what the user wrote.
        languages: whose words count; without them all that come along.
    """
    return _asks_to_read(text, grammar_of(languages)) if text else False


def waives_checks(text: str | None, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a request says that nothing needs to be run or tested.

    Args:
        text: what the user wrote.
        languages: whose words count; without them all that come along.
    """
    plain = normalised(text or "")
    return grammar_of(languages).waiving.found(plain, frozenset(words_in(plain)))


def announced_work(text: str | None, *, languages: Sequence[Language] | None = None) -> Said | None:
    """Return the first sentence of a text that promises an action, else None."""
    return _announced(text, grammar_of(languages)) if text else None


def unkept_work(text: str | None, *, languages: Sequence[Language] | None = None) -> Said | None:
    """Return the first sentence that promises an action which the same text does not carry out, else None.

    "Let's analyze this step by step", with the steps behind it, is done where it stands, and so is "I'll change the function" with the code behind it: much
    follows such a promise, and it is one of thinking, or is followed by a block of code. Ours; measured on recordings of agents without tools.
    """
    return _unkept(text, grammar_of(languages)) if text else None


def listed_work(text: str | None, *, languages: Sequence[Language] | None = None) -> Said | None:
    """Return the first sentence of a text that promises an action, else the first that lists open work, else None."""
    return _listed(text, grammar_of(languages)) if text else None


def language_covered(text: str, *, languages: Sequence[Language] | None = None) -> bool:
    """Say whether a text has any of the commonest words of the languages that the rules understand; without words there is nothing to understand."""
    words = [word for word in words_in(normalised(without_reasoning(text[:20_000]))) if word.isalpha()]
    return not words or not grammar_of(languages).common.isdisjoint(words)


@lru_cache(maxsize=8)
def _asks_to_read(text: str, grammar: Grammar) -> bool:
    plain = normalised(text)
    words = frozenset(words_in(plain))
    return grammar.reading.found(plain, words) and not grammar.changing.found(plain, words)


# A rule asks whether a text matches, and then what it was: the latest answers are kept.
@lru_cache(maxsize=8)
def _announced(text: str, grammar: Grammar) -> Said | None:
    if not _may_match(text, grammar.promising):
        return None
    return next((_said(text, sentence) for line in lines_of(text) for sentence in line.sentences if _promises(grammar, sentence)), None)


@lru_cache(maxsize=8)
def _unkept(text: str, grammar: Grammar) -> Said | None:
    if _announced(text, grammar) is None:
        return None
    last_code = max(map(text.rfind, _FENCES))
    promises = (sentence for line in lines_of(text) for sentence in line.sentences if _promises(grammar, sentence))
    said = ((_said(text, sentence), sentence) for sentence in promises)
    return next((found for found, sentence in said if found.near_end or not _kept(grammar, sentence, last_code)), None)


def _kept(grammar: Grammar, sentence: Sentence, last_code: int) -> bool:
    return last_code > sentence.start or not grammar.thinking.isdisjoint(sentence.words)


@lru_cache(maxsize=8)
def _listed(text: str, grammar: Grammar) -> Said | None:
    if not _may_match(text, grammar.listing) and not any(box in text for box in _BOXES):
        return None
    lines = list(lines_of(text))
    promised = next((sentence for line in lines for sentence in line.sentences if _promises(grammar, sentence)), None)
    found = promised or next(_open_work(grammar, lines), None)
    return _said(text, found) if found else None


def _may_match(text: str, words: frozenset[str] | None) -> bool:
    """Say whether a text has any of the words without which nothing in it matches; most texts are done with here."""
    return words is None or not words.isdisjoint(words_in(normalised(text)))


def _words_of(message: str) -> list[str]:
    plain = _SIGN.sub(r" \1 ", message)
    text = _JOINED.sub(" ", normalised(plain))
    text = _INNER_APOSTROPHE.sub("\0", text)
    return "".join(" " if unicodedata.category(sign).startswith("P") else sign for sign in text).replace("\0", "'").split()


def _units(grammar: Grammar, words: Sequence[str]) -> list[str] | None:
    """Cut words into the longest units of agreement and filler, from the left; None when a word is in neither."""
    units: list[str] = []
    at = 0
    while at < len(words):
        sizes = range(min(LONGEST_UNIT, len(words) - at), 0, -1)
        taken = next((size for size in sizes if _kind(grammar, " ".join(words[at : at + size]))), 0)
        if not taken:
            return None
        units.append(" ".join(words[at : at + taken]))
        at += taken
    return units


def _kind(grammar: Grammar, unit: str) -> str | None:
    if unit in grammar.core or unit in _CORE_SIGNS:
        return "core"
    return "filler" if unit in grammar.filler or unit in _FILLER_SIGNS else None


def _promises(grammar: Grammar, sentence: Sentence) -> bool:
    words = sentence.words
    if sentence.question or not _any(grammar.promise, sentence.text, words):
        return False
    return any(
        _any(grammar.promise, clause, words) and not _any(grammar.condition, clause, words) and not _any(grammar.left, clause, words)
        for clause in (clause.strip() for clause in _CLAUSE_END.split(sentence.text))
    )


def _open_work(grammar: Grammar, lines: Sequence[Line]) -> Iterator[Sentence]:
    leading: bool | None = None
    """Inside the list under a lead-in: whether its items count. None elsewhere."""
    for at, line in enumerate(lines):
        if leading is not None and (line.bullet or line.indented):
            if leading and line.bullet and line.checked is not True:
                yield from _counting(grammar, line.sentences)
            continue
        leading = _leads(grammar, line) if not line.bullet and at + 1 < len(lines) and lines[at + 1].bullet else None
        if leading is None:
            yield from _open_in(grammar, line)


def _counting(grammar: Grammar, sentences: Sequence[Sentence]) -> Iterator[Sentence]:
    """Yield the first sentence of an item, unless one of its sentences says that it does not count."""
    if sentences and not any(_skipped(grammar, sentence) for sentence in sentences):
        yield sentences[0]


def _leads(grammar: Grammar, line: Line) -> bool | None:
    """Say whether the list under a line counts; None when the line is no lead-in."""
    if not line.sentences or not any(_is_open(grammar, sentence) for sentence in line.sentences):
        return None
    words = sum(len(sentence.text.split()) for sentence in line.sentences)
    if not (line.heading or line.sentences[-1].text.endswith(":") or words <= 5):
        return None
    return not any(_skipped(grammar, sentence) for sentence in line.sentences)


def _open_in(grammar: Grammar, line: Line) -> Iterator[Sentence]:
    if line.checked is True:
        return
    if line.checked is False:
        yield from _counting(grammar, line.sentences)
        return
    for sentence in line.sentences:
        if _is_open(grammar, sentence) and not _skipped(grammar, sentence):
            yield sentence


def _is_open(grammar: Grammar, sentence: Sentence) -> bool:
    return _any(grammar.open, sentence.text, sentence.words) or _unfinished_fraction(grammar, sentence)


def _unfinished_fraction(grammar: Grammar, sentence: Sentence) -> bool:
    if not grammar.done.found(sentence.text, sentence.words):
        return False
    return any(int(match[1]) < int(match[2]) for match in grammar.fraction.finditer(sentence.text))


def _skipped(grammar: Grammar, sentence: Sentence) -> bool:
    text, words = sentence.text, sentence.words
    if sentence.question or _any(grammar.idle, text, words) or _any(grammar.closed, text, words):
        return True
    return _any(grammar.left, text, words) or _any(grammar.left_open, text, words) or _any(grammar.condition, text, words)


def _ending(text: str | None) -> list[Sentence]:
    """Return the sentences at the end of an answer."""
    return [sentence for line in lines_of((text or "")[-ENDING:]) for sentence in line.sentences]


def _any(finders: Sequence[Finder | Closed], text: str, words: frozenset[str]) -> bool:
    return any(finder.found(text, words) for finder in finders)


def _said(text: str, sentence: Sentence) -> Said:
    return Said(text[sentence.start : sentence.end], sentence.start, sentence.end, sentence.end >= len(text.rstrip()) - NEAR_END)
