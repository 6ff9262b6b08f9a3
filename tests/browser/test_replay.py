"""The replay in a browser: the slider, its keys, the frame that is shown, and what leaves the widget."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from agentnb.widgets import Replay
from tests.browser.bench import Bench
from tests.transports.made import CALLED, W, call, prepared

PARTS = [call(0, "c1", W, '{"city": "'), call(0, arguments="<b>Ru</b>"), call(0, arguments='in"]'), *[call(0, arguments="x")] * 20, CALLED]


@pytest.fixture
def view() -> Replay:
    return Replay(prepared(), PARTS)


def test_the_slider_goes_over_the_parts_and_tells_python(bench: Bench, view: Replay) -> None:
    bench.put(view)
    slider, frame = bench.page.locator("input[type=range]"), bench.page.locator("[data-part=frame]")
    expect(frame.locator("b[title='it breaks here']")).to_have_text("]")
    expect(frame).to_contain_text("✕ doomed")
    slider.focus()
    bench.press("ArrowLeft")
    expect(frame).to_contain_text("◔ pending")
    expect(frame.locator("b[title]")).to_have_count(0)
    expect(frame).to_contain_text("<b>Ru</b>")
    expect(slider).to_have_attribute("aria-valuetext", "part 1 of 24, call: pending, arguments_incomplete")
    assert view.at == 1
    bench.press("End", "Home", "PageUp", "j", "k", "ArrowRight")
    expect(bench.page.locator("output")).to_have_text("part 11 of 24")
    slider.fill("5")
    expect(frame).to_contain_text("part 5 of 24")
    assert view.at == 5
    bench.press("b")
    expect(frame).to_contain_text("part 2 of 24")
    bench.press("d", "d", "x", "Delete", "?", "Escape")
    assert bench.page.evaluate("() => window.outside") == []


def test_buttons_do_the_same_and_every_view_follows(bench: Bench, view: Replay) -> None:
    bench.put(view)
    bench.show(place="second")
    bench.page.locator("#a [data-action=after]").click()
    for place in ("#a", "#second"):
        expect(bench.page.locator(f"{place} output")).to_have_text("part 3 of 24")
    bench.page.locator("#second [data-action=to-break]").click()
    expect(bench.page.locator("#a output")).to_have_text("part 2 of 24")


def test_only_the_last_of_many_answers_counts_while_the_slider_is_drawn(bench: Bench, view: Replay) -> None:
    bench.put(view)
    expect(bench.page.locator("[data-part=frame]")).to_contain_text("part 2 of 24")
    bench.model("model.hold = true")
    for at in ("7", "8", "9"):
        bench.page.locator("input[type=range]").fill(at)
    bench.page.wait_for_function("() => window.models.a.held.length === 3")
    bench.model("model.release([2, 0, 1])")
    expect(bench.page.locator("[data-part=frame]")).to_contain_text("part 9 of 24")
