"""RAW TURN -> WHAT IT DECIDED: the normalizer, and what grows on it: expectations, cases, well-formedness, oracles, scores.

Everything is a pure function on plain values. The rules are those of MemberJunction's testing engine, so that results agree with it; where one of them
is surprising, `explain_decision` says so. `agentnb.decisions.typed` holds the metrics of yes-or-no questions.
"""

from __future__ import annotations

from agentnb.decisions._text import count_concatenated_objects, looks_like_broken_envelope, looks_like_envelope, recorded_protocol, strip_fence
from agentnb.decisions.cases import Case, CaseInput, CaseOrigin, evaluate_case, parse_case, parse_cases, write_case
from agentnb.decisions.evaluate import Evaluation, evaluate_decision
from agentnb.decisions.expectations import DecisionExpectation, ExpectedAction, expect_decision, read_expectation, write_expectation
from agentnb.decisions.explain import ExplainedRule, Explanation, RuntimeDifference, explain_decision
from agentnb.decisions.history import render_history
from agentnb.decisions.judges import Criterion, read_criteria, score_probabilities, score_verdicts
from agentnb.decisions.lint import MEMBERJUNCTION_TAGS, LintFinding, lint_cases
from agentnb.decisions.matchers import ABSENT, Matcher, ParamExpectation, ParamResult, apply_matcher
from agentnb.decisions.names import (
    ToolBinding,
    ToolNames,
    build_tool_name_map,
    build_tool_names,
    control_tool_map_for,
    sanitize_action_name,
)
from agentnb.decisions.normalize import normalize_decision, read_turn
from agentnb.decisions.oracles import ORACLES, OracleConfig, OracleResult, TestOutcome, judge_response, match_decision, run_oracles
from agentnb.decisions.prompts import PromptRun, PromptScorecard, score_prompts
from agentnb.decisions.responses import ResponseTurn, protocol_of, raw_turn_from_response
from agentnb.decisions.rows import COLUMNS, StepTurn, decide_rows
from agentnb.decisions.subagents import SubAgentCheck, check_sub_agents
from agentnb.decisions.wellformed import STEP_TYPES, WellFormedness, check_well_formed, demands

__all__ = [
    "ABSENT",
    "COLUMNS",
    "MEMBERJUNCTION_TAGS",
    "ORACLES",
    "STEP_TYPES",
    "Case",
    "CaseInput",
    "CaseOrigin",
    "Criterion",
    "DecisionExpectation",
    "Evaluation",
    "ExpectedAction",
    "ExplainedRule",
    "Explanation",
    "LintFinding",
    "Matcher",
    "OracleConfig",
    "OracleResult",
    "ParamExpectation",
    "ParamResult",
    "PromptRun",
    "PromptScorecard",
    "ResponseTurn",
    "RuntimeDifference",
    "StepTurn",
    "SubAgentCheck",
    "TestOutcome",
    "ToolBinding",
    "ToolNames",
    "WellFormedness",
    "apply_matcher",
    "build_tool_name_map",
    "build_tool_names",
    "check_sub_agents",
    "check_well_formed",
    "control_tool_map_for",
    "count_concatenated_objects",
    "decide_rows",
    "demands",
    "evaluate_case",
    "evaluate_decision",
    "expect_decision",
    "explain_decision",
    "judge_response",
    "lint_cases",
    "looks_like_broken_envelope",
    "looks_like_envelope",
    "match_decision",
    "normalize_decision",
    "parse_case",
    "parse_cases",
    "protocol_of",
    "raw_turn_from_response",
    "read_criteria",
    "read_expectation",
    "read_turn",
    "recorded_protocol",
    "render_history",
    "run_oracles",
    "sanitize_action_name",
    "score_probabilities",
    "score_prompts",
    "score_verdicts",
    "strip_fence",
    "write_case",
    "write_expectation",
]
