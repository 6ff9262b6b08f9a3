"""Gemini: contents, requests, responses, streams and logs of them; sessions and chats of Gemini CLI; sessions and eval sets of Google's ADK.

A record of the account is a content or a response, of a stream a chunk, and of a session a message, a line or an event.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from agentnb.readers._bodies import Service, body_keys, exchanges_of, is_file_of
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders.exchanges import join_exchanges
from agentnb.readers.dialects.gemini import DIALECT, is_content_list
from agentnb.readers.formats.gemini import _adk, _cli, _eval_sets, _fixtures, _headless

_SERVICE = Service(DIALECT, "contents", is_content_list)


class _Shape(NamedTuple):
    """One of the shapes that files of this format have."""

    matches: Callable[[Sample], bool]
    keys: Callable[[Sample], set[str]]
    read: Callable[[Sequence[OpenFile], Rows, OnBytes, str], None]


def _is_fixture(sample: Sample) -> bool:
    return sample.shape == "lines" and any(map(_fixtures.is_record, sample.values))


def _read_bodies(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    join_exchanges((exchange for file in files for exchange in exchanges_of(file, _SERVICE, on_bytes)), rows, format)


_SHAPES = (
    _Shape(_is_fixture, _fixtures.fixture_keys, _fixtures.read_fixtures),
    _Shape(_cli.is_session, _cli.session_keys, _cli.read_sessions),
    _Shape(_headless.is_run, _headless.run_keys, _headless.read_runs),
    _Shape(_adk.is_session, _adk.session_keys, _adk.read_sessions),
    _Shape(_eval_sets.is_eval_set, _eval_sets.case_keys, _eval_sets.read_eval_sets),
    _Shape(lambda sample: is_file_of(sample, _SERVICE), lambda sample: body_keys(sample, _SERVICE), _read_bodies),
)


def _shape_of(sample: Sample) -> _Shape | None:
    return next((shape for shape in _SHAPES if shape.matches(sample)), None)


def _keys(sample: Sample) -> set[str]:
    shape = _shape_of(sample)
    return shape.keys(sample) if shape is not None else set()


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    shapes = [_shape_of(file.sample) for file in files]
    for shape in _SHAPES:
        own = [file for file, known in zip(files, shapes, strict=True) if known is shape]
        if own:
            shape.read(own, rows, on_bytes, READER.format)


READER = Reader(
    format="gemini",
    title="Gemini (contents, responses, streams, HTTP logs, Gemini CLI, ADK)",
    matches=lambda sample: _shape_of(sample) is not None,
    keys=_keys,
    read=_read,
    places=("~/.gemini/tmp",),
)
