"""WHAT PEOPLE SAID -> WHAT IS KNOWN: which ratings count, rows with known answers, agreement, honest numbers.

Functions on plain values: records as FunctAI writes them, or ratings. Nothing here asks a database; `agentnb.workspace` does.
"""

from __future__ import annotations

from agentnb.ratings.canonical import canonical, spelled
from agentnb.ratings.counting import counted
from agentnb.ratings.rated import LeftOut, Program, Rated, RatedCall, rated_calls
from agentnb.ratings.records import rating_of, rating_of_row, rating_record, time_of, write_time
from agentnb.ratings.rows import rows_of
from agentnb.ratings.sampling import Drawn, draw

__all__ = [
    "Drawn",
    "LeftOut",
    "Program",
    "Rated",
    "RatedCall",
    "canonical",
    "counted",
    "draw",
    "rated_calls",
    "rating_of",
    "rating_of_row",
    "rating_record",
    "rows_of",
    "spelled",
    "time_of",
    "write_time",
]
