"""What waits for a person anywhere in a store, and how it is answered."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import Conversation
from agentnb.conversations.questions import Questions
from agentnb.conversations.stores import MemoryStore, Store
from agentnb.errors import ConversationError
from agentnb.values.times import time_text

VERSION = "sha256:1"


def asked(invocation: int, site: str = "support#1", **more: Any) -> dict[str, Any]:
    return {"site": site, "invocation": invocation, "name": "refund", "path": "support/refund", "input": {"order": "7"}, "effects": "changes", **more}


def a_turn_waits(store: Store, conversation: str, turn: str, *approvals: dict[str, Any], at: int = 1_000_000) -> None:
    """Write a turn that waits, as another process would."""
    kinds: list[dict[str, Any]] = [
        {"kind": "program", "version": VERSION, "name": "support", "program_kind": "ai"},
        {"kind": "turn", "turn": turn, "parent": None, "program": VERSION, "inputs": {"message": "Refund 7"}},
        {"kind": "lease", "turn": turn, "holder": "other:1", "until": time_text(at), "attempt": 1},
        {"kind": "waiting", "turn": turn, "approvals": list(approvals), "attempt": 1},
    ]
    store.append(conversation, [{"functai_conversation": 1, "at": time_text(at), **record} for record in kinds])


@pytest.fixture
def memory() -> MemoryStore:
    return MemoryStore()


def test_every_question_of_a_store_is_told_the_longest_waiting_first(memory: MemoryStore) -> None:
    a_turn_waits(memory, "bea", "t2", asked(1), at=2_000_000)
    a_turn_waits(memory, "alex", "t1", asked(1, question="Really?", plugin="pause"))
    first, second = Questions(memory).waiting()
    assert (first.conversation_id, second.conversation_id) == ("alex", "bea")
    assert (first.name, first.input, first.effects, first.path) == ("refund", '{"order": "7"}', "changes", "support/refund")
    assert (first.question, first.plugin, first.program, first.prompt) == ("Really?", "pause", "support", "Refund 7")
    assert first.asked_at is not None
    assert first.asked_at.timestamp() == 1


def test_nested_and_parallel_questions_keep_their_own_identity(memory: MemoryStore) -> None:
    places = [asked(1), asked(2), asked(1, "support#1/desk#1"), asked(1, plugin="pause")]
    a_turn_waits(memory, "alex", "t1", *places)
    questions = Questions(memory)
    found = questions.waiting()
    assert len({each.place for each in found}) == 4
    nested = next(each for each in found if each.site == "support#1/desk#1")
    questions.answer(nested, is_yes=True, by="ana")
    left = questions.waiting()
    assert len(left) == 3
    assert nested not in left
    questions.answer(next(each for each in left if each.plugin == "pause"), is_yes=False, by="ana", reason="no")
    assert sorted((each.site, each.invocation, each.plugin) for each in questions.waiting()) == [("support#1", 1, None), ("support#1", 2, None)]


def test_only_what_has_grown_is_read_again(memory: MemoryStore, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(20):
        a_turn_waits(memory, f"c{number}", f"t{number}", asked(1))
    questions = Questions(memory)
    assert len(questions.waiting()) == 20
    read: list[tuple[str, int]] = []
    whole = memory.read

    def noted(name: str, *, after: int = 0) -> list[dict[str, Any]]:
        read.append((name, after))
        return whole(name, after=after)

    monkeypatch.setattr(memory, "read", noted)
    assert len(questions.waiting()) == 20
    assert read == []
    answer = {"kind": "approval", "turn": "t3", "site": "support#1", "invocation": 1, "verdict": "yes"}
    memory.append("c3", [{"functai_conversation": 1, "at": time_text(5), **answer}])
    assert len(questions.waiting()) == 19
    assert read == [("c3", 4)]


def test_an_answer_of_somebody_else_is_told_and_a_second_one_is_refused(memory: MemoryStore) -> None:
    a_turn_waits(memory, "alex", "t1", asked(1))
    questions, others = Questions(memory), Questions(memory)
    (question,) = questions.waiting()
    assert questions.answered(question) is None
    others.answer(question, is_yes=False, by="bo", reason="too dear")
    with pytest.raises(ConversationError, match="turn-state"):
        questions.answer(question, is_yes=True, by="ana")
    assert questions.waiting() == ()
    assert questions.answered(question) == (False, "bo", "too dear")
    assert questions.rests(question)


def test_a_turn_that_was_given_up_asks_nothing(memory: MemoryStore) -> None:
    a_turn_waits(memory, "alex", "t1", asked(1))
    questions = Questions(memory)
    assert len(questions.waiting()) == 1
    Conversation(None, "alex", store=memory).turn("t1").abandon()
    assert questions.waiting() == ()


def test_of_one_conversation_only_its_own_questions_are_told(memory: MemoryStore) -> None:
    a_turn_waits(memory, "alex", "t1", asked(1))
    a_turn_waits(memory, "bea", "t2", asked(1))
    assert [each.turn_id for each in Questions(memory, Conversation(None, "bea", store=memory)).waiting()] == ["t2"]


def test_a_live_turn_shows_itself_without_ids_or_times_and_with_the_next_step(memory: MemoryStore) -> None:
    from agentnb.render import plain_live_conversation, plain_live_turn, render_live_conversation, render_live_turn

    a_turn_waits(memory, "alex", "0192aaaa-0000-7000-8000-000000000001", asked(1))
    chat = Conversation(None, "alex", store=memory)
    card = chat.turns[0].card
    assert plain_live_turn(card) == "Live turn “Refund 7” · waiting · 1 call waits for a person"
    assert plain_live_conversation(chat.card) == "Live conversation alex · 1 turn · waiting"
    for html in (render_live_turn(card), render_live_conversation(chat.card)):
        assert "turn.approve(by=" in html
        assert "0192aaaa" not in html
    chat.turns[0].approve(by="ana", resume=False)
    assert chat.turns[0].card.code == ("turn.resume()",)
    chat.turns[0].abandon()
    assert chat.turns[0].card.advice is None


def test_a_tool_that_may_have_run_is_named_with_both_ways_on(memory: MemoryStore) -> None:
    a_turn_waits(memory, "alex", "t1")
    tool = {"turn": "t1", "site": "support#1", "invocation": 2, "name": "refund", "state": "started", "input": {}, "attempt": 2}
    records: list[dict[str, Any]] = [{"kind": "lease", "turn": "t1", "holder": "x", "until": time_text(5), "attempt": 2}, {"kind": "tool", **tool}]
    memory.append("alex", [{"functai_conversation": 1, "at": time_text(6), **record} for record in records])
    card = Conversation(None, "alex", store=memory).turns[0].card
    assert card.state == "interrupted"
    assert "refund" in (card.advice or "")
    assert card.code == ("turn.resume(results={2: '…'})", "turn.resume(rerun=[2])")
    assert isinstance(anb.LiveConversation, type)
