"""Where the tables of the groups are: in memory, or as Parquet in a folder that many processes share."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import pyarrow as pa
import pyarrow.parquet as pq

from agentnb.errors import WorkspaceError, WorkspaceVersionError
from agentnb.readers import SourceFile
from agentnb.workspace._columns import Tables

VERSION = 1
"""Version of the layout of a workspace folder."""

_STALE_SECONDS = 3600
_MANIFEST = "group.json"


class Kept(NamedTuple):
    """A group whose tables are kept."""

    format: str | None
    """Its format; None of the files that could not be read."""
    files: tuple[SourceFile, ...]
    """The files it was read from, as they were then."""
    keys: tuple[tuple[str, ...], ...]
    """For each file the keys by which it was grouped."""
    tables: dict[str, Any]
    """By table an Arrow table, or the path of a Parquet file."""


class Store(Protocol):
    """Keeps the tables of groups."""

    folder: Path | None

    def keep(self, format: str | None, files: Sequence[SourceFile], keys: Sequence[Sequence[str]], tables: Tables) -> None:
        """Keep a group; one that shares a file with it is replaced."""

    def groups(self) -> list[Kept]:
        """Return the groups that are current, in the order in which they were first kept."""


class MemoryStore:
    """Keeps tables in this process."""

    folder = None

    def __init__(self) -> None:
        """Start empty."""
        self._groups: list[Kept] = []

    def keep(self, format: str | None, files: Sequence[SourceFile], keys: Sequence[Sequence[str]], tables: Tables) -> None:
        """Keep a group; one that shares a file with it is replaced."""
        new = Kept(format, tuple(files), tuple(map(tuple, keys)), dict(tables))
        paths = {file.path.absolute() for file in files}
        self._groups = [group for group in self._groups if paths.isdisjoint(file.path.absolute() for file in group.files)]
        self._groups.append(new)

    def groups(self) -> list[Kept]:
        """Return the groups that are current, in the order in which they were kept."""
        return list(self._groups)


class FolderStore:
    """Keeps tables as Parquet: a folder for each version of a group, written beside and renamed, so that no one ever sees half of one."""

    def __init__(self, folder: Path) -> None:
        """Open a workspace folder, and make it when there is none.

        Raises:
            WorkspaceVersionError: when a newer agentnb made it.
            WorkspaceError: when it cannot be used, or holds something else.
        """
        self.folder = folder
        self._tables = folder / "tables"
        _prepare(folder)

    def keep(self, format: str | None, files: Sequence[SourceFile], keys: Sequence[Sequence[str]], tables: Tables) -> None:
        """Keep a group; one that shares a file with it is replaced.

        Raises:
            WorkspaceError: when it cannot be written, for instance because the disk is full; the tables that were there stay.
        """
        name = _digest([str(file.path.absolute()) for file in files])
        target = self._tables / f"{name}-{_digest([[file.size, file.modified_ns] for file in files])}-{secrets.token_hex(3)}"
        beside = self._tables / f".writing-{secrets.token_hex(6)}"
        try:
            beside.mkdir()
            with ThreadPoolExecutor(2) as pool:
                list(pool.map(lambda item: _write(beside / f"{item[0]}.parquet", item[1]), tables.items()))
            manifest = {
                "written_ns": time.time_ns(),
                "format": format,
                "files": [[str(file.path.absolute()), file.size, file.modified_ns] for file in files],
                "keys": [sorted(own) for own in keys],
                "tables": {table: (beside / f"{table}.parquet").stat().st_size for table in tables},
            }
            (beside / _MANIFEST).write_text(json.dumps(manifest), encoding="utf-8", errors="surrogateescape")
            beside.rename(target)
        except (OSError, pa.ArrowException) as error:
            shutil.rmtree(beside, ignore_errors=True)
            raise _failure(self.folder, error) from error

    def groups(self) -> list[Kept]:
        """Return the groups that are current, in the order in which they were first written; the newest of those that share a file."""
        found = sorted((item for path in _listed(self._tables) if (item := _manifest_in(path)) is not None), key=lambda item: (item[0]["written_ns"], str(item[1])))
        replaced: dict[str, int] = {}
        current = []
        for manifest, path in reversed(found):
            paths = {file[0] for file in manifest["files"]}
            since = min((replaced[name] for name in paths if name in replaced), default=None)
            if since is None:
                current.append(_kept(manifest, path))
            elif time.time_ns() - since > _STALE_SECONDS * 1_000_000_000:
                # A query that began before it was replaced has long come to its end.
                shutil.rmtree(path, ignore_errors=True)
            replaced |= dict.fromkeys(paths - replaced.keys(), manifest["written_ns"])
        return current[::-1]


def _prepare(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        version = folder / "version"
        if not version.exists():
            strange = sorted(path.name for path in folder.iterdir() if path.name not in ("tables", "ratings", "version") and not path.name.startswith("."))
            if strange:
                raise WorkspaceError(f"{folder} is no workspace: it holds {', '.join(strange[:3])}. Name a new or an empty folder for the workspace.")
            beside = folder / f".version-{secrets.token_hex(6)}"
            beside.write_text(f"{VERSION}\n")
            beside.replace(version)
        for name in ("tables", "ratings"):
            (folder / name).mkdir(exist_ok=True)
        _check_version(folder, version.read_text())
    except WorkspaceError:
        raise
    except OSError as error:
        raise _failure(folder, error) from error


def _check_version(folder: Path, text: str) -> None:
    if not text.strip().isdecimal():
        raise WorkspaceError(f"{folder / 'version'} should hold a number, but holds {text[:40]!r}. Name another folder, or restore the file: {VERSION} is this layout.")
    if int(text) > VERSION:
        raise WorkspaceVersionError(
            f"The workspace {folder} has layout {int(text)}; this agentnb knows layout {VERSION}. Update it (pip install -U agentnb-kit), or name another folder."
        )


def _write(path: Path, table: pa.Table) -> None:
    # Ids repeat and texts do not: a dictionary of texts would be built for nothing.
    short = [field.name for field in table.schema if field.name not in ("text", "input", "output", "extra")]
    pq.write_table(table, path, compression="snappy", use_dictionary=short)


def _listed(tables: Path) -> list[Path]:
    try:
        paths = [Path(entry.path) for entry in os.scandir(tables) if entry.is_dir()]
    except FileNotFoundError:
        return []
    for path in paths:
        if path.name.startswith(".writing-") and _is_abandoned(path):
            shutil.rmtree(path, ignore_errors=True)
    return [path for path in paths if not path.name.startswith(".")]


def _is_abandoned(path: Path) -> bool:
    try:
        return time.time() - path.stat().st_mtime > _STALE_SECONDS
    except FileNotFoundError:
        return False


def _manifest_in(path: Path) -> tuple[dict[str, Any], Path] | None:
    """Return the manifest of a group whose tables are whole; None of anything else, which is then read again from its source."""
    try:
        manifest = json.loads((path / _MANIFEST).read_text(encoding="utf-8", errors="surrogateescape"))
        whole = all((path / f"{table}.parquet").stat().st_size == size for table, size in manifest["tables"].items())
    except (OSError, ValueError, KeyError):
        return None
    return (manifest, path) if whole else None


def _kept(manifest: dict[str, Any], path: Path) -> Kept:
    files = tuple(SourceFile(Path(name), size, modified) for name, size, modified in manifest["files"])
    tables = {table: path / f"{table}.parquet" for table in manifest["tables"]}
    return Kept(manifest["format"], files, tuple(map(tuple, manifest["keys"])), tables)


def _digest(value: Any) -> str:
    return hashlib.blake2b(json.dumps(value).encode("utf-8", "surrogateescape"), digest_size=8).hexdigest()


def _failure(folder: Path, error: Exception) -> WorkspaceError:
    reason = getattr(error, "strerror", None) or str(error)
    return WorkspaceError(
        f"The workspace {folder} cannot be written: {reason}. What it held before is still there, and nothing was half written. "
        "Make room or rights, or name another folder; without workspace= it is kept in memory."
    )
