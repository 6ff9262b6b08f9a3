"""A folder of conversations: FunctAI's layout, what a crash may leave in it, and what people and programs may do to it."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from agentnb.conversations.stores import FolderStore
from agentnb.errors import ConversationError, StoreConflict
from tests.conversations.stores.test_events import TREE, event


@pytest.fixture
def store(tmp_path: Path) -> FolderStore:
    return FolderStore(tmp_path / "kept")


@pytest.fixture
def file(store: FolderStore) -> Path:
    """The file of the conversation c, which has two records."""
    store.append("c", [{"text": "a"}])
    store.append("c", [{"text": "b"}])
    return store.folder / "conversations" / "c.jsonl"


def texts(store: FolderStore) -> list[Any]:
    return [record.get("text", "?") for record in store.read("c")]


def add(file: Path, text: str) -> None:
    with file.open("a") as stream:
        stream.write(text)


def test_the_layout_is_functais_and_the_owners_alone(store: FolderStore, file: Path) -> None:
    store.append("c", [{"text": "é"}, {"text": "d"}])
    store.events.append(TREE, [event(1, "started")])
    store.events.claim(TREE)
    rights = {path.relative_to(store.folder).as_posix(): oct(path.stat().st_mode & 0o777) for path in sorted(store.folder.rglob("*"))}
    assert rights == {
        "conversations": "0o700",
        "conversations/c.jsonl": "0o600",
        "conversations/c.lock": "0o600",
        "trees": "0o700",
        f"trees/{TREE}.jsonl": "0o600",
        f"trees/{TREE}.lock": "0o600",
        f"trees/{TREE}.writer": "0o600",
    }
    lines = file.read_bytes().split(b"\n")
    assert [json.loads(line) for line in lines[:-1]] == store.read("c")
    assert [record["seq"] for record in store.read("c")] == [1, 2, 3, 4]
    assert (store.folder / "trees" / f"{TREE}.writer").read_text() == "2"


def test_an_append_is_one_write_then_flushed_then_acknowledged(store: FolderStore, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    for name in ("write", "fsync"):
        original = getattr(os, name)

        def noted(*args: Any, name: str = name, original: Any = original) -> Any:
            done.append(name)
            return original(*args)

        monkeypatch.setattr(os, name, noted)
    store.append("c", [{"text": "c"}, {"text": "d"}])
    done.append("acknowledged")
    assert done == ["write", "fsync", "acknowledged"]
    store.append("new", [{}])
    assert done[3:] == ["write", "fsync", "fsync"], "the name of a new file is flushed too"


@pytest.mark.parametrize("cut", ['{"text":"c', ' {"text":"c"}\n', ' {"text":"c"}\n {"text":"d"}\n', ' {"text":"c"}\n{"text":"d"', ' {"text":"c"}', "{"])
def test_a_batch_that_was_cut_is_not_seen_and_goes_with_the_next_append(store: FolderStore, file: Path, cut: str) -> None:
    add(file, cut)
    for reader in (store, FolderStore(store.folder)):
        assert texts(reader) == ["a", "b"]
        assert reader.lengths() == {"c": 2}
        assert not reader.wait("c", after=2, timeout=0)
    assert FolderStore(store.folder).append("c", [{"text": "e"}, {"text": "f"}], expect=2) == 4
    assert texts(store) == texts(FolderStore(store.folder)) == ["a", "b", "e", "f"]
    assert b"d" not in file.read_bytes()


def test_wherever_a_process_dies_in_a_write_the_batch_is_whole_or_not_there(store: FolderStore, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, write = file.read_bytes(), os.write
    store.append("c", [{"text": "c"}, {"text": "d"}, {"text": "e"}])
    size = len(file.read_bytes()) - len(before)

    for cut in range(size + 1):
        file.write_bytes(before)

        def died(descriptor: int, data: bytes, cut: int = cut) -> int:
            write(descriptor, data[:cut])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", died)
            with pytest.raises(KeyboardInterrupt):
                store.append("c", [{"text": "c"}, {"text": "d"}, {"text": "e"}])
        there = ["a", "b", *("cde" if cut == size else "")]
        assert texts(store) == texts(FolderStore(store.folder)) == there
        assert store.append("c", [{"text": "f"}]) == len(there) + 1
        assert texts(store) == [*there, "f"]


def test_a_last_record_that_lost_only_the_end_of_its_line_is_kept(store: FolderStore, file: Path) -> None:
    file.write_bytes(file.read_bytes().rstrip(b"\n"))
    reader = FolderStore(store.folder)
    with pytest.raises(StoreConflict) as caught:
        reader.append("c", [{"text": "c"}], expect=1)
    assert caught.value.length == 2
    assert reader.append("c", [{"text": "c"}], expect=2) == 3
    assert texts(store) == ["a", "b", "c"]


def test_a_line_that_cannot_be_read_keeps_its_place_and_an_empty_one_has_none(store: FolderStore, file: Path) -> None:
    add(file, '{"cut\n\n  \n[1]\n\udcff\n'.encode("utf-8", "surrogateescape").decode("latin-1"))
    assert texts(store) == ["a", "b", "?", "?", "?"]
    assert store.read("c", after=2)[0] == {"unreadable": True, "seq": 3}
    assert store.append("c", [{"text": "f"}], expect=5) == 6
    assert FolderStore(store.folder).read("c")[-1] == {"text": "f", "seq": 6}
    assert store.read("c", after=5) == [{"text": "f", "seq": 6}]


@pytest.mark.parametrize("others", [[], ["x"], ["x", "y"], ["x", "y", "z", "and more of it"]])
def test_a_file_that_is_another_one_is_read_from_its_beginning(store: FolderStore, file: Path, others: list[str]) -> None:
    assert texts(store) == ["a", "b"]
    file.write_text("".join(json.dumps({"text": other}) + "\n" for other in others))
    assert texts(store) == others
    file.unlink()
    assert texts(store) == []
    assert store.append("c", [{"text": "new"}], expect=0) == 1


def test_only_what_is_new_is_read_again(store: FolderStore, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store.append("c", [{"text": "x" * 100_000}])
    assert len(texts(store)) == 3
    store.append("c", [{"text": "d"}])
    read: list[int] = []
    original = os.read

    def noted(descriptor: int, size: int) -> bytes:
        read.append(size)
        return original(descriptor, size)

    monkeypatch.setattr(os, "read", noted)
    assert [record["text"] for record in store.read("c", after=3)] == ["d"]
    assert sum(read) < 500


@pytest.mark.parametrize("call", ["write", "fsync"])
@pytest.mark.parametrize(("number", "advice"), [(errno.ENOSPC, "make room on the disk"), (errno.EIO, "look after the disk")])
def test_what_could_not_be_written_leaves_nothing(store: FolderStore, file: Path, monkeypatch: pytest.MonkeyPatch, call: str, number: int, advice: str) -> None:
    before, write = file.read_bytes(), os.write

    def refused(descriptor: int, data: bytes = b"") -> int:
        if call == "write" and data:
            write(descriptor, data[:30])
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(os, call, refused)
        with pytest.raises(ConversationError, match=f"store-failed: .* cannot be written: {os.strerror(number)}. Nothing was written; {advice}"):
            store.append("c", [{"text": "refused"}, {"text": "refused"}])
        with pytest.raises(ConversationError, match="store-failed"):
            store.events.append(TREE, [event(1, "started")])
    assert file.read_bytes() == before
    assert store.events.read(TREE) == []
    assert store.append("c", [{"text": "c"}], expect=2) == 3
    assert texts(store) == ["a", "b", "c"]


def test_what_was_seen_and_then_taken_back_is_forgotten(store: FolderStore, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = FolderStore(store.folder)

    def seen_then_refused(_: int) -> None:
        assert texts(other) == ["a", "b", "refused"]
        raise OSError(errno.EIO, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", seen_then_refused)
        with pytest.raises(ConversationError):
            store.append("c", [{"text": "refused"}])
    store.append("c", [{"text": "instead"}, {"text": "and more"}])
    assert texts(other) == ["a", "b", "instead", "and more"]


def test_a_lock_that_was_removed_does_not_let_two_in(store: FolderStore, file: Path) -> None:
    file.with_suffix(".lock").unlink()
    assert store.append("c", [{"text": "c"}]) == 3


def test_a_place_where_no_folder_can_be_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = FolderStore(tmp_path / "file")
    for use in (lambda: store.append("c", [{}]), lambda: store.read("c")):
        with pytest.raises(ConversationError, match=r"store-failed: .* cannot be (written|read): .* name a folder"):
            use()


def test_damaged_lines_of_a_log_of_events_do_not_stop_it(store: FolderStore) -> None:
    store.events.append(TREE, [event(1, "started"), event(2)])
    file = store.folder / "trees" / f"{TREE}.jsonl"
    add(file, '{"damaged\n{"cut')
    again = FolderStore(store.folder).events
    assert again.append(TREE, [event(2), event(3)]) == "kept"
    assert again.append(TREE, [event(1, "started"), event(3)]) == "duplicate"
    assert [kept["seq"] for kept in store.events.read(TREE)] == [1, 2, 3]
    file.with_suffix(".writer").write_text("nonsense")
    assert store.events.claim(TREE).writer == 2


def test_a_log_of_events_that_is_another_one_is_read_from_its_beginning(store: FolderStore) -> None:
    store.events.append(TREE, [event(1, "started"), event(2), event(3, "done")])
    file = store.folder / "trees" / f"{TREE}.jsonl"
    file.write_bytes(file.read_bytes().split(b"\n")[0].lstrip() + b"\n")
    assert store.events.append(TREE, [event(2, text="other")]) == "kept"
