"""What happened in an agent's conversation with its model: what was said, its steps, and the calls they asked for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from agentnb.render._calls import Scene, call_element, call_frame, rating_line
from agentnb.render._code import terminal
from agentnb.render._images import image_element
from agentnb.render._index import Item, Loose, Repeated, Said, Taken, folded, is_note, same_failure
from agentnb.render._marks import CALL_MARKS, marked
from agentnb.render._markup import Child, Html, join, tag
from agentnb.render._numbers import amount, count, facts, lasted, tokens
from agentnb.render._prose import prose
from agentnb.render._room import SCANT, Room, weight
from agentnb.render._text import one_line
from agentnb.values import Call, Part

DEEPEST: Final = 6
NEXT: Final = 20
RESERVE: Final = 700
"""Bytes kept for the line that says what is left out."""


class Shown(NamedTuple):
    """A rendered window of an agent's steps."""

    html: Html
    """The items, with a line for what is left out."""
    whole: bool
    """Whether nothing was left out, here and in sub-agents."""
    short: bool = False
    """Whether calls of a step were left out."""


def steps(scene: Scene, agent_id: str, turn_id: str, *, room: int, first: int = 0, most: int | None = None, depth: int = 0) -> Shown:
    """Show an agent's steps from `first` on, as many as fit.

    Args:
        scene: the view around it.
        agent_id: the turn's id, or the id of a sub-agent's call.
        turn_id: the turn.
        room: bytes that may be used.
        first: the first step, from 0.
        most: how many steps at most.
        depth: how many agents are around it.
    """
    left, shown, whole, following = Room(room - RESERVE), list[Html](), True, first
    for item in folded(scene.index.items(agent_id, first)):
        if most is not None and following - first >= most:
            whole = False
            break
        element = _fitting(scene, item, turn_id, left, depth, must=not shown)
        if element is None:
            whole = False
            break
        whole = whole and element.whole
        shown.append(element.html)
        following = _following(item, following)
    return Shown(join(shown, _more(scene, agent_id, turn_id, following)), whole)


def item_element(scene: Scene, item: Item, turn_id: str, room: int) -> Html:
    """Show one item by itself."""
    return _item(scene, item, turn_id, room, 0).html


def call_item(scene: Scene, call: Call, room: int) -> Shown:
    """Show one call by itself, unfolded, with what its sub-agents did."""
    return _call(replace(scene, selected=call.call_id), call, call.turn_id, room, 0)


def _fitting(scene: Scene, item: Item, turn_id: str, left: Room, depth: int, *, must: bool) -> Shown | None:
    # A picture gives way before words do.
    for detail in dict.fromkeys((scene.detail, scene.detail._replace(picture=SCANT.picture), SCANT)):
        element = _item(replace(scene, detail=detail), item, turn_id, left.left, depth)
        if (not element.short or (must and detail is SCANT)) and left.take(element.html):
            return element
    return None


def _item(scene: Scene, item: Item, turn_id: str, room: int, depth: int) -> Shown:
    if isinstance(item, Said):
        return Shown(_said(scene, item.parts, turn_id), True)
    if isinstance(item, Repeated):
        return Shown(_repeated(scene, item.steps), True)
    if isinstance(item, Loose):
        return _call(scene, item.call, turn_id, room, depth)
    return _step(scene, item, turn_id, room, depth)


def _said(scene: Scene, parts: list[Part], turn_id: str) -> Html:
    first = parts[0]
    if first.role == "user" and not first.injected:
        # What a sub-agent reads as said by its user was written by the agent that started it.
        who = "person" if first.agent_call_id in (turn_id, first.turn_id) else "task"
        return tag("div", tag("div", who, class_="who"), [_piece(scene, part) for part in parts[:20]], class_=f"said {who}")
    if first.type == "tool_result" or (first.type == "image" and first.role == "tool"):
        return tag("div", tag("div", "shown to the agent", class_="who"), [_observed(scene, part) for part in parts[:20]], class_="said")
    if is_note(parts):
        kinds = Counter(one_line(part.text or "note", 40) for part in parts)
        named = [kind if times == 1 else f"{kind} ×{count(times)}" for kind, times in kinds.most_common(4)]
        return tag("div", facts(amount(len(parts), "note"), ", ".join(named)), class_="who")
    return aside(scene, "injected" if first.injected else first.role, parts)


