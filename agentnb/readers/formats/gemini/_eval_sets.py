"""Eval sets of Google's Agent Development Kit: what a person says in each turn of a case, and which calls and answers are expected.

Results are seldom there, since a case is a model to compare with. The calls of a turn stand in one step, as nothing tells which of them came together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import as_extra, extra_of, read_arguments, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import Rows
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.gemini import is_content, said_of_content
from agentnb.readers.dialects.gemini_parts import field, parts_in, pieces_in, unread

_READ_TURN = frozenset({"invocationId", "userContent", "finalResponse", "intermediateData", "creationTimestamp"})
_READ_DATA = frozenset({"toolUses", "toolResponses", "intermediateResponses", "invocationEvents"})
_READ_OLD = frozenset({"query", "expected_tool_use", "expected_intermediate_agent_responses", "reference"})


class _Case(NamedTuple):
    """One case: its id, its turns, and what else is told of it."""

    name: str
    turns: list[Any]
    labels: dict[str, Any]
    extra: dict[str, Any]


def is_eval_set(sample: Sample) -> bool:
    """Tell whether a file is an eval set, of the form with cases or of the older one, a list of what is asked and expected."""
    return sample.shape == "document" and bool(_cases(sample.document))


def case_keys(sample: Sample) -> set[str]:
    """Return the ids of the cases."""
    return {case.name for case in _cases(sample.document)}


def read_eval_sets(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read files into rows, each case as a conversation."""
    apart = Apart(rows, format)
    for file in files:
        for _, document in read_values(file, on_bytes):
            for case in _cases(document):
                _read_case(case, apart, file.account)
            for number, case in enumerate(_listed(document, "evalCases"), 1):
                if not _has_turns(case):
                    message = "It is a case without a conversation, such as a plan for one that is still to be made; it was left out."
                    file.account.leave_out("no_conversation", message, line=number, severity="info", excerpt=case)


def _cases(document: Any) -> list[_Case]:
    listed = field(document, "evalCases")
    if isinstance(listed, list):
        named = text_of(field(document, "evalSetId")) or text_of(document.get("name"))
        beside = unread(document, {"evalCases", "evalSetId", "name"})
        return [_case(case, named, beside, number) for number, case in enumerate(filter(_has_turns, listed), 1)]
    if not isinstance(document, list) or not document or not all(map(_is_old_turn, document)):
        return []
    asked = [[turn.get("query"), turn.get("reference")] for turn in document]
    return [_Case(f"eval-{digest_of(['gemini', asked])}", document, {}, {})]


def _case(case: dict[str, Any], named: str | None, beside: dict[str, Any], number: int) -> _Case:
    own = text_of(field(case, "evalId")) or str(number)
    labels = {"eval_set": named, "eval_case": own} if named is not None else {"eval_case": own}
    extra = unread(case, {"conversation", "evalId"}) | ({"eval_set": beside} if beside else {})
    return _Case(f"{named}/{own}" if named is not None else own, case["conversation"], labels, extra)


def _has_turns(case: Any) -> bool:
    return isinstance(case, dict) and isinstance(case.get("conversation"), list)


def _is_old_turn(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("query"), str) and ("expected_tool_use" in value or "reference" in value)


def _read_case(case: _Case, apart: Apart, account: Account) -> None:
    draft = apart.start(case.name, account)
    draft.labels |= case.labels
    draft.extra |= case.extra
    reader = MessageList(draft.main, account)
    for place, turn in enumerate(case.turns, 1):
        said = list(_said_old(turn, place) if _is_old_turn(turn) else _said(turn, place) if isinstance(turn, dict) else ())
        if not said:
            account.leave_out("no_turn", "It is no turn of a case; it was left out.", line=place, excerpt=turn)
            continue
        reader.read(item._replace(records=0 if number else 1) for number, item in enumerate(said))
        reader.end_turn()
    reader.finish()
    draft.finish()


