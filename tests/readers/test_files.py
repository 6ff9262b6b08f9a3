"""Files are found in a fixed order; what can not be read is in the account with its state, and only wrong use is an error."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from agentnb.errors import UnknownFormat
from agentnb.readers import Rows, find_files, read_group, survey_files
from tests.readers.made import chat, claude_session, reply, user, write_json, write_lines
from tests.readers.reading import account_of, codes, read

SESSION = claude_session([user("Hello"), reply("Hello!", id="m1")])
OTHER = claude_session([user("Bye"), reply("Bye!", id="m2")], session="11111111-2222-4333-8444-555555555555", first=50)


def states_of(rows: Rows) -> dict[str, str]:
    return {Path(source.path).name: source.state for source in rows.sources}


def names_of(paths: str | Path | list[str | Path]) -> list[str]:
    return [found.path.name for found in find_files(paths)]


def test_a_path_that_does_not_exist_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"no file or folder .*missing\.jsonl"):
        find_files(tmp_path / "missing.jsonl")


def test_one_path_of_several_that_does_not_exist_is_an_error_too(tmp_path: Path) -> None:
    there = write_lines(tmp_path / "there.jsonl", SESSION)
    with pytest.raises(FileNotFoundError, match="missing"):
        find_files([there, tmp_path / "missing"])


def test_a_pattern_that_matches_nothing_is_an_error_that_names_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No file matches .*\*\.jsonl"):
        find_files(tmp_path / "*.jsonl")


def test_a_pattern_that_matches_only_folders_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileNotFoundError, match="No file matches"):
        find_files(tmp_path / "*")


def test_an_empty_folder_holds_no_files(tmp_path: Path) -> None:
    assert find_files(tmp_path) == []
    assert read(tmp_path) == Rows()


def test_a_folder_is_searched_to_its_depth_in_the_order_of_names(tmp_path: Path) -> None:
    for name in ("b/2.jsonl", "b/1.jsonl", "a/deep/er/3.jsonl", "0.jsonl"):
        write_lines(tmp_path / name, SESSION)
    assert names_of(tmp_path) == ["0.jsonl", "3.jsonl", "1.jsonl", "2.jsonl"]
    assert names_of(tmp_path / "**" / "*.jsonl") == ["0.jsonl", "3.jsonl", "1.jsonl", "2.jsonl"]


def test_folders_of_tools_are_not_searched(tmp_path: Path) -> None:
    for name in (".git/x.jsonl", "node_modules/x.jsonl", "__pycache__/x.jsonl", ".ipynb_checkpoints/x.jsonl", "kept/x.jsonl"):
        write_lines(tmp_path / name, SESSION)
    assert [found.path.parent.name for found in find_files(tmp_path)] == ["kept"]


def test_a_file_given_in_several_ways_is_found_once(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "one.jsonl", SESSION)
    assert names_of([path, tmp_path, str(tmp_path / "*.jsonl")]) == ["one.jsonl"]


def test_the_home_folder_may_be_written_as_a_tilde(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    write_lines(tmp_path / "logs" / "one.jsonl", SESSION)
    assert names_of("~/logs") == ["one.jsonl"]


@pytest.mark.parametrize("content", [b"", b"\n\n  \n", b"\xef\xbb\xbf", b"\xff\xfe"])
def test_an_empty_file_is_in_the_account_and_no_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.write_bytes(content)
    rows = read(path)
    assert states_of(rows) == {"empty.jsonl": "empty"}
    assert (codes(rows), account_of(rows)) == ({"empty": 1}, (0, 0, 0, 0))
    assert rows.sources[0].reason == "The file is empty."


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n" + bytes(range(256)), b"PK\x03\x04" + bytes(300), b"\x00" * 5000, bytes(range(32)) * 100])
def test_a_binary_file_is_in_the_account_and_no_error(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(content)
    rows = read(path)
    assert states_of(rows) == {"picture.png": "binary"}
    assert codes(rows) == {"binary": 1}
    assert (rows.sources[0].reason or "").startswith("The file is binary: it begins with ")


def test_a_folder_with_other_files_in_it_is_read_and_every_file_is_in_the_account(tmp_path: Path) -> None:
    write_lines(tmp_path / "session.jsonl", SESSION)
    write_json(tmp_path / "messages.json", chat([("user", "Hello"), ("assistant", "Hello!")]))
    write_json(tmp_path / "settings.json", {"theme": "dark"})
    (tmp_path / "notes.md").write_text("# Notes\n", encoding="utf-8")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    (tmp_path / "empty.log").touch()
    (tmp_path / "broken-link").symlink_to(tmp_path / "nowhere")
    rows = read(tmp_path)
    assert states_of(rows) == {
        "session.jsonl": "read",
        "messages.json": "read",
        "settings.json": "unknown_format",
        "notes.md": "unknown_format",
        "picture.png": "binary",
        "empty.log": "empty",
    }
    assert sorted(row.format for row in rows.conversations) == ["claude_code", "openai_chat"]
    assert all(source.reason for source in rows.sources if source.state != "read")


def test_a_file_that_may_not_be_opened_is_in_the_account(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_lines(tmp_path / "mine.jsonl", SESSION)
    locked = write_lines(tmp_path / "locked.jsonl", OTHER)
    opened = Path.open

    def refuse(path: Path, *args: object, **options: object) -> object:
        if path == locked:
            raise PermissionError(13, "Permission denied", str(path))
        return opened(path, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr(Path, "open", refuse)
    rows = read(tmp_path)
    assert states_of(rows) == {"mine.jsonl": "read", "locked.jsonl": "unreadable"}
    assert codes(rows) == {"unreadable": 1}
    assert {source.reason for source in rows.sources} == {None, "Permission denied."}


def test_a_file_that_is_gone_when_it_is_to_be_read_is_in_the_account(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "session.jsonl", SESSION)
    survey = survey_files(find_files(path))
    known = {candidate.file.path: candidate._replace(sample=None) for group in survey.groups for candidate in group.members}
    (group,) = survey_files(find_files(path), known).groups
    path.unlink()
    rows = read_group(group)
    assert [(source.state, source.reason) for source in rows.sources] == [("unreadable", "No such file or directory.")]
    assert rows.conversations == []


def test_a_file_that_was_looked_at_and_has_not_changed_is_not_looked_at_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_lines(tmp_path / "session.jsonl", SESSION)
    survey = survey_files(find_files(path))
    known = {candidate.file.path: candidate for group in survey.groups for candidate in group.members}
    monkeypatch.setattr("agentnb.readers._read.look_at", lambda path, origin: pytest.fail("looked at again"))
    again = survey_files(find_files(path), known)
    assert read_group(again.groups[0]) == read_group(survey.groups[0])


def test_a_file_that_became_something_else_is_in_the_account(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "session.jsonl", SESSION)
    (group,) = survey_files(find_files(path)).groups
    path.write_text("# Notes\n", encoding="utf-8")
    rows = read_group(group._replace(members=tuple(candidate._replace(sample=None) for candidate in group.members)))
    assert [source.state for source in rows.sources] == ["unknown_format"]


def test_the_same_bytes_in_two_places_are_read_once(tmp_path: Path) -> None:
    first = write_lines(tmp_path / "a.jsonl", SESSION)
    shutil.copy(first, tmp_path / "b.jsonl")
    rows = read(tmp_path)
    assert states_of(rows) == {"a.jsonl": "read", "b.jsonl": "duplicate"}
    assert codes(rows) == {"duplicate": 1}
    assert (len(rows.conversations), account_of(rows)) == (1, (2, 2, 0, 0))
    assert f"{first}" in (rows.sources[0].reason or rows.sources[1].reason or "")


def test_files_of_equal_size_that_differ_are_both_read(tmp_path: Path) -> None:
    write_json(tmp_path / "a.json", chat([("user", "Hello"), ("assistant", "one")]))
    write_json(tmp_path / "b.json", chat([("user", "Hullo"), ("assistant", "two")]))
    assert states_of(read(tmp_path)) == {"a.json": "read", "b.json": "read"}


def test_a_name_that_is_no_text_is_shown_as_escapes(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.jsonl")
    try:
        write_lines(tmp_path / name, SESSION)
    except OSError:
        pytest.skip("this file system keeps no such names")
    (source,) = read(tmp_path).sources
    assert source.path.endswith("caf\\udce9.jsonl")
    assert source.state == "read"


def test_one_named_file_that_can_not_be_read_is_an_error_only_when_it_is_alone(tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n", encoding="utf-8")
    session = write_lines(tmp_path / "session.jsonl", SESSION)
    with pytest.raises(UnknownFormat, match=r"notes\.md"):
        survey_files(find_files(notes))
    assert states_of(read([notes, session])) == {"notes.md": "unknown_format", "session.jsonl": "read"}


def test_progress_is_told_in_bytes_and_adds_up_to_the_size_of_the_files(tmp_path: Path) -> None:
    write_lines(tmp_path / "session.jsonl", SESSION)
    write_json(tmp_path / "messages.json", chat([("user", "Hello"), ("assistant", "Hello!")]))
    told: list[int] = []
    for group in survey_files(find_files(tmp_path)).groups:
        read_group(group, told.append)
    assert sum(told) == sum(path.stat().st_size for path in tmp_path.iterdir())
