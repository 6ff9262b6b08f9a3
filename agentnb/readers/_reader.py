"""What a format is to agentnb: how its files are told, which of them belong together, and how they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path, PurePath
from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._content import Origin
from agentnb.readers._rows import Rows

OnBytes = Callable[[int], None]
"""Called with the number of bytes read since the last call."""

_PACKED = frozenset({".gz", ".zst", ".xz", ".bz2"})


class Sample(NamedTuple):
    """What was seen of a file before it is read."""

    shape: Literal["lines", "document", "text", "archive"]
    """JSON values one after another (lines, server-sent events, values without a separator), one document (JSON or YAML), other text, or a zip."""
    values: tuple[Any, ...] = ()
    """The first twenty values of a file of lines; of a document the document; of an archive the names of its members; of text nothing."""
    last_values: tuple[Any, ...] = ()
    """The last values of a file of lines, as far as they are whole."""
    oddities: tuple[str, ...] = ()
    """Codes of what was odd about the text of a document."""
    one_line: bool = False
    """Whether a document stands on one line."""
    text: str = ""
    """How a text begins; of a YAML document too, since every text may look like one; of an archive how its first member does."""
    framing: Literal["lines", "events", "values"] = "lines"
    """How the values of a file of lines stand: each on its line, as data of server-sent events, or directly after one another."""

    @property
    def document(self) -> Any:
        """The document; None of a file of lines."""
        return self.values[0] if self.shape == "document" and self.values else None

    def readings(self) -> tuple[Sample, ...]:
        """Return what the file may be: an object alone on its line may also be the first of lines that are still to come, and YAML is a text as well."""
        if self.one_line and isinstance(self.document, dict):
            return self, Sample("lines", self.values, self.values)
        if self.shape == "document" and self.text:
            return self, Sample("text", text=self.text)
        return (self,)


class OpenFile(NamedTuple):
    """A file of a group, about to be read."""

    path: Path
    sample: Sample
    account: Account
    origin: Origin = None
    """Where its content is kept when it is no file; `read_values`, `read_lines` and `read_text` know."""

    @property
    def name(self) -> str:
        """The last part of the path, by which other files may refer to it, without what says how it is packed; of an object the name it was given."""
        name = PurePath(str(self.path).strip("<>"))
        return name.stem if name.suffix in _PACKED else name.name


class Reader(NamedTuple):
    """One format. A new one is a module with a `READER`, and a line in `agentnb/readers/_register.py`."""

    format: str
    """Short name, as in the column `format`."""
    title: str
    """Name for people."""
    matches: Callable[[Sample], bool]
    """Tells from content alone whether a file has this format; the path is not shown to it."""
    keys: Callable[[Sample], set[str]]
    """Files that share a key belong together and are read as one group."""
    read: Callable[[Sequence[OpenFile], Rows, OnBytes], None]
    """Reads a group of files into rows; called once per group, with every file matching."""
    places: tuple[str, ...] = ()
    """Folders in which the tool keeps its logs, with ~ and ${NAME:-default}."""
