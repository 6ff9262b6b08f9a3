"""WHAT WAS RECORDED: frozen values, no input or output.

A flat value is a row of the table of the same name: same fields, same types, and the docstring under a field is the comment on its column.
Conversations, turns, messages and steps hold further values on top of their row.
"""

from __future__ import annotations

from agentnb.values._base import Value
from agentnb.values.approvals import Approval
from agentnb.values.calls import Call, Step
from agentnb.values.conversations import Conversation
from agentnb.values.messages import Message, Part
from agentnb.values.ratings import Rating
from agentnb.values.scripts import ScriptRow
from agentnb.values.sources import Diagnostic, Source
from agentnb.values.turns import Turn
from agentnb.values.usage import Usage

__all__ = ["Approval", "Call", "Conversation", "Diagnostic", "Message", "Part", "Rating", "ScriptRow", "Source", "Step", "Turn", "Usage", "Value"]
