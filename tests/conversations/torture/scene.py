"""One conversation that many processes in a row bring to its end, each but the last one killed; and everything that has to be true of it."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

from agentnb.conversations.conversation import Conversation
from agentnb.conversations.stores import FolderStore, SqlStore, calls_of, events_of
from agentnb.conversations.turn import Turn
from agentnb.errors import ConversationError, EventRefused, StoreConflict
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.turn_log import TurnLog
from tests.conversations.torture.agent import DIGEST
from tests.conversations.torture.killing import NEVER, Death
from tests.conversations.torture.nursery import Nursery
from tests.conversations.torture.side_file import SideFile
from tests.conversations.torture.worker import CONVERSATION, Job

AT_ONCE = 2
"""How many tools the agent runs at once that change things: each of its two helpers one."""


class Truth(NamedTuple):
    """What a run comes to that nobody disturbed."""

    outputs: dict[str, Any]
    usage: dict[str, int]
    tree: str
    asked: Counter[str]
    """How often each request is made of the model."""
    ended: Counter[str]
    """How often each tool that changes things does so."""
    sites: frozenset[str]
    """Places of the calls."""
    writes: int
    """Writes to the store."""


class Scene:
    """One conversation in a place of its own."""

    def __init__(self, place: str, store: SqlStore | FolderStore, folder: Path, nursery: Nursery, truth: Truth | None = None) -> None:
        """Begin with an empty place; `store` reads it from here, and `truth` is what has to come out."""
        self.place, self.store, self.nursery = place, store, nursery
        self.side = SideFile(folder / "side.jsonl")
        self.path = str(folder / "side.jsonl")
        self.deaths = self.attempts = 0
        self._truth = truth

    def undisturbed(self) -> Truth:
        """Run to the end, and return what came of it."""
        writes = self.live()
        assert writes > 0
        kept, turn = self._kept(), self._turn()
        asked = Counter(note.name for note in self.side.notes() if note.what == "asked")
        sites = frozenset(str(record["site"]) for record in self._calls())
        self._check_events(turn)
        assert kept.ended is not None
        return Truth(kept.outputs, kept.usage, turn.tree(), asked, self._changes(), sites, writes)

    def live(self, death: Death = NEVER, **job: Any) -> int:
        """Let one process run, killed or not; nothing of what was recorded before is paid for or done again.

        Returns:
            The number of its writes, or minus the signal that killed it.
        """
        before, seen = self._log(), len(self.side.notes())
        self.attempts += 1
        job = {"later": 3600.0 * self.attempts} | job
        status = self.nursery.run(Job(self.place, self.path, death, **job))
        self.check_attempt(before, seen)
        self.deaths += status < 0
        return status

    def live_until(self, seconds: float, **job: Any) -> int:
        """Let one process run, and kill it after some seconds if it still does."""
        before, seen = self._log(), len(self.side.notes())
        self.attempts += 1
        pid = self.nursery.start(Job(self.place, self.path, later=3600.0 * self.attempts, **job))
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        status = self.nursery.wait(pid)
        self.check_attempt(before, seen)
        self.deaths += status < 0
        return status

    def check_attempt(self, before: ConversationLog, seen: int) -> None:
        """Hold what was done since against what was recorded before.

        Args:
            before: the records before.
            seen: the number of notes before.
        """
        since = self.side.notes()[seen:]
        needed = self._truth.asked if self._truth is not None else Counter(note.name for note in since if note.what == "asked")
        for turn in before.turns.values():
            results = {_name_of(record, turn) for record in turn.tools if record["state"] in ("done", "given")}
            assert not [note.name for note in since if note.what == "began" and note.name in results], "what has a recorded result ran again"
            replied = Counter(DIGEST.findall(str(record["response"]))[-1] for record in turn.replies)
            asked = Counter(note.name for note in since if note.what == "asked")
            assert not [name for name in asked if asked[name] + replied[name] > needed[name]], "a recorded reply was paid for again"
        assert [record["seq"] for record in self.store.read(CONVERSATION)] == list(range(1, self._log().position + 1))

    def check(self, *, slept: bool = False) -> None:
        """Hold the conversation, once it has ended, against an undisturbed one.

        Args:
            slept: whether a process slept while a person said what its tool would put out; it may not have begun that tool, and does not any more.
        """
        kept, turn, truth = self._kept(), self._turn(), self._truth
        assert truth is not None
        assert (turn.state, turn.error) == ("done", None)
        assert turn.outputs == truth.outputs
        assert turn.usage == truth.usage
        assert self._changes() - truth.ended == Counter(), "something was changed twice"
        assert slept or truth.ended - self._changes() == Counter(), "something was not changed"
        self._check_replies(kept, truth)
        self._check_tools(kept)
        if slept and "cannot be claimed" in self.nursery.said.read_text(encoding="utf-8"):
            return  # the one that slept had the events to itself: they are kept no further, and the turn goes on
        self._check_events(turn)
        assert turn.tree().splitlines() == truth.tree.splitlines()
        self._check_calls(turn, truth)
        self.store.close()  # a server has only so many connections

    def is_held(self) -> bool:
        """Tell whether a process was stopped while it had the conversation, or its events, to itself."""
        store: Any = type(self.store)(self.place, busy_timeout=0.1)
        try:
            for turn in self._log().turns:
                with contextlib.suppress(EventRefused):  # of an earlier writer, or malformed: looked at by whoever has the log to himself
                    store.events.append(turn, store.events.read(turn)[:1] or [{}])
            store.append(CONVERSATION, [{}], expect=10**9)
        except StoreConflict:
            return False
        except ConversationError:
            return True
        finally:
            store.close()
        raise AssertionError("nothing has so many records")

    def unfinished(self) -> int:
        """Return how many tools may have run."""
        turns = list(self._log().turns.values())
        return len(turns[0].unfinished()) if turns else 0

    def _check_replies(self, kept: TurnLog, truth: Truth) -> None:
        recorded = Counter(DIGEST.findall(str(record["response"]))[-1] for record in kept.replies)
        assert recorded == truth.asked, ("each reply is recorded once", recorded - truth.asked, truth.asked - recorded)
        asked = Counter(note.name for note in self.side.notes() if note.what == "asked")
        paid = sum(asked.values()) - sum(truth.asked.values())
        assert paid <= AT_ONCE * self.deaths, "only what was in flight when a process died is paid for again"

    def _check_tools(self, kept: TurnLog) -> None:
        reruns = Counter(str(record["name"]) for record in kept.tools if record["state"] == "rerun")
        began = Counter(note.name.split("(")[0] for note in self.side.notes() if note.what == "began" and not note.name.startswith("status"))
        for name, count in began.items():
            assert count <= 1 + reruns[name], f"{name} began again without a person's word"
        assert kept.unfinished() == []

    def _check_events(self, turn: Turn) -> None:
        events = self._events(turn)
        before: dict[str, int] | None = None
        for event in events:
            assert event["after"] == before, "each event names the one before it"
            before = {"writer": event["writer"], "seq": event["seq"]}
        starts = Counter((event["call"], event["writer"]) for event in events if event["kind"] == "started")
        ends = Counter(event["call"] for event in events if event["kind"] in ("done", "failed"))
        assert set(starts.values()) == {1}, "a writer tells a start once"
        assert ends == Counter({call for call, _ in starts}), "each call ends once"
        assert (events[-1]["call"], events[-1]["kind"]) == (turn.id, "done")

    def _check_calls(self, turn: Turn, truth: Truth) -> None:
        calls = self._calls()
        best = {record["id"]: max(each.get("writer", 1) for each in calls if each["id"] == record["id"]) for record in calls}
        last = [record for record in calls if record.get("writer", 1) == best[record["id"]]]
        assert Counter(record["id"] for record in last) == Counter(call.call for call in turn.calls()), (
            "each call of the tree is logged once by its last writer"
        )
        assert Counter(str(record["site"]) for record in last) == Counter(truth.sites)

    def _changes(self) -> Counter[str]:
        return Counter(note.name for note in self.side.notes() if note.what == "ended" and not note.name.startswith("status"))

    def _log(self) -> ConversationLog:
        return ConversationLog().read_all(self.store.read(CONVERSATION))

    def _kept(self) -> TurnLog:
        (turn,) = self._log().turns.values()
        return turn

    def _turn(self) -> Turn:
        return Conversation(None, CONVERSATION, store=self.store).turn(self._kept().id)

    def _events(self, turn: Turn) -> list[dict[str, Any]]:
        events = events_of(self.store)
        assert events is not None
        return events.read(turn.id)

    def _calls(self) -> list[dict[str, Any]]:
        calls = calls_of(self.store)
        assert calls is not None
        return calls.read()


def _name_of(record: dict[str, Any], turn: TurnLog) -> str:
    """Return the name under which the side file has a tool, by what the model wanted."""
    wanted = [
        part for reply in turn.replies if reply["site"] == record["site"] for part in reply["response"]["message"]["parts"] if part["type"] == "tool_call"
    ]
    given = wanted[record["invocation"] - 1]["input"]
    return f"{record['name']}({', '.join(given.values())})"
