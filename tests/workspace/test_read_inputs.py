"""What is at hand in Python is read like a file, is kept with the workspace, and is there again when the workspace is opened anew."""

from __future__ import annotations

import dataclasses
import enum
import gzip
import io
import json
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pydantic
import pytest

import agentnb as anb
from agentnb.errors import OptionError, UnknownFormat
from agentnb.workspace import Workspace
from agentnb.workspace._folder import FolderStore
from tests.readers.made import claude_session, exchange, reply, user

MESSAGES: list[dict[str, Any]] = [{"role": "user", "content": "Where is my lamp?"}, {"role": "assistant", "content": "On its way."}]
LONGER = [*MESSAGES, {"role": "user", "content": "Thanks"}, {"role": "assistant", "content": "Gladly."}]
CHAT = json.dumps(MESSAGES)


def paths(ws: Workspace) -> list[str]:
    return [source.path for source in ws.account.sources]


def prompts(ws: Workspace) -> list[str]:
    return [prompt for (prompt,) in ws.sql("select prompt from turns order by conversation_id, turn_index").fetchall()]


def test_a_list_of_messages_is_read_in_one_line() -> None:
    ws = anb.read(MESSAGES)
    assert prompts(ws) == ["Where is my lamp?"]
    assert paths(ws)[0].startswith("<messages ")
    assert ws.account.records_kept == 2


@pytest.mark.parametrize(
    "value",
    [
        CHAT,
        CHAT.encode(),
        bytearray(CHAT.encode()),
        gzip.compress(CHAT.encode()),
        json.dumps({"messages": MESSAGES}) + "\n" + json.dumps({"messages": MESSAGES}),
        {"messages": MESSAGES},
        tuple(MESSAGES),
        io.StringIO(CHAT),
        io.BytesIO(CHAT.encode()),
        (message for message in MESSAGES),
        {"first": MESSAGES, "second": LONGER},
        [MESSAGES, LONGER],
    ],
    ids=["text", "bytes", "bytearray", "gzip", "lines", "request", "tuple", "text file", "binary file", "generator", "named ones", "several"],
)
def test_whatever_holds_messages_is_read(value: Any) -> None:
    assert prompts(anb.read(value))[0] == "Where is my lamp?"


class Role(enum.Enum):
    USER = "user"
    ASSISTANT = "assistant"


class Message(pydantic.BaseModel):
    role: Role
    content: str
    said_at: datetime = datetime(2026, 1, 5, tzinfo=UTC)


@dataclasses.dataclass
class Record:
    role: str
    content: str


class Told:
    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def to_dict(self) -> dict[str, Any]:
        return self._fields


class Stubborn(Told):
    """Its first way of telling what it holds wants an argument, as in some SDKs."""

    def model_dump(self, how: str) -> str:
        return how


@pytest.mark.parametrize("make", [Message, Record, Told, Stubborn], ids=lambda kind: kind.__name__)
def test_objects_of_an_sdk_are_read_as_what_they_hold(make: Any) -> None:
    values = [make(role=message["role"], content=message["content"]) for message in MESSAGES]
    if make is Message:
        values = [Message(role=Role(message["role"]), content=message["content"]) for message in MESSAGES]
    assert prompts(anb.read(values)) == ["Where is my lamp?"]
    assert len(anb.read({"messages": values}).account.sources) == 1


def test_a_parsed_list_of_events_is_read_as_the_lines_that_it_was() -> None:
    events = claude_session([user("Hello"), reply("Hello!", id="m1")])
    ws = anb.read(events)
    assert [(source.format, source.records_kept) for source in ws.account.sources] == [("claude_code", 2)]


def test_what_json_does_not_have_is_read_all_the_same() -> None:
    odd = [{"role": "user", "content": "a\ud800b", "score": float("nan"), 7: b"\xff", "tags": {"b", "a"}, "path": Path("x")}, MESSAGES[1]]
    assert prompts(anb.read(odd)) == ["a\\ud800b"]


