"""All real recordings in one call: each is of the format that it is, and no record of any of them is unexplained."""

from __future__ import annotations

import fnmatch
import json
from pathlib import Path

import pytest

from agentnb.readers import Rows
from tests.readers.reading import read

pytestmark = pytest.mark.recordings

# The first pattern that fits says the format; None is what is no recording, and is said to be none.
FORMATS: dict[str, str | None] = {
    "SOURCES.md": None,
    "ides/opencode-storage_v2/migration": None,
    "anthropic_messages/*": "anthropic_messages",
    "atif/*": "atif",
    "bfcl_toolbench/*": "toolbench",
    "claude_code/*": "claude_code",
    "codex/*": "codex",
    "copilot/copilot-*": "copilot_cli",
    "copilot/*.chatreplay.json": "vscode_chat",
    "frameworks/autogen-*": "autogen",
    "frameworks/whowhen-*": "autogen",
    "frameworks/crewai-*.http.jsonl": "openai_chat",
    "frameworks/openai-agents-*": "openai_agents",
    "frameworks/pydantic-ai-*": "pydantic_ai",
    "frameworks/smolagents-*": "smolagents",
    "gemini/*": "gemini",
    "ides/agent-sessions-cursor-*": "cursor",
    "ides/agent-sessions-droid-*": "droid",
    "ides/agent-sessions-kimi-*": "kimi",
    "ides/agent-sessions-openclaw-*": "openclaw",
    "ides/agent-sessions-qwen-*": "qwen",
    "ides/aider-*": "aider",
    "ides/cline-*": "cline",
    "ides/opencode-*": "opencode",
    "ides/pi-*": "pi",
    "inspect/*": "inspect",
    "langchain/*.langsmith_runs.*": "langsmith",
    "langchain/langsmith_*": "langsmith",
    "langchain/vercel-*": "ai_sdk",
    "langchain/*.http.jsonl": "openai_chat",
    "langchain/*": "langchain",
    "langfuse/*": "langfuse",
    "mlflow/*": "mlflow",
    "openai_chat/*": "openai_chat",
    "openai_responses/*": "openai_responses",
    "openhands/*": "openhands",
    "otel/*": "otel",
    "sweagent/mini-*": "mini_swe_agent",
    "sweagent/*": "swe_agent",
    "tau/tau2-voice/*": "tau2",
    "tau/*": "openai_chat",
    "ui_messages/*": "ai_sdk",
}


@pytest.fixture(scope="module")
def everything(recordings: Path) -> Rows:
    return read(recordings)


def test_every_file_is_of_the_format_that_it_is_and_of_no_other(everything: Rows, recordings: Path) -> None:
    found = {str(Path(source.path).relative_to(recordings)): source.format for source in everything.sources}
    expected = {name: next(format for pattern, format in FORMATS.items() if fnmatch.fnmatch(name, pattern)) for name in found}
    assert {name: format for name, format in found.items() if format != expected[name]} == {}
    assert len(found) > 200


def test_every_file_that_is_a_recording_was_read_or_is_a_copy(everything: Rows) -> None:
    odd = [
        (source.path, source.state, source.reason) for source in everything.sources if source.format is not None and source.state not in ("read", "duplicate")
    ]
    assert odd == []


def test_what_is_left_out_of_a_recording_is_nothing_that_was_said_or_done(everything: Rows) -> None:
    explained = {"analytics_event", "empty_session", "evaluation_totals", "no_agent_span", "not_a_model_call", "not_an_object", "null_observation"}
    explained |= {"silent_tick", "spans", "state_changes"}
    skipped = {(Path(source.path).name, reason) for source in everything.sources for reason in json.loads(source.skipped or "{}")}
    assert {(name, reason) for name, reason in skipped if reason not in explained} == set()


def test_every_recording_says_something_but_the_logs_that_hold_no_conversation(everything: Rows) -> None:
    said = {row.source_id for name in ("conversations", "turns", "parts", "calls") for row in getattr(everything, name)}
    silent = {Path(source.path).name for source in everything.sources if source.records_kept and source.source_id not in said}
    empty = {Path(source.path).name for source in everything.sources if source.state == "read" and not source.records_kept and not source.records_merged}
    # What it holds is about runs that stand in other files.
    assert silent == {"results.json"}
    assert empty == {"aider-analytics.jsonl", "open-agent-traces-collector.otlp.jsonl"}


def test_no_encrypted_reasoning_and_no_signature_is_said_as_text(everything: Rows) -> None:
    opaque = ("encrypted_content", "thoughtSignature", '"signature":')
    assert [part.source_id for part in everything.parts if part.type in ("text", "reasoning") and part.text and part.text.startswith(opaque)] == []
