"""A real JupyterLab for the tests: its server, notebooks made for it, and what a person does in it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import nbformat
from playwright.sync_api import Browser, BrowserContext, Locator, Page

PATIENCE: Final = 90_000
"""Milliseconds that a page may take on a slow machine before a test fails."""

# The indicator says idle before there is a session, and a run then opens a "Select Kernel" dialog: wait for the kernel itself.
KERNEL_READY: Final = """() => {
  const panel = window.jupyterapp?.shell.currentWidget;
  const kernel = panel?.sessionContext?.session?.kernel;
  return Boolean(panel?.sessionContext?.isReady && kernel && kernel.status === 'idle');
}"""
# The braces matter: a returned promise would make evaluate wait for the whole run.
RUN_ALL: Final = "() => { window.jupyterapp.commands.execute('runmenu:run-all'); }"
ALL_RAN: Final = """() => {
  const panel = window.jupyterapp.shell.currentWidget;
  const cells = panel.content.widgets.filter((cell) => cell.model.type === 'code' && cell.model.sharedModel.source.trim() !== '');
  const failed = cells.some((cell) => cell.model.sharedModel.outputs.some((output) => output.output_type === 'error'));
  // After an error the cells below it do not run.
  return (failed || cells.every((cell) => cell.model.executionCount !== null)) && panel.sessionContext.session.kernel.status === 'idle';
}"""
SOURCES: Final = "() => window.jupyterapp.shell.currentWidget.content.widgets.map((cell) => cell.model.sharedModel.source)"


class LabNotebook:
    """One notebook that is open in the lab."""

    def __init__(self, context: BrowserContext, page: Page, path: Path) -> None:
        self.page = page
        self.path = path
        self._context = context

    @property
    def view(self) -> Locator:
        """The live widgets, in order."""
        return self.page.locator(".jp-OutputArea-output .agentnb[data-live]")

    def wait_for_kernel(self) -> None:
        """Wait until the notebook has a kernel that is idle."""
        self.page.wait_for_function(KERNEL_READY, timeout=PATIENCE)

    def run_all(self) -> None:
        """Run every cell and wait until the last one is done."""
        self.wait_for_kernel()
        self.page.evaluate(RUN_ALL)
        self.page.wait_for_function(ALL_RAN, timeout=PATIENCE)

    def run_new_cell(self, source: str) -> str:
        """Run code in a new last cell and return what it prints, as a person would."""
        marker = f"done-{time.monotonic_ns()}"
        script = """(source) => {
          const panel = window.jupyterapp.shell.currentWidget;
          const model = panel.content.model.sharedModel;
          model.insertCell(model.cells.length, {cell_type: 'code', source});
          panel.content.activeCellIndex = model.cells.length - 1;
          window.jupyterapp.commands.execute('notebook:run-cell');
        }"""
        self.page.evaluate(script, f"{source}\nprint({marker!r})")
        output = self.page.locator(".jp-OutputArea-output pre", has_text=marker).last
        output.wait_for(timeout=PATIENCE)
        return output.inner_text().replace(marker, "").strip()

    def sources(self) -> list[str]:
        """Return the text of every cell, as the notebook has it now."""
        return [str(source) for source in self.page.evaluate(SOURCES)]

    def errors(self) -> list[str]:
        """Return what cells ended with an error."""
        return self.page.locator(".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()

    def restart_kernel(self) -> None:
        """Restart the kernel and wait until it is there again."""
        self.page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.sessionContext.restartKernel(); }")
        self.wait_for_kernel()

    def end_kernel(self) -> None:
        """Shut the kernel down and leave the notebook open."""
        self.wait_for_kernel()
        self.page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.sessionContext.shutdown(); }")
        self.page.wait_for_function("() => !window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel", timeout=PATIENCE)

    def save(self) -> None:
        """Save the notebook."""
        self.page.evaluate("async () => { await window.jupyterapp.shell.currentWidget.context.save(); }")

    def use_theme(self, name: str) -> None:
        """Change the theme and wait until its colours are there."""
        light = "false" if "Dark" in name else "true"
        self.page.evaluate("async (theme) => { await window.jupyterapp.commands.execute('apputils:change-theme', {theme}); }", name)
        self.page.wait_for_selector(f"body[data-jp-theme-light='{light}']", state="attached", timeout=PATIENCE)

    def close(self) -> None:
        """End the kernel and close the page, unless it was left already."""
        if self.page.is_closed():
            return
        self.page.evaluate("async () => { await window.jupyterapp.shell.currentWidget?.sessionContext?.shutdown(); }")
        self.leave()

    def leave(self) -> None:
        """Close the page and let the kernel run."""
        self._context.close()


class Lab:
    """The server, with a folder for notebooks."""

    def __init__(self, browser: Browser, folder: Path, port: int) -> None:
        self.folder = folder
        self._browser = browser
        self._address = f"http://127.0.0.1:{port}"

    def write_notebook(self, name: str, cells: Sequence[str], outputs: Sequence[list[dict[str, Any]]] = ()) -> Path:
        """Write a notebook of code cells, with outputs where there are some."""
        made = nbformat.v4.new_notebook()
        made.cells = [nbformat.v4.new_code_cell(source) for source in cells]
        for cell, kept in zip(made.cells, outputs, strict=False):
            cell.outputs = [nbformat.from_dict(output) for output in kept]
        made.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(made, path)
        return path

    def open(self, path: Path) -> LabNotebook:
        """Open a notebook of the folder."""
        context = self._browser.new_context(viewport={"width": 1280, "height": 900})
        page = context.new_page()
        page.goto(f"{self._address}/lab/tree/{path.relative_to(self.folder).as_posix()}?reset", timeout=PATIENCE)
        page.wait_for_selector(".jp-Notebook-cell", timeout=PATIENCE)
        return LabNotebook(context, page, path)

    def run_notebook(self, path: Path) -> LabNotebook:
        """Open a notebook, run all its cells, and return it; the folder of the notebook is its working folder."""
        notebook = self.open(path)
        notebook.run_all()
        return notebook


@contextmanager
def running_lab(browser: Browser, folder: Path) -> Iterator[Lab]:
    """Run a JupyterLab on this computer alone, without token or update checks, with everything it writes in `folder`."""
    notebooks = folder / "notebooks"
    notebooks.mkdir()
    port = _free_port()
    options = {
        "ServerApp.port": port,
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.password": "",
        "ServerApp.allow_root": True,
        "ServerApp.root_dir": notebooks,
        "IdentityProvider.token": "",
        "LabApp.expose_app_in_browser": True,
        "LabApp.news_url": "",
        "LabApp.check_for_updates_class": "jupyterlab.NeverCheckForUpdate",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", *(f"--{name}={value}" for name, value in options.items())]
    environment = _environment(folder)
    _without_announcements(Path(environment["JUPYTER_CONFIG_DIR"]))
    log = folder / "lab.log"
    with log.open("wb") as written:
        server = subprocess.Popen(command, stdout=written, stderr=written, env=environment)
        try:
            _wait_until_up(server, port, log)
            yield Lab(browser, notebooks, port)
        finally:
            server.terminate()
            server.wait(20)


def _environment(folder: Path) -> dict[str, str]:
    places = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR")
    root = Path(__file__).resolve().parents[2]
    path = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, **{name: str(folder / name.lower()) for name in places}, "PYTHONPATH": path}


def _without_announcements(config: Path) -> None:
    """Leave out the question whether one wants news, which lies over the notebook."""
    page = config / "labconfig" / "page_config.json"
    page.parent.mkdir(parents=True)
    page.write_text(json.dumps({"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}), "utf-8")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _wait_until_up(server: subprocess.Popen[bytes], port: int, log: Path) -> None:
    end = time.monotonic() + PATIENCE / 1000
    while True:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/api", timeout=2):
                return
        except OSError:
            if time.monotonic() > end or server.poll() is not None:
                raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}") from None
            time.sleep(0.2)
