"""SWE-agent trajectories (.traj): what was said is the history, and each step of the trajectory is one of its replies with what came of it.

An old command is text, so it is a call of `bash`; a newer one is a tool call with an id. Demonstrations that the prompt holds are no part of the run and
stand as injected messages. Records are the messages of the history and the steps: a step that the history tells already is merged, one that it lacks
is read from the trajectory. Places count the history, then the steps. Tokens and cost are recorded for the whole run only, so they stay in `extra`.

Rows of published collections of runs are read too: messages with `text` and the role `ai`, or the history as JSON in a text.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, as_extra, object_in, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._verdicts import error_in
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import is_message, said_in

_STEP_KEYS = ("action", "observation", "thought", "response")
_READ_STEP = frozenset({*_STEP_KEYS, "state", "execution_time", "query", "messages", "tool_calls", "tool_call_ids"})
_READ_MESSAGE = frozenset({"role", "content", "thought", "action", "tool_calls", "tool_call_ids", "message_type", "is_demo", "agent"})
_READ_RUN = frozenset({"trajectory", "history", "info", "replay_config", "environment", "row"})
_READ_ROW = frozenset({"instance_id", "model_name", "model", "target", "resolved", "traj_id"})
_ROLES = {"system": "system", "user": "user", "ai": "assistant"}
_BLOCK = re.compile(r"```[^\n`]*\n(.*?)\n?```", re.DOTALL)
_USUAL_AGENTS = ("primary", "main", None)
# How a run ended, by the beginning of its exit status; the agent's own end is `submitted` alone, and `submitted (exit_cost)` was cut off and then handed in.
_ENDS = (
    ("submitted (", "stopped"),
    ("submitted", "done"),
    ("exit_error", "failed"),
    ("exit_api", "failed"),
    ("exit_environment", "failed"),
    ("exit_", "stopped"),
    ("early_exit", "stopped"),
)


class _Step(NamedTuple):
    """A step of the trajectory, and its place."""

    place: int
    record: dict[str, Any]


def _matches(sample: Sample) -> bool:
    values = (sample.document,) if sample.shape == "document" else sample.values
    return any(_is_run(_unrowed(value)) for value in values)


def _unrowed(value: Any) -> Any:
    """Return the run that a row of a collection was made of; anything else as it is."""
    if not isinstance(value, dict) or "instance_id" not in value:
        return value
    listed, written = value.get("trajectory"), value.get("messages")
    if isinstance(listed, list) and listed and all(isinstance(item, dict) and str(item.get("role")) in _ROLES and "text" in item for item in listed[:5]):
        history: Any = [_message_of(item) if isinstance(item, dict) else item for item in listed]
    elif isinstance(written, str) and '"message_type"' in written:
        history, listed = parse_json(written.encode()).value, []
    else:
        return value
    if not isinstance(history, list):
        return value
    row = {name: item for name, item in value.items() if name not in ("trajectory", "exit_status", "messages" if not listed else "")}
    return {"history": history, "info": {"exit_status": value.get("exit_status")}, "row": row}


def _message_of(item: dict[str, Any]) -> dict[str, Any]:
    """Write a message of a row as the history holds it: its command is the last block of the text."""
    text = item.get("text") or item.get("system_prompt")
    rest = {name: field for name, field in item.items() if name not in ("role", "text", "system_prompt") and field not in (None, False)}
    message = {"role": _ROLES.get(str(item.get("role")), "user"), "content": text, "agent": "main", **rest}
    blocks = _BLOCK.findall(text) if isinstance(text, str) and item.get("role") == "ai" else []
    return message | ({"action": blocks[-1]} if blocks else {})


def _is_run(value: Any) -> bool:
    if not isinstance(value, dict) or "trajectory_format" in value:
        return False
    steps, history = value.get("trajectory"), value.get("history")
    if isinstance(steps, list) and any(isinstance(step, dict) and sum(key in step for key in _STEP_KEYS) > 1 for step in steps[:20]):
        return True
    return isinstance(history, list) and any(is_message(item) and "agent" in item for item in history[:20]) and "instance_id" not in value


def _keys(sample: Sample) -> set[str]:
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    return {_conversation_id(run) for run in map(_unrowed, values) if _is_run(run)}


def _conversation_id(run: dict[str, Any]) -> str:
    row = object_in(run, "row")
    named = row.get("traj_id")
    if isinstance(named, str) and named:
        return named
    history = run.get("history")
    messages: list[Any] = history if isinstance(history, list) else []
    before_reply = list(itertools.takewhile(lambda item: not isinstance(item, dict) or item.get("role") != "assistant" or _is_demo(item), messages))
    return f"swe-agent-{digest_of(['swe_agent', run.get('environment'), _problem(run) or row.get('instance_id'), before_reply])}"


def _config(run: dict[str, Any]) -> dict[str, Any]:
    """Return the configuration of the run, which some versions write as JSON in a text."""
    config = run.get("replay_config")
    if isinstance(config, str):
        config = parse_json(config.encode()).value
    return config if isinstance(config, dict) else {}


def _problem(run: dict[str, Any]) -> str | None:
    problem = _config(run).get("problem_statement")
    return text_of(problem.get("id")) if isinstance(problem, dict) else None


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        for place, value in ((place, _unrowed(value)) for place, value in read_values(file, on_bytes)):
            if _is_run(value):
                _Run(value, apart.start(_conversation_id(value), file.account, line=place), file.account).read()
            else:
                file.account.leave_out("no_trajectory", "The record is no trajectory of SWE-agent; it was left out.", line=place, excerpt=value)


class _Run:
    """Reads one trajectory."""

    def __init__(self, run: dict[str, Any], draft: ConversationDraft, account: Account) -> None:
        self.run = run
        self.draft = draft
        self.account = account
        self.messages = MessageList(draft.main, account)
        history, steps = run.get("history"), run.get("trajectory")
        self.history: list[Any] = history if isinstance(history, list) else []
        self.steps = list(self._steps(steps if isinstance(steps, list) else []))
        self.current: _Step | None = None
        self.begun = False

    def read(self) -> None:
        """Read the history, with the steps that belong to its replies, then the steps that it lacks."""
        for place, message in enumerate(self.history, 1):
            if is_message(message):
                self._read_message(message, place)
            else:
                self.account.leave_out("no_message", "It stands in the history and is no message; it was left out.", line=place, excerpt=message)
        self._settle_step()
        for step in self.steps:
            self._read_step(step, records=1)
        self.messages.finish()
        self._note_run()
        self.draft.finish()

    def _steps(self, steps: list[Any]) -> Iterator[_Step]:
        for place, step in enumerate(steps, len(self.history) + 1):
            if isinstance(step, dict):
                yield _Step(place, step)
            else:
                self.account.leave_out("no_step", "It stands in the trajectory and is no step; it was left out.", line=place, excerpt=step)

    def _read_message(self, message: dict[str, Any], place: int) -> None:
        demo = _is_demo(message)
        if message["role"] == "assistant" and not demo:
            self._settle_step()
            self._find_step(message)
            self.begun = True
            step = self.current.record if self.current is not None else {}
            self.messages.read([_said_reply(message, step, place)])
        elif self.begun and message["role"] in ("user", "tool", "function") and not demo:
            self._observe(message, place)
        else:
            self.messages.read([_said(message, place)._replace(injected=demo)])

    def _find_step(self, message: dict[str, Any]) -> None:
        """Find the step that a reply is, reading those before it that the history lacks."""
        found = next((index for index, step in enumerate(self.steps) if _is_step_of(step.record, message)), None)
        if found is None:
            return
        for step in self.steps[:found]:
            self._read_step(step, records=1)
        self.current = self.steps[found]
        self.steps = self.steps[found + 1 :]
        self.account.merge()

    def _observe(self, message: dict[str, Any], place: int) -> None:
        step = self.current.record if self.current is not None else {}
        said = _said(message, place)
        shown = "\n".join(piece.text or "" for piece in said.pieces)
        raw = step.get("observation")
        # A template stands around what the command wrote; only where it shows something else are both kept.
        differs = isinstance(raw, str) and raw.strip() not in shown
        extra = to_json(_said_of_step(step) | ({"observation": raw} if differs else {}) | _unread(message))
        ids = message.get("tool_call_ids")
        named = text_of(ids[0]) if isinstance(ids, list) and ids else None
        error = error_in(raw) if isinstance(raw, str) else None
        self._answer(said._replace(role="tool", result_of=said.result_of or named, error=error, extra=extra if extra != "{}" else None), step)
        self.current = None

    def _settle_step(self) -> None:
        """Read the observation of a step after whose reply the history holds none."""
        step, self.current = self.current, None
        if step is not None:
            self._observe_step(step)

    def _read_step(self, step: _Step, *, records: int) -> None:
        self.begun = True
        self.messages.read([_said_reply({"role": "assistant", "content": step.record.get("response")}, step.record, step.place)._replace(records=records)])
        self._observe_step(step)

    def _observe_step(self, step: _Step) -> None:
        observation = step.record.get("observation")
        if observation is None and not step.record.get("action"):
            return
        extra = _said_of_step(step.record)
        pieces = (Piece("text", text_of(observation)),) if observation is not None else ()
        self._answer(Said("tool", step.place, pieces, extra=as_extra(extra), records=0), step.record)

    def _answer(self, said: Said, step: dict[str, Any]) -> None:
        """Give a result to the call of the reply before it; without a call it was shown all the same, as of a reply that could not be understood."""
        last = self.draft.main.calls[-1] if self.draft.main.calls else None
        asked = last is not None and last.kind == "tool" and last.output is None and last.state is None
        self.messages.read([said if asked else said._replace(loose=True, result_of=None)])
        if asked and last is not None:
            last.seconds = amount_in(step.get("execution_time"))

    def _note_run(self) -> None:
        run, draft = self.run, self.draft
        info = run.get("info") if isinstance(run.get("info"), dict) else {}
        assert isinstance(info, dict)
        config = _config(run)
        agent = config.get("agent")
        model = agent.get("model") if isinstance(agent, dict) else None
        draft.row.agent_name = "SWE-agent"
        row = run.get("row") if isinstance(run.get("row"), dict) else {}
        assert isinstance(row, dict)
        draft.row.model = text_of(model.get("name")) if isinstance(model, dict) else text_of(row.get("model_name", row.get("model")))
        labels = {"exit_status": info.get("exit_status"), "task": _problem(run) or row.get("instance_id"), "environment": run.get("environment")}
        labels |= {"resolved": row.get("resolved", row.get("target"))}
        draft.extra |= rest_of(row, _READ_ROW)
        draft.labels |= {name: value for name, value in labels.items() if value is not None}
        draft.extra |= {name: value for name, value in info.items() if name != "exit_status" and value is not None}
        draft.extra |= rest_of(run, _READ_RUN)
        if run.get("info") is not None and not info:
            draft.extra["info"] = run["info"]
        if config or run.get("replay_config") is not None:
            draft.extra["replay_config"] = config or run["replay_config"]
        status = info.get("exit_status")
        if draft.turns and isinstance(status, str):
            draft.turns[-1].state = next((state for begin, state in _ENDS if status.startswith(begin)), None)
        self._note_repeated()

    def _note_repeated(self) -> None:
        steps = self.run.get("trajectory")
        repeated = sum(isinstance(step, dict) and ("query" in step or "messages" in step) for step in (steps if isinstance(steps, list) else []))
        if repeated:
            message = f"With {repeated:,} steps stands what was sent to the model, which repeats the history up to there; it is not kept again."
            self.account.diagnose("repeated_messages", message, severity="info", conversation_id=self.draft.row.conversation_id)


def _is_demo(message: dict[str, Any]) -> bool:
    return message.get("is_demo") is True or message.get("message_type") == "demonstration"


def _is_step_of(step: dict[str, Any], message: dict[str, Any]) -> bool:
    """Tell whether a step is a reply: their commands are the same, or where the history has none their words are."""
    if "action" in message:
        return str(step.get("action")).strip() == str(message["action"]).strip()
    return step.get("response") == message.get("content")


def _said(message: dict[str, Any], place: int) -> Said:
    """Say a message of the history with what of it is no field of Chat Completions."""
    known = {name: message[name] for name in ("role", "content", "tool_calls", "tool_call_id") if message.get(name) is not None}
    unread = _unread(message)
    return said_in(known, place)._replace(extra=as_extra(unread))


def _unread(message: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in message.items() if name not in _READ_MESSAGE and name != "tool_call_id" and value is not None}
    return rest if message.get("agent") in _USUAL_AGENTS else rest | {"agent": message["agent"]}


def _said_reply(message: dict[str, Any], step: dict[str, Any], place: int) -> Said:
    """Say a reply: its words, its thought where they do not hold it, and its command as a call."""
    known = message if message.get("tool_calls") else {**message, "tool_calls": step.get("tool_calls")}
    said = _said(known, place)
    words = "".join(piece.text or "" for piece in said.pieces)
    thought = next((item for item in (message.get("thought"), step.get("thought")) if isinstance(item, str)), "")
    hidden = (Piece("reasoning", thought),) if thought.strip() and thought.strip() not in words else ()
    action = next((item for item in (message.get("action"), step.get("action")) if item is not None), None)
    asked = said.asked
    if not asked and action not in ("", None) and str(action).strip():
        asked = (Asked(None, "bash", to_json({"command": action})),)
    unread = rest_of(step, _READ_STEP) | _unread(message)
    other = {name: step[name] for name in ("thought", "response") if step.get(name) and str(step[name]).strip() not in words and step[name] != thought}
    unread |= {"step": other} if other else {}
    return said._replace(pieces=(*hidden, *said.pieces), asked=asked, extra=as_extra(unread))


def _said_of_step(step: dict[str, Any]) -> dict[str, Any]:
    """Return where the command ran and which file was open, which old versions write as JSON in a text."""
    state = step.get("state")
    parsed = parse_json(state.encode()).value if isinstance(state, str) else state
    if not isinstance(parsed, dict):
        return {"state": state} if state is not None else {}
    rest = {name: value for name, value in parsed.items() if name != "working_dir" and value not in (None, "n/a")}
    return ({"cwd": parsed["working_dir"]} if "working_dir" in parsed else {}) | ({"state": rest} if rest else {})


READER = Reader(format="swe_agent", title="SWE-agent trajectory (.traj)", matches=_matches, keys=_keys, read=_read)
