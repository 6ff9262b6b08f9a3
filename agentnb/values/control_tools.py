"""Which tools decide instead of acting? Names by which agents ask a person, finish, or hand over to another agent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final

from agentnb.values.decisions import ControlToolRole

ASK: Final = frozenset({"ask_user", "askuserquestion", "ask_followup_question", "request_user_input", "ask_clarification", "ask_human"})
"""Tools that put a question to the person and wait, in lower case."""
FINISH: Final = frozenset({"complete_task", "mark_task_complete", "attempt_completion", "final_answer", "task_complete", "finish", "submit"})
"""Tools by which an agent says that it is done."""
WRITE_PAYLOAD: Final = frozenset({"payload_change_request"})
"""Tools that write to a payload which the loop carries on."""
HAND_OVER: Final = {
    "task": "subagent_type",
    "agent": "subagent_type",
    "runsubagent": "agentName",
    "spawn_agent": "agent_type",
    "transfer_to_agent": "agent_name",
    "delegate": "agent",
    "new_task": "mode",
    "delegate work to coworker": "coworker",
    "ask question to coworker": "coworker",
    "delegate_work_to_coworker": "coworker",
    "ask_question_to_coworker": "coworker",
}
"""Tools that start another agent, with the argument that names it."""
_ANSWERS: Final = ("message", "result", "final_answer", "answer", "summary", "text", "output")
"""Arguments in which a finishing tool takes the answer."""
_PREFIXES = ("delegate_to_", "transfer_to_")
# Handing over to people ends the agent's part, and starts no agent.
_PEOPLE = ("human", "person", "people", "support")


def control_tools(calls: Iterable[tuple[str, str | None]]) -> dict[str, ControlToolRole]:
    """Find the control tools among the calls of one model turn, by their names alone; ours, since a recording does not say which tools are.

    Args:
        calls: name and arguments (JSON) of each call.

    Returns:
        The role of each tool that has one. A tool that starts another agent has the agent's name as its calls tell it, else its own; of two calls that
        name different agents its own as well, since a role belongs to the tool.
    """
    roles: dict[str, ControlToolRole] = {}
    for name, arguments in calls:
        role = _role(name, arguments)
        if role is None:
            continue
        known = roles.get(name)
        roles[name] = role if known is None or known == role else ControlToolRole(kind="subAgent", name=name)
    return roles


def handed_in(name: str, arguments: str | None) -> str | None:
    """Return the words that a finishing tool takes as the answer, such as the `message` of `finish`; empty without any, None for any other tool."""
    if name.lower() not in FINISH:
        return None
    given = _read(arguments)
    # Some recordings write the arguments as the text of a text.
    given = _read(given) if isinstance(given, str) else given
    found = (given.get(key) for key in _ANSWERS) if isinstance(given, dict) else ()
    return next((words for words in found if isinstance(words, str) and words.strip()), "")


def _role(name: str, arguments: str | None) -> ControlToolRole | None:
    word = name.lower()
    if word in ASK:
        return ControlToolRole(kind="chat")
    if word in FINISH:
        return ControlToolRole(kind="taskComplete")
    if word in WRITE_PAYLOAD:
        return ControlToolRole(kind="payloadChange")
    if word in HAND_OVER:
        return ControlToolRole(kind="subAgent", name=_named(arguments, HAND_OVER[word]) or name)
    prefix = next((prefix for prefix in _PREFIXES if word.startswith(prefix) and len(word) > len(prefix)), None)
    if prefix is None or word.removeprefix(prefix).startswith(_PEOPLE):
        return None
    return ControlToolRole(kind="subAgent", name=name[len(prefix) :])


def _named(arguments: str | None, argument: str) -> str | None:
    given = _read(arguments)
    name = given.get(argument) if isinstance(given, dict) else None
    return name if isinstance(name, str) and name else None


def _read(arguments: str | None) -> Any:
    try:
        return json.loads(arguments or "null", strict=False)
    except (ValueError, RecursionError):
        return None
