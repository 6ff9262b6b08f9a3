"""The files of one task of the extension -> a conversation."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._json import to_json
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.dialects.anthropic import is_message
from agentnb.readers.formats.cline._alone import ShownTask
from agentnb.readers.formats.cline._history import COMPLETION, completion_in, said_of
from agentnb.readers.formats.cline._shown import CALLS, TOLD, Shown, error_in, is_shown, question_in, shown_in, usage_in

_REPLIES = frozenset({"text", "reasoning", "completion_result", "followup", "plan_mode_respond", *CALLS})


class TaskFile(NamedTuple):
    """A file of a task: what was sent to the model, or what was shown to the person."""

    value: Any
    account: Account
    is_shown: bool


class _Request(NamedTuple):
    """A request as it was shown, and what was shown until the next one."""

    started: Shown
    following: list[Shown]


def read_task(task_id: str, files: list[TaskFile], apart: Apart) -> None:
    """Read a task; what was sent is read first of all, and what was shown adds to it, or stands for it where it is alone."""
    history = next((file for file in files if not file.is_shown), None)
    shown = next((file for file in files if file.is_shown), None)
    first = history or shown
    if first is None:
        return
    draft = apart.start(task_id, first.account)
    draft.row.agent_name = "cline"
    messages = MessageList(draft.main, first.account)
    if history is None:
        assert shown is not None
        _skip_others(shown)
        ShownTask(messages).read(shown_in(shown.value))
    else:
        _Task(messages, history, shown).read()
    messages.finish()
    draft.finish()


def _skip_others(shown: TaskFile) -> None:
    for place, value in enumerate(shown.value, 1):
        if not is_shown(value):
            shown.account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=place, excerpt=value)


class _Task:
    """Reads what was sent, with times, costs and answers from what was shown."""

    def __init__(self, messages: MessageList, history: TaskFile, shown: TaskFile | None) -> None:
        self.messages = messages
        self.history = history
        self.shown = shown
        self.before: list[Shown] = []
        self._questions: list[Question | None] = []
        self.requests: list[_Request] = []
        for item in shown_in(shown.value) if shown is not None else ():
            if item.kind == "api_req_started":
                self.requests.append(_Request(item, []))
            else:
                (self.requests[-1].following if self.requests else self.before).append(item)
        self._places = [place for place, value in enumerate(history.value) if is_message(value) and value["role"] == "assistant"]

    def read(self) -> None:
        """Read the task."""
        if self.shown is not None:
            _skip_others(self.shown)
            self._account(self.before)
        waiting = self._placed()
        for place, value in enumerate(self.history.value):
            if not is_message(value):
                self.history.account.leave_out("no_message", "It stands among messages and is none; it was left out.", line=place + 1, excerpt=value)
                continue
            while waiting and waiting[0][0] < place:
                self._say_unanswered(waiting.pop(0)[1])
            request = waiting.pop(0)[1] if waiting and waiting[0][0] == place else None
            sent_at = waiting[0][1].started.at if waiting and request is None else None
            said = self._with_answers([item._replace(at=item.at or sent_at) for item in said_of(value, place + 1)])
            if request is not None:
                said = self._with_request(said, request)
            self._use(self.history)
            self.messages.read(said)
            self._note_end(said)
            if request is not None:
                self._account(request.following)
        for _, request in waiting:
            self._say_unanswered(request)
        self._ask_still(self._questions)

    def _placed(self) -> list[tuple[int, _Request]]:
        """Return each request with the place of its reply: as it says itself, else in order; one that was not answered stands before the next reply."""
        placed: list[tuple[int, _Request]] = []
        used = -1
        for request in self.requests:
            index = request.started.sent
            after = [place for place in self._places if place > used]
            answered = error_in(request.started) is None or any(item.kind in _REPLIES for item in request.following)
            told = index + 2 if index is not None and index + 2 in after else None
            place = (told if told is not None else after[0] if after and index is None else None) if answered else None
            if place is not None:
                used = place
                placed.append((place, request))
            else:
                placed.append((used, request))
        return placed

    def _with_answers(self, said: list[Said]) -> list[Said]:
        """Put what the person was asked about the calls before on their results, which come in the same order: a call that has one was allowed, or refused."""
        questions, self._questions = self._questions, []
        answered: list[Said] = []
        for item in said:
            question = questions.pop(0) if item.role == "tool" and questions else None
            if question is not None:
                refused = item.question is not None and item.question.answer == "no"
                reason = item.question.reason if item.question is not None else None
                question = question._replace(answer="no" if refused else "yes", reason=reason, answered_at=question.answered_at or item.at)
            answered.append(item._replace(question=question or item.question))
        self._ask_still(questions)
        return answered

    def _ask_still(self, questions: list[Question | None]) -> None:
        """Note questions about calls that have no result: they wait, or the task ended."""
        step, draft = self.messages.step, self.messages.thread.draft
        calls = [call for call in self.messages.thread.calls if step is not None and call.step_id == step.call_id]
        for call, question in zip(reversed(calls), reversed(questions), strict=False):
            if question is not None:
                draft.ask_person(call, question, self.messages.account)

    def _with_request(self, said: list[Said], request: _Request) -> list[Said]:
        first = next((place for place, item in enumerate(said) if item.role == "assistant"), None)
        calls = [item for item in request.following if item.kind in CALLS]
        if first is None:
            return said
        at = next((item.at for item in reversed(request.following) if item.kind in ("text", *CALLS)), None)
        told = said[first]
        self._questions = [_question(calls[place], request) if place < len(calls) else None for place in range(len(told.asked))]
        usage = told.usage or usage_in(request.started)
        said[first] = told._replace(started=request.started.at, at=told.at or at, usage=usage, error=told.error or error_in(request.started))
        assert self.shown is not None
        self.shown.account.keep()
        self.shown.account.merge(request.started.repeats)
        return said

    def _note_end(self, said: list[Said]) -> None:
        """A reply that attempts completion ends the turn, and what it says is the answer, unless the agent goes on."""
        turn = self.messages.thread.turn
        for item in said if turn is not None else ():
            assert turn is not None
            ends = [call for call in item.asked if call.name == COMPLETION]
            if item.role == "assistant":
                turn.state = "done" if ends else None
                turn.answer = (completion_in(ends[0]) or turn.answer) if ends else turn.answer

    def _say_unanswered(self, request: _Request) -> None:
        """Say a request to which there is no reply in what was sent."""
        assert self.shown is not None
        self._use(self.shown)
        error = error_in(request.started) or "There is no reply."
        place, at = request.started.place, request.started.at
        self.messages.read([Said("assistant", place, started=at, at=at, usage=usage_in(request.started), error=error)])
        self.shown.account.merge(request.started.repeats)
        self._account(request.following)

    def _account(self, items: list[Shown]) -> None:
        """Account for what was shown: an answer is kept with its call, what was sent as well is merged, and the rest is noted."""
        assert self.shown is not None
        account = self.shown.account
        self._use(self.shown)
        for item in items:
            account.merge(item.repeats)
            if item.kind in CALLS and item.asks:
                account.keep()
            elif item.kind in TOLD:
                account.merge()
            else:
                self.messages.note(Said("system", item.place, (Piece("other", item.kind, extra=to_json(item.value)),), at=item.at))

    def _use(self, file: TaskFile) -> None:
        self.messages.account = self.messages.thread.account = file.account


def _question(shown: Shown, request: _Request) -> Question | None:
    """Return what the person was asked about a call, from what was shown after a request."""
    return question_in(shown, request.following[request.following.index(shown) + 1 :])
