"""LIVE: programs that run, wait for a person, go on and stop, over a log of records that is only ever appended to."""

from __future__ import annotations

from agentnb.conversations.conversation import Conversation
from agentnb.conversations.conversation import Conversation as LiveConversation
from agentnb.conversations.frames import earlier
from agentnb.conversations.halts import Pause
from agentnb.conversations.helper_memory import Remember
from agentnb.conversations.models import register_model
from agentnb.conversations.programs import AIFunction, Module, Program, module, program
from agentnb.conversations.setting_layers import configure, settings
from agentnb.conversations.stores import open_store
from agentnb.conversations.streaming import CallStream
from agentnb.conversations.turn import Turn
from agentnb.conversations.turn import Turn as LiveTurn

__all__ = [
    "AIFunction",
    "CallStream",
    "Conversation",
    "LiveConversation",
    "LiveTurn",
    "Module",
    "Pause",
    "Program",
    "Remember",
    "Turn",
    "configure",
    "earlier",
    "module",
    "open_store",
    "program",
    "register_model",
    "settings",
]
