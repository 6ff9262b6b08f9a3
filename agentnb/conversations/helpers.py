"""Helpers that remember: what a module's helper is shown of its earlier calls, and the record by which a later call is shown this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from agentnb.conversations.frames import Frame, current_frame
from agentnb.conversations.helper_memory import Helper, Remember, remembered_calls

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation


def recall(frame: Frame) -> None:
    """Show a helper its earlier calls, as far as the module that calls it remembers them."""
    how, journal = _memory_of(frame), frame.run.journal
    if how is None or journal is None:
        return
    turn, program = journal.turn, frame.program
    current = [record for record in turn.calls if record.get("attempt") == journal.attempt]
    helper = Helper(program.name, program.module, program.signature)
    found = remembered_calls(journal.ledger.log, helper, how, parent=turn.parent, current=current)
    frame.saw, frame.earlier = [each.entry for each in found], [each.turn for each in found]


def remember(frame: Frame, outputs: Mapping[str, Any]) -> None:
    """Record the call of a helper that its module remembers."""
    journal, program = frame.run.journal, frame.program
    if journal is None or _memory_of(frame) is None:
        return
    written = program.interface.outputs_to_json(outputs)
    journal.write(
        "call",
        call=frame.id,
        site=frame.site,
        program={"name": program.name, "module": program.module, "signature": program.signature},
        lmcc={"signature": program.signature, "inputs": frame.inputs, "steps": frame.steps, "outputs": written},
        saw=frame.saw,
        attempt=journal.attempt,
    )


def declares(conversation: Conversation) -> bool:
    """Tell whether a call in which this code runs belongs to a module that declares it uses a conversation of its own."""
    frame = current_frame()
    while frame is not None:
        if any(getattr(own, "id", None) == conversation.id for own in getattr(frame.program, "own_conversations", ())):
            return True
        frame = frame.parent
    return False


def _memory_of(frame: Frame) -> Remember | None:
    """Return how the nearest module around a call remembers it; None when none does."""
    if frame.program.kind != "ai":
        return None
    around = frame.parent
    while around is not None:
        found: Remember | None = getattr(around.program, "remembers", {}).get(frame.program)
        if found is not None:
            return found
        around = around.parent
    return None
