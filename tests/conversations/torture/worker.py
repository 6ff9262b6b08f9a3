"""What a process does that runs the agent: sends the turn, answers what it asks, resumes it where an earlier process left it, until it has ended."""

from __future__ import annotations

import importlib
import time
from typing import NamedTuple

from sqlalchemy.dialects import postgresql, sqlite

from agentnb.conversations.runs import Run
from agentnb.conversations.stores import open_store
from agentnb.conversations.turn import Turn
from agentnb.errors import ConversationError
from agentnb.streams.turn_log import UnfinishedTool
from tests.conversations.torture import agent
from tests.conversations.torture.killing import NEVER, Death, KillingStore, Reaper
from tests.conversations.torture.side_file import SideFile

CONVERSATION, REQUEST, MESSAGE = "torture", "once", "Where is order 7?"


class Job(NamedTuple):
    """What one process is told."""

    store: str
    """Where the conversation is kept."""
    side: str
    """Path of the side file."""
    death: Death = NEVER
    later: float = 0.0
    """Seconds that its clock is ahead: enough of them, and the leases of the processes before it have run out."""
    lease: float = 30.0
    pace: float = 0.0
    patient: bool = False
    """Whether the person knows that a tool which began and has not ended will end yet, since its process only sleeps."""


def warm_up() -> None:
    """Do beforehand what each process would do for itself: import, and make schemas. No thread is started."""
    for program in (agent.desk, agent.inquiry, agent.refunds, agent.gist, agent.topic_of):
        program.described()
        for field in program.interface.fields:
            field.validate("")
    importlib.import_module("agentnb.conversations.stores.sql")
    for dialect in (sqlite.dialect, postgresql.dialect):
        dialect()


def work(job: Job) -> int:
    """Bring the turn to its end; returns how many writes that took."""
    later = round(job.later * 1e6)
    Run.now = staticmethod(lambda: time.time_ns() // 1000 + later)  # type: ignore[method-assign]
    reaper, side = Reaper(job.death), SideFile.at(job.side)
    agent.begin(side, job.pace)
    chat = agent.desk.conversation(
        CONVERSATION, store=KillingStore(open_store(job.store), reaper), lease_seconds=job.lease, approve=list(agent.ASKED), model=agent.Clerk()
    )
    turn = chat.send(MESSAGE, request_id=REQUEST)
    while turn.state not in ("done", "failed", "stopped", "abandoned"):
        turn = turn.wait(30)
        try:
            _do_what_it_needs(turn, side, is_patient=job.patient)
        except ConversationError as error:
            if error.code != "turn-state":
                raise
        turn = turn.refresh()
    return reaper.writes


def _do_what_it_needs(turn: Turn, side: SideFile, *, is_patient: bool) -> None:
    """Be the person: answer, look at what became of a tool that may have run, go on."""
    for asked in turn.waiting:
        name = f"{asked['name']}({asked['input']['order']})"
        if name == agent.DENIED:
            turn.deny(asked, reason="never 9", by="ana")
        else:
            turn.approve(asked, by="ana")
    if turn.state == "interrupted" or (turn.state == "waiting" and not turn.waiting):
        results = {(tool.site, tool.invocation): output for tool in turn.unfinished if (output := _became_of(tool, side, is_patient=is_patient)) is not None}
        turn.resume(results, rerun=[(tool.site, tool.invocation) for tool in turn.unfinished])


def _became_of(tool: UnfinishedTool, side: SideFile, *, is_patient: bool) -> str | None:
    """Look whether a tool did its work, as a person would: by what it left in the world."""
    (given,) = tool.input.values()
    ended = (note.output for note in side.notes() if note.what == "ended" and note.name == f"{tool.name}({given})")
    return next(ended, agent.OUTPUTS[str(tool.name)].format(given) if is_patient else None)
