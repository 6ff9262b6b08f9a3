"""Tools that older versions of Cline wrote as XML into the text, and the results that they wrote as words of the person."""

from __future__ import annotations

import re
from typing import NamedTuple

from agentnb.readers._fields import as_extra
from agentnb.readers.builders.message_list import Asked

_TOOLS = (
    "execute_command|read_file|write_to_file|replace_in_file|apply_diff|insert_content|search_and_replace|search_files|list_files|list_code_definition_names"
    "|codebase_search|browser_action|use_mcp_tool|access_mcp_resource|ask_followup_question|attempt_completion|plan_mode_respond|act_mode_respond|new_task"
    "|switch_mode|fetch_instructions|load_mcp_documentation|web_fetch|web_search|condense|summarize_task|new_rule|report_bug|update_todo_list"
)
_CALL = re.compile(rf"<({_TOOLS})>(.*?)</\1>", re.DOTALL)
_FIELD = re.compile(r"<(\w+)>(.*?)</\1>", re.DOTALL)
# What may itself hold tags goes on until the last end of it.
_LONG_FIELD = re.compile(r"<(content|diff|result|args|arguments)>(.*)</\1>", re.DOTALL)
_RESULT = re.compile(r"\s*\[[a-z]\w*(?: for '.*?'| in .*?)?\] Result:\s*", re.DOTALL)
_WRAPPED = re.compile(r"\s*<(task|user_message|feedback|answer)>\s*(.*?)\s*</\1>\s*", re.DOTALL)
_BESIDE = re.compile(r"\s*(?:<environment_details>|<explicit_instructions|\[ERROR\]|\[TASK RESUMPTION\]|# ?TODO|# task_progress|\[NOTE\])")
_FEEDBACK = re.compile(r"<feedback>\s*(.*?)\s*</feedback>", re.DOTALL)
_ERROR = re.compile(r"The tool execution failed with the following error:\s*<error>\s*(.*?)\s*</error>", re.DOTALL)
_EXIT_CODE = re.compile(r"\bExit code: (-?\d{1,9})\b")
_DENIED = "The user denied this operation."


class Asking(NamedTuple):
    """The text of a reply without its call, and the call."""

    text: str
    asked: tuple[Asked, ...]


class Judged(NamedTuple):
    """What the text of a result tells of how its call ended."""

    denied: bool
    reason: str | None
    """What the person said beside it."""
    failed: bool | None
    error: str | None
    exit_code: int | None


def asking_in(text: str) -> Asking:
    """Take the call out of a reply: these versions allow one in each."""
    call = _CALL.search(text)
    if call is None:
        return Asking(text, ())
    fields = {name: value.strip("\n") for name, value in _FIELD.findall(call[2])}
    if (long := _LONG_FIELD.search(call[2])) is not None:
        fields = {name: value for name, value in fields.items() if f"<{name}>" not in long[2]} | {long[1]: long[2].strip("\n")}
    return Asking(f"{text[: call.start()]}{text[call.end() :]}".strip("\n"), (Asked(None, call[1], as_extra(fields)),))


def result_in(text: str) -> str | None:
    """Return what follows the heading of a result; None of a text that is no result."""
    heading = _RESULT.match(text)
    return text[heading.end() :] if heading is not None else None


def unwrapped(text: str) -> str:
    """Return a person's words without the tags that the tool put around them."""
    found = _WRAPPED.fullmatch(text)
    return found[2] if found is not None else text


def is_beside(text: str) -> bool:
    """Tell whether a text is what the tool puts beside a person's words."""
    return _BESIDE.match(text) is not None


def task_in(texts: list[str]) -> str | None:
    """Return the words that started a task."""
    for text in texts:
        found = re.search(r"<task>\s*(.*?)\s*</task>", text, re.DOTALL)
        if found is not None:
            return found[1]
    return next((text for text in texts if not is_beside(text)), None)


def judge(text: str | None) -> Judged:
    """Tell how a call ended from the text of its result."""
    words = text or ""
    feedback = _FEEDBACK.search(words)
    denied = words.lstrip().startswith(_DENIED)
    error = _ERROR.search(words[:4000])
    code = _EXIT_CODE.search(words[:400])
    return Judged(
        denied, feedback[1] if feedback is not None else None, True if error is not None else None, error[1][:500] if error is not None else None,
        int(code[1]) if code is not None else None,
    )  # fmt: skip
