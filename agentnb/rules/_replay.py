"""At which points of a recorded turn was a nudge due? Points, contexts, and every rule at every point.

A replay never knows how the model would have answered: a hit means that a nudge was due here, not that the run would have succeeded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from agentnb.rules._defaults import PROMPTS, default_rules, finish_reason
from agentnb.rules._evaluate import check_rules
from agentnb.rules._runs import CallFacts, Heard, Run, StepFacts, run_of_turn
from agentnb.rules._tracker import Limits, Tracker
from agentnb.rules.predicates import language_covered
from agentnb.values import Step, Turn
from agentnb.values.rules import Counting, Rule, RuleCheck, RuleContext, RuleExplanation, RulePhase, RulePoint
from agentnb.values.tool_kinds import ToolKinds

_NOT_RUN: Final = frozenset(("length", "content_filter", "refusal", "error"))
"""Finish reasons under which a runner does not run the tools that were asked for."""
_CUT_OFF: Final = frozenset(("interrupted", "stopped", "waiting", "running", "abandoned"))
"""States of a turn whose last step is no answer: somebody or something ended it, or it goes on."""
_REFUSED: Final = frozenset(("refused", "denied", "blocked", "rejected", "forbidden", "skipped", "not_run"))
_UNCHANGED: Final = frozenset(("no_change", "nochange", "unchanged", "noop"))
_GOOD: Final = frozenset(("ok", "done", "success", "completed", "pass", "passed")) | _UNCHANGED
_PROMPTS: Final = {prompt: code for code, prompt in PROMPTS.items()}


class Place(NamedTuple):
    """Where a replay stands when it has come to a point."""

    phase: RulePhase
    step: StepFacts
    call_index: int | None


def explain_rules(
    turn: Turn,
    rules: Sequence[Rule] | None = None,
    *,
    counting: Counting = "recorded",
    agent: str | None = None,
    earlier: Iterable[Turn] = (),
    tool_kinds: ToolKinds | None = None,
    limits: Limits | None = None,
    scrub: bool = False,
    reset_on_tools: Sequence[str] = (),
    delivery_required: bool = False,
    audit_mode: bool = False,
) -> RuleExplanation:
    """Say for every rule at every point of a turn what it came to, and why.

    Args:
        turn: as `ws.turn` gives it.
        rules: asked in this order; without them the eleven default rules.
        counting: recorded counts the nudges that are in the recording; counterfactual also those that would have been sent.
        agent: id of a sub-agent's call; without it the turn's own agent.
        earlier: the turns before it: this one continues them where it begins with a nudge, and a yes replies to the last of them.
        tool_kinds: kinds of tools by name, or a function of name and arguments; asked before the default map.
        limits: the limits of the run; without them none is close.
        scrub: whether times, durations, addresses, UUIDs and temporary paths of results are left out of comparisons.
        reset_on_tools: rules whose count of nudges goes back to zero after a batch of tool calls.
        delivery_required: whether the task needs a tool call before the answer.
        audit_mode: whether reading is the task.

    Returns:
        The points in order, each with the six statuses of the rules.

    Raises:
        UnknownId: the turn has no such agent call.
        RuleError: a check raised.
    """
    asked = default_rules() if rules is None else list(rules)
    tracker = Tracker(
        tool_kinds=tool_kinds, limits=limits, scrub=scrub, reset_on_tools=reset_on_tools, delivery_required=delivery_required, audit_mode=audit_mode,
    )  # fmt: skip
    run = run_of_turn(turn, agent)
    tracker = continued([run_of_turn(before) for before in earlier], run, tracker)
    points, own, undecided = [], Counter[str](), sum(map(_is_undecided, run.events[1:]))
    for index, place in enumerate(points_of(run, tracker)):
        ctx = tracker.at(place.phase, own)
        checks = tuple(_with_calls(check, tracker) for check in check_rules(asked, ctx))
        fired = next((check.code for check in checks if check.status == "fired"), None)
        if counting == "counterfactual" and fired:
            own[fired] += 1
        step_id = place.step.step_id
        points.append(RulePoint(point_index=index, phase=place.phase, step_id=step_id, call_index=place.call_index, context=ctx, checks=checks))
    answer = next((point.context.final_text for point in reversed(points) if point.phase == "final"), None)
    return RuleExplanation(
        conversation_id=run.conversation_id, turn_id=run.turn_id, agent_call_id=run.agent_call_id, counting=counting, points=tuple(points),
        assumed_tools=tuple(tracker.assumed), undecided_messages=undecided, language_covered=None if not answer else language_covered(answer),
    )  # fmt: skip


def context_from_turn(turn: Turn, at: Step | int | str | None = None, *, agent: str | None = None, **options: Any) -> RuleContext:
    """Return what a rule may look at, at one step of a recorded turn.

    Args:
        turn: as `ws.turn` gives it.
        at: a step, its place among the steps (from 0), or its id; without it the last point.
        agent: id of a sub-agent's call; without it the turn's own agent.
        options: tool_kinds, limits, scrub, reset_on_tools, delivery_required, audit_mode, as for `explain_rules`.

    Returns:
        The context after this step's calls have run, or after its answer.

    Raises:
        IndexError: the turn has no such step, or no point at it: its calls have no results, or it was cut off.
    """
    run = run_of_turn(turn, agent)
    steps = [event for event in run.events if isinstance(event, StepFacts)]
    wanted = _step_id(steps, at, turn)
    tracker = Tracker(**options)
    found = None
    for place in points_of(run, tracker):
        found = tracker.at(place.phase)
        if at is not None and place.step.step_id == wanted:
            return found
    if at is not None or found is None:
        raise IndexError(f"turn {turn.turn_id!r} has no point at step {wanted!r}: its calls have no results, or the agent was cut off there")
    return found


def context_from_calls(calls: Iterable[Mapping[str, Any]], *, phase: RulePhase = "tools", tool_kinds: ToolKinds | None = None, **fields: Any) -> RuleContext:
    """Return the context after some tool calls, given as plain mappings: for transcripts that are at hand as such, and for trying things out.

    Args:
        calls: each with `name`, and `arguments`, `result`, `status` (ok, error or refused), `exit_code`, and where the caller knows better than the default
            map `kind` (read, write, run, verify, poll, other), `verdict` (pass, fail or None) and `no_change`.
        phase: of the context.
        tool_kinds: kinds of tools by name, or a function of name and arguments.
        fields: further fields of the context, such as final_text.
    """
    tracker = Tracker(tool_kinds=tool_kinds)
    for index, call in enumerate(calls):
        tracker.take(_given(call, index))
    return RuleContext(**{**tracker.at(phase).model_dump(), **fields})


def points_of(run: Run, tracker: Tracker) -> Iterator[Place]:
    """Walk through a run and stop at each point; the tracker knows there what was known then."""
    last = max((at for at, event in enumerate(run.events) if isinstance(event, StepFacts)), default=-1)
    for at, event in enumerate(run.events):
        if isinstance(event, Heard):
            hear(event, tracker)
            continue
        tracker.begin(event)
        phase = _phase(event, run, last=at == last, spoken_to=at + 1 < len(run.events) and isinstance(run.events[at + 1], Heard))
        if event.calls and (phase != "final" or event.handed_in is not None):
            for call in event.calls:
                if at < last or call.answered or call.refused:
                    tracker.take(call)
            tracker.end_batch()
        if phase is not None:
            yield Place(phase, event, event.calls[-1].call_index if event.calls else event.call_index)


def hear(heard: Heard, tracker: Tracker) -> None:
    """Take in what was said to the agent: a nudge counts as one, and what nobody typed is not the user's."""
    code = nudge_code(heard)
    if code is not None:
        tracker.nudges[code] += 1
    tracker.hear(heard.text if code is None and not heard.injected else None)


