"""The ticks of a voice simulation of tau2 -> utterances: both sides may speak at once, and what one says without a pause is one message."""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, dict_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import Micros
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.dialects.chat import usage_in
from agentnb.readers.formats.tau2._messages import said_asked, said_result

_SIDES = (("agent", "assistant"), ("user", "user"))
_READ = frozenset({"role", "content", "contains_speech", "turn_taking_action", "usage", "cost", "timestamp", "tool_calls"})
_READ_TICK = frozenset({"tick_id", "timestamp", "agent_chunk", "user_chunk", *(f"{side}_tool_{what}" for side, _ in _SIDES for what in ("calls", "results"))})


class _Utterance:
    """What one side says without a pause."""

    def __init__(self, side: str, role: str, place: int, at: Micros | None, *, zone_assumed: bool) -> None:
        self.side, self.role, self.place = side, role, place
        self.started = self.ended = at
        self.zone_assumed = zone_assumed
        self.texts: list[str] = []
        self.usages: list[Any] = []
        self.costs: list[float] = []
        self.ticks = 0
        self.seen: dict[str, list[Any]] = {}

    def add(self, chunk: dict[str, Any], at: Micros | None) -> None:
        """Add what was said in a tick."""
        self.ticks += 1
        self.ended = at or self.ended
        if isinstance(chunk.get("content"), str):
            self.texts.append(chunk["content"])
        if isinstance(chunk.get("usage"), dict):
            self.usages.append(chunk["usage"])
        if (cost := amount_in(chunk.get("cost"))) is not None:
            self.costs.append(cost)
        for name, value in chunk.items():
            known = self.seen.setdefault(name, []) if name not in _READ and value not in (None, [], {}) else None
            if known is not None and value not in known:
                known.append(value)

    def said(self) -> Said:
        """Say it as one message."""
        text = "".join(self.texts)
        extra: dict[str, Any] = {"ticks": self.ticks} | self.seen
        piece = Piece("text", text) if text else Piece("other", "speech")
        usage: dict[str, Any] = {}
        if self.role == "assistant":
            for each in map(usage_in, self.usages):
                usage = {name: usage.get(name, 0) + value for name, value in each.items()}
            usage |= {"cost": sum(self.costs)} if self.costs else {}
        elif self.usages or self.costs:
            extra |= {"usage": self.usages, "cost": sum(self.costs)}
        at = self.ended if self.role == "assistant" else self.started
        return Said(
            self.role,
            self.place,
            (piece,),
            at=at,
            started=self.started,
            zone_assumed=self.zone_assumed,
            usage=usage,
            extra=to_json(extra),
            records=0,
        )


def read_ticks(ticks: list[Any], draft: ConversationDraft, account: Account) -> None:
    """Read the ticks of a simulation into a conversation; a record is a tick, and one in which nothing is said or done is skipped."""
    _Reading(draft, account).read(ticks)


class _Reading:
    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        self.draft = draft
        self.account = account
        self.reader = MessageList(draft.main, account)
        self.open: dict[str, _Utterance] = {}
        self.done: list[_Utterance] = []
        self.sounds: list[dict[str, Any]] = []

    def read(self, ticks: list[Any]) -> None:
        for place, tick in enumerate(ticks, 1):
            if not isinstance(tick, dict):
                self.account.leave_out("no_tick", "It stands among the ticks and is none; it was left out.", line=place, excerpt=tick)
                continue
            self._read_tick(tick, place)
        self._flush()
        if self.sounds:
            self.draft.extra["ticks"] = self.sounds
        self.reader.finish()

    def _read_tick(self, tick: dict[str, Any], place: int) -> None:
        time = read_time(tick.get("timestamp"))
        told = False
        for side, role in _SIDES:
            chunk = dict_of(tick.get(f"{side}_chunk"))
            if chunk.get("contains_speech") is True or (chunk.get("contains_speech") is None and chunk.get("content")):
                told = True
                if side not in self.open:
                    self.open[side] = _Utterance(side, role, place, time.micros, zone_assumed=time.zone_assumed)
                    self.done.append(self.open[side])
                self.open[side].add(chunk, time.micros)
            else:
                self.open.pop(side, None)
                told |= self._note_sound(side, chunk, tick)
        told |= self._read_tools(tick, place, time.micros)
        self.account.keep() if told else self.account.skip("silent_tick")

    def _note_sound(self, side: str, chunk: dict[str, Any], tick: dict[str, Any]) -> bool:
        """Keep what was heard of a side that did not speak: noise in the background, a word to somebody else."""
        heard = {name: value for name, value in chunk.items() if name not in _READ and value not in (None, [], {})}
        heard |= {name: value for name, value in tick.items() if name not in _READ_TICK and value not in (None, [], {})} if side == "agent" else {}
        if heard:
            self.sounds.append({"tick_id": tick.get("tick_id"), "side": side, **heard})
        return bool(heard)

    def _read_tools(self, tick: dict[str, Any], place: int, at: Micros | None) -> bool:
        found = False
        for side, role in _SIDES:
            calls, results = (tick.get(f"{side}_tool_{what}") for what in ("calls", "results"))
            listed = list(calls) if isinstance(calls, list) else []
            answers = [item for item in results if isinstance(item, dict)] if isinstance(results, list) else []
            if not listed and not answers:
                continue
            found = True
            self._flush()
            self._say_tools(role, listed, answers, place, at)
        return found

    def _say_tools(self, role: str, calls: list[Any], answers: list[dict[str, Any]], place: int, at: Micros | None) -> None:
        said = [said_result(item, place)._replace(at=at, started=at, records=0) for item in answers]
        if role == "assistant":
            asked = tuple(said_asked(call, by_person=False) for call in calls)
            self.reader.read([Said("assistant", place, (), asked, at=at, started=at, records=0)] if asked else [])
            self.reader.read(said)
            return
        for call in calls:
            asked_by_person = said_asked(call, by_person=True)
            result = next((item for item in said if item.result_of == asked_by_person.tool_call_id), None)
            said = [item for item in said if item is not result]
            self.reader.run(asked_by_person, result or Said("tool", place, at=at, started=at, records=0))
        self.reader.read(said)

    def _flush(self) -> None:
        """Say what was begun so far, in the order in which it was begun."""
        done, self.done, self.open = self.done, [], {}
        self.reader.read(utterance.said() for utterance in done)
