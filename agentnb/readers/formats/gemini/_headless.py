"""Events that Gemini CLI prints when it runs without a screen: the words in pieces, tool calls and their results, and at the end what it took.

A record is an event; pieces of one reply are merged. Usage is told once for the run: it stands with the last model call of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._fields import counts_in, extra_of, read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_objects
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Asked, Piece, Said

_READ_CALL = frozenset({"type", "timestamp", "tool_name", "tool_id", "parameters"})
_READ_RESULT = frozenset({"type", "timestamp", "tool_id", "status", "output", "error"})
_USAGE = {"input_tokens": "input_tokens", "output_tokens": "output_tokens", "cached": "cached_tokens"}


def is_run(sample: Sample) -> bool:
    """Tell whether a file holds such events."""
    return sample.shape == "lines" and any(map(_is_own, sample.values))


def run_keys(sample: Sample) -> set[str]:
    """Return the id of the session."""
    return {_session_of(sample)}


def read_runs(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read files of such events, each a conversation."""
    apart = Apart(rows, format)
    for file in files:
        draft = apart.start(_session_of(file.sample), file.account)
        draft.row.agent_name = "gemini-cli"
        run = _Run(draft, file)
        for place, event in read_objects(file, on_bytes):
            run.read(event, place)
        run.finish()


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") == "init":
        return isinstance(value.get("session_id"), str) and "timestamp" in value
    return (value.get("type") == "tool_use" and isinstance(value.get("tool_id"), str)) or (
        value.get("type") == "message" and value.get("delta") is True and isinstance(value.get("content"), str)
    )


def _session_of(sample: Sample) -> str:
    """Return the id that the events name, else one from how they begin."""
    named = (value.get("session_id") for value in sample.values if isinstance(value, dict))
    digest = digest_of(["gemini", sample.values[:2]])
    return next((name for name in named if isinstance(name, str) and name), f"gemini-{digest}")


class _Run:
    def __init__(self, draft: ConversationDraft, file: OpenFile) -> None:
        self.draft = draft
        self.account = file.account
        self.stream = ItemStream(draft.main, file.account)
        self.model: str | None = None
        self.words: list[str] = []
        self.first: Said | None = None

    def read(self, event: dict[str, Any], place: int) -> None:
        """Read one event."""
        kind, time = event.get("type"), read_time(event.get("timestamp"))
        base = Said("assistant", place, at=time.micros, zone_assumed=time.zone_assumed, model=self.model)
        if kind == "message" and event.get("role") == "assistant" and isinstance(event.get("content"), str):
            self._take_words(event["content"], base)
            return
        self._say_words()
        if kind == "init":
            self.model = text_of(event.get("model"))
            self.draft.extra |= rest_of(event, ("type", "timestamp", "session_id", "model"))
            self.draft.main.pass_time(base.at)
            self.account.keep()
        elif kind == "message":
            role = "user" if event.get("role") == "user" else "system"
            rest = extra_of(event, ("type", "timestamp", "role", "content"))
            self.stream.say(base._replace(role=role, pieces=(Piece("text", text_of(event.get("content"))),), extra=rest))
        elif kind == "tool_use":
            arguments = read_arguments(event.get("parameters"))
            call_id, name = text_of(event.get("tool_id")) or None, text_of(event.get("tool_name")) or ""
            self.stream.say(base._replace(asked=(Asked(call_id, name, arguments.text, extra_of(event, _READ_CALL), arguments.oddities),)))
        elif kind == "tool_result":
            self.stream.say(_result(event, base))
        elif kind == "result":
            self._end(event, base)
        else:
            piece = Piece("other", text_of(event.get("message")) or text_of(kind), extra=to_json(event))
            self.stream.add(base._replace(role="system", pieces=(piece,), injected=True))

    def finish(self) -> None:
        """Say what is left, and finish the conversation."""
        self._say_words()
        self.stream.finish()
        self.draft.finish()

    def _take_words(self, words: str, base: Said) -> None:
        if self.first is not None:
            self.account.merge()
        self.first = self.first or base
        self.words.append(words)
        self.first = self.first._replace(at=base.at or self.first.at)

    def _say_words(self) -> None:
        if self.first is not None:
            self.stream.say(self.first._replace(pieces=(Piece("text", "".join(self.words)),)))
        self.first, self.words = None, []

    def _end(self, event: dict[str, Any], base: Said) -> None:
        """Read how the run ended, and what all of it took."""
        error = event.get("error")
        self.stream.end_step(usage=counts_in(event.get("stats"), _USAGE))
        piece = Piece("other", "result", extra=to_json(event))
        self.stream.add(base._replace(role="system", pieces=(piece,), injected=True))
        turn = self.draft.main.turn
        if turn is not None and (error is not None or event.get("status") == "error"):
            turn.state = "failed"
        self.draft.ended = True


def _result(event: dict[str, Any], base: Said) -> Said:
    error, output = event.get("error"), text_of(event.get("output"))
    words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
    failed = True if event.get("status") == "error" else False if event.get("status") == "success" else None
    text = output if output is not None else words
    pieces = (Piece("text", text),) if text is not None else ()
    told = (words or first_line(text or "") or None) if failed else None
    call_id = text_of(event.get("tool_id")) or None
    return base._replace(role="tool", pieces=pieces, result_of=call_id, failed=failed, error=told, extra=extra_of(event, _READ_RESULT), model=None)
