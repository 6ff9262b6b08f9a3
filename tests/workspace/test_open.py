"""anb.open: paths, patterns, folders, several of them, nothing at all; and which workspace a magic finds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import agentnb as anb
from agentnb.readers import READERS
from agentnb.workspace import last_opened
from tests.workspace.recordings import count, write_chat, write_session


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    write_session(tmp_path / "logs" / "a.jsonl", "a")
    write_session(tmp_path / "logs" / "deep" / "b.jsonl", "b")
    write_chat(tmp_path / "logs" / "deep" / "c.json", "hello", "hi")
    return tmp_path / "logs"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home folder in which no tool has kept anything yet."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for reader in READERS:
        for place in reader.places:
            if place.startswith("${"):
                monkeypatch.delenv(place[2:].split(":")[0].rstrip("}"), raising=False)
    return tmp_path / "home"


def test_a_path_a_folder_a_pattern_and_several_of_them(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert count(anb.open(logs / "a.jsonl"), "conversations") == 1
    assert count(anb.open(str(logs)), "conversations") == 3
    assert count(anb.open(f"{logs}/**/*.jsonl"), "conversations") == 2
    assert count(anb.open([logs / "a.jsonl", f"{logs}/deep/*.json"]), "conversations") == 2
    assert count(anb.open(path for path in (logs, logs / "a.jsonl")), "conversations") == 3
    monkeypatch.setenv("HOME", str(logs))
    assert count(anb.open("~/deep"), "conversations") == 2


def test_a_pattern_and_a_folder_are_looked_at_again_by_a_refresh(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(logs.parent))
    for place in (f"{logs}/*.jsonl", f"{logs}/?*.jsonl", "~/logs"):
        ws = anb.open(place)
        before = count(ws, "conversations")
        write_session(logs / "new.jsonl", "new")
        assert count(ws.refresh(), "conversations") == before + 1
        (logs / "new.jsonl").unlink()


def test_a_refresh_when_everything_is_gone_changes_nothing(logs: Path) -> None:
    ws = anb.open([logs / "a.jsonl", f"{logs}/deep/*"])
    for path in logs.rglob("*.json*"):
        path.unlink()
    assert count(ws.refresh(), "conversations") == 3


def test_a_file_that_was_named_may_become_something_else(logs: Path) -> None:
    ws = anb.open(logs / "a.jsonl")
    (logs / "a.jsonl").write_text("no longer a recording\n")
    assert [source.state for source in ws.refresh().account.sources] == ["unknown_format"]
    assert count(ws, "turns") == 0


def test_a_path_that_does_not_exist_says_where_it_was_looked_for(logs: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"There is no file or folder .*nowhere"):
        anb.open(logs / "nowhere.jsonl")
    with pytest.raises(FileNotFoundError, match=r"No file matches .*\*\.csv"):
        anb.open(f"{logs}/*.csv")


def test_one_file_of_no_known_format_is_an_error_and_among_others_an_account(logs: Path) -> None:
    (logs / "notes.txt").write_text("just words\n")
    with pytest.raises(anb.UnknownFormat, match=r"notes\.txt cannot be read"):
        anb.open(logs / "notes.txt")
    ws = anb.open(logs)
    assert [(source.path, source.state) for source in ws.account.not_read] == [(str(logs / "notes.txt"), "unknown_format")]


def test_without_anything_the_logs_of_this_computer_are_read_the_latest_first(home: Path) -> None:
    for age, name in enumerate(("new", "old", "older")):
        path = write_session(home / ".claude" / "projects" / "shop" / f"{name}.jsonl", name)
        os.utime(path, (1_700_000_000 - age, 1_700_000_000 - age))
    ws = anb.open()
    assert [row[0] for row in ws.sql("from conversations select conversation_id").fetchall()] == ["new", "old", "older"]
    write_session(home / ".claude" / "projects" / "cafe" / "newest.jsonl", "newest")
    assert count(ws.refresh(), "conversations") == 4


def test_the_logs_may_be_where_a_variable_says(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_session(tmp_path / "elsewhere" / "projects" / "shop" / "a.jsonl", "a")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "elsewhere"))
    assert count(anb.open(), "conversations") == 1


def test_a_computer_without_logs_says_where_they_were_looked_for(home: Path) -> None:
    for _ in range(2):
        with pytest.raises(FileNotFoundError, match=r"No agent keeps logs on this computer \(looked in .*\.claude.*\)\. Give a path"):
            anb.open()
        (home / ".claude" / "projects").mkdir(parents=True, exist_ok=True)


def test_a_workspace_alone_is_what_it_holds(logs: Path, home: Path, tmp_path: Path) -> None:
    assert count(anb.open(workspace=tmp_path / "new"), "conversations") == 0
    anb.open(logs, workspace=tmp_path / "new")
    assert count(anb.open(workspace=str(tmp_path / "new")), "conversations") == 3


def test_an_empty_list_is_an_empty_workspace() -> None:
    ws = anb.open([])
    assert repr(ws) == "<Workspace in memory: 0 conversations, 0 turns>"
    assert ws.card.turns == 0


def test_the_last_one_opened_is_found_or_one_by_its_name(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentnb.workspace._open._opened", [])
    with pytest.raises(anb.OptionError, match="No workspace is open"):
        last_opened()
    first, second = anb.open(logs, name="first"), anb.open(logs, workspace=tmp_path / "triage")
    assert last_opened() is last_opened("triage") is second
    assert last_opened("first") is first
    with pytest.raises(anb.OptionError, match="No workspace is named 'third'; there are first, triage"):
        last_opened("third")
    first.save(tmp_path / "kept")
    assert last_opened("first") is first
    second.close()
    assert last_opened() is first
    memory = anb.open(logs)
    memory.save(tmp_path / "saved")
    assert last_opened("saved") is memory
    assert anb.open([], name="first") is last_opened("first")


def test_a_workspace_has_the_name_of_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert anb.open(workspace="triage/").name == "triage"
    monkeypatch.chdir(tmp_path / "triage")
    assert anb.open(workspace=".").name == "triage"
