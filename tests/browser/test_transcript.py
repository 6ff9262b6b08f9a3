"""The transcript in a browser: keys, folding, pages, finding, ratings, errors, and recordings that try to be markup."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from agentnb.widgets import Transcript
from tests.browser.bench import Bench
from tests.widgets.recorded import HOSTILE, TurnMaker, conversation, hostile_turn, long_turn, plain_turn, refund_turn
from tests.widgets.workspaces import workspace_of

REFUND = "made/turn 2/refund 4"


@pytest.fixture
def view() -> Transcript:
    return Transcript(workspace_of(conversation(plain_turn(0, "Where is my order?"), plain_turn(1, "And now?"), refund_turn(2))), "made", by="ana")


def test_keys_move_unfold_and_fold(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("j")
    assert bench.focused == "made/turn 1"
    bench.press("j")
    expect(bench.page.locator(".step")).to_have_count(4)
    bench.press("ArrowRight")
    assert bench.focused == "made/turn 2/get_order 2"
    bench.press("j")
    assert bench.focused == REFUND
    bench.press("ArrowLeft", "ArrowLeft")
    assert bench.focused == "made/turn 2"
    bench.press("ArrowLeft")
    assert not bench.page.locator("details.turn").last.get_attribute("open")
    bench.press("g")
    assert bench.focused == "made/turn 0"
    bench.press("G")
    assert bench.focused == "made/turn 2"


def test_no_key_leaves_the_widget_and_the_browsers_own_still_work(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("d", "d", "b", "a", "x", "m", "z", "j", "Escape", "Control+z", "Control+c", "Shift+Enter", "F2")
    assert bench.page.evaluate("() => window.outside") == []
    bench.press("Shift+Tab")
    assert bench.page.evaluate("() => document.activeElement.dataset.action") == "unfold"
    bench.page.locator("input[data-action=find]").focus()
    bench.press("d", "b", "1", "Backspace")
    assert bench.page.locator("input[data-action=find]").input_value() == "db"
    assert bench.page.evaluate("() => window.outside") == []


def test_the_focus_stays_inside_whatever_is_replaced(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.call.failed > summary").click()
    bench.press("/", "Escape", "e", "e")
    expect(bench.page.locator("details.turn")).to_have_count(3)
    assert bench.page.evaluate("() => document.querySelector('.agentnb').contains(document.activeElement)")
    bench.page.locator(".head h3").click()
    bench.press("d", "d")
    assert bench.page.evaluate("() => window.outside") == []


def test_saving_is_the_one_key_that_passes(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("Control+s")
    assert bench.page.evaluate("() => window.outside") == ["s"]


def test_one_item_is_in_the_tab_order(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("j")
    stops = bench.page.evaluate("() => [...document.querySelectorAll('details.turn > summary')].filter((each) => each.tabIndex === 0).length")
    assert stops == 1
    expect(bench.page.locator("[aria-selected=true]")).to_have_count(1)


def test_a_click_sets_selected_in_python(bench: Bench, view: Transcript) -> None:
    seen: list[str] = []
    view.observe(lambda change: seen.append(change["new"]), "selected")
    bench.put(view)
    bench.page.locator("details.call > summary .name", has_text="refund").click()
    expect(bench.page.locator("details.call[aria-selected=true]")).to_have_attribute("data-call", REFUND)
    assert seen[-1] == REFUND


def test_selected_from_python_opens_and_scrolls_to_a_call_in_every_view(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.show(place="second")
    bench.select("made/turn 2/search_policy 9")
    for place in ("#a", "#second"):
        call = bench.page.locator(f"{place} details.call[aria-selected=true]")
        expect(call).to_have_attribute("data-call", "made/turn 2/search_policy 9")
        expect(call).to_be_in_viewport()
        expect(call.locator(".body").first).to_be_visible()


def test_selected_from_python_finds_a_call_far_away(bench: Bench) -> None:
    turns = [*(plain_turn(at, f"question {at}") for at in range(130)), long_turn(130)]
    view = Transcript(workspace_of(conversation(*turns)), "made")
    bench.put(view)
    target = "made/turn 130/bash 200"
    bench.select(target)
    call = bench.page.locator("details.call[aria-selected=true]")
    expect(call).to_have_attribute("data-call", target)
    expect(call).to_be_in_viewport()
    expect(bench.page.locator("[data-action=more-turns][data-edge=before]")).to_be_visible()
    expect(bench.page.locator("[data-action=more-steps][data-edge=before]")).to_be_visible()


def test_pages_come_from_the_kernel_and_the_page_stays_small(bench: Bench) -> None:
    view = Transcript(workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(400)))), "made")
    bench.put(view)
    turns = bench.page.locator("details.turn")
    first = turns.count()
    assert 40 <= first <= 50
    more = bench.page.locator("[data-action=more-turns]:not([data-edge=before])")
    while more.count():
        shown = turns.last.get_attribute("data-turn")
        more.click()
        expect(turns.last).not_to_have_attribute("data-turn", shown or "")
    assert turns.count() <= 200
    expect(turns.last).to_have_attribute("data-turn", "made/turn 399")
    bench.page.locator("[data-action=more-turns][data-edge=before]").click()
    expect(turns.first).to_have_attribute("data-turn", "made/turn 150")
    ids = [each.get_attribute("data-turn") for each in turns.all()]
    assert ids == [f"made/turn {at}" for at in range(150, 350)]
    more.click()
    expect(turns.last).to_have_attribute("data-turn", "made/turn 399")


def test_m_goes_to_the_next_page_and_focuses_its_first_turn(bench: Bench) -> None:
    view = Transcript(workspace_of(conversation(*(plain_turn(at, f"question {at}") for at in range(60)))), "made", page=20)
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("m")
    expect(bench.page.locator("details.turn[aria-selected=true]")).to_have_attribute("data-turn", "made/turn 20")
    assert bench.focused == "made/turn 20"


def test_the_steps_of_a_long_turn_page_both_ways(bench: Bench) -> None:
    view = Transcript(workspace_of(conversation(long_turn(0, steps=400))), "made")
    bench.put(view)
    steps = bench.page.locator(".step")
    for _ in range(20):
        shown = steps.last.get_attribute("data-step")
        bench.page.locator("[data-action=more-steps]:not([data-edge=before])").click()
        expect(steps.last).not_to_have_attribute("data-step", shown or "")
    assert steps.count() <= 160
    bench.page.locator("[data-action=more-steps][data-edge=before]").click()
    bench.page.wait_for_function("() => document.querySelectorAll('.step').length <= 160")
    places = [int(each.get_attribute("data-step") or -1) for each in steps.all()]
    assert places == list(range(places[0], places[0] + len(places)))


def test_find_filters_counts_and_marks(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("/")
    bench.page.keyboard.type("REFUND it")
    expect(bench.page.locator("[data-part=count]")).to_have_text("1 of 3 turns")
    expect(bench.page.locator("details.turn")).to_have_count(1)
    assert bench.page.evaluate("() => CSS.highlights.get('anb-find').size") > 0
    assert bench.page.evaluate("() => document.activeElement.dataset.action") == "find"
    bench.press("Escape")
    expect(bench.page.locator("details.turn")).to_have_count(3)
    expect(bench.page.locator("[data-part=count]")).to_have_text("")


def test_e_shows_only_turns_with_errors(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("e")
    expect(bench.page.locator("[data-part=count]")).to_have_text("1 of 3 turns")
    expect(bench.page.locator("[data-action=filter]")).to_have_attribute("aria-pressed", "true")
    bench.page.locator("[data-action=filter]").click()
    expect(bench.page.locator("details.turn")).to_have_count(3)


def test_a_verdict_is_kept_and_shown_in_every_view(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.show(place="second")
    bench.select(REFUND)
    bench.page.locator("#a details.call[aria-selected=true] > .body > .rate [data-verdict=wrong]").click()
    for place in ("#a", "#second"):
        line = bench.page.locator(f"{place} details.call[data-call='{REFUND}'] > .body > .rate")
        expect(line.locator("[data-verdict=wrong]")).to_have_attribute("aria-pressed", "true")
        expect(line.locator(".rating")).to_contain_text("ana")
    rows = view._wanted.workspace.sql("select call_id, verdict, rated_by from ratings order by rated_at").fetchall()  # type: ignore[union-attr]
    assert rows == [(REFUND, "wrong", "ana")]


def test_keys_rate_write_an_answer_and_a_note_and_withdraw(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.select(REFUND)
    line = bench.page.locator(f"details.call[data-call='{REFUND}'] > .body > .rate")
    bench.page.locator(f"details.call[data-call='{REFUND}'] > summary").focus()
    bench.press("o")
    bench.page.keyboard.type('{"method": "credit_card"}')
    bench.press("Control+Enter")
    expect(line.locator(".rating")).to_contain_text("credit_card")
    assert bench.focused == REFUND
    bench.press("n")
    bench.page.keyboard.type("the original card")
    bench.press("Enter")
    expect(line.locator(".rating")).to_contain_text("the original card")
    expect(line.locator(".rating")).to_contain_text("credit_card")
    expect(bench.page.locator("form.form")).to_have_count(0)
    bench.press("1")
    expect(line.locator("[data-verdict=right]")).to_have_attribute("aria-pressed", "true")
    bench.press("0")
    expect(line.locator(".rating")).to_have_count(0)
    verdicts = view._wanted.workspace.sql("select verdict, answer from ratings order by rated_at, rating_id").fetchall()  # type: ignore[union-attr]
    assert [verdict for verdict, _ in verdicts] == ["wrong", "wrong", "right", None]


def test_a_rating_shows_in_the_line_of_its_turn(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").nth(1).click()
    bench.press("2")
    expect(bench.page.locator("details.turn > summary").nth(1)).to_contain_text("1 wrong")
    bench.press("k", "k", "1", "ArrowLeft", "0")
    expect(bench.page.locator("details.turn > summary").first).not_to_contain_text("1 right")
    expect(bench.page.locator("details.turn > .rate")).to_have_count(0)


def test_enter_goes_from_the_find_box_to_the_first_turn(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("/")
    bench.page.keyboard.type("refund it")
    bench.press("Enter")
    expect(bench.page.locator("details.turn[aria-selected=true]")).to_have_attribute("data-turn", "made/turn 2")
    assert bench.focused == "made/turn 2"


def test_enter_on_what_unfolds_by_itself_is_left_to_the_browser(bench: Bench) -> None:
    made = TurnMaker(0, "Think first.")
    made.think("A long thought.")
    bench.put(Transcript(workspace_of(conversation(made.done())), "made"))
    aside = bench.page.locator(".aside", has_text="reasoning")
    aside.locator("summary").focus()
    bench.press("Enter")
    expect(aside).to_have_attribute("open", "")


def test_a_pressed_verdict_withdraws(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.select(REFUND)
    right = bench.page.locator(f"details.call[data-call='{REFUND}'] > .body > .rate [data-verdict=right]")
    right.click()
    expect(right).to_have_attribute("aria-pressed", "true")
    right.click()
    expect(right).to_have_attribute("aria-pressed", "false")


def test_the_turn_is_rated_like_a_call(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("j", "j", "2")
    line = bench.page.locator(".rate[data-call='made/turn 2']")
    expect(line.locator("[data-verdict=wrong]")).to_have_attribute("aria-pressed", "true")


def test_nobody_named_is_asked_once(bench: Bench) -> None:
    workspace = workspace_of(conversation(refund_turn(2)))
    bench.put(Transcript(workspace, "made"))
    bench.select(REFUND)
    bench.page.locator(f"details.call[data-call='{REFUND}'] > summary").focus()
    bench.press("2")
    expect(bench.page.locator("form[data-form=name]")).to_be_visible()
    bench.page.keyboard.type("bo")
    bench.press("Enter")
    expect(bench.page.locator(".rating").first).to_contain_text("bo")
    assert workspace.rater == "bo"
    bench.press("1")
    expect(bench.page.locator(f".rate[data-call='{REFUND}'] [data-verdict=right]")).to_have_attribute("aria-pressed", "true")
    expect(bench.page.locator("form")).to_have_count(0)


def test_a_workspace_in_memory_says_once_that_its_ratings_are_not_kept(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.select(REFUND)
    bench.page.locator(f"details.call[data-call='{REFUND}'] > summary").focus()
    bench.press("2")
    notice = bench.page.locator(".notice")
    expect(notice).to_contain_text('ws.save("folder")')
    notice.locator("button").click()
    bench.press("1")
    expect(bench.page.locator(f".rate[data-call='{REFUND}'] [data-verdict=right]")).to_have_attribute("aria-pressed", "true")
    expect(notice).to_have_count(0)


def test_an_error_of_the_kernel_is_shown_and_can_be_dismissed(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.select(REFUND)
    bench.page.locator(f"details.call[data-call='{REFUND}'] > summary").focus()
    bench.press("n")
    bench.page.keyboard.type("a note alone")
    bench.press("Enter")
    alert = bench.page.get_by_role("alert")
    expect(alert).to_contain_text("Say right or wrong first")
    expect(bench.page.locator("form[data-form=note]")).to_be_visible()
    alert.get_by_role("button").click()
    expect(alert).to_have_count(0)


def test_a_reply_to_an_old_request_is_ignored(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.model("model.hold = true")
    bench.page.locator("input[data-action=find]").fill("refund")
    bench.page.wait_for_function("() => window.models.a.held.length === 1")
    bench.page.locator("input[data-action=find]").fill("Where is")
    bench.page.wait_for_function("() => window.models.a.held.length === 2")
    bench.model("model.release([1, 0])")
    expect(bench.page.locator("details.turn")).to_have_count(1)
    expect(bench.page.locator("details.turn")).to_have_attribute("data-turn", "made/turn 0")


def test_a_kernel_that_is_gone_is_said_and_what_is_shown_stays(bench: Bench, view: Transcript) -> None:
    bench.page.clock.install()
    bench.put(view)
    bench.model("model.dead = true")
    bench.page.locator("details.turn > summary").nth(1).click()
    bench.page.clock.fast_forward(9_000)
    expect(bench.page.get_by_role("alert")).to_contain_text("has not answered")
    expect(bench.page.locator("details.turn")).to_have_count(3)
    bench.press("k")
    assert bench.focused == "made/turn 0"


def test_a_late_reply_still_counts_and_takes_the_warning_away(bench: Bench, view: Transcript) -> None:
    bench.page.clock.install()
    bench.put(view)
    bench.model("model.hold = true")
    bench.page.locator("details.turn > summary").nth(1).click()
    bench.page.wait_for_function("() => window.models.a.held.length === 1")
    bench.page.clock.fast_forward(9_000)
    expect(bench.page.get_by_role("alert")).to_have_count(1)
    bench.model("model.release([0])")
    expect(bench.page.get_by_role("alert")).to_have_count(0)
    expect(bench.page.locator(".step")).to_have_count(5)


def test_a_value_alone_is_read_only(bench: Bench) -> None:
    bench.put(Transcript(refund_turn()))
    expect(bench.page.locator(".step").first).to_be_visible()
    expect(bench.page.locator("[data-action=rate]")).to_have_count(0)
    bench.page.locator("details.turn > summary").focus()
    bench.press("j", "2")
    assert bench.model("model.sent.length") == 0
    bench.press("?")
    expect(bench.page.locator(".help")).to_contain_text("next page")
    expect(bench.page.locator(".help")).not_to_contain_text("withdraw")


def test_question_mark_shows_the_keys_and_escape_hides_them(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    bench.page.locator("details.turn > summary").first.focus()
    bench.press("?")
    expect(bench.page.locator(".help")).to_contain_text("withdraw")
    bench.press("Escape")
    expect(bench.page.locator(".help")).to_have_count(0)


def test_recorded_markup_stays_text(bench: Bench) -> None:
    workspace = workspace_of(conversation(hostile_turn(), conversation_id=HOSTILE, title=HOSTILE))
    view = Transcript(workspace, HOSTILE, by=HOSTILE)
    bench.put(view)
    call_id = f"{HOSTILE}/turn 0/{HOSTILE} 2"
    bench.select(call_id)
    expect(bench.page.locator("details.call[aria-selected=true]")).to_have_count(1)
    assert bench.page.locator("details.call[aria-selected=true]").get_attribute("data-call") == call_id
    bench.page.locator("details.call[aria-selected=true] > summary").focus()
    bench.press("2")
    expect(bench.page.locator("details.call .rating")).to_contain_text("<img src=x")
    bench.press("n")
    bench.page.keyboard.type(HOSTILE)
    bench.press("Enter")
    expect(bench.page.locator("form.form")).to_have_count(0)
    bench.model("model.emit('msg:custom', {id: model.sent.at(-1).id, error: {message: '<img src=x onerror=\"window.hacked=1\">'}})")
    assert bench.page.locator(".agentnb script, .agentnb img").count() == 0
    assert bench.page.evaluate("() => window.hacked") is None


def test_listeners_end_with_the_view(bench: Bench, view: Transcript) -> None:
    bench.put(view)
    assert bench.model("model.listeners()") > 0
    bench.page.evaluate("() => window.endings.a.abort()")
    assert bench.model("model.listeners()") == 0
    bench.page.locator("details.turn > summary").last.focus()
    bench.press("j")
    assert bench.model("model.sent.length") == 0
