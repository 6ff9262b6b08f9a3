"""What the events of a Claude Code session say: replies over several lines, results, refusals, and what the tool notes for itself."""

from __future__ import annotations

import itertools

import msgspec

from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._reader import OpenFile, Sample
from agentnb.readers._rows import CallRow, Micros, PartRow, TurnRow
from agentnb.readers._times import read_time, read_utc_millis
from agentnb.readers._verdicts import exit_code_in, first_line
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.event_log import EventLog
from agentnb.readers.formats.claude_code._lines import Block, Line, Message, raw_json
from agentnb.readers.formats.claude_code._printed import Printed
from agentnb.readers.formats.claude_code._shapes import events_of
from agentnb.readers.formats.claude_code._texts import agent_id_in, blocks_of, denial_in, is_interruption, is_result, is_wrapper, prompt_of

_AGENT_TOOLS = frozenset({"Task", "Agent"})
_ENDED_WELL = b'{"is_error":false}'
_QUOTE = ord('"')
_NO_REPLY = "<synthetic>"
# With no stop reason a line was written while the reply was still coming: versions from 2 on leave the count of that moment in it.
_PLACEHOLDER_SINCE = "2"


def is_side_log(sample: Sample) -> bool:
    """Tell whether a file is the log of a sub-agent."""
    events = [value for value in sample.values if isinstance(value, dict)]
    return any(isinstance(event.get("agentId"), str) and event.get("isSidechain") is True for event in events[:3])


