"""The kernel side of the upload: files come in pieces, what was read is shown, and what was not is said."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.errors import OptionError
from agentnb.widgets import Upload
from tests.widgets.test_transcript import ask

MESSAGES = [{"role": "user", "content": "Where is my lamp?"}, {"role": "assistant", "content": "On its way."}]
CHAT = json.dumps(MESSAGES).encode()


def drop(view: Upload, name: str, data: bytes, *, piece: int = 1 << 20, file: str = "1") -> dict[str, Any]:
    """Send a file as the browser does, piece by piece, and return the last answer."""
    answer: dict[str, Any] = {}
    for begin in range(0, max(len(data), 1), piece):
        last = begin + piece >= len(data)
        messages: list[dict[str, Any]] = []
        view.send = messages.append
        view._heard(view, {"id": "r1", "kind": "piece", "file": file, "name": name, "last": last}, [memoryview(data[begin : begin + piece])])
        answer = messages[-1]
    return answer


def test_a_dropped_file_is_read_into_a_new_workspace() -> None:
    view = Upload()
    assert drop(view, "lamp.json", CHAT)["result"] == {"taken": len(CHAT), "records": 2}
    assert [source.path for source in view.ws.account.sources] == ["<lamp.json>"]
    assert "1 conversation" in view._html
    assert "1 conversations, 1 turns" in repr(view)


def test_a_file_that_comes_in_many_pieces_is_put_together() -> None:
    view = Upload()
    assert drop(view, "lamp.json.gz", gzip.compress(CHAT), piece=7)["result"]["records"] == 2


def test_a_dropped_file_is_read_into_the_workspace_that_was_given(tmp_path: Path) -> None:
    ws = anb.read(MESSAGES, workspace=tmp_path / "triage")
    view = Upload(ws)
    assert "1 conversation" in view._html
    drop(view, "other.json", json.dumps([{"role": "user", "content": "And the desk?"}]).encode())
    assert view.ws is ws
    assert len(anb.open(workspace=tmp_path / "triage").account.sources) == 2


def test_the_same_name_again_takes_the_place_of_what_was_read() -> None:
    view = Upload()
    drop(view, "lamp.json", CHAT)
    drop(view, "lamp.json", json.dumps([*MESSAGES, {"role": "user", "content": "Thanks"}]).encode(), file="2")
    assert [(source.path, source.records_read) for source in view.ws.account.sources] == [("<lamp.json>", 3)]


def test_a_file_of_no_known_format_is_said_and_nothing_of_it_is_kept() -> None:
    view = Upload()
    answer = drop(view, "settings.json", b'{"theme": "dark"}')
    assert "<settings.json> cannot be read. It is JSON, but of no format that can be read: an object with theme." in answer["error"]["message"]
    assert view.ws.account.sources == ()
    assert "result" in drop(view, "lamp.json", CHAT, file="2")


def test_a_file_that_stops_coming_is_forgotten() -> None:
    view = Upload()
    view._heard(view, {"id": "r1", "kind": "piece", "file": "1", "name": "lamp.json", "last": False}, [CHAT[:5]])
    ask(view, kind="stop", file="1")
    assert view._arriving == {}
    assert drop(view, "lamp.json", CHAT)["result"]["records"] == 2


def test_a_file_that_is_too_large_is_refused_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentnb.widgets.upload.MOST_BYTES", 10)
    view = Upload()
    assert "open it by its path" in drop(view, "lamp.json", CHAT)["error"]["message"]
    assert view._arriving == {}


def test_a_hostile_name_is_no_markup() -> None:
    view = Upload()
    drop(view, "<img src=x onerror=alert(1)>.zip", b"PK\x03\x04" + bytes(300))
    shown = view._html + view._static()
    assert "1 file not read" in shown
    assert "<img" not in shown


def test_without_a_kernel_it_shows_what_was_read_and_how_to_go_on() -> None:
    view = Upload()
    empty = view._repr_mimebundle_()[0]
    assert "run this cell again" in empty["text/html"]
    drop(view, "lamp.json", CHAT)
    shown = view._repr_mimebundle_()[0]
    assert "1 conversation" in shown["text/html"]
    assert 'data-view="upload"' in shown["text/html"]
    assert shown["text/plain"] == "Upload into <Workspace in memory: 1 conversations, 1 turns>"


def test_wrong_use_is_an_error_that_says_what_is_right() -> None:
    with pytest.raises(OptionError, match="did you mean"):
        Upload(multiple=True)
    with pytest.raises(OptionError, match=r"not a str: anb\.Upload\(ws\)"):
        Upload("logs/")  # type: ignore[arg-type]


def test_the_state_never_carries_what_was_dropped() -> None:
    view = Upload()
    drop(view, "lamp.json", json.dumps([{"role": "user", "content": "x" * 500_000}]).encode())
    assert len(json.dumps(view.get_state(), default=str)) < 60_000
