"""VALUES -> TABLES: recorded runs as DuckDB tables over memory or Parquet, with ratings that last.

`schema.sql` is the contract: every table, view and column, with a comment on each. `Workspace` is what a person holds.
"""

from __future__ import annotations

from agentnb.workspace._account import Account
from agentnb.workspace._board import board_of
from agentnb.workspace._case_files import load_cases
from agentnb.workspace._imported import ImportedRatings, NotImported
from agentnb.workspace._numbers import accuracy, agreement, compare_versions
from agentnb.workspace._open import last_opened, open_live, open_workspace, read_object
from agentnb.workspace._rated import rated
from agentnb.workspace._rated_rows import RatedRows, Split
from agentnb.workspace._scores import CaseScore, Scores, score
from agentnb.workspace._to_rate import calls_to_rate
from agentnb.workspace._workspace import Workspace

__all__ = [
    "Account",
    "CaseScore",
    "ImportedRatings",
    "NotImported",
    "RatedRows",
    "Scores",
    "Split",
    "Workspace",
    "accuracy",
    "agreement",
    "board_of",
    "calls_to_rate",
    "compare_versions",
    "last_opened",
    "load_cases",
    "open_live",
    "open_workspace",
    "rated",
    "read_object",
    "score",
]
