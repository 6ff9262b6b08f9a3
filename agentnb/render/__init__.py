"""VALUES -> HTML: deterministic, hostile recordings made harmless, every output within its budget of bytes.

Each `render_` function takes a value and returns HTML; each `plain_` function returns text for the same value. Nothing here reads a file
but the style sheet, asks a clock, or knows a notebook. `_markup.py` is the only file that makes tags.
"""

from __future__ import annotations

from agentnb.render._agreement import plain_accuracy, plain_agreement, plain_comparison, render_accuracy, render_agreement, render_comparison
from agentnb.render._cards import render_card, render_upload
from agentnb.render._decisions import (
    plain_case,
    plain_decision,
    plain_evaluation,
    plain_explanation,
    plain_raw_turn,
    render_case,
    render_decision,
    render_evaluation,
    render_explanation,
    render_raw_turn,
)
from agentnb.render._frame import css
from agentnb.render._images import image_text, render_image
from agentnb.render._live import (
    LiveConversationCard,
    LiveTurnCard,
    plain_live_conversation,
    plain_live_turn,
    render_live_conversation,
    render_live_turn,
)
from agentnb.render._markup import Html
from agentnb.render._options import Options, options
from agentnb.render._pages import CallToRate, EarlierTurn, Finding, RatingProgress, ResultTable, TranscriptPage, TurnLine, WorkspaceCard
from agentnb.render._pieces import render_approval, render_message, render_rating, render_step
from agentnb.render._plain import (
    plain_approval,
    plain_call,
    plain_card,
    plain_conversation,
    plain_message,
    plain_rating,
    plain_script,
    plain_step,
    plain_table,
    plain_transcript,
    plain_turn,
)
from agentnb.render._questions import (
    plain_questions,
    question_key,
    questions_heading,
    render_question,
    render_question_whole,
    render_questions,
)
from agentnb.render._rule_strip import plain_rules, render_rule_strip, render_rules
from agentnb.render._rule_trials import backtest_table, plain_backtest, plain_sweep, render_backtest, render_sweep, sweep_table
from agentnb.render._tables import render_table
from agentnb.render._transcripts import render_conversation, render_transcript
from agentnb.render._trees import render_call_tree, tree_order
from agentnb.render._turns import render_call, render_rating_line, render_steps, render_turn, render_turn_body, turn_line
from agentnb.render.board import plain_board, render_board
from agentnb.render.call_to_rate import answer_of, plain_progress, render_call_body, render_call_to_rate
from agentnb.render.evidence import plain_evidence, render_evidence
from agentnb.render.replay import plain_frame, plain_trace, render_frame, render_trace
from agentnb.render.script_row import render_script
from agentnb.render.what_if import render_what_if

__all__ = [
    "CallToRate",
    "EarlierTurn",
    "Finding",
    "Html",
    "LiveConversationCard",
    "LiveTurnCard",
    "Options",
    "RatingProgress",
    "ResultTable",
    "TranscriptPage",
    "TurnLine",
    "WorkspaceCard",
    "answer_of",
    "backtest_table",
    "css",
    "image_text",
    "options",
    "plain_accuracy",
    "plain_agreement",
    "plain_approval",
    "plain_backtest",
    "plain_board",
    "plain_call",
    "plain_card",
    "plain_case",
    "plain_comparison",
    "plain_conversation",
    "plain_decision",
    "plain_evaluation",
    "plain_evidence",
    "plain_explanation",
    "plain_frame",
    "plain_live_conversation",
    "plain_live_turn",
    "plain_message",
    "plain_progress",
    "plain_questions",
    "plain_rating",
    "plain_raw_turn",
    "plain_rules",
    "plain_script",
    "plain_step",
    "plain_sweep",
    "plain_table",
    "plain_trace",
    "plain_transcript",
    "plain_turn",
    "question_key",
    "questions_heading",
    "render_accuracy",
    "render_agreement",
    "render_approval",
    "render_backtest",
    "render_board",
    "render_call",
    "render_call_body",
    "render_call_to_rate",
    "render_call_tree",
    "render_card",
    "render_case",
    "render_comparison",
    "render_conversation",
    "render_decision",
    "render_evaluation",
    "render_evidence",
    "render_explanation",
    "render_frame",
    "render_image",
    "render_live_conversation",
    "render_live_turn",
    "render_message",
    "render_question",
    "render_question_whole",
    "render_questions",
    "render_rating",
    "render_rating_line",
    "render_raw_turn",
    "render_rule_strip",
    "render_rules",
    "render_script",
    "render_step",
    "render_steps",
    "render_sweep",
    "render_table",
    "render_trace",
    "render_transcript",
    "render_turn",
    "render_turn_body",
    "render_upload",
    "render_what_if",
    "sweep_table",
    "tree_order",
    "turn_line",
]
