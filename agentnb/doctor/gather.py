"""Look at the computer: the only part of the doctor that reads files and asks the system."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import sysconfig
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

from agentnb.doctor.files import changed_files
from agentnb.doctor.installation import BUNDLE, DISTRIBUTION, BundleState, Folder, Installation, Package
from agentnb.doctor.jupyter import find_blocked, find_extensions, find_kernels

PACKAGE = Path(__file__).resolve().parent.parent
DEVELOPER_EXTRAS = frozenset({"test"})
REQUIREMENT = re.compile(r"(?P<name>[\w.-]+)\s*(?:>=\s*(?P<floor>[\d.]+))?[^;]*(?:;.*extra\s*==\s*['\"](?P<extra>[\w-]+)['\"])?")


def gather(workspace: str | None = None) -> Installation:
    """Look at this Python, its libraries, Jupyter's folders and a workspace folder.

    Args:
        workspace: A workspace folder to try as well; it need not exist yet.

    Returns:
        What is there. Anything that cannot be read counts as not there.
    """
    ours = _distribution(DISTRIBUTION)
    checkout = _checkout(ours)
    return Installation(
        python=sys.executable,
        python_version=sys.version_info[:2],
        version=ours.version if ours else None,
        imported_from=str(PACKAGE),
        installed_in=_installed_in(ours, checkout),
        checkout=checkout,
        owners=_owners(),
        script_owners=_script_owners(),
        changed_files=changed_files(ours) if ours else (),
        script_folder=sysconfig.get_path("scripts"),
        script=shutil.which("anb"),
        packages=_packages(ours),
        bundle=_bundle(PACKAGE / "static"),
        lab=shutil.which("jupyter-lab"),
        extensions=find_extensions(),
        blocked=find_blocked(),
        kernels=find_kernels(),
        workspace=_try_folder(workspace) if workspace is not None else None,
    )


def _distribution(name: str) -> metadata.Distribution | None:
    try:
        return metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return None


def _checkout(ours: metadata.Distribution | None) -> str | None:
    """Find the source folder: where an editable installation points (PEP 610), or the one around a package that was never installed."""
    if ours is None:
        return str(PACKAGE.parent) if (PACKAGE.parent / "pyproject.toml").is_file() else None
    try:
        origin: dict[str, Any] = json.loads(ours.read_text("direct_url.json") or "{}")
    except ValueError:
        return None
    return url2pathname(urlparse(origin["url"]).path) if origin.get("dir_info", {}).get("editable") else None


def _installed_in(ours: metadata.Distribution | None, checkout: str | None) -> str | None:
    if ours is None:
        return None
    root = Path(checkout) if checkout else Path(str(ours.locate_file("")))
    return str((root / "agentnb").resolve())


def _owners() -> tuple[str, ...]:
    """Name who holds an import package called agentnb; an editable installation lists no files of it and goes by its name."""
    owners = {name for name in metadata.packages_distributions().get("agentnb", ()) if name}  # what is left of a broken installation has no name
    owners |= {name for name in (DISTRIBUTION, "agentnb") if _distribution(name)}
    return tuple(sorted(owners))


def _script_owners() -> tuple[str, ...]:
    scripts = metadata.entry_points(group="console_scripts", name="anb")
    return tuple(sorted({script.dist.name for script in scripts if script.dist and script.dist.name}))


def _packages(ours: metadata.Distribution | None) -> tuple[Package, ...]:
    """List what our own metadata asks for, without what only our developers need."""
    matches = [REQUIREMENT.match(line) for line in (ours.requires or [] if ours else [])]
    return tuple(_package(match) for match in matches if match and match["extra"] not in DEVELOPER_EXTRAS)


def _package(match: re.Match[str]) -> Package:
    found = _distribution(match["name"])
    floor = tuple(int(number) for number in (match["floor"] or "").split(".") if number)
    return Package(match["name"], floor, found.version if found else None, match["extra"])


def _bundle(static: Path) -> tuple[tuple[str, BundleState], ...]:
    return tuple((f"static/{name}", _file_state(static / name)) for name in BUNDLE)


def _file_state(path: Path) -> BundleState:
    try:
        return "ok" if path.read_bytes().strip() else "empty"
    except FileNotFoundError:
        return "missing"
    except OSError:
        return "unreadable"


def _try_folder(workspace: str) -> Folder:
    """Write an unnamed file where the workspace is or would be."""
    folder = Path(workspace).expanduser()
    there = next(path for path in (folder, *folder.absolute().parents) if os.path.exists(path))  # Path.exists raises inside a folder that is closed to us
    if not there.is_dir():
        return Folder(workspace, f"{there} is a file, not a folder")
    try:
        with tempfile.TemporaryFile(dir=there):
            return Folder(workspace)
    except OSError as error:
        return Folder(workspace, error.strerror or str(error), str(there) if isinstance(error, PermissionError) else None)
