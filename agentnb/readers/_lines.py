"""A file -> its lines, one at a time: a file of any size takes little memory, and a line of any length is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from agentnb.readers._account import Account
from agentnb.readers._content import Origin, open_content
from agentnb.readers._framing import split_events, split_values
from agentnb.readers._json import parse_json
from agentnb.readers._reader import OnBytes, OpenFile

_REPORT_EVERY = 1 << 22
_LONG_LINE = 16 << 20
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def read_lines(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers from 1.

    Where values do not stand on lines of their own, their texts are yielded instead: data of server-sent events with the number of the line on which they
    begin, values directly after one another with their ordinal from 1. A byte-order mark, carriage returns and very long lines are noted in the account;
    UTF-16 is turned into UTF-8.
    """
    framing = file.sample.framing
    if framing == "values":
        yield from enumerate(split_values(read_bytes(file.path, file.account, file.origin)), 1)
        on_bytes(file.account.row.bytes)
        return
    lines = _counted_lines(file, on_bytes)
    yield from split_events(lines) if framing == "events" else ((number, line) for number, line in lines if line and not line.isspace())


def read_values(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values of a file with their places: of a file of lines as `read_lines` does, of a document the document at place 1.

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


def read_objects(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects among the values of a file with their places; any other value is left out with its reason in the account."""
    for place, value in read_values(file, on_bytes):
        if isinstance(value, dict):
            yield place, value
        else:
            file.account.leave_out("not_an_object", "The line is no object; it was left out.", line=place, excerpt=value)


def read_text(file: OpenFile, on_bytes: OnBytes) -> str:
    """Read a whole file as text; bytes that are not UTF-8 become backslash escapes, with a note in the account."""
    data = read_bytes(file.path, file.account, file.origin)
    on_bytes(file.account.row.bytes)
    try:
        return data.decode()
    except UnicodeDecodeError:
        file.account.note_oddities(("invalid_utf8",), line=None)
        return data.decode("utf-8", "backslashreplace")


def read_bytes(path: Path, account: Account | None = None, origin: Origin = None) -> bytes:
    """Read a whole file as UTF-8 bytes, unpacked and without a byte-order mark."""
    with open_content(path, origin) as stream:
        data = stream.file.read()
    if account is not None:
        account.note_oddities(stream.oddities, line=None)
    return without_mark(data, account)


def without_mark(data: bytes, account: Account | None = None) -> bytes:
    """Return a text as UTF-8, without a byte-order mark."""
    if data.startswith(_BOM):
        _note_mark(account)
        return data[len(_BOM) :]
    if data.startswith(_UTF16):
        _note_mark(account)
        return data.decode("utf-16", "replace").encode()
    return data


def _counted_lines(file: OpenFile, on_bytes: OnBytes) -> Iterator[tuple[int, bytes]]:
    """Yield every line with its number and without CR LF, and tell how many bytes of the file were read for them."""
    account = file.account
    noted_return = False
    pending = 0
    with open_content(file.path, file.origin) as stream:
        counted, told = stream.counted, 0
        for number, line in enumerate(_raw_lines(stream.file, account), 1):
            pending += len(line)
            if pending > _REPORT_EVERY:
                on_bytes(pending if counted is None else counted.count - told)
                pending, told = 0, 0 if counted is None else counted.count
            if line.endswith(b"\r\n"):
                line = line[:-2]
                if not noted_return:
                    noted_return = True
                    account.diagnose("carriage_returns", "Lines end with CR LF; they are read as LF.", line=number, severity="info")
            if len(line) > _LONG_LINE:
                message = f"A line of {len(line) / 1e6:,.0f} MB; it was read whole."
                account.diagnose("long_line", message, line=number, severity="info", excerpt=line[:300])
            yield number, line
        on_bytes(pending if counted is None else counted.count - told)
        account.note_oddities(stream.oddities, line=None)


def _raw_lines(file: BinaryIO, account: Account) -> Iterator[bytes]:
    first = file.readline()
    if first.startswith(_UTF16):
        yield from without_mark(first + file.read(), account).splitlines(keepends=True)
        return
    if first:
        yield without_mark(first, account)
    yield from file


def _note_mark(account: Account | None) -> None:
    if account is not None:
        account.diagnose("byte_order_mark", "The file begins with a byte-order mark; it was left out.", line=1, severity="info")
