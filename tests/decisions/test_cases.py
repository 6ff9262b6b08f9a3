"""A case is checked when it is loaded, so that a bad matcher does not pose as an error of the model."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agentnb.decisions import (
    MEMBERJUNCTION_TAGS,
    Matcher,
    evaluate_case,
    expect_decision,
    lint_cases,
    parse_case,
    parse_cases,
    read_expectation,
    write_case,
    write_expectation,
)
from agentnb.errors import CaseError
from tests.decisions.turns import native


def case(**fields: Any) -> dict[str, Any]:
    return {"id": "ask-for-the-region", "agent": "Analyst", "expect": {"kind": "chat"}} | fields


def about(matcher: dict[str, Any]) -> dict[str, Any]:
    return case(expect={"kind": "action", "actions": [{"name": "Search Docs", "params": {"q": matcher}}]})


WIRE = {"kind": "chat", "message": {"matcher": "contains", "value": "nextStep"}}
FULL = case(
    description="The question leaves the region open, so the agent asks.",
    tags=["clarify"],
    input={"payload": {"a": 1}, "conversationMessages": [{"role": "user", "content": "Revenue?"}], "templateData": {"x": 1}, "toolChoice": "auto"},
    expect={
        "kind": "anyOf",
        "anyOf": [
            {"kind": "chat", "message": {"matcher": "contains", "value": "region"}, "forbiddenActions": ["Send Mail"]},
            {
                "kind": "action",
                "actions": [
                    {
                        "name": "Search Docs",
                        "params": {
                            "q": {"matcher": "regex", "pattern": "rev", "flags": "i"},
                            "n": {"matcher": "numericTolerance", "value": 100, "tolerance": 5, "optional": True},
                            "format": {"matcher": "oneOf", "values": ["csv", {"x": None}]},
                            "x": {"matcher": "exact", "value": None},
                            "y": {"matcher": "absent"},
                            "z": {"matcher": "typeOf", "type": "array"},
                            "w": {"matcher": "nonEmpty"},
                        },
                    }
                ],
                "ordered": True,
                "payload": {"newElements.a": {"matcher": "exact", "value": 0}},
                "forbiddenPayloadPaths": ["removeElements"],
            },
        ],
    },
)


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "an object, not array"),
        ({"agent": "A", "expect": {}}, "needs an id"),
        (case(id=""), "needs an id"),
        (case(id=7), "needs an id"),
        (case(agent=""), "'ask-for-the-region': a case needs an agent"),
        (case(expect=None), "'ask-for-the-region': a case needs an object as what to expect"),
        (case(expect=[]), "an expectation is an object"),
        (case(expect={"kind": "nope"}), "'nope' is no kind"),
        (case(expect={}), "None is no kind"),
        (case(expect={"kind": "action"}), "needs the actions"),
        (case(expect={"kind": "action", "actions": [{}]}), "action 0: an expected action is an object with a name"),
        (case(expect={"kind": "action", "actions": "A"}), "actions are a list"),
        (case(expect={"kind": "anyOf"}), "anyOf needs"),
        (case(expect={"kind": "anyOf", "anyOf": []}), "anyOf needs"),
        (case(expect={"kind": "anyOf", "anyOf": [{"kind": "chat"}, {"kind": "x"}]}), "branch 1: 'x' is no kind"),
        (case(input={"toolChoice": "sometimes"}), "'sometimes' is no tool choice"),
        (case(input=[]), "the input is an object"),
        (case(tags="x"), "tags are a list"),
        (case(expect={"kind": "chat", "forbiddenActions": "x"}), "forbiddenActions is a list"),
        (case(expect={"kind": "chat", "ordered": 1}), "ordered is true or false"),
        (case(expect={"kind": "chat", "message": "x"}), "message: a matcher is an object"),
        (case(expect={"kind": "payloadChange", "payload": {"a.b": {"matcher": "nope"}}}), "payload, param 'a.b': 'nope' is no matcher"),
        (about({"matcher": "regex"}), "param 'q': the matcher regex needs a string as its pattern"),
        (about({"matcher": "regex", "pattern": "(["}), "param 'q': the matcher regex has a pattern that does not compile"),
        (about({"matcher": "regex", "pattern": "a", "flags": "q"}), "does not compile"),
        (about({"matcher": "oneOf", "values": []}), "param 'q': the matcher oneOf needs a list"),
        (about({"matcher": "nope"}), "param 'q': 'nope' is no matcher"),
        (about({"matcher": "contains", "value": 7}), "needs a string"),
        (about({"matcher": "numericTolerance", "value": 1}), "needs numbers"),
        (about({"matcher": "numericTolerance", "value": True, "tolerance": 1}), "needs numbers"),
        (about({"matcher": "typeOf"}), "needs a type"),
    ],
)
def test_a_case_that_cannot_be_judged_is_refused_with_its_place(value: Any, told: str) -> None:
    with pytest.raises(CaseError) as caught:
        parse_case(value)
    assert told in str(caught.value)


def test_a_case_needs_little() -> None:
    parsed = parse_case(case())
    assert (parsed.description, parsed.tags, parsed.input.conversation_messages, parsed.input.tool_choice) == ("", (), (), None)


def test_a_case_can_be_written_and_read_again() -> None:
    parsed = parse_case(FULL)
    assert parse_case(json.loads(json.dumps(write_case(parsed)))) == parsed
    assert write_case(parsed)["expect"]["anyOf"][1]["actions"] == FULL["expect"]["anyOf"][1]["actions"]
    assert parse_case(write_case(parse_case(case()))) == parse_case(case())


def test_a_tolerance_becomes_a_range() -> None:
    parsed = parse_case(about({"matcher": "numericTolerance", "value": 100, "tolerance": 5}))
    assert parsed.expect.actions[0].params[0].matcher == Matcher(kind="numberRange", min=95, max=105)


def test_a_turn_that_was_right_becomes_a_case_that_it_passes() -> None:
    decision = native(("search_docs", {"q": "pandas", "n": 3}))
    written = write_case(parse_case(case()).model_copy(update={"expect": expect_decision(decision)}))
    again = parse_case(json.loads(json.dumps(written)))
    assert evaluate_case(again, decision).passed
    assert not evaluate_case(again, {"text": "Which region?"}).passed


def test_a_matcher_without_a_form_in_a_file_is_refused_when_it_is_written() -> None:
    wanted = read_expectation({"kind": "chat", "message": {"kind": "nonEmptyString"}})
    with pytest.raises(CaseError, match="nonEmptyString"):
        write_expectation(wanted)


def test_the_cases_of_a_folder_are_read_in_order_and_ids_are_unique() -> None:
    texts = {"b.json": json.dumps(case(id="b")), "a.json": "\ufeff" + json.dumps(case(id="a"))}
    assert [parsed.id for parsed in parse_cases(texts)] == ["a", "b"]
    with pytest.raises(CaseError, match=r"b\.json: case 'b' is in a\.json"):
        parse_cases({"a.json": json.dumps(case(id="b")), "b.json": json.dumps(case(id="b"))})
    with pytest.raises(CaseError, match=r"a\.json: not JSON"):
        parse_cases({"a.json": "{"})


def test_a_folder_in_order_has_no_findings() -> None:
    assert lint_cases({"ask-for-the-region.json": FULL}) == ()


def test_each_disorder_is_found() -> None:
    files = {
        "x.json": FULL,
        "short.json": case(id="short", description="Short."),
        "sub/wire.json": case(id="wire", description="It expects a word of the wire.", expect=WIRE),
        "odd.json": case(id="odd", description="It has a key that nothing judges.", expect={"kind": "chat", "forbidenActions": ["A"]}),
        "same.json": case(id="short", description="It has the id of another case."),
        "bad.json": {"id": "bad"},
        "none.json": 7,
    }
    found = [(finding.file, finding.rule) for finding in lint_cases(files)]
    assert found == [
        ("bad.json", "unusable"),
        ("none.json", "unusable"),
        ("odd.json", "unknown_key"),
        ("same.json", "file_name"),
        ("short.json", "description"),
        ("sub/wire.json", "wire_word"),
        ("x.json", "file_name"),
        (None, "same_id"),
    ]


def test_limits_are_limits_only_where_they_are_given() -> None:
    files = {f"case-{place}.json": case(id=f"case-{place}", description="A case like many others.", tags=["clarify"]) for place in range(3)}
    assert lint_cases(files) == ()
    rules = [finding.rule for finding in lint_cases(files, least_cases=40, most_cases=2, least_agents=8, required_tags=MEMBERJUNCTION_TAGS)]
    assert rules == ["cases", "cases", "agents", "tags"]
    assert [finding.rule for finding in lint_cases(files, description_over=100)] == ["description"] * 3
