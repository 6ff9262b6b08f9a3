"""Calls are rated by keyboard in a real JupyterLab, and what was said is on disk."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import PATIENCE, Lab, LabNotebook
from tests.browser.sessions import write_session

OPEN = 'import agentnb as anb\nws = anb.open("session.jsonl", workspace="triage")'
RATER = 'rater = anb.Rater(ws, "from calls where name = \'get_order\' order by call_index", by="ana")\nrater'
CALLS = 100


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Iterator[LabNotebook]:
    """A notebook with a queue of a hundred calls, run, in a folder of its own."""
    folder = lab.folder / request.node.name
    folder.mkdir()
    write_session(folder / "session.jsonl", turns=CALLS)
    notebook = lab.run_notebook(lab.write_notebook(f"{folder.name}/rate.ipynb", [OPEN, RATER]))
    assert notebook.errors() == []
    expect(notebook.view).to_have_count(1, timeout=PATIENCE)
    expect(box(notebook).locator(".anb-note input")).to_be_visible(timeout=PATIENCE)
    yield notebook
    notebook.close()


def box(notebook: LabNotebook) -> Locator:
    return notebook.page.locator(".anb-rater")


def head(notebook: LabNotebook) -> Locator:
    return notebook.view.locator(".view > .head")


def on_disk(notebook: LabNotebook) -> list[dict[str, Any]]:
    """Return the records that are on disk now, oldest first; read by this process, not by the kernel."""
    files = Path(notebook.path.parent, "triage", "ratings").glob("*.jsonl")
    return sorted((json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()), key=lambda record: str(record["id"]))


def press(notebook: LabNotebook, *keys: str) -> None:
    for key in keys:
        notebook.page.keyboard.press(key)


def test_a_hundred_calls_are_rated_by_keyboard_and_each_is_on_disk_before_the_next_shows(notebook: LabNotebook) -> None:
    before = notebook.sources()
    head(notebook).click()
    for at in range(CALLS):
        expect(head(notebook)).to_contain_text(f"call {at + 1} of {CALLS}", timeout=PATIENCE)
        assert len(on_disk(notebook)) == at
        press(notebook, "2" if at % 4 == 3 else "1")
    expect(notebook.view).to_contain_text("That is all.", timeout=PATIENCE)
    verdicts = [record["verdict"] for record in on_disk(notebook)]
    assert (len(verdicts), verdicts.count("right"), verdicts.count("wrong")) == (100, 75, 25)
    assert len({record["call"] for record in on_disk(notebook)}) == CALLS
    assert notebook.sources() == before
    assert notebook.run_new_cell("print(rater)") == "Rater: 100 calls, 100 rated by ana"


def test_skip_back_undo_and_keys_that_mean_something_to_jupyterlab(notebook: LabNotebook) -> None:
    before = notebook.sources()
    head(notebook).click()
    press(notebook, " ")
    expect(head(notebook)).to_contain_text("call 2 of 100")
    press(notebook, "Backspace")
    expect(head(notebook)).to_contain_text("call 1 of 100")
    press(notebook, "d", "d", "b", "x", "z", "m", "Escape", "d", "d", "Shift+Enter", "0", "0")
    assert on_disk(notebook) == []
    press(notebook, "1")
    expect(head(notebook)).to_contain_text("call 2 of 100")
    press(notebook, "u")
    expect(head(notebook)).to_contain_text("call 1 of 100")
    expect(notebook.view.get_by_role("status")).to_have_text("taken back")
    assert [record["verdict"] for record in on_disk(notebook)] == ["right", None]
    assert notebook.sources() == before
    # The same keys outside do what they always do, so the test would see it.
    notebook.page.locator(".jp-InputArea-prompt").first.click()
    press(notebook, "b")
    notebook.page.wait_for_function("(count) => window.jupyterapp.shell.currentWidget.content.widgets.length === count + 1", arg=len(before))


def test_typing_into_the_fields_rates_nothing_and_arrives_whole(notebook: LabNotebook) -> None:
    before = notebook.sources()
    head(notebook).click()
    press(notebook, "n")
    note = box(notebook).locator(".anb-note input")
    expect(note).to_be_focused()
    notebook.page.keyboard.type("1 2 u dd b, it came on the 12th")
    expect(note).to_have_value("1 2 u dd b, it came on the 12th")
    press(notebook, "Enter")
    expect(note).not_to_be_focused()
    press(notebook, "r", " ")
    expect(box(notebook).locator(".anb-reasons .mod-active")).to_have_text("wrong value")
    press(notebook, "a")
    answer = box(notebook).locator(".anb-answer textarea")
    expect(answer).to_be_focused()
    press(notebook, "Control+a")
    notebook.page.keyboard.type("delivered on the 12th")
    assert on_disk(notebook) == []
    press(notebook, "Control+Enter")
    expect(head(notebook)).to_contain_text("call 2 of 100")
    (record,) = on_disk(notebook)
    assert (record["verdict"], record["answer"], record["note"]) == ("wrong", "delivered on the 12th", "1 2 u dd b, it came on the 12th")
    assert record["reasons"] == ["wrong value"]
    expect(answer).to_have_value("shipped")
    expect(box(notebook).locator(".anb-note input")).to_have_value("")
    expect(box(notebook).locator(".anb-reasons .mod-active")).to_have_count(0)
    press(notebook, "1")
    expect(head(notebook)).to_contain_text("call 3 of 100")
    for place in (2, 1):
        press(notebook, "Backspace")
        expect(head(notebook)).to_contain_text(f"call {place} of 100")
    expect(answer).to_have_value("delivered on the 12th")
    assert notebook.sources() == before


def test_buttons_do_the_same_and_the_keys_stay_with_the_call(notebook: LabNotebook) -> None:
    box(notebook).get_by_role("button", name="right").click()
    expect(head(notebook)).to_contain_text("call 2 of 100")
    press(notebook, " ")
    expect(head(notebook)).to_contain_text("call 3 of 100")
    box(notebook).get_by_role("button", name="back").click()
    expect(head(notebook)).to_contain_text("call 2 of 100")
    press(notebook, "s")
    expect(notebook.view.locator("details[data-fold=steps]")).to_have_attribute("open", "")
    press(notebook, "2")
    expect(head(notebook)).to_contain_text("call 3 of 100")
    expect(notebook.view.locator("details[data-fold=steps]")).to_have_attribute("open", "")
    assert [record["verdict"] for record in on_disk(notebook)] == ["right", "wrong"]


def test_a_name_is_asked_for_once(lab: Lab, notebook: LabNotebook) -> None:
    notebook.run_new_cell("from IPython.display import display\ndisplay(anb.Rater(ws, 'from turns'))")
    field = notebook.page.locator(".anb-name input")
    field.click()
    notebook.page.keyboard.type("ben 1")
    press(notebook, "Enter")
    expect(notebook.page.locator(".anb-rater").last).to_contain_text("by ben 1", timeout=PATIENCE)
    assert notebook.run_new_cell("print(ws.rater)") == "ben 1"


def test_the_dark_theme_reaches_the_call_and_its_form(notebook: LabNotebook) -> None:
    script = "(each) => getComputedStyle(each).color"
    places = [head(notebook), box(notebook).locator(".anb-note input"), box(notebook).locator(".anb-reasons button").first]
    light = [_brightness(place.evaluate(script)) for place in places]
    notebook.use_theme("JupyterLab Dark")
    try:
        notebook.page.wait_for_function(
            "() => getComputedStyle(document.querySelector('.anb-rater .head')).color.match(/2[0-9]{2}|0\\.[89]|1 1 1|255/)", timeout=PATIENCE
        )
        dark = [_brightness(place.evaluate(script)) for place in places]
        behind = _brightness(box(notebook).evaluate("(each) => getComputedStyle(each).backgroundColor"))
        head(notebook).click()
        ring = box(notebook).evaluate("(each) => getComputedStyle(each).borderColor")
    finally:
        notebook.use_theme("JupyterLab Light")
    assert max(light) < 90 < 150 < min(dark)
    assert behind < 60
    assert ring != "rgb(0, 0, 0)"


def test_the_form_has_labels_and_the_buttons_say_what_they_do(notebook: LabNotebook) -> None:
    expect(box(notebook).get_by_label("note")).to_be_visible()
    expect(box(notebook).get_by_label("right answer")).to_be_visible()
    expect(box(notebook).get_by_title("right: key 1")).to_be_visible()
    expect(notebook.page.get_by_role("region", name="Rater")).to_be_visible()
    head(notebook).click()
    press(notebook, "?")
    expect(notebook.view.get_by_role("note", name="Keys")).to_contain_text("take back")


def _brightness(colour: str) -> float:
    values = [float(value) for value in colour.split("(")[1].rstrip(")").replace(",", " ").split()[:3] if value.replace(".", "").isdigit()]
    return sum(values) / len(values)