def test_open_takes_open_files_and_bytes_beside_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path("logs", "talk.json")
    path.parent.mkdir()
    path.write_text(CHAT, "utf-8")
    with path.open("rb") as file:
        assert paths(anb.open(file)) == ["<logs/talk.json>"]
    assert prompts(anb.open(CHAT.encode())) == ["Where is my lamp?"]
    other = json.dumps([{"role": "user", "content": "And the desk?"}]).encode()
    ws = anb.open([path, io.BytesIO(other)])
    assert sorted(prompts(ws)) == ["And the desk?", "Where is my lamp?"]
    assert anb.open([]).account.sources == ()


def test_the_same_object_again_changes_nothing_and_its_ratings_stay() -> None:
    ws = anb.read(MESSAGES)
    (turn,) = (row[0] for row in ws.sql("select turn_id from turns").fetchall())
    ws.rate(turn, "wrong", by="ana")
    ws.read(MESSAGES).refresh()
    assert (len(ws.account.sources), [rating.verdict for rating in ws.turn(turn).ratings]) == (1, ["wrong"])
    again = anb.read([dict(message) for message in MESSAGES])
    assert [row[0] for row in again.sql("select turn_id from turns").fetchall()] == [turn]


def test_a_longer_list_is_the_same_conversation_with_more_turns() -> None:
    ws = anb.read(MESSAGES).read(LONGER)
    assert len(ws.account.sources) == 2
    assert ws.sql("select count(*) from conversations").fetchall() == [(1,)]
    assert prompts(ws) == ["Where is my lamp?", "Thanks"]


def test_what_is_given_under_a_name_takes_the_place_of_what_had_it() -> None:
    ws = anb.read(MESSAGES, name="lamp")
    anb.read(LONGER, name="lamp", workspace=ws)
    assert paths(ws) == ["<lamp>"]
    assert prompts(ws) == ["Where is my lamp?", "Thanks"]


def test_a_workspace_folder_keeps_what_was_given_and_reads_it_again(tmp_path: Path) -> None:
    folder = tmp_path / "triage"
    ws = anb.read(MESSAGES, name="a/b: lamp?", workspace=folder)
    assert anb.open(workspace=folder).refresh().account.records_kept == 2
    for table in (folder / "tables").glob("*/*.parquet"):
        table.write_bytes(b"damaged")
    again = anb.open(workspace=folder)
    assert (paths(again), prompts(again)) == (["<a/b: lamp?>"], ["Where is my lamp?"])
    assert paths(ws) == ["<a/b: lamp?>"]


def test_a_conversation_that_goes_on_in_another_object_is_read_together_with_what_the_folder_keeps(tmp_path: Path) -> None:
    anb.read(MESSAGES, workspace=tmp_path / "triage")
    ws = anb.read(LONGER, workspace=tmp_path / "triage")
    assert (len(ws.account.sources), prompts(ws)) == (2, ["Where is my lamp?", "Thanks"])


def test_saving_keeps_what_was_given_in_memory(tmp_path: Path) -> None:
    ws = anb.read(MESSAGES).save(tmp_path / "triage").refresh()
    assert prompts(ws) == ["Where is my lamp?"]
    assert [path for path, _ in FolderStore(tmp_path / "triage").held()] == [Path(paths(ws)[0])]
    assert len(ws.read(MESSAGES).account.sources) == 1


def test_a_refresh_reads_what_was_given_no_second_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ws = anb.read(MESSAGES, workspace=tmp_path / "triage")
    monkeypatch.setattr("agentnb.workspace._reading.read_group", lambda *given: pytest.fail("read again"))
    ws.refresh()
    anb.open(workspace=tmp_path / "triage").refresh()
    assert prompts(ws) == ["Where is my lamp?"]


