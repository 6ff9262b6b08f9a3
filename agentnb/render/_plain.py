"""The same values as plain text: one stable line each, a table as aligned text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agentnb.render._cards import account_line, counts_line
from agentnb.render._images import image_text
from agentnb.render._marks import mark_of
from agentnb.render._numbers import amount, facts, lasted, size, tokens
from agentnb.render._pages import ResultTable, TranscriptPage, WorkspaceCard
from agentnb.render._tables import decimals, is_number, total_line, written
from agentnb.render._text import one_line, visible
from agentnb.render._turns import line_facts, turn_line
from agentnb.values import Approval, Call, Conversation, Message, Rating, ScriptRow, Step, Turn

IMAGES: Final = 4
"""Images of a message that its line describes."""
WIDEST: Final = 60
ROWS: Final = 20


def plain_turn(turn: Turn) -> str:
    """Say in one line which turn this is, how it ended and how much it did."""
    line = turn_line(turn)
    failed = f"{amount(line.failed_calls, 'failed call')}" if line.failed_calls else None
    return visible(f"Turn {turn.turn_index + 1} {_quoted(turn.prompt)} " + facts(turn.state, line_facts(line), failed)).strip()


def plain_call(call: Call) -> str:
    """Say in one line which call this is and how it ended."""
    name = one_line(call.name, 60) or "unnamed"
    return visible(f"{call.kind} call {name} · " + facts(mark_of(call).word, lasted(call.seconds), tokens(call.usage.total_tokens)))


def plain_step(step: Step) -> str:
    """Say in one line which step this is and what it did."""
    known = facts(step.finish_reason, tokens(step.usage.total_tokens), amount(len(step.tool_calls), "tool call"))
    return visible(f"Step {step.step_index + 1} {_quoted(step.text)} {known}")


def plain_conversation(conversation: Conversation) -> str:
    """Say in one line which conversation this is and how long."""
    title = one_line(conversation.title or conversation.conversation_id, 80)
    return visible(f"Conversation {title} · " + facts(conversation.format, conversation.model, amount(len(conversation.turns), "turn")))


def plain_transcript(page: TranscriptPage) -> str:
    """Say in one line which conversation is shown and how many turns it has."""
    title = one_line(page.conversation.title or page.conversation.conversation_id, 80)
    return visible(f"Transcript of {title} · {amount(page.total, 'turn')}")


def plain_card(card: WorkspaceCard) -> str:
    """Say in one line what a workspace holds and what became of its records."""
    found = ", ".join(f"{finding.count:,} {finding.word}" for finding in card.findings[:6])
    return visible(f"Workspace · {facts(counts_line(card), size(card.bytes), account_line(card), found or None)}")


def plain_rating(rating: Rating) -> str:
    """Say in one line what a person said about a call."""
    who = rating.rated_by or rating.account or "someone"
    tags = f"tagged {', '.join(one_line(each, 40) for each in rating.tags or ()) or 'nothing'}"
    said = tags if rating.kind == "tags" else rating.verdict or "withdrawn"
    return visible(f"Rating {said} by {one_line(who, 60)} · {_quoted(rating.note)}").rstrip(" ·")


def plain_approval(approval: Approval) -> str:
    """Say in one line what a person was asked and answered."""
    return visible(f"Approval {_quoted(approval.question)} · " + facts(approval.answer or "waiting", approval.answered_by, approval.reason))


def plain_script(row: ScriptRow) -> str:
    """Say in one line which program ran and how."""
    return visible(f"Script {row.dispatch} by {one_line(row.tool, 60)} · " + facts(row.language, amount(row.lines, "line"), row.outcome))


def plain_message(message: Message) -> str:
    """Say in one line who said what."""
    images = [image_text(part) for part in message.parts if part.type == "image"]
    known = facts(amount(len(message.parts), "part"), *images[:IMAGES], f"{amount(len(images) - IMAGES, 'more image')}" if len(images) > IMAGES else None)
    return visible(f"Message {message.message_index} from {message.role} {_quoted(message.text)} · {known}")


def plain_table(table: ResultTable) -> str:
    """Align a query's result as text: the first rows, and how many more there are."""
    places = [decimals(table, at) for at in range(len(table.columns))]
    rows = [[_cell(value, places[at]) for at, value in enumerate(row)] for row in table.rows[:ROWS]]
    names = [visible(one_line(name, WIDEST)) for name in table.columns]
    widths = [max([len(name), *(len(row[at]) for row in rows)]) for at, name in enumerate(names)]
    right = [is_number(table, at) for at in range(len(names))]
    lines = [_line(cells, widths, right) for cells in (names, *rows)]
    return "\n".join([*lines, f"({total_line(table, len(rows))})"])


def _line(cells: Sequence[str], widths: Sequence[int], right: Sequence[bool]) -> str:
    return "  ".join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in zip(cells, widths, right, strict=True)).rstrip()


def _cell(value: object, places: int) -> str:
    return visible(one_line(written(value, places), WIDEST))


def _quoted(text: str | None) -> str:
    return f'"{one_line(text, 60)}"' if text else ""
