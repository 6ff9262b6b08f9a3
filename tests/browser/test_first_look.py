"""Notebook 01 in a real JupyterLab: what a stranger does with it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.lab import Lab, LabNotebook

pytestmark = pytest.mark.browser

PROJECT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def notebook(lab: Lab) -> Iterator[LabNotebook]:
    """Notebook 01, with the recordings beside it as in the project, open and run."""
    shutil.copytree(PROJECT / "data" / "support-refund", lab.folder / "data" / "support-refund")
    (lab.folder / "notebooks").mkdir()
    path = Path(shutil.copy(PROJECT / "notebooks" / "01-first-look.ipynb", lab.folder / "notebooks"))
    opened = lab.run_notebook(path)
    yield opened
    opened.leave()


def test_every_cell_of_notebook_01_runs_and_shows_its_views(notebook: LabNotebook) -> None:
    assert notebook.errors() == []
    views = [notebook.view.nth(place).get_attribute("data-view") for place in range(notebook.view.count())]
    assert views == ["transcript", "tree"]


def test_the_refund_that_went_wrong_is_found_in_its_transcript_and_rated(notebook: LabNotebook) -> None:
    notebook.run_new_cell("ws = again; ws.rater = 'bo'; live = anb.Transcript(ws, wrong.turn_id); display(live)")
    view = notebook.view.last
    call = view.locator("details.call", has_text="#L10377").filter(has_text="98.9").last
    call.locator("summary").first.click()
    assert notebook.run_new_cell("print(live.selected == wrong.call_id)") == "True"
    call.locator("button[data-action=rate][data-verdict=wrong]").click()
    call.locator(".rating", has_text="bo").wait_for()
    verdicts = notebook.run_new_cell("print(anb.open(workspace='triage').sql('select rated_by, verdict from rated_calls order by rated_by').fetchall())")
    assert verdicts == "[('ana', 'wrong'), ('bo', 'wrong')]"
