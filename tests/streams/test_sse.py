"""Server-sent events: what a text holds does not depend on where it was cut, and nothing in it is lost."""

from __future__ import annotations

import pytest

from agentnb.streams.sse import Event, is_sse, read_events

TEXT = 'event: greeting\ndata: {"say":\ndata: "hello"}\n\n: a comment\nid: 7\ndata:two\n\ndata: [DONE]\n\n'
EVENTS = [("greeting", '{"say":\n"hello"}'), ("message", "two"), ("message", "[DONE]")]


def named(events: list[Event]) -> list[tuple[str, str]]:
    return [(event.name, event.data) for event in events]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_events_are_the_same_with_any_kind_of_line_end(end: str) -> None:
    assert named(list(read_events(TEXT.replace("\n", end)))) == EVENTS


@pytest.mark.parametrize("size", range(1, 12))
def test_pieces_that_end_anywhere_give_the_same_events(size: int) -> None:
    text = TEXT.replace("\n", "\r\n")
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    assert list(read_events(pieces)) == list(read_events(text))


def test_an_event_knows_the_line_it_begins_in() -> None:
    assert [event.line for event in read_events(TEXT)] == [1, 5, 9]


def test_an_event_that_the_end_cuts_is_kept() -> None:
    assert named(list(read_events('data: one\n\ndata: {"half'))) == [("message", "one"), ("message", '{"half')]


def test_a_byte_order_mark_and_events_without_data_are_left_out() -> None:
    assert named(list(read_events("\ufeffdata: one\n\nevent: ping\n\n"))) == [("message", "one")]


@pytest.mark.parametrize(
    ("text", "told"),
    [(TEXT, True), (": note\n\ndata: 1\n\n", True), ('{"data": 1}', False), ("", False), ("Dear data:\n", False), ("event: only a name", False)],
)
def test_a_text_is_an_event_stream_when_it_begins_like_one(text: str, told: bool) -> None:
    assert is_sse(text) is told