class SessionFile:
    """One file of a session while its lines are read."""

    def __init__(self, log: EventLog, file: OpenFile, *, alone: bool) -> None:
        """Read into a log; `alone` says that the file is the only one of its group."""
        self.log = log
        self.account = file.account
        self.session = _session_of(file.sample)
        # A sub-agent's log that is opened without its session is a conversation of its own.
        self.alone = alone and is_side_log(file.sample)
        self.current = log.conversation(self.session, file.account)
        self.kept = 0
        self.steps: dict[str, _Step] = {}
        self.printed = Printed()

    def read(self, line: Line, number: int) -> None:
        """Read one event into the log."""
        log, account, uuid = self.log, self.account, line.uuid
        if line.session_id is not None:
            self._take_printed(line)
        if line.type == "stream_event":
            self._read_piece(line)
            return
        if uuid is not None and log.already_met(uuid, line.type if len(uuid) == 36 else _content_of(line), account, number):
            return
        self.kept += 1
        parent_id = line.parentUuid or line.logicalParentUuid
        parent = log.place_of(parent_id)
        draft = self._draft_of(line, parent)
        at = read_utc_millis(line.timestamp)
        if self.alone or (line.agentId is None and not line.isSidechain):
            thread = log.place_main(draft, parent, account)
        else:
            thread = log.place_side(draft, uuid, parent, line.agentId, account, is_root=parent_id is None, at=at, line=number)
        known = len(thread.parts)
        if line.message is None or line.type not in ("assistant", "user"):
            self._read_other(thread, line, at, number)
        elif line.type == "assistant":
            self._read_reply(thread, line, line.message, at, number)
        else:
            self._read_user(thread, line, line.message, at, number, parent)
        if len(thread.parts) == known:
            thread.say("system", "other", None, at, number, injected=True).extra = line.whole
        elif line.whole is not None and thread.parts[-1].extra is None:
            thread.parts[-1].extra = line.whole
        thread.pass_time(at)
        if uuid is not None:
            log.belongs(uuid, thread)

    def _take_printed(self, line: Line) -> None:
        """Take what was printed as the run went on for an event of the session: its fields have other names, and a sub-agent is named by the call above it."""
        line.sessionId = line.sessionId or line.session_id
        self.printed.take(line)
        started = self.printed.calls.get(line.parent_tool_use_id or "")
        if started is not None and line.agentId is None:
            line.agentId = line.parent_tool_use_id
            self.log.link(started[1].draft.row.conversation_id, str(line.agentId), *started)

    def _read_piece(self, line: Line) -> None:
        """Read a piece of a reply that is printed whole as well; only the end of it counts the reply's tokens."""
        end = self.printed.end_of_reply(line)
        step = self.steps.get(end.message_id) if end is not None else None
        if end is not None and step is not None:
            step.row.output_tokens = end.output_tokens if end.output_tokens is not None else step.row.output_tokens
            step.row.finish_reason = end.reason or step.row.finish_reason
        self.account.skip("streamed_piece")

    def close(self) -> None:
        """Account for the events that were read."""
        self.account.keep(self.kept)

    def _draft_of(self, line: Line, parent: TurnRow | Thread | None) -> ConversationDraft:
        """Return the conversation of an event: its session's, and for one that names none the first that the file names.

        A session that resumes another repeats its events, and puts its own id on some of them: only words of a person begin a conversation, all
        else stays in that of the event it follows.
        """
        session = line.sessionId or self.session
        if line.agentId is not None and not self.alone:
            session = self.log.home_of(line.agentId) or session
        elif parent is not None and parent.conversation_id != session and prompt_of(line) is None:
            session = parent.conversation_id
        draft = self.current
        if session != draft.row.conversation_id:
            draft = self.current = self.log.conversation(session, self.account)
        if draft.row.agent_version is None and line.version is not None:
            draft.row.agent_name, draft.row.agent_version = "claude-code", line.version
        if draft.row.agent_name is None and line.session_id is not None:
            draft.row.agent_name = "claude-code"
        if line.cwd is not None and "cwd" not in draft.labels:
            draft.labels["cwd"] = line.cwd
            if line.gitBranch:
                draft.labels["git_branch"] = line.gitBranch
        if line.timestamp is not None and len(line.timestamp) != 24 and read_time(line.timestamp).zone_assumed:
            draft.row.time_zone_assumed = True
        return draft

    def _read_reply(self, thread: Thread, line: Line, message: Message, at: Micros | None, number: int) -> None:
        self._ensure_turn(thread, line, at, number)
        if thread.agent_call is None:
            thread.draft.ended = False
        key = message.id or line.uuid or f"line {number}"
        step = self.steps.get(key) if message.id else None
        if step is None or step.thread is not thread or step.row.turn_id != (thread.turn.turn_id if thread.turn is not None else ""):
            started = thread.clock
            row = thread.step(line.uuid or f"{thread.agent_call_id}/{key}", message.model or "", started=started, at=at, line=number)
            step = self.steps[key] = _Step(row, thread)
        if step.message_index != thread.message_index:
            thread.new_message()
            step.message_index = thread.message_index
        step.update(line, message, at)
        blocks = blocks_of(message.content)
        for block in blocks:
            self._read_reply_block(thread, step.row, block, at, number)
        if line.isApiErrorMessage:
            step.fail(" ".join(block.text or "" for block in blocks))

    def _read_reply_block(self, thread: Thread, step: CallRow, block: Block, at: Micros | None, number: int) -> None:
        if block.type == "text":
            part = thread.say("assistant", "text", block.text, at, number, step=step)
        elif block.type == "thinking" or block.type == "redacted_thinking":
            part = thread.say("assistant", "reasoning", block.thinking or None, at, number, step=step)
            if block.signature or block.data:
                part.extra = to_json({"signature": block.signature} if block.signature else {"data": block.data})
        elif block.type == "tool_use" or block.type == "server_tool_use":
            name = block.name or ""
            call = thread.ask(block.id or f"{step.call_id}/{number}", block.id, name, raw_json(block.input), step=step, at=at, line=number)
            if name in _AGENT_TOOLS:
                self._note_agent(thread, call)
            self.printed.asked(block.id, call, thread)
            call.extra = block.extra
            return
        else:
            part = _say_other(thread, "assistant", block, at, number, step)
        if block.extra:
            part.extra = block.extra

    def _note_agent(self, thread: Thread, call: CallRow) -> None:
        arguments = call.input and msgspec.json.decode(call.input)
        if isinstance(arguments, dict):
            prompt, name = arguments.get("prompt"), arguments.get("subagent_type")
            self.log.starts_agent(call, thread, prompt if isinstance(prompt, str) else "", name if isinstance(name, str) else "")

    def _read_user(self, thread: Thread, line: Line, message: Message, at: Micros | None, number: int, parent: TurnRow | Thread | None) -> None:
        blocks = blocks_of(message.content)
        prompt = None if blocks and blocks[0].type == "tool_result" else prompt_of(line)
        if prompt is not None and thread.agent_call is None:
            before = parent if isinstance(parent, TurnRow) else None
            turn = thread.draft.start_turn(line.uuid or f"{thread.conversation_id}/{number}", self.account, at=at, line=number, parent=before)
            turn.prompt = prompt
        else:
            self._ensure_turn(thread, line, at, number)
            if prompt is not None:
                self.log.prompt_of_agent(thread, prompt)
        thread.new_message()
        for block in blocks:
            if is_result(block):
                self._read_result(thread, line, block, at, number)
            else:
                self._read_user_block(thread, block, at, number, injected=prompt is None or is_wrapper(block.text))
        if thread.agent_call is None:
            thread.draft.ended = True

    def _read_user_block(self, thread: Thread, block: Block, at: Micros | None, number: int, *, injected: bool) -> None:
        if block.type == "text":
            part = thread.say("user", "text", block.text, at, number, injected=injected)
            if is_interruption(block.text) and thread.turn is not None and thread.agent_call is None:
                thread.turn.state = "stopped"
        else:
            part = _say_other(thread, "user", block, at, number, None)
        if block.extra:
            part.extra = block.extra

    def _read_result(self, thread: Thread, line: Line, block: Block, at: Micros | None, number: int) -> None:
        text = _result_text(block)
        call = thread.answer(block.tool_use_id, text, at=at, line=number)
        details = memoryview(line.toolUseResult)
        if not isinstance(block.content, str):
            for inner in block.content or ():
                if inner.type != "text":
                    _say_other(thread, "tool", inner, at, number, None).call_id = call.call_id if call else None
        if call is None:
            return
        if details and details[0] != _QUOTE:
            result = b'{"toolUseResult":' + details + b"}"
            call.extra = result if call.extra is None else _merged(call.extra, result)
        if block.extra is not None:
            call.extra = block.extra if call.extra is None else _merged(call.extra, block.extra)
        if call.name in _AGENT_TOOLS:
            self._note_agent_log(thread, call, details, text)
        if block.is_error is False and not details and call.extra is None:
            # The only word on how it ended: a structured result has more.
            call.extra = _ENDED_WELL
        if block.is_error:
            self._fail(thread, call, line, text or "", number)
        if text is not None and not text.isascii():
            # A str with one character beyond Latin-1 takes two to four bytes for each, and would be turned into UTF-8 in the end.
            call.output = text.encode()

    def _note_agent_log(self, thread: Thread, call: CallRow, details: memoryview, text: str | None) -> None:
        """Find the id of the sub-agent's log: in the structured result, else in the words of the result."""
        result = msgspec.json.decode(details) if details else None
        agent_id = result.get("agentId") if isinstance(result, dict) else None
        if not isinstance(agent_id, str):
            agent_id = agent_id_in(text)
        if agent_id is not None:
            self.log.link(thread.draft.row.conversation_id, agent_id, call, thread)

    def _fail(self, thread: Thread, call: CallRow, line: Line, text: str, number: int) -> None:
        denial = denial_in(text, line.toolDenialKind)
        if denial is not None:
            call.error = first_line(text)
            by = "user" if denial.by_person else None
            question = Question(answer="no", answered_by=by, reason=denial.reason, asked_at=call.started_at, answered_at=call.ended_at, line=number)
            thread.draft.ask_person(call, question, self.account)
            return
        call.state, call.failed = "failed", True
        call.exit_code = exit_code_in(text)
        call.error = first_line(text.replace("<tool_use_error>", "").replace("</tool_use_error>", ""))

    def _read_other(self, thread: Thread, line: Line, at: Micros | None, number: int) -> None:
        draft, other = thread.draft, line.other or {}
        if line.type in ("summary", "ai-title", "custom-title"):
            title = other.get("summary") or other.get("aiTitle") or other.get("customTitle") or other.get("title")
            if isinstance(title, str):
                draft.row.title = title
        subtype = other.get("subtype")
        if subtype in ("turn_duration", "stop_hook_summary") or line.type == "result":
            draft.ended = True
        if line.type == "result" and thread.turn is not None and (other.get("is_error") is True or str(subtype).startswith("error")):
            thread.turn.state = "failed"
        thread.new_message()
        label = " ".join(str(word) for word in (line.type, subtype, other.get("content")) if isinstance(word, str) and word)
        thread.say("system", "other", label or None, at, number, injected=True).extra = line.whole

    def _ensure_turn(self, thread: Thread, line: Line, at: Micros | None, number: int) -> None:
        if thread.turn is None and thread.agent_call is None:
            thread.draft.start_turn(line.uuid or f"{thread.conversation_id}/{number}", self.account, at=at, line=number)


