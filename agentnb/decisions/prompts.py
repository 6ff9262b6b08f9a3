"""Does a model decide better with an envelope or with native calls? The cases of a corpus, run in several cells."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from pydantic import Field

from agentnb.decisions.cases import Case
from agentnb.decisions.evaluate import Evaluation
from agentnb.decisions.expectations import DecisionExpectation
from agentnb.values import Value
from agentnb.values.decisions import ObservedDecision

MODES: Final = ("envelope", "native", "native-hybrid", "native-implicit")
LOST: Final = 0.1
"""Share of runs that a cell may lose before it is warned about."""
INFRASTRUCTURE: Final = (
    ("vertex-credential", re.compile(r"vertex.*credential|credential.*vertex|could not load the default credentials", re.IGNORECASE | re.DOTALL)),
    ("timeout", re.compile(r"time[d -]*out|deadline", re.IGNORECASE)),
    ("connection", re.compile(r"connection|ECONN|socket|network", re.IGNORECASE)),
    ("rate-limit", re.compile(r"\b429\b|rate.?limit", re.IGNORECASE)),
)
"""What a message says when a run never reached its model, in the order in which it is asked."""


class PromptRun(Value):
    """One case, run in one cell."""

    name: str
    """Name of its record: the case's id and the cell's label in brackets."""
    complete: bool = True
    """Whether it ran to its end."""
    error: str | None = None
    """Why the model was not reached; null when it was."""
    decision: ObservedDecision | None = None
    """What the turn decided."""
    evaluation: Evaluation | None = None
    """How it meets the case."""
    usable: bool = False
    """Whether the framework could use it."""
    prompt_tokens: int | None = None
    """Tokens sent."""
    cost: float | None = None
    """What it cost, in US dollars."""


class PromptCell(Value):
    """What one cell is worth; shares are of the runs that reached the model."""

    cell: str
    """Its label."""
    arm: str
    """The label without its mode."""
    mode: str | None = None
    """envelope, native, native-hybrid or native-implicit, with -results where results were native, too; null when the label does not tell."""
    count: int
    """Runs that reached the model."""
    excluded: dict[str, int] = Field(default_factory=dict)
    """Runs that did not, by reason."""
    warning: str | None = None
    """Set when more than a tenth of the runs were lost."""
    usable: float | None = None
    """Share that the framework could use."""
    passed: float | None = None
    """Share that decided what was expected."""
    action_accuracy: float | None = None
    """Mean, where actions were expected."""
    param_fidelity: float | None = None
    """Mean, only where the actions were right."""
    prompt_tokens: float | None = None
    """Mean."""
    cost: float | None = None
    """Mean, in US dollars."""
    counts: dict[str, int] = Field(default_factory=dict)
    """How many were native, dual channel, concatenated, narration, placeholder, payload_first, payload_written."""
    payload_share: float | None = None
    """Share of payload paths that passed, over cases tagged payload-change."""
    multi_turn_passed: int = 0
    """Passed cases with a history of tool results."""
    finished_after_write: int = 0
    """Turns that both wrote to the payload and completed the task."""
    restraint: float | None = None
    """Of native turns on cases that admit no action, the share that acts all the same."""


class PromptScorecard(Value):
    """All cells, and how their modes differ."""

    cells: tuple[PromptCell, ...] = ()
    """The cells, by label."""
    deltas: dict[str, dict[str, float]] = Field(default_factory=dict)
    """By arm and mode: percentage points of passed turns above the envelope mode of the same arm."""


def score_prompts(runs: Iterable[PromptRun], cases: Iterable[Case] = ()) -> PromptScorecard:
    """Score runs by cell; those that never reached the model are left out of the shares but shown.

    Args:
        runs: runs, in any order.
        cases: the corpus, for what depends on tags and expectations.
    """
    by_cell: dict[str, list[PromptRun]] = {}
    for run in runs:
        by_cell.setdefault(_label(run), []).append(run)
    known = {case.id: case for case in cases}
    cells = tuple(_cell(label, sorted(by_cell[label], key=lambda run: run.name), known) for label in sorted(by_cell))
    base = {cell.arm: cell.passed for cell in cells if cell.mode == "envelope" and cell.passed is not None}
    deltas: dict[str, dict[str, float]] = {}
    for cell in cells:
        if cell.mode not in (None, "envelope") and cell.arm in base and cell.passed is not None:
            deltas.setdefault(cell.arm, {})[cell.mode or ""] = (cell.passed - base[cell.arm]) * 100
    return PromptScorecard(cells=cells, deltas=deltas)


def failure_of(run: PromptRun) -> str | None:
    """Return why a run never reached its model; null when it did."""
    if not run.complete:
        return "incomplete"
    if run.error is None:
        return None
    return next((name for name, pattern in INFRASTRUCTURE if pattern.search(run.error)), "other")


def mode_of(label: str) -> tuple[str, str | None]:
    """Split a cell's label into its arm and its mode, the last part after ` · `; null when that is no mode."""
    arm, found, last = label.rpartition(" · ")
    if (last.removesuffix("-results") if last != "envelope-results" else last) not in MODES:
        return label, None
    return arm if found else "", last


