"""What a file is made of is told by looking: lines, events, values one after another, one document, YAML, other text; and no bytes make that fail."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.readers import OpenFile, Sample, read_lines, read_text, read_values
from agentnb.readers._account import Account
from agentnb.readers._content import Held
from agentnb.readers._rows import SourceRow
from agentnb.readers._sample import Look, look_at
from tests.readers.made import chat, exchange, write_json
from tests.readers.reading import account_of, codes, read

TALK = chat([("user", "Hello"), ("assistant", "Hello!")])
VALUES = [{"a": 1}, {"b": [2, "}{"]}, {"c": {"d": '\\"'}}]


def look(data: bytes) -> Look:
    return look_at(Path("<data>"), Held(data, 0))


def seen(data: bytes) -> Sample:
    sample = look(data).sample
    assert sample is not None
    return sample


def opened(data: bytes) -> OpenFile:
    account = Account(SourceRow("s1", "<data>", bytes=len(data)))
    return OpenFile(Path("<data>"), seen(data), account, Held(data, 0))


def values_of(data: bytes) -> list[tuple[int, Any]]:
    return list(read_values(opened(data), lambda count: None))


@pytest.mark.parametrize("between", ["", " ", "\n\n", "\r\n\t"], ids=repr)
def test_values_directly_after_one_another_are_told_apart_and_placed_by_their_order(between: str) -> None:
    data = between.join(json.dumps(value, indent=1) for value in VALUES).encode()
    assert (seen(data).shape, seen(data).framing, seen(data).values) == ("lines", "values", tuple(VALUES))
    assert values_of(data) == list(enumerate(VALUES, 1))


def test_values_on_one_line_without_anything_between_them_are_told_apart() -> None:
    data = b'{"a": 1}{"a": 2} {"a": 3}'
    assert values_of(data) == [(1, {"a": 1}), (2, {"a": 2}), (3, {"a": 3})]


def test_a_damaged_value_among_others_is_left_out_with_its_reason_and_the_next_is_read() -> None:
    file = opened(b'{\n "a": 1\n}\n{\n "a": 2\n}\n{\n "a": oops\n}\n{"a": 4}{"a": 5}')
    assert [value for _, value in read_values(file, lambda count: None)] == [{"a": 1}, {"a": 2}, {"a": 4}, {"a": 5}]
    assert (file.account.row.records_skipped, [row.code for row in file.account.diagnostics]) == (1, ["not_json"])


def test_a_value_that_is_nested_too_deeply_ends_where_its_brackets_do() -> None:
    data = b'{"a": 1}' + b"[" * 5000 + b"]" * 5000 + b'{"a": 3}'
    assert [place for place, _ in values_of(data)] == [1, 2, 3]


def test_whole_requests_that_stand_after_one_another_are_read_like_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.json"
    path.write_text("".join(json.dumps(exchange(chat([("user", words)]), TALK[1]), indent=2) for words in ("Hello", "Bye")), "utf-8")
    rows = read(path)
    assert len(rows.conversations) == 2
    assert codes(rows) == {}


EVENTS = b""": a comment
event: start
id: 7
data: {"n": 1}

data: {"n":
data: 2}

retry: 100

data: [DONE]

