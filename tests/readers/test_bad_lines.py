"""A line may be anything: what is odd is a diagnostic with its place, and the rest of the file is read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows, find_files, read_group, survey_files
from tests.readers.made import Record, answers, asks, chat, claude_session, exchange, moment, reply, result, tool_use, user, uuid_of, write_lines
from tests.readers.reading import account_of, calls_of, codes, line_of, read, texts_of

DEEP = 10_000


def session() -> list[Record]:
    """Five events: a question, a call with its result, an answer."""
    events = [
        user("Where is my lamp?"),
        reply(tool_use("t1", command="ls"), id="m1", stop="tool_use"),
        result("t1", "lamp.txt"),
        reply("Here.", id="m2"),
        user("Thanks."),
    ]
    return claude_session(events)


def with_line(line: bytes) -> list[Record | bytes]:
    """The session with one more line in its middle, as number 3."""
    events: list[Record | bytes] = [*session()]
    return [*events[:2], line, *events[2:]]


def check_rest(rows: Rows) -> None:
    """The five events around the bad line were read."""
    assert [turn.prompt for turn in rows.turns] == ["Where is my lamp?", "Thanks."]
    (call,) = (call for call in calls_of(rows) if call.tool_call_id == "t1")
    assert (call.state, call.output) == ("done", "lamp.txt")
    assert rows.turns[0].answer == "Here."


def test_the_session_itself_has_nothing_odd(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", session()))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({}, (5, 5, 0, 0))


@pytest.mark.parametrize("line", [b"not JSON at all", b'{"type":"user","uuid":', b"}", b'{"a":1} {"b":2}', b"{'type': 'user'}"])
def test_a_line_that_is_not_json_is_left_out_with_its_place(line: bytes, tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert (codes(rows), line_of(rows, "not_json")) == ({"not_json": 1}, 3)
    assert account_of(rows) == (6, 5, 0, 1)
    assert rows.sources[0].skipped == '{"not_json":1}'
    assert rows.diagnostics[0].severity == "error"
    assert rows.diagnostics[0].excerpt == line.decode()


@pytest.mark.parametrize("line", [b"null", b"17", b'"a text"', b"[1, 2]", b"true"])
def test_a_line_that_is_no_object_is_left_out_with_its_place(line: bytes, tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert (codes(rows), line_of(rows, "not_an_object")) == ({"not_an_object": 1}, 3)
    assert account_of(rows) == (6, 5, 0, 1)


def test_a_last_line_that_is_cut_is_left_out(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file", [*session(), *claude_session([reply("Bye.", id="m3")], first=6)])
    path.write_bytes(path.read_bytes()[:-40])
    rows = read(path)
    check_rest(rows)
    assert (codes(rows), line_of(rows, "not_json")) == ({"not_json": 1}, 6)
    assert account_of(rows) == (6, 5, 0, 1)


def test_a_last_line_without_an_end_is_read(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file", session())
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    rows = read(path)
    check_rest(rows)
    assert codes(rows) == {}


def test_blank_lines_are_no_records(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", [b"", *with_line(b"  \t"), b"", b""]))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({}, (5, 5, 0, 0))
    assert [turn.source_line for turn in rows.turns] == [2, 7]


def raw(event: Record) -> bytes:
    return json.dumps(claude_session([event], first=9)[0], ensure_ascii=False).encode()


def test_bytes_that_are_no_utf8_in_a_text_become_escapes(tmp_path: Path) -> None:
    line = raw(reply("caf\u0000 au lait", id="m9")).replace(b"\\u0000", b"\xe9")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert "caf\\xe9 au lait" in texts_of(rows, "assistant")
    assert (codes(rows), line_of(rows, "invalid_utf8")) == ({"invalid_utf8": 1}, 3)
    assert account_of(rows) == (6, 6, 0, 0)


def test_bytes_that_are_no_utf8_in_the_arguments_of_a_tool_become_escapes(tmp_path: Path) -> None:
    line = raw(reply(tool_use("t9", command="cat caf?"), id="m9", stop="tool_use")).replace(b"caf?", b"caf\xe9")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    (call,) = (call for call in calls_of(rows) if call.tool_call_id == "t9")
    assert json.loads(call.input or "") == {"command": "cat caf\\xe9"}
    assert codes(rows) == {"invalid_utf8": 1, "unanswered_call": 1}


def test_bytes_that_are_no_utf8_in_the_details_of_a_result_become_escapes(tmp_path: Path) -> None:
    line = raw(result("t1", "lamp.txt", toolUseResult={"stdout": "lamp?", "stderr": ""})).replace(b"lamp?", b"lamp\xff")
    events: list[Record | bytes] = [*session()]
    rows = read(write_lines(tmp_path / "file", [*events[:2], line, *events[3:]]))
    check_rest(rows)
    (call,) = calls_of(rows)
    assert json.loads(call.extra or "") == {"toolUseResult": {"stdout": "lamp\\xff", "stderr": ""}}
    assert codes(rows) == {"invalid_utf8": 1}


def test_a_byte_order_mark_is_left_out(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file", session())
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    rows = read(path)
    check_rest(rows)
    assert (codes(rows), line_of(rows, "byte_order_mark")) == ({"byte_order_mark": 1}, 1)
    assert account_of(rows) == (5, 5, 0, 0)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_with_its_mark_is_read(encoding: str, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file", session())
    path.write_bytes(("\ufeff" + path.read_text(encoding="utf-8")).encode(encoding))
    rows = read(path)
    check_rest(rows)
    assert codes(rows) == {"byte_order_mark": 1}
    assert account_of(rows) == (5, 5, 0, 0)


def test_lines_of_windows_are_read_and_noted_once(tmp_path: Path) -> None:
    path = write_lines(tmp_path / "file", session())
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    rows = read(path)
    check_rest(rows)
    assert (codes(rows), line_of(rows, "carriage_returns")) == ({"carriage_returns": 1}, 1)


def test_line_ends_of_windows_inside_a_text_are_kept(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", claude_session([user("one\r\ntwo")])))
    assert (rows.turns[0].prompt, codes(rows)) == ("one\r\ntwo", {})


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_no_number_is_kept_as_its_name(word: str, tmp_path: Path) -> None:
    line = raw(reply(tool_use("t9", value=17.25), id="m9", stop="tool_use")).replace(b"17.25", word.encode())
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert [json.loads(call.input or "") for call in calls_of(rows) if call.tool_call_id == "t9"] == [{"value": word}]
    assert codes(rows) == {"not_a_number": 1, "unanswered_call": 1}
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_lone_surrogate_is_shown_as_an_escape_and_the_original_kept(tmp_path: Path) -> None:
    line = raw(reply("half of a ?", id="m9")).replace(b"?", b"\\ud83c")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    (part,) = (part for part in rows.parts if part.text == "half of a \\ud83c")
    assert "half of a \\ud83c" in (part.extra or "")
    assert json.loads(part.extra or "")["record"]["message"]["content"] == [{"type": "text", "text": "half of a \ud83c"}]
    assert codes(rows) == {"lone_surrogate": 1}
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_pair_of_surrogates_is_a_character(tmp_path: Path) -> None:
    line = raw(reply("a ?", id="m9")).replace(b"?", b"\\ud83c\\udf3b")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    assert "a 🌻" in texts_of(rows)
    assert codes(rows) == {}


def test_the_character_nul_is_kept_and_noted(tmp_path: Path) -> None:
    line = raw(reply("a?b", id="m9")).replace(b"?", b"\\u0000")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert "a\x00b" in texts_of(rows)
    assert (codes(rows), line_of(rows, "nul_character")) == ({"nul_character": 1}, 3)


def test_a_raw_nul_in_a_text_is_kept_and_noted(tmp_path: Path) -> None:
    line = raw(reply("a?b", id="m9")).replace(b"?", b"\x00")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert "a\x00b" in texts_of(rows)
    assert codes(rows) in ({"loose_json": 1}, {"nul_character": 1}, {"loose_json": 1, "nul_character": 1})
    assert account_of(rows) == (6, 6, 0, 0)


def test_raw_nuls_between_lines_are_no_json(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(b"\x00" * 4096)))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({"not_json": 1}, (6, 5, 0, 1))


def test_a_raw_control_character_in_a_text_is_read(tmp_path: Path) -> None:
    line = raw(reply("a?b", id="m9")).replace(b"?", b"\x1b")
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert "a\x1bb" in texts_of(rows)
    assert codes(rows) == {"loose_json": 1}


@pytest.mark.parametrize("brackets", [(b"[", b"]"), (b'{"a":', b"}")], ids=["lists", "objects"])
def test_what_is_nested_ten_thousand_deep_in_a_line_is_replaced_by_a_note(brackets: tuple[bytes, bytes], tmp_path: Path) -> None:
    line = raw(reply("deep", id="m9", extra="?")).replace(b'"?"', brackets[0] * DEEP + b"1" + brackets[1] * DEEP)
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert "deep" in texts_of(rows, "assistant")
    assert (codes(rows), line_of(rows, "too_deep")) == ({"too_deep": 1}, 3)
    assert rows.diagnostics[0].severity == "warning"
    assert account_of(rows) == (6, 6, 0, 0)


@pytest.mark.parametrize("deep", [400, 900, 960, 980, 990, 1_000, 1_100, DEEP])
@pytest.mark.parametrize("core", [b"1", b"NaN", b'"\\ud83c"', b'"\xff"'], ids=["number", "NaN", "surrogate", "bytes"])
def test_the_arguments_of_a_tool_may_be_nested_to_any_depth(deep: int, core: bytes, tmp_path: Path) -> None:
    line = raw(reply(tool_use("t9", value="?"), id="m9", stop="tool_use")).replace(b'"?"', b"[" * deep + core + b"]" * deep)
    rows = read_unchecked(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert account_of(rows) == (6, 6, 0, 0)
    assert codes(rows)["unanswered_call"] == 1
    if deep == DEEP:
        # From which depth on the parser gives up depends on the version of Python; at this one all do. The arguments stand at depth 5, and what is below
        # depth 100 is replaced.
        assert [json.loads(call.input or "") for call in calls_of(rows) if call.tool_call_id == "t9"] == [{"value": nested("(nested too deeply)", 95)}]


def nested(core: str, deep: int) -> Any:
    value: Any = core
    for _ in range(deep):
        value = [value]
    return value


def test_the_details_of_a_result_may_be_nested_to_any_depth(tmp_path: Path) -> None:
    line = raw(result("t1", "lamp.txt", toolUseResult="?")).replace(b'"?"', b"[" * DEEP + b"]" * DEEP)
    events: list[Record | bytes] = [*session()]
    rows = read(write_lines(tmp_path / "file", [*events[:2], line, *events[3:]]))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({"too_deep": 1}, (5, 5, 0, 0))


def test_the_arguments_of_a_sub_agent_may_be_nested_to_any_depth(tmp_path: Path) -> None:
    line = raw(reply(tool_use("t9", "Task", prompt="Look.", value="?"), id="m9", stop="tool_use")).replace(b'"?"', b"[" * DEEP + b"]" * DEEP)
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({"too_deep": 1, "unanswered_call": 1}, (6, 6, 0, 0))


def test_brackets_in_a_text_are_no_nesting(tmp_path: Path) -> None:
    line = raw(reply("[" * DEEP, id="m9"))
    rows = read(write_lines(tmp_path / "file", with_line(line)))
    assert "[" * DEEP in texts_of(rows)
    assert codes(rows) == {}


def test_a_line_that_is_cut_in_deep_nesting_is_left_out(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(b'{"type":"user","deep":' + b"[" * DEEP)))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({"not_json": 1}, (6, 5, 0, 1))


def read_unchecked(path: Path) -> Rows:
    """Read without looking into JSON that Python can not nest as deeply."""
    (group,) = survey_files(find_files(path)).groups
    return read_group(group)


def long_event(number: int) -> list[Record]:
    return claude_session([user("x" * 50_000_000)], first=number)


def test_a_first_line_of_50_mb_is_read_whole(tmp_path: Path) -> None:
    events = [*long_event(1), *claude_session([reply("That is long.", id="m1")], first=2)]
    rows = read(write_lines(tmp_path / "file", events))
    assert (len(rows.turns[0].prompt or ""), rows.turns[0].answer) == (50_000_000, "That is long.")
    assert (codes(rows), line_of(rows, "long_line")) == ({"long_line": 1}, 1)
    assert account_of(rows) == (2, 2, 0, 0)


def test_a_later_line_of_50_mb_is_read_whole(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", [*session(), *long_event(6), *claude_session([reply("That is long.", id="m6")], first=7)]))
    assert [len(turn.prompt or "") for turn in rows.turns] == [17, 7, 50_000_000]
    assert rows.turns[2].answer == "That is long."
    assert (codes(rows), line_of(rows, "long_line")) == ({"long_line": 1}, 6)


def test_an_event_met_twice_is_merged(tmp_path: Path) -> None:
    events = session()
    rows = read(write_lines(tmp_path / "file", [*events, events[2], events[3]]))
    check_rest(rows)
    assert (codes(rows), account_of(rows)) == ({"duplicate_id": 2}, (7, 5, 2, 0))
    assert [diagnostic.source_line for diagnostic in rows.diagnostics] == [6, 7]
    assert rows.diagnostics[0].excerpt == uuid_of(3)


def test_a_result_without_a_call_is_kept_in_a_part_of_its_own(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(raw(result("nobody-asked", "42")))))
    check_rest(rows)
    assert (codes(rows), line_of(rows, "orphan_result")) == ({"orphan_result": 1}, 3)
    assert [part.text for part in rows.parts if part.type == "tool_result" and part.call_id is None] == ["42"]
    assert account_of(rows) == (6, 6, 0, 0)


def test_a_call_without_a_result_is_unanswered(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", with_line(raw(reply(tool_use("t9"), id="m9", stop="tool_use")))))
    check_rest(rows)
    (call,) = (call for call in calls_of(rows) if call.tool_call_id == "t9")
    assert (call.state, call.failed, call.output, call.ended_at) == ("unanswered", False, None, None)
    assert [(diagnostic.code, diagnostic.call_id, diagnostic.source_line) for diagnostic in rows.diagnostics] == [("unanswered_call", call.call_id, 3)]


@pytest.mark.parametrize(
    ("arguments", "kept"), [("ls -l", '"ls -l"'), ("{'a': 1}", '''"{'a': 1}"'''), ('{"a": 1', '"{\\"a\\": 1"'), ("null", "null"), ("[1]", "[1]")]
)
def test_arguments_of_a_chat_that_are_not_json_are_kept_as_a_text(arguments: str, kept: str, tmp_path: Path) -> None:
    messages = chat([("user", "List it."), asks(("c1", "ls", arguments)), answers("c1"), ("assistant", "Done.")])
    rows = read(
        write_lines(
            tmp_path / "file", [exchange(messages[:3], messages[3]), exchange([*messages, *chat([("user", "Thanks.")])], None, error={"message": "no"})]
        )
    )
    (call,) = calls_of(rows)
    assert call.input == kept
    assert (call.state, rows.turns[0].answer) == ("done", "Done.")
    odd = [(diagnostic.code, diagnostic.call_id, diagnostic.source_line) for diagnostic in rows.diagnostics]
    assert odd == ([] if arguments in ("null", "[1]") else [("arguments_not_json", call.call_id, 1)])


@pytest.mark.parametrize(("arguments", "kept"), [("", None), ("  ", None), (None, None), ({}, "{}"), ({"a": [1]}, '{"a":[1]}'), (3, "3")])
def test_arguments_of_a_chat_may_be_missing_or_no_text_at_all(arguments: Any, kept: str | None, tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "file", [exchange(chat([("user", "List it.")]), asks(("c1", "ls", arguments))), b"{}"]))
    assert [call.input for call in calls_of(rows)] == [kept]


@pytest.mark.parametrize("line", [b"not JSON", b'{"request": {"messages"', b"\xff\xfe\xfd"])
def test_a_line_of_a_log_that_is_not_json_is_left_out(line: bytes, tmp_path: Path) -> None:
    talk = chat([("user", "Hello"), ("assistant", "Hello!"), ("user", "Bye")])
    records: list[Record | bytes] = [exchange(talk[:1], talk[1]), line, exchange(talk, {"role": "assistant", "content": "Bye!"})]
    rows = read(write_lines(tmp_path / "file", records))
    assert texts_of(rows) == ["Hello", "Hello!", "Bye", "Bye!"]
    assert (codes(rows)["not_json"], line_of(rows, "not_json")) == (1, 2)
    assert account_of(rows) == (7, 4, 2, 1)


def test_odd_bytes_of_a_log_are_noted_with_their_line(tmp_path: Path) -> None:
    talk = chat([("user", "Hello"), ("assistant", "Hello!"), ("user", "caf? or $")])
    line = json.dumps(exchange(talk, None, error={"message": "no"})).encode().replace(b"caf?", b"caf\xe9").replace(b"$", b"\\ud83c")
    rows = read(write_lines(tmp_path / "file", [exchange(talk[:1], talk[1]), line]))
    assert "caf\\xe9 or \\ud83c" in texts_of(rows)
    assert {diagnostic.code: diagnostic.source_line for diagnostic in rows.diagnostics}["invalid_utf8"] == 2


def test_many_bad_lines_are_counted_and_the_first_five_hundred_listed(tmp_path: Path) -> None:
    events: list[Record | bytes] = [*session()]
    rows = read(write_lines(tmp_path / "file", [*events[:3], *[b"nonsense"] * 700, *events[3:]]))
    check_rest(rows)
    assert account_of(rows) == (705, 5, 0, 700)
    assert (rows.sources[0].diagnostics, codes(rows)) == (700, {"not_json": 501})
    assert rows.diagnostics[-1].message == "200 more of not_json, 700 in all; only the first 500 are listed."


def test_events_of_unknown_kinds_are_kept_whole(tmp_path: Path) -> None:
    event = {"type": "teleport", "sessionId": session()[0]["sessionId"], "where": {"x": 1}, "timestamp": moment(3)}
    rows = read(write_lines(tmp_path / "file", with_line(json.dumps(event).encode())))
    check_rest(rows)
    (part,) = (part for part in rows.parts if part.type == "other")
    assert json.loads(part.extra or "") == event
    assert codes(rows) == {}
