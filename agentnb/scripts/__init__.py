"""CODE-RUNNING CALLS -> SCRIPT ROWS, and names and numbers against the evidence. What code really ran, and is the answer in what the agent was shown?

Live, a conversation engine calls `check_script` and `EvidenceOptions` when a tool and an agent are defined, `file_script`, `settle_script`, `withhold`
and `start_turn` while it runs, `judge_answer` and `with_scripts` when it is about to answer. Recorded calls become rows by `rows_of_calls`, and a
recorded turn is checked by `check_evidence`. Everything is a function on values.
"""

from __future__ import annotations

from agentnb.scripts.answers import AnswerCode, answer_code, export_scripts, scripts_block, scripts_data, with_scripts
from agentnb.scripts.blocked import BlockedScript, blocked_script
from agentnb.scripts.changes import Change, diff_programs
from agentnb.scripts.declaration import MAX_SCRIPT_BYTES, Recording, ResultCeiling, Script, Withheld, check_script, withhold
from agentnb.scripts.endings import Ending, RunnerRecord, ending_of
from agentnb.scripts.evidence import EvidenceCheck, EvidenceOptions, Judgment, Served, Shape, check_answer, check_evidence, judge_answer
from agentnb.scripts.findings import contingent_values, current_standings, new_conflicts
from agentnb.scripts.ledger import (
    Filed,
    file_script,
    open_dispatch,
    restore_ledger,
    script_event,
    script_row_is_well_formed,
    settle_script,
    start_turn,
    turn_number,
)
from agentnb.scripts.programs import Program, program_in
from agentnb.scripts.recorded import PROGRAM_COLUMNS, ROW_COLUMNS, ScriptColumns, rows_of_calls
from agentnb.scripts.shapes import shape_hash, shape_of
from agentnb.scripts.tools import CodeTool, code_tool
from agentnb.scripts.verdicts import Verdict, verdict_of

__all__ = [
    "MAX_SCRIPT_BYTES",
    "PROGRAM_COLUMNS",
    "ROW_COLUMNS",
    "AnswerCode",
    "BlockedScript",
    "Change",
    "CodeTool",
    "Ending",
    "EvidenceCheck",
    "EvidenceOptions",
    "Filed",
    "Judgment",
    "Program",
    "Recording",
    "ResultCeiling",
    "RunnerRecord",
    "Script",
    "ScriptColumns",
    "Served",
    "Shape",
    "Verdict",
    "Withheld",
    "answer_code",
    "blocked_script",
    "check_answer",
    "check_evidence",
    "check_script",
    "code_tool",
    "contingent_values",
    "current_standings",
    "diff_programs",
    "ending_of",
    "export_scripts",
    "file_script",
    "judge_answer",
    "new_conflicts",
    "open_dispatch",
    "program_in",
    "restore_ledger",
    "rows_of_calls",
    "script_event",
    "script_row_is_well_formed",
    "scripts_block",
    "scripts_data",
    "settle_script",
    "shape_hash",
    "shape_of",
    "start_turn",
    "turn_number",
    "verdict_of",
    "with_scripts",
    "withhold",
]
