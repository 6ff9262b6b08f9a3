"""Conversations of two formats that bear the same id are told apart, and everything in them keeps hanging together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import agentnb as anb
from tests.readers.reading import codes, read


def write_both(folder: Path) -> None:
    """Write a chat and a thread with the same id, as two tools record one run."""
    parts = [{"type": "text", "text": "Hello"}]
    chat: dict[str, Any] = {"id": "shared-1", "messages": [{"id": "u1", "role": "user", "parts": parts}, {"id": "a1", "role": "assistant", "parts": parts}]}
    (folder / "1-chat.json").write_text(json.dumps(chat))
    asked = {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "Hello"}], "conversation_id": "shared-1"}
    call = {"part_kind": "tool-call", "tool_name": "wave", "args": "{}", "tool_call_id": "c1"}
    (folder / "2-run.json").write_text(json.dumps([asked, {"kind": "response", "parts": [call], "conversation_id": "shared-1"}]))


def test_the_second_one_gets_the_name_of_its_format(tmp_path: Path) -> None:
    write_both(tmp_path)
    rows = read(tmp_path)
    assert [conversation.conversation_id for conversation in rows.conversations] == ["shared-1", "shared-1~pydantic_ai"]
    assert [turn.turn_id for turn in rows.turns] == ["shared-1/u1", "shared-1/1~pydantic_ai"]
    assert codes(rows)["equal_conversations"] == 1


def test_a_workspace_tells_them_apart_whenever_they_are_read(tmp_path: Path) -> None:
    write_both(tmp_path)
    expected = [("shared-1", "ai_sdk"), ("shared-1~pydantic_ai", "pydantic_ai")]
    query = "select conversation_id, format from conversations order by conversation_id"
    with anb.open(tmp_path / "1-chat.json", workspace=tmp_path / "kept") as ws:
        ws.read(tmp_path / "2-run.json")
        assert ws.sql(query).fetchall() == expected
        messages = json.loads((tmp_path / "2-run.json").read_text())
        (tmp_path / "2-run.json").write_text(json.dumps([*messages, messages[0]]))
        ws.refresh()
        assert ws.sql(query).fetchall() == expected
        assert ws.turn("shared-1/1~pydantic_ai").steps[0].tool_calls[0].name == "wave"