def nudge_code(heard: Heard) -> str | None:
    """Say which rule sent a message: by the mark in its record, or because it is a prompt that is known; None for any other."""
    marked = _marked(heard.extra) if heard.extra and '"nudge"' in heard.extra else None
    return marked or _PROMPTS.get(heard.text.strip()) or _PROMPTS.get(heard.text.strip().partition("\n\n")[0])


def continued(before: Sequence[Run], run: Run, tracker: Tracker) -> Tracker:
    """Let a tracker pass through the turns that this one continues, because it begins with a nudge, and know the answer before them."""
    at = len(before)
    chain: list[Run] = []
    while at and begins_with_nudge(run if not chain else chain[0]):
        at -= 1
        chain.insert(0, before[at])
    tracker.previous_text = last_text(before[at - 1]) if at else None
    for earlier in chain:
        for _ in points_of(earlier, tracker):
            continue
    return tracker


def last_text(run: Run) -> str | None:
    """Return the text of the last step of a run; None where it has no step."""
    return next((event.text for event in reversed(run.events) if isinstance(event, StepFacts)), None)


def continues(turn: Turn) -> bool:
    """Say whether a turn begins with a nudge, so that it continues the one before it: `explain_rules` then wants that one as `earlier`."""
    return begins_with_nudge(run_of_turn(turn))


