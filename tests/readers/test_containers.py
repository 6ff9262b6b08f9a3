"""Packed files are read like the files that they hold: gzip, zstd, zip, tar; of damaged ones what can be read, and no bomb goes off."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.errors import UnknownFormat
from agentnb.readers import Found, OpenFile, Sample, find_files, member_names, read_group, read_member, read_members, survey_files
from agentnb.readers._account import Account
from agentnb.readers._archive import Archive
from agentnb.readers._content import Held, open_content
from agentnb.readers._rows import SourceRow
from agentnb.readers._sample import look_at
from tests.readers.made import chat, claude_session, reply, user
from tests.readers.reading import account_of, check, codes, read, texts_of

EVENTS = claude_session([user("Hello"), reply("Hello!", id="m1")])
SESSION = b"".join(json.dumps(event).encode() + b"\n" for event in EVENTS)
TALK = json.dumps(chat([("user", "Where is my lamp?"), ("assistant", "On its way.")])).encode()
PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "zstd": zstandard.ZstdCompressor(write_checksum=True).compress,
    "xz": lzma.compress,
    "bzip2": bz2.compress,
}


def zipped(members: Iterable[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a zip; method 93 is zstd, which Python's own module of this version does not write."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED if method == 93 else method) as archive:
        for name, data in members:
            archive.writestr(name, PACKERS["zstd"](data) if method == 93 else data)
    return _as_zstd(file.getvalue(), dict(members)) if method == 93 else file.getvalue()


def _as_zstd(data: bytes, members: dict[str, bytes]) -> bytes:
    """Say in the headers of a zip that its members, which were stored, are zstd."""
    made = bytearray(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for info in archive.infolist():
            content = members[info.filename]
            sizes = struct.pack("<LLL", zlib.crc32(content), info.compress_size, len(content))
            listed = data.rindex(info.filename.encode()) - 46
            for method_at, sizes_at in ((info.header_offset + 8, info.header_offset + 14), (listed + 10, listed + 16)):
                made[method_at : method_at + 2] = struct.pack("<H", 93)
                made[sizes_at : sizes_at + 12] = sizes
    return bytes(made)


def sources(path: Path | list[Path]) -> dict[str, str]:
    """Return the state of each source by the end of its path."""
    rows = read(path)
    return {source.path.rsplit("/", 1)[-1]: source.state for source in rows.sources}


@pytest.mark.parametrize("packer", PACKERS.values(), ids=PACKERS)
@pytest.mark.parametrize("name", ["session.jsonl", "session.bin"])
def test_a_packed_file_is_read_like_what_it_holds_whatever_its_name(name: str, packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(packer(SESSION))
    rows = read(tmp_path / name)
    assert (texts_of(rows), account_of(rows), codes(rows)) == (["Hello", "Hello!"], (2, 2, 0, 0), {})
    assert rows.sources[0].bytes == len(packer(SESSION))
    (tmp_path / "talk").write_bytes(packer(TALK))
    assert texts_of(read(tmp_path / "talk")) == ["Where is my lamp?", "On its way."]


@pytest.mark.parametrize("packer", PACKERS.values(), ids=PACKERS)
def test_parts_that_were_packed_one_after_another_are_one_file(packer: Callable[[bytes], bytes], tmp_path: Path) -> None:
    path = tmp_path / "session"
    path.write_bytes(b"".join(packer(line) for line in SESSION.splitlines(keepends=True)))
    assert account_of(read(path)) == (2, 2, 0, 0)


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_of_a_cut_file_what_stands_before_the_cut_is_read_and_the_cut_is_told(kind: str, tmp_path: Path) -> None:
    first = PACKERS[kind](SESSION)
    path = tmp_path / "session"
    path.write_bytes(first + PACKERS[kind](b'{"type": "user"' * 50)[:-6])
    rows = read(path)
    assert texts_of(rows) == ["Hello", "Hello!"]
    assert codes(rows)["cut_compressed"] == 1


def test_a_cut_document_that_is_packed_is_read_as_far_as_it_goes(tmp_path: Path) -> None:
    long = json.dumps(chat([("user", "Hello"), *(("assistant", f"{number} of many words") for number in range(2000))])).encode()
    path = tmp_path / "talk.json.gz"
    path.write_bytes(gzip.compress(long)[:-3000])
    rows = read(path)
    assert 100 < len(texts_of(rows)) < 2000
    assert {"cut_compressed", "cut_document"} <= set(codes(rows))


def test_what_unpacks_to_far_too_much_is_read_at_its_beginning_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentnb.readers._compressed._FLOOR", 1 << 20)
    path = tmp_path / "bomb"
    for packer in PACKERS.values():
        path.write_bytes(packer(SESSION + b" " * (100 << 20)))
        with open_content(path) as stream:
            assert len(stream.file.read()) < 80 << 20
        assert stream.oddities == ("too_large",)


def test_progress_is_told_in_bytes_of_the_packed_file(tmp_path: Path) -> None:
    (tmp_path / "session.gz").write_bytes(gzip.compress(SESSION * 50))
    (tmp_path / "talk.zst").write_bytes(PACKERS["zstd"](TALK))
    other = gzip.compress(json.dumps(chat([("user", "Thanks")])).encode())
    (tmp_path / "all.zip").write_bytes(zipped([("bye.json", json.dumps(chat([("user", "Bye")])).encode()), ("thanks.json.gz", other)]))
    told: list[int] = []
    groups = survey_files(find_files(tmp_path)).groups
    for group in groups:
        read_group(group, told.append)
    assert sum(told) == sum(member.file.size for group in groups for member in group.members)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, 93], ids=["stored", "deflate", "bzip2", "zstd"])
def test_members_of_a_zip_are_files_of_their_own(method: int, tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped([("a/session.jsonl", SESSION), ("a/talk.json", TALK), ("notes.md", b"# Notes\n"), ("__MACOSX/x", b"x")], method))
    rows = read(path)
    assert [(source.path.removeprefix(f"{path}/"), source.state) for source in rows.sources] == [
        ("notes.md", "unknown_format"),
        ("a/session.jsonl", "read"),
        ("a/talk.json", "read"),
    ]
    assert sorted(row.format for row in rows.conversations) == ["claude_code", "openai_chat"]
    assert set(codes(rows)) == {"unknown_format"}


def test_files_that_belong_together_are_read_together_from_a_zip(tmp_path: Path) -> None:
    side = claude_session([user("Look", isSidechain=True, agentId="a1")], first=10)
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped([("s.jsonl", SESSION), ("s/subagents/agent-a1.jsonl", b"".join(json.dumps(event).encode() + b"\n" for event in side))]))
    assert len(survey_files(find_files(path)).groups) == 1


def test_packed_files_and_one_more_zip_inside_of_a_zip_are_opened_and_no_third(tmp_path: Path) -> None:
    inner = zipped([("talk.json.gz", gzip.compress(TALK)), ("deep.zip", zipped([("x.json", TALK)]))])
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped([("inner.zip", inner), ("session.jsonl.zst", PACKERS["zstd"](SESSION))]))
    assert sources(path) == {"talk.json.gz": "read", "deep.zip": "unreadable", "session.jsonl.zst": "read"}


@pytest.mark.parametrize("mode", ["w", "w:gz", "w:bz2", "w:xz"])
def test_members_of_a_tar_are_files_of_their_own(mode: Any, tmp_path: Path) -> None:
    path = tmp_path / "logs"
    with tarfile.open(path, mode) as archive:
        for name, data in (("./a/session.jsonl", SESSION), ("a/talk.json", TALK)):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    assert sources(path) == {"session.jsonl": "read", "talk.json": "read"}


def test_a_zip_whose_writer_crashed_is_walked_and_its_last_member_read_as_far_as_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    whole = zipped([("talk.json", TALK), ("session.jsonl", SESSION * 40)], zipfile.ZIP_STORED)
    path.write_bytes(whole[: whole.index(b"PK\x01\x02") - 4000])
    rows = read(path)
    assert {source.path.removeprefix(str(path)): source.state for source in rows.sources} == {"/talk.json": "read", "/session.jsonl": "read", "": "unreadable"}
    assert {"cut_compressed", "unreadable"} <= set(codes(rows))
    assert "cut or damaged" in next(source.reason or "" for source in rows.sources if source.state == "unreadable")


class _Pipe(io.RawIOBase):
    """What cannot go back, so that sizes stand behind the members."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += bytes(data)
        return len(data)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], ids=["stored", "deflate"])
