"""A recorded turn -> what its agent was shown: the results of its own calls are evidence, what was said to it is exempt."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentnb.scripts.evidence.check import EvidenceCheck, Served, check_answer
from agentnb.scripts.evidence.options import EvidenceOptions
from agentnb.values import Call, Turn


def check_evidence(
    subject: Turn | str,
    *,
    earlier: Sequence[Turn] = (),
    results: Iterable[Served | str] = (),
    said: Iterable[Served | str] = (),
    options: EvidenceOptions | None = None,
) -> EvidenceCheck:
    """Say of every name and number in an answer whether it stands in what the agent was shown, and where.

    Args:
        subject: a recorded turn, or the text of an answer.
        earlier: the turns of the conversation before it, oldest first: what they showed is still known.
        results: more results of tools, beside those of the turns.
        said: more that was said to the agent: system prompts, files it was given.
        options: settings of the check.

    Returns:
        The check; it shows itself with the unsupported values marked.

    Raises:
        TypeError: the subject is neither a turn nor a text.

    Example:
        >>> check_evidence("It peaks at 41,200 IOPS, not 39999.", results=['{"iops": 41200}']).listed()
        '39999'
    """
    if isinstance(subject, str):
        answer, turns = subject, list(earlier)
    elif isinstance(subject, Turn):
        answer, turns = subject.answer or "", [*earlier, subject]
    else:
        raise TypeError(f"check_evidence takes a turn or the text of an answer, not {type(subject).__name__}; ws.turn(id) gives a turn.")
    number = max(len(turns), 1) if isinstance(subject, Turn) else len(turns) + 1
    shown = [served_by(turn, number=at) for at, turn in enumerate(turns, 1)]
    more_results = [text if isinstance(text, Served) else Served(text, "result", turn=number) for text in results]
    more_said = [text if isinstance(text, Served) else Served(text, "context", turn=number) for text in said]
    return check_answer(
        answer,
        [*(text for evidence, _ in shown for text in evidence), *more_results],
        [*(text for _, exempt in shown for text in exempt), *more_said],
        options=options,
        turn=number,
    )


def served_by(turn: Turn, *, number: int = 1) -> tuple[list[Served], list[Served]]:
    """Return what the agent of a turn was shown.

    Args:
        turn: a recorded turn.
        number: its number in the conversation, from 1.

    Returns:
        Results of its own tool calls, then what persons and the system said to it, each in its order. What a sub-agent saw, its caller was not shown.
    """
    agents = {call.call_id for call in turn.calls if call.kind == "agent" and call.call_id != turn.turn_id}
    inside = {call.call_id: call for call in turn.calls}
    evidence = [
        Served(text, call.name, call.call_id, number)
        for call in turn.tool_calls
        if (text := call.output if call.output is not None else call.error) and not _belongs_to(call, agents, inside)
    ]
    parts = [part for message in turn.messages for part in message.parts if part.role in ("user", "system") and part.type == "text" and part.text]
    said = [Served(part.text or "", "injected" if part.injected else part.role, turn=number) for part in parts if part.agent_call_id not in agents]
    if turn.prompt and not any(text.text == turn.prompt for text in said):
        said.insert(0, Served(turn.prompt, "user", turn=number))
    return evidence, said


def _belongs_to(call: Call, agents: set[str], inside: dict[str, Call]) -> bool:
    """Say whether a call ran inside one of these agents; calls that are their own parents end."""
    seen: set[str] = set()
    parent = call.parent_call_id
    while parent is not None and parent not in seen:
        if parent in agents:
            return True
        seen.add(parent)
        parent = inside[parent].parent_call_id if parent in inside else None
    return False
