"""How long from an Inspect log of some 20,000 messages to one row a message, against Inspect's own messages_df with equal columns?

The log is made here, in the layout that Inspect writes since 2025, and is the same each time. Where `AGENTNB_PEERS_PYTHON` names an interpreter in which
inspect_ai and pandas can be imported, its messages_df reads the same log; what is compared is CPU time, without imports, the best of several runs.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import agentnb as anb

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.readers import find_files, read_group, survey_files, without_garbage_collection
from tests.benchmarks.measure import Times, best_times

_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_MODEL = "openai/gpt-5-mini"
_WORDS = ("the", "file", "test", "fails", "line", "reads", "value", "error", "path", "build", "module", "is", "not", "found", "naïve", "größe", "→", "ok")
_TOOL = {
    "name": "bash",
    "description": "Runs a command.",
    "parameters": {
        "type": "object",
        "properties": {"cmd": {"type": "string", "description": "The command."}},
        "required": ["cmd"],
        "additionalProperties": False,
    },
}
_ROUNDS = 5

ROWS = """
select c.conversation_id, json_extract_string(c.labels, '$.task') as task, json_extract_string(c.labels, '$.sample') as sample_id,
    json_extract(c.labels, '$.epoch') as epoch, c.model, p.message_index, p.role, p.content, t.tool_call_id, t.name as tool_call_function,
    t.error as tool_call_error, a.tool_calls
from (
    select conversation_id, message_index, any_value(role) as role, any_value(step_id) as step_id,
        any_value(call_id) filter (where type = 'tool_result') as call_id, string_agg(text, chr(10) || chr(10) order by part_index) as content
    from parts group by all
) as p
join conversations as c using (conversation_id)
left join calls as t on t.call_id = p.call_id and t.conversation_id = p.conversation_id
left join (
    select conversation_id, step_id, string_agg(name || '(' || input || ')', chr(10) order by call_index) as tool_calls
    from calls where kind = 'tool' group by all
) as a on a.step_id = p.step_id and a.conversation_id = p.conversation_id
order by c.conversation_id, p.message_index
"""
"""The columns of messages_df: which run and sample, role and content, what was called, and for a result of which call it is."""

_PEER = """
import sys, time, json
from inspect_ai.analysis import messages_df
best = float("inf")
for _ in range(int(sys.argv[2])):
    begun = time.process_time()
    frame = messages_df(sys.argv[1], quiet=True)
    best = min(best, time.process_time() - begun)
print(json.dumps({"rows": len(frame), "columns": list(frame.columns), "cpu": best}))
"""


def main(samples: int = 200, steps: int = 50) -> None:
    """Print the times of reading, of reading into tables and of the rows, and what they are of the peer's."""
    with tempfile.TemporaryDirectory() as folder:
        path = write_inspect_log(Path(folder, "2026-01-05T09-00-00-00-00_fix-bugs_bench.eval"), samples=samples, steps=steps)
        sys.stdout.write(f"a log of {path.stat().st_size / 1e6:,.1f} MB, {samples:,} samples, {samples * (2 * steps + 3):,} messages\n")
        times = best_times({"read": lambda: _read(path), "anb.open": lambda: _open(path, ""), "anb.open and rows": lambda: _open(path, ROWS)}, rounds=_ROUNDS)
        for name, took in times.items():
            sys.stdout.write(f"{name:18} {took.wall:7.3f} s wall {took.cpu:7.3f} s cpu\n")
        _print_peer(path, times)


def write_inspect_log(path: Path, *, samples: int, steps: int, seed: int = 1) -> Path:
    """Write a log as Inspect does: samples of an agent that calls one tool again and again.

    Args:
        path: where to write.
        samples: number of samples.
        steps: calls of the model in each that ask for a tool; one more gives the answer.
        seed: of the random choices; equal seeds give equal files.

    Returns:
        The path.
    """
    rng = random.Random(seed)
    summaries: list[dict[str, Any]] = []
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        _write(archive, "_journal/start.json", {"version": 2, "eval": _run(samples), "plan": {"name": "plan", "steps": [], "config": {}}})
        for number in range(1, samples + 1):
            sample = _Sample(rng, number, steps).made()
            _write(archive, f"samples/{number}_epoch_1.json", sample)
            summaries.append({key: sample[key] for key in ("id", "epoch", "input", "target", "scores", "model_usage", "uuid")} | {"completed": True})
        _write(archive, "_journal/summaries/1.json", summaries)
        _write(archive, "summaries.json", summaries)
        _write(archive, "header.json", _header(samples))
    return path


