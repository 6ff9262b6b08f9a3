"""Which names and numbers of an answer stand in nothing its agent was shown: nothing invented is missed, and nobody is accused wrongly."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from agentnb.errors import ScriptError, UnsupportedValues
from agentnb.scripts import EvidenceCheck, EvidenceOptions, Served, Shape, check_answer, check_evidence, judge_answer

WWPN = "21:00:00:24:ff:4c:aa:07"


def checked(answer: str, *results: str, said: tuple[str, ...] = (), **options: Any) -> EvidenceCheck:
    return check_evidence(answer, results=results, said=said, options=EvidenceOptions(**options))


def unsupported(answer: str, *results: str, **more: Any) -> list[str]:
    return [value.value for value in checked(answer, *results, **more).unsupported]


@pytest.mark.parametrize(
    ("answer", "result", "expected"),
    [
        ("peaks at 41,200 IOPS.", '{"iops":41200}', []),
        ("FCID is 0xef0101.", '{"note":"see naa.0xef0101ab for details"}', ["0xef0101"]),
        ("FCID is 0xef0101.", '{"fcid":"ef0101"}', []),
        ("FCID is ef0101.", '{"fcid":"0xef0101"}', []),
        (f"WWPN {WWPN} ok", json.dumps({WWPN: {"up": True}}), []),
        ("Port fc9/9 does not exist.", "no such port", ["fc9/9"]),
        ("fc1/3 fc1/3 FC1/3 and 99999, 88888", "nothing", ["fc1/3", "99999", "88888"]),
        ("id is 4417", '{"id":4417}\nfrom the cache', []),
        ("latency was 1007us", '{"latency":"1007us"}', []),
        ("in 2024", '{"latency":"2024ms"}', ["2024"]),
        ("3.14159 and 3.14", '{"pi":3.14159}', []),
        ("", "anything", []),
    ],
)
def test_a_value_is_looked_up_whole(answer: str, result: str, expected: list[str]) -> None:
    assert unsupported(answer, result) == expected


def test_declared_exemptions_are_not_even_candidates() -> None:
    check = checked("build-8841 and 0xef0101", "x", exempt=["build-8841", re.compile("0X[0-9A-F]+", re.IGNORECASE)])
    assert (check.unsupported, check.candidates) == ((), 0)


def test_a_declared_shape_needs_no_digit() -> None:
    (value,) = checked("Filed as ops-open.", "x", shapes=[Shape("ticket", "[a-z]{3}-[a-z]{4}")]).unsupported
    assert (value.value, value.kind) == ("ops-open", "ticket")
    assert unsupported("Total 892 rows", "x", min_digits=3) == ["892"]


def test_what_a_person_said_is_exempt_and_what_the_library_said_is_not() -> None:
    assert unsupported("fc1/3 is down", "x", said=("is fc1/3 down?",)) == []
    for words in ("[evidence check] Not found: fc1/3", "[schema check] fc1/3"):
        assert unsupported("fc1/3 is down", "x", said=(words,)) == ["fc1/3"]
    (value,) = checked("fc1/3 is down", '{"port": "fc1/3"}', said=("is fc1/3 down?",)).values
    assert value.verdict == "exempt"


def test_a_person_s_dates_and_times_are_exempt_in_other_spellings() -> None:
    said = ("Move it to 2024-05-03 at 14:30",)
    assert unsupported("In 2024, at 2:30 pm (2:30pm), 03/05/2024, 2024/5/3 and 14:30", said=said) == []
    assert unsupported("at 3:30 on 2023-05-03", said=said) == ["3:30", "2023-05-03"]


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("1,204ms", "1204ms"), ("41.200 units", "n=41200"), ("1.234.567,89", '{"x":1234567.89}'), ("1234567.89", "1.234.567,89"), ("41'200", "41200"),
        ("41200", "41\u202f200 km"), ("v7.0.3", "pkg==7.0.3"), ("7.0.3", "pkg@7.0.3 and v7.0.3"), ("May 3, 2024", "2024-05-03T14:30:00Z"),
        ("03/05/2024 14:30", "at 2024-05-03 14:30:12"), ("2:30 PM", '{"at":"14:30:00"}'), ("2024-05-03", '{"day":"2024-05-03T00:00:00+02:00"}'),
        ("4417 and 41200", "a,b,c\n4417,892,41200\n"), ("4417", 'Output:\n{"id":4417,"x":1}'), ("100000", '{"n":1e5}'), ("card 9932251", "gift_card_9932251"),
        ("4417 5512", json.dumps({"content": [{"type": "text", "text": '{"id":4417,"n":[5512]}'}]})), ("src/app.py:12", "src/app.py:12:import x"),
        ("9007199254740993", '{"id":9007199254740993}'), ("4417", '{"a":1}\n{"id":4417}\n'), ("4417", "[INFO] 4417 rows"), ("#W2378156", "order #W2378156"),
    ],
)  # fmt: skip
def test_another_spelling_of_a_value_is_that_value(answer: str, result: str) -> None:
    assert unsupported(answer, result) == []


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ("41201", "41200"), ("2024-05-04", "2024-05-03"), ("7.0.4", "7.0.3"), ("4418", "4417,892"), ("1234", "12345"), ("12345", "1234"), ("fc1/33", "fc1/3"),
        ("23145", "2,314.5"),
    ],
)  # fmt: skip
def test_a_value_that_is_nearly_there_is_not_there(answer: str, result: str) -> None:
    assert unsupported(answer, result) == [answer]


def test_json_that_is_cut_is_read_up_to_the_cut() -> None:
    result = '{"a": 4417, "b": {"c": "7777 words 8888'
    assert unsupported("4417 7777 8888", result) == ["8888"]
    assert unsupported("4123", '{"a": 4417, "n": 4123') == ["4123"]
    head = json.dumps({"truncated": True, "reason": "too long", "head": '{"rows": [{"id": 4417}, {"id": 55'})
    assert unsupported("4417", head) == []


def test_a_long_value_is_reported_cut_and_many_are_counted() -> None:
    assert checked("A" * 70 + "1", "x").unsupported[0].shown == "a" * 63 + "…"
    listed = checked(" ".join(f"id{number}" for number in range(1000, 1014)), "x").listed()
    assert listed.startswith("id1000, id1001")
    assert listed.endswith("id1011 and 2 more")


def test_a_value_says_where_it_stands_in_the_answer_and_where_it_was_found() -> None:
    results = [Served('{"id": 4417}', "query", "call-1", 1), Served("none", "query", "call-2", 2), Served("id 4417", "read", "call-3", 2)]
    answer = "(4417), again `4417`, and $9999."
    check = check_answer(answer, results, [Served("please", "user", None, 2)], turn=2)
    found, invented = check.values
    assert [answer[mark.start : mark.end] for mark in found.marks] == ["4417", "4417"]
    assert [check.searched[place].call_id for place in found.places] == ["call-3"]
    assert (found.turn, invented.verdict, invented.places) == (2, "unsupported", ())
    assert (check.from_this_turn, check.from_prior_turns, check.tool_results_this_turn) == (1, 0, 2)
    older = check_answer("4417", results[:1], turn=3)
    assert (older.from_prior_turns, older.latest_prior_turn) == (1, 1)


def test_at_most_eight_carriers_are_remembered() -> None:
    check = check_answer("4417", [Served("4417", "t", str(number)) for number in range(20)])
    assert check.values[0].places == tuple(range(8))


def test_a_full_index_is_said_accuses_nobody_and_still_finds_what_is_asked_for() -> None:
    rest = " ".join(f"x{number}" for number in range(50))
    check = check_answer("b777 and c888", [Served(f"{rest} b777")], most_forms=40)
    assert check.index_truncated
    assert [value.value for value in check.unsupported] == ["c888"]
    assert "40 different forms" in check.caps[0]
    judgment = judge_answer(check, EvidenceOptions(posture="rails"), revised=True)
    assert judgment is not None
    assert (judgment.action, judgment.event["evidenceTruncated"]) == ("flagged", True)


def test_an_answer_of_too_many_tokens_is_checked_up_to_the_cap() -> None:
    check = checked("word " * 20_000 + "4417", "x")
    assert check.candidates == 0
    assert "20,000 tokens" in check.caps[0]


INVENTED, CLEAN = checked("fc9/9", "x"), checked("nothing to see", "x")


@pytest.mark.parametrize(
    ("check", "posture", "state", "action"),
    [
        (INVENTED, "guard", {}, "revision-asked"), (CLEAN, "guard", {"revised": True}, "grounded"), (INVENTED, "guard", {"revised": True}, "flagged"),
        (INVENTED, "rails", {}, "revision-asked"), (INVENTED, "rails", {"revised": True}, "refused"), (INVENTED, "guard", {"limit_fired": True}, "flagged"),
        (INVENTED, "rails", {"limit_fired": True}, "refused"), (INVENTED, "assist", {}, "flagged"), (CLEAN, "rails", {}, "grounded"),
    ],
)  # fmt: skip
def test_what_follows_is_decided_by_the_posture(check: EvidenceCheck, posture: Any, state: dict[str, bool], action: str) -> None:
    judgment = judge_answer(check, EvidenceOptions(posture=posture), iteration=3, **state)
    assert judgment is not None
    assert (judgment.action, judgment.event["afterRevision"], judgment.event["candidates"]) == (action, state.get("revised", False), check.candidates)
    assert (judgment.committed is None) == (action in ("grounded", "revision-asked"))
    assert (judgment.error is not None) == (action == "refused")
    assert (judgment.correction is not None) == (action == "revision-asked")


def test_a_refusal_carries_the_values_and_not_the_answer() -> None:
    judgment = judge_answer(checked("the secret plan names fc9/9", "x"), EvidenceOptions(posture="rails"), revised=True)
    assert judgment is not None
    assert isinstance(judgment.error, UnsupportedValues)
    assert (judgment.error.values, judgment.error.candidates, judgment.error.revised, judgment.error.code) == (("fc9/9",), 1, True, "ERR_UNSUPPORTED_VALUES")
    assert judgment.committed == {"values": ["fc9/9"], "candidates": 1, "revised": True, "refused": True, "posture": "rails"}
    assert "secret plan" not in str(judgment.error)


def test_a_correction_says_our_words_first_and_the_values_last() -> None:
    judgment = judge_answer(INVENTED, EvidenceOptions(posture="guard", recovery_instruction="Use the lookup tool."))
    assert judgment is not None
    assert judgment.correction is not None
    assert judgment.correction.startswith("[evidence check")
    assert judgment.correction.endswith("fc9/9")
    assert "not collected" in judgment.correction
    assert "lookup tool" in judgment.correction


def test_an_empty_answer_or_one_about_to_be_nudged_is_not_judged() -> None:
    assert judge_answer(checked("", "x"), EvidenceOptions()) is None
    assert judge_answer(INVENTED, EvidenceOptions(nudge=True)) is None


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ({"posture": "strict"}, "posture"), ({"min_digits": 0}, "min_digits"), ({"min_digits": 2.5}, "min_digits"), ({"min_digits": True}, "min_digits"),
        ({"shapes": [(" ", "a")]}, "shapes"), ({"shapes": [("a", "b"), ("a", "c")]}, "'a'"), ({"shapes": [("a", 5)]}, "shapes"),
        ({"shapes": [("a", "(")]}, "shapes"),
        ({"shapes": "abc"}, "shapes"), ({"exempt": [5]}, "exempt"), ({"exempt": "abc"}, "exempt"), ({"code": "equal"}, "code"), ({"nudge": 1}, "nudge"),
        ({"recovery_instruction": "x" * 4001}, "recovery_instruction"),
    ],
)  # fmt: skip
def test_a_setting_that_cannot_be_is_refused_by_name(wrong: dict[str, Any], named: str) -> None:
    with pytest.raises(ScriptError, match=named):
        EvidenceOptions(**wrong)


def test_what_is_neither_turn_nor_text_is_refused() -> None:
    with pytest.raises(TypeError, match="takes a turn"):
        check_evidence(5)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "unit", ["1", "1,", "1'234", "a'", "-", "{", "[1,", '{"a":', '"', "\\", "1.1", "\u202f1", "é1", "\ud800", "x1 ", "[\n", "{}\n", "0x", "::1", "@1", "v1."]
)
def test_hostile_text_on_both_sides_is_checked_and_never_raises(unit: str) -> None:
    text = unit * (60_000 // len(unit))
    check = check_evidence(text, results=[text, f'{{"a": "{text}"}}', json.dumps({"b": text})], said=[text])
    assert {value.verdict for value in check.values} <= {"exempt"}