def _said(turn: dict[str, Any], place: int) -> Iterator[Said]:
    """Say a turn: the person's words, the calls with what results there are, and the answer."""
    time = read_time(field(turn, "creationTimestamp"))
    asked = field(turn, "userContent")
    data = field(turn, "intermediateData")
    rest = unread(turn, _READ_TURN) | (unread(data, _READ_DATA) if isinstance(data, dict) else {})
    words = pieces_in(asked.get("parts")) if isinstance(asked, dict) else pieces_in(asked)
    extra = as_extra(rest)
    own_id = text_of(field(turn, "invocationId"))
    yield Said("user", place, words, at=time.micros, zone_assumed=time.zone_assumed, id=own_id, extra=extra)
    yield from _said_between(data, place)
    answer = field(turn, "finalResponse")
    if isinstance(answer, dict) and is_content(answer):
        parts = [part for part in parts_in(answer) if not isinstance(part, dict) or any(value is not None for value in part.values())]
        if parts:
            yield from said_of_content({**answer, "role": "model", "parts": parts}, place)
    elif answer is not None:
        yield Said("assistant", place, pieces_in(answer))


def _said_between(data: Any, place: int) -> Iterator[Said]:
    events = _listed(data, "invocationEvents")
    for event in events:
        content = event.get("content") if isinstance(event, dict) else None
        if isinstance(content, dict) and is_content(content):
            yield from said_of_content(content, place)
    uses = [use for use in _listed(data, "toolUses") if isinstance(use, dict)]
    responses = _listed(data, "intermediateResponses")
    pieces = tuple(piece for item in responses for piece in _words_of(item))
    if uses or pieces:
        yield Said("assistant", place, pieces, tuple(map(_asked, uses)))
    for response in _listed(data, "toolResponses"):
        yield from said_of_content({"role": "user", "parts": [{"functionResponse": response}]}, place)


def _words_of(item: Any) -> tuple[Piece, ...]:
    """Return what an agent said on the way: a pair of its name and parts, or a content."""
    if isinstance(item, list) and len(item) == 2 and isinstance(item[0], str):
        return tuple(piece._replace(extra=piece.extra or to_json({"agent": item[0]})) for piece in pieces_in(item[1]))
    return pieces_in(item.get("parts") if isinstance(item, dict) and "parts" in item else item)


def _asked(use: dict[str, Any]) -> Asked:
    rest = unread(use, {"id", "name", "args"})
    arguments = read_arguments(use.get("args"))
    return Asked(text_of(use.get("id")) or None, text_of(use.get("name")) or "", arguments.text, as_extra(rest), arguments.oddities)


def _said_old(turn: dict[str, Any], place: int) -> Iterator[Said]:
    """Say a turn of the older form; a mocked result is the result."""
    yield Said("user", place, (Piece("text", turn["query"]),), extra=extra_of(turn, _READ_OLD))
    uses = [use for use in _listed(turn, "expected_tool_use") if isinstance(use, dict)]
    between = tuple(piece for item in _listed(turn, "expected_intermediate_agent_responses") for piece in _old_words(item))
    if uses or between:
        yield Said("assistant", place, between, tuple(map(_old_asked, uses)))
    for use in uses:
        if use.get("mock_tool_output") is not None:
            yield Said("tool", place, (Piece("text", text_of(use["mock_tool_output"])),), result_name=text_of(use.get("tool_name")))
    if turn.get("reference") is not None:
        yield Said("assistant", place, (Piece("text", text_of(turn["reference"])),))


def _old_words(item: Any) -> tuple[Piece, ...]:
    if isinstance(item, dict) and isinstance(item.get("text"), str):
        rest = {name: value for name, value in item.items() if name != "text" and value is not None}
        return (Piece("text", item["text"], extra=as_extra(rest)),)
    return pieces_in(item)


def _old_asked(use: dict[str, Any]) -> Asked:
    arguments = read_arguments(use.get("tool_input"))
    return Asked(None, text_of(use.get("tool_name")) or "", arguments.text, extra_of(use, ("tool_name", "tool_input", "mock_tool_output")), arguments.oddities)


def _listed(value: Any, name: str) -> list[Any]:
    items = field(value, name) if isinstance(value, dict) else None
    return items if isinstance(items, list) else []