def test_a_zip_without_a_list_and_with_sizes_behind_its_members_is_walked(method: int, tmp_path: Path) -> None:
    pipe = _Pipe()
    with zipfile.ZipFile(pipe, "w", method) as archive:
        archive.writestr("talk.json", TALK)
        archive.writestr("session.jsonl", SESSION)
    path = tmp_path / "logs.zip"
    path.write_bytes(pipe.data[: pipe.data.index(b"PK\x01\x02")])
    assert sources(path) == {"talk.json": "read", "session.jsonl": "read", "logs.zip": "unreadable"}


def test_a_damaged_or_locked_member_does_not_keep_the_others_from_being_read(tmp_path: Path) -> None:
    data = bytearray(zipped([("talk.json", TALK), ("bad.json", TALK.replace(b"lamp", b"desk")), ("locked.json", TALK)], zipfile.ZIP_STORED))
    data[data.index(b"desk")] ^= 1
    listed = data.rindex(b"locked.json") - 46
    data[listed + 8] |= 1
    path = tmp_path / "logs.zip"
    path.write_bytes(data)
    rows = read(path)
    assert {source.path.rsplit("/", 1)[-1]: (source.state, source.reason) for source in rows.sources} == {
        "talk.json": ("read", None),
        "bad.json": ("read", None),
        "locked.json": ("unreadable", "It is encrypted."),
    }
    assert codes(rows) == {"cut_compressed": 1, "unreadable": 1}


