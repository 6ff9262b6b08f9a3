"""anb.open: from paths, or from nothing, to a workspace."""

from __future__ import annotations

import os
from pathlib import Path

from agentnb.errors import OptionError
from agentnb.readers import READERS, default_places, find_files
from agentnb.workspace._folder import FolderStore
from agentnb.workspace._stores import MemoryStore
from agentnb.workspace._workspace import Paths, Workspace

_opened: list[Workspace] = []


def open_workspace(paths: Paths | None = None, workspace: str | os.PathLike[str] | None = None, *, name: str | None = None) -> Workspace:
    """Open recorded runs.

    Args:
        paths: a file, a folder, a glob with `**`, or several of these. Without paths, the logs that agents keep on this computer, latest first; with a
            workspace folder, what that folder already holds.
        workspace: a folder to keep tables and ratings in, made when there is none; many notebooks and agents may use it at once. Without it everything
            is kept in memory.
        name: by which a magic finds the workspace again (`--ws NAME`).

    Returns:
        The workspace, which shows itself as a card.

    Raises:
        FileNotFoundError: when a path does not exist, a pattern matches nothing, or no agent keeps logs on this computer.
        UnknownFormat: when the one file that was named is of no known format.
        WorkspaceError: when the workspace folder cannot be used.
    """
    ws = Workspace(MemoryStore() if workspace is None else FolderStore(Path(workspace).expanduser()), name=name)
    if paths is not None:
        ws.read(paths)
    elif workspace is None:
        ws.read(_places_of_logs(), latest_first=True)
    elif ws.is_damaged:
        ws.refresh()
    _opened[:] = [other for other in _opened if other.name != ws.name and not other.closed]
    _opened.append(ws)
    return ws


def last_opened(name: str | None = None) -> Workspace:
    """Return the workspace that was opened last, or the last one with a name.

    Raises:
        OptionError: when there is none.
    """
    opened = {ws.name: ws for ws in _opened if not ws.closed}
    if not opened:
        raise OptionError("No workspace is open. Open one first: ws = anb.open('logs/').")
    if name is None:
        return next(reversed(opened.values()))
    if name not in opened:
        raise OptionError(f"No workspace is named {name!r}; there are {', '.join(opened)}. anb.open(…, name={name!r}) names one.")
    return opened[name]


def _places_of_logs() -> list[Path]:
    tried = default_places([place for reader in READERS for place in reader.places])
    places = [place for place in tried if place.is_dir()]
    if not find_files(places):
        raise FileNotFoundError(f"No agent keeps logs on this computer (looked in {', '.join(map(str, tried))}). Give a path: anb.open('logs/').")
    return places
