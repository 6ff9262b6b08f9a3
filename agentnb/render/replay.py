"""A model's answer part by part: the strip of verdicts, what had come by a part, the character at which it breaks, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from agentnb.render._frame import framed, heading, room_inside
from agentnb.render._marks import Mark, marked
from agentnb.render._markup import Html, join, tag
from agentnb.render._numbers import amount, count, facts
from agentnb.render._room import BUDGET, Room, weight
from agentnb.render._secrets import mask
from agentnb.render._text import one_line, visible
from agentnb.values.model_selections import ModelSelection, ReplayFrame, SelectionFailure, SessionReply, Trace

STEP_MARKS: Final = {"ok": Mark("✓", "ok", "good"), "pending": Mark("◔", "pending", "dim"), "doomed": Mark("✕", "doomed", "bad")}
OUTCOME_MARKS: Final = {"ok": Mark("✓", "ok", "good"), "broken": Mark("✕", "broken", "bad"), "cut": Mark("⊘", "cut", "warn")}
MOST_RUNS: Final = 40
"""Rows of the table: parts beside each other of which the same can be said are one row."""
AROUND: Final = 300
"""Characters that are shown on each side of the place where a text breaks."""

_INVISIBLE: Final = {" ": "␠", "\n": "␊", "\r": "␍", "\t": "␉"}


class _Run(NamedTuple):
    """Parts beside each other of which the same can be said."""

    first: int
    last: int
    kind: str
    verdict: str
    code: str | None
    chars: int


def render_trace(trace: Trace, frame: ReplayFrame | None = None, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show what became of an answer, part by part.

    Args:
        trace: the trace.
        frame: what had come by one of its parts, such as the one where it broke; shown with the failing place marked.
        budget: bytes of UTF-8 that are not exceeded.
        standalone: whether the style sheet and the section around it come along.

    Returns:
        HTML, the same for the same trace.
    """
    runs = list(_runs(trace))
    body = [_result_line(trace), tag("div", join(_strip(runs), by=" "), class_="steps")]
    body += [_frame_body(frame, AROUND)] if frame is not None else []
    head = heading(_title(trace), _known(trace), marked(OUTCOME_MARKS[trace.outcome]))
    left = Room(room_inside(budget, standalone=standalone) - weight(head) - 400)
    shown = [piece for piece in body if left.take(piece)]
    return framed("replay", "Replay", [head, *shown, _table(runs, trace, left)], standalone=standalone, budget=budget)


def render_frame(frame: ReplayFrame, total: int | None = None, *, budget: int = BUDGET, standalone: bool = True) -> str:
    """Show one position of a slider over an answer: text and arguments so far, the failing place marked, the verdict, and why.

    Args:
        frame: the position.
        total: how many parts there are.
        budget: bytes of UTF-8 that are not exceeded.
        standalone: whether the style sheet and the section around it come along.
    """
    of = f" of {count(total)}" if total is not None else ""
    title = f"part {count(frame.part_index)}{of}"
    head = heading(title, facts(frame.kind, f"{count(frame.output_chars)} characters so far"), _verdict(frame.verdict, frame.code))
    room = room_inside(budget, standalone=standalone) - weight(head) - 200
    body = next(
        (made for around in (AROUND * 4, AROUND, 80, 20) if weight(made := _frame_body(frame, around)) <= room),
        tag("div", "too large to show here", class_="more"),
    )
    return framed("frame", title, [head, body], standalone=standalone, budget=budget)


def plain_trace(trace: Trace) -> str:
    """Say what became of an answer, in one line."""
    return visible(one_line(f"{_title(trace)}: {trace}", 200))


def plain_frame(frame: ReplayFrame) -> str:
    """Say what could be said at one part, in one line."""
    why = f", {frame.detail}" if frame.detail else ""
    return visible(one_line(f"part {frame.part_index}, {frame.kind}: {frame.verdict}{why}", 200))


