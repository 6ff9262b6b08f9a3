"""A turn that runs is followed in a real JupyterLab: what comes appears, and what is being read stays as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.lab import PATIENCE, Lab, LabNotebook

AGENT = '''import json, time
import agentnb as anb
from agentnb.transports import CallPart, FinishPart
from pathlib import Path

@anb.tool(effects="reads")
def look_up(place: str) -> str:
    """Look something up, once somebody lets it."""
    while not Path(place).exists():
        time.sleep(0.05)
    return f"found in {place}"

class Model(anb.ScriptedProvider):
    def stream(self, request):
        done = sum(each["role"] == "tool" for each in request.input)
        if done == 2:
            yield "All looked up."
            return
        yield CallPart(index=0, id=f"call_{done}", name="look_up", arguments=json.dumps({"place": f"go-{done}"}))
        yield FinishPart(reason="tool_calls")

@anb.program(tools=[look_up], model=Model())
def helper(question: str) -> str:
    """Look things up."""

ws = anb.read([{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hi"}])
chat = helper.conversation("alex", store=ws)
turn = chat.send("Where is it?")'''
CELLS = [AGENT, "transcript = anb.Transcript(ws, turn)\ntranscript", "tree = anb.CallTree(ws, turn)\ntree"]


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Iterator[LabNotebook]:
    """A notebook with a turn that runs, and two views of it."""
    folder = Path(lab.folder, request.node.name)
    folder.mkdir()
    notebook = lab.open(lab.write_notebook(f"{folder.name}/following.ipynb", CELLS))
    notebook.run_all()
    assert notebook.errors() == []
    yield notebook
    notebook.close()


def test_what_comes_to_a_running_turn_appears_and_what_is_unfolded_stays_so(notebook: LabNotebook) -> None:
    folder = notebook.path.parent
    transcript, tree = notebook.view.nth(0), notebook.view.nth(1)
    expect(transcript).to_contain_text("running", timeout=PATIENCE)
    (folder / "go-0").touch()
    first = transcript.locator("details.call", has_text="go-0")
    expect(first).to_contain_text("done", timeout=PATIENCE)
    expect(tree.locator("tr.model")).to_have_count(2, timeout=PATIENCE)
    first.locator(":scope > summary").click()
    expect(first).to_have_attribute("open", "")
    first.evaluate("(call) => { call.dataset.mine = 'yes'; }")
    (folder / "go-1").touch()
    expect(transcript).to_contain_text("All looked up.", timeout=PATIENCE)
    expect(tree.locator("tr.model")).to_have_count(3, timeout=PATIENCE)
    expect(first).to_have_attribute("open", "")
    expect(transcript.locator("details.turn > summary")).to_contain_text("done", timeout=PATIENCE)
    # It has ended: nobody looks any more.
    assert notebook.run_new_cell("import time; time.sleep(1); print(transcript._growth.goes_on, tree._growth.goes_on, transcript._follower._thread)") == (
        "False False None"
    )
