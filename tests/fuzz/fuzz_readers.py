"""Search for bytes that make a reader raise, or an account that does not add up: `make fuzz`, or `python tests/fuzz/fuzz_readers.py SECONDS`.

The search is guided by coverage (atheris, libFuzzer) and starts from the project's samples, and from the real recordings where those are. What is found
is written to the folder given by `-artifact_prefix=` (default: the current one) as `crash-…`; put it into a test of its reader.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["agentnb.readers", "agentnb.streams"]):
    from agentnb.readers import READERS
    from tests.readers.reading import read

from tests.conftest import RECORDINGS, ROOT

_LARGEST_SEED = 20_000
_folder = Path(tempfile.mkdtemp(prefix="agentnb-fuzz-"))


def read_bytes_of_anything(data: bytes) -> None:
    """Read bytes as a file; what must hold of any rows is checked."""
    path = _folder / "file"
    path.write_bytes(data)
    read(_folder)


def _seeds(corpus: Path) -> int:
    """Put small samples of every format into the corpus."""
    folders = [ROOT / "tests/readers/samples", ROOT / "data", *([RECORDINGS] if RECORDINGS.is_dir() else [])]
    files = [path for folder in folders for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < _LARGEST_SEED]
    for number, path in enumerate(files):
        shutil.copyfile(path, corpus / f"{number:04}-{path.name}")
    return len(files)


def main() -> None:
    """Search for a bounded time."""
    seconds = sys.argv[1] if len(sys.argv) > 1 and sys.argv[1].isdecimal() else "60"
    corpus = _folder.with_name(f"{_folder.name}-corpus")
    corpus.mkdir()
    print(f"{len(READERS)} formats, {_seeds(corpus)} seeds, {seconds} seconds")
    options = [option for option in sys.argv[1:] if option.startswith("-")]
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-max_len=20000", "-timeout=20", *options, str(corpus)], read_bytes_of_anything)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
