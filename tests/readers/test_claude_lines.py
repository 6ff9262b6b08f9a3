"""The fast way of reading a line of a session and the slow one agree, on every line that the fast one takes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec
import pytest

from agentnb.readers import Rows
from agentnb.readers.formats.claude_code._lines import Block, Line, decode_line, line_from
from tests.readers.made import claude_session, reply, result, tokens, tool_use, user, write_lines
from tests.readers.reading import VALUES, fields_of, read


def plain(value: Any) -> Any:
    """Reduce a decoded line to what it says: raw JSON as its value, nothing that is null or empty, and not the text of the line itself."""
    if isinstance(value, msgspec.Raw):
        return json.loads(bytes(value)) if bytes(value) else None
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, msgspec.Struct):
        left_out = ("whole", "other") if isinstance(value, Line) else ("caller", "extra") if isinstance(value, Block) else ()
        fields = {name: plain(getattr(value, name)) for name in value.__struct_fields__ if name not in left_out}
        return {name: field for name, field in fields.items() if field is not None}
    return value


def lines_of(folder: Path) -> Iterator[bytes]:
    for path in sorted(folder.rglob("*.jsonl")):
        yield from path.read_bytes().splitlines()


def compare(lines: Iterator[bytes]) -> tuple[int, int]:
    """Compare both ways on lines; return how many there were and how many the fast way took."""
    number = fast = 0
    for data in lines:
        number += 1
        try:
            line = decode_line(data)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        fast += 1
        assert plain(line) == plain(line_from(json.loads(data), None))
    return number, fast


def test_both_ways_agree_on_every_line_of_the_projects_recordings(data: Path) -> None:
    number, fast = compare(chain(lines_of(data / "failing-test"), lines_of(data / "release-notes")))
    assert number == 178 + 99
    assert fast > 200


@pytest.mark.recordings
def test_both_ways_agree_on_every_line_of_the_real_recordings(recordings: Path) -> None:
    number, fast = compare(lines_of(recordings / "claude_code"))
    assert number == 478 - 33
    assert fast > 100


def rows_both_ways(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Rows, Rows]:
    fast = read(path)
    refused: list[bytes] = []

    def refuse(data: bytes) -> Line:
        refused.append(data)
        raise msgspec.DecodeError("not this time")

    monkeypatch.setattr("agentnb.readers.formats.claude_code.decode_line", refuse)
    slow = read(path)
    assert refused
    return fast, slow


def compare_rows(fast: Rows, slow: Rows) -> None:
    for table in VALUES:
        ours, theirs = ([without_spaces(fields_of(row)) for row in getattr(rows, table)] for rows in (fast, slow))
        assert ours == theirs, table


def without_spaces(fields: dict[str, Any]) -> dict[str, Any]:
    """Compare JSON by what it says: the fast way keeps it as it was written."""
    for name in ("input", "extra"):
        if fields.get(name) is not None:
            fields[name] = json.loads(fields[name])
    return fields


@pytest.mark.parametrize("story", ["failing-test", "release-notes"])
def test_a_recording_is_read_the_same_with_the_fast_way_shut(story: str, data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_rows(*rows_both_ways(data / story, monkeypatch))


@pytest.mark.recordings
@pytest.mark.parametrize(
    "name", ["reliability-python-to-rust-port.jsonl", "vscode-b3a7bd3c", "vscode-30530d66", "vscode2-98b76fb9.jsonl", "claude-code-log-edge_cases.jsonl"]
)
def test_a_real_recording_is_read_the_same_with_the_fast_way_shut(name: str, recordings: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compare_rows(*rows_both_ways(recordings / "claude_code" / name, monkeypatch))


def test_made_events_of_every_kind_are_read_the_same_with_the_fast_way_shut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    thought = {"type": "thinking", "thinking": "Größe → 🌻", "signature": "s"}
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}
    events = [
        user("Größe → 🌻"),
        reply("Hm.", thought, tool_use("t1", command="ls → 🌻", n=1.0, big=2**80), id="m1", stop="tool_use", usage=tokens(3, 5, read=7)),
        result("t1", [{"type": "text", "text": "eins → 🌻"}, image], toolUseResult={"stdout": "→", "n": 1e5}),
        reply({"type": "mystery", "id": "x", "text": "?"}, id="m2"),
        user([image, {"type": "text", "text": "See."}]),
    ]
    compare_rows(*rows_both_ways(write_lines(tmp_path / "file", claude_session(events)), monkeypatch))


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"user","message":{"role":"user","content":"x"},"newField":1}',
        b'{"type":"user","message":{"role":"user","content":"x","newField":1}}',
        b'{"type":"user","message":{"role":"user","content":[{"type":"text","text":"x","newField":1}]}}',
        b'{"type":"user","message":{"role":"user","content":7}}',
        b'{"type":"user","uuid":7}',
        b'{"type":"user","message":"text"}',
        b'{"type":"user","toolUseResult":"caf\xe9"}',
        b'{"type":"assistant","message":{"content":[{"type":"tool_use","input":{"a":"caf\xe9"}}]}}',
        b'{"type":"user","message":{"role":"user","content":"caf\xe9"}}',
        b"[]",
        b"{",
    ],
)
def test_the_fast_way_refuses_what_it_could_not_keep(line: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError)):
        decode_line(line)


def test_the_slow_way_keeps_every_field_it_does_not_know(tmp_path: Path) -> None:
    line = line_from({"type": "user", "uuid": "x", "message": {"role": "user", "content": "x", "newField": 1}, "other": [2]}, None)
    assert json.loads(line.whole or "")["record"]["message"]["newField"] == 1
    assert json.loads(line.whole or "")["record"]["other"] == [2]
