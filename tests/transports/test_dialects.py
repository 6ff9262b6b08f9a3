"""What each provider is sent, and what of the options it cannot be told."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.errors import AdapterError
from tests.transports.made import prepared

STATUS = tr.ModelOptions(
    functions=({"name": "status", "description": "d", "parameters": {"type": "object"}},), tool_choice={"name": "status"}, parallel_tool_calls=False
)


@pytest.mark.parametrize(
    ("dialect", "sizes"),
    [("openai-chat", [290, 147, 515]), ("openai-responses", [264, 134, 476]), ("anthropic", [232, 118, 428]), ("gemini", [255, 143, 449])],
)
def test_the_sizes_on_the_wire(dialect: str, sizes: list[int]) -> None:
    assert [tr.wire_chars(prepared(stage), dialect) for stage in ("recognize", "status-only", "full")] == sizes
    assert tr.wire_chars(prepared("full", "json"), dialect) == 0


def test_openai() -> None:
    function = STATUS.to_dict()["functions"][0]
    assert tr.lower_options(STATUS, "openai-chat").payload == {
        "tools": [{"type": "function", "function": function}],
        "tool_choice": {"type": "function", "function": {"name": "status"}},
        "parallel_tool_calls": False,
    }
    assert tr.lower_options(STATUS, "openai-responses").payload == {
        "tools": [{"type": "function", **function}],
        "tool_choice": {"type": "function", "name": "status"},
        "parallel_tool_calls": False,
    }


@pytest.mark.parametrize(
    ("choice", "parallel", "thinking", "sent", "notes"),
    [
        ("required", False, False, {"type": "any", "disable_parallel_tool_use": True}, ()),
        ("required", False, True, {"type": "auto", "disable_parallel_tool_use": True}, ("forced_choice_dropped",)),
        ({"name": "status"}, False, False, {"type": "tool", "name": "status", "disable_parallel_tool_use": True}, ()),
        (None, False, False, {"type": "auto", "disable_parallel_tool_use": True}, ()),
        ("auto", True, True, {"type": "auto", "disable_parallel_tool_use": False}, ()),
        ("none", False, False, {"type": "none"}, ()),
        (None, None, False, None, ()),
    ],
)
def test_anthropic(choice: Any, parallel: bool | None, thinking: bool, sent: Any, notes: tuple[str, ...]) -> None:
    options = tr.ModelOptions(functions=STATUS.functions, tool_choice=choice, parallel_tool_calls=parallel)
    lowered = tr.lower_options(options, "anthropic", thinking=thinking)
    assert (lowered.payload.get("tool_choice"), lowered.notes) == (sent, notes)
    assert lowered.payload["tools"] == [{"name": "status", "description": "d", "input_schema": {"type": "object"}}]


def test_gemini() -> None:
    lowered = tr.lower_options(prepared("status-only").options, "gemini")
    assert lowered.payload["toolConfig"] == {"functionCallingConfig": {"mode": "ANY"}}
    assert lowered.notes == ("parallel_flag_not_sent",)
    assert tr.lower_options(STATUS, "gemini").payload["toolConfig"] == {"functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["status"]}}


def test_json() -> None:
    options = prepared("full", "json").options
    lowered = {dialect: tr.lower_options(options, dialect) for dialect in tr.DIALECTS}
    assert lowered["openai-chat"].payload == {"response_format": {"type": "json_object"}}
    assert lowered["openai-responses"].payload == {"text": {"format": {"type": "json_object"}}}
    assert (lowered["anthropic"].payload, lowered["anthropic"].notes) == ({}, ("json_flag_not_sent",))
    assert lowered["gemini"].payload == {"generationConfig": {"responseMimeType": "application/json"}}


def test_json_that_fits_a_schema() -> None:
    options = tr.ModelOptions(json={"type": "object"})
    assert tr.lower_options(options, "openai-chat").payload["response_format"]["json_schema"]["schema"] == {"type": "object"}
    assert tr.lower_options(options, "gemini").payload["generationConfig"]["responseJsonSchema"] == {"type": "object"}


def test_without_functions_nothing_about_tools_is_sent() -> None:
    options = {"toolChoice": "required", "parallelToolCalls": False, "temperature": 0}
    assert {dialect: tr.lower_options(options, dialect) for dialect in tr.DIALECTS} == dict.fromkeys(tr.DIALECTS, tr.Lowered({}, ()))


def test_an_unknown_dialect_is_told_with_those_that_are_known() -> None:
    with pytest.raises(AdapterError, match="openai-chat, openai-responses, anthropic, gemini"):
        tr.lower_options({}, "mistral")
    with pytest.raises(AdapterError, match="cohere"):
        tr.lift_parts([], "mistral")
