"""TURN SO FAR -> NEXT NUDGE: why did it stop, why did it loop?

Eleven continuation rules, after the public description of Navin's, as functions on values: `evaluate_rules` for one point, `explain_rules` for every
point of a recorded turn, `hits_of_turns` for a whole workspace. Three text predicates in English and French, whose words are data files in `languages/`.
Rules of one's own are made by `rule_from_cell`, tried by `backtest` and tuned by `sweep`. Nothing here asks a clock or a model.
"""

from __future__ import annotations

from agentnb.rules._cells import rule_from_cell
from agentnb.rules._defaults import (
    EXPLORATION_THRESHOLD,
    LENGTH_RECOVERY_PROMPT,
    NO_PROGRESS_NUDGE,
    NO_PROGRESS_STOP,
    NO_PROGRESS_THRESHOLD,
    PROMPTS,
    WRAP_UP_THRESHOLD,
    answered,
    default_rules,
    finish_reason,
)
from agentnb.rules._evaluate import check_rules, evaluate_rules
from agentnb.rules._hits import HIT_COLUMNS, hits_of_turns
from agentnb.rules._language import Language, shipped_languages
from agentnb.rules._plots import MIME, SCHEMA, SweepPlot, load_altair
from agentnb.rules._replay import context_from_calls, context_from_turn, continues, explain_rules
from agentnb.rules._runs import CALL_COLUMNS, OFFER_COLUMN, PART_COLUMNS, TURN_COLUMNS, USAGE_COLUMNS, Run, runs_of_columns, runs_of_turn
from agentnb.rules._sentences import ends_with_user_question
from agentnb.rules._tracker import Limits
from agentnb.rules._trials import Backtest, Sweep, SweepRow, backtest, evidence_of, sweep
from agentnb.rules.predicates import Said, announced_work, announces_work, is_go_ahead, language_covered, listed_work, lists_remaining_work

__all__ = [
    "CALL_COLUMNS",
    "EXPLORATION_THRESHOLD",
    "HIT_COLUMNS",
    "LENGTH_RECOVERY_PROMPT",
    "MIME",
    "NO_PROGRESS_NUDGE",
    "NO_PROGRESS_STOP",
    "NO_PROGRESS_THRESHOLD",
    "OFFER_COLUMN",
    "PART_COLUMNS",
    "PROMPTS",
    "SCHEMA",
    "TURN_COLUMNS",
    "USAGE_COLUMNS",
    "WRAP_UP_THRESHOLD",
    "Backtest",
    "Language",
    "Limits",
    "Run",
    "Said",
    "Sweep",
    "SweepPlot",
    "SweepRow",
    "announced_work",
    "announces_work",
    "answered",
    "backtest",
    "check_rules",
    "context_from_calls",
    "context_from_turn",
    "continues",
    "default_rules",
    "ends_with_user_question",
    "evaluate_rules",
    "evidence_of",
    "explain_rules",
    "finish_reason",
    "hits_of_turns",
    "is_go_ahead",
    "language_covered",
    "listed_work",
    "lists_remaining_work",
    "load_altair",
    "rule_from_cell",
    "runs_of_columns",
    "runs_of_turn",
    "shipped_languages",
    "sweep",
]
