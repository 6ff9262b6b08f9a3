"""What is in the wheel, and that it works where nothing else is."""

from __future__ import annotations

import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

import agentnb


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built with the backend that is installed, so without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(root)]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="module")
def files(wheel: Path) -> set[str]:
    """The names of the files in the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_is_named_so_that_it_is_not_the_other_agentnb(wheel: Path) -> None:
    assert wheel.name.startswith("agentnb_kit-")
    assert wheel.name.endswith("-py3-none-any.whl")


def test_the_wheel_holds_what_runs(root: Path, files: set[str]) -> None:
    wanted = {path.relative_to(root).as_posix() for path in (root / "agentnb").rglob("*.py") if "node_modules" not in path.parts}
    wanted |= {path.relative_to(root).as_posix() for path in (root / "agentnb" / "static").iterdir()}
    assert wanted | {"agentnb/py.typed", "agentnb/workspace/schema.sql"} <= files


def test_the_wheel_holds_nothing_else(files: set[str]) -> None:
    assert {name.partition("/")[0] for name in files if ".dist-info/" not in name} == {"agentnb"}
    assert [name for name in files if name.startswith("agentnb/frontend") or name.endswith((".ts", ".pyc", ".map"))] == []
    assert {name.partition("/")[2] for name in files if ".dist-info/" in name} == {"METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE"}


def test_the_wheel_tells_how_to_start_it(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        points = next(archive.read(name).decode() for name in archive.namelist() if name.endswith("entry_points.txt"))
    assert points.split() == ["[console_scripts]", "anb", "=", "agentnb.launch:main"]


def test_the_wheel_and_the_package_agree_on_the_version(wheel: Path) -> None:
    assert wheel.name.split("-")[1] == agentnb.__version__


@pytest.mark.fresh
def test_the_wheel_works_in_a_fresh_environment(wheel: Path, data: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    scripts = tmp_path / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    subprocess.run([scripts / "python", "-m", "pip", "install", "--quiet", wheel], check=True, timeout=900)
    doctor = subprocess.run([scripts / "anb", "doctor", tmp_path / "triage"], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (doctor.returncode, doctor.stderr) == (0, ""), doctor.stdout
    assert "✕" not in doctor.stdout
    opened = subprocess.run([scripts / "anb", "open", data], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert opened.returncode == 0, opened.stderr
    assert "conversation" in opened.stdout
