"""What the doctor says for each thing that can be wrong, and that it looks at a real installation without stumbling."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agentnb.doctor import Blocked, Extension, Finding, Folder, Installation, Kernel, Package, examine, gather, plain_report
from agentnb.doctor.files import changed_files
from agentnb.doctor.installation import BUNDLE
from agentnb.doctor.jupyter import find_blocked, find_extensions, find_kernels

PYTHON = "/env/bin/python"
HEALTHY = Installation(
    python=PYTHON,
    imported_from="/env/lib/agentnb",
    installed_in="/env/lib/agentnb",
    script_folder="/env/bin",
    script="/env/bin/anb",
    packages=(Package("duckdb", (2,), "2.0.1"), Package("ipywidgets", (8, 1), "8.1.9"), Package("jupyterlab", (4, 2), "4.6.6", "lab")),
    bundle=(("static/agentnb.css", "ok"), ("static/transcript.js", "ok")),
    lab="/env/bin/jupyter-lab",
    extensions=(Extension("@jupyter-widgets/jupyterlab-manager", "/env/share/manager"), Extension("anywidget", "/env/share/anywidget")),
    kernels=(Kernel("python3", PYTHON, True),),
)


def bad(installation: Installation) -> list[Finding]:
    return [finding for finding in examine(installation) if finding.level != "ok"]


def only(installation: Installation) -> Finding:
    findings = bad(installation)
    assert len(findings) == 1, findings
    return findings[0]


def test_a_healthy_installation_has_nothing_but_ok() -> None:
    assert bad(HEALTHY) == []
    assert {finding.subject for finding in examine(HEALTHY)} == {"Python", "agentnb", "anb", "libraries", "extra lab", "widgets", "kernel"}


def test_an_old_python_is_told_to_make_a_new_environment() -> None:
    finding = only(replace(HEALTHY, python_version=(3, 9)))
    assert finding == Finding(
        "problem",
        "Python",
        "This is Python 3.9, and agentnb needs 3.11 or newer.",
        "python3.11 -m venv .venv && .venv/bin/python -m pip install agentnb-kit",
    )


def test_the_other_agentnb_is_removed_before_ours_is_put_back() -> None:
    finding = only(replace(HEALTHY, owners=("agentnb", "agentnb-kit")))
    assert (finding.level, finding.subject) == ("problem", "agentnb")
    assert "overwrite each other's files" in finding.text
    assert finding.command == f"{PYTHON} -m pip uninstall --yes agentnb && {PYTHON} -m pip install --force-reinstall --no-deps agentnb-kit"


def test_another_project_with_a_command_of_our_name_is_named() -> None:
    finding = only(replace(HEALTHY, script_owners=("agentnb-kit", "another-nb")))
    assert "another-nb" in finding.text
    assert finding.command is not None
    assert "uninstall --yes another-nb" in finding.command


def test_files_that_were_replaced_are_installed_again() -> None:
    finding = only(replace(HEALTHY, changed_files=("agentnb/__init__.py", "agentnb/cli.py", "agentnb/errors.py", "agentnb/py.typed")))
    assert finding.level == "problem"
    assert "4 of our files" in finding.text
    assert "and 1 more" in finding.text
    assert finding.command == f"{PYTHON} -m pip install --force-reinstall --no-deps agentnb-kit"


def test_a_checkout_is_put_back_from_its_sources_and_not_from_the_registry() -> None:
    finding = only(replace(HEALTHY, checkout="/home of/agentnb", owners=("agentnb", "agentnb-kit")))
    assert finding.command is not None
    assert finding.command.endswith("--editable '/home of/agentnb'")


def test_a_folder_that_was_never_installed_is_installed() -> None:
    finding = only(replace(HEALTHY, version=None, checkout="/src", imported_from="/src/agentnb", installed_in=None))
    assert (finding.level, finding.command) == ("warning", f"{PYTHON} -m pip install --editable /src")


def test_a_folder_that_hides_the_installed_one_is_named() -> None:
    finding = only(replace(HEALTHY, imported_from="/other/agentnb"))
    assert finding.level == "warning"
    assert "/other/agentnb, which hides the one installed in /env/lib/agentnb" in finding.text


@pytest.mark.parametrize(("script", "words"), [(None, "does not find the command anb"), ("/usr/bin/anb", "belongs to another Python")])
def test_the_command_of_another_environment_is_a_warning(script: str | None, words: str) -> None:
    finding = only(replace(HEALTHY, script=script))
    assert finding.level == "warning"
    assert words in finding.text
    assert finding.command == ". /env/bin/activate"


@pytest.mark.parametrize(
    ("installed", "text"),
    [
        (None, "duckdb is missing."),
        ("1.4.2", "duckdb is 1.4.2, and agentnb needs 2 or newer."),
        ("1.9.0.dev3", "duckdb is 1.9.0.dev3, and agentnb needs 2 or newer."),
    ],
)
def test_a_library_that_is_missing_or_too_old_is_upgraded(installed: str | None, text: str) -> None:
    finding = only(replace(HEALTHY, packages=(Package("duckdb", (2,), installed),)))
    assert finding == Finding("problem", "libraries", text, f"{PYTHON} -m pip install --upgrade 'duckdb>=2'")


def test_old_widget_libraries_are_upgraded() -> None:
    finding = only(replace(HEALTHY, packages=(Package("anywidget", (0, 9, 13), "0.8.1"), Package("ipywidgets", (8, 1), "7.8.5"))))
    assert finding.text == "anywidget is 0.8.1, and agentnb needs 0.9.13 or newer. ipywidgets is 7.8.5, and agentnb needs 8.1 or newer."
    assert finding.command == f"{PYTHON} -m pip install --upgrade 'anywidget>=0.9.13' 'ipywidgets>=8.1'"


def test_a_missing_extra_is_a_warning_and_says_how_to_get_it() -> None:
    finding = only(replace(HEALTHY, packages=(Package("jupyterlab", (4, 2), None, "lab"),)))
    assert finding == Finding("warning", "extra lab", "The extra lab is not complete. jupyterlab is missing.", f"{PYTHON} -m pip install 'agentnb-kit[lab]'")


@pytest.mark.parametrize("state", ["missing", "empty", "unreadable"])
def test_a_bundle_that_cannot_be_read_is_installed_again(state: str) -> None:
    finding = only(replace(HEALTHY, bundle=(("static/agentnb.css", "ok"), ("static/transcript.js", state))))  # type: ignore[arg-type]
    assert finding.level == "problem"
    assert f"static/transcript.js ({state})" in finding.text
    assert finding.command == f"{PYTHON} -m pip install --force-reinstall --no-deps agentnb-kit"


def test_a_bundle_that_is_missing_in_a_checkout_comes_back_from_git() -> None:
    assert only(replace(HEALTHY, checkout="/src", bundle=(("static/agentnb.css", "missing"),))).command == "git -C /src checkout -- agentnb/static"


def test_the_doctor_knows_every_file_that_the_browser_needs(root: Path) -> None:
    assert sorted(path.name for path in (root / "agentnb" / "static").iterdir()) == list(BUNDLE)
    assert gather().bundle == tuple((f"static/{name}", "ok") for name in BUNDLE)


def test_a_missing_extension_of_jupyterlab_is_installed_again() -> None:
    finding = only(replace(HEALTHY, extensions=(Extension("@jupyter-widgets/jupyterlab-manager", None), Extension("anywidget", "/x"))))
    assert finding.level == "problem"
    assert finding.command == f"{PYTHON} -m pip install --force-reinstall --no-deps jupyterlab_widgets"


def test_an_extension_that_is_switched_off_is_switched_on_where_it_was() -> None:
    finding = only(replace(HEALTHY, blocked=(Blocked("anywidget", "/me/.jupyter/labconfig/page_config.json", "user"),)))
    assert finding.level == "problem"
    assert "switched off by /me/.jupyter/labconfig/page_config.json" in finding.text
    assert finding.command == f"{PYTHON} -m jupyter labextension enable anywidget --level=user"


def test_a_locked_extension_is_unlocked_first() -> None:
    finding = only(replace(HEALTHY, blocked=(Blocked("anywidget", "/me/page_config.json", "user", "system"),)))
    assert "locked at the level system" in finding.text
    assert finding.command == (
        f"{PYTHON} -m jupyter labextension unlock anywidget --level=system && {PYTHON} -m jupyter labextension enable anywidget --level=user"
    )


def test_a_file_that_jupyter_does_not_write_must_be_edited() -> None:
    finding = only(replace(HEALTHY, blocked=(Blocked("anywidget:plugin", "/env/share/jupyter/lab/settings/page_config.json"),)))
    assert finding.command is None
    assert "Take it out of disabledExtensions in that file." in finding.text


def test_extensions_do_not_matter_without_jupyterlab() -> None:
    alone = replace(HEALTHY, packages=(), lab=None, kernels=(), extensions=(Extension("anywidget", None),), blocked=(Blocked("anywidget", "/x", "user"),))
    assert bad(alone) == []


def test_the_jupyterlab_of_another_python_is_a_warning() -> None:
    finding = only(replace(HEALTHY, lab="/usr/bin/jupyter-lab"))
    assert finding.level == "warning"
    assert "/usr/bin/jupyter-lab, the JupyterLab of another Python" in finding.text
    assert finding.command == f"{PYTHON} -m jupyterlab"


def test_kernels_that_all_start_another_python_are_a_problem() -> None:
    finding = only(replace(HEALTHY, kernels=(Kernel("python3", "/usr/bin/python3", False),)))
    assert finding.level == "problem"
    assert "python3 starts /usr/bin/python3" in finding.text
    assert finding.command == f"{PYTHON} -m ipykernel install --user --name agentnb --display-name 'Python (agentnb)'"


def test_a_python3_kernel_elsewhere_is_a_warning_when_another_one_starts_this_python() -> None:
    finding = only(replace(HEALTHY, kernels=(Kernel("python3", "/usr/bin/python3", False), Kernel("agentnb", PYTHON, True))))
    assert finding.level == "warning"
    assert "choose agentnb" in finding.text


def test_no_kernel_at_all_is_a_problem_with_jupyterlab() -> None:
    finding = only(replace(HEALTHY, kernels=()))
    assert (finding.level, finding.command) == ("problem", f"{PYTHON} -m pip install 'agentnb-kit[lab]'")


def test_a_workspace_folder_without_permission_is_a_problem() -> None:
    finding = only(replace(HEALTHY, workspace=Folder("triage/new", "Permission denied", "/data/triage")))
    assert (finding.level, finding.command) == ("problem", "chmod -R u+rwX /data/triage")
    assert "triage/new cannot be written: Permission denied" in finding.text


def test_the_report_has_a_mark_a_word_and_the_command_on_a_line_of_its_own() -> None:
    findings = [
        Finding("ok", "Python", "Python 3.11."),
        Finding("problem", "duckdb", "duckdb is missing.", "pip install duckdb"),
        Finding("warning", "anb", "Elsewhere."),
    ]
    assert plain_report(findings).splitlines() == [
        "✓ ok       Python      Python 3.11.",
        "✕ problem  duckdb      duckdb is missing.",
        "                       run: pip install duckdb",
        "! warning  anb         Elsewhere.",
        "",
        "1 problem, 1 warning.",
    ]
    assert plain_report(findings[:1]).endswith("\nNothing is wrong.\n")


def test_a_workspace_that_does_not_exist_yet_is_tried_in_the_folder_above(tmp_path: Path) -> None:
    workspace = gather(str(tmp_path / "new" / "triage")).workspace
    assert workspace == Folder(str(tmp_path / "new" / "triage"))
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_is_a_file_is_named(tmp_path: Path) -> None:
    file = tmp_path / "triage"
    file.write_text("not a folder")
    workspace = gather(str(file)).workspace
    assert workspace is not None
    assert workspace.error == f"{file} is a file, not a folder"


def test_a_workspace_without_permission_names_the_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    assert gather(str(tmp_path / "triage")).workspace == Folder(str(tmp_path / "triage"), "Permission denied", str(tmp_path))


def test_a_switched_off_extension_is_found_in_jupyters_own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jupyter_core")
    config = tmp_path / "labconfig" / "page_config.json"
    config.parent.mkdir()
    config.write_text(json.dumps({"disabledExtensions": {"anywidget": True, "@jupyter-widgets/jupyterlab-manager:plugin": True, "another": True}}))
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    assert [(blocked.name, blocked.file, blocked.level) for blocked in find_blocked()] == [
        ("@jupyter-widgets/jupyterlab-manager:plugin", str(config), "user"),
        ("anywidget", str(config), "user"),
    ]


def test_an_extension_switched_on_again_at_a_stronger_level_is_not_blocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jupyter_core")
    for folder, value in (("strong", False), ("weak", True)):
        config = tmp_path / folder / "labconfig" / "page_config.json"
        config.parent.mkdir(parents=True)
        config.write_text(json.dumps({"disabledExtensions": {"anywidget": value}, "lockedExtensions": {"anywidget": value}}))
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", os.pathsep.join([str(tmp_path / "strong"), str(tmp_path / "weak")]))
    assert find_blocked() == ()
    monkeypatch.setenv("JUPYTER_CONFIG_PATH", os.pathsep.join([str(tmp_path / "weak"), str(tmp_path / "strong")]))
    assert [blocked.name for blocked in find_blocked()] == ["anywidget"]


def test_a_broken_configuration_file_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "labconfig" / "page_config.json"
    config.parent.mkdir()
    monkeypatch.setenv("JUPYTER_CONFIG_DIR", str(tmp_path))
    for text in ("{", "[]", '{"disabledExtensions": 3}', "\xff"):
        config.write_text(text, encoding="latin-1")
        assert find_blocked() == ()


def test_kernels_are_told_apart_by_the_python_they_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jupyter_core")
    for name, program in (("python3", "/nowhere/bin/python"), ("here", sys.executable), ("bare", "python")):
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / "kernel.json").write_text(json.dumps({"argv": [program, "-m", "ipykernel_launcher"], "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    found = {kernel.name: kernel for kernel in find_kernels()}
    assert found["python3"] == Kernel("python3", "/nowhere/bin/python", False)
    assert found["here"].here
    assert found["bare"] == Kernel("bare", sys.executable, True)


def test_extensions_are_found_where_jupyterlab_looks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jupyter_core")
    folder = tmp_path / "labextensions" / "anywidget"
    folder.mkdir(parents=True)
    (folder / "package.json").write_text("{}")
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path))
    assert Extension("anywidget", str(folder)) in find_extensions()


def test_a_replaced_and_a_removed_file_are_found_by_their_digest(tmp_path: Path) -> None:
    from importlib.metadata import PathDistribution

    package, info = tmp_path / "agentnb", tmp_path / "agentnb_kit-1.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "same.py").write_bytes(b"x = 1\n")
    (package / "cli.py").write_bytes(b"another project\n")
    digest = "nia_NpkRxFwkPGhBR7I_yeHc_PJX0pmhxjIBam_NM_Q"
    lines = [f"agentnb/{name},sha256={digest},6" for name in ("same.py", "cli.py", "gone.py")]
    (info / "RECORD").write_text("\n".join([*lines, "agentnb_kit-1.dist-info/RECORD,,", "agentnb/__pycache__/same.pyc,,"]))
    (info / "METADATA").write_text("Name: agentnb-kit\nVersion: 1\n")
    assert changed_files(PathDistribution(info)) == ("agentnb/cli.py", "agentnb/gone.py")


def test_the_doctor_runs_for_real_and_asks_for_nothing_that_may_be_broken(root: Path) -> None:
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('pydantic', 'ipywidgets', 'anywidget', 'duckdb', 'pandas', 'IPython', 'typer')));"
        "from agentnb.doctor import run; code = run(); sys.exit(code if code in (0, 1) else 3)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, encoding="utf-8", cwd=root, check=False)
    assert done.returncode in (0, 1), done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("✓ ok       Python")
    assert "Traceback" not in done.stdout


def test_a_terminal_without_our_marks_does_not_end_the_doctor(root: Path) -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run([sys.executable, "-m", "agentnb", "doctor"], capture_output=True, text=True, cwd=root, env=environment, check=False)
    assert "UnicodeEncodeError" not in done.stderr
    assert "? ok       Python" in done.stdout
