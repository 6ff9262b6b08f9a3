"""Names on the wire are made so that they can be read back, and what cannot be is an error when they are made."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from agentnb.decisions import build_tool_name_map, build_tool_names, control_tool_map_for, normalize_decision, raw_turn_from_response, sanitize_action_name
from agentnb.errors import ToolNameError
from agentnb.values import ControlToolRole


@pytest.mark.parametrize(
    ("name", "tool"),
    [
        ("Execute Code", "execute_code"),
        ("Run Ad-hoc Query", "run_ad_hoc_query"),
        ("  Get   Weather!! ", "get_weather"),
        ("A/B — Test", "a_b_test"),
        ("__a__b__", "a_b"),
        ("Café Menu", "caf_menu"),
        ("Top-10 (v2)", "top_10_v2"),
        ("x" * 200, "x" * 64),
        ("x" * 63 + " y", "x" * 63 + "_"),
        ("!!!", ""),
        ("", ""),
        ("Σ٣", ""),
    ],
)
def test_a_name_is_sanitized(name: str, tool: str) -> None:
    assert sanitize_action_name(name) == tool


def test_a_map_leads_back_to_real_names() -> None:
    assert build_tool_name_map(["Execute Code", "Search Docs"]) == {"execute_code": "Execute Code", "search_docs": "Search Docs"}


@pytest.mark.parametrize(
    ("actions", "sub_agents", "told"),
    [
        (["Get Weather", "Get-Weather"], [], r"'Get Weather' and 'Get-Weather' .* 'get_weather'"),
        (["!!!"], [], "no letter or digit"),
        (["Ask User"], [], "reserved"),
        ([], ["Editor Agent", "Editor-Agent"], "delegate_to_editor_agent"),
        (["Delegate to Planner"], ["Planner"], "'delegate_to_planner'"),
    ],
)
def test_what_cannot_be_told_apart_is_an_error(actions: list[str], sub_agents: list[str], told: str) -> None:
    with pytest.raises(ToolNameError, match=told):
        build_tool_names(actions, sub_agents=sub_agents)


def test_tools_are_declared_in_a_fixed_order() -> None:
    names = build_tool_names(["Search Docs"], sub_agents=["Query Strategist", "A" * 80])
    assert names.control_tool_names == ("delegate_to_query_strategist", "delegate_to_" + "a" * 52, "payload_change_request", "ask_user", "complete_task")
    assert names.tool_name_map == {"search_docs": "Search Docs"}
    assert names.control_tool_map["delegate_to_query_strategist"] == ControlToolRole(kind="subAgent", name="Query Strategist")
    assert build_tool_names(["Ask User"], control_tools=False).control_tool_names == ()


@pytest.mark.parametrize(
    ("tool", "binding", "role"),
    [
        ("search_docs", {"kind": "action"}, None),
        ("delegate_to_planner", {"kind": "subAgent", "agent": {"name": "Planner"}}, {"kind": "subAgent", "name": "Planner"}),
        ("delegate_to_x", {"kind": "subAgent", "agent": {}}, {"kind": "subAgent", "name": "delegate_to_x"}),
        ("payload_change_request", {"kind": "payloadChange"}, {"kind": "payloadChange"}),
        ("ask_user", {"kind": "askUser"}, {"kind": "chat"}),
        ("complete_task", {"kind": "complete"}, {"kind": "taskComplete"}),
        ("x", {"kind": "new"}, None),
        ("x", {}, None),
    ],
)
def test_a_binding_has_a_role_or_is_left_out(tool: str, binding: dict[str, Any], role: dict[str, Any] | None) -> None:
    expected = {} if role is None else {tool: ControlToolRole.model_validate(role)}
    assert control_tool_map_for({tool: binding}) == expected


def reply(message: dict[str, Any], **choice: Any) -> dict[str, Any]:
    return {"choices": [{"message": message} | choice]}


def test_a_reply_becomes_a_turn_with_its_arguments_decoded() -> None:
    calls = [
        {"id": "1", "type": "function", "function": {"name": "search_docs", "arguments": '{"q": "x"}'}},
        {"function": {"name": "search_docs", "arguments": "{broken"}},
        {"name": "search_docs", "arguments": {"q": 1}},
        {"function": {"name": None, "arguments": ""}},
        "odd",
    ]
    made = raw_turn_from_response(reply({"content": None, "tool_calls": calls}, finish_reason="tool_calls"), tool_calling="native")
    assert [(call.name, call.arguments) for call in made.turn.tool_calls or ()] == [
        ("search_docs", {"q": "x"}), ("search_docs", "{broken"), ("search_docs", {"q": 1}), ("", None),
    ]  # fmt: skip
    assert (made.turn.text, made.turn.protocol, made.finish_reason, made.execution_error) == ("", "hybrid", "tool_calls", None)
    decision = normalize_decision(made.turn)
    assert [action.params for action in decision.actions] == [{"q": "x"}, {}, {"q": 1}, {}]


@pytest.mark.parametrize(
    ("options", "protocol"),
    [
        ({}, "envelope"),
        ({"tool_calling": "envelope", "control_flow": "implicit"}, "envelope"),
        ({"tool_calling": "native"}, "hybrid"),
        ({"tool_calling": "native", "control_flow": "implicit"}, "implicit"),
    ],
)
def test_the_protocol_follows_from_how_the_model_was_told(options: dict[str, Any], protocol: str) -> None:
    assert raw_turn_from_response(reply({"content": "x"}), **options).turn.protocol == protocol


def test_blocks_of_text_are_joined_and_a_text_is_the_whole_output() -> None:
    blocks = [{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}]
    assert raw_turn_from_response(reply({"content": blocks})).turn.text == "a\nb"
    assert raw_turn_from_response("whole").turn.text == "whole"
    assert raw_turn_from_response({"rawResult": "raw"}).turn.text == "raw"


@pytest.mark.parametrize("odd", [None, 7, [], {}, {"choices": None}, {"choices": [7]}, {"choices": [{"message": 7}]}, reply({"content": 7, "tool_calls": 7})])
def test_a_strange_reply_is_an_empty_turn(odd: Any) -> None:
    made = raw_turn_from_response(odd)
    assert (made.turn.text, made.turn.tool_calls, made.finish_reason, made.execution_error) == ("", None, None, None)


def test_an_error_is_told_with_its_message_or_without() -> None:
    assert raw_turn_from_response({"error": {"message": "429"}}).execution_error == "429"
    assert raw_turn_from_response({"success": False, "errorMessage": "no"}).execution_error == "no"
    assert raw_turn_from_response({"success": False}).execution_error
    assert raw_turn_from_response({"success": True, "errorMessage": "warning"}).execution_error is None


def test_an_object_of_a_library_is_read_by_its_dump() -> None:
    library = SimpleNamespace(model_dump=lambda: reply({"content": "x"}, finish_reason="stop"))
    assert raw_turn_from_response(library).turn.text == "x"
