"""An answer part by part, as a person sees it: what broke, where, and why; and nothing that a model wrote becomes a tag."""

from __future__ import annotations

import re
from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.render.replay import plain_frame, plain_trace, render_frame, render_trace
from agentnb.values.model_selections import ReplayFrame, Trace
from tests.render.pages import Page, bare
from tests.render.samples import ATTACKS

SCHEMA = {"json_schema": {"type": "object"}, "parse": dict}
TOOLS = tr.define_model_tools([{"id": name, "description": "A tool.", "input_schema": SCHEMA, "resolve": dict} for name in ("greet", "status")])
STAGE = tr.StageTransport("support", tools=TOOLS, stages=[{"id": "open", "tool_ids": ["greet", "status"]}]).prepare("open")
SESSION = tr.SessionTransport("chat", tools=TOOLS).prepare()
DONE = tr.FinishPart(reason="tool_calls")


def call(arguments: str, name: str | None = "status", own_id: str = "call_1") -> tr.CallPart:
    return tr.CallPart(index=0, id=own_id, name=name, arguments=arguments)


def seen(*parts: Any, prepared: tr.PreparedModelInteraction = STAGE) -> tuple[Trace, tr.ReplayFrames]:
    return tr.trace_selection(prepared, parts), tr.replay_frames(prepared, parts)


def test_what_broke_where_and_why_is_said_in_words() -> None:
    trace, frames = seen(call('{"city":'), call("oops}", None), DONE)
    text = Page(render_trace(trace, frames[1])).text
    for words in (
        "support · open · native",
        "✕ broken",
        "arguments_invalid, call 1",
        "at part 1",
        "breaks at character 8",
        "it broke here",
        "◔ 1 pending ✕ 2 doomed",
    ):
        assert words in text
    assert "support" in Page(bare(render_trace(trace))).text


def test_the_failing_character_is_marked() -> None:
    _, frames = seen(call('{"city":oops}'))
    html = render_frame(frames[0], 1)
    assert re.search(r'\{"city":<b class="bad" title="it breaks here">o</b>ops\}', html)


@pytest.mark.parametrize(("arguments", "shown"), [('{"a" \n', None), ('{"a":"\n', "␊"), ("{} x", "x")])
def test_a_failing_character_that_cannot_be_seen_has_a_picture(arguments: str, shown: str | None) -> None:
    _, frames = seen(call(arguments))
    found = re.search(r'title="it breaks here">(.)</b>', render_frame(frames[0]))
    assert (found[1] if found else None) == shown


def test_the_place_in_a_text_is_marked_where_there_is_no_call() -> None:
    stage = tr.StageTransport("support", tools=TOOLS, stages=[{"id": "open", "tool_ids": ["greet"]}], adapter="json").prepare("open")
    _, frames = seen('{"tool":greet}', prepared=stage)
    assert 'here">g</b>reet' in render_frame(frames[0])


def test_a_selection_and_what_was_odd_about_it() -> None:
    trace, _ = seen("Let me see.", call("{}"), DONE)
    text = Page(render_trace(trace)).text
    for words in ("✓ ok", "status", "noted: prose_with_call", "finish tool_calls", "13 characters"):
        assert words in text
    assert plain_trace(trace) == "support · open · native: ok after 3 parts"


def test_a_stream_that_was_cut() -> None:
    trace, frames = seen(call("{"))
    text = Page(render_trace(trace)).text
    assert "⊘ cut" in text
    assert "when the stream stopped" in text
    assert plain_frame(frames[0]) == "part 0, call: pending, the arguments stop in the middle, after 1 characters"


def test_a_session_shows_what_was_chosen() -> None:
    trace, _ = seen("Hi.", call("{}"), tr.CallPart(index=1, id="b", name="greet", arguments="{}"), DONE, prepared=SESSION)
    assert "status · greet · 3 characters of prose" in Page(render_trace(trace)).text


def test_parts_of_which_the_same_can_be_said_are_one_row() -> None:
    trace, _ = seen(call('{"a":"'), *[call("x", None)] * 1000, call('"}', None), DONE)
    text = Page(render_trace(trace)).text
    assert "0–1,000 call +1,006 ◔ pending arguments_incomplete" in text


def test_a_long_trace_keeps_its_budget_and_shows_where_it_broke() -> None:
    parts = [part for _ in range(3000) for part in ("x", tr.ReasoningPart(text="y"))]
    trace, frames = seen(*parts, call("{}", "nope"), *parts)
    html = render_trace(trace, frames[trace.broke_at or 0])
    assert len(html.encode()) <= 25_000
    assert "it broke here" in Page(html).text
    assert "more parts" in Page(html).text
    assert len(render_frame(frames[-1], len(frames), budget=6_000).encode()) <= 6_000


def test_a_long_buffer_is_shown_around_the_place_where_it_breaks() -> None:
    _, frames = seen(call('{"a":"' + "x" * 50_000 + '" oops' + "y" * 50_000))
    text = Page(render_frame(frames[0])).text
    assert "breaks at character 50,008" in text
    assert "before" in text
    assert len(text) < 5_000


@pytest.mark.parametrize("attack", ATTACKS, ids=range(len(ATTACKS)))
def test_a_text_in_every_place_stays_text(attack: str) -> None:
    streams: list[list[Any]] = [
        [attack, tr.RefusalPart(text=attack), DONE],
        [tr.CallPart(index=0, id=attack, name=attack, arguments=attack), tr.FinishPart(reason="unknown", raw=attack)],
        [call(attack), DONE],
        [call('{"a":"b"}' + attack)],
        [tr.ErrorPart(message=attack)],
    ]
    for parts in streams:
        for prepared in (STAGE, SESSION):
            trace, frames = seen(*parts, prepared=prepared)
            for html in (render_trace(trace, frames[-1]), *(render_frame(frame, len(frames)) for frame in frames)):
                assert Page(html).elements
                assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]", html)
            assert "\x1b" not in plain_trace(trace) + plain_frame(frames[-1])


def test_a_secret_is_masked_also_where_it_breaks() -> None:
    secret = "sk-" + "a1B2" * 8
    for arguments in (f'{{"k": {secret}}}', f'{{"k": "{secret}" oops', f'{{"k": "{"x" * 5000} {secret}" oops'):
        _, frames = seen(call(arguments))
        html = render_frame(frames[0])
        assert secret[8:] not in html
        assert "a1B2a1B2a1B2" not in html


def test_the_same_trace_gives_the_same_bytes() -> None:
    assert render_trace(seen(call("{"), DONE)[0]) == render_trace(seen(call("{"), DONE)[0])


def test_a_frame_shows_in_a_line() -> None:
    assert plain_frame(ReplayFrame(part_index=3, kind="text", part={}, verdict="ok")) == "part 3, text: ok"
