"""How does Claude Code write a session? One line per event; a model message as one line per block; each result on the line that asked for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from data.make.clock import Clock, iso
from data.make.ids import Ids

Record = dict[str, Any]
HOOK = "python3 .claude/hooks/check.py"


class Result(NamedTuple):
    """What a tool gave back."""

    content: str | list[Record]
    """What the model is shown."""
    detail: Any
    """The structured result that the tool keeps for itself."""
    is_error: bool | None = None
    """Its error flag; None leaves the flag out, as several tools do."""
    seconds: float = 0.2
    """How long it took."""
    denied: bool = False
    """Whether a person refused it."""


class Job(NamedTuple):
    """A tool call that a model asks for."""

    name: str
    arguments: Record
    perform: Callable[[datetime], Result] | None
    """Does it, given the time at which it starts; None when it is never answered."""


class Session:
    """Writes the lines of one session file, or of one sub-agent's file."""

    def __init__(
        self, ids: Ids, clock: Clock, *, cwd: str, model: str, branch: str, session_id: str, agent_id: str | None = None, slug: str | None = None
    ) -> None:
        self.ids = ids
        self.clock = clock
        self.session_id = session_id
        self.agent_id = agent_id
        self.records: list[Record] = []
        self.tool_calls = 0
        self.tokens = 0
        self._model = model
        self._prompted = clock.now
        self._parent: str | None = None
        self._fresh = 14_000 * 4
        self._place: Record = {
            "isSidechain": agent_id is not None,
            "userType": "external",
            "cwd": cwd,
            "sessionId": session_id,
            "version": "2.1.37",
            "gitBranch": branch,
            **({} if agent_id is None else {"agentId": agent_id}),
            **({} if slug is None else {"slug": slug}),
        }

    def prompt(self, text: str, *, after: float = 30, mode: str | None = "default") -> str:
        """Write what a person said."""
        fields = {} if mode is None else {"permissionMode": mode}
        line = self._user(text, after=after, **fields)
        self._prompted = self.clock.now
        return line

    def meta(self, text: str) -> str:
        """Write a user line that the tool made up itself."""
        return self._user(text, after=0.01, isMeta=True)

    def local_command(self, text: str) -> str:
        """Write the trace of a slash command, which no model sees as a prompt."""
        return self._user(text, after=2)

    def interrupt(self, after: float = 1.5) -> str:
        """Write that a person pressed escape."""
        return self._user([{"type": "text", "text": "[Request interrupted by user]"}], after=after)

    def say(self, text: str, *, think: str | None = None) -> None:
        """Write a model message that asks for nothing."""
        self.do(say=text, think=think)

    def do(self, *jobs: Job, say: str | None = None, think: str | None = None, hooks: bool = False) -> None:
        """Write a model message, do what it asks for, and write the results in the order in which they came."""
        blocks: list[Record] = []
        if think is not None:
            blocks.append({"type": "thinking", "thinking": think, "signature": self.ids.signature()})
        if say is not None:
            blocks.append({"type": "text", "text": say})
        asked: list[Record] = [{"type": "tool_use", "id": self.ids.tool_use(), "name": job.name, "input": job.arguments} for job in jobs]
        lines = self._message(blocks + asked)[len(blocks) :]
        self.tool_calls += len(jobs)
        self._answer([(job, use["id"], line) for job, use, line in zip(jobs, asked, lines, strict=True)], hooks=hooks)

    def overloaded(self, attempts: int) -> None:
        """Write that the provider refused several times in a row, being overloaded."""
        error = {"status": 529, "error": {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}}
        for attempt in range(1, attempts + 1):
            retry = {"retryInMs": 500 * 2**attempt, "retryAttempt": attempt, "maxRetries": 5}
            self._line({"type": "system", "subtype": "api_error", "level": "error", "error": error, **retry}, after=2.0**attempt)

    def give_up(self, message: str) -> None:
        """Write the message that stands in for the model's when the provider keeps refusing."""
        usage = {"input_tokens": 0, "output_tokens": 0, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
        body = {"id": self.ids.uuid(), "model": "<synthetic>", "role": "assistant", "stop_reason": "stop_sequence", "stop_sequence": "", "type": "message"}
        content = [{"type": "text", "text": message}]
        self._line({"type": "assistant", "message": {**body, "usage": usage, "content": content}, "isApiErrorMessage": True}, after=0.1)

    def stop(self, *, errors: Sequence[str] = ()) -> None:
        """Write that the agent stopped, and what the stop hooks had to say."""
        self.hook("Stop", "Stop", self.ids.uuid())
        summary = {"hookCount": 1, "hookInfos": [{"command": HOOK}], "hookErrors": list(errors), "preventedContinuation": False}
        self._line({"type": "system", "subtype": "stop_hook_summary", **summary, "stopReason": "", "hasOutput": bool(errors), "level": "suggestion"}, after=0.2)

    def turn_duration(self) -> None:
        """Write how long it is since the last prompt."""
        spent = self.clock.now - self._prompted
        self._line({"type": "system", "subtype": "turn_duration", "durationMs": round(spent.total_seconds() * 1000), "isMeta": False}, after=0.001)

    def hook(self, event: str, name: str, tool_use_id: str) -> None:
        """Write that a hook runs."""
        data = {"type": "hook_progress", "hookEvent": event, "hookName": name, "command": HOOK}
        self._line({"type": "progress", "data": data, "parentToolUseID": tool_use_id, "toolUseID": tool_use_id}, after=0.004)

    def aside(self, record: Record) -> None:
        """Write a line that stands outside the chain of messages."""
        self.records.append(record)

    def repeat_last_result(self) -> None:
        """Write the last result a second time, uuid and all, as sessions do that were resumed."""
        self.aside(next(record for record in reversed(self.records) if "toolUseResult" in record))

    def set_back(self, seconds: float) -> None:
        """Give the last line an earlier time than the lines before it, as when the clock of a machine is corrected."""
        self.records[-1]["timestamp"] = iso(self.clock.now - timedelta(seconds=seconds))

    def snapshot(self, files: Sequence[str], *, update: bool = False) -> None:
        """Write which files are kept for a rewind."""
        kept = {path: {"backupFileName": f"{self.ids.hex(16)}@v1", "version": 1, "backupTime": self.clock.text} for path in files}
        message_id = self._parent
        snapshot = {"messageId": message_id, "trackedFileBackups": kept, "timestamp": self.clock.text}
        self.aside({"type": "file-history-snapshot", "messageId": message_id, "snapshot": snapshot, "isSnapshotUpdate": update})

    def write(self, path: Path, *, cut: int = 0) -> None:
        """Write the file.

        Args:
            path: where to.
            cut: how many bytes of the end a process that died never wrote.
        """
        text = "".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n" for record in self.records)
        data = text.encode()
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data[: len(data) - cut])

    @property
    def last_text(self) -> str:
        """The last text that the model said."""
        blocks = [block for record in self.records if record["type"] == "assistant" for block in record["message"]["content"]]
        return str([block["text"] for block in blocks if block["type"] == "text"][-1])

    def _message(self, blocks: Sequence[Record]) -> list[str]:
        """Write one model message: a line per block, with one id and the usage that was known when the stream began."""
        written = self._fresh // 4
        usage = {
            "input_tokens": self.ids.whole(1, 4),
            "cache_creation_input_tokens": written,
            "cache_read_input_tokens": self.tokens,
            "cache_creation": {"ephemeral_5m_input_tokens": written, "ephemeral_1h_input_tokens": 0},
            "output_tokens": self.ids.whole(1, 3),
            "service_tier": "standard",
        }
        head = {"model": self._model, "id": self.ids.message(), "type": "message", "role": "assistant"}
        request = self.ids.request()
        self.tokens += written
        self._fresh = sum(len(json.dumps(block)) for block in blocks)
        lines = []
        for number, block in enumerate(blocks):
            message = {**head, "content": [block], "stop_reason": None, "stop_sequence": None, "usage": usage}
            after = self.ids.seconds(1.8, 6.5) if number == 0 else self.ids.seconds(0.2, 1.9)
            lines.append(self._line({"message": message, "requestId": request, "type": "assistant"}, after=after))
        return lines

    def _answer(self, asked: Sequence[tuple[Job, str, str]], *, hooks: bool) -> None:
        """Write the results of calls that started together, each hanging on the line that asked for it."""
        start = self.clock.now
        results = [(job.perform(start), use, line) for job, use, line in asked if job.perform is not None]
        for result, use, line in sorted(results, key=lambda row: row[0].seconds):
            self.clock.now = start
            self._parent = line
            if hooks:
                self.hook("PreToolUse", "PreToolUse:Bash", use)
            self._result(result, use, line, start)

    def _result(self, result: Result, use: str, line: str, start: datetime) -> None:
        block: Record = {"tool_use_id": use, "type": "tool_result", "content": result.content}
        if result.is_error is False:
            block["is_error"] = False
        if result.is_error:
            block = {"type": "tool_result", "content": result.content, "is_error": True, "tool_use_id": use}
        self._parent = line
        after = max(result.seconds - (self.clock.now - start).total_seconds(), 0.001)
        denial = {"toolDenialKind": "user-rejected"} if result.denied else {}
        self._user([block], after=after, toolUseResult=result.detail, sourceToolAssistantUUID=line, **denial)

    def _user(self, content: str | list[Record], *, after: float, **fields: Any) -> str:
        self._fresh += len(json.dumps(content))
        head = {"type": "user", "message": {"role": "user", "content": content}}
        meta = {"isMeta": fields.pop("isMeta")} if "isMeta" in fields else {}
        return self._line({**head, **meta}, after=after, tail=fields)

    def _line(self, body: Record, *, after: float, tail: Record | None = None) -> str:
        """Write a line of the chain: where, what, which, when."""
        line = self.ids.uuid()
        stamp = {"uuid": line, "timestamp": self.clock.tick(after)}
        self.records.append({"parentUuid": self._parent, **self._place, **body, **stamp, **(tail or {})})
        self._parent = line
        return line