def test_names_in_an_archive_lead_nowhere_else_and_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    with pytest.warns(UserWarning, match="Duplicate name"):
        path.write_bytes(
            zipped([(name, b"1") for name in ("../../talk.json", "/etc/talk.json", "a\\b.json", "d/")] + [("same", b"first"), ("same", b"second")])
        )
    assert member_names(path) == ["talk.json", "etc/talk.json", "a/b.json", "same (replaced 1)", "same"]
    file = opened(path)
    assert (read_member(file, "same"), read_member(file, "nowhere")) == (b"second", None)


def opened(path: Path) -> OpenFile:
    sample = look_at(path).sample
    assert sample is not None
    return OpenFile(path, sample, Account(SourceRow("s1", str(path), bytes=path.stat().st_size)))


def test_a_reader_of_archives_gets_every_member_and_the_damage_is_in_its_account(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    whole = zipped([("header.json", b"{}"), ("samples/1.json", b'{"id": 1}' * 400), ("samples/2.json.gz", gzip.compress(b"[]"))], zipfile.ZIP_STORED)
    path.write_bytes(whole)
    file = opened(path)
    told: list[int] = []
    assert {name: len(data) for name, data in read_members(file, told.append)} == {"header.json": 2, "samples/1.json": 3600, "samples/2.json.gz": 2}
    assert file.account.diagnostics == []
    assert 0 < sum(told) <= path.stat().st_size
    path.write_bytes(whole[:1000])
    file = opened(path)
    assert [name for name, _ in read_members(file)] == ["header.json", "samples/1.json"]
    assert read_member(file, "header.json") == b"{}"
    assert sorted(row.code for row in file.account.diagnostics) == ["cut_archive", "cut_compressed"]


def test_an_archive_that_is_one_recording_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "run.eval"
    path.write_bytes(zipped([("header.json", b"{}"), ("talk.json", TALK)]))
    monkeypatch.setattr("agentnb.readers._containers.recognise", lambda sample: sample if "header.json" in sample.values else None)
    from agentnb.readers._containers import with_members

    assert with_members([Found(path, named=True)]) == [Found(path, named=True)]


def test_an_empty_archive_is_empty_and_a_zip_of_one_unknown_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "logs.zip"
    path.write_bytes(zipped([]))
    assert sources(path) == {"logs.zip": "empty"}
    path.write_bytes(zipped([("settings.json", b'{"theme": "dark"}')]))
    with pytest.raises(UnknownFormat, match=r"logs\.zip/settings\.json cannot be read"):
        read(path)


def test_the_same_content_packed_and_not_is_read_once(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(SESSION)
    (tmp_path / "b.jsonl.gz").write_bytes(gzip.compress(SESSION))
    (tmp_path / "c.zip").write_bytes(zipped([("d.jsonl", SESSION)]))
    assert sources(tmp_path) == {"a.jsonl": "read", "b.jsonl.gz": "duplicate", "d.jsonl": "duplicate"}


def test_documents_of_many_files_are_not_held_all_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentnb.readers._read._MOST_HELD", 2 * len(TALK))
    for number in range(5):
        (tmp_path / f"{number}.json").write_bytes(TALK.replace(b"lamp", b"lam%d" % number))
    groups = survey_files(find_files(tmp_path)).groups
    assert [member.sample is not None for group in groups for member in group.members] == [True, True, False, False, False]
    assert len(read(tmp_path).conversations) == 5


def test_what_is_in_memory_is_opened_like_a_file() -> None:
    held = Held(zipped([("a/session.jsonl.gz", gzip.compress(SESSION))]), 1)
    (group,) = survey_files([Found(Path("<logs.zip>"), named=True, origin=held)]).groups
    rows = read_group(group)
    assert [source.path for source in rows.sources] == ["<logs.zip>/a/session.jsonl.gz"]
    assert texts_of(rows) == ["Hello", "Hello!"]


@pytest.mark.parametrize(
    ("path", "name"), [("a/run.jsonl", "run.jsonl"), ("a/run.jsonl.gz", "run.jsonl"), ("logs.zip/b/run.json.zst", "run.json"), ("<a/run.jsonl>", "run.jsonl")]
)
def test_a_file_is_known_to_others_by_its_name_however_it_is_packed(path: str, name: str) -> None:
    assert OpenFile(Path(path), Sample("lines"), Account(SourceRow("s1", path))).name == name


def test_an_archive_says_whether_it_is_whole(tmp_path: Path) -> None:
    assert Archive({}, whole=True).unpacked is None
    path = tmp_path / "logs.tar"
    with tarfile.open(path, "w") as archive:
        for name in ("a.json", "b.json"):
            info = tarfile.TarInfo(name)
            info.size = len(TALK)
            archive.addfile(info, io.BytesIO(TALK))
    path.write_bytes(path.read_bytes()[:1100])
    assert [source.state for source in read(path).sources if source.path == str(path)] == ["unreadable"]


ARCHIVES = {
    "zip": zipped([("a.jsonl", SESSION), ("b/talk.json", TALK), ("c.gz", gzip.compress(TALK))]),
    "stored": zipped([("a.jsonl", SESSION), ("inner.zip", zipped([("talk.json", TALK)]))], zipfile.ZIP_STORED),
    "zstd": zipped([("a.jsonl", SESSION), ("b.json", TALK)], 93),
    "gzip": gzip.compress(SESSION),
    "zstd file": PACKERS["zstd"](SESSION),
}


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(sorted(ARCHIVES)), st.lists(st.tuples(st.integers(0, 1 << 12), st.integers(0, 255)), max_size=6), st.integers(0, 1 << 12))
def test_no_damage_to_what_is_packed_makes_the_reading_fail(kind: str, changes: list[tuple[int, int]], end: int) -> None:
    data = bytearray(ARCHIVES[kind])
    for place, value in changes:
        data[place % len(data)] = value
    held = Held(bytes(data[: len(data) - end % len(data)] if end % 3 == 0 else data), 1)
    survey = survey_files([Found(Path("<logs>"), named=False, origin=held)])
    rows = [survey.unread, *map(read_group, survey.groups)]
    assert sum(len(found.sources) for found in rows) > 0
    for found in rows:
        check(found)
