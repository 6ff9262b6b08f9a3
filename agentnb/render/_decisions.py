"""What a turn decided: the decision, the way to it, and how it meets what was expected."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agentnb.decisions import Case, DecisionExpectation, Evaluation, Explanation, Matcher, write_expectation
from agentnb.render._code import code, pretty_json
from agentnb.render._frame import framed, heading, room_inside, too_large
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, facts
from agentnb.render._prose import prose
from agentnb.render._room import BUDGET, DETAILS, Detail, weight
from agentnb.render._text import one_line, visible
from agentnb.values import Discarded, ObservedAction, ObservedDecision, RawTurn

MOST: Final = 20
"""Actions, rules or parameters that are listed."""

_GOOD, _BAD, _WARN = "good", "bad", "warn"
_KIND_LEVELS: Final = {"unparseable": _BAD, "empty": _BAD, "other": _WARN}
_OUTCOMES: Final = {"fired": Mark("✓", "fired", _GOOD), "passed": Mark("–", "no", "dim"), "noted": Mark("·", "noted", "dim")}
_RIGHT, _WRONG = Mark("✓", "as expected", _GOOD), Mark("✕", "not as expected", _BAD)


def render_decision(decision: ObservedDecision, *, budget: int = BUDGET, standalone: bool = True) -> Html:
    """Show one decision: its kind and form, what it does, what is odd about it, and what was discarded.

    Args:
        decision: the decision.
        budget: bytes of UTF-8 that are not exceeded, style sheet included.
        standalone: whether the style sheet and the section around it come along.
    """
    return _fitting("decision", _decision_head(decision), lambda detail: _decision(decision, detail), budget, standalone=standalone)


def render_explanation(explanation: Explanation, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a decision with the way to it: each rule that was tried, where the runtime would do something else, and warnings."""

    def shown(detail: Detail) -> Html:
        warnings = [tag("div", marked(Mark("⚠", one_line(warning, 300), _WARN))) for warning in explanation.warnings]
        rules = _table(
            ("", "rule", "asked", "found"), ([marked(_OUTCOMES[rule.outcome]), rule.rule, rule.condition, rule.detail] for rule in explanation.rules)
        )
        return join(_decision(explanation.decision, detail), warnings, rules, _differences(explanation))

    return _fitting("explanation", _decision_head(explanation.decision), shown, budget, standalone=standalone)


def render_evaluation(evaluation: Evaluation, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show how a decision meets an expectation: what is not as expected first, then every parameter that was judged."""
    known = facts(f"expected {evaluation.expected_kind}", f"observed {evaluation.observed_kind}", f"score {evaluation.score:.2f}", _branch(evaluation))
    head = heading("evaluation", known, marked(_RIGHT if evaluation.passed else _WRONG))

    def shown(detail: Detail) -> Html:
        messages = tag("ul", [tag("li", one_line(message, 400)) for message in evaluation.messages[:MOST]]) if evaluation.messages else None
        rows = ([marked(_RIGHT if result.passed else _WRONG), result.param, result.matcher_kind, result.detail] for result in evaluation.param_results)
        return join(messages, _table(("", "parameter", "matcher", "found"), rows) if evaluation.param_results else None)

    return _fitting("evaluation", head, shown, budget, standalone=standalone)


def render_case(case: Case, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a case: what it is about, what should be decided, and how much had been told before."""
    told = amount(len(case.input.conversation_messages), "message")
    head = heading("case", facts(one_line(case.id, 80), one_line(case.agent, 60), told, f"expects {case.expect.kind}"))

    def shown(detail: Detail) -> Html:
        about = prose(case.description, limit=detail.said) if case.description else None
        rows = list(_expected(case.expect))
        # What is in no table, as several expectations are, is shown as its file has it.
        written = pretty_json(write_expectation(case.expect), limit=detail.put, colour=detail.colour) if not rows and case.expect.kind == "anyOf" else None
        return join(about, _table(("expected", "name", "matcher", "value"), rows) if rows else None, written)

    return _fitting("case", head, shown, budget, standalone=standalone)


def _expected(expect: DecisionExpectation) -> Iterator[tuple[str, ...]]:
    """Yield a row for each thing that is judged besides the kind."""
    for action in expect.actions:
        yield "action", action.name, "called", ""
        yield from (("parameter", f"{action.name}.{one.param}", *_matcher(one.matcher)) for one in action.params)
    yield from (("sub-agent", name, "called", "") for name in expect.sub_agents)
    if expect.message is not None:
        yield "message", "", *_matcher(expect.message)
    yield from (("payload", one.param, *_matcher(one.matcher)) for one in expect.payload)
    yield from (("forbidden", name, "called", "") for name in expect.forbidden_actions)
    yield from (("forbidden", path, "written", "") for path in expect.forbidden_payload_paths)


def _matcher(matcher: Matcher) -> tuple[str, str]:
    given = matcher.model_dump(include=matcher.model_fields_set - {"kind"})
    values = [value for value in given.values() if value is not None]
    return matcher.kind, ", ".join(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str) for value in values)


