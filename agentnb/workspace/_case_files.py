"""Cases as files of a folder, one JSON object each: read all at once, written so that none is lost."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from pathlib import Path

from agentnb.decisions import Case, parse_cases, write_case
from agentnb.errors import CaseError

_ODD = re.compile(r"[^A-Za-z0-9._-]+")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}", re.ASCII)
MOST = 100
"""Characters of an id that is made of a step's."""


def load_cases(folder: str | os.PathLike[str] = "cases") -> tuple[Case, ...]:
    """Read every case of a folder, in the order of their names.

    Args:
        folder: the folder; files `*.json` directly in it are cases.

    Raises:
        FileNotFoundError: there is no such folder.
        CaseError: a file is no case, or two cases have one id.
    """
    path = Path(folder).expanduser()
    if not path.is_dir():
        raise FileNotFoundError(f"There is no folder {os.fspath(folder)!r} with cases. ws.expect(step, folder=…) makes one.")
    return parse_cases({file.name: file.read_text(encoding="utf-8", errors="backslashreplace") for file in path.glob("[!.]*.json")})


def keep_case(case: Case, folder: str | os.PathLike[str], *, replace: bool = False) -> Path:
    """Write a case as `<id>.json`: beside, flushed to the disk, then under its name.

    Args:
        case: the case.
        folder: the folder, which is made.
        replace: whether another case of this id is overwritten.

    Returns:
        The file. One that holds the same case already stays as it is.

    Raises:
        CaseError: there is another case of this id, or the id is no name of a file.
    """
    if not _NAME.fullmatch(case.id):
        raise CaseError(f"case {case.id!r}: an id is a file's name, too: at most 120 letters, digits, dots, dashes and underscores, a letter or digit first")
    home = Path(folder).expanduser()
    home.mkdir(parents=True, exist_ok=True)
    file = home / f"{case.id}.json"
    content = _text_of(case)
    if not replace and _holds(file, content):
        return file
    beside = home / f".writing-{secrets.token_hex(6)}"
    try:
        with beside.open("wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        beside.replace(file) if replace else _place(beside, file, case)
    finally:
        beside.unlink(missing_ok=True)
    return file


def id_of_step(step_id: str) -> str:
    """Return an id for the case of a step: its own id as far as a file can be named so."""
    name = _ODD.sub("-", step_id).strip("-._") or "step"
    return name if len(name) <= MOST else f"{name[:MOST]}-{hashlib.sha256(step_id.encode('utf-8', 'backslashreplace')).hexdigest()[:8]}"


def _text_of(case: Case) -> bytes:
    text = json.dumps(write_case(case), ensure_ascii=False, indent=2)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:
        return f"{json.dumps(write_case(case), indent=2)}\n".encode()


def _holds(file: Path, content: bytes) -> bool:
    """Tell whether a file holds this case; another one is not overwritten.

    Raises:
        CaseError: it holds another.
    """
    if not file.exists():
        return False
    if file.read_bytes() != content:
        raise _taken(file)
    return True


def _place(beside: Path, file: Path, case: Case) -> None:
    try:
        # Unlike a rename, a link never takes the place of a file that somebody else wrote meanwhile.
        os.link(beside, file)
    except FileExistsError:
        raise _taken(file) from None
    except OSError:
        # A file system without links.
        beside.replace(file)


def _taken(file: Path) -> CaseError:
    return CaseError(f"case {file.stem!r}: there is another case in {file}. Give this one an id of its own with id=…, or overwrite that one with replace=True.")
