"""How are a judge's answers scored? The answers are given; no model is called here."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from agentnb.decisions.matchers import type_of
from agentnb.decisions.oracles import OracleResult
from agentnb.values import Value

NO_CRITERIA = "there are no criteria to judge by"


class Criterion(Value):
    """One thing that an output should be."""

    criterion: str
    """What, in words."""
    weight: float = 1.0
    """How much it counts; 0 or more."""


def read_criteria(expected: Any, config: Mapping[str, Any] | None = None) -> tuple[Criterion, ...] | None:
    """Read criteria from an expected output's `judgeValidationCriteria`, else from the settings' `criteria`.

    Args:
        expected: the expected output.
        config: the judge's settings.

    Returns:
        The criteria; null when there are none, or one of them is none.
    """
    given = expected.get("judgeValidationCriteria") if isinstance(expected, Mapping) else None
    listed = given if given is not None else (config or {}).get("criteria")
    if not isinstance(listed, (list, tuple)) or not listed:
        return None
    read = [_criterion(entry) for entry in listed]
    return None if any(entry is None for entry in read) else tuple(entry for entry in read if entry is not None)


def score_probabilities(criteria: Sequence[Criterion] | None, probabilities: Mapping[str, Any], *, pass_threshold: float = 0.5) -> OracleResult:
    """Score the answers of a typed decision model (`decision-judge`): how probable it is that the output meets each criterion.

    Args:
        criteria: what was asked, in order.
        probabilities: answers from 0 to 1 by key, `criterion_1` for the first.
        pass_threshold: least probability with which a criterion is met.

    Returns:
        Passed when all are met; the score is the weighted mean of the probabilities. A missing answer is a failure.
    """
    if not criteria:
        return _failed("decision-judge", NO_CRITERIA)
    if not 0 <= pass_threshold <= 1:
        return _failed("decision-judge", f"the pass threshold is from 0 to 1, not {pass_threshold}")
    answers = [_probability(probabilities.get(f"criterion_{place}")) for place in range(1, len(criteria) + 1)]
    missing = [f"criterion_{place}" for place, answer in enumerate(answers, 1) if answer is None]
    if missing:
        return _failed("decision-judge", f"no probability for {', '.join(missing)}")
    known = [answer for answer in answers if answer is not None]
    details = [
        {"criterion": one.criterion, "weight": one.weight, "probability": answer, "passed": answer >= pass_threshold}
        for one, answer in zip(criteria, known, strict=True)
    ]
    met = sum(answer >= pass_threshold for answer in known)
    return OracleResult(
        oracle_type="decision-judge",
        passed=met == len(known),
        score=_weighted(criteria, known),
        message=f"{met} of {len(known)} criteria met",
        details={"criteria": details, "passThreshold": pass_threshold},
    )


def score_verdicts(criteria: Sequence[Criterion] | None, verdicts: Mapping[str, Any], *, pass_threshold: float = 0.7, strict: bool = False) -> OracleResult:
    """Score the answers of a model that judges in words (`llm-judge`): each criterion is met or not, with a rationale.

    Args:
        criteria: what was asked, in order.
        verdicts: answers by key, `criterion_1` for the first: a boolean, or an object with `met` and `rationale`.
        pass_threshold: least weighted share of criteria that are met.
        strict: whether all must be met.

    Returns:
        The weighted share of what is met; what was not answered stays so and is not met.
    """
    if not criteria:
        return _failed("llm-judge", NO_CRITERIA)
    answers = [_verdict(verdicts.get(f"criterion_{place}")) for place in range(1, len(criteria) + 1)]
    score = _weighted(criteria, [float(met is True) for met, _ in answers])
    met = sum(answer is True for answer, _ in answers)
    details = [
        {"criterion": one.criterion, "weight": one.weight, "met": answer, "rationale": rationale}
        for one, (answer, rationale) in zip(criteria, answers, strict=True)
    ]
    return OracleResult(
        oracle_type="llm-judge",
        passed=met == len(answers) if strict else score >= pass_threshold,
        score=score,
        message=f"{met} of {len(answers)} criteria met",
        details={"criteria": details, "passThreshold": pass_threshold, "strictMode": strict},
    )


def _criterion(entry: Any) -> Criterion | None:
    if isinstance(entry, Criterion):
        return entry
    text, weight = (entry, 1.0) if isinstance(entry, str) else (entry.get("criterion"), entry.get("weight", 1.0)) if isinstance(entry, Mapping) else (None, 1.0)
    usable = isinstance(text, str) and bool(text.strip()) and type_of(weight) == "number" and math.isfinite(weight) and weight >= 0
    return Criterion(criterion=str(text), weight=float(weight)) if usable else None


def _probability(value: Any) -> float | None:
    return float(value) if type_of(value) == "number" and 0 <= value <= 1 else None


def _verdict(value: Any) -> tuple[bool | None, str | None]:
    met = value.get("met") if isinstance(value, Mapping) else value
    rationale = value.get("rationale") if isinstance(value, Mapping) else None
    return met if isinstance(met, bool) else None, rationale if isinstance(rationale, str) else None


def _weighted(criteria: Sequence[Criterion], shares: Sequence[float]) -> float:
    total = sum(one.weight for one in criteria)
    return sum(one.weight * share for one, share in zip(criteria, shares, strict=True)) / total if total else 0.0


def _failed(oracle: str, message: str) -> OracleResult:
    return OracleResult(oracle_type=oracle, passed=False, score=0.0, message=message)
