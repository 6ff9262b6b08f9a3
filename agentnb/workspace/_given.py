"""What a person gives to be read: paths, or what is at hand in Python."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from agentnb.errors import OptionError
from agentnb.readers import Given, as_files, is_content, text_as_file

Input = str | os.PathLike[str] | Iterable[Any] | Any
"""Paths, open files, bytes, or parsed values."""


class Sorted(NamedTuple):
    """Paths, and objects as files."""

    paths: list[str]
    given: list[Given]


def sort_input(what: Input, name: str | None = None) -> Sorted:
    """Tell paths from objects: a text is a path here, and so is each text of a list.

    Raises:
        UnknownFormat: when an object is of no known format.
    """
    if isinstance(what, str | os.PathLike):
        return Sorted([os.fspath(what)], [])
    if isinstance(what, Iterator) and not is_content(what):
        what = list(what)
    if is_content(what) or not isinstance(what, list | tuple | set | frozenset):
        return Sorted([], as_files(what, name))
    if any(isinstance(item, str | os.PathLike | Given) or is_content(item) for item in what) or not what:
        return _sort_each(list(what), name)
    return Sorted([], as_files(what, name))


def given_of(value: Any, name: str | None = None) -> list[Given]:
    """Make files of an object: a text is content here, such as JSON.

    Raises:
        OptionError: when it is a path.
        UnknownFormat: when it is of no known format.
    """
    if isinstance(value, os.PathLike) or (isinstance(value, str) and _is_path(value)):
        raise OptionError(
            f"anb.read takes what is at hand in Python, and {os.fspath(value)!r} is a path or a word: anb.open({os.fspath(value)!r}) reads files."
        )
    return [text_as_file(value, name)] if isinstance(value, str) else as_files(value, name)


def _sort_each(items: list[Any], name: str | None) -> Sorted:
    paths = [os.fspath(item) for item in items if isinstance(item, str | os.PathLike)]
    given = [item for item in items if isinstance(item, Given)]
    others = [item for item in items if not isinstance(item, str | os.PathLike | Given)]
    names = [name if len(others) == 1 else f"{name} {number}" if name else None for number in range(1, len(others) + 1)]
    return Sorted(paths, [*given, *(file for item, own in zip(others, names, strict=True) for file in as_files(item, own))])


def _is_path(text: str) -> bool:
    """Tell whether a text is one line that is no JSON, so that it can only be meant as a path."""
    line = text.strip()
    return "\n" not in line and not line.startswith(("{", "[", '"', "data:")) and bool(line)
