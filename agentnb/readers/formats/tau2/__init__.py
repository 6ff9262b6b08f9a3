"""tau2-bench: results with their simulations, results whose simulations are files of their own, and single simulations, in text and by voice.

Every simulation is a conversation. The person is simulated too and may have tools: their calls belong to no model call, and say `requestor` in `extra`.
Records are the messages (of a voice simulation the ticks), the tasks and the info of a results file; ticks in which nobody speaks are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import rest_of, text_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.formats.tau2._messages import read_messages
from agentnb.readers.formats.tau2._ticks import read_ticks

_INFO = ("agent_info", "user_info", "environment_info")
_ALONE = "file"
_READ = frozenset({"id", "task_id", "trial", "messages", "ticks", "termination_reason", "timestamp", "start_time", "end_time"})
_LONG = frozenset({"policy", "global_simulation_guidelines", "tool_defs"})
_ENDS = {"user_stop": "done", "agent_stop": "done", "max_steps": "stopped", "too_many_errors": "stopped", "timeout": "stopped"}


class _Results(NamedTuple):
    """What a run of many simulations says of itself, and the folder of its file."""

    record: dict[str, Any]
    account: Account
    folder: PurePath


class _Found(NamedTuple):
    """A simulation, and the results it stands in; none when it is a file of its own."""

    record: dict[str, Any]
    account: Account
    results: _Results | None
    place: int
    folder: PurePath


def _matches(sample: Sample) -> bool:
    values = (sample.document,) if sample.shape == "document" else sample.values
    return any(_is_results(value) or _is_simulation(value) for value in values)


def _is_results(value: Any) -> bool:
    info = value.get("info") if isinstance(value, dict) else None
    return isinstance(info, dict) and sum(name in info for name in _INFO) > 1 and isinstance(value.get("tasks", value.get("simulations")), list)


def _is_simulation(value: Any) -> bool:
    return isinstance(value, dict) and "termination_reason" in value and "task_id" in value and _said_in(value) is not None


def _said_in(record: dict[str, Any]) -> list[Any] | None:
    """Return the ticks of a simulation by voice, else the messages."""
    return next((record[name] for name in ("ticks", "messages") if isinstance(record.get(name), list)), None)


def _keys(sample: Sample) -> set[str]:
    """Results and simulations share the ids of these; results that name none belong to the files beside or below them, which only their places tell."""
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    keys: set[str] = set()
    for value in values:
        if _is_simulation(value):
            keys |= {f"simulation/{value.get('id')}", _ALONE}
        elif _is_results(value):
            keys |= {f"simulation/{item['id']}" for item in _listed(value) if item.get("id") is not None}
            keys |= set() if _items(value.get("simulations")) else {_ALONE}
    return keys


def _listed(results: dict[str, Any]) -> list[dict[str, Any]]:
    return [*_items(results.get("simulations")), *_items(results.get("simulation_index"))]


def _items(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    reading = _Reading(rows)
    for file in files:
        for place, value in read_values(file, on_bytes):
            if _is_results(value):
                reading.add_results(_Results(value, file.account, file.path.parent))
            elif _is_simulation(value):
                reading.found.append(_Found(value, file.account, None, place, file.path.parent))
            else:
                file.account.leave_out("no_simulation", "The record is no simulation and no results of tau2; it was left out.", line=place, excerpt=value)
    reading.read()


class _Reading:
    """What is known while the files of a group are read."""

    def __init__(self, rows: Rows) -> None:
        self.apart = Apart(rows, READER.format)
        self.found: list[_Found] = []
        self.results: list[_Results] = []
        self.met: dict[str, list[Any]] = {}

    def add_results(self, results: _Results) -> None:
        """Note a results file, with the simulations that stand in it."""
        self.results.append(results)
        account, simulations = results.account, results.record.get("simulations")
        for place, item in enumerate(simulations if isinstance(simulations, list) else [], 1):
            if isinstance(item, dict) and _said_in(item) is not None:
                self.found.append(_Found(item, account, results, place, results.folder))
            else:
                account.leave_out("no_simulation", "It stands among the simulations and holds no messages; it was left out.", line=place, excerpt=item)

    def read(self) -> None:
        """Read the simulations, then account for what stands around them."""
        used: dict[int, set[str]] = {}
        for item in self.found:
            results = item.results or self._results_of(item)
            if results is not None:
                used.setdefault(id(results.record), set()).add(str(item.record.get("task_id")))
            self._read_simulation(item, results.record if results is not None else None)
        for results in self.results:
            self._account_for(results.record, results.account, used.get(id(results.record), set()))

    def _results_of(self, item: _Found) -> _Results | None:
        """Find the results of a simulation that is a file of its own: the ones that name it, else those in its folder or the one above."""
        named = (results for results in self.results if any(known.get("id") == item.record.get("id") for known in _listed(results.record)))
        near = (results for results in self.results if not _listed(results.record) and results.folder in (item.folder, item.folder.parent))
        return next(named, None) or next(near, None)

    def _read_simulation(self, item: _Found, results: dict[str, Any] | None) -> None:
        record, account = item.record, item.account
        said = _said_in(record) or []
        named = text_of(record.get("id")) or f"tau2-{record.get('task_id')}-{record.get('trial')}"
        if self.met.get(named) == said:
            account.merge(len(said))
            return
        self.met.setdefault(named, said)
        draft = self.apart.start(named, account, line=item.place)
        _note(draft, record, results, whole=results is not None and self.results and len(self.met) == 1)
        (read_ticks if isinstance(record.get("ticks"), list) else read_messages)(said, draft, account)
        if draft.turns:
            reason = record.get("termination_reason")
            draft.turns[-1].state = _ENDS.get(reason, "failed" if reason.endswith("error") else None) if isinstance(reason, str) else None
        draft.finish()
        _note_times(draft, record)

    def _account_for(self, results: dict[str, Any], account: Account, used: set[str]) -> None:
        account.keep() if used else account.skip("no_simulations")
        tasks = results.get("tasks")
        for task in tasks if isinstance(tasks, list) else []:
            if isinstance(task, dict) and str(task.get("id")) in used:
                account.keep()
            else:
                account.skip("task_without_simulation")
        if not used:
            message = "These results hold no simulation, and there is none in a file of its own beside or below them."
            account.diagnose("no_simulations", message, severity="info")


def _note(draft: ConversationDraft, record: dict[str, Any], results: dict[str, Any] | None, *, whole: bool | list[Any]) -> None:
    info = results.get("info") if results is not None else None
    info = info if isinstance(info, dict) else {}
    agent, environment = info.get("agent_info"), info.get("environment_info")
    reward = record.get("reward_info")
    labels = {
        "task_id": record.get("task_id"),
        "trial": record.get("trial"),
        "reward": reward.get("reward") if isinstance(reward, dict) else None,
        "termination_reason": record.get("termination_reason"),
        "domain": environment.get("domain_name") if isinstance(environment, dict) else None,
    }
    draft.labels |= {name: value for name, value in labels.items() if value is not None}
    draft.row.agent_name = text_of(agent.get("implementation")) if isinstance(agent, dict) else None
    draft.row.model = text_of(agent.get("llm")) if isinstance(agent, dict) else None
    draft.extra |= rest_of(record, _READ)
    task = next((item for item in _items(results.get("tasks")) if item.get("id") == record.get("task_id")), None) if results is not None else None
    if task is not None:
        draft.extra["task"] = task
    if info:
        # The policy and the guidelines are as long as a conversation: they stand with the first one.
        draft.extra["info"] = info if whole else _shortened(info)


def _shortened(info: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {key: item for key, item in value.items() if key not in _LONG} if isinstance(value, dict) else value
        for name, value in info.items()
        if name not in _LONG
    }


def _note_times(draft: ConversationDraft, record: dict[str, Any]) -> None:
    began, ended = read_time(record.get("start_time")), read_time(record.get("end_time"))
    draft.row.started_at = began.micros or draft.row.started_at
    draft.row.ended_at = ended.micros or draft.row.ended_at
    draft.row.time_zone_assumed |= began.zone_assumed or ended.zone_assumed


READER = Reader(format="tau2", title="tau2-bench (results, simulations, voice)", matches=_matches, keys=_keys, read=_read)
