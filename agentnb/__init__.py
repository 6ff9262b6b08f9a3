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

    from agentnb.conversations import (
        LiveConversation,
        LiveTurn,
        Pause,
        Remember,
        configure,
        earlier,
        module,
        open_store,
        program,
        register_model,
        settings,
    )
    from agentnb.decisions import (
        Case,
        DecisionExpectation,
        build_tool_names,
        check_sub_agents,
        check_well_formed,
        evaluate_case,
        evaluate_decision,
        expect_decision,
        explain_decision,
        lint_cases,
        looks_like_envelope,
        normalize_decision,
        parse_case,
        parse_cases,
        raw_turn_from_response,
        render_history,
        sanitize_action_name,
        write_case,
    )
    from agentnb.errors import (
        AgentnbError,
        CaseError,
        ConversationError,
        ModelError,
        ModelTransportError,
        OptionError,
        ProgramError,
        QueryError,
        RatingError,
        RuleError,
        ScriptError,
        SelectionError,
        StoreConflict,
        ToolNameError,
        TurnError,
        TurnWaiting,
        UnknownFormat,
        UnknownId,
        UnsupportedValues,
        WorkspaceError,
        WorkspaceVersionError,
    )
    from agentnb.ratings import Accuracy, Agreement, Comparison
    from agentnb.render import options
    from agentnb.rules import (
        Backtest,
        Language,
        Limits,
        announces_work,
        backtest,
        context_from_calls,
        context_from_turn,
        default_rules,
        evaluate_rules,
        explain_rules,
        is_go_ahead,
        lists_remaining_work,
        rule_from_cell,
        sweep,
    )
    from agentnb.scripts import EvidenceCheck, EvidenceOptions, ResultCeiling, Script, check_evidence
    from agentnb.transports import (
        AnthropicProvider,
        ModelRunner,
        OpenAIProvider,
        ScriptedProvider,
        SessionTransport,
        StageTransport,
        Tool,
        ToolContext,
        compare_adapters,
        define_model_tools,
        text_transport,
        tool,
        trace_selection,
        what_if,
    )
    from agentnb.values import (
        Approval,
        Call,
        ControlToolRole,
        Conversation,
        Decision,
        Diagnostic,
        Message,
        Nudge,
        ObservedDecision,
        Part,
        Rating,
        RawToolCall,
        RawTurn,
        Rule,
        RuleContext,
        RuleExplanation,
        RuleHit,
        Sample,
        ScriptRow,
        Source,
        Step,
        Turn,
        Usage,
    )
    from agentnb.widgets import Approvals, CallTree, Rater, Replay, Scoreboard, Transcript, Upload
    from agentnb.workspace import Account, CaseScore, RatedRows, Scores, Workspace, accuracy, agreement, compare_versions, load_cases, rated, score
    from agentnb.workspace import open_workspace as open
    from agentnb.workspace import read_object as read

