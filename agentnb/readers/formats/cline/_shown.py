"""What the extension showed to a person: requests with their costs, words, tools, and what the person was asked to allow."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._fields import amount_in, count_in, text_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.message_list import Asked

CALLS = {
    "tool": None,
    "command": "execute_command",
    "use_mcp_server": "use_mcp_tool",
    "browser_action_launch": "browser_action",
    "browser_action": "browser_action",
}
"""What is shown of a call, and the name of its tool; None where the text names it."""

TOLD = frozenset({"task", "text", "reasoning", "command_output", "completion_result", "user_feedback", "followup", "plan_mode_respond", *CALLS})
"""What the messages that were sent to the model tell as well."""

_ANSWERS: dict[str, Literal["yes", "no"]] = {"yesButtonClicked": "yes", "noButtonClicked": "no", "messageResponse": "no"}
_NAMES = {
    "readFile": "read_file",
    "editedExistingFile": "replace_in_file",
    "newFileCreated": "write_to_file",
    "appliedDiff": "apply_diff",
    "insertContent": "insert_content",
    "listFilesTopLevel": "list_files",
    "listFilesRecursive": "list_files",
    "listCodeDefinitionNames": "list_code_definition_names",
    "searchFiles": "search_files",
    "codebaseSearch": "codebase_search",
    "webFetch": "web_fetch",
    "fileDeleted": "delete_file",
    "newTask": "new_task",
    "switchMode": "switch_mode",
}


class Shown(NamedTuple):
    """One message as it was shown; of one that was shown while it came only the last state."""

    value: dict[str, Any]
    place: int
    repeats: int
    """How many messages before it were states of the same."""

    @property
    def kind(self) -> str:
        """What is said or asked."""
        return text_of(self.value.get(str(self.value["type"]))) or ""

    @property
    def asks(self) -> bool:
        """Whether the person was asked."""
        return bool(self.value["type"] == "ask")

    @property
    def text(self) -> str | None:
        """Its text."""
        return text_of(self.value.get("text"))

    @property
    def at(self) -> int | None:
        """When it was shown first."""
        return read_time(self.value.get("ts")).micros

    @property
    def sent(self) -> int | None:
        """Place of the last message that had been sent when it was shown, from 0."""
        index = self.value.get("conversationHistoryIndex")
        return index if type(index) is int else None

    def object(self) -> dict[str, Any]:
        """Return the object that its text holds as JSON."""
        parsed = parse_json((self.text or "").encode("utf-8", "backslashreplace"))
        return parsed.value if parsed.ok and isinstance(parsed.value, dict) else {}


def is_shown(value: Any) -> bool:
    """Tell whether a value is a message as it was shown."""
    return isinstance(value, dict) and value.get("type") in ("say", "ask") and isinstance(value.get(value["type"]), str) and "ts" in value


def shown_task(values: list[Any]) -> str | None:
    """Return the words that started a task."""
    known = [value for value in values if is_shown(value)]
    return next((value["text"] for value in known if value.get("say") in ("task", "text", "user_feedback") and isinstance(value.get("text"), str)), None)


def shown_in(values: list[Any]) -> list[Shown]:
    """Return the messages of a list that are some, each once: those with the same time and kind are states of one that came piece by piece."""
    shown: list[Shown] = []
    for place, value in enumerate(values, 1):
        if not is_shown(value):
            continue
        item = Shown(value, place, 0)
        last = shown[-1] if shown else None
        if last is not None and last.value.get("partial") is True and (last.value["type"], last.kind) == (item.value["type"], item.kind):
            shown[-1] = item._replace(repeats=last.repeats + 1)
        else:
            shown.append(item)
    return shown


def usage_in(request: Shown) -> dict[str, Any]:
    """Return the columns of a model call that a request tells; what was cached is counted beside the other input."""
    told = request.object()
    fresh, read, written = (count_in(told.get(name)) for name in ("tokensIn", "cacheReads", "cacheWrites"))
    sent = [count for count in (fresh, read, written) if count is not None]
    if not any((*sent, count_in(told.get("tokensOut")))):
        return {}
    found = {
        "input_tokens": sum(sent) if sent else None,
        "output_tokens": count_in(told.get("tokensOut")),
        "cached_tokens": read,
        "cache_write_tokens": written,
        "cost": amount_in(told.get("cost")),
    }
    return {column: value for column, value in found.items() if value is not None}


def error_in(request: Shown) -> str | None:
    """Return why a request has no reply."""
    told = request.object()
    return text_of(told.get("streamingFailedMessage")) or (
        f"The request was cancelled: {told['cancelReason']}." if isinstance(told.get("cancelReason"), str) else None
    )


def asked_in(shown: Shown) -> Asked:
    """Return a call as it was shown."""
    told = shown.object() if shown.kind != "command" else {}
    tool = told.get("tool") or told.get("toolName")
    name = CALLS.get(shown.kind) or (_NAMES.get(tool, tool) if isinstance(tool, str) else shown.kind)
    rest = {key: item for key, item in told.items() if key != "tool"} or ({"command": shown.text} if shown.kind == "command" else {"text": shown.text})
    return Asked(None, name, to_json(rest))


def question_in(shown: Shown, following: list[Shown]) -> Question | None:
    """Return what the person was asked about a call, with the answer where it was recorded or what came next tells it."""
    if not shown.asks:
        return None
    answered = shown.value.get("askResponse") or shown.value.get("messageResponse")
    answer = _ANSWERS.get(answered) if isinstance(answered, str) else None
    question = Question(shown.kind, answer, asked_at=shown.at, line=shown.place)
    after = following[0] if following else None
    if answer is not None or after is None:
        return question
    if after.kind == "command_output" and not after.asks:
        return question._replace(answer="yes", answered_at=after.at)
    request = text_of(after.object().get("request")) or "" if after.kind == "api_req_started" else ""
    if "The user denied this operation" in request:
        return question._replace(answer="no", answered_at=after.at)
    return question._replace(answer="yes", answered_at=after.at) if "] Result:" in request else question
