"""Whatever form a model chose, its turn is read as one decision, by the rules of MemberJunction's normalizer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.decisions import count_concatenated_objects, looks_like_broken_envelope, looks_like_envelope, normalize_decision, strip_fence
from agentnb.errors import TurnError
from agentnb.values import ControlToolRole, ObservedDecision, RawToolCall, RawTurn
from tests.decisions.turns import NAMES, ROLES, envelope, native, step

CATEGORIES = {None: None, "no output": "no_output", "parse": "parse_error", "notobject": "not_object"}


@pytest.mark.recordings
def test_every_vector_gives_its_record_and_its_diagnostic(recordings: Path) -> None:
    vectors = json.loads((recordings.parent / "conformance" / "decisions" / "normalize.json").read_text("utf-8"))
    assert len(vectors) >= 82
    for vector in vectors:
        decision = normalize_decision(vector["turn"])
        record = decision.record()
        told = record.pop("diagnostic", None)
        assert record == vector["expect"], vector["id"]
        assert (told is None) == (vector["diagnostic"] is None), vector["id"]
        if str(vector["diagnostic"]).startswith("concat"):
            assert decision.diagnostic_category == "concatenated"
            assert decision.concatenated_objects == int(vector["diagnostic"].split()[1])
            assert "concatenated" in (told or "")
        else:
            assert decision.diagnostic_category == CATEGORIES[vector["diagnostic"]], vector["id"]


@pytest.mark.parametrize(
    ("fields", "kind"),
    [
        ({"nextStep": step("Actions", actions=[])}, "action"),
        ({"nextStep": step("sub-agent")}, "subAgent"),
        ({"nextStep": step("subagent", subAgent={"name": "P"})}, "other"),
        ({"nextStep": step("sub agent", subAgent={"name": "P"})}, "other"),
        ({"nextStep": step("CHAT"), "taskComplete": True}, "chat"),
        ({"nextStep": step("action", actions=[{"name": "A"}]), "taskComplete": True}, "taskComplete"),
        ({"nextStep": step("\u00a0Chat\ufeff")}, "chat"),
        ({"nextStep": step("\u0085Chat")}, "other"),
        ({"nextStep": []}, "other"),
        ({"responseForm": {}}, "chat"),
        ({"responseForm": []}, "other"),
        ({"responseForm": {}, "payloadChangeRequest": {}}, "chat"),
        ({"payloadChangeRequest": {}}, "payloadChange"),
        ({"payloadChangeRequest": []}, "other"),
        ({"payloadChangeRequest": None}, "other"),
        ({"taskComplete": 1}, "other"),
        ({"nextStep": step(None, subAgent={"name": " "})}, "subAgent"),
        ({"nextStep": step(None, subAgent={"name": ""}, subAgents=[{"name": "Q"}])}, "subAgent"),
        ({}, "other"),
    ],
)
def test_the_first_rule_that_holds_gives_an_envelope_its_kind(fields: dict[str, Any], kind: str) -> None:
    assert envelope(**fields).kind == kind


def test_names_in_an_envelope_are_not_mapped() -> None:
    text = json.dumps({"nextStep": step("Actions", actions=[{"name": "search_docs"}])})
    decision = normalize_decision({"text": text, "toolNameMap": NAMES})
    assert [action.name for action in decision.actions] == ["search_docs"]


def test_a_message_is_kept_as_it_is_and_also_when_it_is_empty() -> None:
    assert envelope(taskComplete=True, message=" hi ").message == " hi "
    assert envelope(taskComplete=True, message="").record()["message"] == ""
    assert "message" not in envelope(taskComplete=True, message=7).record()


@pytest.mark.parametrize("blank", ["", " ", "\t\n\x0b\x0c\r", "\u00a0\u3000\u2028\u2029\ufeff\u202f\u205f\u1680"])
def test_what_javascript_trims_is_blank(blank: str) -> None:
    assert normalize_decision({"text": blank}).kind == "empty"


@pytest.mark.parametrize("visible", ["\u0085", "\x1c", "\x1f", "\u200b"])
def test_what_javascript_does_not_trim_is_output(visible: str) -> None:
    assert normalize_decision({"text": visible}).kind == "unparseable"


def test_a_byte_order_mark_before_an_envelope_does_no_harm() -> None:
    assert normalize_decision({"text": '\ufeff{"taskComplete": true}'}).kind == "taskComplete"


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("```json\n{}\n```", "{}"),
        ("```JSON{}```", "{}"),
        ("``` \u00a0\n{}```\n\n", "{}"),
        ("```json\n{}", "{}"),
        ("```c++\n{}\n```", "++\n{}"),
        ("x ```json\n{}\n```", "x ```json\n{}\n```"),
        ("```json\n{}\n``` bye", "{}\n``` bye"),
        ("```", ""),
        ("``````", ""),
        ("````json\n{}\n````", "`json\n{}\n`"),
        ("  {} ", "{}"),
    ],
)
def test_only_a_fence_that_opens_the_text_is_taken_away(text: str, inside: str) -> None:
    assert strip_fence(text) == inside


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("{}{}", 2),
        ("{}", 0),
        ("{a} and {b} and {c}", 3),
        ('{"a":"}{"}{}', 2),
        (r'{"a":"\"}{"}{}', 2),
        ("}{}{}", 0),
        ("{{}}{", 0),
        ('"{}{}"', 0),
        ('{}"{}{}', 0),
        ("{}}{{}{}", 3),
    ],
)
def test_objects_that_run_together_are_counted_by_braces_alone(text: str, count: int) -> None:
    assert count_concatenated_objects(text) == count


@pytest.mark.parametrize("text", ['{"a": NaN}', '{"a": Infinity}', '{"a": -Infinity}', '{"a": 01}', '{"a": 1.}', '{"a": "\x01"}', "{'a': 1}", '{"a": 1,}'])
def test_what_javascript_refuses_is_unparseable(text: str) -> None:
    decision = normalize_decision({"text": text})
    assert (decision.kind, decision.diagnostic_category) == ("unparseable", "parse_error")


@pytest.mark.parametrize("number", ["1e999", "-1e999", "9" * 5000, "1" + "0" * 400, "-0", "1E5"])
def test_a_number_that_javascript_reads_is_read(number: str) -> None:
    assert normalize_decision({"text": f'{{"taskComplete": true, "n": {number}}}'}).kind == "taskComplete"


def test_of_two_equal_keys_the_last_counts() -> None:
    assert normalize_decision({"text": '{"taskComplete": false, "taskComplete": true}'}).kind == "taskComplete"


def test_an_implicit_answer_is_trimmed_and_a_json_object_is_not_an_answer() -> None:
    answer = normalize_decision({"text": "\ufeff It is done.\u00a0", "protocol": "implicit"})
    assert (answer.kind, answer.encoding, answer.message) == ("taskComplete", "text", "It is done.")
    assert normalize_decision({"text": '{"answer": 42}', "protocol": "implicit"}).kind == "other"


def test_a_call_wins_over_the_protocol_and_over_the_text() -> None:
    turn = {"text": "Done.", "protocol": "implicit", "toolCalls": [{"name": "x"}]}
    decision = normalize_decision(turn)
    assert (decision.kind, decision.encoding, decision.narration_with_calls) == ("action", "native", True)


def test_a_call_that_asks_says_what_it_discards() -> None:
    decision = native(("search_docs", {"q": "x"}), ("ask_user", {"message": "Which?"}), ("payload_change_request", {"a": 1}), text="Hm.")
    assert (decision.kind, decision.message, decision.actions, decision.payload_change) == ("chat", "Which?", (), None)
    assert [(dropped.what, dropped.name) for dropped in decision.discarded] == [
        ("call", "search_docs"), ("call", "payload_change_request"), ("text", "ask_user"),
    ]  # fmt: skip
    assert decision.discarded[0].content == {"q": "x"}


def test_an_empty_message_of_a_call_is_a_message() -> None:
    assert native(("ask_user", {"message": ""}), text="Hm.").message == ""


def test_the_first_call_that_finishes_counts_and_its_payload_may_be_a_json_text() -> None:
    decision = native(("complete_task", {"message": "a", "payloadChangeRequest": ' {"x": 1} '}), ("complete_task", {"message": "b"}))
    assert (decision.message, decision.payload_change, decision.task_complete) == ("a", {"x": 1}, True)
    odd = native(("complete_task", {"payloadChangeRequest": "\ufeff{}"}))
    assert odd.payload_change is None
    assert [(dropped.what, dropped.name) for dropped in odd.discarded] == [("argument", "complete_task.payloadChangeRequest")]


def test_what_a_sub_agent_is_told_by_a_call_is_discarded_but_said() -> None:
    decision = native(("delegate_to_planner", {"message": "go"}))
    assert decision.record()["subAgents"] == [{"name": "Planner"}]
    assert [(dropped.name, dropped.content) for dropped in decision.discarded] == [("delegate_to_planner.message", "go")]


def test_a_role_of_an_unknown_kind_makes_its_call_vanish_but_it_is_said() -> None:
    decision = normalize_decision({"toolCalls": [{"name": "x", "arguments": {"a": 1}}], "controlToolMap": {"x": {"kind": "teleport"}}})
    assert (decision.kind, decision.actions, decision.payload_change) == ("payloadChange", (), None)
    assert [(dropped.what, dropped.name) for dropped in decision.discarded] == [("call", "x")]


def test_a_role_that_is_null_is_no_role() -> None:
    assert normalize_decision({"toolCalls": [{"name": "x"}], "controlToolMap": {"x": None}}).kind == "action"


@pytest.mark.parametrize(
    ("arguments", "placeholder"),
    [
        (None, True),
        ({}, True),
        ({"a": "-"}, True),
        ({"a": "PLACEHOLDER"}, True),
        ({"a": "\ufeffnull\u00a0"}, True),
        ({"a": "Just checking in"}, True),
        ({"a": "none", "b": "nothing"}, True),
        ({"a": "none", "b": "x"}, False),
        ({"a": ""}, False),
        ({"a": None}, False),
        ({"a": 0}, False),
        ({"a": False}, False),
        ({"a": []}, False),
    ],
)
def test_a_call_that_says_nothing_beside_a_text_is_a_placeholder(arguments: Any, placeholder: bool) -> None:
    assert native(("execute_code", arguments), text="Hm.").placeholder_call is placeholder
    assert native(("execute_code", arguments)).placeholder_call is False


def test_one_call_that_says_something_makes_no_call_a_placeholder() -> None:
    assert native(("execute_code", {}), ("search_docs", {"q": "pandas"}), text="Hm.").placeholder_call is False


def test_an_envelope_beside_calls_is_a_shadow() -> None:
    decision = native(("search_docs", {"q": "x"}), text='```json\n{"nextStep": {"type": "Chat"}}\n```')
    assert (decision.dual_channel, decision.shadow_envelope_kind, decision.narration_with_calls) == (True, "chat", False)
    assert decision.discarded[-1].what == "envelope"


def test_camel_case_and_snake_case_are_the_same_turn() -> None:
    snake = RawTurn(text="Hm.", tool_calls=(RawToolCall(name="ask_user"),), control_tool_map={"ask_user": ControlToolRole(kind="chat")})
    camel = {"text": "Hm.", "toolCalls": [{"name": "ask_user"}], "controlToolMap": {"ask_user": {"kind": "chat"}}}
    assert normalize_decision(snake) == normalize_decision(camel)
    assert normalize_decision({"text": "Hm.", "tool_calls": [{"name": "ask_user"}], "control_tool_map": ROLES}) == normalize_decision(camel)


def test_names_that_javascript_objects_inherit_are_names_like_others() -> None:
    for name in ("constructor", "toString", "__proto__", "hasOwnProperty", "__class__", "__init__", "kind", "model_fields"):
        decision = normalize_decision({"toolCalls": [{"name": name, "arguments": {name: 1}}], "toolNameMap": {}, "controlToolMap": {}})
        assert [(action.name, action.params) for action in decision.actions] == [(name, {name: 1})]


@pytest.mark.parametrize(
    ("raw", "told"),
    [
        (None, "NoneType"),
        ("text", "str"),
        ([], "list"),
        ({"text": 7}, "int"),
        ({"text": ["a"]}, "list"),
        ({"protocol": 7}, "int"),
        ({"toolCalls": {"name": "x"}}, "dict"),
        ({"toolCalls": "x"}, "str"),
        ({"toolCalls": [None]}, "tool call 0"),
        ({"toolCalls": [{"name": "x"}, {"arguments": {}}]}, "tool call 1"),
        ({"toolCalls": [{"name": 7}]}, "tool call 0"),
        ({"toolNameMap": ["x"]}, "mapping"),
        ({"toolNameMap": {"x": 1}}, "mapping"),
        ({"controlToolMap": ["x"]}, "mapping"),
        ({"controlToolMap": {"x": {"kind": "subAgent"}}}, "'x'"),
    ],
)
def test_a_programmers_error_is_a_type_error_that_says_where(raw: Any, told: str) -> None:
    with pytest.raises(TypeError, match=told) as caught:
        normalize_decision(raw)
    assert isinstance(caught.value, TurnError)


def test_fields_that_are_not_known_are_ignored() -> None:
    raw: Any = {"text": '{"taskComplete": true}', "usage": {"tokens": 3}, "__class__": 1, 7: 8}
    assert normalize_decision(raw).kind == "taskComplete"
    assert RawTurn.model_validate({"text": "x", "usage": 3}) == RawTurn(text="x")


@pytest.mark.parametrize("arguments", ["x", 7, True, [1], ["a"], 0.5])
def test_arguments_that_are_no_object_count_as_none_and_are_said(arguments: Any) -> None:
    for name in ("execute_code", "payload_change_request", "ask_user", "complete_task"):
        decision = native((name, arguments), text="Hm.")
        assert decision.placeholder_call is False
        assert [(dropped.what, dropped.content) for dropped in decision.discarded] == [("argument", arguments)]


def test_the_record_can_be_read_back() -> None:
    for decision in (envelope(taskComplete=True), native(("search_docs", {"q": 1}), text="{}"), normalize_decision({}), envelope(nextStep=step("Nope"))):
        assert ObservedDecision.model_validate(decision.record()).record() == decision.record()
        assert ObservedDecision.model_validate(decision.model_dump()) == decision
        assert json.loads(decision.model_dump_json(by_alias=True)) == decision.record()


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "empty", "encoding": "envelope"},
        {"kind": "action", "encoding": "none"},
        {"kind": "unparseable", "encoding": "envelope", "envelope_parsed": None},
        {"kind": "chat", "encoding": "text", "task_complete": True},
        {"kind": "other", "encoding": "native", "dual_channel": False, "narration_with_calls": False, "placeholder_call": False},
        {"kind": "action", "encoding": "native", "dual_channel": True, "narration_with_calls": False, "placeholder_call": False},
        {"kind": "action", "encoding": "native"},
        {"kind": "chat", "encoding": "envelope", "envelope_parsed": True, "dual_channel": False},
        {"kind": "chat", "encoding": "envelope", "envelope_parsed": True, "diagnostic": "x"},
    ],
)
def test_a_decision_that_cannot_be_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="no decision is like this"):
        ObservedDecision(**fields)


def test_a_role_has_a_name_exactly_when_it_hands_over() -> None:
    assert ControlToolRole(kind="subAgent", name="Planner").model_dump(exclude_none=True) == {"kind": "subAgent", "name": "Planner"}
    for fields in ({"kind": "subAgent"}, {"kind": "chat", "name": "x"}, {"kind": "teleport"}):
        with pytest.raises(ValueError, match="kind"):
            ControlToolRole.model_validate(fields)


@pytest.mark.parametrize(
    ("content", "strict"),
    [
        ('{"taskComplete": false}', True),
        ('```json\n{"nextStep": null}\n```', True),
        ('{"x": 1}', False),
        ('[{"taskComplete": true}]', False),
        ("prose", False),
        (None, False),
        ([{"type": "text", "text": '{"payloadChangeRequest":'}, {"type": "image", "text": "x"}, {"type": "text", "text": "{}}"}], True),
        ([1, None, {"type": "text"}], False),
    ],
)
def test_the_runtime_calls_fewer_texts_an_envelope_than_the_normalizer(content: Any, strict: bool) -> None:
    assert looks_like_envelope(content) is strict


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ('{"nextStep":', True),
        ('```json\n{"a": 1\n```', True),
        ("```json5\nx", True),
        ('```\n{"a":', True),
        ("```python\nprint(1)\n```", False),
        ('{"a": 1}', False),
        ("[1, 2", False),
        ("It is done.", False),
        (None, False),
        ("{not meant so}", True),
    ],
)
def test_a_text_that_was_probably_meant_as_an_envelope_is_recognized(text: str | None, broken: bool) -> None:
    assert looks_like_broken_envelope(text) is broken
