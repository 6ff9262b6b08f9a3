"""A file -> its lines, one at a time: a file of any size takes little memory, and a line of any length is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._json import parse_json
from agentnb.readers._reader import OnBytes, OpenFile

_REPORT_EVERY = 1 << 22
_BUFFER = 1 << 18
_LONG_LINE = 16 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def read_lines(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers from 1.

    A byte-order mark, carriage returns and very long lines are noted in the account; UTF-16 is turned into UTF-8.
    """
    account = file.account
    noted_return = False
    pending = 0
    for number, line in enumerate(_raw_lines(file.path, account), 1):
        pending += len(line)
        if pending > _REPORT_EVERY:
            on_bytes(pending)
            pending = 0
        if line.endswith(b"\r\n"):
            line = line[:-2]
            if not noted_return:
                noted_return = True
                account.diagnose("carriage_returns", "Lines end with CR LF; they are read as LF.", line=number, severity="info")
        if len(line) > _LONG_LINE:
            message = f"A line of {len(line) / 1e6:,.0f} MB; it was read whole."
            account.diagnose("long_line", message, line=number, severity="info", excerpt=line[:300])
        if not line.isspace() and line:
            yield number, line
    on_bytes(pending)


def read_values(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a file with their places: of a file of lines each with its number from 1, of a document the document at place 1.

    A line without a value is left out with its reason in the account.
    """
    account = file.account
    if file.sample.shape == "document":
        on_bytes(account.row.bytes)
        account.note_oddities(file.sample.oddities, line=None)
        yield 1, file.sample.document
        return
    for number, line in read_lines(file, on_bytes):
        parsed = parse_json(line, keep_original=True)
        if parsed.ok:
            account.note_oddities(parsed.oddities, line=number, excerpt=line)
            yield number, parsed.value
        else:
            account.skip_unreadable(parsed.oddities[-1], line=number, excerpt=line)


def read_text(file: OpenFile, on_bytes: OnBytes) -> str:
    """Read a whole file as text; bytes that are not UTF-8 become backslash escapes, with a note in the account."""
    data = read_bytes(file.path, file.account)
    on_bytes(file.account.row.bytes)
    try:
        return data.decode()
    except UnicodeDecodeError:
        file.account.note_oddities(("invalid_utf8",), line=None)
        return data.decode("utf-8", "backslashreplace")


def read_bytes(path: Path, account: Account | None = None) -> bytes:
    """Read a whole file as UTF-8 bytes, without a byte-order mark."""
    data = path.read_bytes()
    if data.startswith(_BOM):
        _note_mark(account)
        return data[len(_BOM) :]
    if data.startswith(_UTF16):
        _note_mark(account)
        return data.decode("utf-16", "replace").encode()
    return data


def _raw_lines(path: Path, account: Account) -> Iterable[bytes]:
    with path.open("rb", buffering=_BUFFER) as file:
        head = file.read(len(_BOM))
        if head.startswith(_UTF16):
            yield from read_bytes(path, account).splitlines(keepends=True)
            return
        if head == _BOM:
            _note_mark(account)
        else:
            file.seek(0)
        yield from file


def _note_mark(account: Account | None) -> None:
    if account is not None:
        account.diagnose("byte_order_mark", "The file begins with a byte-order mark; it was left out.", line=1, severity="info")
