"""How does a judged step become a case? What a person said of it, as an expectation, beside what it had been told."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agentnb.decisions import (
    Case,
    CaseInput,
    CaseOrigin,
    DecisionExpectation,
    ExpectedAction,
    Matcher,
    ParamExpectation,
    expect_decision,
    normalize_decision,
    read_expectation,
)
from agentnb.errors import CaseError
from agentnb.values import Decision, ObservedDecision, Rating, Step, Turn
from agentnb.workspace._case_files import id_of_step
from agentnb.workspace._database import Database
from agentnb.workspace._picked import target_id
from agentnb.workspace._situations import Situations
from agentnb.workspace._values import load_call, load_conversation

_HELP = "Rate it with ws.rate(step, 'right') or ws.rate(step, 'wrong', answer=…), or give what is expected: ws.expect(step, {'kind': …})."


class Found(NamedTuple):
    """A step where it stands."""

    step: Step
    turn: Turn
    history: list[dict[str, Any]]
    agent: str


def make_case(
    database: Database, target: Any, expectation: Any = None, *, identity: str | None = None, description: str | None = None, tags: Sequence[str] = ()
) -> Case:
    """Make a case of a step.

    Args:
        database: the tables.
        target: a step, its id, a row with it, a decision, or a tool call, which stands for the step that asked for it.
        expectation: what is expected; by default what was said in ratings.
        identity: id of the case; by default that of the step.
        description: what it is about; by default what the rating says.
        tags: what it belongs to.

    Raises:
        CaseError: nobody said what is right, or people differ.
        UnknownId: there is no such call.
    """
    found = find_step(database, target.decision_id if isinstance(target, Decision) else target_id(target))
    said = [rating for rating in found.turn.ratings if rating.counts and rating.call_id in _rated_with(found.step)]
    name = identity or id_of_step(found.step.step_id)
    return Case(
        id=name,
        agent=found.agent,
        description=_description(said) if description is None else description,
        tags=tuple(tags),
        input=CaseInput(conversation_messages=tuple(found.history)),
        expect=_given(expectation, found.step, name) if expectation is not None else expected_by(said, found.step),
        origin=CaseOrigin(conversation_id=found.turn.conversation_id, turn_id=found.turn.turn_id, step_id=found.step.step_id),
    )


def find_step(database: Database, call_id: str) -> Found:
    """Find the step that a call is, or that asked for it, with what it had been told.

    Raises:
        CaseError: the call is neither of these.
        UnknownId: there is no such call.
    """
    call = load_call(database, call_id)
    model = call if call.kind == "model" else load_call(database, call.step_id) if call.kind == "tool" and call.step_id is not None else None
    if model is None or model.parent_call_id is None:
        raise CaseError(
            f"{call.call_id!r} is a call of kind {call.kind}, and no model call asked for it. A case is about one step: turn.steps[…] has those of a turn."
        )
    conversation = load_conversation(database, model.conversation_id)
    turn = next(turn for turn in conversation.turns if turn.turn_id == model.turn_id)
    steps = turn.steps_of(model.parent_call_id)
    step = next(step for step in steps if step.step_id == model.call_id)
    own = next((one.name for one in turn.calls if one.call_id == model.parent_call_id), "")
    return Found(step, turn, Situations(conversation.turns).history(turn, step), own or conversation.agent_name or "agent")


def expected_by(ratings: Sequence[Rating], step: Step) -> DecisionExpectation:
    """Return what people expect of a step, by the ratings of it, else by those of its tool calls.

    Right means what it decided. Wrong needs the right answer: an expectation (a dict with `kind`), the right arguments of its only call, or what it should
    have told the person, of which the words count and not their case.

    Raises:
        CaseError: nobody said it, or people differ.
    """
    observed = normalize_decision(step.raw)
    own = [rating for rating in ratings if rating.call_id == step.step_id]
    if own:
        rating = _agreed(own)
        return expect_decision(observed) if rating.verdict == "right" else _corrected(_answer(rating), observed, step.step_id)
    if not ratings:
        raise CaseError(f"step {step.step_id!r}: nobody said whether it is right. {_HELP}")
    return _by_calls(ratings, observed, step)


def _by_calls(ratings: Sequence[Rating], observed: ObservedDecision, step: Step) -> DecisionExpectation:
    """Expect the calls of a step as people corrected them; of a call that nobody judged only that it is made."""
    if observed.kind != "action" or len(observed.actions) != len(step.tool_calls):
        raise CaseError(f"step {step.step_id!r} decided {observed.kind}, and only calls of it are rated. {_HELP}")
    actions = []
    for action, call in zip(observed.actions, step.tool_calls, strict=True):
        own = [rating for rating in ratings if rating.call_id == call.call_id]
        params: Any = {}
        if own:
            rating = _agreed(own)
            params = action.params if rating.verdict == "right" else _answer(rating)
        if not isinstance(params, dict):
            raise CaseError(f"call {call.call_id!r}: the right answer is {params!r}, and not the right arguments as a dict. {_HELP}")
        if "kind" in params and own and len(step.tool_calls) == 1 and "kind" not in action.params:
            return read_expectation(params, where=f"the right answer of call {call.call_id!r}")
        actions.append(_exactly(action.name, params))
    return DecisionExpectation(kind="action", actions=tuple(actions))


def _agreed(ratings: Sequence[Rating]) -> Rating:
    if len({(rating.verdict, rating.answer) for rating in ratings}) > 1:
        people = ", ".join(f"{rating.rated_by or rating.account or 'someone'}: {rating.verdict}" for rating in ratings)
        raise CaseError(f"call {ratings[0].call_id!r}: people differ ({people}). Agree first, or give what is expected: ws.expect(step, {{'kind': …}}).")
    return ratings[-1]


def _answer(rating: Rating) -> Any:
    if rating.answer is None:
        raise CaseError(f"call {rating.call_id!r} was rated wrong without a right answer, which says only what is not expected. {_HELP}")
    return json.loads(rating.answer)


def _corrected(answer: Any, observed: ObservedDecision, step_id: str) -> DecisionExpectation:
    if isinstance(answer, dict) and isinstance(answer.get("kind"), str):
        return read_expectation(answer, where=f"the right answer of step {step_id!r}")
    if isinstance(answer, dict) and observed.kind == "action" and len(observed.actions) == 1:
        return DecisionExpectation(kind="action", actions=(_exactly(observed.actions[0].name, answer),))
    if isinstance(answer, str) and answer:
        words = Matcher(kind="containsIgnoreCase", value=answer)
        return DecisionExpectation(kind="chat" if observed.kind == "chat" else "taskComplete", message=words)
    raise CaseError(f"step {step_id!r}: from the right answer {answer!r} it does not follow what should be decided. {_HELP}")


def _exactly(name: str, params: Mapping[str, Any]) -> ExpectedAction:
    return ExpectedAction(name=name, params=tuple(ParamExpectation(param=key, matcher=Matcher(kind="exact", value=value)) for key, value in params.items()))


def _given(expectation: Any, step: Step, name: str) -> DecisionExpectation:
    if isinstance(expectation, ObservedDecision):
        return expect_decision(expectation)
    if expectation == "right":
        return expect_decision(normalize_decision(step.raw))
    if expectation == "wrong":
        raise CaseError(f"case {name!r}: 'wrong' does not say what is right. {_HELP}")
    return read_expectation(expectation, where=f"case {name!r}")


def _rated_with(step: Step) -> set[str]:
    return {step.step_id, *(call.call_id for call in step.tool_calls)}


def _description(ratings: Sequence[Rating]) -> str:
    said = [f"{rating.rated_by or 'someone'} called it {rating.verdict}{_why(rating)}" for rating in ratings]
    return "; ".join(dict.fromkeys(said))


def _why(rating: Rating) -> str:
    why = [*rating.reasons, *([rating.note] if rating.note else [])]
    return f": {', '.join(why)}" if why else ""
