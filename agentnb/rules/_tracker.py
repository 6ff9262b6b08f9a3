"""What is known at each point of a turn? The fields of a rule's context, computed call by call; with one agent's calls at a time, in order.

After the public description of Navin's continuation rules; where it leaves a choice, the one taken stands at the method.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec
from pydantic import Field

from agentnb.rules._runs import CallFacts, StepFacts
from agentnb.rules.predicates import announced_work, asks_to_read, waives_checks
from agentnb.values import Value
from agentnb.values.control_tools import control_tools
from agentnb.values.rules import RuleContext, RulePhase, WriteProof
from agentnb.values.test_runs import Verdict, check_command, looks_green, scripts_run, verdict_in, verdict_of_run
from agentnb.values.tool_kinds import (
    ToolKind,
    ToolKinds,
    brings_news,
    command_in,
    is_code,
    is_lookup,
    is_mapped,
    is_shell,
    needs_check,
    opens_file,
    paths_in,
    tool_kind,
)

QUOTED: Final = 800
"""Characters of the last check's output that are kept for the nudge."""
KEPT: Final = 50
"""Ids of calls that are kept as evidence of a streak: its latest."""
_VOLATILE: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?"), "<time>"),
    (re.compile(r"\bin \d+(?:\.\d+)? ?m?s(?:econds)?\b"), "in <duration>"),
    (re.compile(r"\b0x[0-9a-fA-F]{4,}\b"), "<address>"),
    (re.compile(r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"), "<uuid>"),
    (re.compile(r"(?:/private)?(?:/var/folders|/tmp)/[^\s\"']+"), "<temporary>"),
)
_UNCHANGED = re.compile(r'"(?:changed|modified)"\s*:\s*false|"no_?change"\s*:\s*true|"noop"\s*:\s*true', re.IGNORECASE)
_DRY: Final = ("dry_run", "dryRun", "dry-run", "preview_only")
_FIXES: Final = frozenset(("fix", "rollback"))
_encoder = msgspec.json.Encoder(order="sorted")


class Limits(Value):
    """The limits of a run, as far as somebody knows them; one that is not set says nothing."""

    steps: int | None = Field(default=None, gt=0)
    """Model calls of a turn."""
    tool_calls: int | None = Field(default=None, gt=0)
    """Tool calls of a turn."""
    tokens: int | None = Field(default=None, gt=0)
    """Input and output tokens of a turn."""
    cost: float | None = Field(default=None, gt=0)
    """Price of a turn in US dollars."""
    context_tokens: int | None = Field(default=None, gt=0)
    """Tokens that fit into the model's context window."""


class Tracker:
    """The state of one turn as its calls go by; has the fields of `RuleContext` as attributes."""

    def __init__(
        self,
        *,
        tool_kinds: ToolKinds | None = None,
        limits: Limits | None = None,
        scrub: bool = False,
        reset_on_tools: Sequence[str] = (),
        **known: Any,
    ) -> None:
        """Start a turn.

        Args:
            tool_kinds: kinds of one's own, asked before the default map.
            limits: the limits of the run; without them `limit_usage` is 0.
            scrub: whether times, durations, addresses, UUIDs and temporary paths of results are left out of comparisons.
            reset_on_tools: rules whose count of nudges goes back to zero after a batch of tool calls.
            known: `delivery_required` and `audit_mode`, which no recording tells.
        """
        self.tool_kinds, self.limits, self.scrub, self.reset_on_tools, self.known = tool_kinds, limits, scrub, tuple(reset_on_tools), known
        self.last_user_text = self.final_text = self.check_output = ""
        self.finish_reason: str | None = None
        self.tool_calls = self.tool_calls_ok = self.no_progress_streak = self.read_streak = self.steps = self.tokens = self.context = self.batches = 0
        self.cost = 0.0
        self.unverified_write = self.verify_failed = self.results = False
        self.nudges: Counter[str] = Counter()
        self.previous_text: str | None = None
        self.no_tools = self.handed_over = self._gave_answer = False
        self.lookups = 0
        self.write_proof: WriteProof = ""
        self.assumed: dict[str, None] = {}
        self.last_write: str | None = None
        self.last_check: str | None = None
        self.unproved: list[str] = []
        self.repeats: list[str] = []
        self.reads: list[str] = []
        self._unrun: set[str] = set()
        self._opened = "?"
        self._repeated: tuple[str, str | None] = ("", None)
        self._seen: dict[tuple[str, bytes | str], tuple[bool, str]] = {}
        self._times: Counter[tuple[str, bytes | str]] = Counter()

    @property
    def limit_usage(self) -> float:
        """Share that is used of the closest limit."""
        return min(self._closest()[1], 1.0) if self.limits is not None else 0.0

    @property
    def reading_is_task(self) -> bool:
        """Whether reading is what was asked for.

        The nudge of `exploration` is for an agent that reads on in a workspace where it should act. Pages of the web, or records of some business, are
        looked up one by one because the task names them, and a review or a summary is made of reading.
        """
        return self.read_streak > 0 and (2 * self.lookups > self.read_streak or asks_to_read(self.last_user_text))

    def hear(self, text: str | None) -> None:
        """Take in what was said to the agent: None for what the user did not write. The user's words reply to the latest answer, in this turn or before."""
        self._gave_answer = False
        if text is None:
            return
        if self.steps:
            self.previous_text = self.final_text
        self.last_user_text = text

    def begin(self, step: StepFacts) -> None:
        """Take in a model call."""
        self.steps += 1
        self.no_tools = step.no_tools
        self.handed_over = self._gave_answer and not step.calls and not step.text.strip()
        self._gave_answer = self.handed_over or _gives_answer(step)
        # Words beside a call are not judged, and those beside the call that finishes only announce it.
        self.final_text, self.finish_reason = step.text if step.handed_in is None else step.handed_in, step.finish_reason
        self.tokens += (step.input_tokens or 0) + (step.output_tokens or 0)
        self.context = (step.input_tokens or 0) + (step.output_tokens or 0)
        self.cost += step.cost or 0.0

    def take(self, call: CallFacts) -> None:
        """Take in a tool call with its result, in call order."""
        if call.refused:
            self._repeat(call)
            return
        signature, arguments = _signature(call)
        kind = call.kind or tool_kind(call.name, arguments, tool_kinds=self.tool_kinds)
        if kind == "other" and call.kind is None and call.name not in self.assumed and not is_mapped(call.name, self.tool_kinds):
            self.assumed[call.name] = None
        self.tool_calls += 1
        self.tool_calls_ok += not call.failed
        self.results = self.results or call.answered
        if kind != "poll":
            self._compare(call, signature)
        self._follow(call, kind, arguments)

    def end_batch(self) -> None:
        """Take in that a batch of calls is complete."""
        self.batches += 1
        for code in self.reset_on_tools:
            self.nudges.pop(code, None)

    def at(self, phase: RulePhase, nudges: Mapping[str, int] | None = None) -> RuleContext:
        """Return what is known now.

        Args:
            phase: of this point.
            nudges: nudges to count besides those of the recording.
        """
        counted = self.nudges if not nudges else self.nudges + Counter(nudges)
        return RuleContext(
            phase=phase, finish_reason=self.finish_reason, final_text=self.final_text, last_user_text=self.last_user_text, tool_calls=self.tool_calls,
            unverified_write=self.unverified_write, verify_failed=self.verify_failed, no_progress_streak=self.no_progress_streak,
            read_streak=self.read_streak, limit_usage=self.limit_usage, nudges=counted, check_output=self.check_output, previous_text=self.previous_text,
            no_tools=self.no_tools, reading_is_task=self.reading_is_task, write_proof=self.write_proof, handed_over=self.handed_over,
            check_waived=self.unverified_write and waives_checks(self.last_user_text), **self.known,
        )  # fmt: skip

    def evidence(self, code: str) -> dict[str, Any]:
        """Return what a person can look at when a rule fires here: the calls it is about."""
        if code == "no_progress":
            name, put = self._repeated
            return {"calls": self.repeats[-KEPT:], "name": name, "input": (put or "")[:300], "times": self._most_repeated()}
        if code == "exploration":
            return {"calls": self.reads[-KEPT:], "reads": self.read_streak}
        if code in ("verify_before_done", "verify_failed"):
            return {"last_write": self.last_write, "last_check": self.last_check, "unproved": self.unproved[-KEPT:]}
        if code == "wrap_up":
            limit, share = self._closest()
            return {"limit": limit, "used": round(share, 4)}
        return {"tool_calls_ok": self.tool_calls_ok} if code == "delivery" else {}

    def _closest(self) -> tuple[str, float]:
        used = {"steps": self.steps, "tool_calls": self.tool_calls, "tokens": self.tokens, "cost": self.cost, "context_tokens": self.context}
        shares = [(name, value / limit) for name, value in used.items() if (limit := getattr(self.limits, name, None))]
        return max(shares, key=lambda share: share[1], default=("none", 0.0))

    def _most_repeated(self) -> int:
        return max(self._times.values(), default=0)

    def _compare(self, call: CallFacts, signature: tuple[str, bytes | str]) -> None:
        """Compare a call with the latest result of the same call. Without a result nothing can be said, so the streak ends."""
        if not call.answered:
            self._end_streak()
            return
        output, before = call.output or "", self._seen.get(signature)
        self._seen[signature] = (call.failed, output)
        self._times[signature] += 1
        if call.unchanged or _says_unchanged(output) or (before is not None and before[0] == call.failed and self._same(before[1], output)):
            self._repeat(call)
        else:
            self._times[signature] = 1
            self._end_streak()

    def _same(self, left: str, right: str) -> bool:
        if left == right or (left.split() == right.split()):
            return True
        return self.scrub and _scrubbed(left) == _scrubbed(right)

    def _repeat(self, call: CallFacts) -> None:
        self.no_progress_streak += 1
        self.repeats.append(call.call_id)
        self._repeated = (call.name, call.input)

    def _end_streak(self) -> None:
        if self.no_progress_streak:
            self.no_progress_streak, self.repeats = 0, []

    def _follow(self, call: CallFacts, kind: ToolKind, arguments: Any) -> None:
        if opens_file(call.name):
            self._opened = next(iter(paths_in(arguments)), self._opened)
        if kind == "read":
            self.read_streak += 1
            self.lookups += is_lookup(call.name, arguments)
            self.reads.append(call.call_id)
        elif kind == "write":
            if not call.failed:
                self._wrote(call, arguments)
        elif kind == "verify":
            self._end_reads()
            self._checked(call, arguments)
        elif kind == "run":
            self._end_reads()
            self._ran(call, arguments)

    def _wrote(self, call: CallFacts, arguments: Any) -> None:
        self._end_reads()
        dry = isinstance(arguments, Mapping) and any(arguments.get(key) is True for key in _DRY)
        if not dry and not call.unchanged and needs_check(call.name, arguments):
            self.unverified_write, self.last_write, self.unproved, self.write_proof = True, call.call_id, [], ""
            # An editor that names no file edits the one that was opened last.
            self._unrun.update(_file_name(path) for path in paths_in(arguments) or [self._opened])

    def _ran(self, call: CallFacts, arguments: Any) -> None:
        """See whether a command ran what was written: that it ran well says as much of a script as a check would.

        All of the written files have to have been run, each by name: running one of them says little of the others.
        """
        if not self._unrun or call.failed or call.exit_code not in (None, 0) or not call.answered or not is_shell(call.name):
            return
        names = {_file_name(name) for name in scripts_run(command_in(arguments))} & self._unrun
        if names and verdict_in(call.output or "") != "fail":
            self._unrun -= names
            self.write_proof = self.write_proof or ("" if self._unrun else "run")

    def _checked(self, call: CallFacts, arguments: Any) -> None:
        if isinstance(arguments, Mapping) and arguments.get("action") in _FIXES and not call.failed:
            self.unverified_write, self.last_write = True, call.call_id
        verdict = _verdict(call, arguments)
        if verdict is None:
            self.unproved.append(call.call_id)
            if _looks_green(call, arguments):
                self.write_proof = "output"
        else:
            self.unverified_write, self.verify_failed, self.last_check, self.unproved = False, verdict == "fail", call.call_id, []
            self.check_output = (call.output or "")[:QUOTED] if verdict == "fail" else ""
            self.write_proof, self._unrun = "", set()

    def _end_reads(self) -> None:
        if self.read_streak:
            self.read_streak, self.lookups, self.reads = 0, 0, []


def _gives_answer(step: StepFacts) -> bool:
    """Say whether a step leaves nothing to say: it asked the user through a tool, or gave its answer alone or beside calls that bring nothing new."""
    if any(role.kind == "chat" for role in control_tools((call.name, None) for call in step.calls).values()):
        return True
    if not step.text.strip() or any(brings_news(call.name) for call in step.calls):
        return False
    return announced_work(step.text) is None


def _file_name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _looks_green(call: CallFacts, arguments: Any) -> bool:
    """Say whether a check that gave no verdict, because something hides its exit code, was green by what it showed."""
    if call.judged or call.failed or not call.answered or call.exit_code not in (None, 0) or not is_shell(call.name):
        return False
    return looks_green(command_in(arguments), call.output or "")


def _verdict(call: CallFacts, arguments: Any) -> Verdict | None:
    """Judge a check; one that itself fails is red, whatever it meant to say."""
    if call.judged:
        return call.verdict or ("fail" if call.failed else None)
    output = call.output or ""
    run = check_command(command_in(arguments)) if is_shell(call.name) else None
    if run is not None:
        # A call of code ends well whatever became of the command inside it.
        done = call.state == "done" and not is_code(arguments)
        return verdict_of_run(run, exit_code=call.exit_code, failed=call.failed, output=output, done=done)
    if not call.answered:
        return None
    if call.exit_code not in (None, 0) or call.failed:
        return "fail"
    return "pass" if call.exit_code == 0 and verdict_in(output) is None and output.strip() == "" else verdict_in(output)


def _signature(call: CallFacts) -> tuple[tuple[str, bytes | str], Any]:
    """Return what makes two calls the same, name and arguments with sorted keys, and the arguments."""
    if call.input is None:
        return (call.name, ""), None
    try:
        arguments = msgspec.json.decode(call.input)
        return (call.name, _encoder.encode(arguments)), arguments
    except (msgspec.DecodeError, ValueError, OverflowError, RecursionError):
        return _slow_signature(call, call.input)


def _slow_signature(call: CallFacts, put: str) -> tuple[tuple[str, bytes | str], Any]:
    """Read arguments that the quick parser refuses: numbers without end, NaN, lone surrogates."""
    try:
        arguments = json.loads(put, strict=False)
        return (call.name, json.dumps(arguments, sort_keys=True)), arguments
    except (ValueError, RecursionError):
        return (call.name, put), put


def _says_unchanged(output: str) -> bool:
    return output.startswith("{") and len(output) < 2_000 and _UNCHANGED.search(output) is not None


def _scrubbed(text: str) -> list[str]:
    for pattern, name in _VOLATILE:
        text = pattern.sub(name, text)
    return text.split()
