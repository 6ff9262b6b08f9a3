"""What words does a language promise, excuse and leave open work with? A data file per language, compiled when it is first needed.

Tables of a file: `go_ahead` (core and filler words of a bare yes), `promise` (openers, words skipped after them, action words), `condition`, `left` (work
left to the user), `request` (asking the user for a yes or for facts), `open` (work not done), `skip` (words that make a sentence say nothing), `closed`
(open work that is said to be done), `fraction`. In each, `place` is anywhere, clause (where a subject stands), sentence or start; `after`, `not_after` and
`not_before` say what stands around.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

from agentnb.rules._phrases import END, SPACE, any_of, plain_words, surest_words, written

MOST_SKIPPED: Final = 6
"""Adverbs and pronouns that may stand between an opener and its action word."""
_TABLES: Final = ("promise", "condition", "left", "request", "open", "closed")


class Finder(NamedTuple):
    """A pattern, and the words of which a text must have one to match it: to look for these first takes a tenth of the time."""

    pattern: re.Pattern[str]
    words: frozenset[str] | None

    def found(self, text: str, words: frozenset[str]) -> bool:
        """Say whether a text with these words matches."""
        return (self.words is None or not self.words.isdisjoint(words)) and self.pattern.search(text) is not None


class Closed(NamedTuple):
    """How a sentence says that open work is done: three groups of words in this order, and what takes it back."""

    first: Finder
    then: Finder
    last: Finder
    negated: Finder

    def found(self, text: str, words: frozenset[str]) -> bool:
        """Say whether the sentence says so; each group is searched once, so that a long sentence costs no more than its length."""
        if not self.first.found(text, words):
            return False
        place = 0
        for group in (self.first, self.then):
            match = group.pattern.search(text, place)
            if match is None:
                return False
            place = match.end()
        last = self.last.pattern.search(text, place)
        return last is not None and not self.negated.pattern.search(text, place, last.start())


@dataclass(frozen=True)
class Language:
    """The words of one language, as its file has them."""

    code: str
    name: str
    words: Mapping[str, Any]

    @classmethod
    def from_toml(cls, text: str) -> Language:
        """Make a language from the text of its file.

        Args:
            text: TOML with the tables that `agentnb/rules/languages/english.toml` has; a table that is left out matches nothing.

        Raises:
            ValueError: it is not TOML, or has no code or name.
        """
        words = tomllib.loads(text)
        missing = [key for key in ("code", "name") if not isinstance(words.get(key), str)]
        if missing:
            raise ValueError(f"a language file says at its top {' and '.join(missing)}; english.toml shows all of it")
        return cls(words["code"], words["name"], words)

    def __hash__(self) -> int:
        """Languages of one code and file are one key of the cache of grammars."""
        return hash((self.code, self.name))

    def units(self, table: str, key: str) -> frozenset[str]:
        """Return a plain list of the file as a set."""
        found = self.words.get(table, {}) if table else self.words
        return frozenset(found.get(key, ()))

    def tables(self, name: str) -> Sequence[Mapping[str, Any]]:
        """Return the tables of one kind, with the lists that they name put in."""
        return [self._with_lists(table) for table in self.words.get(name, ())]

    def _with_lists(self, table: Mapping[str, Any]) -> Mapping[str, Any]:
        named = self.words.get("words", {})

        def listed(value: Any) -> Any:
            if isinstance(value, str):
                return named.get(value, value)
            return [word for entry in value for word in named.get(entry, [entry])] if isinstance(value, list) else value

        return {key: value if key == "place" else listed(value) for key, value in table.items()}


class Grammar:
    """The words of several languages as patterns: what the predicates search with."""

    def __init__(self, languages: Sequence[Language]) -> None:
        self.core = frozenset[str]().union(*(language.units("go_ahead", "core") for language in languages))
        self.filler = frozenset[str]().union(*(language.units("go_ahead", "filler") for language in languages))
        self.acknowledging = frozenset[str]().union(*(language.units("go_ahead", "acknowledging") for language in languages))
        self.reading = _whole(word for language in languages for word in language.units("request_kind", "reading"))
        self.changing = _whole(word for language in languages for word in language.units("request_kind", "changing"))
        self.waiving = _whole(word for language in languages for word in language.units("request_kind", "waiving"))
        self.common = frozenset[str]().union(*(language.units("", "common") for language in languages))
        tables = {name: [table for language in languages for table in language.tables(name)] for name in _TABLES}
        self.promise = _finders(tables["promise"])
        self.condition = _finders(tables["condition"])
        self.left = _finders([table for table in tables["left"] if not table.get("open_work_only")])
        self.left_open = _finders([table for table in tables["left"] if table.get("open_work_only")])
        self.request = _finders(tables["request"])
        self.open = _finders(tables["open"])
        self.idle = tuple(_whole(word for language in languages for word in language.units("skip", key)) for key in ("empty", "optional"))
        self.closed = tuple(Closed(*(_whole(table.get(key, ())) for key in ("first", "then", "last", "not"))) for table in tables["closed"])
        self.done = _whole(word for language in languages for word in language.units("fraction", "done"))
        self.thinking = frozenset[str]().union(*(language.units("words", "thinking") for language in languages))
        self.promising = _together(self.promise)
        self.listing = _together((*self.promise, *self.open, self.done))
        between = "|".join(written(word) for language in languages for word in sorted(language.units("fraction", "between")))
        self.fraction = re.compile(rf"(?<![\w/.,])(\d{{1,9}})(?: ?/ ?| (?:{between or '(?!)'}))(\d{{1,9}})(?![\w/]|[.,]\d)")


@cache
def shipped_languages() -> tuple[Language, ...]:
    """Return the languages that come along: every `.toml` file beside this module, by name."""
    folder = files("agentnb.rules") / "languages"
    texts = sorted((entry.name, entry.read_text("utf-8")) for entry in folder.iterdir() if entry.name.endswith(".toml"))
    return tuple(Language.from_toml(text) for _, text in texts)


def grammar_of(languages: Sequence[Language] | None) -> Grammar:
    """Return the patterns of some languages; of those that come along when none are named."""
    return _grammar(shipped_languages() if languages is None else tuple(languages))


@cache
def _grammar(languages: tuple[Language, ...]) -> Grammar:
    return Grammar(languages)


def _whole(phrases: Iterable[str]) -> Finder:
    listed = tuple(phrases)
    return Finder(re.compile(rf"(?<!\w){any_of(listed)}{END}" if listed else "(?!)"), surest_words(listed))


def _together(finders: Iterable[Finder]) -> frozenset[str] | None:
    """Return words of which every text has one that matches any of these; None when one of them can match without."""
    words = [finder.words for finder in finders]
    return None if None in words else frozenset[str]().union(*(found for found in words if found is not None))


def _finders(tables: Sequence[Mapping[str, Any]]) -> tuple[Finder, ...]:
    return tuple(Finder(re.compile(_pattern(table)), surest_words(table.get("openers") or table["words"])) for table in tables)


def _pattern(table: Mapping[str, Any]) -> str:
    words = any_of(table.get("openers") or table["words"])
    place, after = table.get("place", "anywhere"), table.get("after", ())
    if place == "anywhere":
        before = "".join(rf"(?<!\b{plain_words(word)} )" for word in table.get("not_after", ()))
        start = rf"(?<!\w)(?={words}){before}" if before else r"(?<!\w)"
    elif place == "clause":
        start = rf"(?:^|[,;:(\[] ?|(?<!\w){any_of(after)} )"
    else:
        start = rf"^(?:{any_of(after)}[,.!:]* )*" if after else "^"
    ending = any_of(table["not_before"]) if "not_before" in table else None
    return f"{start}{_before_words(table, ending)}{words}{_rest(table)}" + (f"(?!{SPACE}{ending}{END})" if ending else "")


def _before_words(table: Mapping[str, Any], ending: str | None) -> str:
    """A table with `then` looks at what follows its words before it takes any of it."""
    return f"(?!{any_of(table['words'])}{SPACE}{ending}{END})" if ending and "then" in table else ""


def _rest(table: Mapping[str, Any]) -> str:
    if table.get("colon"):
        return " ?:"
    if "then" in table:
        return f"{SPACE}{any_of(table['then'])}{END}"
    if "actions" not in table:
        return END
    skipped = f"(?:{any_of(table['skipped'])}{SPACE}){{0,{MOST_SKIPPED}}}" if "skipped" in table else ""
    excluded = f"(?!{any_of(table['except'])}{END})" if "except" in table else ""
    prefixes = f"{any_of(table['prefixes'])}?" if "prefixes" in table else ""
    return f"{SPACE}{skipped}{excluded}{prefixes}{any_of(table['actions'])}{END}"
