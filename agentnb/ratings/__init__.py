"""WHAT PEOPLE SAID -> WHAT IS KNOWN: which ratings count, rows with known answers, agreement, honest numbers.

Functions on plain values: records as FunctAI writes them, or ratings. Nothing here asks a database; `agentnb.workspace` does.
"""

from __future__ import annotations

from agentnb.ratings.agreement import Agreement, Disagreement, Estimate, Judgements, PairAgreement, measure_agreement
from agentnb.ratings.canonical import canonical, spelled
from agentnb.ratings.counting import counted
from agentnb.ratings.examples import chat_example
from agentnb.ratings.rated import WHY, LeftOut, Program, Rated, RatedCall, object_in, rated_calls
from agentnb.ratings.records import rating_of, rating_of_row, rating_record, time_of, write_time
from agentnb.ratings.rows import rows_of
from agentnb.ratings.sampling import Drawn, draw
from agentnb.ratings.splits import split_groups

__all__ = [
    "WHY",
    "Agreement",
    "Disagreement",
    "Drawn",
    "Estimate",
    "Judgements",
    "LeftOut",
    "PairAgreement",
    "Program",
    "Rated",
    "RatedCall",
    "canonical",
    "chat_example",
    "counted",
    "draw",
    "measure_agreement",
    "object_in",
    "rated_calls",
    "rating_of",
    "rating_of_row",
    "rating_record",
    "rows_of",
    "spelled",
    "split_groups",
    "time_of",
    "write_time",
]
