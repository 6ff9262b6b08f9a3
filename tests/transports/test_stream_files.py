"""An answer that is kept in a file is read again as it was, and a damaged file as far as it goes."""

from __future__ import annotations

import agentnb.transports as tr
from tests.transports.made import CALLED, W, call, prepared

CHUNKS = [{"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "a", "function": {"name": W, "arguments": '{"city":"\ud800"}'}}]}}]}]
HEADER = tr.StreamHeader(dialect="openai-chat", transport="support", stage="full", adapter="native", catalog_digest=prepared().catalog_digest, note="made up")


def test_events_are_kept_raw_and_lifted_when_they_are_read() -> None:
    text = tr.write_stream(HEADER, raw=CHUNKS)
    assert text.isascii()
    found = tr.read_stream(text)
    assert found == tr.RecordedStream(header=HEADER, parts=tuple(tr.lift_parts(CHUNKS, "openai-chat")))
    assert found.made_with(prepared()) is True
    assert tr.trace_selection(prepared(), found.parts).outcome == "ok"


def test_parts_are_kept_where_there_are_no_events() -> None:
    parts = (call(0, "a", W, {"city": "Oslo"}), CALLED)
    header = tr.StreamHeader(stage="full")
    assert tr.read_stream(tr.write_stream(header, parts=parts)) == tr.RecordedStream(header=header, parts=parts)
    assert tr.read_stream(tr.write_stream(header, parts=["Hi."])).parts == (tr.TextPart(text="Hi."),)
    assert tr.RecordedStream(header=header, parts=()).made_with(prepared()) is None


def test_names_in_camel_case_are_read_too() -> None:
    assert tr.read_stream('{"v":1,"catalogDigest":"x","stage":"full","added":[]}').header == tr.StreamHeader(catalog_digest="x", stage="full")


def test_a_line_that_is_none_of_it_is_told_by_its_number() -> None:
    text = tr.write_stream(HEADER, raw=CHUNKS) + 'oops\n\n[1]\n{"part":{"kind":"song"}}\n{"seq":9}\n{"seq":1,"ra'
    found = tr.read_stream(text)
    assert (len(found.parts), found.unread) == (1, (3, 5, 6, 7, 8))
    assert tr.read_stream("").parts == ()
    assert tr.read_stream('{"v":"1","dialect":7}').header == tr.StreamHeader()
    assert tr.read_stream('{"dialect":"spoken"}\n{"raw":{}}\n').parts == ()
