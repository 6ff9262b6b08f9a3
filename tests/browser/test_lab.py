"""The main paths in a real JupyterLab with a kernel: what a person clicks, types, closes and opens again."""

from __future__ import annotations

from collections.abc import Iterator

import nbformat
import pytest
from playwright.sync_api import Locator, expect

from tests.browser.lab import PATIENCE, Lab, LabNotebook
from tests.browser.sessions import SESSION, write_session

OPEN = """import agentnb as anb
ws = anb.open("session.jsonl", workspace="triage")
turn = ws.turn(ws.sql("select turn_id from tool_errors order by call_index limit 1").fetchall()[0][0])"""
CELLS = [OPEN, 'tree = anb.CallTree(ws, turn, by="ana")\ntree', f'transcript = anb.Transcript(ws, "{SESSION}", by="ana")\ntranscript']


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Iterator[LabNotebook]:
    """A notebook with a call tree and a transcript, run, in a folder of its own."""
    folder = lab.folder / request.node.name
    folder.mkdir()
    write_session(folder / "session.jsonl")
    notebook = lab.run_notebook(lab.write_notebook(f"{folder.name}/review.ipynb", CELLS))
    assert notebook.errors() == []
    expect(notebook.view).to_have_count(2, timeout=PATIENCE)
    yield notebook
    notebook.close()


def tree(notebook: LabNotebook) -> Locator:
    return notebook.view.and_(notebook.page.locator("[data-view=tree]"))


def transcript(notebook: LabNotebook) -> Locator:
    return notebook.view.and_(notebook.page.locator("[data-view=transcript]"))


def test_a_click_in_the_call_tree_reaches_python(notebook: LabNotebook) -> None:
    tree(notebook).locator("tr", has_text="refund").click()
    expect(tree(notebook).locator(".detail")).to_contain_text("payment method does not match")
    assert notebook.run_new_cell("print(ws.call(tree.selected).name)") == "refund"


def test_selected_from_python_opens_the_call(notebook: LabNotebook) -> None:
    notebook.run_new_cell("transcript.selected = tree.selected = ws.sql('select call_id from tool_errors').fetchall()[0][0]")
    expect(transcript(notebook).locator("details.call[aria-selected=true]")).to_contain_text("payment method does not match")
    expect(tree(notebook).locator("tr[aria-selected=true]")).to_contain_text("refund")


def test_a_rating_by_click_is_there_after_a_restart_of_the_kernel(notebook: LabNotebook) -> None:
    tree(notebook).locator("tr", has_text="refund").click()
    tree(notebook).locator(".detail [data-verdict=wrong]").click()
    expect(tree(notebook).locator(".detail .rating")).to_contain_text("ana")
    notebook.restart_kernel()
    query = "select name, verdict, rated_by from rated_calls order by name"
    assert notebook.run_new_cell(f"{OPEN}\nprint(ws.sql({query!r}).fetchall())") == "[('refund', 'wrong', 'ana')]"


def test_the_dark_theme_changes_the_colours(notebook: LabNotebook) -> None:
    script = "(each) => [getComputedStyle(each).backgroundColor, getComputedStyle(each).color]"
    light = transcript(notebook).evaluate(script)
    notebook.use_theme("JupyterLab Dark")
    try:
        notebook.page.wait_for_function(
            "(was) => getComputedStyle(document.querySelector('.agentnb[data-view=transcript]')).backgroundColor !== was", arg=light[0], timeout=PATIENCE
        )
        dark = transcript(notebook).evaluate(script)
    finally:
        notebook.use_theme("JupyterLab Light")
    assert _brightness(light[0]) > 200 > 90 > _brightness(dark[0])
    assert _brightness(light[1]) < 90 < 150 < _brightness(dark[1])


