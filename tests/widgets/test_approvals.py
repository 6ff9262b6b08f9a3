"""The kernel side of the approvals: what is shown, who may answer, and when somebody looks for news."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Conversation
from agentnb.conversations.stores import MemoryStore, SqlStore
from agentnb.errors import OptionError
from agentnb.widgets import Approvals
from tests.conversations.test_questions import a_turn_waits, asked

WAIT = 10.0


def ask(view: Approvals, /, **content: Any) -> dict[str, Any]:
    """Ask as the browser does, and wait for the answer."""
    messages: list[dict[str, Any]] = []
    view.send = messages.append
    view._heard(view, {"id": "r1", **content}, [])
    deadline = time.monotonic() + WAIT
    while not any(message.get("id") == "r1" for message in messages):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return next(message for message in messages if message.get("id") == "r1")


def keys(view: Approvals) -> list[str]:
    return [each["key"] for each in ask(view, kind="more")["result"]["questions"]]


@pytest.fixture
def memory() -> MemoryStore:
    store = MemoryStore()
    a_turn_waits(store, "alex", "t1", asked(1), asked(2))
    return store


def test_it_says_in_one_line_what_waits_and_the_static_copy_holds_no_id_and_no_time(memory: MemoryStore) -> None:
    view = Approvals(memory)
    assert repr(view) == "Approvals · 2 calls wait for a person"
    html = view._static()
    assert "support/refund" in html
    assert "<button" not in html
    assert "data-question" not in html
    assert "data-since" not in html
    assert "turn.approve(by=" in html
    assert repr(Approvals(MemoryStore())) == "Approvals · nothing waits for a person"


def test_nobody_answers_without_a_name_and_a_name_is_asked_once(memory: MemoryStore) -> None:
    view = Approvals(memory)
    first, second = keys(view)
    assert ask(view, kind="answer", question=first, verdict="yes") == {"id": "r1", "result": {"need": "name"}}
    assert len(view.waiting) == 2
    assert ask(view, kind="answer", question=first, verdict="yes", by="ana")["result"] == {"by": "ana"}
    assert ask(view, kind="answer", question=second, verdict="no", reason="too dear")["result"] == {"by": "ana"}
    said = [(each["verdict"], each["by"], each["reason"]) for each in memory.read("alex") if each["kind"] == "approval"]
    assert said == [("yes", "ana", None), ("no", "ana", "too dear")]
    assert keys(view) == []


def test_the_rater_of_a_workspace_answers_and_a_name_given_here_becomes_the_rater(tmp_path: Path) -> None:
    a_turn_waits(SqlStore(tmp_path / "agent.db"), "alex", "t1", asked(1), asked(2))
    ws = anb.open(tmp_path / "agent.db")
    view = Approvals(ws)
    ask(view, kind="answer", question=keys(view)[0], verdict="yes", by="bo")
    assert ws.rater == "bo"
    assert "answering as bo" in ask(view, kind="more")["result"]["head"]
    assert ws.sql("select answered_by from approvals where answer = 'yes'").fetchall() == [("bo",)]


def test_what_somebody_else_answered_is_an_error_that_says_so(memory: MemoryStore) -> None:
    view = Approvals(memory, by="ana")
    first = keys(view)[0]
    Conversation(None, "alex", store=memory).turn("t1").approve(view.waiting[0].which, by="bo")
    answer = ask(view, kind="answer", question=first, verdict="no")
    assert "turn-state" in answer["error"]["message"]
    assert len(view.waiting) == 1
    assert ask(view, kind="answer", question="no such", verdict="yes")["error"]["message"].startswith("turn-state")


def test_it_looks_for_news_only_while_a_view_is_in_sight(memory: MemoryStore) -> None:
    view = Approvals(memory)
    assert view._follower._thread is None
    messages: list[dict[str, Any]] = []
    ask(view, kind="here", view="v1")
    view.send = messages.append
    a_turn_waits(memory, "bea", "t2", asked(1))
    _until(lambda: any(message.get("event") == "questions" for message in messages))
    assert len(messages[-1]["result"]["questions"]) == 3
    ask(view, kind="gone", view="v1")
    _until(lambda: view._follower._thread is None)


def test_what_became_of_a_question_is_said(memory: MemoryStore) -> None:
    view = Approvals(memory)
    Conversation(None, "alex", store=memory).turn("t1").deny(view.waiting[0].which, by="bo", reason="too dear")
    assert len(view.waiting) == 1
    assert ask(view, kind="more")["result"]["said"] == ["refund: denied by bo, too dear"]


def test_a_turn_that_nobody_goes_on_with_is_told_of(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agentnb.widgets.approvals.RESUME_SECONDS", 0.0)
    view = Approvals(memory, by="ana")
    for key in keys(view):
        ask(view, kind="answer", question=key, verdict="yes")
    messages: list[dict[str, Any]] = []
    view.send = messages.append
    view._tell_resting()
    assert "no process goes on" in messages[-1]["result"]["message"]
    assert ".resume()" in messages[-1]["result"]["message"]


def test_long_arguments_are_folded_and_shown_whole_on_demand(memory: MemoryStore) -> None:
    store = MemoryStore()
    a_turn_waits(store, "alex", "t1", asked(1, input={"text": "word " * 4_000}))
    view = Approvals(store)
    (question,) = ask(view, kind="more")["result"]["questions"]
    assert "<details" in question["html"]
    assert 'data-action="whole"' in question["html"]
    assert len(question["html"]) < 15_000
    assert len(ask(view, kind="whole", question=question["key"])["result"]["html"]) > 20_000


def test_many_questions_come_page_by_page() -> None:
    store = MemoryStore()
    for number in range(60):
        a_turn_waits(store, f"c{number}", f"t{number}", asked(1), at=number + 1)
    view = Approvals(store, page=10)
    news = ask(view, kind="here", view="v1")["result"]
    assert (len(news["questions"]), news["more"]) == (10, 50)
    assert len(keys(view)) == 60
    assert len(view._static()) < 25_000
    ask(view, kind="gone", view="v1")


def test_hostile_arguments_stay_text() -> None:
    store = MemoryStore()
    hostile = "<img src=x onerror=alert(1)>"
    a_turn_waits(store, "alex", "t1", asked(1, name=hostile, path=hostile, question=hostile, input={hostile: hostile}))
    view = Approvals(store)
    assert "<img" not in view._static()
    assert "<img" not in ask(view, kind="more")["result"]["questions"][0]["html"]


def test_wrong_use_says_what_is_wanted(memory: MemoryStore) -> None:
    with pytest.raises(OptionError, match="did you mean 'by'"):
        Approvals(memory, bye="ana")
    with pytest.raises(OptionError, match="a workspace, a conversation, or a store"):
        Approvals(3)


def _until(came: Any) -> None:
    deadline = time.monotonic() + WAIT
    while not came():
        assert time.monotonic() < deadline
        time.sleep(0.02)
