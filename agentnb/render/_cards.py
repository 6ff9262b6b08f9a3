"""What a workspace holds, what looks wrong, and what could not be understood."""

from __future__ import annotations

from typing import Final

from agentnb.render._frame import framed, heading
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, count, facts, size
from agentnb.render._pages import Finding, WorkspaceCard
from agentnb.render._text import one_line

MOST: Final = 12


def render_card(card: WorkspaceCard, *, standalone: bool = True) -> str:
    """Show a workspace: counts, findings with the SQL that lists them, the account of its records, and what to do next.

    Args:
        card: the counts.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same card.
    """
    return framed("card", "Workspace", _inside(card), standalone=standalone)


def render_upload(card: WorkspaceCard | None) -> str:
    """Show what was read of dropped files where no kernel takes any.

    Args:
        card: what was read; None before anything was.

    Returns:
        HTML, the same for the same card.
    """
    note = tag("p", "Recordings are dropped here while the kernel runs: run this cell again.", class_="dim")
    return framed("upload", "Upload", join(tag("div", note, class_="card"), _inside(card) if card is not None else None), standalone=True)


def counts_line(card: WorkspaceCard) -> str:
    """Say what a workspace holds: sources, conversations, turns, tool calls."""
    return facts(amount(card.sources, "source"), amount(card.conversations, "conversation"), amount(card.turns, "turn"), amount(card.tool_calls, "tool call"))


def account_line(card: WorkspaceCard) -> str:
    """Say what became of the records that were read."""
    merged = f"{count(card.records_merged)} merged" if card.records_merged else None
    skipped = f"{count(card.records_skipped)} skipped" if card.records_skipped else None
    return "; ".join(part for part in (f"{count(card.records_kept)} of {amount(card.records_read, 'record')} kept", merged, skipped) if part)


def _inside(card: WorkspaceCard) -> Html:
    kept = f"kept in {one_line(card.kept_in, 80)}"
    unsaved = join(" ", tag("span", "◔ ratings not saved yet", class_="mark warn")) if card.ratings_unsaved else None
    head = heading(counts_line(card), "", tag("span", facts(size(card.bytes), kept), unsaved, class_="dim"))
    return join(head, tag("div", _findings(card), _account(card), _not_read(card), _next(card), class_="card"))


def _findings(card: WorkspaceCard) -> Html:
    if not card.findings:
        return tag("p", tag("span", "✓ nothing looks wrong", class_="mark good"))
    return tag("table", tag("tbody", [_finding(finding) for finding in card.findings[:MOST]]), class_="findings")


def _finding(finding: Finding) -> Html:
    level = finding.level if finding.level != "info" else "dim"
    ask = tag("code", one_line(finding.query, 200)) if finding.query else None
    return tag("tr", tag("td", tag("span", f"{finding.mark} {count(finding.count)} {one_line(finding.word, 120)}", class_=f"mark {level}")), tag("td", ask))


def _account(card: WorkspaceCard) -> Html:
    line = account_line(card)
    if not card.skipped:
        return tag("p", line, class_="dim")
    reasons = sorted(card.skipped.items(), key=lambda reason: (-reason[1], reason[0]))
    rows: list[Child] = [tag("li", f"{count(number)}: {one_line(why, 200)}") for why, number in reasons[:MOST]]
    return tag("details", tag("summary", line, ": why"), tag("ul", rows, _rest(len(reasons))), class_="dim")


def _not_read(card: WorkspaceCard) -> Html | None:
    if not card.not_read:
        return None
    rows = [tag("li", tag("code", _ending(path)), f" — {one_line(why, 200)}") for path, why in card.not_read[:MOST]]
    return tag("details", tag("summary", f"{amount(len(card.not_read), 'file')} not read"), tag("ul", rows, _rest(len(card.not_read))), class_="dim")


def _rest(number: int) -> Html | None:
    return tag("li", f"{count(number - MOST)} more") if number > MOST else None


def _ending(path: str) -> str:
    return path if len(path) <= 90 else f"…{path[-89:]}"


def _next(card: WorkspaceCard) -> Html | None:
    if not card.turns:
        return None
    example = repr(one_line(card.example, 80)) if card.example else "…"
    steps = [tag("code", f"anb.Transcript(ws, {example})"), tag("code", "ws.sql('from tool_errors')"), tag("code", "ws.tables()")]
    return tag("p", "Next: ", join(steps, by=" · "), class_="dim next")
