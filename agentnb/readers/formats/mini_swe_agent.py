"""mini-swe-agent trajectories: a block of bash in a reply is the call, and the next message is what came of it, with its exit code.

The first version writes a plain list of messages, or an object with `trajectory_format`; the second one asks with tool calls, ends with a message of the
role `exit`, and says under `extra` of each message what ran and what it cost. A list is told from any other chat by a command and a return code.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, as_extra, extra_of, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers._verdicts import first_line
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import content_of, is_message, said_in, usage_in
from agentnb.readers.dialects.responses import usage_in as usage_of_response

_BLOCK = re.compile(r"```(?:mswea_bash_command|bash)\s*\n(.*?)\n```", re.DOTALL)
_RETURN_CODE = re.compile(r"\s*<returncode>\s*(-?\d{1,9})\s*</returncode>")
_OUTPUT = re.compile(r"\s*<returncode>.*?</returncode>\s*(?:<output>)?|</output>\s*\Z", re.DOTALL)
_READ_EXTRA = frozenset({"actions", "response", "cost", "timestamp", "returncode"})
_READ_RESPONSE = frozenset({"choices", "usage", "model", "object", "output"})
_READ_RUN = frozenset({"messages", "info"})
_ENDS = {"Submitted": "done", "LimitsExceeded": "stopped", "TimeExceeded": "stopped", "UserInterruption": "interrupted"}


def _matches(sample: Sample) -> bool:
    values = (sample.document,) if sample.shape == "document" else sample.values
    return any(map(_is_run, values))


def _is_run(value: Any) -> bool:
    if isinstance(value, dict):
        return str(value.get("trajectory_format", "")).startswith("mini-swe-agent") and isinstance(value.get("messages"), list)
    messages = value[:60] if isinstance(value, list) else []
    texts = [(item.get("role"), item["content"]) for item in messages if isinstance(item, dict) and isinstance(item.get("content"), str)]
    asked = any(role == "assistant" and _BLOCK.search(text) for role, text in texts)
    return asked and any(role == "user" and _RETURN_CODE.match(text) for role, text in texts)


def _keys(sample: Sample) -> set[str]:
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    return {_conversation_id(value) for value in values if _is_run(value)}


def _messages_of(run: Any) -> list[Any]:
    return list(run["messages"]) if isinstance(run, dict) else list(run)


def _info(run: Any) -> dict[str, Any]:
    info = run.get("info") if isinstance(run, dict) else None
    return info if isinstance(info, dict) else {}


def _conversation_id(run: Any) -> str:
    begin = list(itertools.takewhile(lambda item: isinstance(item, dict) and item.get("role") in ("system", "user"), _messages_of(run)))
    words = [[item.get("role"), item.get("content")] for item in begin]
    instance = run.get("instance_id") if isinstance(run, dict) else None
    return f"mini-swe-agent-{digest_of(['mini_swe_agent', instance, words])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        for place, value in read_values(file, on_bytes):
            if _is_run(value):
                _Run(value, apart.start(_conversation_id(value), file.account, line=place), file.account).read()
            else:
                file.account.leave_out("no_trajectory", "The record is no trajectory of mini-swe-agent; it was left out.", line=place, excerpt=value)


class _Run:
    """Reads one trajectory; a record is a message."""

    def __init__(self, run: Any, draft: ConversationDraft, account: Account) -> None:
        self.run = run
        self.draft = draft
        self.account = account
        self.messages = MessageList(draft.main, account)
        self.waiting = 0
        self.begun = False

    def read(self) -> None:
        """Read the messages, then what is said of the run."""
        for place, message in enumerate(_messages_of(self.run), 1):
            for said in self._said(message, place):
                self.messages.read([said])
        self.messages.finish()
        self._note_run()
        self.draft.finish()

    def _said(self, message: Any, place: int) -> list[Said]:
        if isinstance(message, dict) and message.get("role") == "exit":
            return self._end(message, place)
        if isinstance(message, dict) and message.get("type") == "function_call_output":
            message = {**message, "role": "tool", "tool_call_id": message.get("call_id"), "content": message.get("output")}
        if isinstance(message, dict) and message.get("object") == "response" and isinstance(message.get("output"), list):
            return [self._reply(_chat_of(message), place)]
        if not is_message(message):
            self.account.leave_out("no_message", "It stands among the messages and is none; it was left out.", line=place, excerpt=message)
            return []
        if message["role"] == "assistant":
            return [self._reply(message, place)]
        refused = _refused(message)
        if refused is not None:
            return [self._reply(refused, place)._replace(records=0), self._result(message, place)]
        if self.begun and message["role"] in ("user", "tool"):
            return [self._result(message, place)]
        return [self._with_extra(_plain(message, place), message)]

    def _end(self, message: dict[str, Any], place: int) -> list[Said]:
        """Say how the run ended; the command that handed the work in ran, though its result is the end itself."""
        status = self.draft.labels["exit_status"] = _extra(message).get("exit_status")
        text = text_of(message.get("content"))
        end = self._with_extra(Said("system", place, (Piece("text", text),) if text else (Piece("other", "exit"),), injected=True), message)
        if status != "Submitted" or self.waiting != 1:
            return [end]
        return [Said("tool", place, at=end.at, zone_assumed=end.zone_assumed, records=0), end]

    def _reply(self, message: dict[str, Any], place: int) -> Said:
        self.begun = True
        said = self._with_extra(_plain(message, place), message)
        asked = said.asked or tuple(map(_asked, _commands(message)))
        self.waiting = len(asked)
        extra = _extra(message)
        response = extra.get("response") if isinstance(extra.get("response"), dict) else message
        assert isinstance(response, dict)
        cost = amount_in(extra.get("cost"))
        usage = usage_of_response(response.get("usage")) if "object" in message else usage_in(response.get("usage"))
        usage |= {"cost": cost} if cost is not None else {}
        began, ended = read_time(message.get("created_at")), read_time(message.get("completed_at"))
        said = said._replace(at=said.at or ended.micros, started=began.micros if ended.micros is not None else None)
        return said._replace(asked=asked, usage=usage, model=text_of(response.get("model")), finish_reason=_finish(response))

    def _result(self, message: dict[str, Any], place: int) -> Said:
        said = self._with_extra(_plain(message, place), message)
        text = content_of(message)
        code = _extra(message).get("returncode")
        match = _RETURN_CODE.match(text)
        code = code if type(code) is int and abs(code) < 2**31 else int(match.group(1)) if match else None
        loose = self.waiting == 0
        self.waiting -= not loose
        error = first_line(_OUTPUT.sub("", text)) or None if code else None
        return said._replace(role="tool", loose=loose, exit_code=code, error=error, result_of=None if loose else said.result_of)

    def _with_extra(self, said: Said, message: dict[str, Any]) -> Said:
        extra = _extra(message)
        time = read_time(extra.get("timestamp"))
        known = set(_read_keys(message))
        rest = rest_of(message, known)
        response = extra.get("response")
        if isinstance(response, dict):
            rest |= {"response": found} if (found := rest_of(response, _READ_RESPONSE)) else {}
        rest |= {name: value for name, value in extra.items() if name not in _READ_EXTRA and value is not None and not _is_shown(value, message)}
        return said._replace(at=time.micros, zone_assumed=time.zone_assumed, extra=as_extra(rest))

    def _note_run(self) -> None:
        draft, info = self.draft, _info(self.run)
        config = info.get("config")
        model = config.get("model") if isinstance(config, dict) else None
        draft.row.agent_name, draft.row.agent_version = "mini-swe-agent", text_of(info.get("mini_version"))
        if draft.row.model is None and isinstance(model, dict):
            draft.row.model = text_of(model.get("model_name"))
        if isinstance(self.run, dict):
            draft.extra |= rest_of(self.run, _READ_RUN)
            if self.run.get("instance_id") is not None:
                draft.labels["task"] = draft.extra.pop("instance_id")
        status = info.get("exit_status") or draft.labels.pop("exit_status", None)
        if status is not None:
            draft.labels["exit_status"] = status
        draft.extra |= rest_of(info, ("exit_status", "mini_version"))
        if draft.turns and isinstance(status, str) and status:
            # What is neither the agent's own end nor a limit is the name of an exception.
            draft.turns[-1].state = _ENDS.get(status, "failed")


def _read_keys(message: dict[str, Any]) -> tuple[str, ...]:
    """Return the fields of a message that are read."""
    reply = ("id", "object", "created", "created_at", "completed_at", "model", "usage", "choices", "finish_reason") if "object" in message else ()
    result = ("type", "call_id", "output") if message.get("type") == "function_call_output" else ()
    return ("role", "content", "tool_calls", "tool_call_id", "name", "extra", "reasoning_content", "refusal", *reply, *result)


def _plain(message: dict[str, Any], place: int) -> Said:
    return said_in({name: value for name, value in message.items() if name not in ("extra", "timestamp", "created_at")}, place)


def _extra(message: Any) -> dict[str, Any]:
    extra = message.get("extra") if isinstance(message, dict) else None
    return extra if isinstance(extra, dict) else {}


def _is_shown(value: Any, message: dict[str, Any]) -> bool:
    """Tell whether a text stands in the message itself, as the raw output does inside its template."""
    return isinstance(value, str) and value.strip() in content_of(message)


def _refused(message: dict[str, Any]) -> dict[str, Any] | None:
    """Return the reply that a message refuses: one that the tool could not understand stands nowhere else."""
    extra = _extra(message)
    response = extra.get("response") if message["role"] == "user" else None
    if not isinstance(response, dict):
        return None
    ran: dict[str, Any] = {"actions": [], "cost": extra.get("cost")}
    if isinstance(response.get("output"), list):
        reply: Any = {**_chat_of(response), "object": "response"}
    else:
        choices = response.get("choices")
        reply = choices[0].get("message") if isinstance(choices, list) and choices and isinstance(choices[0], dict) else None
        ran["response"] = response
    # What it asked for never ran.
    return {**reply, "role": "assistant", "tool_calls": None, "refused": reply.get("tool_calls") or None, "extra": ran} if isinstance(reply, dict) else None


def _commands(message: dict[str, Any]) -> list[Any]:
    """Return the commands of a reply: as the tool found them, else the blocks in its words; more or fewer than one were refused by old versions."""
    actions = _extra(message).get("actions")
    if isinstance(actions, list):
        return actions
    blocks: list[Any] = _BLOCK.findall(content_of(message))
    return blocks if len(blocks) == 1 else []


def _asked(action: Any) -> Asked:
    if not isinstance(action, dict) or "command" not in action:
        return Asked(None, "bash", to_json({"command": action}))
    return Asked(text_of(action.get("tool_call_id")), "bash", to_json({"command": action["command"]}), extra_of(action, ("command", "tool_call_id")))


def _finish(response: dict[str, Any]) -> str | None:
    choices = response.get("choices")
    first = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    return text_of(first.get("finish_reason"))


def _chat_of(response: dict[str, Any]) -> dict[str, Any]:
    """Write a reply of the Responses API as a message: its texts, its reasoning and its calls."""
    items = [item for item in response["output"] if isinstance(item, dict)]
    blocks = [block for item in items if item.get("type") == "message" and isinstance(item.get("content"), list) for block in item["content"]]
    text = "\n\n".join(block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str))
    calls = [{"id": item.get("call_id"), "function": item} for item in items if item.get("type") == "function_call"]
    rest = {name: value for name, value in response.items() if name != "output"}
    thoughts = [text for item in items if item.get("type") == "reasoning" for text in _thoughts(item)]
    others = [item for item in items if item.get("type") not in ("message", "function_call") and not (item.get("type") == "reasoning" and _thoughts(item))]
    hidden = [{"id": item.get("id"), "encrypted_content": item["encrypted_content"]} for item in items if item.get("encrypted_content") and item not in others]
    chat = {**rest, "role": "assistant", "content": text, "tool_calls": calls} | ({"reasoning_content": "\n\n".join(thoughts)} if thoughts else {})
    return chat | ({"output_items": others + hidden} if others or hidden else {})


def _thoughts(item: dict[str, Any]) -> list[str]:
    blocks = [block for name in ("summary", "content") if isinstance(item.get(name), list) for block in item[name]]
    return [block["text"] for block in blocks if isinstance(block, dict) and isinstance(block.get("text"), str) and block["text"]]


READER = Reader(format="mini_swe_agent", title="mini-swe-agent trajectory", matches=_matches, keys=_keys, read=_read)
