"""Times of every usual form become microseconds in UTC; what is no time is null, and a zone that was assumed is told."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.readers._times import Time, read_time, read_utc_millis
from tests.readers.made import (
    START,
    Record,
    answers,
    asks,
    chat,
    claude_session,
    exchange,
    moment,
    reply,
    result,
    tool_use,
    trajectory,
    user,
    write_json,
    write_lines,
)
from tests.readers.reading import calls_of, read

# 2026-03-02T09:00:00Z; date -u -d @1772442000 says the same.
NINE = 1_772_442_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-02T09:00:00Z",
        "2026-03-02T09:00:00.000Z",
        "2026-03-02T10:00:00+01:00",
        "2026-03-02T04:30:00.000000-04:30",
        " 2026-03-02T09:00:00Z ",
        1_772_442_000,
        1_772_442_000.0,
        1_772_442_000_000,
        1_772_442_000_000_000,
        1_772_442_000_000_000_000,
        "1772442000",
        "1772442000000",
        "1772442000000000000",
    ],
    ids=repr,
)
def test_a_time_of_any_usual_form_is_the_same_moment(value: Any) -> None:
    assert read_time(value) == Time(NINE, zone_assumed=False)


@pytest.mark.parametrize("value", ["2026-03-02T09:00:00", "2026-03-02 09:00:00", "2026-03-02T09:00:00.000000"])
def test_a_time_without_a_zone_is_read_as_utc_and_that_is_told(value: str) -> None:
    assert read_time(value) == Time(NINE, zone_assumed=True)


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "yesterday",
        "<redacted>",
        0,
        -1,
        3,
        True,
        [],
        {},
        "0",
        float("nan"),
        float("inf"),
        10**30,
        "9" * 5000,
        "0001-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z",
    ],
)
def test_what_is_no_time_is_null(value: Any) -> None:
    assert read_time(value) == Time(None, zone_assumed=False)


def test_fractions_are_kept_to_the_microsecond() -> None:
    assert read_time("2026-03-02T09:00:00.123456Z").micros == NINE + 123_456
    assert read_time("2026-03-02T09:00:00.123456789Z").micros == NINE + 123_456
    assert read_time(1_772_442_000.5).micros == NINE + 500_000


@given(st.datetimes(min_value=datetime(1971, 1, 1), max_value=datetime(2286, 1, 1)))
def test_the_quick_way_for_the_form_of_coding_tools_agrees_with_the_general_one(when: datetime) -> None:
    text = when.replace(tzinfo=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    expected = (when.replace(tzinfo=UTC) - EPOCH) // timedelta(milliseconds=1) * 1000
    assert read_utc_millis(text) == read_time(text).micros == expected


@pytest.mark.parametrize("text", [None, "", "yesterday", "2026-03-02T09:00:00+01:00", "2026-03-02T09:00:00.123+01", "2026-02-30T09:00:00.123Z"])
def test_the_quick_way_agrees_with_the_general_one_on_every_other_form(text: str | None) -> None:
    assert read_utc_millis(text) == read_time(text).micros


def at(seconds: float) -> int:
    """Return the microseconds of `moment(seconds)`."""
    return (START - EPOCH) // timedelta(microseconds=1) + round(seconds * 1e6)


def test_a_turn_lasts_from_what_was_said_to_the_last_record_of_it(tmp_path: Path) -> None:
    events = [user("Hello"), reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1"), reply("Hello!", id="m2"), user("Bye"), reply("Bye!", id="m3")]
    rows = read(write_lines(tmp_path / "file", claude_session(events)))
    assert [(turn.started_at, turn.ended_at, turn.seconds) for turn in rows.turns] == [(at(1), at(4), 3.0), (at(5), at(6), 1.0)]
    own = [(call.started_at, call.ended_at, call.seconds) for call in calls_of(rows, "agent")]
    assert own == [(at(1), at(4), 3.0), (at(5), at(6), 1.0)]
    assert (rows.conversations[0].started_at, rows.conversations[0].ended_at) == (at(1), at(6))


def test_the_own_call_of_a_turn_starts_with_the_turn_also_when_its_first_record_has_no_time(tmp_path: Path) -> None:
    steps: list[Record] = [
        {"source": "user", "message": "Hello"},
        {"source": "agent", "message": "Hm.", "timestamp": moment(2)},
        {"source": "agent", "message": "Hello!", "timestamp": moment(5)},
    ]
    rows = read(write_json(tmp_path / "file", trajectory(steps)))
    assert (rows.turns[0].started_at, rows.turns[0].seconds) == (at(2), 3.0)
    assert [(call.started_at, call.ended_at, call.seconds) for call in calls_of(rows, "agent")] == [(at(2), at(5), 3.0)]


def test_a_conversation_lasts_from_its_earliest_record_to_its_latest(tmp_path: Path) -> None:
    early = {"type": "system", "subtype": "session_start", "timestamp": moment(1), "parentUuid": None}
    events = [early, user("Go.", timestamp=moment(5)), reply("Done.", id="m1", timestamp=moment(9))]
    (conversation,) = read(write_lines(tmp_path / "file", claude_session(events))).conversations
    assert (conversation.started_at, conversation.ended_at) == (at(1), at(9))


def test_a_reply_starts_with_what_it_replies_to_and_ends_with_its_last_line(tmp_path: Path) -> None:
    events = [
        user("Hello"),
        reply("Hm.", id="m1", stop=None, timestamp=moment(4)),
        reply(tool_use("t1"), id="m1", timestamp=moment(6.5)),
        result("t1", timestamp=moment(8)),
    ]
    rows = read(write_lines(tmp_path / "file", claude_session(events)))
    (model,) = calls_of(rows, "model")
    assert (model.started_at, model.ended_at, model.seconds) == (at(1), at(6.5), 5.5)
    (tool,) = calls_of(rows)
    assert (tool.started_at, tool.ended_at, tool.seconds) == (at(6.5), at(8), 1.5)


def test_a_record_with_an_earlier_time_takes_nothing_back(tmp_path: Path) -> None:
    events = [
        user("Hello", timestamp=moment(100)),
        reply(tool_use("t1"), id="m1", timestamp=moment(102)),
        result("t1", timestamp=moment(3)),
        reply("Hello!", id="m2", timestamp=moment(105)),
    ]
    rows = read(write_lines(tmp_path / "file", claude_session(events)))
    (turn,) = rows.turns
    assert (turn.started_at, turn.ended_at, turn.seconds) == (at(100), at(105), 5.0)
    assert [call.seconds for call in calls_of(rows, "model")] == [2.0, 3.0]
    assert [call.seconds for call in calls_of(rows)] == [0.0]


def test_records_without_times_have_none_and_nothing_is_made_up(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "file", chat([("user", "Hello"), asks(("c1", "ls")), answers("c1"), ("assistant", "Hello!")])))
    assert {(call.started_at, call.ended_at, call.seconds) for call in rows.calls} == {(None, None, None)}
    assert (rows.conversations[0].started_at, rows.turns[0].ended_at, rows.turns[0].seconds) == (None, None, None)


def test_a_time_without_a_zone_is_told_of_its_conversation_only(tmp_path: Path) -> None:
    naive = trajectory([{"source": "user", "message": "Hello", "timestamp": "2026-03-02T09:00:00"}], session="naive")
    zoned = trajectory([{"source": "user", "message": "Hello", "timestamp": "2026-03-02T09:00:00Z"}], session="zoned")
    rows = read(write_lines(tmp_path / "file", [naive, zoned]))
    assert {row.conversation_id: row.time_zone_assumed for row in rows.conversations} == {"naive": True, "zoned": False}
    assert {turn.started_at for turn in rows.turns} == {NINE}


def test_a_message_of_a_chat_or_an_event_of_a_session_without_a_zone_is_told_too(tmp_path: Path) -> None:
    talk = write_json(tmp_path / "chat", [{"role": "user", "content": "Hello", "timestamp": "2026-03-02T09:00:00"}])
    session = write_lines(tmp_path / "session", claude_session([user("Hello", timestamp="2026-03-02T09:00:00"), reply("Hello!", id="m1")]))
    assert [row.time_zone_assumed for row in read(talk).conversations] == [True]
    assert [row.time_zone_assumed for row in read(session).conversations] == [True]


def test_a_response_says_when_it_was_made_in_seconds(tmp_path: Path) -> None:
    log = exchange(chat([("user", "Hello")]), {"role": "assistant", "content": "Hello!"}, created=1_772_442_000)
    (model,) = calls_of(read(write_json(tmp_path / "file", log)), "model")
    assert (model.ended_at, model.started_at) == (NINE, None)


def test_a_step_of_a_trajectory_does_not_tell_how_long_its_tools_took(tmp_path: Path) -> None:
    call = {"tool_call_id": "c1", "function_name": "ls", "arguments": {}}
    steps: list[Record] = [
        {"source": "user", "message": "List it.", "timestamp": moment(0)},
        {"source": "agent", "message": "", "timestamp": moment(2), "tool_calls": [call], "observation": {"results": [{"content": "a.txt"}]}},
    ]
    rows = read(write_json(tmp_path / "file", trajectory(steps)))
    assert [(call.started_at, call.ended_at, call.seconds) for call in calls_of(rows)] == [(at(2), None, None)]
    assert [call.seconds for call in calls_of(rows, "model")] == [2.0]
    assert json.loads(calls_of(rows)[0].input or "") == {}