def _observed(scene: Scene, part: Part) -> Html:
    return _image(scene, part) if part.type == "image" else terminal(part.text or "", limit=scene.detail.put)


def aside(scene: Scene, what: str, parts: list[Part]) -> Html:
    """Fold what is rarely read: reasoning, system messages, what the tool injected."""
    texts, images = [part for part in parts if part.type != "image"], [part for part in parts if part.type == "image"]
    length = sum(len(part.text or "") for part in texts)
    begins = one_line(next((part.text for part in texts if part.text), ""), 70)
    known = facts(amount(length, "character") if texts else None, begins or None, amount(len(images), "image") if images else None)
    written = [prose(part.text, limit=scene.detail.aside, colour=False) for part in texts[:8] if part.text]
    return tag("details", tag("summary", tag("b", what), f" {known}"), written, [_image(scene, part) for part in images[:8]], class_="aside")


def _image(scene: Scene, part: Part) -> Html:
    return image_element(part, most=scene.detail.picture, live=scene.live)


def _piece(scene: Scene, part: Part) -> Html | None:
    if part.type == "text":
        return prose(part.text or "", limit=scene.detail.said, colour=scene.detail.colour)
    if part.type == "image":
        return _image(scene, part)
    return tag("div", f"[{part.type}] {one_line(part.text or '', 200)}", class_="dim") if part.type == "other" else None


def _step(scene: Scene, step: Taken, turn_id: str, room: int, depth: int) -> Shown:
    thoughts = [part for part in step.parts if part.type == "reasoning"]
    hidden = [part for part in thoughts if not part.text]
    head: list[Child] = [
        tag("div", _step_line(step), class_="who"),
        aside(scene, "reasoning", thoughts) if len(thoughts) > len(hidden) else tag("div", "reasoning is hidden", class_="dim") if hidden else None,
        [_piece(scene, part) for part in step.parts if part.type in ("text", "image", "other")],
    ]
    begun = join(head)
    calls = _calls(scene, step.tools, turn_id, room - weight(begun) - 300, depth)
    return calls._replace(html=tag("div", begun, calls.html, class_="step", data_step=step.number, data_call=step.call.call_id))


def _step_line(step: Taken) -> str:
    call = step.call
    return facts(
        f"step {step.number + 1}", one_line(call.name, 60) or None, one_line(call.finish_reason, 40) if call.finish_reason else None,
        tokens(call.usage.total_tokens), lasted(call.seconds), "✕ failed" if call.failed else None,
    )  # fmt: skip


def _calls(scene: Scene, calls: list[Call], turn_id: str, room: int, depth: int) -> Shown:
    left, shown, whole, at = Room(room - 120), list[Html](), True, 0
    for run in _runs(calls):
        pieces = [_call(scene, run[0], turn_id, left.left, depth)]
        if len(run) > 1:
            pieces.append(Shown(_repeated_calls(scene, run[1:]), True))
        if not all(left.take(piece.html) for piece in pieces):
            break
        shown.extend(piece.html for piece in pieces)
        whole, at = whole and all(piece.whole for piece in pieces), at + len(run)
    if at < len(calls):
        shown.append(tag("div", f"{amount(len(calls) - at, 'more call')} of this step", class_="more"))
    return Shown(join(shown), whole and at == len(calls), at < len(calls))


def _runs(calls: list[Call]) -> Iterator[list[Call]]:
    run: list[Call] = []
    for call in calls:
        if run and (key := same_failure(call)) is not None and key == same_failure(run[0]):
            run.append(call)
            continue
        if run:
            yield run
        run = [call]
    if run:
        yield run


