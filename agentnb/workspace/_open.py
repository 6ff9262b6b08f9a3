"""anb.open and anb.read: from paths, from nothing, or from what is at hand in Python, to a workspace."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from agentnb.conversations import LiveConversation
from agentnb.errors import OptionError
from agentnb.readers import all_readers, default_places, find_files
from agentnb.workspace._folder import FolderStore
from agentnb.workspace._given import Input, given_of
from agentnb.workspace._stores import MemoryStore
from agentnb.workspace._workspace import Workspace

_opened: list[Workspace] = []


def open_workspace(paths: Input | None = None, workspace: str | os.PathLike[str] | None = None, *, name: str | None = None) -> Workspace:
    """Open recorded runs.

    Args:
        paths: a file, a folder, a glob with `**`, or several of these; also packed (gzip, zstd, zip, tar), an open file, or bytes. Without paths, the logs
            that agents keep on this computer, latest first; with a workspace folder, what that folder already holds.
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
    ws = _made(workspace, name)
    if paths is not None:
        ws.read(paths)
    elif workspace is None:
        ws.read(_places_of_logs(), latest_first=True)
    elif ws.is_damaged:
        ws.refresh()
    return _as_last(ws)


def read_object(value: Any, *, name: str | None = None, workspace: Workspace | str | os.PathLike[str] | None = None) -> Workspace:
    """Open what is at hand in Python, such as a list of messages.

    Args:
        value: parsed messages, a request with its response, events, an export, as plain values or objects of an SDK; an open file; bytes; or a text of JSON
            or of lines of JSON. A dict or a list of several of these is read one by one.
        name: a name for it. What is given later under the same name takes its place.
        workspace: a workspace to add it to, or the folder of one; without it, a new one in memory.

    Returns:
        The workspace, which shows itself as a card.

    Raises:
        OptionError: when it is a path, which `anb.open` takes.
        UnknownFormat: when it is of no known format; the message says what was seen of it.
        WorkspaceError: when the workspace folder cannot be used.
    """
    given = given_of(value, name)
    ws = workspace if isinstance(workspace, Workspace) else _made(workspace, None)
    ws.read(given)
    return _as_last(ws)


def open_live(conversation: LiveConversation) -> Workspace:
    """Return a workspace in memory that shows one live conversation and follows it; no magic finds it."""
    ws = _made(None, None)
    ws.watch_conversation(conversation.store, conversation.id)
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


def _made(folder: str | os.PathLike[str] | None, name: str | None) -> Workspace:
    return Workspace(MemoryStore() if folder is None else FolderStore(Path(folder).expanduser()), name=name)


def _as_last(ws: Workspace) -> Workspace:
    _opened[:] = [other for other in _opened if other.name != ws.name and not other.closed]
    _opened.append(ws)
    return ws


def _places_of_logs() -> list[Path]:
    tried = default_places([place for reader in all_readers() for place in reader.places])
    places = [place for place in tried if place.is_dir()]
    if not find_files(places):
        raise FileNotFoundError(f"No agent keeps logs on this computer (looked in {', '.join(map(str, tried))}). Give a path: anb.open('logs/').")
    return places
