"""Items that follow one another -> turns, steps and calls: what the Responses API, Codex and tools like them record.

A reply is several items there (reasoning, a message, tool calls), and none says where a model call begins. Items of the model that follow one another
are one step, until a result or a person's words come, or the recording says that the step is over.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._rows import CallRow, Micros, TurnRow
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.message_list import Asked, MessageList, Said


class ItemStream:
    """Reads items into a thread."""

    def __init__(self, thread: Thread, account: Account) -> None:
        """Read into a conversation's main thread, where people's words start turns, or into a sub-agent's."""
        self._messages = MessageList(thread, account)
        self._open = False

    @property
    def step(self) -> CallRow | None:
        """The latest model call."""
        return self._messages.step

    def move_to(self, account: Account) -> None:
        """Read on in another file of the same conversation."""
        self._messages.account = account

    def say(self, said: Said) -> None:
        """Read an item; one of the model belongs to the step that is open, and any but a result that says so itself ends the step."""
        replies = said.role == "assistant" and not said.injected
        if replies and self._open:
            said = said._replace(same_step=True)
        if replies or not (said.same_step or said.injected):
            self._open = replies
        self._messages.read([said])

    def add(self, said: Said) -> None:
        """Read what happened meanwhile: it neither ends the step that is open nor begins one."""
        self._messages.read([said])

    def run(self, asked: Asked, result: Said) -> CallRow:
        """Read a command that a person ran without the model; see `MessageList.run`."""
        return self._messages.run(asked, result)

    def start_turn(self, own_id: str, *, at: Micros | None, line: int | None, parent: TurnRow | None = None) -> TurnRow:
        """Start a turn where the recording says that one begins; see `MessageList.start_turn`."""
        self._open = False
        self._messages.turns_told = True
        return self._messages.start_turn(own_id, at=at, line=line, parent=parent)

    def end_turn(self) -> None:
        """End a turn where the recording says so; see `MessageList.end_turn`."""
        self._open = False
        self._messages.end_turn()

    def end_step(self, *, usage: dict[str, Any] | None = None, finish_reason: str | None = None, model: str | None = None, at: Micros | None = None) -> None:
        """End the step that is open; what the recording says of it only now is put on the latest one.

        Args:
            usage: columns of the model call to set.
            finish_reason: why the model stopped.
            model: its name.
            at: when it ended.
        """
        self._open = False
        step = self.step
        if step is None:
            return
        for column, value in (usage or {}).items():
            setattr(step, column, value)
        step.finish_reason = finish_reason or step.finish_reason
        step.name = step.name or model or ""
        step.ended_at = at or step.ended_at

    def finish(self) -> None:
        """Keep system messages that nothing follows."""
        self._messages.finish()