class _Step:
    """A model call while its lines come in."""

    def __init__(self, row: CallRow, thread: Thread) -> None:
        self.row = row
        self.thread = thread
        self.message_index = -2

    def update(self, line: Line, message: Message, at: Micros | None) -> None:
        """Take usage, stop reason and end from a line; later lines know more than earlier ones."""
        row = self.row
        if at is not None and (row.ended_at is None or at > row.ended_at):
            row.ended_at = at
        if message.stop_reason is not None:
            row.finish_reason = message.stop_reason
        usage = message.usage
        if usage is None or message.model == _NO_REPLY or not (usage.input_tokens or usage.output_tokens):
            return
        fresh, written, read = usage.input_tokens or 0, usage.cache_creation_input_tokens or 0, usage.cache_read_input_tokens or 0
        row.input_tokens = None if usage.input_tokens is None else fresh + written + read
        row.cache_write_tokens, row.cached_tokens = written, read
        partial = message.stop_reason is None and ((line.version or "") >= _PLACEHOLDER_SINCE or line.session_id is not None)
        row.output_tokens = row.output_tokens if partial else usage.output_tokens

    def fail(self, text: str) -> None:
        """Mark a reply that stands for an error of the service."""
        self.row.state, self.row.failed, self.row.error = "failed", True, first_line(text)


