"""The lines of one rollout -> turns, steps and calls of one agent.

What the model read and wrote stands in `response_item`s; `event_msg`s repeat it for the screen and tell what items do not: where turns begin and end,
tokens, exit codes, what was asked of a person. A record is a line.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, extra_of, object_of, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Micros, TurnRow
from agentnb.readers._times import read_time, read_utc_millis
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Piece, Said, joined
from agentnb.readers.formats.codex._calls import CallBook, Moment
from agentnb.readers.formats.codex._items import said_in_item, searched_in, spoken_in
from agentnb.readers.formats.codex._tokens import TokenCounter
from agentnb.readers.formats.codex._words import TwoStreams, Words

_STATES = {"interrupted": "interrupted"}
_FRAME = frozenset({"type", "turn_id"})


class Rollout:
    """Reads the records of one agent."""

    def __init__(self, thread: Thread, account: Account) -> None:
        """Read into a conversation's main thread, or into a sub-agent's."""
        self.thread = thread
        self.account = account
        self.stream = ItemStream(thread, account)
        self.calls = CallBook(self.stream, thread)
        self.turns: dict[str, TurnRow] = {}
        """Turns by the ids of Codex."""
        self.continues: TurnRow | None = None
        """The turn of another conversation that the first turn continues."""
        self.model: str | None = None
        self.search: tuple[Any, Moment] | None = None
        """A web search of which an event told, before its item comes."""
        self._words = TwoStreams()
        self._tokens = TokenCounter()
        self._counted: CallRow | None = None
        self._turn: TurnRow | None = None
        self._context: dict[str, Any] = {}
        self._limits: Any = None
        self._digests: set[bytes] = set()

    def move_to(self, account: Account) -> None:
        """Read on in another file of the same session."""
        self.account = self.calls.account = self.thread.account = account
        self.stream.move_to(account)

    def repeats(self, digest: bytes) -> bool:
        """Tell whether a record of the session was met before, in another file of it."""
        met = digest in self._digests
        self._digests.add(digest)
        return met

    def when(self, recorded: Any) -> Micros | None:
        """Read the time of a record."""
        if isinstance(recorded, str) and recorded.endswith("Z"):
            return read_utc_millis(recorded)
        time = read_time(recorded)
        self.thread.draft.row.time_zone_assumed |= time.zone_assumed
        return time.micros

    def item(self, payload: dict[str, Any], moment: Moment) -> None:
        """Read an item of the model's history."""
        self._follow_turn(payload, moment)
        if payload.get("type") == "web_search_call" and self.search is not None:
            (told, _), self.search = self.search, None
            payload = searched_in(payload, told)
            self.account.merge()
        for said in said_in_item(payload, moment.place):
            self.say(self._timed(said, moment))

    def say(self, said: Said) -> None:
        """Say what an item says, unless an event said it already."""
        spoken = spoken_in(said)
        if spoken is not None:
            if self._words.item_repeats(*spoken):
                self.account.merge(said.records)
                return
            held = self._words.take_held(*spoken)
            self.account.merge(sum(words.said.records for words in held))
            self.flush()
            if not held:
                self._words.met_item(*spoken)
            self.stream.say(said)
            return
        self.flush()
        if said.role == "tool":
            self.calls.answer(said)
        elif said.asked:
            self.calls.ask(said)
        else:
            self.stream.say(said)

    def hear(self, words: Words) -> None:
        """Take in words of an event: they repeat an item, or wait for it, or are said when none comes."""
        if self._words.event_repeats(words.kind, words.text):
            self.account.merge(words.said.records)
            return
        if words.kind == "user" and any(words.text.strip() == other.text.strip() for other in self._words.held if other.kind == "user"):
            self.account.merge(words.said.records)
            return
        if any(other.kind != words.kind for other in self._words.held):
            self.flush()
        self._words.held.append(words)

    def flush(self) -> None:
        """Say the words whose item did not come."""
        held, self._words.held = self._words.held, []
        for words in held:
            self._words.met_event(words)
            self.stream.say(words.said._replace(model=self.model if words.said.role == "assistant" else None))
        if self.search is not None:
            (told, moment), self.search = self.search, None
            self.tell_search(told, moment)

    def tell_search(self, told: dict[str, Any], moment: Moment) -> None:
        """Say a web search that only an event tells."""
        for said in said_in_item(searched_in({"type": "web_search_call", "status": "completed"}, told), moment.place):
            self.say(self._timed(said, moment))

    def start_turn(self, payload: dict[str, Any], moment: Moment) -> None:
        """Begin a turn."""
        if self.thread.agent_call is None:
            self._words.forget()
            turn_id = text_of(payload.get("turn_id"))
            begun = self.turns.get(turn_id) if turn_id is not None else None
            if begun is not None and begun is self.thread.turn:
                # A record before this one told the turn's id.
                self._turn = begun
                self.frame("task_started", payload, moment)
                return
            own_id = turn_id or str(len(self.thread.draft.turns) + 1)
            self._turn = self.stream.start_turn(own_id, at=moment.at, line=moment.place, parent=self.continues)
            self.continues = None
            if turn_id is not None:
                self.turns[turn_id] = self._turn
        self.frame("task_started", payload, moment)

    def end_turn(self, payload: dict[str, Any], moment: Moment, *, aborted: bool) -> None:
        """End a turn as the recording says."""
        self.flush()
        self._words.forget()
        turn = self.turns.get(text_of(payload.get("turn_id")) or "", self._turn)
        error = payload.get("error")
        if turn is not None and self.thread.agent_call is None:
            last = self.thread.last_step.get(turn.turn_id)
            failed = error is not None or (last is not None and last.failed)
            turn.state = _STATES.get(str(payload.get("reason")), "stopped") if aborted else "failed" if failed else "done"
        rest = payload if turn is None or payload.get("last_agent_message") != turn.answer else payload | {"last_agent_message": None}
        self.frame("turn_aborted" if aborted else "task_complete", rest, moment, turn)
        self._turn = None
        self.stream.end_turn()

    def context(self, payload: dict[str, Any], moment: Moment) -> None:
        """Read under which settings the model is called; of a later turn what changed."""
        self._follow_turn(payload, moment)
        self.model = text_of(payload.get("model")) or self.model
        changed = {name: value for name, value in payload.items() if name not in self._context or self._context[name] != value}
        self._context = payload
        self.frame("turn_context", changed, moment)

    def count(self, payload: dict[str, Any], moment: Moment) -> None:
        """Put a count of tokens on the model call before it."""
        info = payload.get("info")
        limits = {name: value for name, value in payload.items() if name not in ("type", "info") and value is not None and value != self._limits}
        self._limits = payload.get("rate_limits", self._limits)
        usage = self._tokens.read(info) if isinstance(info, dict) else None
        if usage is None and not isinstance(info, dict):
            # It comes while the model replies, and is no end of anything.
            self.frame("token_count", limits, moment._replace(at=None))
        elif usage is None:
            self.account.merge()
        elif not usage:
            self.note("token_count", payload, moment)
        else:
            self.use(usage, moment, limits)

    def use(self, usage: dict[str, int], moment: Moment, rest: dict[str, Any], *, records: int = 1) -> None:
        """Put usage on the model call before it; one of which nothing else was recorded is a step of its own."""
        self.flush()
        step = self.stream.step
        extra = as_extra(rest)
        if step is None or step is self._counted:
            self.stream.end_step()
            self.stream.say(Said("assistant", moment.place, at=moment.at, model=self.model, usage=dict(usage), extra=extra, records=records))
            self._counted = self.stream.step
            self.stream.end_step()
            return
        self.stream.end_step(usage=dict(usage))
        step.extra = joined(step.extra, extra)
        self._counted = step
        self.thread.pass_time(moment.at)
        self.account.keep(records)

    def fail(self, payload: dict[str, Any], moment: Moment, error: str | None) -> None:
        """Read that the model gave no reply."""
        self.flush()
        extra = extra_of(payload, ("type", "message"))
        self.stream.say(Said("assistant", moment.place, at=moment.at, model=self.model, error=error or "error", extra=extra))
        self.stream.end_step()

    def note(self, kind: str, payload: Any, moment: Moment, text: str | None = None) -> None:
        """Keep a record that is none of the conversation's words as a part of its own."""
        piece = Piece("other", text if text is not None else kind, extra=object_of(payload))
        self.stream.say(Said("system", moment.place, (piece,), at=moment.at, injected=True))

    def frame(self, name: str, payload: dict[str, Any], moment: Moment, turn: TurnRow | None = None) -> None:
        """Keep what a record says of the turn, or of the sub-agent, around the words."""
        rest = rest_of(payload, _FRAME)
        owner = self.thread.agent_call or turn or self.thread.turn
        if owner is None:
            self.note(name, payload, moment)
            return
        if rest:
            extra = joined(owner.extra, to_json({name: rest}))
            owner.extra = extra.decode() if isinstance(extra, bytes) else extra
        self.thread.pass_time(moment.at)
        self.account.keep()

    def finish(self) -> None:
        """Say what is still held; the turn that was not ended is left open."""
        self.flush()
        if self._turn is not None:
            self.thread.draft.ended = False
        self.calls.finish()
        self.stream.finish()

    def _timed(self, said: Said, moment: Moment) -> Said:
        return said._replace(at=moment.at, model=self.model) if said.role == "assistant" else said._replace(at=moment.at)

    def _follow_turn(self, payload: dict[str, Any], moment: Moment) -> None:
        """Begin a turn where only the turn's id at a record tells that it is another one."""
        passed = payload.get("internal_chat_message_metadata_passthrough")
        told = passed.get("turn_id") if isinstance(passed, dict) else payload.get("turn_id")
        if isinstance(told, str) and told and told not in self.turns and self._turn is None and self.thread.agent_call is None:
            self._words.forget()
            self._turn = self.turns[told] = self.stream.start_turn(told, at=moment.at, line=moment.place, parent=self.continues)
            self.continues = None


Handler = Callable[[Rollout, dict[str, Any], Moment], None]
"""Reads one kind of record."""