class _Sample:
    """One sample, while it is made."""

    def __init__(self, rng: random.Random, number: int, steps: int) -> None:
        self.rng = rng
        self.number = number
        self.steps = steps
        self.now = _START + timedelta(minutes=number)
        self.messages: list[dict[str, Any]] = []
        self.events: list[dict[str, Any]] = []
        self.attachments: dict[str, str] = {}
        self.pool: list[dict[str, Any]] = []

    def made(self) -> dict[str, Any]:
        task = self.text(80)
        self.begin(task)
        for step in range(self.steps):
            self.call(step)
        self.reply(self.text(300), [])
        score = {"value": self.rng.choice(("C", "I")), "answer": "fixed", "explanation": self.text(80)}
        self.event("score", score=score, target="fixed", intermediate=False)
        usage = {"input_tokens": 2000 * self.steps, "output_tokens": 60 * self.steps, "total_tokens": 2060 * self.steps}
        return {
            "id": self.number, "epoch": 1, "input": task, "target": "fixed", "messages": self.messages, "output": self.output(self.messages[-1]),
            "scores": {"match": score}, "metadata": {}, "store": {}, "events": self.events, "model_usage": {_MODEL: usage}, "total_time": 60.0,
            "working_time": 50.0, "uuid": self.id(), "attachments": self.attachments, "events_data": {"messages": self.pool, "calls": []},
        }  # fmt: skip

    def begin(self, task: str) -> None:
        self.say({"id": self.id(), "content": "You mend programs.", "role": "system"})
        self.say({"id": self.id(), "content": task, "source": "input", "role": "user"})
        state = {"messages": list(self.messages), "tools": [], "tool_choice": None, "store": {}, "output": {"model": _MODEL, "choices": []}, "completed": False}
        self.event("sample_init", sample={"input": task, "target": "fixed", "id": self.number}, state=state | {"metadata": {}})

    def say(self, message: dict[str, Any]) -> None:
        """Add a message, and to the pool of what models were sent, where long texts are attachments."""
        self.messages.append(message)
        self.pool.append(message | {"content": self.attached(message["content"])})

    def call(self, step: int) -> None:
        named, arguments = f"call_{self.number}_{step}", {"cmd": self.text(60)}
        self.reply(self.text(90), [{"id": named, "function": "bash", "arguments": arguments, "type": "function"}])
        span, shown, begun = self.id(), self.text(400), self.time()
        result = {"id": self.id(), "content": shown, "role": "tool", "tool_call_id": named, "function": "bash"}
        self.event("span_begin", id=span, type="tool", name="bash", parent_id="solver")
        fields = {"id": named, "function": "bash", "arguments": arguments, "result": self.attached(shown), "message_id": result["id"]}
        self.event("tool", timestamp=begun, type="function", events=[], completed=self.time(), working_time=0.1, **fields)
        ran = {"action": "exec", "cmd": f"bash --login -c {arguments['cmd']}", "options": {}, "result": int(step % 9 == 8), "output": self.attached(shown)}
        self.event("sandbox", span_id=span, **ran)
        self.event("span_end", id=span)
        self.say(result)

    def reply(self, text: str, calls: list[dict[str, Any]]) -> None:
        message: dict[str, Any] = {"id": self.id(), "content": text, "source": "generate", "role": "assistant", "model": "gpt-5-mini"}
        if calls:
            message["tool_calls"] = calls
        sent = [[0, len(self.pool)]]
        call: dict[str, Any] = {"request": {"model": "gpt-5-mini"}, "response": {"content": self.attached(text)}, "call_refs": sent, "call_key": "messages"}
        fields = {"model": _MODEL, "input": [], "input_refs": sent, "tools": [_TOOL], "tool_choice": "auto", "config": {}, "call": call}
        self.event("model", output=self.output(message | {"content": self.attached(text)}), completed=self.time(), working_time=1.2, **fields)
        self.say(message)

    def attached(self, text: str) -> str:
        if len(text) <= 100:
            return text
        named = f"{self.rng.getrandbits(128):032x}"
        self.attachments[named] = text
        return f"attachment://{named}"

    def output(self, message: dict[str, Any]) -> dict[str, Any]:
        choice = {"message": message, "stop_reason": "tool_calls" if message.get("tool_calls") else "stop"}
        usage = {"input_tokens": 2000, "output_tokens": 60, "total_tokens": 2060, "input_tokens_cache_read": 1500, "reasoning_tokens": 20}
        return {"model": "gpt-5-mini", "choices": [choice], "completion": message["content"], "usage": usage, "time": 1.2}

    def event(self, kind: str, **fields: Any) -> None:
        begun = {"uuid": self.id(), "span_id": "solver", "timestamp": self.time(), "working_start": 1.0, "event": kind}
        self.events.append(begun | fields)

    def time(self) -> str:
        self.now += timedelta(milliseconds=self.rng.randint(100, 1500), microseconds=self.rng.randint(1, 999))
        return self.now.isoformat(timespec="microseconds")

    def id(self) -> str:
        return "".join(self.rng.choices("23456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz", k=22))

    def text(self, characters: int) -> str:
        return "\n".join(" ".join(self.rng.choices(_WORDS, k=9)) for _ in range(max(1, characters // 45)))


def _run(samples: int) -> dict[str, Any]:
    dataset = {"name": "bugs", "samples": samples, "sample_ids": list(range(1, samples + 1)), "shuffled": False}
    ids = {"eval_id": "benchEval000000000000", "run_id": "benchRun0000000000000", "task_id": "benchTask000000000000"}
    run = {"created": _START.isoformat(), "task": "fix_bugs", "task_version": 0, "task_attribs": {}, "task_args": {}, "dataset": dataset, "model": _MODEL}
    return {**ids, **run, "model_args": {}, "config": {"epochs": 1}, "packages": {"inspect_ai": "0.3.285"}}


def _header(samples: int) -> dict[str, Any]:
    totals = {"total_samples": samples, "completed_samples": samples, "scores": []}
    stats = {"started_at": _START.isoformat(), "completed_at": _START.isoformat(), "model_usage": {}}
    return {"version": 2, "status": "success", "eval": _run(samples), "plan": {"name": "plan", "steps": [], "config": {}}, "results": totals, "stats": stats}


def _write(archive: zipfile.ZipFile, name: str, value: Any) -> None:
    info = zipfile.ZipInfo(name, (2026, 1, 5, 9, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(info, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def _read(path: Path) -> None:
    with without_garbage_collection():
        for group in survey_files(find_files([path])).groups:
            read_group(group)


def _open(path: Path, query: str) -> None:
    with anb.open(path) as ws:
        if query:
            ws.sql(query).to_arrow_table()


def _print_peer(path: Path, times: dict[str, Times]) -> None:
    for line in _peer_lines(path, times):
        sys.stdout.write(f"{line}\n")


def _peer_lines(path: Path, times: dict[str, Times]) -> Iterator[str]:
    python = os.environ.get("AGENTNB_PEERS_PYTHON")
    if not python or subprocess.run([python, "-c", "import inspect_ai.analysis, pandas, pyarrow"], capture_output=True).returncode:
        yield "messages_df was not measured: AGENTNB_PEERS_PYTHON names no interpreter that has inspect_ai, pandas and pyarrow"
        return
    ran = subprocess.run([python, "-c", _PEER, str(path), "2"], check=True, capture_output=True, text=True)
    peer = json.loads(ran.stdout.splitlines()[-1])
    yield f"messages_df        {peer['cpu']:7.3f} s cpu, {peer['rows']:,} rows, {peer['cpu'] / peer['rows'] * 1e6:,.0f} microseconds a row"
    for name, took in times.items():
        yield f"messages_df takes {peer['cpu'] / took.cpu:5.1f} times the CPU time of {name}"


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
