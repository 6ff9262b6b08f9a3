"""The command `anb`: what it prints, what it writes, and the exit code by which a script can tell."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agentnb.cli import app

MESSAGES = [
    {"role": "user", "content": "Refund order 17, please."},
    {"role": "assistant", "content": None, "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order": 17}'}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "Error: order 17 was never paid"},
    {"role": "assistant", "content": "I refunded <script>alert(1)</script> order 17."},
]


@pytest.fixture
def chat(tmp_path: Path) -> Path:
    """One conversation in which a tool call fails."""
    file = tmp_path / "chat.json"
    file.write_text(json.dumps({"messages": MESSAGES}))
    return file


def anb(*words: str | Path) -> Result:
    return CliRunner().invoke(app, [str(word) for word in words])


def test_open_says_what_is_in_it_and_what_became_of_the_records(chat: Path) -> None:
    done = anb("open", chat)
    assert done.exit_code == 0, done.output
    assert "1 conversation" in done.stdout
    assert f"{chat}: openai_chat, 4 records = 4 kept + 0 merged + 0 skipped" in done.stdout


def test_open_names_each_file_that_was_not_read_and_why(chat: Path) -> None:
    (chat.parent / "notes.txt").write_text("nothing of an agent")
    (chat.parent / "empty.jsonl").touch()
    done = anb("open", chat.parent)
    assert done.exit_code == 0, done.output
    assert "empty.jsonl: empty" in done.stdout
    assert "notes.txt: unknown_format" in done.stdout


def test_open_keeps_what_was_read_in_a_workspace_folder(chat: Path, tmp_path: Path) -> None:
    assert anb("open", chat, "--workspace", tmp_path / "triage").exit_code == 0
    assert (tmp_path / "triage" / "tables").is_dir()
    again = anb("open", chat, "--workspace", tmp_path / "triage")
    assert "1 conversation" in again.stdout


def test_a_file_that_is_not_there_is_one_line_and_exit_code_2(tmp_path: Path) -> None:
    done = anb("open", tmp_path / "nothing.jsonl")
    assert done.exit_code == 2
    assert done.stderr.startswith("anb: ")
    assert "nothing.jsonl" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_check_says_what_a_file_is_and_ends_with_0(chat: Path) -> None:
    done = anb("check", chat)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(f"{chat}: openai_chat, 4 records")


def test_check_lists_what_is_odd_once_with_how_often_and_where_first(chat: Path) -> None:
    lines = [json.dumps({"messages": MESSAGES}), "not json", json.dumps({"messages": MESSAGES}), "{also not"]
    chat = chat.with_suffix(".jsonl")
    chat.write_text("\n".join(lines))
    done = anb("check", chat)
    assert re.search(r"\n  (warning|error) \w+: \d time", done.stdout), done.output
    assert "line 2" in done.stdout


def test_check_ends_with_1_when_the_only_file_is_of_no_known_format(tmp_path: Path) -> None:
    file = tmp_path / "notes.txt"
    file.write_text("nothing of an agent")
    done = anb("check", file)
    assert done.exit_code == 1
    assert "notes.txt" in done.output


def test_check_ends_with_1_when_one_file_of_a_folder_was_not_understood(chat: Path) -> None:
    (chat.parent / "notes.bin").write_bytes(bytes(range(256)) * 8)
    done = anb("check", chat.parent)
    assert done.exit_code == 1
    assert "openai_chat" in done.stdout
    assert "notes.bin: binary" in done.stdout


def test_report_is_one_page_that_loads_nothing_and_runs_nothing(chat: Path, tmp_path: Path) -> None:
    out = tmp_path / "out" / "report.html"
    out.parent.mkdir()
    done = anb("report", chat, "--out", out)
    assert done.exit_code == 0, done.output
    page = out.read_text(encoding="utf-8")
    tags = Tags()
    tags.feed(page)
    assert page.startswith("<!doctype html>")
    assert page.count("<style>") == 1
    assert tags.names.isdisjoint({"script", "link", "img", "iframe", "object"})
    assert "Refund order 17, please." in page
    assert "order 17 was never paid" in page
    assert "&lt;script&gt;" in page


def test_a_report_of_the_same_logs_is_the_same_bytes(chat: Path, tmp_path: Path) -> None:
    for name in ("one.html", "two.html"):
        assert anb("report", chat, "--out", tmp_path / name).exit_code == 0
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()


def test_a_report_that_cannot_be_written_is_one_line(chat: Path, tmp_path: Path) -> None:
    done = anb("report", chat, "--out", tmp_path / "nowhere" / "report.html")
    assert done.exit_code == 2
    assert "nowhere" in done.stderr


def test_doctor_says_something_of_every_part() -> None:
    done = anb("doctor")
    assert done.exit_code in (0, 1)
    assert {"Python", "agentnb"} <= {line.split()[2] for line in done.stdout.splitlines() if line[:1] in "✓!✕" and line.strip()}


def test_without_a_command_the_commands_are_listed() -> None:
    done = anb()
    assert all(re.search(rf"^  {command} ", done.output, re.MULTILINE) for command in ("open", "check", "report", "doctor"))


def test_python_dash_m_agentnb_is_anb(chat: Path, root: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "agentnb", "open", chat], cwd=root, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "openai_chat" in done.stdout


def test_an_anb_that_cannot_be_imported_calls_the_doctor(root: Path) -> None:
    code = "import sys; sys.modules['typer'] = None; from agentnb.launch import main; main()"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, encoding="utf-8", check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("anb cannot start (ModuleNotFoundError")
    assert "✓ ok       Python" in done.stdout


def test_a_reader_that_stops_reading_is_no_error(chat: Path, root: Path) -> None:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen([sys.executable, "-m", "agentnb", "open", chat], cwd=root, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        assert b"Traceback" not in run.stderr.read()


class Tags(HTMLParser):
    """The names of all elements of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
