"""A conversation while it is being read: its turns, its threads, and the questions that a person was asked.

A reader says what was said, in order, and the draft with its threads does what is the same for every format: ids that survive, results to the nearest
unanswered call, usage once per model message, times, states.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._json import to_json
from agentnb.readers._rows import ApprovalRow, CallRow, ConversationRow, Micros, Rows, TurnRow
from agentnb.readers.builders._thread import Thread

_STOPPED_BY_ITSELF = frozenset({"end_turn", "stop", "stop_sequence", "COMPLETE", "STOP"})


class Question(NamedTuple):
    """A question to a person before a tool ran, and what the person said."""

    question: str | None = None
    """What was asked; None when only the answer was recorded."""
    answer: Literal["yes", "no"] | None = None
    """None while it waits."""
    answered_by: str | None = None
    reason: str | None = None
    asked_at: Micros | None = None
    answered_at: Micros | None = None
    line: int | None = None
    """Place in the recording, from 1."""


class ConversationDraft:
    """One conversation; `finish` moves its rows into the tables."""

    def __init__(self, rows: Rows, account: Account, conversation_id: str, format: str) -> None:
        """Start an empty conversation.

        Args:
            rows: where the rows go at the end.
            account: of the file it is first met in.
            conversation_id: the recording's own id or a digest.
            format: name of the format.
        """
        self.rows = rows
        self.row = ConversationRow(conversation_id, format, account.row.source_id)
        self.labels: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.turns: list[TurnRow] = []
        self._questions: list[tuple[CallRow, Question, str]] = []
        self.ended = True
        self._used: dict[str, int] = {}
        self._next_call = 0
        self._next_message = 0
        self.main = Thread(self, account)
        self.threads: list[Thread] = [self.main]

    @property
    def is_empty(self) -> bool:
        """Whether nothing of it was met: a file may name a session of which it holds no event."""
        return len(self.threads) == 1 and not self.main.parts and not self.main.calls

    def unique(self, wanted: str) -> str:
        """Return an id no other call of this conversation has: the wanted one, from its second occurrence on with its number."""
        count = self._used.get(wanted, 0) + 1
        self._used[wanted] = count
        return wanted if count == 1 else f"{wanted}~{count}"

    def _unique_turn(self, wanted: str) -> str:
        turn_id = self.unique(wanted)
        while turn_id in self.rows.turn_ids:
            turn_id = self.unique(wanted)
        self.rows.turn_ids.add(turn_id)
        return turn_id

    def start_turn(self, turn_id: str, account: Account, *, at: Micros | None, line: int | None, parent: TurnRow | None = None) -> TurnRow:
        """Start a turn in the main thread, with its own call."""
        own_id = self._unique_turn(turn_id)
        parent_id = parent.turn_id if parent else None
        turn = TurnRow(own_id, self.row.conversation_id, len(self.turns), account.row.source_id, line, parent_id, started_at=at, ended_at=at)
        if parent is not None and not self.turns and parent.conversation_id != self.row.conversation_id:
            self.row.parent_conversation_id = parent.conversation_id
        if not self.turns:
            # What was said before the first turn, such as a title, belongs to it.
            for part in self.main.parts:
                part.turn_id = part.agent_call_id = own_id
        self.turns.append(turn)
        self.main.calls.append(CallRow(own_id, self.row.conversation_id, own_id, None, -1, "agent", "", account.row.source_id, line, started_at=at))
        self.main.move_to(turn)
        return turn

    def start_thread(self, agent_call_id: str, name: str, account: Account, *, at: Micros | None, line: int | None) -> Thread:
        """Start the thread of a sub-agent; `link` says later which call started it."""
        thread = Thread(self, account)
        call_id = self.unique(agent_call_id)
        thread.agent_call = CallRow(call_id, "", "", None, -1, "agent", name, account.row.source_id, line, started_at=at, ended_at=at)
        thread.agent_call.conversation_id = self.row.conversation_id
        thread.agent_call_id = call_id
        thread.calls.append(thread.agent_call)
        self.threads.append(thread)
        return thread

    def ask_person(self, call: CallRow, question: Question, account: Account) -> None:
        """Note that a person was asked before a tool call ran; a call that the person refused is denied."""
        asked = next((item for item in self._questions if item[0] is call and item[1].answer is None), None)
        if asked is not None:
            # The answer to a question that was told before.
            self._questions.remove(asked)
            question = question._replace(question=question.question or asked[1].question, asked_at=asked[1].asked_at, line=asked[1].line)
        self._questions.append((call, question, account.row.source_id))
        if question.answer == "no":
            call.state, call.failed = "denied", False

    def finish(self) -> None:
        """Settle states and times, number the rows, and move them into the tables."""
        if not self.turns:
            self.start_turn(f"{self.row.conversation_id}/1", self.main.account, at=None, line=None)
        for thread in self._threads_in_order():
            thread.settle()
            self._number(thread)
        self._settle_turns()
        self.row.labels = to_json(self.labels) if self.labels else None
        self.row.extra = to_json(self.extra) if self.extra else None
        self.rows.conversations.append(self.row)
        self.rows.turns.extend(self.turns)
        self.rows.approvals.extend(_approval(*asked) for asked in self._questions)

    def _threads_in_order(self) -> list[Thread]:
        """Put the main thread first, then each sub-agent after the thread that started it; give sub-agents the turn they belong to."""
        ordered = [self.main]
        waiting = self.threads[1:]
        while waiting:
            placed = [thread for thread in waiting if thread.parent is None or thread.parent.thread in ordered]
            for thread in sorted(placed or waiting, key=Thread.place):
                thread.adopt(self.turns[0])
                ordered.append(thread)
            waiting = [thread for thread in waiting if thread not in ordered]
        return ordered

    def _number(self, thread: Thread) -> None:
        calls, first = self.rows.calls, self._next_call
        for index, call in enumerate(thread.calls, first):
            call.call_index = index
            if call.seconds is None and call.started_at is not None and call.ended_at is not None:
                call.seconds = (call.ended_at - call.started_at) / 1e6
        self._next_call = first + len(thread.calls)
        calls.extend(thread.calls)
        if self._next_message:
            for part in thread.parts:
                part.message_index += self._next_message
        self._next_message += thread.message_index + 1
        self.rows.parts.extend(thread.parts)

    def _settle_turns(self) -> None:
        own_calls = {call.call_id: call for call in self.main.calls if call.kind == "agent"}
        open_turns = {call.turn_id for call in self.main.calls if call.state == "unanswered"}
        asked = {call.turn_id for call, question, _ in self._questions if question.answer is None and call.state == "unanswered"}
        for turn in self.turns:
            if turn.started_at is not None and turn.ended_at is not None:
                turn.seconds = (turn.ended_at - turn.started_at) / 1e6
            if turn.state is None and turn is self.turns[-1] and turn.turn_id in asked:
                turn.state = "waiting"
            if turn.state is None and turn.turn_id not in open_turns:
                turn.state = self._state_of(turn)
            own = own_calls[turn.turn_id]
            own.name = self.row.agent_name or ""
            own.started_at, own.ended_at, own.seconds = turn.started_at, turn.ended_at, turn.seconds
            own.state = turn.state if turn.state in ("done", "failed", "running") else None
            own.failed = turn.state == "failed"

    def _state_of(self, turn: TurnRow) -> str | None:
        """Tell whether the agent ended the turn itself: its last model message asked for no tool, and is known to be whole."""
        last = self.main.last_step.get(turn.turn_id)
        if last is None:
            return None
        if last.failed:
            return "failed"
        if last.finish_reason in _STOPPED_BY_ITSELF:
            # Gemini and some others say so of a reply that asks for tools too: then it is the end only if words follow the results.
            return "done" if last.finish_reason.lower() != "stop" or last.call_id not in self.main.asking or self._ends_in_words(turn) else None
        whole = self.ended or turn is not self.turns[-1]
        return "done" if whole and last.finish_reason is None and turn.answer is not None and last.call_id not in self.main.asking else None

    def _ends_in_words(self, turn: TurnRow) -> bool:
        last = next((part for part in reversed(self.main.parts) if part.turn_id == turn.turn_id), None)
        return last is not None and last.role == "assistant" and last.type == "text"


def _approval(call: CallRow, asked: Question, source_id: str) -> ApprovalRow:
    row = ApprovalRow(call.conversation_id, call.turn_id, call.call_id, source_id, asked.line, asked.question, asked.answer)
    row.answered_by, row.reason, row.asked_at, row.answered_at = asked.answered_by, asked.reason, asked.asked_at, asked.answered_at
    return row
