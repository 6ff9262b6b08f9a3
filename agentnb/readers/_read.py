"""Read files: what is each, which belong together, and what is in them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from agentnb.errors import UnknownFormat
from agentnb.readers._account import Account
from agentnb.readers._discover import Found
from agentnb.readers._garbage import without_garbage_collection
from agentnb.readers._groups import Candidate, Group, SourceFile, copies_of_earlier, group_files, state_of
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._register import READERS, recognise
from agentnb.readers._rows import Rows, SourceRow
from agentnb.readers._sample import Look, look_at


class Survey(NamedTuple):
    """What a look at files found."""

    groups: list[Group]
    """Files that are read together."""
    unread: Rows
    """Sources, with diagnostics, that are not read: empty, binary, of no known format, copies."""


def survey_files(found: Sequence[Found], known: Mapping[Path, Candidate] | None = None) -> Survey:
    """Look at files and find out what each is and which belong together.

    Args:
        found: the files; one that is named itself must be of a known format.
        known: files that were looked at before; one that has not changed since is not looked at again.

    Raises:
        UnknownFormat: when a file that was named itself is of no known format.
    """
    candidates: list[Candidate] = []
    unread = Rows()
    for item in found:
        candidate = _look(item, unread, (known or {}).get(item.path))
        if candidate is not None:
            candidates.append(candidate)
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
    accounts = [Account(_source_row(candidate.file, group.reader.format)) for candidate in group.members]
    files = [OpenFile(item.file.path, sample, account) for item, account in zip(group.members, accounts, strict=True) if (sample := _sample_of(item, account))]
    with without_garbage_collection():
        group.reader.read(files, rows, on_bytes)
    for account in accounts:
        rows.diagnostics.extend(account.close())
        rows.sources.append(account.row)
    return rows


def _look(item: Found, unread: Rows, known: Candidate | None) -> Candidate | None:
    try:
        file = state_of(item.path)
        if known is not None and known.file[1:] == file[1:]:
            return known._replace(file=file)
        look = look_at(item.path)
    except OSError as error:
        _leave_out(SourceFile(item.path, 0, 0), "unreadable", f"{error.strerror or error}.", unread)
        return None
    found = recognise(look.sample) if look.sample is not None else None
    if found is not None:
        return Candidate(file, found.reader, frozenset(found.reader.keys(found.sample)), found.sample)
    state = "unknown_format" if look.sample is not None else look.state
    reason = look.reason or f"It is JSON, but of no format that can be read: {_outline(look.sample)}."
    if item.named and state == "unknown_format":
        raise UnknownFormat(f"{item.path} cannot be read. {reason} What can be read: {', '.join(reader.title for reader in READERS)}.")
    _leave_out(file, state, reason, unread)
    return None


def _sample_of(candidate: Candidate, account: Account) -> Sample | None:
    """Return the sample of a file, looking again where it was not kept; None when the file is gone or has become something else."""
    if candidate.sample is not None:
        return candidate.sample
    try:
        look = look_at(candidate.file.path)
    except OSError as error:
        look = Look(None, "unreadable", f"{error.strerror or error}.")
    found = recognise(look.sample) if look.sample is not None else None
    if found is None or found.reader is not candidate.reader:
        account.row.state, account.row.reason = look.state if look.sample is None else "unknown_format", look.reason
        return None
    return found.sample


def _leave_out(file: SourceFile, state: str, reason: str, unread: Rows, *, format: str | None = None, severity: str = "warning") -> None:
    row = _source_row(file, format)
    account = Account(row)
    row.state, row.reason = state, reason
    account.diagnose(state, reason, severity=severity)
    unread.sources.append(row)
    unread.diagnostics.extend(account.close())


def _source_row(file: SourceFile, format: str | None) -> SourceRow:
    source_id = hashlib.blake2b(str(file.path).encode("utf-8", "surrogateescape"), digest_size=6).hexdigest()
    path = str(file.path).encode("utf-8", "backslashreplace").decode()
    return SourceRow(source_id, path, format, bytes=file.size, modified_at=file.modified_ns // 1000)


def _outline(sample: Sample | None) -> str:
    values = sample.values if sample is not None else ()
    value = values[0] if values else None
    if isinstance(value, list) and value:
        return f"a list of {len(value):,} whose first item is {_outline_of(value[0])}"
    kind = "lines, the first one " if sample is not None and sample.shape == "lines" else ""
    return kind + _outline_of(value)


def _outline_of(value: object) -> str:
    if isinstance(value, dict):
        return "an object with " + ", ".join(list(map(str, value))[:8]) if value else "an empty object"
    return f"a {type(value).__name__}"
