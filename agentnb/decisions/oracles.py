"""What do the oracles of a test say about a turn, and does the test pass?"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from pydantic import Field

from agentnb.decisions.evaluate import Evaluation, evaluate_decision
from agentnb.decisions.matchers import shortened
from agentnb.decisions.normalize import normalize_decision
from agentnb.decisions.wellformed import check_well_formed
from agentnb.errors import CaseError, TurnError
from agentnb.values import Value
from agentnb.values.decisions import CamelValue, ObservedDecision, RawTurn

log = logging.getLogger(__name__)


class OracleResult(CamelValue):
    """What one oracle says."""

    oracle_type: str
    """Name of the oracle."""
    passed: bool
    """Whether it is content."""
    score: float
    """From 0 to 1."""
    message: str
    """What it found, in words."""
    details: dict[str, Any] = Field(default_factory=dict)
    """What it found, by name."""


class OracleConfig(Value):
    """An oracle that a test asks for."""

    type: str
    """Name of the oracle."""
    config: dict[str, Any] = Field(default_factory=dict)
    """Its settings."""


class TestOutcome(Value):
    """What all oracles of a test say together."""

    __test__ = False

    passed: bool
    """Whether there are oracles and all of them pass."""
    score: float
    """Mean of their scores, weighted where weights are given."""
    results: tuple[OracleResult, ...] = ()
    """Each oracle's result, in order."""


Oracle = Callable[[Any, Mapping[str, Any]], OracleResult]
"""An oracle takes the output of a test and its settings."""


def match_decision(output: Any, config: Mapping[str, Any]) -> OracleResult:
    """Say whether a turn decided what the settings expect (`agent-decision-match`).

    Args:
        output: a raw turn, an `ObservedDecision`, or a text that is the whole output.
        config: the expectation in the form of a case file; with a `kind`, else the result is a failure.
    """
    if not isinstance(config.get("kind"), str):
        return _failed("agent-decision-match", "the settings have no kind of decision to expect")
    decision = decision_of_output(output)
    evaluation = evaluate_decision(config, decision)
    told = "; ".join(evaluation.messages) or f"the turn decided {decision.kind}, as expected"
    return OracleResult(
        oracle_type="agent-decision-match", passed=evaluation.passed, score=evaluation.score, message=told, details=_details(evaluation, decision)
    )


def judge_response(output: Any, config: Mapping[str, Any]) -> OracleResult:
    """Say whether the framework could use a turn (`response-well-formed`).

    Args:
        output: as in `match_decision`; a mapping may also hold `finishReason` and `executionError`.
        config: `requireEnvelope`, `unacceptableFinishReasons`, `stepTypes`, where they differ from the defaults.
    """
    given = output if isinstance(output, Mapping) else {}
    options = {"requireEnvelope": "require_envelope", "unacceptableFinishReasons": "unacceptable_finish_reasons", "stepTypes": "step_types"}
    found = check_well_formed(
        decision_of_output(output),
        finish_reason=_string(given.get("finishReason", given.get("finish_reason"))),
        execution_error=_string(given.get("executionError", given.get("execution_error"))),
        **{name: config[key] for key, name in options.items() if config.get(key) is not None},
    )
    return OracleResult(oracle_type="response-well-formed", passed=found.passed, score=found.score, message=found.message, details=found.details)


ORACLES: Final[dict[str, Oracle]] = {"agent-decision-match": match_decision, "response-well-formed": judge_response}
"""Oracles by their names."""


def run_oracles(
    oracles: Sequence[OracleConfig | Mapping[str, Any]],
    output: Any,
    *,
    registry: Mapping[str, Oracle] = ORACLES,
    weights: Mapping[str, float] | None = None,
) -> TestOutcome:
    """Ask all oracles of a test.

    One that is not registered, or that raises, fails instead of disappearing with its weight.

    Args:
        oracles: the oracles that are asked, with their settings.
        output: what they judge.
        registry: oracles by name.
        weights: weights by the oracle's name, 0 for one that is not named; the plain mean without.

    Returns:
        Whether all passed (none is a failure), and the score.
    """
    asked = [given if isinstance(given, OracleConfig) else OracleConfig.model_validate(dict(given)) for given in oracles]
    results = tuple(_ask(one, output, registry) for one in asked)
    return TestOutcome(passed=bool(results) and all(result.passed for result in results), score=_score(asked, results, weights), results=results)


def decision_of_output(output: Any) -> ObservedDecision:
    """Return what an output decided: a decision itself, a raw turn normalized, a text as the whole output; anything else is an empty turn."""
    if isinstance(output, ObservedDecision):
        return output
    if isinstance(output, (RawTurn, Mapping)):
        return normalize_decision(output)
    return normalize_decision({"text": output if isinstance(output, str) else ""})


def _ask(one: OracleConfig, output: Any, registry: Mapping[str, Oracle]) -> OracleResult:
    oracle = registry.get(one.type)
    if oracle is None:
        return _failed(one.type, f"no oracle is registered as {one.type!r}; registered are {', '.join(sorted(registry))}")
    try:
        return oracle(output, one.config)
    except (CaseError, TurnError) as error:
        return _failed(one.type, str(error))
    except Exception as error:
        # Somebody else's code: its failure is a result, so that its weight does not vanish.
        log.debug("oracle %s raised", one.type, exc_info=True)
        return _failed(one.type, f"the oracle raised {type(error).__name__}: {shortened(str(error))}")


def _score(asked: Sequence[OracleConfig], results: Sequence[OracleResult], weights: Mapping[str, float] | None) -> float:
    if not results:
        return 0.0
    if weights is None:
        return sum(result.score for result in results) / len(results)
    shares = [weights.get(one.type, 0.0) for one in asked]
    total = sum(shares)
    return sum(share * result.score for share, result in zip(shares, results, strict=True)) / total if total else 0.0


def _details(evaluation: Evaluation, decision: ObservedDecision) -> dict[str, Any]:
    return {
        "expectedKind": evaluation.expected_kind,
        "observedKind": decision.kind,
        "encoding": decision.encoding,
        "decisionKindMatch": evaluation.decision_kind_match,
        "actionAccuracy": evaluation.action_accuracy,
        "paramFidelity": evaluation.param_fidelity,
        "paramResults": [result.model_dump(by_alias=True) for result in evaluation.param_results],
        "forbiddenViolations": list(evaluation.forbidden_violations),
        "observedActions": [action.name for action in decision.actions],
        "observedSubAgents": [agent.name for agent in decision.sub_agents],
        "dualChannel": decision.dual_channel is True,
        "payloadChanged": decision.payload_change is not None,
        "narrationWithCalls": decision.narration_with_calls is True,
        "placeholderCall": decision.placeholder_call is True,
        "shadowEnvelopeKind": decision.shadow_envelope_kind,
        "diagnostic": decision.diagnostic,
    }


def _failed(oracle: str, message: str) -> OracleResult:
    return OracleResult(oracle_type=oracle, passed=False, score=0.0, message=message)


def _string(value: Any) -> str | None:
    return value if isinstance(value, str) else None