def plain_case(case: Case) -> str:
    """Say in one line what a case expects."""
    does = [action.name for action in case.expect.actions] + [f"→ {name}" for name in case.expect.sub_agents]
    return visible(f"Case {one_line(case.id, 80)} · " + facts(f"expects {case.expect.kind}", one_line(", ".join(does[:6]), 100) if does else None))


def render_raw_turn(turn: RawTurn, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show a raw turn as it came in: its text uninterpreted, its calls, and which of them are control tools."""
    calls = turn.tool_calls or ()
    roles, names = turn.control_tool_map or {}, turn.tool_name_map or {}

    def shown(detail: Detail) -> Html:
        text = code(turn.text, "json" if turn.text.lstrip().startswith(("{", "[")) else None, limit=detail.said) if turn.text else None
        listed = [_titled(_role(call.name, roles, names), call.name, _arguments(call.arguments, detail)) for call in calls[:MOST]]
        return join(
            text, listed, _rest(len(calls), "call"), tag("div", "there is neither text nor a call", class_="dim") if not turn.text and not calls else None
        )

    known = facts(f"protocol {one_line(turn.protocol, 40)}" if turn.protocol else None, amount(len(calls), "call") if calls else None)
    return _fitting("raw turn", heading("raw turn", known), shown, budget, standalone=standalone)


def plain_raw_turn(turn: RawTurn) -> str:
    """Say in one line what came in."""
    said = f'"{one_line(turn.text, 60)}"' if turn.text else None
    called = one_line(", ".join(call.name for call in (turn.tool_calls or ())[:6]), 100) if turn.tool_calls else None
    return visible("Raw turn " + facts(one_line(turn.protocol, 40) if turn.protocol else None, said, called)).rstrip()


def plain_decision(decision: ObservedDecision) -> str:
    """Say in one line what was decided and how it arrived."""
    does = [action.name for action in decision.actions] + [f"→ {agent.name}" for agent in decision.sub_agents]
    listed = one_line(", ".join(does[:6]), 100) + (" …" if len(does) > 6 else "") if does else None
    said = f'"{one_line(decision.message, 60)}"' if decision.message else None
    odd = ", ".join(word for word, _ in _oddities(decision)) or None
    return visible(f"Decision {decision.kind} · " + facts(decision.encoding, listed, said, _why(decision), odd))


def plain_explanation(explanation: Explanation) -> str:
    """Say in one line what was decided and by which rule."""
    fired = next((rule for rule in explanation.rules if rule.outcome == "fired"), None)
    warned = amount(len(explanation.warnings), "warning") if explanation.warnings else None
    return facts(plain_decision(explanation.decision), f"by {fired.rule}" if fired else None, warned)


def plain_evaluation(evaluation: Evaluation) -> str:
    """Say in one line whether a decision is as expected, and what is not."""
    first = one_line(evaluation.messages[0], 120) if evaluation.messages else None
    more = f"{amount(len(evaluation.messages) - 1, 'more message')}" if len(evaluation.messages) > 1 else None
    return visible(f"Evaluation {'passed' if evaluation.passed else 'failed'} · " + facts(f"score {evaluation.score:.2f}", first, more))


def _decision_head(decision: ObservedDecision) -> Html:
    does = amount(len(decision.actions), "action") if decision.actions else None
    handed = amount(len(decision.sub_agents), "sub-agent") if decision.sub_agents else None
    step_type = f"step type {one_line(decision.step_type, 40)!r}" if decision.step_type is not None else None
    level = _KIND_LEVELS.get(decision.kind)
    mark = marked(Mark("✕" if level == _BAD else "!", decision.kind, level)) if level else tag("span", decision.kind, class_="mark")
    return heading("decision", facts(decision.encoding, does, handed, step_type), mark)


def _decision(decision: ObservedDecision, detail: Detail) -> Html:
    odd = [tag("div", marked(Mark("!", word, _WARN)), " ", tag("span", told, class_="dim")) for word, told in _oddities(decision)]
    actions = [_action(action, detail) for action in decision.actions[:MOST]]
    agents = [_titled("sub-agent", agent.name, prose(agent.message, limit=detail.aside) if agent.message else None) for agent in decision.sub_agents[:MOST]]
    payload = _titled("payload change", "", pretty_json(decision.payload_change, limit=detail.put)) if decision.payload_change is not None else None
    return join(
        tag("div", marked(Mark("✕", one_line(decision.diagnostic, 300), _BAD))) if decision.diagnostic else None,
        odd,
        prose(decision.message, limit=detail.said) if decision.message else None,
        actions,
        _rest(len(decision.actions), "action"),
        agents,
        _rest(len(decision.sub_agents), "sub-agent"),
        payload,
        _discarded(decision.discarded),
    )


def _oddities(decision: ObservedDecision) -> list[tuple[str, str]]:
    known = [
        (decision.dual_channel, "dual channel", f"the text beside the calls is an envelope, too: {decision.shadow_envelope_kind}"),
        (decision.narration_with_calls, "narration", "there is text beside the calls"),
        (decision.placeholder_call, "placeholder call", "every call says nothing"),
    ]
    return [(word, told) for holds, word, told in known if holds]


def _why(decision: ObservedDecision) -> str | None:
    return one_line(decision.diagnostic, 100) if decision.diagnostic else None


def _action(action: ObservedAction, detail: Detail) -> Html:
    return _titled("action", action.name, pretty_json(action.params, limit=detail.put // 2, colour=detail.colour) if action.params else None)


def _role(name: str, roles: Mapping[str, Any], names: Mapping[str, str]) -> str:
    role = roles.get(name)
    if role is not None:
        return f"control tool ({one_line(str(role.kind), 40)})"
    return f"call of {one_line(names[name], 60)}" if name in names else "call"


def _arguments(arguments: Any, detail: Detail) -> Html | None:
    return None if arguments is None or arguments == {} else pretty_json(arguments, limit=detail.put // 2, colour=detail.colour)


def _titled(what: str, name: str, inside: Html | None) -> Html:
    title = tag("div", join(tag("span", what, class_="dim"), tag("b", one_line(name, 80), class_="name") if name else None, by=" "))
    return tag("div", title, inside, class_="said")


def _rest(number: int, noun: str) -> Html | None:
    return tag("div", amount(number - MOST, f"more {noun}"), class_="dim") if number > MOST else None


def _discarded(discarded: Sequence[Discarded]) -> Html | None:
    if not discarded:
        return None
    lines = [tag("li", join(f"{dropped.what} ", tag("code", one_line(dropped.name, 80)), f": {dropped.reason}")) for dropped in discarded[:MOST]]
    summary = tag("summary", tag("b", "discarded"), f" {amount(len(discarded), 'part')} of the turn")
    return tag("details", summary, tag("ul", lines), _rest(len(discarded), "part"), class_="aside", open=True)


def _differences(explanation: Explanation) -> Html | None:
    if not explanation.differences:
        return None
    rows = ([one.situation, one.normalizer, one.runtime] for one in explanation.differences)
    return join(tag("div", "Where the runtime does something else", class_="label"), _table(("the turn", "read as", "the runtime"), rows))


def _table(names: Sequence[str], rows: Iterable[Sequence[Any]]) -> Html:
    head = tag("thead", tag("tr", [tag("th", name, scope="col") for name in names]))
    listed = list(rows)
    body = [tag("tr", [_cell(cell) for cell in row]) for row in listed[:MOST]]
    return join(tag("div", tag("table", head, tag("tbody", body), class_="grid"), class_="scroll"), _rest(len(listed), "row"))


def _cell(cell: str | Html | None) -> Html:
    content: Child = cell if isinstance(cell, Html) or cell is None else one_line(cell, 200)
    return tag("td", content, class_="long" if isinstance(cell, str) and len(cell) > 40 and not isinstance(cell, Html) else None)


def _branch(evaluation: Evaluation) -> str | None:
    if not evaluation.branch:
        return None
    place = ".".join(str(step + 1) for step in evaluation.branch)
    return f"branch {place}" if evaluation.passed else f"closest miss: branch {place}"


def _fitting(view: str, head: Html, shown: Callable[[Detail], Html], budget: int, *, standalone: bool) -> Html:
    room = room_inside(budget, standalone=standalone) - weight(head) - 100
    for detail in DETAILS:
        element = tag("div", shown(detail), class_="steps")
        if weight(element) <= room:
            return framed(view, view.capitalize(), [head, element], standalone=standalone, budget=budget)
    return framed(view, view.capitalize(), [head, too_large()], standalone=standalone, budget=budget)
