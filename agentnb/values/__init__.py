"""WHAT WAS RECORDED: frozen values, no input or output.

A flat value is a row of the table of the same name: same fields, same types, and the docstring under a field is the comment on its column.
Conversations, turns, messages and steps hold further values on top of their row.
"""

from __future__ import annotations

from agentnb.values._base import Value
from agentnb.values.approvals import Approval, WaitingApproval
from agentnb.values.calls import Call, Step
from agentnb.values.control_tools import control_tools
from agentnb.values.conversations import Conversation
from agentnb.values.decided import Decision
from agentnb.values.decisions import ControlToolRole, Discarded, ObservedAction, ObservedDecision, ObservedSubAgent, RawToolCall, RawTurn
from agentnb.values.messages import Message, Part
from agentnb.values.ratings import Rating
from agentnb.values.rules import Nudge, Rule, RuleCheck, RuleContext, RuleExplanation, RuleHit, RulePoint
from agentnb.values.samples import Sample, SampledCall
from agentnb.values.scripts import ScriptProgram, ScriptRow
from agentnb.values.sources import Diagnostic, Source
from agentnb.values.turns import Turn
from agentnb.values.usage import Usage

__all__ = [
    "Approval",
    "Call",
    "ControlToolRole",
    "Conversation",
    "Decision",
    "Diagnostic",
    "Discarded",
    "Message",
    "Nudge",
    "ObservedAction",
    "ObservedDecision",
    "ObservedSubAgent",
    "Part",
    "Rating",
    "RawToolCall",
    "RawTurn",
    "Rule",
    "RuleCheck",
    "RuleContext",
    "RuleExplanation",
    "RuleHit",
    "RulePoint",
    "Sample",
    "SampledCall",
    "ScriptProgram",
    "ScriptRow",
    "Source",
    "Step",
    "Turn",
    "Usage",
    "Value",
    "WaitingApproval",
    "control_tools",
]
