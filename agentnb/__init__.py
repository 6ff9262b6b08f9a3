"""A Jupyter-native kit for debugging AI agents: read a recorded run, see it, ask it, rate it.

    import agentnb as anb

    ws = anb.open("logs/")                # any format that is known, found by content; packed or not
    anb.read(messages)                    # or what is at hand already
    ws.sql("from tool_errors")            # DuckDB over what was recorded
    anb.Transcript(ws, turn)              # look at it
    ws.rate(call, "wrong", by="ana")      # and say what you think of it

Names are resolved on first use, so that importing the package costs nothing that is not needed.
"""

from __future__ import annotations

import importlib
import sys
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from IPython.core.interactiveshell import InteractiveShell

    from agentnb.errors import AgentnbError, OptionError, QueryError, RatingError, UnknownFormat, UnknownId, WorkspaceError, WorkspaceVersionError
    from agentnb.render import options
    from agentnb.values import Approval, Call, Conversation, Diagnostic, Message, Part, Rating, ScriptRow, Source, Step, Turn, Usage
    from agentnb.widgets import CallTree, Transcript, Upload
    from agentnb.workspace import Account, Workspace
    from agentnb.workspace import open_workspace as open
    from agentnb.workspace import read_object as read

_ROOMS = {
    "errors": (
        "AgentnbError", "OptionError", "QueryError", "RatingError", "UnknownFormat", "UnknownId", "WorkspaceError", "WorkspaceVersionError",
    ),
    "render": ("options",),
    "values": ("Approval", "Call", "Conversation", "Diagnostic", "Message", "Part", "Rating", "ScriptRow", "Source", "Step", "Turn", "Usage"),
    "widgets": ("CallTree", "Transcript", "Upload"),
    "workspace": ("Account", "Workspace", "open", "read"),
}  # fmt: skip
_NAMES = {"open": "open_workspace", "read": "read_object"}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Account",
    "AgentnbError",
    "Approval",
    "Call",
    "CallTree",
    "Conversation",
    "Diagnostic",
    "Message",
    "OptionError",
    "Part",
    "QueryError",
    "Rating",
    "RatingError",
    "ScriptRow",
    "Source",
    "Step",
    "Transcript",
    "Turn",
    "UnknownFormat",
    "UnknownId",
    "Upload",
    "Usage",
    "Workspace",
    "WorkspaceError",
    "WorkspaceVersionError",
    "load_ipython_extension",
    "open",
    "options",
    "read",
]


def __getattr__(name: str) -> Any:
    """Import a public name from its room on first use."""
    room = _ROOM_OF.get(name)
    if room is None:
        raise AttributeError(f"module 'agentnb' has no attribute {name!r}; dir(agentnb) lists the public names")
    value = getattr(importlib.import_module(f"agentnb.{room}"), _NAMES.get(name, name))
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*__all__, "__version__"])


def load_ipython_extension(shell: InteractiveShell) -> None:
    """Add the cell magics: `%load_ext agentnb`."""
    importlib.import_module("agentnb.magics").register_magics(shell)


def _show_values() -> None:
    """Let values show themselves where IPython runs; elsewhere nothing of it is imported."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None and hasattr(ipython, "get_ipython") else None
    if shell is not None:
        importlib.import_module("agentnb.display").register(shell)


_show_values()