def test_typing_in_our_output_leaves_the_cells_alone(notebook: LabNotebook) -> None:
    before = notebook.sources()
    for place in (
        tree(notebook).locator("tr", has_text="refund"),
        transcript(notebook).locator("details.turn > summary").last,
        transcript(notebook).locator("h3"),
    ):
        place.click()
        for key in ("d", "d", "b", "a", "x", "z", "m", "Escape", "d", "d", "b", "Shift+Enter", "Control+z", "0", "0"):
            notebook.page.keyboard.press(key)
    field = transcript(notebook).locator("input[data-action=find]")
    field.click()
    notebook.page.keyboard.type("ddbax")
    assert field.input_value() == "ddbax"
    notebook.page.keyboard.press("Escape")
    notebook.page.keyboard.type("ddbax")
    assert notebook.sources() == before
    # The same keys outside do what they always do, so the test would see it.
    notebook.page.locator(".jp-InputArea-prompt").first.click()
    notebook.page.keyboard.press("b")
    notebook.page.wait_for_function("(count) => window.jupyterapp.shell.currentWidget.content.widgets.length === count + 1", arg=len(before))


def test_two_views_of_one_widget_stay_in_step(notebook: LabNotebook) -> None:
    notebook.run_new_cell("from IPython.display import display\ndisplay(transcript)")
    expect(transcript(notebook)).to_have_count(2, timeout=PATIENCE)
    first, second = transcript(notebook).nth(0), transcript(notebook).nth(1)
    first.locator("details.call.failed > .body").click()
    expect(second.locator("details.call[aria-selected=true]")).to_contain_text("payment method does not match")
    first.locator("details.call[aria-selected=true] [data-verdict=wrong]").click()
    expect(second.locator("details.call[aria-selected=true] .rating")).to_contain_text("ana")


def test_a_notebook_that_is_opened_without_a_kernel_still_reads(lab: Lab, notebook: LabNotebook) -> None:
    """JupyterLab trusts what was run here, prefers the live view, and had only "model not found" to say in its place."""
    expect(notebook.page.locator(".jp-OutputArea-child:has(.agentnb[data-fallback]):visible")).to_have_count(0)
    notebook.save()
    notebook.end_kernel()
    notebook.leave()
    closed = lab.open(notebook.path)
    closed.wait_for_kernel()
    missing = closed.page.locator(".jp-OutputArea-output", has_text="model not found")
    expect(missing).to_have_count(2, timeout=PATIENCE)
    expect(missing.first).to_be_hidden()
    expect(missing.last).to_be_hidden()
    closed.end_kernel()
    _reads(closed)
    closed.leave()


def test_a_notebook_that_is_not_trusted_still_reads(lab: Lab, notebook: LabNotebook) -> None:
    notebook.save()
    path = notebook.path
    changed = nbformat.read(path, as_version=4)
    changed.cells.append(nbformat.v4.new_markdown_cell("Somebody else wrote this."))
    nbformat.write(changed, path.with_name("foreign.ipynb"))
    foreign = lab.open(path.with_name("foreign.ipynb"))
    _reads(foreign)
    foreign.close()


def test_running_a_reopened_notebook_brings_the_live_views_back(lab: Lab, notebook: LabNotebook) -> None:
    notebook.save()
    notebook.end_kernel()
    again = lab.run_notebook(notebook.path)
    expect(again.view).to_have_count(2, timeout=PATIENCE)
    expect(again.page.locator(".jp-OutputArea-child:has(.agentnb[data-fallback]):visible")).to_have_count(0)
    again.close()


def test_a_live_view_whose_kernel_is_gone_says_so_and_still_reads(notebook: LabNotebook) -> None:
    notebook.end_kernel()
    tree(notebook).locator("tr", has_text="refund").click()
    expect(tree(notebook).get_by_role("alert")).to_contain_text("The kernel is gone", timeout=PATIENCE)
    expect(tree(notebook).locator("tr[aria-selected=true]")).to_contain_text("refund")
    transcript(notebook).locator("details.turn > summary").first.focus()
    notebook.page.keyboard.press("j")
    expect(transcript(notebook).locator("details.turn[aria-selected=true]")).to_have_count(1)


def _reads(notebook: LabNotebook) -> None:
    static = notebook.page.locator(".jp-OutputArea-output .agentnb:visible")
    expect(static).to_have_count(2, timeout=PATIENCE)
    expect(static.first).to_contain_text("refund ✕ failed")
    expect(static.last).to_contain_text("Please refund it")
    assert notebook.page.locator(".jp-OutputArea-output button[data-action]").count() == 0


def _brightness(colour: str) -> float:
    values = [float(value) for value in colour.split("(")[1].rstrip(")").replace(",", " ").split()[:3] if value.replace(".", "").isdigit()]
    return sum(values) / len(values)
