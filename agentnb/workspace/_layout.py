"""The folder of a workspace: is it one, of a layout that is known, and what to say when it cannot be used."""

from __future__ import annotations

import secrets
from pathlib import Path

from agentnb.errors import WorkspaceError, WorkspaceVersionError

VERSION = 1
"""Version of the layout of a workspace folder."""

_OWN = ("tables", "ratings", "traces", "samples", "inputs", "version")


def prepare(folder: Path) -> None:
    """Open a workspace folder, and make it when there is none; nothing is written to one that is there.

    Raises:
        WorkspaceVersionError: when a newer agentnb made it.
        WorkspaceError: when it cannot be used, or holds something else.
    """
    version = folder / "version"
    try:
        if not version.is_file():
            _make(folder, version)
        text = version.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        if isinstance(error, WorkspaceError):
            raise
        if isinstance(error, FileExistsError | NotADirectoryError):
            raise WorkspaceError(f"{folder} is no folder, or lies below a file. Name a new or an empty folder for the workspace.") from error
        raise not_written(folder, error) from error
    _check_version(folder, text)


def not_written(folder: Path, error: Exception) -> WorkspaceError:
    """Return the error for a folder that cannot be written."""
    reason = getattr(error, "strerror", None) or str(error)
    failure = WorkspaceError(
        f"The workspace {folder} cannot be written: {reason}. What it held before is still there, and nothing was half written. "
        "Make room or rights, or name another folder; without workspace= it is kept in memory."
    )
    failure.errno = getattr(error, "errno", None)
    return failure


def _make(folder: Path, version: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    strange = sorted(path.name for path in folder.iterdir() if path.name not in _OWN and not path.name.startswith("."))
    if strange and not version.is_file():
        raise WorkspaceError(f"{folder} is no workspace: it holds {', '.join(strange[:3])}. Name a new or an empty folder for the workspace.")
    for name in ("tables", "ratings"):
        (folder / name).mkdir(exist_ok=True)
    # Last, and whole from the start: whoever sees the version sees a workspace.
    beside = folder / f".version-{secrets.token_hex(6)}"
    beside.write_text(f"{VERSION}\n", encoding="utf-8")
    beside.replace(version)


def _check_version(folder: Path, text: str) -> None:
    if not text.strip().isdecimal() or int(text) < 1:
        raise WorkspaceError(
            f"{folder / 'version'} should hold a number, but holds {text[:40]!r}. Name another folder, or restore the file: {VERSION} is this layout."
        )
    if int(text) > VERSION:
        raise WorkspaceVersionError(
            f"The workspace {folder} has layout {int(text)}; this agentnb knows layout {VERSION}. "
            "Update it (pip install -U agentnb-kit), or name another folder."
        )
