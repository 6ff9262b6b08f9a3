"""The HTML of each view, kept as data: a missing file is written and the test fails, so that a person reads it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agentnb import render
from agentnb.render import Finding, ResultTable, TranscriptPage, WorkspaceCard
from tests.render.samples import conversation, hostile_turn, parallel_turn, refund_turn

GOLDEN = Path(__file__).resolve().parent.parent / "golden" / "render"


def transcript() -> str:
    turn = refund_turn()
    page = TranscriptPage(conversation=conversation(turn), lines=(render.turn_line(turn),), first=1, total=214, turns={turn.turn_id: turn})
    return render.render_transcript(page, live=True, standalone=False, open_turns=(turn.turn_id,), selected=turn.calls[4].call_id)


def table() -> str:
    rows = (("Bash", 1_204, 0.125, None), ("<refund>", 41, 1.0, {"method": "gift_card"}))
    return render.render_table(
        ResultTable(columns=("name", "calls", "share", "last"), types=("VARCHAR", "BIGINT", "DOUBLE", "JSON"), rows=rows, total=9), standalone=False
    )


def card() -> str:
    return render.render_card(
        WorkspaceCard(
            sources=3,
            conversations=12,
            turns=214,
            tool_calls=1_906,
            bytes=4_100_000,
            records_read=1_906,
            records_kept=1_904,
            records_skipped=2,
            skipped={"not JSON": 2},
            findings=(Finding(mark="✕", word="failed calls", count=41, level="bad", query="from tool_errors"),),
            not_read=(("a.png", "a binary file"),),
            example="turn-2",
        ),
        standalone=False,
    )


def call_to_rate() -> str:
    turn = refund_turn()
    earlier = (render.EarlierTurn(turn_index=0, prompt="Where is my order?", answer="On its way."),)
    page = render.CallToRate(call=turn.calls[4], turn=turn, title="Late parcel", format="made", earlier=earlier, earlier_total=2, rated_by="ana")
    progress = render.RatingProgress(total=40, done=12, place=13, rated_by="ana", per_minute=9.5, minutes_left=2.9)
    return render.render_call_to_rate(page, progress, live=True, standalone=False)


VIEWS: dict[str, Callable[[], str]] = {
    "turn": lambda: render.render_turn(refund_turn(), standalone=False),
    "parallel": lambda: render.render_turn(parallel_turn(), standalone=False),
    "hostile": lambda: render.render_turn(hostile_turn("<script>alert('\x00\u202e')</script>"), standalone=False),
    "tree": lambda: render.render_call_tree(refund_turn(), standalone=False),
    "tree-live": lambda: render.render_call_tree(refund_turn(), live=True, only_failed=True, standalone=False),
    "conversation": lambda: render.render_conversation(conversation(refund_turn()), standalone=False),
    "transcript-live": transcript,
    "table": table,
    "call-to-rate-live": call_to_rate,
    "card": card,
}


@pytest.mark.parametrize("name", VIEWS)
def test_the_html_is_as_it_was(name: str) -> None:
    html = re.sub(r"(?=<(?:div|details|summary|table|tr|td|header|section)\b)", "\n", VIEWS[name]()).lstrip() + "\n"
    path = GOLDEN / f"{name}.html"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(html, "utf-8")
        pytest.fail(f"{path.name} was missing and is written now: read it, then run again")
    assert html == path.read_text("utf-8")
