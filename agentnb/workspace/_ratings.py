"""Ratings: one JSON line per judgement, appended to a file that only this process writes, on disk before anyone is told so.

The records are FunctAI's rating records (format 1), with the name and a digest of the input of the rated call beside them, so that a rating of a call
that has changed since is noticed. Nothing is ever edited: a changed mind is a later record.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import threading
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agentnb.errors import WorkspaceError
from agentnb.values import Rating

_FORMAT = 1


class RatingLog:
    """The ratings of a workspace: in memory, or in the files of a folder that many processes append to."""

    def __init__(self, folder: Path | None) -> None:
        """Keep ratings in a folder, or only in memory when there is none."""
        self._folder = folder
        self._lock = threading.Lock()
        self._own: _OwnFile | None = None
        self._records: list[dict[str, Any]] = []
        self._offsets: dict[str, int] = {}
        self.generation = 0

    def append(self, record: dict[str, Any]) -> None:
        """Keep a record: written, flushed to the disk, and only then part of the log.

        Raises:
            WorkspaceError: when it could not be written; nothing of it is left.
        """
        with self._lock:
            if self._folder is None:
                self._records.append(record)
                self.generation += 1
                return
            if self._own is None or self._own.process != os.getpid():
                self._own = _OwnFile(self._folder)
            self._own.append(record)

    def extend(self, records: Iterable[dict[str, Any]]) -> None:
        """Keep several records, in order."""
        for record in records:
            self.append(record)

    def records(self) -> list[dict[str, Any]]:
        """Return all records that are whole, those of other processes included."""
        with self._lock:
            if self._folder is not None:
                self._read_new(self._folder)
            return list(self._records)

    def _read_new(self, folder: Path) -> None:
        for path in sorted(folder.glob("*.jsonl")):
            offset = self._offsets.get(path.name, 0)
            if path.stat().st_size <= offset:
                continue
            with path.open("rb") as file:
                file.seek(offset)
                data = file.read()
            # A line without its end is being written, or was cut: it counts once it is whole.
            whole = data.rfind(b"\n") + 1
            self._offsets[path.name] = offset + whole
            found = [record for line in data[:whole].splitlines() if (record := _record_of(line)) is not None]
            if found:
                self._records.extend(found)
                self.generation += 1


class _OwnFile:
    """The file that this process appends to."""

    def __init__(self, folder: Path) -> None:
        self.process = os.getpid()
        host = re.sub(r"[^A-Za-z0-9]", "", socket.gethostname())[:20] or "host"
        self.path = folder / f"{host}-{self.process}-{secrets.token_hex(3)}.jsonl"
        try:
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o644)
            _sync_folder(folder)
        except OSError as error:
            raise _failure(self.path, error) from error

    def append(self, record: dict[str, Any]) -> None:
        line = json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace") + b"\n"
        before = os.fstat(self._file).st_size
        try:
            written = os.write(self._file, line)
            if written < len(line):
                raise OSError(28, f"only {written} of {len(line)} bytes could be written")
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, before)
            raise _failure(self.path, error) from error


def rating_record(rating: Rating) -> dict[str, Any]:
    """Write a rating as a record; what is null is left out, except the verdict."""
    record: dict[str, Any] = {
        "functai_rating": _FORMAT,
        "id": rating.rating_id,
        "call": rating.call_id,
        "at": rating.rated_at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "verdict": rating.verdict,
    }
    optional: dict[str, Any] = {
        "by": rating.rated_by,
        "account": rating.account,
        "reasons": list(rating.reasons) or None,
        "note": rating.note,
        "origin": rating.origin,
        "sample": rating.sample,
        "call_name": rating.call_name,
        "call_digest": rating.call_digest,
    }
    record |= {name: value for name, value in optional.items() if value is not None}
    record |= {name: json.loads(text) for name, text in (("answer", rating.answer), ("outputs", rating.outputs)) if text is not None}
    return record


def ratings_of(records: Iterable[dict[str, Any]]) -> list[Rating]:
    """Make ratings of records, oldest first, and say of each whether it counts.

    Per call and named person the latest by time, then id, counts; a null verdict takes back what the person said. Ratings under an account count
    each alone and replace nothing (specs of FunctAI: ratings, counting). Records of another format, or without call or time, are left out.
    """
    ratings = [rating for record in records if (rating := _rating_of(record)) is not None]
    unique = {rating.rating_id: rating for rating in ratings}
    ordered = sorted(unique.values(), key=lambda rating: (rating.rated_at, rating.rating_id))
    latest = {(rating.call_id, rating.rated_by): rating.rating_id for rating in ordered if rating.rated_by is not None}
    return [
        rating.model_copy(update={"counts": rating.verdict is not None and latest.get((rating.call_id, rating.rated_by), rating.rating_id) == rating.rating_id})
        for rating in ordered
    ]


def _rating_of(record: dict[str, Any]) -> Rating | None:
    moment = _time_of(record.get("at"))
    call, verdict = record.get("call"), record.get("verdict")
    if record.get("functai_rating") != _FORMAT or moment is None or not isinstance(call, str) or verdict not in ("right", "wrong", None):
        return None
    reasons = record.get("reasons")
    return Rating(
        rating_id=str(record.get("id")),
        call_id=call,
        verdict=verdict,
        rated_at=moment,
        answer=_json_of(record, "answer"),
        outputs=_json_of(record, "outputs"),
        reasons=tuple(map(str, reasons)) if isinstance(reasons, list) else (),
        **{field: _text_of(record, name) for field, name in _TEXTS.items()},
    )


_TEXTS = {
    "rated_by": "by",
    "account": "account",
    "note": "note",
    "origin": "origin",
    "sample": "sample",
    "call_name": "call_name",
    "call_digest": "call_digest",
}


def _text_of(record: dict[str, Any], name: str) -> str | None:
    value = record.get(name)
    return value if isinstance(value, str) else None


def _json_of(record: dict[str, Any], name: str) -> str | None:
    return json.dumps(record[name], ensure_ascii=False) if name in record else None


def _time_of(text: Any) -> datetime | None:
    try:
        moment = datetime.fromisoformat(text)
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def _record_of(line: bytes) -> dict[str, Any] | None:
    try:
        record = json.loads(line)
    except ValueError:
        return None
    return record if isinstance(record, dict) else None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _failure(path: Path, error: OSError) -> WorkspaceError:
    return WorkspaceError(
        error.errno,
        f"The rating was not kept: {error.strerror or error} while writing {path}. Nothing of it was written; make room or rights, and rate again",
    )
