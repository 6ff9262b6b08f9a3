"""The kernel side of the replay: what it takes, what it answers by index, and that its state holds no frames."""

from __future__ import annotations

import json
from typing import Any

import pytest

import agentnb as anb
from agentnb.errors import OptionError
from agentnb.widgets import Replay
from tests.transports.made import CALLED, STOP, W, call, prepared, trace
from tests.widgets.test_transcript import ask, result

BROKEN = [call(0, "c1", W, '{"city": "'), call(0, arguments="Ru"), call(0, arguments='in"]'), call(0, arguments="x"), CALLED]


@pytest.fixture
def view() -> Replay:
    return anb.Replay(prepared(), BROKEN)


def test_it_starts_where_the_answer_broke_and_says_so_in_one_line(view: Replay) -> None:
    assert (view.at, view.trace.broke_at, view.trace.outcome) == (2, 2, "broken")
    assert repr(view) == f"support · full · native: {view.trace}"


def test_an_answer_that_is_right_starts_at_its_end_and_an_empty_one_nowhere() -> None:
    assert anb.Replay(prepared(), [call(0, "c1", W, '{"city": "Ruin"}'), CALLED]).at == 1
    empty = anb.Replay(prepared(), [])
    assert (empty.at, empty._total) == (0, 0)
    assert "no finish reason" in empty._static()


def test_a_frame_is_asked_for_by_index_and_shows_the_failing_place(view: Replay) -> None:
    before, at = result(view, kind="frame", at=1), result(view, kind="frame", at=2)
    assert (before["at"], before["said"]) == (1, f"call: pending, {view.trace.steps[1].code}")
    assert 'title="it breaks here"' not in before["html"]
    assert '<b class="bad" title="it breaks here">]</b>' in at["html"]
    assert at["said"] == f"call: doomed, {view.trace.code}"
    assert "✕" in at["html"]


def test_a_part_that_is_not_there_is_refused(view: Replay) -> None:
    for at in (-1, 5):
        assert "has 5 parts, from 0 on" in ask(view, kind="frame", at=at)[-1]["error"]["message"]
        with pytest.raises(IndexError, match="from 0 on"):
            view.at = at
        with pytest.raises(IndexError, match="from 0 on"):
            anb.Replay(prepared(), BROKEN, at=at)
    assert view.at == 2


def test_a_trace_alone_is_replayed_without_its_texts(view: Replay) -> None:
    alone = anb.Replay(view.trace)
    assert (alone.at, alone.frame(2).code, alone.frame(2).detail) == (2, view.trace.code, view.frame(2).detail)
    assert alone.frame(1).detail is None
    assert (alone.frame(2).text, alone.frame(2).arguments) == ("", "")


def test_wrong_use_says_what_to_give() -> None:
    with pytest.raises(TypeError, match="nothing to replay without parts"):
        anb.Replay(prepared())
    with pytest.raises(TypeError, match="nothing to replay of a str"):
        anb.Replay("full", [])  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="A trace is replayed alone"):
        anb.Replay(trace(STOP), [])
    with pytest.raises(OptionError, match="did you mean 'dialect'"):
        anb.Replay(prepared(), [], dialekt="gemini")


def test_events_of_a_provider_are_lifted() -> None:
    chunk: dict[str, Any] = {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c1", "function": {"name": "status", "arguments": "{}"}}]}}]}
    end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
    assert anb.Replay(prepared(), iter([chunk, end]), dialect="openai-chat").trace.outcome == "ok"


def test_the_plain_copy_shows_the_table_and_the_part_that_is_shown(view: Replay) -> None:
    html = view._repr_mimebundle_()[0]["text/html"]
    assert "it broke here" in html
    assert 'title="it breaks here"' in html
    assert 'data-view="replay"' in html


def test_the_state_holds_no_frames() -> None:
    long = anb.Replay(prepared(), [call(0, "c1", W, '{"city": "'), *[call(0, arguments="x" * 50)] * 5_000, call(0, arguments='"}'), CALLED])
    state = {key: value for key, value in long.get_state().items() if key not in ("_esm", "_css")}
    assert len(json.dumps(state, default=str)) < 25_000
    assert len(long._repr_mimebundle_()[0]["text/html"].encode()) <= 25_000


def test_what_a_model_wrote_is_text_in_every_frame() -> None:
    hostile = anb.Replay(prepared(), [call(0, "<b>", "<img src=x onerror=alert(1)>", "<script>"), "<script>alert(1)</script>"])
    for at in range(2):
        assert "<script" not in hostile.frame(at).kind + result(hostile, kind="frame", at=at)["html"]
        assert "<img" not in result(hostile, kind="frame", at=at)["html"]
