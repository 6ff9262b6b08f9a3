"""Which earlier turns a turn is shown, what is recorded about that, and whether a changed program may go on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentnb.conversations.helper_memory import Helper, MemoryMode, Remember, check_remember, remembered_calls
from agentnb.conversations.program_fields import check_fields
from agentnb.conversations.shown import Context, check_context, context_for, earlier_values, read_context, saw_of_context, shown_turns
from agentnb.errors import ConversationError, SettingError
from agentnb.streams.conversation_log import ConversationLog
from agentnb.streams.saw import read_saw
from tests.conformance import cases_in, read_case, validator
from tests.streams.records import damaged, ended, lease, made, turn

STEPS = [{"kind": "model", "outputs": {"reasoning": "Hm.", "result": "answer"}, "message": {"role": "assistant"}}]


def program(version: str = "v1", kind: str = "ai", signature: str | None = "s1") -> dict[str, Any]:
    return made("program", version=version, name="tutor", program_kind=kind, **({"signature": signature} if signature else {}))


def answered(name: str, parent: str | None = None, **keys: Any) -> list[dict[str, Any]]:
    lmcc = {"signature": "l1", "inputs": {"message": name}, "steps": STEPS, "outputs": {"result": f"answer to {name}"}}
    return [turn(name, parent), lease(name), ended(name, **{"lmcc": lmcc, "saw": [], **keys})]


def log_of(*records: list[dict[str, Any]], of: dict[str, Any] | None = None) -> ConversationLog:
    return ConversationLog().read_all([of or program(), *(record for some in records for record in some)])


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("conversations", "context"), ids=lambda path: path.stem)
def test_a_turn_is_shown_what_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    log = ConversationLog().read_all(case["records"])
    context = context_for(log, case["parent"], check_context(**case["rule"]))
    saw = saw_of_context(log, context, parent=case["parent"], program=next(iter(log.programs.values())))
    assert {"saw": saw, "rows": earlier_values(log, context)} == case["expect"]
    record = made("turn", "01926d00-0009-7000-8000-000000000000", parent=case["parent"], program=f"sha256:{'a' * 64}", inputs={}, context=context.as_record())
    validator("conversation").validate(record)


@pytest.mark.parametrize(("last", "shown"), [(None, "abc"), (0, ""), (1, "c"), (2, "bc"), (3, "abc"), (9, "abc")])
def test_the_last_turns_of_the_branch_are_shown(last: int | None, shown: str) -> None:
    log = log_of(answered("a"), answered("b", "a"), answered("x", "a"), answered("c", "b"))
    assert "".join(context_for(log, "c", check_context(last=last)).turns) == shown


def test_a_turn_that_has_no_answer_is_not_shown() -> None:
    log = log_of(answered("a"), [turn("b", "a"), ended("b", "failed")], answered("c", "b"))
    assert context_for(log, "c").turns == ("a", "c")
    assert context_for(log, "nobody").turns == ()


@pytest.mark.parametrize(
    ("called", "without", "entry"),
    [
        (program(), (), {"call": "a", "steps": True}),
        (program(), ("photo",), {"call": "a", "steps": True}),
        (program(), ("result", "message"), {"call": "a", "without": ["message", "result"]}),
        (program(), ("reasoning",), {"call": "a", "without": ["reasoning"]}),
        (program("v2", signature="s2"), (), {"call": "a"}),
        (program("v2", signature="s2"), ("message",), {"call": "a", "without": ["message"]}),
        (program("v3", "module", None), (), {"call": "a"}),
    ],
)
def test_steps_are_shown_to_the_same_program_when_nothing_is_left_out(called: dict[str, Any], without: tuple[str, ...], entry: dict[str, Any]) -> None:
    log = log_of(answered("a"))
    context = context_for(log, "a", check_context(without=without))
    assert saw_of_context(log, context, parent="a", program=called) == [entry]
    assert [bool(shown["steps"]) for shown in shown_turns(log, context, called)] == ["steps" in entry]


def test_a_turn_without_steps_of_its_own_is_shown_with_its_values() -> None:
    log = log_of([turn("a"), ended("a")])
    assert saw_of_context(log, context_for(log, "a"), parent="a", program=program()) == [{"call": "a"}]
    assert shown_turns(log, context_for(log, "a"), program()) == [{"inputs": {"message": "a"}, "steps": [], "outputs": {"result": "answer to a"}}]


def test_a_turn_that_is_resumed_is_shown_exactly_what_was_recorded() -> None:
    log = log_of(answered("a"), answered("b", "a"))
    context = Context(("a", "b"), {"a": ("result", "message"), "b": ()}, ("Be brief.",))
    recorded = context.as_record()
    assert recorded == {"turns": ["a", "b"], "without": {"a": ["message", "result"]}, "sections": ["Be brief."]}
    again = read_context({"context": recorded})
    assert again is not None
    assert again.as_record() == recorded
    assert earlier_values(log, again) == [{}, {"message": "b", "result": "answer to b"}]
    assert [shown["inputs"] for shown in shown_turns(log, again, program())] == [{}, {"message": "b"}]


def test_a_turn_record_that_says_nothing_of_context_has_none() -> None:
    assert read_context(turn("a")) is None
    assert read_context({"context": {"turns": "a", "without": {"a": "x", "b": [1, "y"]}, "sections": [2, "s"]}}) == Context((), {"a": (), "b": ("y",)}, ("s",))


@given(st.lists(damaged(), max_size=20))
def test_whatever_stands_in_records_a_turn_is_shown_something(records: list[Any]) -> None:
    log = ConversationLog().read_all([turn("a"), ended("a"), turn("b", "a"), *records])
    for name, each in log.turns.items():
        for context in (context_for(log, name, check_context(without=["message"])), read_context(each.record) or Context()):
            saw = saw_of_context(log, context, parent=name, program=each.program)
            assert len(earlier_values(log, context)) == len(shown_turns(log, context, program())) >= len(saw) - 1


@given(st.lists(st.integers(0, 5), min_size=1, max_size=8), st.none() | st.integers(0, 3))
def test_what_is_recorded_about_a_turn_reads_back_as_what_it_was_shown(parents: list[int], last: int | None) -> None:
    log = log_of()
    for number, parent in enumerate(parents):
        before = str(parent % number) if number else None
        context = context_for(log, before, check_context(last=last))
        saw = saw_of_context(log, context, parent=before, program=program())
        for record in answered(str(number), before, saw=saw):
            log.read(record)
        told = read_saw(str(number), lambda turn: {"saw": log.turns[turn].saw} if turn in log.turns else None)
        assert tuple(entry["call"] for entry in told.entries) == context.turns


@pytest.mark.parametrize("rule", [{"last": -1}, {"last": True}, {"last": 1.0}, {"without": "photo"}, {"without": [""]}, {"without": 5}], ids=repr)
def test_a_rule_that_cannot_be_is_refused(rule: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match="context-rule: "):
        check_context(**rule)


def helper_call(name: str, inside: str, attempt: int | None = 1, function: str = "answer", signature: str = "h1") -> dict[str, Any]:
    told = {"signature": signature, "inputs": {"q": name}, "steps": STEPS, "outputs": {"result": name}}
    further = {} if attempt is None else {"attempt": attempt}
    return made("call", inside, call=name, site="support#1/answer#1", program={"name": function, "signature": signature}, lmcc=told, saw=[], **further)


@pytest.mark.parametrize(("mode", "calls"), [("conversation", ["a1", "b2", "now"]), ("turn", ["now"])])
def test_a_helper_remembers_its_calls_of_the_attempts_that_counted(mode: MemoryMode, calls: list[str]) -> None:
    inside_b = [helper_call("b1", "b"), lease("b", attempt=2), helper_call("b2", "b", 2), ended("b", attempt=2)]
    log = log_of([turn("a"), helper_call("a1", "a"), helper_call("other", "a", function="topic"), ended("a")], [turn("b", "a"), *inside_b], answered("x", "a"))
    found = remembered_calls(log, Helper("answer", None, "h1"), Remember(mode), parent="b", current=[helper_call("now", "c")])
    assert [each.entry for each in found] == [{"call": name} for name in calls]
    assert all(each.turn["steps"] == [] for each in found)


def test_a_helper_that_remembers_steps_has_those_of_calls_with_the_same_fields() -> None:
    log = log_of([turn("a"), helper_call("a1", "a"), helper_call("a2", "a", signature="h0"), ended("a")])
    found = remembered_calls(log, Helper("answer", None, "h1"), Remember("conversation", steps=True), parent="a")
    assert [(each.entry, each.turn["steps"]) for each in found] == [({"call": "a1", "steps": True}, STEPS), ({"call": "a2"}, [])]


@pytest.mark.parametrize("given", ["turn", "conversation", Remember("turn", steps=True)], ids=repr)
def test_a_memory_is_a_word_or_says_more(given: Any) -> None:
    assert check_remember(given).mode in ("turn", "conversation")


@pytest.mark.parametrize("given", ["always", None, True, Remember("own"), 5], ids=repr)  # type: ignore[arg-type]  # what a person may write
def test_what_is_no_memory_is_refused(given: Any) -> None:
    with pytest.raises(SettingError, match=r"remembers: .* use \"conversation\", \"turn\""):
        check_remember(given)


def field(name: str, direction: str = "input", purpose: str = "plain", type: str = "string") -> dict[str, Any]:
    return {"name": name, "direction": direction, "purpose": purpose, "shape": {"type": type}}


BEFORE = [field("message"), field("result", "output")]
ADDED = field("reasoning", "output", "reasoning")


@pytest.mark.parametrize(("now", "without"), [(BEFORE, ()), (BEFORE[::-1], ()), ([*BEFORE, ADDED], ("reasoning",))])
def test_a_program_with_the_same_fields_goes_on(now: list[dict[str, Any]], without: tuple[str, ...]) -> None:
    check_fields(now, [{"name": "tutor", "fields": BEFORE}, {"fields": BEFORE}], earlier_without=without)


@pytest.mark.parametrize(
    ("now", "without", "why"),
    [
        (BEFORE[:1], (), "tutor has other fields .*: result was removed; start a new conversation"),
        ([*BEFORE, field("photo")], ("photo",), "photo was added"),
        ([*BEFORE, ADDED], (), "reasoning was added"),
        ([*BEFORE, field("notes", "output")], ("notes",), "notes was added"),
        ([field("message", type="array"), BEFORE[1]], (), "message was changed"),
        ([field("message", "output"), BEFORE[1]], (), "message was changed"),
        ([field("message", purpose="media"), BEFORE[1]], (), "message was changed"),
    ],
)
def test_a_program_with_other_fields_is_refused_with_what_is_other(now: list[dict[str, Any]], without: tuple[str, ...], why: str) -> None:
    with pytest.raises(ConversationError, match=why) as refused:
        check_fields(now, [{"name": "tutor", "fields": BEFORE}], earlier_without=without)
    assert refused.value.code == "conversation-signature"
