"""The house keeps its own rules: sizes, docstrings, cheap imports, quiet notebooks, nothing of anybody's computer in the files."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(path for path in (ROOT / "agentnb").rglob("*.py") if "node_modules" not in path.parts)
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
REGISTRIES = [".".join(parts) for parts in (("pypi", "org"), ("pythonhosted", "org"), ("npmjs", "org"), ("debian", "org"), ("yarnpkg", "com"))]
BINARY = {".png", ".parquet"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tracked() -> list[Path]:
    """Every file that is or would be in git; in an unpacked source archive there is no git to ask."""
    git = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True, check=False)
    if git.returncode != 0:
        pytest.skip("not a git checkout")
    return sorted(path for name in git.stdout.split("\0") if name and (path := ROOT / name).is_file())


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_is_short_and_says_what_it_is_for(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) <= 400
    assert ast.get_docstring(ast.parse(source))
    assert "from __future__ import annotations\n" in source


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_function_fits_on_a_screen(path: Path) -> None:
    functions = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    assert {node.name: lines for node in functions if (lines := lines_of(node)) > 40} == {}


def test_no_file_knows_the_computer_it_was_written_on() -> None:
    ours = [f"{ROOT}/", f"{Path.home()}/"]
    needles = {needle.encode() for needle in [*ours, *REGISTRIES] if len(needle) > 2}
    found = {(name_of(path), needle.decode()) for path in tracked() if path.suffix not in BINARY for needle in needles if needle in path.read_bytes()}
    assert found == set()


def test_importing_agentnb_brings_neither_widgets_nor_pandas() -> None:
    code = "import sys, agentnb; print(*sorted({'IPython', 'anywidget', 'ipywidgets', 'pandas'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_names_of_the_package_face_are_sorted_and_can_be_had() -> None:
    import agentnb

    assert sorted(agentnb.__all__) == list(agentnb.__all__)
    assert [name for name in agentnb.__all__ if getattr(agentnb, name, None) is None] == []
    assert set(agentnb.__all__) <= set(dir(agentnb))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_is_small_and_was_run_from_top_to_bottom(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert path.stat().st_size < 200_000
    assert re.fullmatch(r"\d\d-[a-z0-9-]+\.ipynb", path.name)
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_holds_no_widget_state_and_no_time_of_execution(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert "widgets" not in notebook["metadata"]
    assert "version" not in notebook["metadata"]["language_info"]
    assert [cell["id"] for cell in notebook["cells"] if "execution" in cell["metadata"]] == []
    assert [kind for output in outputs(notebook) for kind in output.get("data", {}) if kind.startswith("application/vnd.jupyter.widget")] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=name_of)
def test_a_notebook_is_compared_whole_and_shows_nothing_of_its_computer(path: Path) -> None:
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert "NBVAL_" not in json.dumps(notebook)
    shown = json.dumps(outputs(notebook))
    assert [needle for needle in ("/tmp/", str(Path.home()), str(ROOT), "object at 0x", "Traceback") if needle in shown] == []
    assert [output for output in outputs(notebook) if output["output_type"] == "error" or output.get("name") == "stderr"] == []


def lines_of(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of a function without its docstring."""
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return function.body[0].lineno - function.lineno + (function.end_lineno or first.lineno) - first.lineno + 1


def outputs(notebook: dict[str, Any]) -> list[dict[str, Any]]:
    return [output for cell in notebook["cells"] for output in cell.get("outputs", ())]
