"""What live turns and conversations show of themselves, with the next step in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from agentnb.conversations.questions import questions_of
from agentnb.conversations.showing import as_text
from agentnb.render import LiveConversationCard, LiveTurnCard

if TYPE_CHECKING:
    from agentnb.conversations.conversation import Conversation
    from agentnb.conversations.turn import Turn

_LISTED = 30


class _Next(NamedTuple):
    """What to do, and how."""

    advice: str | None = None
    code: tuple[str, ...] = ()


def turn_card(turn: Turn, *, with_tree: bool = True) -> LiveTurnCard:
    """Return what a turn shows of itself."""
    following = _next_of(turn)
    error = turn.error
    return LiveTurnCard(
        asked=as_text(next(iter(turn.inputs.values())) if len(turn.inputs) == 1 else turn.inputs) if turn.inputs else "",
        state=turn.state,
        answer=as_text(turn.result) if turn.state == "done" else None,
        error=f"{error.get('type')}: {error.get('message')}" if error else None,
        waiting=tuple(questions_of(turn.conversation, turn.id, turn.waiting)),
        tree=turn.tree() if with_tree else "",
        advice=following.advice,
        code=following.code,
    )


def conversation_card(conversation: Conversation) -> LiveConversationCard:
    """Return what a conversation shows of itself."""
    turns = conversation.turns
    program = conversation.program.name if conversation.program is not None else None
    shown = tuple(turn_card(turn, with_tree=False) for turn in turns[-_LISTED:])
    return LiveConversationCard(conversation_id=conversation.id, program=program, turns=shown, total=len(turns))


def _next_of(turn: Turn) -> _Next:
    if turn.state == "running":
        return _Next("It runs in the background.", ("await turn", "turn.stop()"))
    if turn.state == "waiting":
        if turn.waiting:
            return _Next("It waits for a person.", ("turn.approve(by='…')", "turn.deny(reason='…', by='…')", "anb.Approvals(chat)"))
        return _Next("Everything it asked is answered.", ("turn.resume()",))
    if turn.state == "interrupted":
        return _next_of_interrupted(turn)
    if turn.state == "failed":
        return _Next("The next turn goes on from the one before.", ("turn.error", "chat.send(…)"))
    return _Next()


def _next_of_interrupted(turn: Turn) -> _Next:
    unsure = turn.unfinished
    if not unsure:
        return _Next("It was interrupted; what is recorded is neither paid for nor run again.", ("turn.resume()", "turn.abandon()"))
    names = ", ".join(tool.name or "a tool" for tool in unsure)
    first = unsure[0].invocation
    how = (f"turn.resume(results={{{first}: '…'}})", f"turn.resume(rerun=[{first}])")
    return _Next(f"It was interrupted while {names} ran, which may have done its work. Look, and then say what it put out or run it again:", how)