def _title(trace: Trace) -> str:
    return one_line(" · ".join(part for part in (trace.transport_id, trace.stage, trace.adapter_id) if part), 120)


def _known(trace: Trace) -> str:
    finish = f"finish {trace.finish_reason}" if trace.finish_reason else "no finish reason"
    return facts(amount(len(trace.steps), "part"), f"{count(trace.output_chars)} characters", one_line(finish, 60))


def _result_line(trace: Trace) -> Html:
    failure = trace.failure
    if failure is None:
        return tag("div", join(_chosen(trace), _notes(trace), by=" · "), class_="more")
    where = f"at part {count(trace.broke_at)}" if trace.broke_at is not None else "when the stream stopped"
    return tag("div", join(_failure(failure), tag("span", where, class_="dim"), _notes(trace), by=" · "), class_="more")


def _failure(failure: SelectionFailure) -> Html:
    call = f", call {failure.ordinal}" if failure.ordinal is not None else ""
    code = tag("code", one_line(f"{failure.code}{call}", 80), class_="bad")
    hint = [tag("span", f"hint: {one_line(failure.hint, 120)}", class_="warn")] if failure.hint else []
    return join(code, one_line(failure.detail, 400), *hint, by=" · ")


def _chosen(trace: Trace) -> Html:
    if isinstance(trace.result, SessionReply):
        names = [one_line(item.tool_id, 60) for item in trace.result.selections[:8]]
        rest = [f"{len(trace.result.selections) - 8} more"] if len(trace.result.selections) > 8 else []
        return join(*[tag("code", name) for name in names], *rest, amount(len(trace.result.text), "character") + " of prose", by=" · ")
    if isinstance(trace.result, ModelSelection):
        return tag("code", one_line(trace.result.tool_id, 120))
    return join("")


def _notes(trace: Trace) -> Html | None:
    if not trace.notes:
        return None
    told = [f"{note.code}{f' at part {note.part_index}' if note.part_index is not None else ''}" for note in trace.notes[:4]]
    rest = [f"{len(trace.notes) - 4} more"] if len(trace.notes) > 4 else []
    return tag("span", one_line(f"noted: {', '.join([*told, *rest])}", 300), class_="dim")


def _verdict(verdict: str, code: str | None) -> Html:
    return join(marked(STEP_MARKS[verdict]), tag("code", one_line(code, 60)) if code else None, by=" ")


def _runs(trace: Trace) -> Iterator[_Run]:
    steps = trace.steps
    first, chars = 0, 0
    deltas = steps.delta_chars()
    for at in range(len(steps)):
        chars += deltas[at]
        same = at + 1 < len(steps) and all(column[at] == column[at + 1] for column in (steps.kinds, steps.verdicts, steps.codes))
        if not same or at + 1 == trace.broke_at:
            yield _Run(first, at, steps.kinds[at], steps.verdicts[at], steps.codes[at], chars)
            first, chars = at + 1, 0


def _strip(runs: list[_Run]) -> list[Html]:
    """Show the verdicts in their order, each with how many parts it lasted; of a long strip the beginning and the end."""
    joined: list[tuple[str, int]] = []
    for run in runs:
        size = run.last - run.first + 1
        if joined and joined[-1][0] == run.verdict:
            joined[-1] = (run.verdict, joined[-1][1] + size)
        else:
            joined.append((run.verdict, size))
    shown = [marked(STEP_MARKS[verdict], f"{count(size)} ") for verdict, size in joined]
    hidden = len(shown) - 24
    return [*shown[:12], tag("span", f"{count(hidden)} more", class_="dim"), *shown[-12:]] if hidden > 0 else shown


