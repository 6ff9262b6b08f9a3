"""The call tree in a browser: rows, folding, order, pages, and the selected call below it."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from agentnb.widgets import CallTree
from tests.browser.bench import Bench
from tests.widgets.recorded import HOSTILE, conversation, hostile_turn, long_turn, refund_turn
from tests.widgets.workspaces import workspace_of

TURN = "made/turn 0"
REFUND = f"{TURN}/refund 4"


@pytest.fixture
def view() -> CallTree:
    return CallTree(workspace_of(conversation(refund_turn())), TURN, by="ana")


def test_a_click_selects_tells_python_and_shows_the_call(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.page.locator("tr", has_text="refund").click()
    expect(bench.page.locator("tr[aria-selected=true]")).to_have_attribute("data-call", REFUND)
    expect(bench.page.locator(".detail")).to_contain_text("payment method does not match")
    assert view.selected == REFUND
    assert bench.focused == REFUND


def test_keys_move_over_rows_and_fold_them(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    rows = bench.page.locator("tr[data-call]")
    expect(rows).to_have_count(11)
    rows.first.focus()
    bench.press("j", "j", "k")
    assert bench.focused == f"{TURN}/step 1"
    bench.press("ArrowLeft")
    assert bench.focused == TURN
    bench.press("ArrowLeft")
    expect(rows).to_have_count(1)
    assert bench.focused == TURN
    bench.press("ArrowRight")
    expect(rows).to_have_count(11)
    bench.press("G")
    assert bench.focused == f"{TURN}/ask_person 10"
    bench.press("g")
    assert bench.focused == TURN


def test_only_failed_and_by_time_are_asked_of_the_kernel(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.page.locator("[data-action=only-failed]").click()
    expect(bench.page.locator("tr[data-call]")).to_have_count(3)
    expect(bench.page.locator("[data-action=only-failed]")).to_have_attribute("aria-pressed", "true")
    bench.page.locator("tr[data-call]").first.focus()
    bench.press("e")
    expect(bench.page.locator("tr[data-call]")).to_have_count(11)
    bench.press("t")
    expect(bench.page.locator("[data-action=by-time]")).to_have_attribute("aria-pressed", "true")


def test_a_twist_folds_and_a_selected_call_unfolds_what_hides_it(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.page.locator("tr", has_text="task").locator("[data-action=toggle]").click()
    expect(bench.page.locator("tr[data-call]")).to_have_count(8)
    bench.select(f"{TURN}/search_policy 9")
    expect(bench.page.locator("tr[aria-selected=true]")).to_have_attribute("data-call", f"{TURN}/search_policy 9")
    expect(bench.page.locator("tr[aria-selected=true]")).to_be_in_viewport()
    expect(bench.page.locator("tr[data-call]")).to_have_count(11)


def test_rows_page_and_the_page_stays_small(bench: Bench) -> None:
    view = CallTree(workspace_of(conversation(long_turn(0, steps=300))), TURN)
    bench.put(view)
    rows = bench.page.locator("tr[data-call]")
    assert rows.count() <= 50
    more = bench.page.locator("[data-action=more-rows]:not([data-edge=before])")
    while more.count():
        shown = rows.last.get_attribute("data-call")
        more.click()
        expect(rows.last).not_to_have_attribute("data-call", shown or "")
    assert rows.count() <= 200
    expect(rows.last).to_have_attribute("data-call", f"{TURN}/bash 600")
    bench.page.locator("[data-action=more-rows][data-edge=before]").click()
    expect(more).to_have_count(1)
    assert rows.count() == 200
    bench.select(f"{TURN}/bash 2")
    expect(bench.page.locator("tr[aria-selected=true]")).to_have_attribute("data-call", f"{TURN}/bash 2")


def test_a_call_is_rated_below_the_tree(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.page.locator("tr", has_text="refund").click()
    bench.press("2")
    line = bench.page.locator(".detail .rate")
    expect(line.locator("[data-verdict=wrong]")).to_have_attribute("aria-pressed", "true")
    bench.press("n")
    bench.page.keyboard.type("the original card")
    bench.press("Enter")
    expect(line).to_contain_text("the original card")
    assert bench.focused == REFUND
    bench.press("j", "1")
    rows = view._wanted.workspace.sql("select call_id, verdict from ratings order by rated_at, rating_id").fetchall()  # type: ignore[union-attr]
    assert rows == [(REFUND, "wrong"), (REFUND, "wrong"), (f"{TURN}/step 5", "right")]


def test_no_key_leaves_the_tree(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.page.locator("tr[data-call]").first.focus()
    bench.press("d", "d", "b", "a", "x", "m", "Escape", "Shift+Enter")
    assert bench.page.evaluate("() => window.outside") == []


def test_a_turn_alone_is_read_only(bench: Bench) -> None:
    bench.put(CallTree(refund_turn()))
    bench.page.locator("tr", has_text="refund").click()
    expect(bench.page.locator(".detail")).to_contain_text("payment method")
    expect(bench.page.locator("[data-action=rate]")).to_have_count(0)


def test_an_error_of_the_kernel_is_shown(bench: Bench, view: CallTree) -> None:
    bench.put(view)
    bench.model("model.hold = true")
    bench.page.locator("[data-action=by-time]").click()
    bench.model("model.emit('msg:custom', {id: model.sent.at(-1).id, error: {message: 'ValueError: <b>no</b>'}})")
    expect(bench.page.get_by_role("alert")).to_contain_text("<b>no</b>")
    expect(bench.page.locator("tr[data-call]")).to_have_count(11)


def test_recorded_markup_stays_text(bench: Bench) -> None:
    view = CallTree(workspace_of(conversation(hostile_turn(), conversation_id=HOSTILE)), f"{HOSTILE}/turn 0", by="ana")
    bench.put(view)
    bench.page.locator("tr[data-call]").last.click()
    expect(bench.page.locator(".detail")).to_contain_text("<img src=x")
    assert view.selected == f"{HOSTILE}/turn 0/{HOSTILE} 2"
    assert bench.page.locator(".agentnb script, .agentnb img").count() == 0
    assert bench.page.evaluate("() => window.hacked") is None