def _session_of(sample: Sample) -> str:
    """Return the session of lines that name none: the first one named, else a digest of how the file begins."""
    values = events_of(sample)
    named = (value.get("sessionId") or value.get("session_id") for value in values if isinstance(value, dict))
    begin = list(itertools.takewhile(lambda value: not isinstance(value, dict) or value.get("type") != "assistant", values))
    digest = digest_of(["claude_code", begin])
    return next((session for session in named if isinstance(session, str)), f"claude-{digest}")


def _content_of(line: Line) -> str:
    """Return what tells an event from another with the same id: a UUID needs no more than itself, but other ids are reused."""
    # What a session that resumes another writes anew on the events it repeats does not count.
    repeated = msgspec.structs.replace(line, sessionId=None, cwd=None, gitBranch=None, version=None)
    return msgspec.json.encode(repeated).decode()


def _result_text(block: Block) -> str | None:
    content = block.content
    if content is None or isinstance(content, str):
        return content
    return "\n".join(inner.text for inner in content if inner.type == "text" and inner.text is not None)


def _merged(extra: str | bytes, more: str | bytes) -> str:
    """Join two JSON objects of what was not read."""
    return to_json(msgspec.json.decode(extra) | msgspec.json.decode(more))


def _say_other(thread: Thread, role: str, block: Block, at: Micros | None, number: int, step: CallRow | None) -> PartRow:
    """Add an image, or a block of a kind that is not known, which is kept whole."""
    source = parse_json(raw_json(block.source) or b"null").value
    if block.type == "image" and isinstance(source, dict):
        data, kind = source.get("data") or source.get("url"), source.get("media_type")
        part = thread.say(role, "image", data if isinstance(data, str) else to_json(data), at, number, step=step)
        part.mime_type = kind if isinstance(kind, str) else None
        return part
    part = thread.say(role, "other", block.type, at, number, step=step)
    part.extra = to_json(block.known())
    return part