def _table(runs: list[_Run], trace: Trace, left: Room) -> Html:
    names = ("part", "kind", "characters", "verdict", "code")
    head = tag("thead", tag("tr", [tag("th", name, scope="col", align="right" if name in ("part", "characters") else None) for name in names]))
    rows: list[Html] = []
    hidden = 0
    for run in _shown(runs, trace.broke_at):
        row = _gap(run) if isinstance(run, int) else _row(run, broke=run.first == trace.broke_at)
        if not left.take(row):
            hidden += run if isinstance(run, int) else run.last - run.first + 1
            continue
        rows.append(row)
    more = tag("div", amount(hidden, "more part"), class_="more") if hidden else None
    return join(tag("div", tag("table", head, tag("tbody", rows), class_="grid"), class_="scroll"), more)


def _shown(runs: list[_Run], broke_at: int | None) -> Iterator[_Run | int]:
    """Yield the runs that are shown: the first, those around the break, and the last; a number stands for parts between them."""
    broken = next((at for at, run in enumerate(runs) if run.first == broke_at), 0)
    kept = {at for at in range(len(runs)) if len(runs) <= MOST_RUNS or at < 10 or at >= len(runs) - 10 or abs(at - broken) <= 8}
    gap = 0
    for at, run in enumerate(runs):
        if at not in kept:
            gap += run.last - run.first + 1
            continue
        if gap:
            yield gap
        gap = 0
        yield run


def _gap(parts: int) -> Html:
    return tag("tr", tag("td"), tag("td", tag("span", amount(parts, "more part"), class_="dim")), tag("td"), tag("td"), tag("td"))


def _row(run: _Run, *, broke: bool) -> Html:
    place = count(run.first) if run.first == run.last else f"{count(run.first)}–{count(run.last)}"
    code = join(tag("code", one_line(run.code, 60)) if run.code else None, tag("b", "it broke here", class_="bad") if broke else None, by=" ")
    chars = f"+{count(run.chars)}" if run.chars else ""
    verdict = marked(STEP_MARKS[run.verdict])
    return tag("tr", tag("td", place, align="right"), tag("td", run.kind), tag("td", chars, align="right"), tag("td", verdict), tag("td", code))


def _frame_body(frame: ReplayFrame, around: int) -> Html:
    in_call = frame.call is not None
    told = one_line(frame.detail, 400) if frame.detail else None
    why = tag("div", join(told, f"hint: {one_line(frame.hint, 120)}" if frame.hint else None, by=" · "), class_="dim") if told else None
    text = _buffer("text so far", frame.text, None if in_call else frame.place, around) if frame.text else None
    call = None
    if frame.call is not None:
        name = facts(one_line(frame.call.name or "no name yet", 80), one_line(frame.call.id, 60))
        call = _buffer(f"arguments so far · {name}", frame.arguments, frame.place, around)
    return tag("div", why, text, call, class_="steps")


def _buffer(label: str, value: str, place: int | None, around: int) -> Html:
    known = amount(len(value), "character") + (f", breaks at character {count(place)}" if place is not None else "")
    return tag("div", tag("div", f"{label} · {known}", class_="label"), tag("pre", _marked_text(value, place, around)), class_="said")


def _marked_text(value: str, place: int | None, around: int) -> Html:
    """Show a text around the place where it breaks, else its end; what looks like a secret is masked, and then no place in it is marked."""
    at = len(value) if place is None else min(place, len(value))
    begin, end = max(0, at - around), min(len(value), at + around)
    before = tag("span", f"… {count(begin)} before", class_="cut") if begin else None
    after = tag("span", f"{count(len(value) - end)} more …", class_="cut") if end < len(value) else None
    piece = value[begin:end]
    # More than the piece is looked at: a secret that it cuts has no shape any more.
    seen = value[max(0, begin - 4_096) : end + 512]
    if mask(seen) != seen:
        piece = mask(value[max(0, begin - 4_096) : end + 512])[-(around * 2) :]
        return join(tag("span", "… ", class_="cut") if begin else None, piece, after)
    if place is None:
        return join(before, piece, after)
    char = value[at : at + 1]
    there = tag("b", _INVISIBLE.get(char, char) or "⌁", class_="bad", title="it breaks here")
    return join(before, value[begin:at], there, value[at + 1 : end], after)
