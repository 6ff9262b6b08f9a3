"""One agent's exchange with its model, while it is being read: messages, steps, and the pairing of tool calls with their results.

A conversation has a thread of its own, and one for each sub-agent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agentnb.readers._account import Account
from agentnb.readers._rows import CallRow, Micros, PartRow, Text, TurnRow

if TYPE_CHECKING:
    from agentnb.readers.builders._draft import ConversationDraft

_NUL = "\0"
_NUL_IN_JSON = "\\u0000"


class Link:
    """Which call started a thread, and the thread that call is in."""

    __slots__ = ("call", "thread")

    def __init__(self, call: CallRow, thread: Thread) -> None:
        """Hold both."""
        self.call = call
        self.thread = thread


class Thread:
    """One agent's exchange with its model."""

    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        """Start an empty thread of a conversation, read from the file of the account."""
        self.draft = draft
        self.conversation_id = draft.row.conversation_id
        self.account = account
        self.calls: list[CallRow] = []
        self.parts: list[PartRow] = []
        self.agent_call: CallRow | None = None
        self.agent_call_id = ""
        self.turn: TurnRow | None = None
        self.parent: Link | None = None
        self.message_index = -1
        self.last_step: dict[str, CallRow] = {}
        self.asking: set[str] = set()
        self.clock: Micros | None = None
        self._part_index = 0
        self._open: dict[str, list[CallRow]] = {}
        self._unanswered: dict[str, CallRow] = {}
        self._answer_step = ""

    def join(self, draft: ConversationDraft) -> None:
        """Move a sub-agent's thread to the conversation of the call that started it."""
        if draft is self.draft:
            return
        self.draft.threads.remove(self)
        draft.threads.append(self)
        self.draft, self.conversation_id = draft, draft.row.conversation_id
        for call in self.calls:
            call.conversation_id = self.conversation_id
        for part in self.parts:
            part.conversation_id = self.conversation_id

    def place(self) -> tuple[int, Micros, str]:
        """Return what sorts threads by the call that started them, then by when they began."""
        starter = self.parent.call if self.parent else self.agent_call
        began = self.agent_call.started_at if self.agent_call is not None else None
        return (starter.source_line or 0, began or 0, self.agent_call_id) if starter is not None else (0, 0, "")

    def move_to(self, turn: TurnRow) -> None:
        """Let what follows belong to a turn; only in the main thread."""
        self.turn = turn
        self.agent_call_id = turn.turn_id

    def new_message(self) -> None:
        """Let the parts that follow belong to the next message."""
        self.message_index += 1
        self._part_index = 0

    def say(
        self, role: str, type: str, text: str | None, at: Micros | None, line: int | None, *, step: CallRow | None = None, injected: bool = False
    ) -> PartRow:
        """Add a part to the current message; fields that few parts have are set on what is returned."""
        turn = self.turn
        part = PartRow(
            self.conversation_id,
            turn.turn_id if turn is not None else "",
            self.message_index,
            self._part_index,
            role,
            type,
            self.agent_call_id,
            self.account.row.source_id,
            line,
            text,
            step.call_id if step is not None else None,
            None,
            injected,
            None,
            at,
        )
        self._part_index += 1
        self.parts.append(part)
        if text is not None and _NUL in text:
            self._note_nul(text, line)
        if step is not None and type == "text" and text and turn is not None and self.agent_call is None:
            turn.answer = f"{turn.answer}\n\n{text}" if self._answer_step == step.call_id and turn.answer else text
            self._answer_step = step.call_id
        return part

    def pass_time(self, at: Micros | None) -> None:
        """Let the turn, or the sub-agent's call, last until a moment at least; a record that comes late takes nothing back."""
        if at is None:
            return
        row = self.draft.row
        if row.ended_at is None or at > row.ended_at:
            row.ended_at = at
        if row.started_at is None or at < row.started_at:
            row.started_at = at
        if self.clock is not None and at < self.clock:
            return
        self.clock = at
        owner = self.agent_call if self.agent_call is not None else self.turn
        if owner is not None and (owner.ended_at is None or at > owner.ended_at):
            owner.ended_at = at
            if owner.started_at is None:
                owner.started_at = at

    def step(self, wanted_id: str, model: str, *, started: Micros | None, at: Micros | None, line: int | None) -> CallRow:
        """Add a model call."""
        turn_id = self.turn.turn_id if self.turn else ""
        call_id = self.draft.unique(wanted_id)
        row = self.draft.row
        step = CallRow(call_id, self.conversation_id, turn_id, self.agent_call_id, -1, "model", model, self.account.row.source_id, line)
        step.state = "done"
        step.started_at = started if started is None or at is None or started <= at else at
        step.ended_at = at
        self.calls.append(step)
        self.last_step[turn_id] = step
        if row.model is None and model and model[0] != "<" and self.agent_call is None:
            row.model = model
        return step

    def ask(
        self,
        wanted_id: str,
        tool_call_id: str | None,
        name: str,
        input: Text,
        *,
        step: CallRow | None,
        at: Micros | None,
        line: int | None,
        caller: CallRow | None = None,
    ) -> CallRow:
        """Add a tool call; it is unanswered until `answer` finds it. A caller is the tool call whose program made it."""
        turn_id = self.turn.turn_id if self.turn else ""
        call_id = self.draft.unique(wanted_id)
        parent = caller.call_id if caller is not None else self.agent_call_id
        call = CallRow(call_id, self.conversation_id, turn_id, parent, -1, "tool", name, self.account.row.source_id, line)
        call.input, call.tool_call_id, call.started_at = input, tool_call_id, at
        if step is not None:
            call.step_id = step.call_id
            self.asking.add(step.call_id)
        self.calls.append(call)
        self._unanswered[call_id] = call
        if input is not None and (_NUL_IN_JSON in input if isinstance(input, str) else _NUL_IN_JSON.encode() in input):
            self._note_nul(input, line)
        if tool_call_id:
            self._open.setdefault(tool_call_id, []).append(call)
        self.say("assistant", "tool_call", None, at, line, step=step).call_id = call_id
        return call

    def answer(self, tool_call_id: str | None, output: str | None, *, at: Micros | None, line: int | None, name: str | None = None) -> CallRow | None:
        """Give a result to the nearest preceding unanswered call with its id, or without an id to the next one in order.

        Args:
            tool_call_id: id that the result names.
            output: the result as the agent was shown it.
            at: when it came.
            line: its place.
            name: the tool's name; a result whose id no call has then belongs to the next call of this tool that has no id.

        Returns:
            The call, which now holds the output; None when there is none, and the result stands in a part of its own with a diagnostic.
        """
        call = self._take(tool_call_id, name)
        part = self.say("tool", "tool_result", output if call is None else None, at, line)
        if call is None:
            what = f"A result for the tool call {tool_call_id!r}" if tool_call_id else "A result without an id"
            message = f"{what} has no unanswered call before it; its text is kept in a part of its own."
            self.account.diagnose("orphan_result", message, line=line, conversation_id=self.draft.row.conversation_id, excerpt=output)
            return None
        self._give(call, part, output, at, line)
        return call

    def waiting_for(self, tool_call_id: str | None) -> CallRow | None:
        """Return the latest call with an id that has no result yet."""
        waiting = self._open.get(tool_call_id) if tool_call_id else None
        return waiting[-1] if waiting else None

    def rename(self, call: CallRow, tool_call_id: str | None) -> None:
        """Let the result of a call that waits come under another id."""
        if tool_call_id and call.tool_call_id:
            self._open[call.tool_call_id].remove(call)
            self._open.setdefault(tool_call_id, []).append(call)
            call.tool_call_id = tool_call_id

    def close_step(self, call: CallRow) -> None:
        """Let the model call be over that asked for a tool which the service ran itself, unless it waits for others: it may be the turn's last."""
        if call.step_id is not None and not any(other.step_id == call.step_id for other in self._unanswered.values()):
            self.asking.discard(call.step_id)

    def answer_call(self, call: CallRow, output: str | None, *, at: Micros | None, line: int | None) -> bool:
        """Give a result to one call of this thread, which the recording tells without an id; false when it has one already."""
        if self._unanswered.pop(call.call_id, None) is None:
            return False
        if call.tool_call_id:
            self._open[call.tool_call_id].remove(call)
        self._give(call, self.say("tool", "tool_result", None, at, line), output, at, line)
        return True

    def _give(self, call: CallRow, part: PartRow, output: str | None, at: Micros | None, line: int | None) -> None:
        if output is not None and _NUL in output:
            self._note_nul(output, line)
        part.call_id = call.call_id
        call.output, call.ended_at = output, at
        if call.state != "denied":
            call.state = "done"
        if call.started_at is not None and at is not None:
            call.seconds = max(0, at - call.started_at) / 1e6

    def share(self, calls: list[CallRow], *, line: int | None) -> None:
        """Settle calls whose result was given once for several of them: it stands with the first, and how the others ended is not told."""
        for call in calls:
            if self._unanswered.pop(call.call_id, None) is not None:
                if call.tool_call_id:
                    self._open[call.tool_call_id].remove(call)
                message = f"The result of the call of {call.name or 'a tool'} stands with another call of the same step."
                self.account.diagnose("shared_result", message, line=line, severity="info", conversation_id=call.conversation_id, call_id=call.call_id)

    def observe(self, text: str | None, *, at: Micros | None, line: int | None) -> None:
        """Add what the agent was shown without having called a tool for it."""
        self.say("tool", "tool_result", text, at, line)

    def adopt(self, fallback: TurnRow) -> None:
        """Give a sub-agent's rows the turn of the call that started it."""
        if self.agent_call is None:
            return
        turn_id = self.parent.call.turn_id if self.parent else fallback.turn_id
        self.agent_call.parent_call_id = self.parent.call.call_id if self.parent else turn_id
        for call in self.calls:
            call.turn_id = turn_id
        for part in self.parts:
            part.turn_id = turn_id

    def settle(self) -> None:
        """Mark the calls that were never answered, and end the sub-agent's call with the call that started it."""
        for call in self._unanswered.values():
            if call.state is not None:
                # The recording tells what became of it: denied, or still running.
                continue
            call.state = "unanswered"
            message = f"The call of {call.name or 'a tool'} has no result: interrupted, crashed, or still running when the recording ends."
            self.account.diagnose(
                "unanswered_call", message, line=call.source_line, severity="info", conversation_id=call.conversation_id, call_id=call.call_id
            )
        own = self.agent_call
        if own is not None:
            starter = self.parent.call if self.parent else None
            if own.state is None and starter is not None and starter.state != "denied":
                own.state, own.failed = starter.state, starter.failed
            if own.started_at is not None and own.ended_at is not None:
                own.seconds = (own.ended_at - own.started_at) / 1e6

    def _note_nul(self, text: str | bytes, line: int | None) -> None:
        message = "A text holds the character NUL; it is kept."
        self.account.diagnose("nul_character", message, line=line, severity="info", conversation_id=self.conversation_id, excerpt=text)

    def _take(self, tool_call_id: str | None, name: str | None) -> CallRow | None:
        waiting = self._open.get(tool_call_id) if tool_call_id else None
        if waiting:
            call: CallRow | None = _nearest(waiting)
        elif tool_call_id and name is None:
            return None
        else:
            call = self._next_in_order(name, without_id=bool(tool_call_id))
            if call is not None and call.tool_call_id:
                self._open[call.tool_call_id].remove(call)
        if call is not None:
            del self._unanswered[call.call_id]
        return call

    def _next_in_order(self, name: str | None, *, without_id: bool) -> CallRow | None:
        waiting = [call for call in self._unanswered.values() if name is None or (call.name == name and not (without_id and call.tool_call_id))]
        return next((call for call in waiting if call.step_id == waiting[-1].step_id), None)


def _nearest(waiting: list[CallRow]) -> CallRow:
    """Take from calls that wait under the same id: of the newest step, the first that asked."""
    if len(waiting) == 1:
        return waiting.pop()
    newest = waiting[-1].step_id
    return waiting.pop(next(place for place, call in enumerate(waiting) if call.step_id == newest))
