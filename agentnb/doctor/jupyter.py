"""What Jupyter's folders say: which extensions are there, which are switched off, which kernels start which Python.

The rules are those of jupyter_core, jupyter_client and jupyterlab_server; where jupyter_core is not installed there is no Jupyter here to look at.
"""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from agentnb.doctor.installation import LAB_EXTENSIONS, Blocked, Extension, Kernel

PLAIN_PYTHON = re.compile(r"python(3(\.\d+)?)?")


def find_extensions() -> tuple[Extension, ...]:
    """Find what JupyterLab needs to show widgets, in the folders that it searches."""
    folders = [Path(folder) for folder in _paths("jupyter_path", "labextensions")]
    return tuple(Extension(name, _first_folder(folders, name)) for name in LAB_EXTENSIONS)


def find_blocked() -> tuple[Blocked, ...]:
    """Find which of these extensions, or of their plugins, a configuration file switches off, and how to undo it."""
    disabled: dict[str, tuple[bool, Path]] = {}
    locked: dict[str, tuple[bool, Path]] = {}
    for file in _config_files():
        config = _read_json(file)
        disabled |= {name: (value, file) for name, value in _flags(config.get("disabledExtensions"))}
        locked |= {name: (value, file) for name, value in _flags(config.get("lockedExtensions"))}
    return tuple(Blocked(name, str(file), _level(file), _locked_at(locked, name)) for name, (value, file) in sorted(disabled.items()) if value)


def find_kernels() -> tuple[Kernel, ...]:
    """Find the Python kernels in Jupyter's order; of two with one name the first counts."""
    kernels: dict[str, Kernel] = {}
    for folder in _paths("jupyter_path", "kernels"):
        for file in sorted(Path(folder).glob("*/kernel.json")):
            spec = _read_json(file)
            if str(spec.get("language", "")).lower() == "python" and spec.get("argv"):
                kernels.setdefault(file.parent.name, _kernel(file.parent.name, str(spec["argv"][0])))
    if find_spec("ipykernel") and find_spec("jupyter_client"):
        kernels.setdefault("python3", Kernel("python3", sys.executable, True))  # jupyter_client makes up this one where no file has it
    return tuple(kernels.values())


def _paths(function: str, *folders: str) -> list[str]:
    try:
        from jupyter_core import paths
    except ImportError:
        return []
    return list(getattr(paths, function)(*folders))


def _first_folder(folders: list[Path], name: str) -> str | None:
    return next((str(folder / name) for folder in folders if (folder / name / "package.json").is_file()), None)


def _config_files() -> Iterator[Path]:
    """Yield the files of JupyterLab's page configuration, the strongest last."""
    yield Path(sys.prefix, "share", "jupyter", "lab", "settings", "page_config.json")
    for folder in reversed(_paths("jupyter_config_path")):
        yield from sorted(Path(folder, "labconfig", "page_config.d").glob("*.json"))
        yield Path(folder, "labconfig", "page_config.json")


def _read_json(file: Path) -> dict[str, Any]:
    """Read a JSON object; a file that is not there or not one says nothing, as in Jupyter."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _flags(setting: object) -> Iterator[tuple[str, bool]]:
    """Read a setting that is a list of names or an object of flags, for the names that matter to us."""
    flags = setting.items() if isinstance(setting, dict) else [(name, True) for name in setting] if isinstance(setting, list) else []
    for name, value in flags:
        if str(name).partition(":")[0] in LAB_EXTENSIONS:
            yield str(name), bool(value)


def _locked_at(locked: dict[str, tuple[bool, Path]], name: str) -> str | None:
    value, file = locked.get(name, (False, None))
    return _level(file) if value and file else None


def _level(file: Path) -> str | None:
    """Name the level at which `jupyter labextension` writes this file; None when it never writes it."""
    try:
        from jupyter_core.paths import ENV_CONFIG_PATH, SYSTEM_CONFIG_PATH, jupyter_config_dir
    except ImportError:
        return None
    levels = [("user", [jupyter_config_dir()]), ("sys_prefix", ENV_CONFIG_PATH), ("system", SYSTEM_CONFIG_PATH)]
    written = {str(Path(folder, "labconfig", "page_config.json")): level for level, folders in reversed(levels) for folder in folders[:1]}
    return written.get(str(file))


def _kernel(name: str, program: str) -> Kernel:
    """Say what a kernel starts; a bare `python` means the Python that runs Jupyter, which is this one."""
    if PLAIN_PYTHON.fullmatch(program):
        return Kernel(name, sys.executable, True)
    path = shutil.which(program) or program
    return Kernel(name, path, Path(path).parent.resolve() == Path(sys.executable).parent.resolve())