def _call(scene: Scene, call: Call, turn_id: str, room: int, depth: int) -> Shown:
    agents = scene.index.agents(call)
    if not agents:
        return Shown(call_element(scene, call), True)
    if depth >= DEEPEST:
        return Shown(call_element(scene, call, nested=[tag("div", "its sub-agents are nested too deep to show here", class_="dim")]), False)
    share = (room - weight(call_element(scene, call)) - 200) // len(agents)
    nested = [_agent(scene, agent, turn_id, share, depth) for agent in agents[:20]]
    return Shown(call_element(scene, call, nested=[shown.html for shown in nested]), all(shown.whole for shown in nested))


def _agent(scene: Scene, agent: Call, turn_id: str, room: int, depth: int) -> Shown:
    models = scene.index.models[agent.call_id]
    known = facts(amount(len(models), "step"), lasted(agent.seconds))
    name = tag("b", one_line(agent.name, 60) or "unnamed")
    summary = tag("summary", join(tag("span", "sub-agent", class_="dim"), name, tag("span", known, class_="facts"), by=" "))
    inside = steps(scene, agent.call_id, turn_id, room=room - weight(summary) - 200, depth=depth + 1)
    return Shown(tag("details", summary, tag("div", inside.html, class_="steps"), class_="agent", data_call=agent.call_id), inside.whole)


def _repeated(scene: Scene, taken: list[Taken]) -> Html:
    calls = [step.tools[0] for step in taken]
    lines = [(step.tools[0], facts(f"step {step.number + 1}", lasted(step.tools[0].seconds), _spoken(step))) for step in taken]
    return _repeats(scene, calls, lines)


def _repeated_calls(scene: Scene, calls: list[Call]) -> Html:
    return _repeats(scene, calls, [(call, facts("in the same step", lasted(call.seconds))) for call in calls])


def _repeats(scene: Scene, calls: list[Call], lines: list[tuple[Call, str]]) -> Html:
    known = [call.seconds for call in calls if call.seconds is not None]
    times = "once more" if len(calls) == 1 else f"{count(len(calls))} more times"
    rows = [
        tag("div", line, rating_line(call.call_id, scene.index.ratings[call.call_id]), class_="repeat", data_call=call.call_id) for call, line in lines[:12]
    ]
    rest = tag("div", f"{amount(len(lines) - 12, 'more repeat')}", class_="dim") if len(lines) > 12 else None
    mark = marked(CALL_MARKS["failed"], f"×{count(len(calls))} ")
    took = facts(lasted(sum(known))) if known else ""
    return call_frame(scene, calls[0], mark, f"the same call, the same result, {times}", took, body=[rows, rest], repeats=True)


def _spoken(step: Taken) -> str | None:
    said = next((part.text for part in step.parts if part.type == "text" and part.text), None)
    return one_line(said, 120) if said else None


def _following(item: Item, at: int) -> int:
    if isinstance(item, Repeated):
        return item.steps[-1].number + 1
    return item.number + 1 if isinstance(item, Taken) else at


def _more(scene: Scene, agent_id: str, turn_id: str, following: int) -> Html | None:
    rest = scene.index.models[agent_id][following:]
    if not rest:
        return None
    failed = sum(call.failed for model in rest for call in scene.index.tools[model.call_id])
    told = facts(amount(len(rest), "more step"), f"{amount(failed, 'failed call')} among them" if failed else None)
    agent = None if agent_id == turn_id else agent_id
    button = tag(
        "button", f"next {min(NEXT, len(rest))}", type="button", data_action="more-steps", data_turn=turn_id, data_agent=agent, data_first=following,
    )  # fmt: skip
    return tag("div", told, join(" ", button) if scene.live else None, class_="more", data_more="steps", data_turn=turn_id, data_agent=agent)
