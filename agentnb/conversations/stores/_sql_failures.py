"""What databases say when they cannot, in words that say what to do; nothing that was recorded and no password is in them."""

from __future__ import annotations

import re
from typing import Final

from sqlalchemy.exc import DBAPIError

_SQLITE: Final = {
    "BUSY": ("another process has held it for {timeout:g} seconds", "end that process, or wait"),
    "LOCKED": ("another process has held it for {timeout:g} seconds", "end that process, or wait"),
    "FULL": ("the disk is full", "make room"),
    "IOERR": ("the disk took or gave nothing more; it may be full, or a limit on the size of files reached", "make room, or raise the limit"),
    "NOTADB": ("the file is no SQLite database", "name another file"),
    "CORRUPT": ("the database is damaged", "restore it from a copy, or name another file"),
    "READONLY": ("it may only be read", "give this account the right to write the file and its folder"),
    "PERM": ("this account may not use it", "give it the right to"),
    "CANTOPEN": ("it is no file that can be opened, or its folder may not be written", "name a file in a folder of yours"),
    "TOOBIG": ("a record is longer than SQLite takes", "keep large contents in files and record where they are"),
}
_POSTGRESQL: Final = {
    "53100": ("the server's disk is full", "make room there"),
    "53300": ("the server has too many connections", "close some, or raise max_connections"),
    "55P03": ("somebody else has locked it", "end that session, or wait"),
    "42501": ("this account may not", "grant it the right to create and use tables"),
    "25006": ("the server may only be read", "name one that can be written to"),
    "28P01": ("the server does not take the password", "correct the URL"),
    "3D000": ("the server has no such database", "create it (createdb), or correct the URL"),
}
_PASSWORDS = re.compile(r"(?i)(password\s*[=:]\s*)\S+")


def reason_and_advice(error: DBAPIError, timeout: float, password: str) -> tuple[str, str]:
    """Say what a database said, and what to do about it.

    Args:
        error: what SQLAlchemy made of it.
        timeout: seconds that were waited for others.
        password: what must not be in it.
    """
    name = str(getattr(error.orig, "sqlite_errorname", "")).removeprefix("SQLITE_").split("_")[0]
    if name in _SQLITE:
        reason, advice = _SQLITE[name]
        return f"{reason.format(timeout=timeout)} ({_said(error, password)})", advice
    state = str(getattr(error.orig, "sqlstate", "") or "")
    if state in _POSTGRESQL:
        reason, advice = _POSTGRESQL[state]
        return f"{reason} ({_said(error, password)})", advice
    return _said(error, password), "see that the server runs and the URL is right" if not name else "look after it"


def was_cut_off(error: DBAPIError) -> bool:
    """Tell whether a connection broke in the middle of something."""
    return error.connection_invalidated


def _said(error: DBAPIError, password: str) -> str:
    said = " ".join(str(error.orig).split())
    return _PASSWORDS.sub(r"\1***", said.replace(password, "***") if password else said)
