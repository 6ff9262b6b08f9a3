"""A chat session -> turns, steps and calls.

What the model asked for and was told stands in the metadata of a request's result, round by round. The parts of the response are what the person saw:
summaries of the same calls, which tell besides whether the person allowed them and how a command in the terminal ended. Without rounds they are all there is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, count_in, extra_of, list_of, object_of, read_arguments, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import Micros
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.formats.vscode_chat._texts import markdown_of, plain_id, reference_of, result_text

_READ_SESSION = ("requests", "sessionId", "customTitle", "responderUsername", "version")
_READ_REQUEST = ("requestId", "message", "response", "result", "timestamp", "modelId", "isCanceled", "modelState")
_READ_ROUND = ("id", "response", "thinking", "toolCalls", "timestamp")
_READ_METADATA = frozenset({"toolCallRounds", "toolCallResults"})
_STATES = {0: "running", 1: "done", 2: "interrupted", 3: "failed", 4: "waiting"}
_TOOLS = frozenset({"toolInvocationSerialized", "toolInvocation"})
_WORDS = frozenset({None, "markdownContent", "inlineReference", "markdownVuln"})
_DENIED, _BY_PERSON, _SKIPPED = 0, 4, 5


class _Shown(NamedTuple):
    """A tool call as the person saw it."""

    part: dict[str, Any]
    exit_code: int | None
    question: Question | None

    @property
    def denied(self) -> bool:
        """Whether the person did not let it run."""
        return self.question is not None and self.question.answer == "no"


def read_session(session: dict[str, Any], account: Account, draft: ConversationDraft, *, records: int) -> None:
    """Read a session.

    Args:
        session: the session whole.
        account: of its file.
        draft: the conversation to fill.
        records: 1 where each request is a record of the file, 0 where lines are.
    """
    draft.row.title = text_of(session.get("customTitle"))
    draft.row.agent_name = text_of(session.get("responderUsername"))
    draft.extra |= rest_of(session, _READ_SESSION)
    reader = MessageList(draft.main, account)
    requests = session.get("requests")
    for place, request in enumerate(requests if isinstance(requests, list) else [], 1):
        if isinstance(request, dict):
            _Request(request, place, reader).read(records)
        elif records:
            account.leave_out("no_request", "It is no request; it was left out.", line=place, excerpt=request)
    reader.finish()
    draft.finish()


class _Request:
    """One request: what the person said, and what it led to."""

    def __init__(self, request: dict[str, Any], place: int, reader: MessageList) -> None:
        self._request = request
        self._place = place
        self._reader = reader
        self._model = text_of(request.get("modelId"))
        result = request.get("result")
        self._result: dict[str, Any] = result if isinstance(result, dict) else {}
        metadata = self._result.get("metadata")
        self._metadata: dict[str, Any] = metadata if isinstance(metadata, dict) else {}
        self._parts = [part for part in list_of(request.get("response")) if isinstance(part, dict)]
        self._at = read_time(request.get("timestamp")).micros

    def read(self, records: int) -> None:
        """Read it into a turn of its own."""
        reader, thread = self._reader, self._reader.thread
        request_id = text_of(self._request.get("requestId"))
        turn = reader.start_turn(request_id or str(self._place), at=self._at, line=self._place)
        reader.turns_told = True
        message = self._request.get("message")
        text = text_of(message.get("text")) if isinstance(message, dict) else text_of(message)
        pieces = (Piece("text", text or ""), *self._put_in())
        reader.read([Said("user", self._place, pieces, at=self._at, extra=extra_of(self._request, _READ_REQUEST), records=records)])
        rounds = [item for item in list_of(self._metadata.get("toolCallRounds")) if isinstance(item, dict)]
        reader.read(self._from_rounds(rounds) if rounds else self._from_parts())
        self._fail_or_count()
        turn.state = self._state()
        rest = rest_of(self._metadata, _READ_METADATA)
        about = {"result": {name: value for name, value in self._result.items() if name not in ("metadata", "errorDetails")}, "metadata": rest}
        turn.extra = to_json({name: value for name, value in about.items() if value}) if any(about.values()) else None
        thread.pass_time(self._until())

    def _put_in(self) -> Iterator[Piece]:
        """Yield what the editor put beside the words: files, selections."""
        data = self._request.get("variableData")
        for variable in list_of(data.get("variables")) if isinstance(data, dict) else []:
            yield Piece("other", text_of(variable.get("name")) if isinstance(variable, dict) else None, extra=object_of(variable))

    def _until(self) -> Micros | None:
        timings = self._result.get("timings")
        elapsed = timings.get("totalElapsed") if isinstance(timings, dict) else None
        return self._at + round(elapsed * 1000) if self._at is not None and isinstance(elapsed, int | float) and 0 <= elapsed < 1e12 else None

    def _state(self) -> str | None:
        told = self._request.get("modelState")
        value = told.get("value") if isinstance(told, dict) else told
        if self._request.get("isCanceled") is True:
            return "interrupted"
        if self._result.get("errorDetails") is not None:
            return "failed"
        return _STATES.get(value) if type(value) is int else None

    def _fail_or_count(self) -> None:
        """Say an error that ended the turn, and put usage that is told for the whole turn on its last model call."""
        error = self._result.get("errorDetails")
        if error is not None and self._request.get("isCanceled") is not True:
            words = text_of(error.get("message")) if isinstance(error, dict) else text_of(error)
            extra = extra_of(error, ("message",)) if isinstance(error, dict) else None
            self._reader.read([Said("assistant", self._place, model=self._model, error=words or "error", extra=extra, at=self._until(), records=0)])
        told = self._result.get("usage", self._request.get("usage"))
        step = self._reader.step
        if isinstance(told, dict) and step is not None:
            step.input_tokens = count_in(told.get("promptTokens"))
            step.output_tokens = count_in(told.get("completionTokens"))

    def _from_rounds(self, rounds: list[dict[str, Any]]) -> Iterator[Said]:
        """Yield each round as a model call with the results of its tools; what was shown of a call is told with it."""
        results = self._metadata.get("toolCallResults")
        by_id = {plain_id(key): value for key, value in results.items()} if isinstance(results, dict) else {}
        calls = [call for item in rounds for call in list_of(item.get("toolCalls"))]
        shown = _pair(calls, [_shown(part, self._place) for part in self._parts if _kind(part) in _TOOLS])
        number = 0
        for item in rounds:
            own = list_of(item.get("toolCalls"))
            seen = [shown.get(number + place) for place in range(len(own))]
            number += len(own)
            time = read_time(item.get("timestamp")).micros
            asked = tuple(_asked(call, one) for call, one in zip(own, seen, strict=True))
            extra = extra_of(item, _READ_ROUND)
            yield Said("assistant", self._place, tuple(_round_pieces(item)), asked, at=time, model=self._model, extra=extra, records=0)
            for call, one in zip(own, seen, strict=True):
                call_id = plain_id(call.get("id")) if isinstance(call, dict) else None
                if call_id in by_id:
                    yield _answer(call_id, result_text(by_id[call_id]), one, self._place)
        yield from self._unsaid(rounds, shown)

    def _unsaid(self, rounds: list[dict[str, Any]], shown: dict[int, _Shown]) -> Iterator[Said]:
        """Yield what the person saw and no round tells: words after the last round, edits, and calls that cannot be told which they are."""
        used = {id(one.part) for one in shown.values()}
        told = "".join(text_of(item.get("response")) or "" for item in rounds)
        words = "".join(_words(part) for part in self._after_last_tool())
        if words.strip() and words.strip() not in told and list_of(rounds[-1].get("toolCalls")):
            yield Said("assistant", self._place, (Piece("text", words),), model=self._model, records=0)
        for part in self._parts:
            kind = _kind(part)
            if kind not in _WORDS and kind != "thinking" and id(part) not in used:
                yield Said("system", self._place, (Piece("other", kind, extra=to_json(part)),), injected=True, records=0)

    def _after_last_tool(self) -> list[dict[str, Any]]:
        last = max((place for place, part in enumerate(self._parts) if _kind(part) in _TOOLS), default=-1)
        return [part for part in self._parts[last + 1 :] if _kind(part) in _WORDS]

    def _from_parts(self) -> Iterator[Said]:
        """Yield what the person saw, where nothing else is told: words, thoughts, calls, and what else was shown."""
        words: list[str] = []
        open_step = False
        for part in self._parts:
            kind = _kind(part)
            if kind in _WORDS:
                words.append(_words(part))
                continue
            if "".join(words).strip():
                yield self._reply((Piece("text", "".join(words)),), (), same_step=open_step)
                open_step = True
            words = []
            if kind == "thinking":
                yield self._reply((Piece("reasoning", _thought(part)),), (), same_step=open_step)
                open_step = True
            elif kind in _TOOLS:
                one = _shown(part, self._place)
                yield self._reply((), (_asked_from(one),), same_step=open_step)
                if part.get("isComplete", True) is not False:
                    yield _answer(plain_id(part.get("toolCallId")), _shown_text(part), one, self._place)
                open_step = False
            else:
                yield Said("system", self._place, (Piece("other", kind, extra=to_json(part)),), injected=True, records=0)
        if "".join(words).strip():
            yield self._reply((Piece("text", "".join(words)),), (), same_step=open_step)

    def _reply(self, pieces: tuple[Piece, ...], asked: tuple[Asked, ...], *, same_step: bool) -> Said:
        return Said("assistant", self._place, pieces, asked, model=self._model, same_step=same_step, records=0)


def _pair(calls: list[Any], shown: list[_Shown]) -> dict[int, _Shown]:
    """Find what was shown of each call: by its id, else by order where as many were shown as were made."""
    ids = [plain_id(call.get("id")) if isinstance(call, dict) else None for call in calls]
    pairs = {ids.index(own): one for one in shown if (own := plain_id(one.part.get("toolCallId"))) is not None and own in ids}
    if not pairs and len(shown) == len(calls):
        return dict(enumerate(shown))
    return pairs


def _shown(part: dict[str, Any], place: int) -> _Shown:
    data = part.get("toolSpecificData")
    state = data.get("terminalCommandState") if isinstance(data, dict) else None
    code = state.get("exitCode") if isinstance(state, dict) else None
    return _Shown(part, code if type(code) is int and abs(code) < 2**31 else None, _question_in(part, place))


def _question_in(part: dict[str, Any], place: int) -> Question | None:
    """Tell whether a person was asked: a confirmation that settings or rules gave is no answer of a person."""
    told = part.get("isConfirmed")
    kind = told.get("type") if isinstance(told, dict) else None
    answer: Literal["yes", "no"] | None = "no" if told is False or kind in (_DENIED, _SKIPPED) else "yes" if kind == _BY_PERSON else None
    if answer is None or isinstance(kind, bool):
        return None
    return Question(markdown_of(part.get("invocationMessage")) or None, answer, "user", "skipped" if kind == _SKIPPED else None, line=place)


def _asked(call: Any, shown: _Shown | None) -> Asked:
    if not isinstance(call, dict):
        return Asked(None, "", to_json(call))
    arguments = read_arguments(call.get("arguments"))
    rest = rest_of(call, ("id", "name", "arguments"))
    if shown is not None:
        rest["shown"] = rest_of(shown.part, ("kind", "toolCallId"))
    extra = as_extra(rest)
    question = shown.question if shown is not None else None
    return Asked(plain_id(call.get("id")), text_of(call.get("name")) or "", arguments.text, extra, arguments.oddities, question=question)


def _asked_from(shown: _Shown) -> Asked:
    """Return a call of which only what was shown is known: the command in the terminal, or what the tool says it was given."""
    part = shown.part
    data, details = part.get("toolSpecificData"), part.get("resultDetails")
    line = data.get("commandLine") if isinstance(data, dict) else None
    command = next((line[name] for name in ("userEdited", "toolEdited", "original") if line.get(name)), None) if isinstance(line, dict) else line
    given = {"command": command} if command is not None else details.get("input") if isinstance(details, dict) else None
    arguments = read_arguments(given)
    extra = extra_of(part, ("kind", "toolId", "toolCallId"))
    return Asked(plain_id(part.get("toolCallId")), text_of(part.get("toolId")) or "", arguments.text, extra, question=shown.question)


def _answer(call_id: str | None, text: str | None, shown: _Shown | None, place: int) -> Said:
    pieces = (Piece("text", text),) if text is not None else ()
    code = shown.exit_code if shown is not None else None
    details = shown.part.get("resultDetails") if shown is not None else None
    failed = True if isinstance(details, dict) and details.get("isError") is True else code != 0 if code is not None else None
    return Said("tool", place, pieces, result_of=call_id, exit_code=code, failed=failed, records=0)


def _shown_text(part: dict[str, Any]) -> str | None:
    details = part.get("resultDetails")
    output = details.get("output") if isinstance(details, dict) else None
    if isinstance(output, list):
        return "\n".join(text_of(item.get("value")) or "" if isinstance(item, dict) else text_of(item) or "" for item in output)
    if output is not None:
        return text_of(output)
    return markdown_of(part.get("pastTenseMessage")) or None


def _round_pieces(item: dict[str, Any]) -> Iterator[Piece]:
    thinking = item.get("thinking")
    if thinking is not None:
        thought = _thought({"value": thinking.get("text")} if isinstance(thinking, dict) else {"value": thinking})
        yield Piece("reasoning", thought or None, extra=extra_of(thinking, ("text",)) if isinstance(thinking, dict) else None)
    if response := text_of(item.get("response")):
        yield Piece("text", response)


def _thought(part: dict[str, Any]) -> str:
    value = part.get("value")
    return "".join(text_of(item) or "" for item in value) if isinstance(value, list) else text_of(value) or ""


def _words(part: dict[str, Any]) -> str:
    return reference_of(part) if _kind(part) == "inlineReference" else markdown_of(part)


def _kind(part: dict[str, Any]) -> str | None:
    kind = part.get("kind")
    return kind if isinstance(kind, str) else None
