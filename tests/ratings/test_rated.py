"""Calls with known answers: the cases of the contract, and more of their kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.ratings import Program, Rated, rated_calls, rows_of

CASES = Path(__file__).resolve().parents[3] / "shared" / "conformance" / "functai" / "rated"


def rated(records: list[Any], *, by: str | None = None, **program: Any) -> Rated:
    return rated_calls(records, Program(**({"name": "team"} | program)), by=by)


@pytest.mark.recordings
@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_the_rows_are_those_of_the_contract(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    asked = dict(case["rated"])
    found = rated(case["records"], by=asked.pop("by"), **asked)
    assert {"rows": rows_of(found.calls), "left_out": found.left_out} == case["expect"]
    assert [list(row) for row in rows_of(found.calls)] == [list(row) for row in case["expect"]["rows"]]


@pytest.mark.recordings
def test_no_case_of_the_contract_is_missing() -> None:
    assert len(list(CASES.glob("*.json"))) >= 20


SIGNATURE = "sha256:5"


def call(number: int, **fields: Any) -> dict[str, Any]:
    program = {"name": "team", "kind": "ai", "module": "support", "version": "v1", "signature": SIGNATURE, "interface": SIGNATURE, "answer": "result"}
    known = {"functai_call": 2, "id": f"c{number}", "parent": None, "root": f"c{number}", "program": program | fields.pop("program", {})}
    known |= {"started": f"2026-09-26T10:{number:02}:00.000000Z", "content": True, "inputs": {"message": f"m{number}"}, "outputs": {"result": f"r{number}"}}
    return known | {"error": None, "saw": [], "exchanges": []} | fields


def said(number: int, verdict: str | None = "right", *, by: str | None = "ana", minute: int = 0, **fields: Any) -> dict[str, Any]:
    who = {"by": by} if by else {"account": "shared"}
    at = f"2026-09-26T11:{minute:02}:00.000000Z"
    return {"functai_rating": 1, "id": f"r{number}-{by}-{minute}", "call": f"c{number}", "at": at, "verdict": verdict, **who, **fields}


def without(record: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


# which calls


@pytest.mark.parametrize(
    ("program", "rows"),
    [
        ({}, 1), ({"module": "support"}, 1), ({"module": "other"}, 0), ({"file": "a.py"}, 0), ({"signature": SIGNATURE}, 1),
        ({"interface": SIGNATURE}, 1), ({"interface": "sha256:9", "signature": SIGNATURE}, 1), ({"interface": "sha256:9"}, 0), ({"signature": "sha256:9"}, 0),
    ],
)  # fmt: skip
def test_a_call_is_of_the_program_that_was_asked_for(program: dict[str, str], rows: int) -> None:
    assert len(rated([call(1), said(1)], **program).calls) == rows


def test_the_signature_stands_in_for_the_interface_in_format_one_alone() -> None:
    bare = {"name": "team", "kind": "ai", "module": "support", "version": "v1", "signature": SIGNATURE, "answer": "result"}
    first, second = (call(number) | {"functai_call": number, "program": bare} for number in (1, 2))
    found = rated([first, second, said(1), said(2)], interface=SIGNATURE)
    assert [one.call_id for one in found.calls] == ["c1"]
    assert found.left_out["other_signature"] == 1


def test_the_first_reason_counts_and_each_call_once() -> None:
    lacking = call(1, content=False) | {"program": call(1)["program"] | {"signature": "x", "interface": "x"}}
    found = rated([lacking, said(1, "wrong"), said(1, "wrong", by="ben")], interface=SIGNATURE)
    assert found.left_out == {"other_signature": 1, "no_content": 0, "no_answer": 0}
    assert [(one.call_id, one.why) for one in found.excluded] == [("c1", "other_signature")]


@pytest.mark.parametrize(
    ("fields", "is_row"),
    [
        ({"content": True}, True), ({"content": False}, False), ({"content": False, "omitted": {"inputs": [], "outputs": ["x"]}}, True),
        ({"content": False, "omitted": {"inputs": ["x"], "outputs": []}}, False), ({"content": None}, False),
        ({"described": {"inputs": ["message"], "outputs": []}}, False), ({"described": {"inputs": [], "outputs": ["notes"]}}, True),
        ({"truncated": True, "inputs": None, "outputs": None}, False),
    ],
)  # fmt: skip
def test_inputs_must_be_recorded_as_data(fields: dict[str, Any], is_row: bool) -> None:
    found = rated([call(1, **fields), said(1)])
    assert (len(found.calls), found.left_out["no_content"]) == (int(is_row), int(not is_row))


def test_a_call_that_was_resumed_is_the_record_of_its_last_writer() -> None:
    later = call(1, outputs={"result": "later"}, writer=2)
    for records in ([call(1), later], [later, call(1)]):
        (found,) = rated([*records, said(1)]).calls
        assert found.outputs == {"result": "later"}


# which answer


def test_the_latest_rating_that_gives_an_answer_gives_it() -> None:
    records = [call(1), said(1, "wrong", answer="a", by="ana"), said(1, "wrong", by="ben", minute=5), said(1, "wrong", answer="b", by="eve", minute=3)]
    (found,) = rated(records).calls
    assert (found.outputs, found.rated_by, found.disputed) == ({"result": "b"}, "eve", True)


def test_outputs_come_behind_the_answer_in_the_order_of_the_rating() -> None:
    (found,) = rated([call(1), said(1, "wrong", answer="a", outputs={"z": 1, "b": 2, "result": "ignored"})]).calls
    assert list(found.outputs.items()) == [("result", "a"), ("z", 1), ("b", 2)]
    (alone,) = rated([call(1), said(1, "wrong", outputs={"z": 1})]).calls
    assert alone.outputs == {"z": 1}


def test_the_answer_null_is_an_answer_and_equal_numbers_are_equal() -> None:
    (found,) = rated([call(1), said(1, "wrong", answer=None)]).calls
    assert found.outputs == {"result": None}
    (same,) = rated([call(1), said(1, "wrong", answer={"n": 1.0, "m": 2}), said(1, "wrong", answer={"m": 2.0, "n": 1}, by="ben")]).calls
    assert not same.disputed


def test_right_of_a_call_that_failed_gives_nothing() -> None:
    assert rated([call(1, outputs=None), said(1)]).left_out["no_answer"] == 1
    assert rated([call(1, outputs={"other": 1}), said(1)]).left_out["no_answer"] == 1
    assert rated([call(1, described={"inputs": [], "outputs": ["result"]}), said(1)]).left_out["no_answer"] == 1


def test_accounts_count_each_alone_and_are_no_person() -> None:
    records = [call(1), said(1, by=None), said(1, "wrong", by=None, minute=1), said(1, None, by=None, minute=2)]
    (found,) = rated(records).calls
    assert (found.outputs, found.disputed, found.rated_by) == ({"result": "r1"}, True, None)
    assert rated(records, by="ana").calls == ()


def test_a_column_is_renamed_in_all_rows_when_any_row_has_its_name_as_data() -> None:
    records = [call(1), call(2), said(1, "wrong", outputs={"sample": "s"}), said(2)]
    first, second = rows_of(rated(records).calls)
    assert (first["sample"], first["_sample"], second["_sample"]) == ("s", None, None)
    assert "sample" not in second


def test_what_is_no_record_is_passed_over() -> None:
    odd: list[Any] = [None, 5, "text", [], {}, {"functai_call": 2}, {"functai_call": 2, "id": 5}, {"functai_rating": 1}, call(3, program={"name": 7})]
    assert len(rated([*odd, call(1), said(1)]).calls) == 1


# what was shown before


def turn(number: int, *, parent: int | None = None, saw: list[dict[str, Any]] | None = None, **fields: Any) -> dict[str, Any]:
    conversation = {"id": "talk", "turn": f"c{number}", "parent": None if parent is None else f"c{parent}"}
    return call(number, conversation=conversation, saw=saw if saw is not None else [], **fields)


def test_earlier_turns_stand_before_the_columns_about_the_rating_in_every_row() -> None:
    steps = [{"kind": "model", "outputs": {"result": "r1"}}]
    records = [turn(1, steps=steps), turn(2, parent=1, saw=[{"call": "c1", "steps": True}]), call(3), said(1), said(2), said(3)]
    first, second, third = rows_of(rated(records).calls)
    assert second["earlier"] == [{"inputs": {"message": "m1"}, "outputs": {"result": "r1"}, "steps": steps, "signature": SIGNATURE}]
    assert [row["conversation"] for row in (first, second, third)] == ["talk", "talk", None]
    assert [row["earlier"] for row in (first, third)] == [[], []]
    assert list(second)[:5] == ["message", "result", "earlier", "conversation", "call"]


def test_rows_without_anything_earlier_have_no_column_for_it() -> None:
    (row,) = rows_of(rated([turn(1), said(1)]).calls)
    assert not {"earlier", "conversation"} & row.keys()


def test_what_was_left_out_of_an_earlier_turn_stays_out() -> None:
    records = [turn(1, inputs={"message": "m1", "photo": "p"}), turn(2, parent=1, saw=[{"call": "c1", "without": ["photo"]}]), said(2)]
    (row,) = rows_of(rated(records).calls)
    assert row["earlier"] == [{"inputs": {"message": "m1"}, "outputs": {"result": "r1"}}]


@pytest.mark.parametrize(
    ("earlier", "second"),
    [
        ([], {"saw": [{"call": "c1"}]}),
        ([turn(1, content=False)], {"saw": [{"call": "c1"}]}),
        ([turn(1)], {"saw": [{"call": "c1", "steps": True}]}),
        ([turn(1)], {"saw": [{"call": "c1", "summarized": True}]}),
        ([without(turn(1), "saw")], {"saw": [{"saw_of": "c1"}, {"call": "c1"}]}),
    ],
)
def test_a_call_whose_context_cannot_be_shown_again_is_left_out_whole(earlier: list[Any], second: dict[str, Any]) -> None:
    found = rated([*earlier, turn(2, parent=1, **second), said(2)])
    assert found.calls == ()
    assert found.left_out == {"other_signature": 0, "no_content": 0, "no_answer": 0, "no_context": 1}


def test_a_record_that_does_not_say_what_was_shown_is_taken_for_nothing_only_where_there_was_no_turn_before() -> None:
    assert len(rated([without(call(1), "saw"), said(1)]).calls) == 1
    assert rated([without(turn(2, parent=1), "saw"), said(2)]).left_out["no_context"] == 1


def test_the_helpers_of_a_module_say_what_they_were_shown() -> None:
    module = turn(2, parent=1, saw=[{"call": "c1"}], program={"kind": "module"})
    helpers = [call(5, program={"name": "answer"}, parent="c1"), call(6, program={"name": "answer"}, parent="c2", saw=[{"call": "c5"}])]
    records = [turn(1, program={"kind": "module"}), module, *helpers, said(2)]
    (row,) = rows_of(rated(records).calls)
    assert row["helpers"] == [{"program": "answer", "call": "c6", "earlier": [{"inputs": {"message": "m5"}, "outputs": {"result": "r5"}}]}]
    lost = [record for record in records if record.get("id") != "c5"]
    assert rated(lost).left_out["no_context"] == 1


@pytest.mark.recordings
@pytest.mark.parametrize("path", sorted((CASES.parent / "context").glob("*.json")), ids=lambda path: path.stem)
def test_the_context_of_a_rated_call_is_that_of_the_contract(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    rating = said(0) | {"call": case["call"]}
    found = rated_calls([*case["records"], rating], Program("tutor"))
    if "refuses" in case["expect"]:
        assert found.left_out["no_context"] == 1
    else:
        (one,) = found.calls
        assert dict(one.context) == case["expect"]