_ROOMS = {
    "conversations": (
        "LiveConversation", "LiveTurn", "Pause", "Remember", "configure", "earlier", "module", "open_store", "program", "register_model", "settings",
    ),
    "decisions": (
        "Case", "DecisionExpectation", "build_tool_names", "check_sub_agents", "check_well_formed", "evaluate_case", "evaluate_decision", "expect_decision",
        "explain_decision", "lint_cases", "looks_like_envelope", "normalize_decision", "parse_case", "parse_cases", "raw_turn_from_response",
        "render_history", "sanitize_action_name", "write_case",
    ),
    "errors": (
        "AgentnbError", "CaseError", "ConversationError", "ModelError", "ModelTransportError", "OptionError", "ProgramError", "QueryError", "RatingError",
        "RuleError", "ScriptError", "SelectionError", "StoreConflict", "ToolNameError", "TurnError", "TurnWaiting", "UnknownFormat", "UnknownId",
        "UnsupportedValues", "WorkspaceError", "WorkspaceVersionError",
    ),
    "ratings": ("Accuracy", "Agreement", "Comparison"),
    "render": ("options",),
    "rules": (
        "Backtest", "Language", "Limits", "announces_work", "backtest", "context_from_calls", "context_from_turn", "default_rules", "evaluate_rules",
        "explain_rules", "is_go_ahead", "lists_remaining_work", "rule_from_cell", "sweep",
    ),
    "scripts": ("EvidenceCheck", "EvidenceOptions", "ResultCeiling", "Script", "check_evidence"),
    "transports": (
        "AnthropicProvider", "ModelRunner", "OpenAIProvider", "ScriptedProvider", "SessionTransport",
        "StageTransport", "Tool", "ToolContext", "compare_adapters", "define_model_tools", "text_transport", "tool",
        "trace_selection", "what_if",
    ),
    "values": (
        "Approval", "Call", "ControlToolRole", "Conversation", "Decision", "Diagnostic", "Message", "Nudge", "ObservedDecision", "Part", "Rating",
        "RawToolCall", "RawTurn", "Rule", "RuleContext", "RuleExplanation", "RuleHit", "Sample", "ScriptRow", "Source", "Step", "Turn", "Usage",
    ),
    "widgets": ("Approvals", "CallTree", "Rater", "Replay", "Scoreboard", "Transcript", "Upload"),
    "workspace": (
        "Account", "CaseScore", "RatedRows", "Scores", "Workspace", "accuracy", "agreement", "compare_versions", "load_cases", "open", "rated", "read",
        "score",
    ),
}  # fmt: skip
_NAMES = {"open": "open_workspace", "read": "read_object"}
_ROOM_OF = {name: room for room, names in _ROOMS.items() for name in names}

__all__ = [
    "Account",
    "Accuracy",
    "AgentnbError",
    "Agreement",
    "AnthropicProvider",
    "Approval",
    "Approvals",
    "Backtest",
    "Call",
    "CallTree",
    "Case",
    "CaseError",
    "CaseScore",
    "Comparison",
    "ControlToolRole",
    "Conversation",
    "ConversationError",
    "Decision",
    "DecisionExpectation",
    "Diagnostic",
    "EvidenceCheck",
    "EvidenceOptions",
    "Language",
    "Limits",
    "LiveConversation",
    "LiveTurn",
    "Message",
    "ModelError",
    "ModelRunner",
    "ModelTransportError",
    "Nudge",
    "ObservedDecision",
    "OpenAIProvider",
    "OptionError",
    "Part",
    "Pause",
    "ProgramError",
    "QueryError",
    "RatedRows",
    "Rater",
    "Rating",
    "RatingError",
    "RawToolCall",
    "RawTurn",
    "Remember",
    "Replay",
    "ResultCeiling",
    "Rule",
    "RuleContext",
    "RuleError",
    "RuleExplanation",
    "RuleHit",
    "Sample",
    "Scoreboard",
    "Scores",
    "Script",
    "ScriptError",
    "ScriptRow",
    "ScriptedProvider",
    "SelectionError",
    "SessionTransport",
    "Source",
    "StageTransport",
    "Step",
    "StoreConflict",
    "Tool",
    "ToolContext",
    "ToolNameError",
    "Transcript",
    "Turn",
    "TurnError",
    "TurnWaiting",
    "UnknownFormat",
    "UnknownId",
    "UnsupportedValues",
    "Upload",
    "Usage",
    "Workspace",
    "WorkspaceError",
    "WorkspaceVersionError",
    "accuracy",
    "agreement",
    "announces_work",
    "backtest",
    "build_tool_names",
    "check_evidence",
    "check_sub_agents",
    "check_well_formed",
    "compare_adapters",
    "compare_versions",
    "configure",
    "context_from_calls",
    "context_from_turn",
    "default_rules",
    "define_model_tools",
    "earlier",
    "evaluate_case",
    "evaluate_decision",
    "evaluate_rules",
    "expect_decision",
    "explain_decision",
    "explain_rules",
    "is_go_ahead",
    "lint_cases",
    "lists_remaining_work",
    "load_cases",
    "load_ipython_extension",
    "looks_like_envelope",
    "module",
    "normalize_decision",
    "open",
    "open_store",
    "options",
    "parse_case",
    "parse_cases",
    "program",
    "rated",
    "raw_turn_from_response",
    "read",
    "register_model",
    "render_history",
    "rule_from_cell",
    "sanitize_action_name",
    "score",
    "settings",
    "sweep",
    "text_transport",
    "tool",
    "trace_selection",
    "what_if",
    "write_case",
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
