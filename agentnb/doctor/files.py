"""Are our files as they were installed? pip keeps their digests, and another project called agentnb writes over some of them."""

from __future__ import annotations

import base64
import csv
import hashlib
from importlib import metadata
from pathlib import Path


def changed_files(distribution: metadata.Distribution) -> tuple[str, ...]:
    """Compare the files of a distribution with the digests that were recorded when it was installed.

    Args:
        distribution: An installed distribution; an editable one has no files of the package and nothing to compare.

    Returns:
        The paths of files that were replaced, cut or removed since.
    """
    # Distribution.files leaves out what is gone since Python 3.12, so RECORD is read here: path, digest, size.
    record = csv.reader((distribution.read_text("RECORD") or "").splitlines())
    ours = [(row[0], row[1]) for row in record if len(row) > 1 and row[0].startswith("agentnb/") and row[1]]
    return tuple(sorted(name for name, digest in ours if not _matches(Path(str(distribution.locate_file(name))), digest)))


def _matches(path: Path, recorded: str) -> bool:
    """Compare a file with a digest as RECORD has it: algorithm=digest, in URL-safe base64 without padding."""
    algorithm, _, digest = recorded.partition("=")
    try:
        found = hashlib.new(algorithm, path.read_bytes()).digest()
    except (OSError, ValueError):
        return False
    return base64.urlsafe_b64encode(found).decode().rstrip("=") == digest
