"""A file that is one document may be cut, damaged or odd: what stands before the damage is read, and what is odd is a diagnostic."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.made import Record, answers, asks, chat, claude_session, exchange, reply, trajectory, user, write_json, write_lines
from tests.readers.reading import account_of, calls_of, codes, line_of, read, texts_of

TALK = chat(
    [("user", "Where is my lamp?"), asks(("c1", "find", '{"what":"lamp"}')), answers("c1", "in Hannover"), ("assistant", "In Hannover."), ("user", "Thanks.")]
)
STEPS: list[Record] = [
    {"source": "user", "message": "List it."},
    {
        "source": "agent",
        "message": "",
        "tool_calls": [{"tool_call_id": "c1", "function_name": "ls", "arguments": {}}],
        "observation": {"results": [{"content": "a.txt"}]},
    },
    {"source": "agent", "message": "Done."},
]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_cut_message_list_is_read_up_to_the_cut(indent: int | None, tmp_path: Path) -> None:
    text = json.dumps(TALK, indent=indent)
    path = tmp_path / "file.json"
    path.write_text(text[: text.index("In Hannover.") + 6], encoding="utf-8")
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?", "In Han"]
    assert [(call.state, call.output) for call in calls_of(rows)] == [("done", "in Hannover")]
    assert codes(rows) == {"cut_document": 1}
    assert rows.diagnostics[0].severity == "warning"
    assert account_of(rows) == (4, 4, 0, 0)


def test_wherever_a_message_list_is_cut_it_is_read_or_refused_and_never_breaks(tmp_path: Path) -> None:
    text = json.dumps(TALK)
    path = tmp_path / "file.json"
    other = write_lines(tmp_path / "other" / "session.jsonl", claude_session([user("Hello"), reply("Hello!")]))
    read_well = 0
    for end in range(1, len(text), 3):
        path.write_text(text[:end], encoding="utf-8")
        rows = read([path, other])
        read_well += rows.sources[0].format == "openai_chat" or rows.sources[-1].format == "openai_chat"
    # From the first whole message on, there is something to read.
    assert read_well >= (len(text) - len(json.dumps(TALK[:1])) - 40) // 3


def test_a_message_list_with_garbage_in_its_middle_is_read_up_to_the_garbage(tmp_path: Path) -> None:
    text = json.dumps(TALK)
    path = tmp_path / "file.json"
    path.write_text(text.replace('{"role": "assistant", "content": "In Hannover."}', "%% garbage %%"), encoding="utf-8")
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?"]
    assert (codes(rows), account_of(rows)) == ({"cut_document": 1}, (3, 3, 0, 0))


def test_a_cut_trajectory_is_read_up_to_the_cut(tmp_path: Path) -> None:
    text = json.dumps(trajectory(STEPS), indent=1)
    path = tmp_path / "file.json"
    path.write_text(text[: text.index('"Done.') + 4], encoding="utf-8")
    rows = read(path)
    assert texts_of(rows) == ["List it.", "Don"]
    assert (codes(rows), account_of(rows)) == ({"cut_document": 1}, (3, 3, 0, 0))


def test_a_cut_file_of_runs_is_read_up_to_the_cut(tmp_path: Path) -> None:
    runs = [{"task_id": number, "trial": 0, "reward": 1.0, "traj": chat([("user", f"Question {number}"), ("assistant", "Yes.")])} for number in range(3)]
    text = json.dumps(runs)
    path = tmp_path / "file.json"
    path.write_text(text[: text.index("Question 2") + 10], encoding="utf-8")
    rows = read(path)
    assert [turn.prompt for turn in rows.turns] == ["Question 0", "Question 1", "Question 2"]
    assert (codes(rows), account_of(rows)) == ({"cut_document": 1}, (5, 5, 0, 0))


@pytest.mark.parametrize("document", [TALK, {"messages": TALK}, [{"task_id": 1, "traj": TALK}]], ids=["messages", "request", "runs"])
def test_a_document_with_a_byte_order_mark_is_read(document: Any, tmp_path: Path) -> None:
    path = write_json(tmp_path / "file.json", document)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?", "In Hannover.", "Thanks."]
    assert account_of(rows) == (5, 5, 0, 0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_a_document_in_utf_16_is_read(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(("\ufeff" + json.dumps(TALK, indent=2)).encode(encoding))
    assert texts_of(read(path)) == ["Where is my lamp?", "In Hannover.", "Thanks."]


def test_a_document_with_line_ends_of_windows_is_read(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(TALK, indent=2).replace("\n", "\r\n").encode())
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?", "In Hannover.", "Thanks."]
    assert codes(rows) == {}


def test_bytes_of_a_document_that_are_no_utf8_become_escapes(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(TALK).encode().replace(b"In Hannover.", b"In K\xf6ln."))
    rows = read(path)
    assert "In K\\xf6ln." in texts_of(rows)
    assert (codes(rows), account_of(rows)) == ({"invalid_utf8": 1}, (5, 5, 0, 0))


def test_a_lone_surrogate_of_a_chat_is_shown_as_an_escape_and_the_message_kept_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(TALK).encode().replace(b"Thanks.", b"Thanks \\ud83c"))
    rows = read(path)
    (part,) = (part for part in rows.parts if part.text == "Thanks \\ud83c")
    assert json.loads(json.loads(part.extra or "")["as_recorded"]) == {"role": "user", "content": "Thanks \ud83c"}
    assert (codes(rows), account_of(rows)) == ({"lone_surrogate": 1}, (5, 5, 0, 0))


def test_a_lone_surrogate_of_a_trajectory_is_shown_as_an_escape_and_the_step_kept_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(json.dumps(trajectory(STEPS)).encode().replace(b"Done.", b"Done \\udfff"))
    rows = read(path)
    model = calls_of(rows, "model")[-1]
    assert json.loads(json.loads(model.extra or "")["as_recorded"])["message"] == "Done \udfff"
    assert "Done \\udfff" in texts_of(rows)
    assert codes(rows) == {"lone_surrogate": 1}


def test_a_lone_surrogate_of_a_request_in_a_log_is_kept_with_its_message(tmp_path: Path) -> None:
    line = json.dumps(exchange(TALK[:1], {"role": "assistant", "content": "Hm."})).encode().replace(b"lamp?", b"lamp \\udc00?")
    rows = read(write_lines(tmp_path / "file", [line, exchange(chat([("user", "Hello")]), {"role": "assistant", "content": "Hello!"})]))
    (part,) = (part for part in rows.parts if part.text == "Where is my lamp \\udc00?")
    assert json.loads(json.loads(part.extra or "")["as_recorded"])["content"] == "Where is my lamp \udc00?"


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_document_with_what_is_no_number_is_read(word: str, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps({"messages": TALK, "temperature": 17.25}).replace("17.25", word), encoding="utf-8")
    rows = read(path)
    assert json.loads(rows.conversations[0].extra or "") == {"temperature": word}
    assert (codes(rows), account_of(rows)) == ({"not_a_number": 1}, (5, 5, 0, 0))


@pytest.mark.parametrize("deep", [400, 990, 10_000])
def test_what_is_nested_too_deeply_in_a_document_is_replaced_by_a_note_and_all_around_it_read(deep: int, tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    messages = [TALK[0] | {"deep": "?"}, *TALK[1:]]
    path.write_bytes(json.dumps(messages).encode().replace(b'"?"', b"[" * deep + b"NaN" + b"]" * deep))
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?", "In Hannover.", "Thanks."]
    assert account_of(rows) == (5, 5, 0, 0)
    # Up to which depth the parser can go depends on the version of Python; what it read is whole, and what it did not is noted.
    noted = "(nested too deeply)" in (rows.parts[0].extra or "")
    assert codes(rows) == ({"too_deep": 1} if noted else {"not_a_number": 1})
    assert noted or (deep < 10_000 and "NaN" in (rows.parts[0].extra or ""))


def test_a_document_that_is_deep_and_cut_is_read_up_to_the_cut(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    messages = [TALK[0] | {"deep": "?"}, *TALK[1:]]
    text = json.dumps(messages).encode().replace(b'"?"', b"[" * 10_000 + b"]" * 10_000)
    path.write_bytes(text[: text.index(b"In Hannover.") + 12])
    rows = read(path)
    assert texts_of(rows) == ["Where is my lamp?", "In Hannover."]
    assert codes(rows) == {"cut_document": 1, "too_deep": 1}


def test_arguments_that_are_deep_are_kept_as_a_text(tmp_path: Path) -> None:
    arguments = '{"a":' + "[" * 10_000 + "]" * 10_000 + "}"
    rows = read(write_json(tmp_path / "file.json", chat([("user", "Do it."), asks(("c1", "do", arguments)), answers("c1")])))
    (call,) = calls_of(rows)
    assert json.loads(call.input or "") == arguments
    assert [(diagnostic.code, diagnostic.call_id, diagnostic.source_line) for diagnostic in rows.diagnostics] == [("too_deep", call.call_id, 2)]


def test_the_character_nul_in_a_document_is_kept(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file.json", chat([("user", "a\x00b"), ("assistant", "Hm.")])))
    assert rows.turns[0].prompt == "a\x00b"


def test_a_number_of_ten_thousand_digits_is_kept_as_text(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text(json.dumps({"messages": TALK, "seed": 17}).replace("17", "9" * 10_000), encoding="utf-8")
    rows = read(path)
    assert json.loads(rows.conversations[0].extra or "") == {"seed": "9" * 10_000}
    assert codes(rows) == {"long_integer": 1}


@pytest.mark.parametrize(
    "other", ["text", 7, None, [], {"content": "nobody"}, {"role": "critic", "content": "Bad."}, {"role": ["user"], "content": "Hm."}], ids=repr
)
@pytest.mark.parametrize("place", [0, 2, 4, 60])
def test_what_stands_among_messages_and_is_none_is_left_out_with_its_place(other: Any, place: int, tmp_path: Path) -> None:
    many = chat([("user", "Where is my lamp?"), ("assistant", "In Hannover.")]) * 40
    rows = read(write_json(tmp_path / "file.json", [*many[:place], other, *many[place:]]))
    assert (codes(rows), line_of(rows, "no_message")) == ({"no_message": 1}, place + 1)
    assert account_of(rows) == (81, 80, 0, 1)
    assert rows.sources[0].skipped == '{"no_message":1}'
    assert len(rows.turns) == 40


@pytest.mark.parametrize("other", ["text", 7, None, [], {"tool": "ls"}], ids=repr)
def test_what_stands_among_steps_and_is_none_is_left_out_with_its_place(other: Any, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file.json", trajectory([]) | {"steps": [STEPS[0], other, STEPS[2]]}))
    assert texts_of(rows) == ["List it.", "Done."]
    expected = {"no_step": 1} if not isinstance(other, dict) else {}
    assert codes(rows) == expected
    assert account_of(rows) == ((3, 2, 0, 1) if expected else (3, 3, 0, 0))


def test_what_stands_among_runs_and_is_none_is_left_out_with_its_place(tmp_path: Path) -> None:
    run = {"task_id": 1, "trial": 0, "reward": 1.0, "traj": TALK}
    rows = read(write_json(tmp_path / "file.json", [run, {"error": "no run"}, 7, run | {"trial": 1}]))
    assert len(rows.conversations) == 2
    assert [diagnostic.source_line for diagnostic in rows.diagnostics] == [2, 3]
    assert account_of(rows) == (12, 10, 0, 2)


def test_what_stands_beside_trajectories_and_is_none_is_left_out(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file.json", {"parent": trajectory(STEPS), "note": "two runs", "child": trajectory(STEPS[:1], session="run-2")}))
    assert [row.conversation_id for row in rows.conversations] == ["run-1", "run-2"]
    assert (codes(rows), account_of(rows)) == ({"no_trajectory": 1}, (5, 4, 0, 1))


def test_an_entry_of_a_web_export_that_is_no_object_is_left_out(tmp_path: Path) -> None:
    lines = claude_session([user("Hello"), reply("Hello!", id="m1")])
    rows = read(write_json(tmp_path / "file.json", {"loglines": [lines[0], "text", lines[1]]}))
    assert texts_of(rows) == ["Hello", "Hello!"]
    assert account_of(rows) == (3, 2, 0, 1)
    assert rows.sources[0].skipped == '{"not_an_object":1}'


def test_a_nul_in_what_was_said_asked_or_returned_is_kept_and_noted_whatever_the_format(tmp_path: Path) -> None:
    said = chat([("user", "Where\0?"), asks(("t1", "track", '{"parcel":"\\u0000"}')), answers("t1", "\0lost"), ("assistant", "It is lost.")])
    rows = read(write_json(tmp_path / "file.json", said))
    assert codes(rows) == {"nul_character": 3}
    assert (rows.turns[0].prompt, calls_of(rows)[0].output) == ("Where\0?", "\0lost")
