"""How is a terminal agent's trajectory written in ATIF, with call and result in one step?"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from data.make.bench import Bench
from data.make.clock import Clock
from data.make.ids import Ids

Record = dict[str, Any]
_DOLLARS_PER_TOKEN = {"prompt": 2.5e-6, "cached": 1.25e-6, "completion": 1e-5}


class Keys(NamedTuple):
    """What an agent types into its terminal."""

    keystrokes: str
    duration: float = 0.1


class Trajectory:
    """Writes the steps of one agent that types into a terminal."""

    def __init__(self, ids: Ids, clock: Clock, bench: Bench, *, session_id: str, name: str, extra: Record) -> None:
        self.session_id = session_id
        self.steps: list[Record] = []
        self._ids = ids
        self._clock = clock
        self._bench = bench
        self._agent = {"name": name, "version": "2.0.0", "model_name": "openai/gpt-4o", "extra": extra}
        self._said = 0

    def user(self, message: str, **fields: Any) -> None:
        """Add what the agent is told."""
        self._step("user", message, after=0.2, **fields)

    def type(self, analysis: str, plan: str, *keys: Keys, shown: str | None = None) -> None:
        """Add a step that types commands, with what the terminal shows then.

        Args:
            analysis: what the agent makes of the screen.
            plan: what it wants to do.
            keys: the commands, which really run.
            shown: what the terminal shows instead, for a command that never ends.
        """
        number = len(self.steps) - 1
        calls = [{"tool_call_id": f"call_{number}_{place}", "function_name": "bash_command", "arguments": row._asdict()} for place, row in enumerate(keys, 1)]
        screen = "New Terminal Output:\n\n" + "".join(self._show(row) for row in keys) + "\n" if shown is None else shown
        self._speak(f"Analysis: {analysis}\nPlan: {plan}", tool_calls=calls, content=screen, after=sum(row.duration for row in keys))

    def unreadable(self, message: str, complaint: str) -> None:
        """Add a reply that was not the JSON that the harness wants: no call, only a complaint."""
        self._speak(message, tool_calls=None, content=f"Previous response had parsing errors:\nERROR: {complaint}", after=0.1)

    def complete(self, analysis: str, plan: str, shown: str) -> None:
        """Add a step that says the task is complete."""
        call = {"tool_call_id": f"call_{len(self.steps) - 1}_task_complete", "function_name": "mark_task_complete", "arguments": {}}
        self._speak(f"Analysis: {analysis}\nPlan: {plan}", tool_calls=[call], content=shown, after=0.1)

    def answer(self, message: str) -> None:
        """Add a plain answer, without any call."""
        self._speak(message, tool_calls=None, content=None, after=0.1)

    def hand_off(self, message: str, references: Sequence[Record]) -> None:
        """Add that the context was summarized by other agents, whose trajectories are elsewhere."""
        self._step("system", message, after=0.1, observation={"results": [{"subagent_trajectory_ref": list(references)}]})
        self._said //= 4

    def copy(self, steps: Sequence[Record]) -> None:
        """Add steps of another trajectory as context, without their metrics."""
        note = {"note": "Metrics omitted to avoid duplication"}
        for step in steps:
            kept = {key: value for key, value in step.items() if key not in ("step_id", "metrics")}
            extra = {"extra": note} if step["source"] == "agent" else {}
            self.steps.append({"step_id": len(self.steps) + 1, **kept, "is_copied_context": True, **extra})
            self._said += len(json.dumps(kept))

    def write(self, path: Path) -> None:
        """Write the trajectory as one indented document."""
        metrics = [step["metrics"] for step in self.steps if "metrics" in step]
        names = ("prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd")
        final = {f"total_{name}": round(sum(row[name] for row in metrics), 8) for name in names}
        document = {"schema_version": "ATIF-v1.6", "session_id": self.session_id, "agent": self._agent, "steps": self.steps}
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps({**document, "final_metrics": final}, indent=2, ensure_ascii=False)
        path.write_text(text + "\n", encoding="utf-8", newline="\n")

    def _speak(self, message: str, *, tool_calls: list[Record] | None, content: str | None, after: float) -> None:
        completion = len(message) // 4 + 40 * len(tool_calls or ())
        prompt = 700 + self._said // 4
        cached = prompt // 2 // 128 * 128 if prompt > 1024 else 0
        price = _DOLLARS_PER_TOKEN
        cost = (prompt - cached) * price["prompt"] + cached * price["cached"] + completion * price["completion"]
        metrics = {"prompt_tokens": prompt, "completion_tokens": completion, "cached_tokens": cached, "cost_usd": round(cost, 8)}
        fields: Record = {} if tool_calls is None else {"tool_calls": tool_calls}
        if content is not None:
            fields["observation"] = {"results": [{"content": content}]}
        self._step("agent", message, after=self._ids.seconds(2, 7) + after, model_name="gpt-4o", **fields, metrics=metrics)

    def _step(self, source: str, message: str, *, after: float, model_name: str | None = None, **fields: Any) -> None:
        model = {} if model_name is None else {"model_name": model_name}
        step = {"step_id": len(self.steps) + 1, "timestamp": self._clock.tick(after), "source": source, **model, "message": message, **fields}
        self._said += len(json.dumps(step))
        self.steps.append(step)

    def _show(self, keys: Keys) -> str:
        """Return what the terminal shows for a command: the prompt, the echo, the output."""
        command = keys.keystrokes.removesuffix("\n")
        outcome = self._bench.run(command)
        echo = command.replace("\n", "\n> ")
        return f"root@c7f21e:{self._bench.home}# {echo}\n" + (f"{outcome.text}\n" if outcome.text else "")
