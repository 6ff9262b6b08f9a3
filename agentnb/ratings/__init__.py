"""WHAT PEOPLE SAID -> WHAT IS KNOWN: which ratings count, rows with known answers, agreement, honest numbers.

Functions on plain values: records as FunctAI writes them, or ratings. Nothing here asks a database; `agentnb.workspace` does.
"""

from __future__ import annotations

from agentnb.ratings.accuracy import Accuracy, DrawnCall, RaterAccuracy, measure_accuracy, wilson
from agentnb.ratings.agreement import Agreement, Disagreement, Estimate, Judgements, PairAgreement, measure_agreement
from agentnb.ratings.canonical import canonical, spelled
from agentnb.ratings.comparison import Comparison, ScoredCall, compare, paired_range, scored_calls
from agentnb.ratings.counting import counted
from agentnb.ratings.examples import chat_example
from agentnb.ratings.rated import WHY, LeftOut, Program, Rated, RatedCall, object_in, rated_calls, rated_records
from agentnb.ratings.records import rating_of, rating_of_row, rating_record, time_of, write_time
from agentnb.ratings.rows import rows_of
from agentnb.ratings.sampling import Drawn, draw
from agentnb.ratings.splits import split_groups

__all__ = [
    "WHY",
    "Accuracy",
    "Agreement",
    "Comparison",
    "Disagreement",
    "Drawn",
    "DrawnCall",
    "Estimate",
    "Judgements",
    "LeftOut",
    "PairAgreement",
    "Program",
    "Rated",
    "RatedCall",
    "RaterAccuracy",
    "ScoredCall",
    "canonical",
    "chat_example",
    "compare",
    "counted",
    "draw",
    "measure_accuracy",
    "measure_agreement",
    "object_in",
    "paired_range",
    "rated_calls",
    "rated_records",
    "rating_of",
    "rating_of_row",
    "rating_record",
    "rows_of",
    "scored_calls",
    "spelled",
    "split_groups",
    "time_of",
    "wilson",
    "write_time",
]
