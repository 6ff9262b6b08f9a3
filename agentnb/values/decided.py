"""What every step of a workspace decided: the decision that the normalizer reads it as, flat."""

from __future__ import annotations

from agentnb.values._base import Value
from agentnb.values.decisions import DecisionKind, DiagnosticCategory, Encoding


class Decision(Value):
    """What a step decided; a row of the `decisions` table."""

    decision_id: str
    """The step: id of its model call."""
    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn it belongs to."""
    agent_call_id: str | None = None
    """The agent call it ran inside: the turn's id, or a sub-agent's call."""
    call_index: int
    """Place of the model call in the conversation, from 0."""
    kind: DecisionKind
    """action, subAgent, chat, taskComplete, payloadChange, other, unparseable or empty."""
    encoding: Encoding
    """How it arrived: envelope, native, text or none."""
    actions: str | None = None
    """JSON list of the actions asked for, each with name and params; null for none."""
    sub_agents: str | None = None
    """JSON list of the sub-agents handed over to, each with name and message; null for none."""
    message: str | None = None
    """What the person is told."""
    task_complete: bool
    """Whether it says that the task is complete."""
    payload_change: str | None = None
    """JSON object of what it writes to the payload; null for nothing."""
    envelope_parsed: bool | None = None
    """Whether an envelope was read; false when one was expected and unreadable, null when none was expected."""
    step_type: str | None = None
    """The envelope's word for the next step, as it stood there."""
    diagnostic: str | None = None
    """Why it could not be read; null when it could."""
    diagnostic_category: DiagnosticCategory | None = None
    """no_output, parse_error, concatenated or not_object; null when it could be read."""
    concatenated_objects: int | None = None
    """How many JSON objects stood behind each other; null unless that is why it could not be read."""
    dual_channel: bool | None = None
    """Whether a tool call and an envelope came in the same turn; null without tool calls."""
    shadow_envelope_kind: DecisionKind | None = None
    """What the envelope beside the tool calls would have decided; null without one."""
    narration_with_calls: bool | None = None
    """Whether words that are no envelope stood beside the tool calls; null without tool calls."""
    placeholder_call: bool | None = None
    """Whether the calls were made only because something had to be called; null without tool calls."""
    discarded: str | None = None
    """JSON list of what the turn also held and what had no effect; null for nothing."""
    well_formed: bool
    """Whether a loop could act on it as it came."""
    well_formed_reason: str | None = None
    """Why a loop could not; null when it could."""
