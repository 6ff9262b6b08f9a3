"""Pictures in a browser: fetched when their line is unfolded, drawn, and refused in place."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, expect

from agentnb.report import render_report
from agentnb.widgets import CallTree, Transcript
from agentnb.workspace import Workspace
from tests.browser.bench import Bench
from tests.render.pictures import SVG, data_address, png
from tests.widgets.recorded import TurnMaker, conversation
from tests.widgets.workspaces import workspace_of

LARGE = png(300, 200, padding=200_000)


@pytest.fixture
def made() -> TurnMaker:
    made = TurnMaker(0, "The shade arrived like this.")
    made.show(data_address(LARGE), data_address(SVG, "image/svg+xml"), "https://example.com/a.png", data_address(png()[:8] + b"no more of it"))
    call = made.tool(made.step("I take a screenshot."), "screenshot", output="")
    made.show(data_address(png()), call_id=call)
    return made


@pytest.fixture
def ws(made: TurnMaker) -> Workspace:
    return workspace_of(conversation(made.done()))


def line(bench: Bench, at: int) -> Locator:
    return bench.page.locator("details.image").nth(at)


def width(picture: Locator) -> int:
    """Width of a picture that was drawn, in its own pixels."""
    expect(picture).to_be_visible()
    picture.evaluate("(image) => image.decode()")
    return int(picture.evaluate("(image) => image.naturalWidth"))


def test_a_picture_comes_from_the_kernel_when_its_line_is_unfolded_by_key_or_click(bench: Bench, ws: Workspace) -> None:
    bench.put(Transcript(ws, "made"))
    expect(line(bench, 0).locator("summary")).to_have_text(f"image · image/png · {len(LARGE) / 1000:.1f} kB")
    assert bench.page.locator("img").count() == 0
    asked = bench.model("model.sent.length")
    line(bench, 0).locator("summary").focus()
    bench.press("Enter")
    assert width(line(bench, 0).locator("img")) == 300
    expect(line(bench, 0).locator("[role=status]")).to_have_count(0)
    bench.press("Enter", " ")
    expect(line(bench, 0)).to_have_attribute("open", "")
    assert bench.model("model.sent.length") == asked + 1
    assert bench.page.evaluate("() => window.outside") == []


def test_what_is_no_picture_says_so_and_a_broken_one_too(bench: Bench, ws: Workspace) -> None:
    bench.put(Transcript(ws, "made"))
    line(bench, 1).locator("summary").click()
    expect(line(bench, 1)).to_contain_text("only PNG, JPEG, GIF and WebP are")
    expect(bench.page.locator("a[href='https://example.com/a.png']")).to_have_attribute("rel", "noopener noreferrer nofollow")
    line(bench, 2).locator("summary").click()
    expect(line(bench, 2)).to_contain_text("This browser cannot draw it")
    expect(line(bench, 2).locator("img")).to_have_count(0)


def test_an_error_is_shown_in_place_and_unfolding_again_asks_again(bench: Bench, ws: Workspace) -> None:
    bench.put(Transcript(ws, "made"))
    bench.model("model.hold = true")
    line(bench, 0).locator("summary").click()
    expect(line(bench, 0)).to_contain_text("loading the picture")
    bench.page.wait_for_function("() => window.models.a.held.length === 1")
    bench.model("model.emit('msg:custom', {id: model.sent.at(-1).id, error: {message: '<img src=x onerror=\"window.hacked=1\">'}})")
    expect(line(bench, 0).locator(".failure")).to_contain_text("<img src=x")
    expect(bench.page.get_by_role("alert")).to_have_count(0)
    bench.model("model.hold = false")
    line(bench, 0).locator("summary").click()
    line(bench, 0).locator("summary").click()
    assert width(line(bench, 0).locator("img")) == 300
    expect(line(bench, 0).locator(".failure")).to_have_count(0)
    assert bench.page.evaluate("() => window.hacked") is None


def test_the_picture_of_a_result_stands_in_its_call(bench: Bench, ws: Workspace, made: TurnMaker) -> None:
    bench.put(Transcript(ws, "made"))
    bench.page.locator("details.call > summary").click()
    bench.page.locator("details.call details.image > summary").click()
    assert width(bench.page.locator("details.call img")) == 8
    bench.put(CallTree(ws, "made/turn 0"), name="b")
    bench.select(next(call.call_id for call in made.calls if call.name == "screenshot"), name="b")
    bench.page.locator("#b details.image > summary").click()
    assert width(bench.page.locator("#b img")) == 8


def test_the_report_draws_a_small_picture_under_its_own_policy_and_loads_nothing(browser: Browser, tmp_path: Path) -> None:
    made = TurnMaker(0, "It arrived like this.")
    made.show(data_address(png()), "https://example.com/a.png")
    report = tmp_path / "report.html"
    report.write_text(render_report(workspace_of(conversation(made.done()))), "utf-8")
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(report.as_uri())
    page.evaluate("() => { for (const line of document.querySelectorAll('details')) line.open = true; }")
    assert width(page.locator("img")) == 8
    assert [address for address in requests if not address.startswith("data:")] == [report.as_uri()]
    page.close()
