"""Messages of parts become those of a provider: texts, calls and results stand where its API wants them."""

from __future__ import annotations

from typing import Any

import pytest

import agentnb.transports as tr
from agentnb.errors import AdapterError
from agentnb.transports.messages import lower_messages

CALLS = [{"type": "tool_call", "id": "a", "name": "status", "input": {"city": "Oslo"}}, {"type": "tool_call", "id": "b", "name": "status", "input": "no JSON"}]
RESULTS = [{"type": "tool_result", "id": "a", "name": "status", "output": "rain"}]
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "parts": [{"type": "text", "text": "How is "}, {"type": "text", "text": "Oslo?"}]},
    {"role": "assistant", "parts": [{"type": "text", "text": "Checking."}, *CALLS]},
    {"role": "tool", "parts": RESULTS},
    {"role": "user", "content": "in the provider's form"},
]


def test_chat_completions_has_calls_beside_the_content_and_results_as_messages_of_their_own() -> None:
    user, assistant, tool, own = lower_messages(MESSAGES, "openai-chat")
    assert user == {"role": "user", "content": "How is Oslo?"}
    assert (assistant["content"], [call["function"] for call in assistant["tool_calls"]]) == (
        "Checking.",
        [{"name": "status", "arguments": '{"city": "Oslo"}'}, {"name": "status", "arguments": "no JSON"}],
    )
    assert (tool, own) == ({"role": "tool", "tool_call_id": "a", "content": "rain"}, MESSAGES[3])


def test_responses_has_calls_and_results_as_items() -> None:
    items = lower_messages(MESSAGES, "openai-responses")
    assert [item.get("type", item.get("role")) for item in items] == ["user", "assistant", "function_call", "function_call", "function_call_output", "user"]
    assert (items[2]["call_id"], items[4]["output"]) == ("a", "rain")


def test_anthropic_has_blocks_and_results_from_the_user() -> None:
    user, assistant, tool, _ = lower_messages(MESSAGES, "anthropic")
    assert user == {"role": "user", "content": [{"type": "text", "text": "How is Oslo?"}]}
    assert [block["type"] for block in assistant["content"]] == ["text", "tool_use", "tool_use"]
    assert assistant["content"][2]["input"] == {"unreadable": "no JSON"}
    assert tool == {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "rain"}]}


def test_a_form_that_is_not_known_is_refused() -> None:
    with pytest.raises(AdapterError, match="no form of messages for 'telegraph'"):
        lower_messages(MESSAGES, "telegraph")
    assert "telegraph" not in tr.DIALECTS