"""


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=repr)
def test_data_of_server_sent_events_are_values_placed_by_their_first_line(end: bytes) -> None:
    data = EVENTS.replace(b"\n", end)
    assert (seen(data).shape, seen(data).framing) == ("lines", "events")
    assert seen(data).values == ({"n": 1}, {"n": 2})
    assert values_of(data) == [(4, {"n": 1}), (6, {"n": 2})]


def test_events_without_blank_lines_between_them_are_told_apart() -> None:
    assert values_of(b'data: {"n": 1}\ndata: {"n": 2}\ndata: [DONE]\n') == [(1, {"n": 1}), (2, {"n": 2})]


def test_a_cut_event_and_a_line_that_is_no_field_are_left_out_with_their_reason() -> None:
    file = opened(b'data: {"n": 1}\n\n' * 30 + b'garbage\n\ndata: {"n":')
    assert len(list(read_values(file, lambda count: None))) == 30
    assert [(row.code, row.source_line) for row in file.account.diagnostics] == [("not_json", 61), ("not_json", 63)]


def test_yaml_with_fields_of_the_same_names_is_no_stream_of_events() -> None:
    assert seen(b"id: 7\nevent: start\ndata: 12\n").document == {"id": 7, "event": "start", "data": 12}


def test_one_line_and_lines_with_blank_ones_between_stay_what_they_were() -> None:
    assert (seen(b'{"a": 1}\n').shape, seen(b'{"a": 1}\n').one_line) == ("document", True)
    assert values_of(b'\n{"a": 1}\n\n{"a": 2}\n') == [(2, {"a": 1}), (4, {"a": 2})]
    assert seen(b'{"a": 1}\n{"a": 2}\n').framing == "lines"


YAML = """\
# a comment
models: [one, two]
answer: no
at: 2026-01-05T09:00:00Z
day: 2026-01-05
clock: 12:30:45
octal: 0o17
count: 12
share: 1.5
none: ~
yes: true
2: key
body: !!binary SGVsbG8=
object: !!python/object:os.system {args: [ls]}
moment: !!timestamp 2026-01-05
same: &same [1]
again: *same
"""


def test_yaml_is_the_document_it_stands_for_with_dates_and_words_as_text() -> None:
    assert seen(YAML.encode()).document == {
        "models": ["one", "two"],
        "answer": "no",
        "at": "2026-01-05T09:00:00Z",
        "day": "2026-01-05",
        "clock": "12:30:45",
        "octal": "0o17",
        "count": 12,
        "share": 1.5,
        "none": None,
        "yes": True,
        "2": "key",
        "body": "Hello",
        "object": {"args": ["ls"]},
        "moment": "2026-01-05",
        "same": [1],
        "again": [1],
    }


def test_a_list_of_mappings_is_a_document_and_a_list_of_words_is_a_text() -> None:
    assert seen(b"- role: user\n  content: Hello\n").document == [{"role": "user", "content": "Hello"}]
    assert seen(b"- Hello\n- World\n").shape == "text"


def test_aliases_that_stand_for_too_much_or_for_themselves_are_refused() -> None:
    bomb = "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12))
    for text in (bomb, "a: &a [*a]\n", "a: &a {b: *a}\n"):
        found = look(text.encode())
        assert found.sample is None or found.sample.shape == "text"
        assert "aliases" in (found.reason or "")


def test_a_yaml_document_may_also_be_meant_as_text() -> None:
    words = b"Note: this is a diary\n"
    document, text = seen(words).readings()
    assert (document.document, text.shape, text.text) == ({"Note": "this is a diary"}, "text", words.decode())


def test_other_text_is_shown_by_its_beginning() -> None:
    data = b"# Notes\n\nRefunds are slow.\n"
    assert (seen(data).shape, seen(data).text, seen(data).values) == ("text", data.decode(), ())
    file = opened(b"\xef\xbb\xbfcaf\xe9")
    assert read_text(file, lambda count: None) == "caf\\xe9"
    assert sorted(row.code for row in file.account.diagnostics) == ["byte_order_mark", "invalid_utf8"]


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_hides_no_shape(coding: str) -> None:
    for text, framing in ((EVENTS.decode(), "events"), ('{"a": 1}{"a": 2}', "values"), ('{"a": 1}\n{"a": 2}\n', "lines")):
        data = text.encode(coding)
        assert seen(data).framing == framing
        assert len(values_of(data)) == 2


def test_yaml_of_no_known_format_is_said_to_be_yaml(tmp_path: Path) -> None:
    (tmp_path / "settings.yaml").write_text("theme: dark\n", "utf-8")
    write_json(tmp_path / "talk.json", TALK)
    rows = read(tmp_path)
    assert [source.reason for source in rows.sources if source.reason] == ["It is YAML, but of no format that can be read: an object with theme."]
    assert account_of(rows) == (2, 2, 0, 0)


WORDS = (b"{", b"}", b"[", b"]", b'"', b":", b",", b"\n", b"\r\n", b"data: ", b"- ", b"&a ", b"*a", b"!!binary ", b"key: ", b'{"a": 1}', b"1", b"1e999")
MARKS = (b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b\x08", b"\x28\xb5\x2f\xfd", b"BZh9", b"\xfd7zXZ\x00")
PIECES = st.sampled_from([*WORDS, *MARKS])
SOUPS = st.one_of(st.binary(max_size=300), st.lists(PIECES, max_size=40).map(b"".join))


@settings(max_examples=300, deadline=None)
@given(SOUPS)
def test_no_bytes_make_the_look_or_the_reading_fail(data: bytes) -> None:
    found = look(data)
    assert (found.sample is None) == (found.state != "read")
    if found.sample is None or found.sample.shape == "archive":
        return
    file = opened(data)
    told: list[int] = []
    if found.sample.shape == "text":
        assert isinstance(read_text(file, told.append), str)
    else:
        places = [place for place, _ in read_values(file, told.append)]
        assert places == sorted(places)
        assert len(list(read_lines(file, told.append))) >= (len(places) if found.sample.shape == "lines" else 0)
