"""WHAT PEOPLE SAID -> WHAT IS KNOWN: which ratings count, rows with known answers, agreement, honest numbers.

Functions on plain values: records as FunctAI writes them, or ratings. Nothing here asks a database; `agentnb.workspace` does.
"""

from __future__ import annotations

from agentnb.ratings.accuracy import Accuracy, DrawnCall, RaterAccuracy, measure_accuracy, wilson
from agentnb.ratings.agreement import Agreement, Disagreement, Estimate, Judgements, PairAgreement, measure_agreement
from agentnb.ratings.board import BoardLine, Called, JudgedCall, ProgramVersion, TrendPoint, board_lines
from agentnb.ratings.canonical import canonical, spelled
from agentnb.ratings.comparison import Comparison, ScoredCall, compare, paired_range, scored_calls
from agentnb.ratings.counting import Counts, counted
from agentnb.ratings.examples import chat_example
from agentnb.ratings.exports import Exported, ExportForm, mlflow_assessments, phoenix_annotations
from agentnb.ratings.foreign import ForeignRating, read_foreign
from agentnb.ratings.rated import WHY, LeftOut, Program, Rated, RatedCall, object_in, rated_calls, rated_records
from agentnb.ratings.records import rating_of, rating_of_row, rating_record, time_of, write_time
from agentnb.ratings.rows import rows_of
from agentnb.ratings.sampling import Drawn, draw
from agentnb.ratings.splits import split_groups
from agentnb.ratings.verdicts import ABSENT, verdict_of

__all__ = [
    "ABSENT",
    "WHY",
    "Accuracy",
    "Agreement",
    "BoardLine",
    "Called",
    "Comparison",
    "Counts",
    "Disagreement",
    "Drawn",
    "DrawnCall",
    "Estimate",
    "ExportForm",
    "Exported",
    "ForeignRating",
    "JudgedCall",
    "Judgements",
    "LeftOut",
    "PairAgreement",
    "Program",
    "ProgramVersion",
    "Rated",
    "RatedCall",
    "RaterAccuracy",
    "ScoredCall",
    "TrendPoint",
    "board_lines",
    "canonical",
    "chat_example",
    "compare",
    "counted",
    "draw",
    "measure_accuracy",
    "measure_agreement",
    "mlflow_assessments",
    "object_in",
    "paired_range",
    "phoenix_annotations",
    "rated_calls",
    "rated_records",
    "rating_of",
    "rating_of_row",
    "rating_record",
    "read_foreign",
    "rows_of",
    "scored_calls",
    "spelled",
    "split_groups",
    "time_of",
    "verdict_of",
    "wilson",
    "write_time",
]
