"""Running a notebook again gives the same bytes and keeps nothing that changes by itself."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbclient.exceptions import CellExecutionError

from tests.notebooks.rerun import WIDGET_VIEW, rerun, settle


def test_a_second_run_writes_the_same_bytes(tmp_path: Path) -> None:
    path = notebook(tmp_path, "for i in range(3):\n    print(i, flush=True)", "{'b': 1}")
    rerun(path)
    first = path.read_bytes()
    rerun(path)
    assert path.read_bytes() == first
    assert [output["text"] for output in nbformat.read(path, as_version=4).cells[0].outputs] == ["0\n1\n2\n"]


def test_a_notebook_runs_in_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "beside.txt").write_text("found")
    path = notebook(tmp_path, "print(open('beside.txt').read())")
    rerun(path)
    assert nbformat.read(path, as_version=4).cells[0].outputs[0]["text"] == "found\n"


def test_a_failing_cell_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    path = notebook(tmp_path, "1 / 0")
    before = path.read_bytes()
    with pytest.raises(CellExecutionError, match="ZeroDivisionError"):
        rerun(path)
    assert path.read_bytes() == before


def test_what_changes_by_itself_is_taken_out() -> None:
    cell = nbformat.v4.new_code_cell("x", metadata={"execution": {"iopub.status.busy": "now"}, "tags": ["kept"], "trusted": True})
    cell.outputs = [nbformat.v4.new_output("display_data", {"text/plain": "view", "text/html": "<p>view</p>", WIDGET_VIEW: {"model_id": "f00"}})]
    made = nbformat.v4.new_notebook(cells=[cell], metadata={"widgets": {"state": {}}, "language_info": {"name": "python", "version": "3.99.0"}})
    settle(made)
    assert "widgets" not in made.metadata
    assert "version" not in made.metadata.language_info
    assert made.cells[0].metadata == {"tags": ["kept"]}
    assert set(made.cells[0].outputs[0]["data"]) == {"text/plain", "text/html"}


def notebook(folder: Path, *cells: str) -> Path:
    path = folder / "made.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell, id=f"cell-{number}") for number, cell in enumerate(cells)]), path)
    return path
