"""Events that Cursor's agent prints when it runs without a screen: messages as Claude Code prints them, but thoughts and tool calls as events of their own.

On request words are printed in pieces, and whole once more when the reply and when the run ends. Usage is told once for a run: it stands with the last
model call of it.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import counts_in, extra_of, read_arguments, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_objects
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Asked, Piece, Said

_USAGE = {"inputTokens": "input_tokens", "outputTokens": "output_tokens", "cacheReadTokens": "cached_tokens", "cacheWriteTokens": "cache_write_tokens"}
_TOOL = "ToolCall"
_OUTPUTS = ("interleavedOutput", "content", "stdout", "errorMessage", "reason", "diffString")


def is_run(sample: Sample) -> bool:
    """Tell whether a file holds such events."""
    return sample.shape == "lines" and any(map(_is_own, sample.values))


def run_id(sample: Sample) -> str:
    """Return the id of the session, else a name from how the events begin."""
    named = (value.get("session_id") for value in sample.values if isinstance(value, dict))
    digest = digest_of(["cursor", sample.values[:1]])
    return next((name for name in named if isinstance(name, str) and name), f"cursor-{digest}")


def read_run(file: OpenFile, draft: ConversationDraft, on_bytes: OnBytes) -> None:
    """Read the events of a run into a conversation."""
    run = _Run(draft, file)
    for place, event in read_objects(file, on_bytes):
        run.read(event, place)
    run.finish()


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if value.get("type") == "system" and value.get("subtype") == "init":
        return "apiKeySource" in value and "tools" not in value
    return value.get("type") == "tool_call" and isinstance(value.get("tool_call"), dict) and value.get("subtype") in ("started", "completed")


class _Run:
    def __init__(self, draft: ConversationDraft, file: OpenFile) -> None:
        self.draft = draft
        self.account = file.account
        self.stream = ItemStream(draft.main, file.account)
        self.model: str | None = None
        self.begun: set[str] = set()
        self.kind = ""
        self.pieces: list[str] = []
        self.open: Said | None = None
        self.spoken = ""

    def read(self, event: dict[str, Any], place: int) -> None:
        """Read one event."""
        kind, subtype = event.get("type"), event.get("subtype")
        base = Said("assistant", place, at=read_time(event.get("timestamp_ms")).micros, model=self.model)
        if kind == "thinking" and isinstance(event.get("text"), str):
            self._take("reasoning", event["text"], base)
        elif kind == "thinking":
            self.account.merge()
        elif kind == "assistant":
            self._reply(event, base)
        elif kind == "tool_call" and isinstance(event.get("tool_call"), dict):
            self._flush()
            self._call(event, event["tool_call"], base, ended=subtype == "completed")
        else:
            self._flush()
            self._other(event, kind, base)

    def finish(self) -> None:
        """Say what is left."""
        self._flush()
        self.stream.finish()

    def _reply(self, event: dict[str, Any], base: Said) -> None:
        text = _words(event)
        if self.kind != "text":
            self._flush()
        whole = "timestamp_ms" not in event or "model_call_id" in event
        if whole and text and text in ("".join(self.pieces) if self.kind == "text" else "", self.spoken + "".join(self.pieces)):
            self.account.merge()
            return
        if whole:
            self._flush()
        self._take("text", text, base)
        if whole:
            self._flush()

    def _take(self, kind: str, text: str, base: Said) -> None:
        if self.kind != kind:
            self._flush()
        if self.open is not None:
            self.account.merge()
        self.kind, self.open = kind, (self.open or base)._replace(at=base.at)
        self.pieces.append(text)

    def _flush(self) -> None:
        if self.open is not None:
            text = "".join(self.pieces)
            self.spoken += text if self.kind == "text" else ""
            self.stream.say(self.open._replace(pieces=(Piece(self.kind, text),)))
        self.kind, self.pieces, self.open = "", [], None

    def _call(self, event: dict[str, Any], told: dict[str, Any], base: Said, *, ended: bool) -> None:
        """Read that a tool starts or has ended; an end without a start is both."""
        name, call = _tool_in(told)
        call_id = text_of(event.get("call_id")) or None
        records = 1
        if call_id is None or call_id not in self.begun:
            arguments = read_arguments(call.get("args", call.get("arguments")))
            extra = extra_of(event, ("type", "subtype", "call_id", "tool_call", "session_id", "timestamp_ms", "model_call_id"))
            self.stream.say(base._replace(asked=(Asked(call_id, name, arguments.text, extra, arguments.oddities),)))
            self.begun.add(call_id or "")
            records = 0
        if ended:
            self.stream.say(_result(call, base)._replace(result_of=call_id, records=records))
        elif records:
            self.account.merge()

    def _other(self, event: dict[str, Any], kind: Any, base: Said) -> None:
        if kind == "user":
            self.spoken = ""
            self.stream.say(base._replace(role="user", pieces=(Piece("text", _words(event)),)))
            return
        if kind == "system" and event.get("subtype") == "init":
            self.model = text_of(event.get("model"))
            if isinstance(event.get("cwd"), str):
                self.draft.labels["cwd"] = event["cwd"]
        if kind == "result":
            self.stream.end_step(usage=counts_in(event.get("usage"), _USAGE))
        label = " ".join(word for word in (kind, event.get("subtype")) if isinstance(word, str)) or None
        self.stream.add(base._replace(role="system", pieces=(Piece("other", label, extra=to_json(event)),), injected=True))
        turn = self.draft.main.turn
        if kind == "result" and turn is not None:
            self.draft.ended = True
            turn.state = "failed" if event.get("is_error") is True else turn.state


def _words(event: dict[str, Any]) -> str:
    message = event.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if not isinstance(content, list):
        return text_of(content) or ""
    return "".join(block["text"] for block in content if isinstance(block, dict) and isinstance(block.get("text"), str))


def _tool_in(told: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the name of a tool and what is told of its call."""
    for name, call in told.items():
        if isinstance(call, dict) and name.endswith(_TOOL):
            return name.removesuffix(_TOOL), call
    function = told.get("function")
    return (text_of(function.get("name")) or "", function) if isinstance(function, dict) else ("", {})


def _result(call: dict[str, Any], base: Said) -> Said:
    """Read what became of a call: a success, a failure, an error, or that a person refused it."""
    result = call.get("result")
    outcome, told = next(iter(result.items()), ("", None)) if isinstance(result, dict) else ("success", result)
    text = (
        told if isinstance(told, str) else next((told[name] for name in _OUTPUTS if isinstance(told.get(name), str)), None) if isinstance(told, dict) else None
    )
    errors = told.get("stderr") if isinstance(told, dict) and "interleavedOutput" not in told else None
    if isinstance(errors, str) and errors:
        text = f"{text}\n{errors}" if text else errors
    if text is None and told is not None:
        text = to_json(told)
    code = told.get("exitCode") if isinstance(told, dict) else None
    exit_code = code if type(code) is int and abs(code) < 2**31 else None
    failed = outcome in ("failure", "error", "rejected") or bool(exit_code)
    question = Question(answer="no", reason=text or None, line=base.place) if outcome == "rejected" else None
    return base._replace(
        role="tool",
        pieces=(Piece("text", text),) if text is not None else (),
        model=None,
        failed=failed if outcome or exit_code is not None else None,
        exit_code=exit_code,
        error=(first_line(text or "") or outcome) if failed else None,
        question=question,
        extra=to_json({outcome or "result": told}) if isinstance(told, dict) else None,
    )
