"""Recordings are dropped into a cell of a real JupyterLab, and are in the kernel."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import FilePayload, Locator, expect

from tests.browser.lab import PATIENCE, Lab, LabNotebook

TALK = json.dumps([{"role": "user", "content": "Where is my lamp?"}, {"role": "assistant", "content": "On its way."}]).encode()
LONG = json.dumps([{"role": "user", "content": "desk " * 1_200_000}]).encode()
# A drop as the browser makes it: the files are in the event, and nothing else tells of them.
DROP = """([name, data]) => {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const transfer = new DataTransfer();
  transfer.items.add(new File([bytes], name));
  const zone = document.querySelector('.agentnb[data-live] .drop');
  for (const kind of ['dragenter', 'dragover', 'drop']) {
    zone.dispatchEvent(new DragEvent(kind, {bubbles: true, cancelable: true, dataTransfer: transfer}));
  }
}"""


@pytest.fixture
def notebook(lab: Lab, request: pytest.FixtureRequest) -> Iterator[LabNotebook]:
    """A notebook with an upload, run, in a folder of its own."""
    folder = lab.folder / request.node.name
    folder.mkdir()
    notebook = lab.run_notebook(lab.write_notebook(f"{folder.name}/upload.ipynb", ["import agentnb as anb\nupload = anb.Upload()\nupload"]))
    assert notebook.errors() == []
    expect(notebook.view).to_have_count(1, timeout=PATIENCE)
    yield notebook
    notebook.close()


def lines(notebook: LabNotebook) -> Locator:
    return notebook.view.locator(".files li")


def test_dropped_and_chosen_files_are_read_and_shown(notebook: LabNotebook) -> None:
    notebook.page.evaluate(DROP, ["lamp.json.gz", base64.b64encode(gzip.compress(TALK)).decode()])
    expect(lines(notebook).first).to_contain_text("2 records read", timeout=PATIENCE)
    expect(notebook.view).to_contain_text("1 conversation")
    chosen = [FilePayload(name="desk.json", mimeType="", buffer=LONG), FilePayload(name="<b>settings</b>.json", mimeType="", buffer=b'{"theme": "dark"}')]
    notebook.view.locator("input[type=file]").set_input_files(chosen)
    expect(lines(notebook).nth(1)).to_contain_text("1 record read", timeout=PATIENCE)
    expect(lines(notebook).nth(2)).to_contain_text("not read")
    expect(lines(notebook).nth(2)).to_contain_text("an object with theme")
    assert lines(notebook).locator("b").count() == 0
    assert notebook.run_new_cell("print([source.path for source in upload.ws.account.sources])") == "['<desk.json>', '<lamp.json.gz>']"
    assert notebook.run_new_cell("print(upload.ws.sql('select max(length(prompt)) from turns').fetchall())") == "[(6000000,)]"
