"""Questions of an agent in another process, answered by hand in a cell of a real JupyterLab."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, expect

from agentnb.conversations import Conversation
from agentnb.conversations.stores import open_store
from tests.browser.agents import agent_at_work
from tests.browser.lab import PATIENCE, Lab, LabNotebook

CELL = 'import agentnb as anb\nws = anb.open("agent.db")\nanb.Approvals(ws)'
WITHIN_A_SECOND = 1_000


@pytest.fixture
def folder(lab: Lab, request: pytest.FixtureRequest) -> Path:
    """A folder of its own for the notebook and its database."""
    folder = Path(lab.folder, request.node.name)
    folder.mkdir()
    return folder


@pytest.fixture
def notebook(lab: Lab, folder: Path) -> Iterator[LabNotebook]:
    """A notebook that is not run yet."""
    notebook = lab.open(lab.write_notebook(f"{folder.name}/approvals.ipynb", [CELL]))
    yield notebook
    notebook.close()


def questions(notebook: LabNotebook) -> Locator:
    return notebook.view.locator(".question")


def shown(notebook: LabNotebook, count: int) -> None:
    """Run the notebook and wait until the questions are there."""
    notebook.run_all()
    assert notebook.errors() == []
    expect(questions(notebook)).to_have_count(count, timeout=PATIENCE)


def picture(notebook: LabNotebook, name: str) -> None:
    """Take a picture for a person to look at, where one is wanted."""
    if os.environ.get("AGENTNB_PICTURES"):
        notebook.view.first.screenshot(path=f"{os.environ['AGENTNB_PICTURES']}/{name}.png")


def test_a_question_of_another_process_is_approved_in_the_cell_and_the_agent_goes_on(notebook: LabNotebook, folder: Path) -> None:
    with agent_at_work(folder / "agent.db", alex="Please give me a refund") as agent:
        shown(notebook, 1)
        expect(questions(notebook)).to_contain_text("W2378156")
        expect(questions(notebook)).to_contain_text("changes things")
        expect(questions(notebook)).to_contain_text("Please give me a refund")
        questions(notebook).get_by_role("button", name="approve").click()
        notebook.view.locator("input[name=name]").fill("ana")
        picture(notebook, "name")
        notebook.page.keyboard.press("Enter")
        assert agent.line() == "alex done I was told: refunded 129.00"
        expect(questions(notebook)).to_have_count(0, timeout=WITHIN_A_SECOND)
        expect(notebook.view).to_contain_text("refund: approved by ana")
        assert notebook.run_new_cell("print(ws.rater, ws.sql('select answer, answered_by from approvals').fetchall())") == "ana [('yes', 'ana')]"


def test_a_denial_by_keyboard_tells_the_model_why_and_no_key_reaches_the_notebook(notebook: LabNotebook, folder: Path) -> None:
    with agent_at_work(folder / "agent.db", alex="A letter", bea="Change the page") as agent:
        shown(notebook, 2)
        before = notebook.sources()
        questions(notebook).first.click(position={"x": 5, "y": 5})
        # From whichever was asked last to the letter: up, or down.
        notebook.page.keyboard.press("j" if "page" in questions(notebook).first.inner_text() else "k")
        notebook.page.keyboard.press("d")
        notebook.page.keyboard.type("Too dear: ddxx")
        notebook.page.keyboard.press("Enter")
        expect(notebook.view.locator("input[name=name]")).to_be_focused()
        notebook.page.keyboard.type("ana")
        notebook.page.keyboard.press("Enter")
        assert "Too dear: ddxx" in agent.line()
        expect(questions(notebook)).to_have_count(1, timeout=WITHIN_A_SECOND)
        # The focus stays inside, on the next question, and what was said once is not asked again.
        notebook.page.keyboard.press("a")
        assert agent.line() == "bea done I was told: saved"
        expect(questions(notebook)).to_have_count(0, timeout=PATIENCE)
        for key in ("d", "d", "x", "b"):
            notebook.page.keyboard.press(key)
        assert notebook.sources() == before


def test_what_another_process_answers_disappears_within_a_second_and_what_is_typed_beside_it_stays(notebook: LabNotebook, folder: Path) -> None:
    with agent_at_work(folder / "agent.db", alex="First refund", bea="Second refund") as agent:
        shown(notebook, 2)
        waiting = {chat: Conversation(None, chat, store=open_store(folder / "agent.db")) for chat in ("alex", "bea")}
        kept = questions(notebook).filter(has_text="Second refund")
        kept.get_by_role("button", name="deny").click()
        notebook.view.locator("input[name=deny]").fill("not yet")
        waiting["alex"].waiting[0].approve(by="bo")
        expect(questions(notebook)).to_have_count(1, timeout=WITHIN_A_SECOND)
        assert agent.line() == "alex done I was told: refunded 129.00"
        expect(notebook.view).to_contain_text("refund: approved by bo")
        expect(notebook.view.locator("input[name=deny]")).to_have_value("not yet")
        expect(notebook.view.locator("input[name=deny]")).to_be_focused()


def test_run_all_answers_nothing_and_new_questions_appear_by_themselves(notebook: LabNotebook, folder: Path) -> None:
    with agent_at_work(folder / "agent.db", alex="A letter", bea="Change the page", cleo="A refund"):
        shown(notebook, 3)
        notebook.run_all()
        expect(questions(notebook)).to_have_count(3, timeout=PATIENCE)
        notebook.page.wait_for_timeout(1_200)
        picture(notebook, "light")
        notebook.use_theme("JupyterLab Dark")
        questions(notebook).nth(1).click(position={"x": 5, "y": 5})
        notebook.page.keyboard.press("d")
        picture(notebook, "dark")
        notebook.page.keyboard.press("Escape")
        notebook.page.keyboard.press("?")
        picture(notebook, "dark-keys")
        with agent_at_work(folder / "agent.db", dora="One more refund"):
            expect(questions(notebook)).to_have_count(4, timeout=PATIENCE)
        notebook.use_theme("JupyterLab Light")
