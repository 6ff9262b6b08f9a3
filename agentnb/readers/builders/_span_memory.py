"""What an agent's model calls repeat: the history that each hears, told apart from what is new to it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from typing import NamedTuple

from agentnb.readers._json import to_json
from agentnb.readers.builders._prints import print_of
from agentnb.readers.builders.message_list import Said, joined


class News(NamedTuple):
    """What of the messages that a model heard was not said before."""

    context: list[Said]
    """What stands before something that was said before: a summary, or other words that took the place of history."""
    new: list[Said]


class Memory:
    """The messages of one thread, by their prints."""

    def __init__(self) -> None:
        """Start with nothing said."""
        self._prints: list[str] = []
        self._counts: Counter[str] = Counter()
        self._system: set[str] = set()

    def keep(self, messages: Iterable[Said]) -> None:
        """Remember messages that were said."""
        for said in messages:
            mark = print_of(said)
            if said.role == "system":
                self._system.add(mark)
            else:
                self._prints.append(mark)
                self._counts[mark] += 1

    def knows(self, said: Said) -> bool:
        """Tell whether a message was said before."""
        return self._counts[print_of(said)] > 0

    @property
    def last_two(self) -> tuple[str | None, str | None]:
        """Prints of the last message but one, and of the last."""
        return (self._prints[-2] if len(self._prints) > 1 else None, self._prints[-1] if self._prints else None)

    def correct(self, said: Said) -> None:
        """Remember the last message as it is repeated rather than as it was first told."""
        old, new = self._prints[-1], print_of(said)
        self._prints[-1] = new
        self._counts[old] -= 1
        self._counts[new] += 1

    def news_in(self, heard: Iterable[Said]) -> News:
        """Tell what is new of what a model heard: what follows all or the end of what was said; else what is heard more often than it was said."""
        messages = list(heard)
        marks = [print_of(said) for said in messages]
        systems = [said for said, mark in zip(messages, marks, strict=True) if said.role == "system" and mark not in self._system]
        others = [(said, mark) for said, mark in zip(messages, marks, strict=True) if said.role != "system"]
        repeated = self._overlap([mark for _, mark in others])
        if repeated is not None:
            return News([], systems + [said for said, _ in others[repeated:]])
        left = +self._counts
        news: list[Said | None] = []
        for said, mark in others:
            left[mark] -= 1
            news.append(said if left[mark] < 0 else None)
        last = max((place for place, said in enumerate(news) if said is None), default=-1)
        context = [said for said in news[: last + 1] if said is not None]
        return News(context, systems + [said for said in news[last + 1 :] if said is not None])

    def _overlap(self, marks: list[str]) -> int | None:
        """Return how many messages repeat what was said, all of it or the most of its end; None when it is neither."""
        own = self._prints
        if marks[: len(own)] == own:
            return len(own)
        if not marks:
            return 0
        starts = [place for place, mark in enumerate(own) if mark == marks[0] and len(own) - place <= len(marks)]
        return next((len(own) - start for start in starts if own[start:] == marks[: len(own) - start]), None)


def merged_replies(messages: Iterable[Said], knows: Callable[[Said], bool] = lambda said: False) -> list[Said]:
    """Put words and calls of the assistant that follow one another into one message: a reply is one, or several items, as each format likes.

    Args:
        messages: the messages.
        knows: tells of a message whether it was said before as it stands, and is then left alone.
    """
    merged: list[Said] = []
    for said in messages:
        before = merged[-1] if merged else None
        if before is None or before.role != "assistant" or said.role != "assistant" or said.injected or before.injected or knows(before):
            merged.append(said)
            continue
        merged[-1] = before._replace(
            pieces=before.pieces + said.pieces,
            asked=before.asked + said.asked,
            extra=_joined_text(before.extra, said.extra),
            error=before.error or said.error,
            usage={**before.usage, **said.usage},
            finish_reason=said.finish_reason or before.finish_reason,
        )
    return merged


def with_calls_kept(said: Said) -> Said:
    """Make a message part of the context: it starts no turn and no model call, and what it asked for stands with what was not read."""
    if not said.asked:
        return said._replace(injected=True)
    calls = [{"id": call.tool_call_id, "name": call.name, "arguments": call.input} for call in said.asked]
    return said._replace(injected=True, asked=(), extra=_joined_text(said.extra, to_json({"tool_calls": calls})))


def _joined_text(first: str | None, second: str | None) -> str | None:
    both = joined(first, second)
    return both.decode() if isinstance(both, bytes) else both
