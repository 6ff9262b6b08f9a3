"""The content of objects that were given in a notebook and are in no file: kept in the folder of a workspace, so that it can be read again."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

from agentnb.readers import Held, Origin, root_of

_SPECIAL = re.compile(r'[%/\\:*?"<>|\x00-\x1f]')


class Inputs:
    """Files named after the objects whose content they hold."""

    def __init__(self, folder: Path) -> None:
        """Look into a folder, which is made when there is something to keep."""
        self._folder = folder

    def hold(self, path: Path, content: Held) -> Path:
        """Keep the content of an object, in the place of what was kept under its name before; the same content again stays as it is.

        Raises:
            OSError: when it cannot be written.
        """
        file = self._file(str(path))
        if file.is_file() and file.stat().st_size == len(content.data) and file.read_bytes() == content.data:
            return file
        self._folder.mkdir(exist_ok=True)
        beside = self._folder / f".writing-{secrets.token_hex(6)}"
        try:
            with beside.open("wb") as stream:
                stream.write(content.data)
                stream.flush()
                os.fsync(stream.fileno())
            os.utime(beside, ns=(content.modified_ns, content.modified_ns))
            beside.replace(file)
        finally:
            beside.unlink(missing_ok=True)
        return file

    def origin_of(self, path: Path) -> Origin:
        """Return the file in which the content of an object is kept; None when there is none."""
        root = root_of(path)
        file = self._file(root) if root is not None else None
        return file if file is not None and file.is_file() else None

    def held(self) -> Iterator[tuple[Path, Held]]:
        """Yield every object with its content."""
        for file in sorted(self._folder.glob("[!.]*")) if self._folder.is_dir() else ():
            yield Path(unquote(file.name)), Held(file.read_bytes(), file.stat().st_mtime_ns)

    def _file(self, root: str) -> Path:
        return self._folder / _SPECIAL.sub(lambda match: quote(match.group(), safe=""), root)
