"""Run notebooks again in place and keep their outputs, so that the same code gives the same bytes.

What changes from run to run or from machine to machine is left out: times of execution, the version of Python, widget state, and the widget view with
its random id. A notebook that is opened again then shows the static HTML, and the widget after a run.

Run by `make notebooks` as `python tests/notebooks/rerun.py FILE…`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"file_extension": ".py", "mimetype": "text/x-python", "name": "python", "pygments_lexer": "ipython3"}


def rerun(path: Path) -> None:
    """Run a notebook in its own folder and write it back with its outputs.

    Raises:
        nbclient.exceptions.CellExecutionError: A cell failed; the file is left as it was.
    """
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(
        notebook,
        timeout=300,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        store_widget_state=False,
        record_timing=False,
        coalesce_streams=True,
    )
    client.execute()
    settle(notebook)
    nbformat.validate(notebook)
    nbformat.write(notebook, path)


def settle(notebook: nbformat.NotebookNode) -> None:
    """Take out of a notebook, in place, what differs from run to run or from machine to machine."""
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": LANGUAGE})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({key: value for key, value in sorted(cell.metadata.items()) if key in ("tags", "jupyter")})
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET_VIEW, None)


if __name__ == "__main__":
    for name in sys.argv[1:]:
        rerun(Path(name))
        sys.stdout.write(f"{name}: {Path(name).stat().st_size:,} bytes\n")
