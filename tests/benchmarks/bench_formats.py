"""How fast is each format read, against json.loads on the same bytes?

The real recordings are read where they are, else the project's own samples. Files of a format are read again and again until they make a few megabytes,
since most are small; a file is looked at and its rows are made, no table is written.
"""

from __future__ import annotations

import json
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from agentnb.readers import Group, find_files, read_group, survey_files, without_garbage_collection
from tests.benchmarks.measure import best_times
from tests.conftest import RECORDINGS, ROOT

_MEGABYTES = 4.0
_LEAST = 2_000
"""Of a format with fewer bytes than this the overhead of opening a file would be measured, not the reader."""


def main() -> None:
    """Print one line for each format."""
    folders = [RECORDINGS] if RECORDINGS.is_dir() else [ROOT / "tests" / "readers" / "samples", ROOT / "data"]
    groups: dict[str, list[Group]] = {}
    for group in survey_files(find_files(folders)).groups:
        groups.setdefault(group.reader.format, []).append(group)
    sys.stdout.write(f"{'format':20} {'files':>6} {'MB':>7} {'MB/s':>8}   of json.loads (CPU)\n")
    for format, found in sorted(groups.items()):
        _measure(format, found)


def _measure(format: str, groups: list[Group]) -> None:
    paths = [member.file.path for group in groups for member in group.members]
    texts = [text for path in paths for text in _texts(path)]
    size = sum(map(len, texts))
    if size < _LEAST:
        return
    repeat = max(1, round(_MEGABYTES * 1e6 / size))
    times = best_times({"json.loads": _again(repeat, lambda: [_parse(text) for text in texts]), "read": _again(repeat, lambda: _read(paths))}, rounds=3)
    took, base = times["read"], times["json.loads"]
    speed = size * repeat / 1e6 / took.cpu
    sys.stdout.write(f"{format:20} {len(paths):6} {size / 1e6:7.2f} {speed:8.1f}   {took.cpu / base.cpu:6.1f}\n")


def _again(times: int, run: Callable[[], Any]) -> Callable[[], None]:
    def repeated() -> None:
        with without_garbage_collection():
            for _ in range(times):
                run()

    return repeated


def _read(paths: list[Path]) -> None:
    for group in survey_files(find_files(paths)).groups:
        read_group(group)


def _texts(path: Path) -> Iterator[bytes]:
    """Yield what json.loads would be given: a document, or the lines of a file, or the members of an archive."""
    data = path.read_bytes()
    if data.startswith(b"PK\x03\x04"):
        with zipfile.ZipFile(path) as archive:
            yield from (archive.read(name) for name in archive.namelist())
        return
    try:
        json.loads(data)
    except ValueError:
        yield from data.splitlines()
    else:
        yield data


def _parse(text: bytes) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return None


if __name__ == "__main__":
    main()
