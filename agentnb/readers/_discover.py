"""Paths, globs and folders -> files, in a fixed order."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from agentnb.readers._content import Origin

PathLike = str | os.PathLike[str]

NEVER = frozenset({".git", "node_modules", "__pycache__", ".ipynb_checkpoints", ".venv"})
"""Folders that are not searched."""
_VARIABLE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class Found(NamedTuple):
    """A file, and whether it is the one file that was asked for, rather than one of several."""

    path: Path
    named: bool
    origin: Origin = None
    """Where its content is kept when it is no file of this path."""


def find_files(paths: PathLike | Iterable[PathLike]) -> list[Found]:
    """Find the files that paths stand for.

    Args:
        paths: a file, a folder (searched to its depth), a glob with `**`, or several of these; `~` is the home folder.

    Returns:
        Every file once, in the order of the paths, within a folder or pattern sorted by name.

    Raises:
        FileNotFoundError: when a path does not exist or a pattern matches nothing.
    """
    listed = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    found: dict[Path, Found] = {}
    for path in (Path(os.fspath(path)).expanduser() for path in listed):
        for file in _expand(path):
            found.setdefault(file, Found(file, named=file == path and len(listed) == 1))
    return list(found.values())


def default_places(places: Sequence[str]) -> list[Path]:
    """Return the places where tools keep their logs, with `~` and variables filled in; they need not exist."""
    return [Path(_VARIABLE.sub(_environment, place)).expanduser() for place in places]


def _environment(match: re.Match[str]) -> str:
    return os.environ.get(match.group(1)) or match.group(2) or ""


def _expand(path: Path) -> list[Path]:
    if path.is_file():
        return [path]
    if path.is_dir():
        return _walk(path)
    if not glob.has_magic(str(path)):
        raise FileNotFoundError(
            f"There is no file or folder {str(path)!r} (looked in {Path.cwd()}). Check the spelling, or give a glob such as 'logs/**/*.jsonl'."
        )
    files = [match for match in sorted(map(Path, glob.glob(str(path), recursive=True))) if match.is_file()]
    if not files:
        raise FileNotFoundError(f"No file matches {str(path)!r} (looked in {Path.cwd()}). A folder is searched to its depth without any pattern.")
    return files


def _walk(folder: Path) -> list[Path]:
    found: list[Path] = []
    for parent, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if name not in NEVER)
        found.extend(Path(parent, name) for name in sorted(files))
    return [path for path in found if path.is_file()]