def begins_with_nudge(run: Run) -> bool:
    """Say whether a turn begins with a nudge, so that its counters are those of the turn before."""
    first = run.events[0] if run.events else None
    return run.own and isinstance(first, Heard) and nudge_code(first) is not None


def _phase(step: StepFacts, run: Run, *, last: bool, spoken_to: bool) -> RulePhase | None:
    """Say which point comes after a step: after an answer that ended something final, after a complete batch tools, else none.

    A tool by which an agent finishes takes the answer in the place of words: many agents end in no other way.
    """
    whole = not (last and run.state in _CUT_OFF)
    if not step.calls or step.handed_in is not None:
        # An agent that just goes on after some words did not mean to end there.
        return "final" if whole and (last or spoken_to) else None
    if any(call.answered or call.refused for call in step.calls):
        return "tools" if not last or all(call.answered or call.refused for call in step.calls) else None
    if finish_reason(step.finish_reason) in _NOT_RUN:
        return "final" if whole and (last or spoken_to) else None
    return None if last else "tools"


def _with_calls(check: RuleCheck, tracker: Tracker) -> RuleCheck:
    if check.status == "condition_false" and check.code == "no_progress" and not tracker.results:
        return check.model_copy(update={"status": "unknown", "reason": "no results of tool calls were recorded"})
    if check.nudge is None:
        return check
    return check.model_copy(update={"evidence": {**check.evidence, **tracker.evidence(check.code)}})


def _is_undecided(event: StepFacts | Heard) -> bool:
    return isinstance(event, Heard) and not event.injected and nudge_code(event) is None


def _marked(extra: str) -> str | None:
    try:
        found = json.loads(extra)
    except (ValueError, RecursionError):
        return None
    for holder in (found, found.get("meta"), found.get("metadata")) if isinstance(found, dict) else ():
        if isinstance(holder, dict) and isinstance(holder.get("nudge"), str):
            return str(holder["nudge"])
    return None


def _step_id(steps: Sequence[StepFacts], at: Step | int | str | None, turn: Turn) -> str | None:
    if isinstance(at, Step):
        return at.step_id
    if isinstance(at, int):
        if not -len(steps) <= at < len(steps):
            raise IndexError(f"turn {turn.turn_id!r} has {len(steps)} steps, from 0 to {len(steps) - 1}; there is no step {at}")
        return steps[at].step_id
    return at


def _given(call: Mapping[str, Any], index: int) -> CallFacts:
    status = str(call.get("status") or ("error" if call.get("failed") or call.get("exit_code") not in (None, 0) else "ok")).casefold()
    put, result = call.get("arguments"), call.get("result", "")
    refused = status in _REFUSED or bool(call.get("refused"))
    unchanged = bool(call.get("no_change", call.get("noChange", False))) or call.get("changed") is False or status in _UNCHANGED
    return CallFacts(
        call_id=str(call.get("call_id", index)), call_index=index, name=str(call["name"]),
        input=put if isinstance(put, str) or put is None else json.dumps(put),
        output=result if isinstance(result, str) or result is None else json.dumps(result),
        exit_code=call.get("exit_code"), failed=not refused and status not in _GOOD, state="denied" if refused else "done",
        kind=call.get("kind"), judged="verdict" in call, verdict=call.get("verdict"), unchanged=unchanged,
    )  # fmt: skip
