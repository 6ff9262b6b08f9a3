"""What was shown of a task, where nothing else is there -> what was said."""

from __future__ import annotations

from agentnb.readers._fields import text_of
from agentnb.readers._json import to_json
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import MessageList, Piece, Said
from agentnb.readers.formats.cline._shown import CALLS, Shown, asked_in, error_in, question_in, usage_in
from agentnb.readers.formats.cline._xml import judge, result_in

_WORDS = {"text": "text", "reasoning": "reasoning", "completion_result": "text", "followup": "text", "plan_mode_respond": "text"}
_OUTPUTS = frozenset({"command_output", "mcp_server_response", "browser_action_result"})


class ShownTask:
    """Reads a task from what the person was shown: results stand in the next request, or on their own."""

    def __init__(self, messages: MessageList) -> None:
        """Read into a conversation."""
        self.messages = messages
        self._request: Shown | None = None
        self._outputs: list[Shown] = []
        self._open = 0
        self._question: Question | None = None
        self._last_request = 0
        self._begun = False

    def read(self, items: list[Shown]) -> None:
        """Read what was shown, in order."""
        self._last_request = max((place for place, item in enumerate(items) if item.kind == "api_req_started"), default=-1)
        for place, item in enumerate(items):
            self.messages.account.merge(item.repeats)
            if item.kind in _OUTPUTS:
                self._outputs.append(item)
                continue
            self._give_outputs()
            self._read(item, items[place + 1 :][:1], went_on=place < self._last_request)
        self._give_outputs()
        self._end_request()
        self._ask_still()

    def _read(self, item: Shown, following: list[Shown], *, went_on: bool) -> None:
        if item.kind == "api_req_started":
            self._begun = True
            self._end_request()
            self._give_result(item)
            self._request = item
        elif item.kind == "user_feedback" and self._question is not None:
            # Words that answer a question about a call are no new turn: the agent is shown them with the call's result.
            self._question = self._question._replace(reason=item.text)
            extra = to_json({"answers": self._question.question})
            self.messages.read([Said("user", item.place, (Piece("text", item.text),), at=item.at, injected=True, extra=extra)])
        elif item.kind in ("task", "user_feedback") or (item.kind == "text" and not item.asks and not self._begun):
            # The words that begin a task are shown like those of the model, but before any request.
            self._begun = True
            self._end_request()
            self.messages.read([Said("user", item.place, (Piece("text", item.text),), at=item.at)])
        elif item.kind in CALLS:
            self._ask(item, following, went_on=went_on)
        elif item.kind in _WORDS and item.text and not (item.asks and item.kind == "completion_result"):
            words = item.object().get("question") or item.object().get("response") if item.asks else None
            self._reply(Said("assistant", item.place, (Piece(_WORDS[item.kind], text_of(words) or item.text),), at=item.at))
        else:
            self.messages.note(Said("system", item.place, (Piece("other", item.kind, extra=to_json(item.value)),), at=item.at))

    def _reply(self, said: Said) -> None:
        """Say a piece of a reply; the first after a request opens its model call."""
        request, self._request = self._request, None
        if request is not None:
            error = said.error or error_in(request)
            said = said._replace(started=request.at, usage=usage_in(request), error=error, records=said.records + 1)
        self.messages.read([said._replace(same_step=request is None)])

    def _ask(self, item: Shown, following: list[Shown], *, went_on: bool) -> None:
        self._ask_still()
        self._question = question_in(item, following)
        asked = asked_in(item)._replace(state="done" if went_on else None)
        self._reply(Said("assistant", item.place, asked=(asked,), at=item.at))
        self._open += 1

    def _end_request(self) -> None:
        """Say a request of which nothing came."""
        if self._request is not None:
            place, error = self._request.place, error_in(self._request) or "There is no reply."
            self._reply(Said("assistant", place, at=self._request.at, error=error, records=0))

    def _give_outputs(self) -> None:
        """Give a call what it printed, which is shown piece by piece."""
        shown, self._outputs = self._outputs, []
        if not shown:
            return
        text = "\n".join(item.text for item in shown if item.text)
        if self._open:
            self._open -= 1
            told = judge(text)
            last = shown[-1]
            self.messages.read(
                [Said("tool", last.place, (Piece("text", text),), at=last.at, exit_code=told.exit_code, question=self._answered(last.at), records=len(shown))]
            )
            return
        for item in shown:
            self.messages.note(Said("system", item.place, (Piece("other", item.kind, extra=to_json(item.value)),), at=item.at))

    def _give_result(self, request: Shown) -> None:
        """Give the call that is open its result, which stands in the next request as that was sent."""
        sent = text_of(request.object().get("request"))
        result = result_in(sent) if sent is not None else None
        if result is not None and self._open:
            self._open -= 1
            text = result.split("<environment_details>")[0].rstrip()
            told = judge(text)
            said = Said("tool", request.place, (Piece("text", text),), at=request.at, failed=told.failed, error=told.error, exit_code=told.exit_code)
            question = self._answered(request.at, refused=told.denied, reason=told.reason)
            self.messages.read([said._replace(question=question, records=0)])

    def _answered(self, at: int | None, *, refused: bool = False, reason: str | None = None) -> Question | None:
        """Return what the person was asked about the call that has its result now: it was allowed, or refused."""
        question, self._question = self._question, None
        if question is None:
            return None
        return question._replace(answer="no" if refused else "yes", reason=reason or question.reason, answered_at=question.answered_at or at)

    def _ask_still(self) -> None:
        """Note a question about a call whose result was not shown."""
        question, self._question = self._question, None
        call = next((call for call in reversed(self.messages.thread.calls) if call.kind == "tool"), None)
        if question is not None and call is not None:
            self.messages.thread.draft.ask_person(call, question, self.messages.account)
