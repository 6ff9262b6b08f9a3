"""Read files: what is each, which belong together, and what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agentnb.errors import UnknownFormat
from agentnb.garbage import without_garbage_collection
from agentnb.readers._account import Account
from agentnb.readers._containers import with_members
from agentnb.readers._discover import Found
from agentnb.readers._groups import Candidate, Group, SourceFile, copies_of_earlier, group_files, state_of
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._register import all_readers, recognise
from agentnb.readers._rows import Rows, SourceRow
from agentnb.readers._sample import Look, look_at

_MOST_HELD = 256 << 20
"""Documents of many files are not held all at once: beyond so many bytes they are looked at again when they are read."""
_WORDS = 60


class Survey(NamedTuple):
    """What a look at files found."""

    groups: list[Group]
    """Files that are read together."""
    unread: Rows
    """Sources, with diagnostics, that are not read: empty, binary, of no known format, copies."""


def survey_files(found: Sequence[Found], known: Mapping[Path, Candidate] | None = None, *, opened: bool = False) -> Survey:
    """Look at files and find out what each is and which belong together.

    Args:
        found: the files; one that is named itself must be of a known format. Members of an archive that is no recording as a whole are looked at instead
            of the archive.
        known: files that were looked at before; one that has not changed since is not looked at again.
        opened: whether archives were opened already, by `with_members`.

    Raises:
        UnknownFormat: when a file that was named itself is of no known format.
    """
    candidates: list[Candidate] = []
    unread = Rows()
    room = _MOST_HELD
    for item in found if opened else with_members(found):
        candidate, size = _look(item, unread, (known or {}).get(item.path))
        if candidate is not None:
            room -= size
            candidates.append(candidate if room >= 0 or not size else candidate._replace(sample=None))
    copies = copies_of_earlier(candidates)
    for candidate in candidates:
        if candidate.file.path in copies:
            reason = f"The same bytes as {copies[candidate.file.path]}; read once."
            _leave_out(candidate.file, "duplicate", reason, unread, format=candidate.reader.format, severity="info")
    return Survey(group_files([item for item in candidates if item.file.path not in copies]), unread)


def read_group(group: Group, on_bytes: OnBytes = lambda count: None) -> Rows:
    """Read the files of a group into rows.

    Args:
        group: files of one format that belong together.
        on_bytes: called with the number of bytes read since the last call.

    Returns:
        The rows, with the account of each file. What is odd in a file is a diagnostic; nothing recorded raises.
    """
    rows = Rows()
    accounts = [Account(source_row(candidate.file, group.reader.format)) for candidate in group.members]
    files = [
        OpenFile(item.file.path, sample, account, item.origin)
        for item, account in zip(group.members, accounts, strict=True)
        if (sample := _sample_of(item, account))
    ]
    with without_garbage_collection():
        group.reader.read(files, rows, on_bytes)
    for account in accounts:
        rows.diagnostics.extend(account.close())
        rows.sources.append(account.row)
    return rows


class _Seen(NamedTuple):
    """A file whose format is known, and how much memory the sample of it takes, roughly: its document is held whole."""

    candidate: Candidate | None
    size: int = 0


def _look(item: Found, unread: Rows, known: Candidate | None) -> _Seen:
    try:
        file = state_of(item.path, item.origin)
        if known is not None and known.file[1:] == file[1:]:
            return _Seen(known._replace(file=file, origin=item.origin))
        look = look_at(item.path, item.origin)
    except OSError as error:
        _leave_out(SourceFile(item.path, 0, 0), "unreadable", f"{error.strerror or error}.", unread)
        return _Seen(None)
    found = recognise(look.sample) if look.sample is not None else None
    if found is not None:
        size = look.size if found.sample.shape == "document" else 0
        return _Seen(Candidate(file, found.reader, frozenset(found.reader.keys(found.sample)), found.sample, item.origin), size)
    state, reason = _why_not(look)
    if item.named and state == "unknown_format":
        raise UnknownFormat(f"{item.path} cannot be read. {reason} What can be read: {', '.join(reader.title for reader in all_readers())}.")
    _leave_out(file, state, reason, unread)
    return _Seen(None)


def _sample_of(candidate: Candidate, account: Account) -> Sample | None:
    """Return the sample of a file, looking again where it was not kept; None when the file is gone or has become something else."""
    if candidate.sample is not None:
        return candidate.sample
    try:
        look = look_at(candidate.file.path, candidate.origin)
    except OSError as error:
        look = Look(None, "unreadable", f"{error.strerror or error}.")
    found = recognise(look.sample) if look.sample is not None else None
    if found is None or found.reader is not candidate.reader:
        account.row.state, account.row.reason = _why_not(look)
        return None
    return found.sample


def _leave_out(file: SourceFile, state: str, reason: str, unread: Rows, *, format: str | None = None, severity: str = "warning") -> None:
    row = source_row(file, format)
    account = Account(row)
    row.state, row.reason = state, reason
    account.diagnose(state, reason, severity=severity)
    unread.sources.append(row)
    unread.diagnostics.extend(account.close())


def source_row(file: SourceFile, format: str | None) -> SourceRow:
    """Return the row of a file of which nothing has been read yet."""
    source_id = hashlib.blake2b(str(file.path).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    path = str(file.path).encode("utf-8", "backslashreplace").decode()
    return SourceRow(source_id, path, format, bytes=file.size, modified_at=file.modified_ns // 1000)


def _why_not(look: Look) -> tuple[str, str]:
    """Return the state and the reason of a file that no reader knows."""
    sample = look.sample
    if sample is None:
        return look.state, look.reason or ""
    if sample.shape == "archive":
        reason = "The archive is cut or damaged; what could be found in it is read." if sample.oddities else "An archive inside of two others is not opened."
        return "unreadable", reason
    if sample.shape == "text":
        words = " ".join(sample.text.split())[:_WORDS]
        return "unknown_format", look.reason or f"The file is neither JSON nor JSON lines, but a text of no format that can be read; it begins with {words!r}."
    kind = "YAML" if sample.text else "JSON"
    return "unknown_format", look.reason or f"It is {kind}, but of no format that can be read: {_outline(sample)}."


def _outline(sample: Sample) -> str:
    value = sample.values[0] if sample.values else None
    if isinstance(value, list) and value:
        return f"a list of {len(value):,} whose first item is {_outline_of(value[0])}"
    kind = {"lines": "lines, the first one ", "events": "server-sent events, the first one ", "values": "values one after another, the first one "}
    return (kind[sample.framing] if sample.shape == "lines" else "") + _outline_of(value)


def _outline_of(value: object) -> str:
    if isinstance(value, dict):
        return "an object with " + ", ".join(list(map(str, value))[:8]) if value else "an empty object"
    return f"a {type(value).__name__}"
