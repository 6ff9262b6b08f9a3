"""Whatever happened to a file, reading it raises nothing, and its account adds up."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.conftest import RECORDINGS, ROOT
from tests.readers.mutations import damaged
from tests.readers.reading import read

_EXAMPLES = int(os.environ.get("AGENTNB_EXAMPLES", "0"))
"""Examples for each file; more than usual when a reader is new."""
_LARGEST = 160_000


def _is_recording(path: Path) -> bool:
    return (path.is_file() and path.suffix not in (".py", ".md", ".pyc")) or path.name.endswith("history.md")


SAMPLES = sorted(path for folder in ("tests/readers/samples", "data") for path in (ROOT / folder).rglob("*") if _is_recording(path))
REAL = sorted(path for path in RECORDINGS.rglob("*") if _is_recording(path) and path.stat().st_size < _LARGEST) if RECORDINGS.is_dir() else []


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_damaged_sample_is_read_without_an_error_and_its_account_adds_up(path: Path) -> None:
    read_damaged(path, _EXAMPLES or 25)


@pytest.mark.recordings
@pytest.mark.parametrize("path", REAL, ids=lambda path: str(path.relative_to(RECORDINGS)))
def test_a_damaged_recording_is_read_without_an_error_and_its_account_adds_up(path: Path) -> None:
    read_damaged(path, _EXAMPLES or 5)


def read_damaged(path: Path, examples: int) -> None:
    """Read a file in many damaged forms; `read` checks what must hold of the rows."""
    content = path.read_bytes()

    @settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False)
    @given(st.data())
    def check(data: st.DataObject) -> None:
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, path.name).write_bytes(damaged(data.draw, content))
            read(folder)

    check()