def admits_action(expectation: DecisionExpectation) -> bool:
    """Say whether an expectation admits an action in any of its branches."""
    return any(admits_action(branch) for branch in expectation.any_of) if expectation.kind == "anyOf" else expectation.kind == "action"


def _label(run: PromptRun) -> str:
    return run.name[run.name.rindex(" [") + 2 : -1] if run.name.endswith("]") and " [" in run.name else ""


def _case_of(run: PromptRun, known: dict[str, Case]) -> Case | None:
    return known.get(run.name.rpartition(" [")[0])


def _cell(label: str, runs: Sequence[PromptRun], known: dict[str, Case]) -> PromptCell:
    lost = Counter(reason for run in runs if (reason := failure_of(run)) is not None)
    kept = [run for run in runs if failure_of(run) is None]
    judged = [run.evaluation for run in kept if run.evaluation is not None]
    arm, mode = mode_of(label)
    share = sum(lost.values()) / len(runs)
    acted = [run.decision for run in kept if run.decision is not None and _wants_restraint(_case_of(run, known)) and run.decision.encoding == "native"]
    return PromptCell(
        cell=label,
        arm=arm,
        mode=mode,
        count=len(kept),
        excluded=dict(sorted(lost.items())),
        warning=f"{share:.0%} of the runs never reached the model" if share > LOST else None,
        usable=_mean([float(run.usable) for run in kept]),
        passed=_mean([float(run.evaluation is not None and run.evaluation.passed) for run in kept]),
        action_accuracy=_mean([found.action_accuracy for found in judged]),
        param_fidelity=_mean([found.param_fidelity for found in judged if found.action_accuracy == 1]),
        prompt_tokens=_mean([run.prompt_tokens for run in kept]),
        cost=_mean([run.cost for run in kept]),
        counts=_counts(kept, mode),
        payload_share=_payload_share(kept, known),
        multi_turn_passed=sum(run.evaluation is not None and run.evaluation.passed and _is_multi_turn(_case_of(run, known)) for run in kept),
        finished_after_write=sum(run.decision is not None and run.decision.payload_change is not None and run.decision.task_complete for run in kept),
        restraint=_mean([float(decision.kind == "action") for decision in acted]),
    )


def _counts(runs: Sequence[PromptRun], mode: str | None) -> dict[str, int]:
    decisions = [run.decision for run in runs if run.decision is not None]
    implicit = (mode or "").startswith("native-implicit")
    first = [run for run in runs if run.evaluation is not None and not run.evaluation.decision_kind_match and run.evaluation.observed_kind == "payloadChange"]
    return {
        "native": sum(decision.encoding == "native" for decision in decisions),
        "dual_channel": sum(decision.dual_channel is True for decision in decisions),
        "concatenated": sum(decision.diagnostic_category == "concatenated" for decision in decisions),
        "narration": sum(decision.narration_with_calls is True for decision in decisions),
        "placeholder": sum(decision.placeholder_call is True for decision in decisions),
        "payload_first": len(first) if implicit else 0,
        "payload_written": sum(decision.payload_change is not None for decision in decisions),
    }


def _payload_share(runs: Sequence[PromptRun], known: dict[str, Case]) -> float | None:
    tagged = [run for run in runs if (case := _case_of(run, known)) is not None and "payload-change" in case.tags]
    results = [result for run in tagged if run.evaluation is not None for result in run.evaluation.param_results if result.param.startswith("payload ")]
    return _mean([float(result.passed) for result in results])


def _wants_restraint(case: Case | None) -> bool:
    return case is not None and "payload-change" not in case.tags and not admits_action(case.expect)


def _is_multi_turn(case: Case | None) -> bool:
    messages = case.input.conversation_messages if case is not None else ()
    return any(isinstance(message, dict) and message.get("role") == "tool" for message in messages)


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None