def packed(path: Path, members: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(name, text)
    return path


def test_members_of_an_archive_are_known_again_and_read_again_when_it_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = packed(tmp_path / "logs.zip", {"a.json": CHAT, "notes.txt": "words"})
    ws = anb.open(path, workspace=tmp_path / "triage")
    assert paths(ws) == [f"{path}/a.json", f"{path}/notes.txt"]
    with monkeypatch.context() as patched:
        patched.setattr("agentnb.workspace._reading.read_group", lambda *given: pytest.fail("read again"))
        ws.refresh()
        anb.open(path, workspace=tmp_path / "triage")
    packed(path, {"a.json": json.dumps(LONGER), "b.json": json.dumps([{"role": "user", "content": "And the desk?"}])})
    ws.refresh()
    assert sorted(prompts(ws)) == ["And the desk?", "Thanks", "Where is my lamp?"]
    path.unlink()
    assert len(prompts(ws.refresh())) == 3


def test_a_member_of_an_archive_that_was_kept_is_read_with_a_file_that_belongs_to_it(tmp_path: Path) -> None:
    path = packed(tmp_path / "logs.zip", {"a.json": CHAT})
    ws = anb.open(path)
    (tmp_path / "later.json").write_text(json.dumps(LONGER), "utf-8")
    ws.read(tmp_path / "later.json")
    assert ws.sql("select count(*) from conversations").fetchall() == [(1,)]
    assert prompts(ws) == ["Where is my lamp?", "Thanks"]


def test_archives_that_stay_closed_and_cut_ones_are_told_in_a_folder_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = packed(tmp_path / "deep.zip", {"x.json": CHAT}).read_bytes()
    middle = tmp_path / "middle.zip"
    with zipfile.ZipFile(middle, "w") as archive:
        archive.writestr("deep.zip", deep)
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.json", CHAT)
        archive.writestr("middle.zip", middle.read_bytes())
        archive.writestr("b.txt", "words")
    whole = path.read_bytes()
    path.write_bytes(whole[: whole.index(b"b.txt") - 30])
    monkeypatch.chdir(tmp_path)
    ws = anb.open("logs.zip", workspace="triage")
    expected = {"logs.zip": "unreadable", "logs.zip/a.json": "read", "logs.zip/middle.zip/deep.zip": "unreadable"}
    assert {source.path: source.state for source in ws.account.sources} == expected
    path.write_bytes(whole[: whole.rindex(b"PK\x01\x02")])
    assert {source.path: source.state for source in anb.open(path, workspace="triage").account.sources} == expected | {f"{path}/b.txt": "unknown_format"}
    assert len(ws.refresh().account.sources) == 4


@pytest.mark.parametrize("path", ["logs/run.jsonl", "run", "*.json", Path("logs")], ids=str)
def test_a_path_is_no_object_and_the_error_says_what_takes_it(path: Any) -> None:
    with pytest.raises(OptionError, match=r"anb\.open\('.*'\) reads files"):
        anb.read(path)


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ([1, 2], "a list of 2 whose first item is a int"),
        ({"theme": "dark"}, "an object with theme"),
        ([exchange(MESSAGES, None)["response"]], "a list of 1 whose first item is an object with object"),
        (7, "A int cannot be read"),
        (object(), "A object cannot be read"),
        (b'{"theme": "dark"}', "an object with theme"),
        ('{"theme": "dark"}', "an object with theme"),
    ],
    ids=["numbers", "object", "response", "number", "thing", "bytes", "text"],
)
def test_an_object_of_no_known_format_is_refused_with_what_was_seen(value: Any, seen: str) -> None:
    with pytest.raises(UnknownFormat) as caught:
        anb.read(value)
    assert seen in str(caught.value)


def test_an_object_that_holds_itself_is_refused() -> None:
    ring: list[Any] = []
    ring.append(ring)
    with pytest.raises(UnknownFormat, match="holds itself"):
        anb.read(ring)


def test_a_long_name_is_known_by_its_end_and_told_from_others() -> None:
    ws = anb.read(MESSAGES, name="x" * 300 + "/talk.json")
    ws.read(LONGER, name="y" * 300 + "/talk.json")
    first, second = paths(ws)
    assert first != second
    assert all(len(path) < 70 and "/talk.json " in path for path in (first, second))


def test_what_is_refused_leaves_nothing_in_the_workspace(tmp_path: Path) -> None:
    ws = anb.read(MESSAGES, workspace=tmp_path / "triage")
    with pytest.raises(UnknownFormat):
        anb.read({"theme": "dark"}, workspace=ws)
    assert len(list((tmp_path / "triage" / "inputs").iterdir())) == 1
    assert len(ws.account.sources) == 1
