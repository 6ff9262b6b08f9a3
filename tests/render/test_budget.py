"""Every output stays within its budget of bytes, however much there is to show, and says how much it leaves out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from agentnb import render
from agentnb.render import ResultTable, TranscriptPage, TurnLine
from agentnb.values import Turn
from tests.render.pages import Page
from tests.render.samples import TurnMaker, coding_turn, conversation, parallel_turn, refund_turn

SIZES = (100, 10_000, 100_000)


def size(html: str) -> int:
    return len(html.encode("utf-8"))


def lines(number: int) -> TranscriptPage:
    made = tuple(
        TurnLine(
            turn_id=f"t{at}", turn_index=at, prompt=f"What is the price of number {at}?", state="done", steps=3, tool_calls=2, seconds=1.5, total_tokens=900
        )
        for at in range(number)
    )
    return TranscriptPage(conversation=conversation(refund_turn()).model_copy(update={"turns": ()}), lines=made, total=number)


@pytest.mark.parametrize("live", [False, True])
def test_a_transcript_is_as_large_for_a_hundred_turns_as_for_a_hundred_thousand(live: bool) -> None:
    sizes = [size(render.render_transcript(lines(number), live=live)) for number in SIZES]
    assert max(sizes) <= 25_000
    assert max(sizes) - min(sizes) < 600
    assert re.search(r"99,9\d\d more turns", Page(render.render_transcript(lines(100_000), live=live)).text)


@pytest.mark.parametrize("number", SIZES)
def test_a_table_is_cut_and_counts_the_rest(number: int) -> None:
    table = ResultTable(columns=("n", "text"), types=("BIGINT", "VARCHAR"), rows=tuple((at, f"row {at}") for at in range(number)), total=number)
    html = render.render_table(table)
    shown = html.count("<tr>") - 1
    assert size(html) <= 25_000
    assert f"{number - shown:,} more rows of {number:,}" in html or shown == number


def test_a_turn_of_many_steps_shows_the_first_and_how_it_ended() -> None:
    sizes = []
    for number in (100, 1_000, 10_000):
        html = render.render_turn(many_steps(number))
        text = Page(html).text
        sizes.append(size(html))
        assert "step 1 ·" in text
        assert re.search(rf"{number - html.count('data-step='):,} more steps · \d[\d,]* failed calls among them", text)
        assert "That was all." in text
    assert max(sizes) <= 25_000
    assert max(sizes) - min(sizes) < 1_500


@pytest.mark.parametrize("number", [100, 10_000, 100_000])
def test_a_call_tree_is_a_window_of_rows(number: int) -> None:
    maker = TurnMaker("t")
    for _ in range(number):
        maker.call("tool", "read", parent="t", seconds=0.1)
    html = render.render_call_tree(maker.turn())
    assert size(html) <= 25_000
    assert f"{number + 1 - html.count('data-call='):,} more calls" in html


@pytest.mark.parametrize("budget", [2_000, 4_000, 8_000, 16_000, 60_000, 200_000])
@pytest.mark.parametrize("make", [refund_turn, coding_turn, parallel_turn])
def test_a_budget_is_kept_whatever_it_is(make: Callable[[], Turn], budget: int) -> None:
    turn = make()
    call = next(call for call in turn.calls if call.kind == "tool")
    views = {
        "turn": render.render_turn(turn, budget=budget),
        "live": render.render_turn(turn, budget=budget, live=True, standalone=False),
        "steps": render.render_steps(turn, budget=budget, live=True),
        "call": render.render_call(call, turn=turn, budget=budget),
        "tree": render.render_call_tree(turn, budget=budget, live=True),
        "conversation": render.render_conversation(conversation(turn, turn), budget=budget),
        "step": render.render_step(turn.steps[0], budget=budget),
        "message": render.render_message(turn.messages[0], budget=budget),
    }
    for view, html in views.items():
        Page(html)
        assert size(html) <= budget, view


def test_nobody_can_ask_for_more_than_200_kilobytes() -> None:
    assert 100_000 < size(render.render_turn(coding_turn(400), budget=10_000_000)) <= 200_000


def test_windows_of_steps_follow_each_other_without_a_gap() -> None:
    turn, seen, first = coding_turn(60), list[int](), 0
    while True:
        html = render.render_steps(turn, first_step=first, live=True, budget=12_000)
        seen += [int(number) for number in re.findall(r'data-step="(\d+)"', html)]
        following = re.search(r'data-action="more-steps" [^>]*data-first="(\d+)"', html)
        if following is None:
            break
        assert int(following[1]) > first
        first = int(following[1])
    assert seen == list(range(60))


def test_windows_of_rows_follow_each_other_without_a_gap() -> None:
    turn, seen, first = coding_turn(60), list[str](), 0
    while first < len(turn.calls):
        html = render.render_call_tree(turn, first_row=first, most=50, live=True)
        rows = re.findall(r'<tr [^>]*data-call="([^"]*)"', html)
        seen += rows
        first += len(rows)
    assert seen == [call.call_id for call in turn.calls] == list(render.tree_order(turn))


def test_a_step_that_asks_for_a_thousand_calls_says_how_many_are_left_out() -> None:
    maker = TurnMaker("t")
    maker.step("All at once.", *({"name": "read", "arguments": {"n": at}, "output": "x" * 500} for at in range(1_000)))
    html = render.render_turn(maker.turn())
    assert size(html) <= 25_000
    assert re.search(r"9\d\d more calls of this step", Page(html).text)


def many_steps(number: int) -> Turn:
    maker = TurnMaker("t", prompt="Do it.")
    for at in range(number):
        maker.step(f"Step {at}.", {"name": "run", "arguments": {"at": at}, "output": f"error {at}", "state": "failed" if at % 3 == 0 else "done"})
    return maker.turn(answer="That was all.")
