"""One page about a workspace, for somebody who has no notebook: what is in it, what looks wrong, what people said, and the conversations, worst first."""

from __future__ import annotations

from agentnb.render import Finding, ResultTable, css, render_board, render_card, render_conversation, render_table
from agentnb.render._markup import Html, join, style_sheet, tag
from agentnb.workspace import Workspace, board_of

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<title>agentnb report</title>
</head>
<body>
{}
</body>
</html>
"""
BUDGET = 200_000
"""Bytes for one conversation: a page is read in a browser and holds more than a cell."""
USEFUL = frozenset({"answered_by", "calls", "error", "exit_code", "failed_calls", "finish_reason", "input", "name", "outputs", "raters", "reason", "verdicts"})
LONGEST = 120
WORST_FIRST = """
    from conversations
    left join calls using (conversation_id)
    select conversation_id
    group by conversation_id
    order by count(*) filter (calls.failed) desc, min(conversations.started_at) nulls last, conversation_id
"""


RATED = """
    from rated_calls
    select name, verdict, answer, reasons, note, coalesce(rated_by, account) as rated_by, sample, disputed
    order by verdict desc, rated_at desc, rating_id
"""


def render_report(ws: Workspace, *, conversations: int = 20, rows: int = 10) -> str:
    """Write the page.

    Args:
        ws: The workspace.
        conversations: How many conversations to show, worst first; how many more there are is said.
        rows: How many rows of each finding to show; of the ratings five times as many, wrong ones first.

    Returns:
        A whole HTML document that loads nothing.
    """
    ids = [conversation_id for (conversation_id,) in ws.sql(WORST_FIRST).fetchall()]
    card = ws.card
    return PAGE.format(
        join(
            style_sheet(css()),
            _section("card", render_card(card, standalone=False)),
            [_section("table", _rows(ws, finding, rows)) for finding in card.findings if finding.query],
            _ratings(ws, rows),
            [_section("transcript", _transcript(ws, conversation_id)) for conversation_id in ids[:conversations]],
            tag("p", f"{len(ids) - conversations:,} more conversations are not shown.") if len(ids) > conversations else None,
        )
    )


def _section(view: str, html: str) -> Html:
    """Put a view into the section under which all rules of the style sheet sit; the sheet itself stands once, at the top."""
    return tag("section", Html(html), class_="agentnb", data_view=view)


def _rows(ws: Workspace, finding: Finding, rows: int) -> str:
    """Show the first rows of a finding: what a reader can use, so no ids, and of a long text its beginning."""
    found = ws.sql(str(finding.query))
    places = [place for place, column in enumerate(found.columns) if column in USEFUL]
    table = ResultTable(
        columns=tuple(found.columns[place] for place in places),
        types=tuple(str(found.types[place]) for place in places),
        rows=tuple(tuple(_short(row[place]) for place in places) for row in found.limit(rows).fetchall()),
        total=finding.count,
        title=f"{finding.mark} {finding.word}",
    )
    return render_table(table, standalone=False)


def _ratings(ws: Workspace, rows: int) -> Html | None:
    """Show what people said: the board, and the ratings, those that say wrong first. In the conversations they stand with their calls, too."""
    found = ws.sql(RATED)
    shown = found.limit(rows * 5).fetchall()
    if not shown:
        return None
    total = found.count("*").fetchall()[0][0]
    listed = ResultTable(
        columns=tuple(found.columns),
        types=tuple(str(kind) for kind in found.types),
        rows=tuple(tuple(_short(value) for value in row) for row in shown),
        total=total,
        title="ratings",
    )
    board = render_board(board_of(ws), standalone=False)
    return join(_section("board", board), _section("table", render_table(listed, standalone=False)))


def _short(value: object) -> object:
    if not isinstance(value, str):
        return value
    line = " ".join(value.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"


def _transcript(ws: Workspace, conversation_id: str) -> str:
    return render_conversation(ws.conversation(conversation_id), budget=BUDGET, standalone=False)
