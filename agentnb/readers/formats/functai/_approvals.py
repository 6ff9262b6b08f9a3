"""Tools of a FunctAI call that its model's words do not tell of, and what a person was asked before one ran."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._fields import as_extra, read_arguments
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Thread
from agentnb.readers.builders.message_list import joined
from agentnb.readers.formats.functai._calls import Call
from agentnb.readers.formats.functai._turns import Row, objects_in, text_in


class _Place(NamedTuple):
    """Which tool call it is about: the call that asked for it, and its number there."""

    call_id: str
    invocation: int


class _Tool(NamedTuple):
    """A tool call that a record tells of."""

    row: Row
    told: dict[str, Any]


def fill_tools(thread: Thread, call: Call, tools: list[CallRow], turn: Call) -> list[CallRow]:
    """Add the tool calls that only records of the turn tell of: they ran, or wait, in a turn whose model's words were not kept.

    Args:
        thread: of the call.
        call: the call that asked for tools.
        tools: its tool calls so far, in order; the n-th has the number n.
        turn: the turn's own call, whose records tell it.
    """
    told = _told(turn)
    for place in told:
        if place.call_id == call.id and place.invocation <= len(tools):
            tool = tools[place.invocation - 1]
            tool.extra = joined(tool.extra, _unread(told[place]))
    for place in sorted(place for place in told if place.call_id == call.id and place.invocation > len(tools)):
        first = told[place][0]
        tools = [*tools, _add_tool(thread, first, told[place])]
    return tools


def ask_persons(draft: ConversationDraft, call: Call, tools: list[CallRow], turn: Call) -> None:
    """Note what a person was asked about the tools of a call."""
    for place, question, row in _questions(call, turn):
        if place.call_id == call.id and 0 < place.invocation <= len(tools):
            draft.ask_person(tools[place.invocation - 1], question, row.account)


def _told(turn: Call) -> dict[_Place, list[_Tool]]:
    """Return what the records of a turn tell of tool calls, by place."""
    sites = _sites(turn)
    found: dict[_Place, list[_Tool]] = {}
    for row in turn.turn.of("tool") if turn.turn is not None else ():
        if (place := _place(row.value, sites, turn)) is not None:
            found.setdefault(place, []).append(_Tool(row, row.value))
    for row in turn.turn.of("waiting") if turn.turn is not None else ():
        for asked in objects_in(row.value, "approvals"):
            if (place := _place(asked, sites, turn)) is not None:
                found.setdefault(place, []).append(_Tool(row, asked))
    return found


def _sites(turn: Call) -> dict[str, str]:
    """Return the calls that records name by their place in the tree."""
    rows = [row.value for row in turn.turn.of("call")] if turn.turn is not None else []
    asked = [asked for row in turn.turn.of("waiting") for asked in objects_in(row.value, "approvals")] if turn.turn is not None else []
    return {site: call for record in (*rows, *asked) if (site := text_in(record, "site")) and (call := text_in(record, "call"))}


def _place(record: dict[str, Any], sites: dict[str, str], turn: Call) -> _Place | None:
    number = record.get("invocation")
    site = text_in(record, "site") or ""
    call_id = text_in(record, "call") or sites.get(site) or (turn.id if "/" not in site else None)
    return _Place(call_id, number) if call_id is not None and type(number) is int and 0 < number < 100_000 else None


def _add_tool(thread: Thread, first: _Tool, tools: list[_Tool]) -> CallRow:
    told = [tool.told for tool in tools]
    tool_id = next((named for record in told if (named := text_in(record, "id"))), None)
    name = next((named for record in told if (named := text_in(record, "name"))), "")
    given = next((record["input"] for record in told if record.get("input") is not None), None)
    arguments = read_arguments(given)
    row = first.row
    thread.new_message()
    call = thread.ask(f"{thread.agent_call_id}/{tool_id or name}", tool_id, name, arguments.text, step=None, at=row.at, line=row.place)
    call.extra = _unread(tools)
    ended = next((tool for tool in tools if tool.told.get("state") in ("done", "given")), None)
    if ended is not None:
        output = ended.told.get("output")
        thread.answer_call(call, output if isinstance(output, str) else to_json(output), at=ended.row.at, line=ended.row.place)
    return call


def _unread(tools: list[_Tool]) -> str | None:
    rest = {name: value for tool in tools for name in ("effects", "path", "site", "plugin") if (value := tool.told.get(name)) is not None}
    return as_extra(rest)


def _questions(call: Call, turn: Call) -> list[tuple[_Place, Question, Row]]:
    """Return the questions about tools, those of the conversation first; an event that repeats one adds nothing."""
    sites = _sites(turn)
    asked: dict[tuple[Any, ...], tuple[_Place, Question, Row]] = {}
    for row in turn.turn.of("waiting") if turn.turn is not None else ():
        for record in objects_in(row.value, "approvals"):
            _ask(asked, _place(record, sites, turn), record, row)
    for row in turn.turn.of("approval") if turn.turn is not None else ():
        _answer(asked, _place(row.value, sites, turn), row)
    known = set(asked)
    for row in call.events:
        place = _place({**row.value, "call": call.id}, {}, turn)
        if place is None or (*place, _plugin(row.value)) in known:
            continue
        if row.value.get("kind") == "approval":
            _ask(asked, place, row.value, row)
        elif row.value.get("kind") == "approved":
            _answer(asked, place, row)
    return list(asked.values())


def _ask(asked: dict[tuple[Any, ...], tuple[_Place, Question, Row]], place: _Place | None, record: dict[str, Any], row: Row) -> None:
    if place is not None:
        asked.setdefault((*place, _plugin(record)), (place, Question(text_in(record, "question"), asked_at=row.at, line=row.place), row))


def _answer(asked: dict[tuple[Any, ...], tuple[_Place, Question, Row]], place: _Place | None, row: Row) -> None:
    if place is None:
        return
    value, key = row.value, (*place, _plugin(row.value))
    verdict = value.get("verdict")
    answer: Literal["yes", "no"] | None = "yes" if verdict == "yes" else "no" if verdict == "no" else None
    _, question, first = asked.get(key, (place, Question(line=row.place), row))
    by, reason = text_in(value, "by"), text_in(value, "reason")
    asked[key] = (place, question._replace(answer=answer, answered_by=by, reason=reason, answered_at=row.at), first)


def _plugin(record: dict[str, Any]) -> str:
    return text_in(record, "plugin") or "approval"
