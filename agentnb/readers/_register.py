"""Every format that can be read, in the order in which they are tried: the most specific first, since later tests also match earlier formats.

Readers of other distributions are tried before all of these: who installs one means it. One whose format has the name of one of these replaces it.
"""

from __future__ import annotations

import functools
from typing import NamedTuple

from agentnb.readers._plugins import load_plugins
from agentnb.readers._reader import Reader, Sample
from agentnb.readers.formats import (
    ai_sdk,
    aider,
    anthropic_messages,
    atif,
    autogen,
    bfcl,
    claude_code,
    cline,
    codex,
    copilot_cli,
    cursor,
    droid,
    functai,
    gemini,
    goose,
    inspect,
    kimi,
    langchain,
    langfuse,
    langsmith,
    mini_swe_agent,
    mlflow,
    openai_agents,
    openai_chat,
    openai_responses,
    openclaw,
    opencode,
    openhands,
    otel,
    pi,
    pydantic_ai,
    qwen,
    smolagents,
    swe_agent,
    tau2,
    toolbench,
    vscode_chat,
)

READERS: tuple[Reader, ...] = (
    # Envelopes of their own: trajectories, evaluation logs, traces.
    atif.READER,
    inspect.READER,
    mlflow.READER,
    langfuse.READER,
    otel.READER,
    # Coding tools and other programs that keep sessions; qwen's lines look like claude_code's, and openclaw's like pi's.
    codex.READER,
    claude_code.READER,
    qwen.READER,
    openclaw.READER,
    pi.READER,
    copilot_cli.READER,
    vscode_chat.READER,
    kimi.READER,
    cline.READER,
    opencode.READER,
    droid.READER,
    cursor.READER,
    goose.READER,
    functai.READER,
    # Benchmarks and agents that are run on them.
    swe_agent.READER,
    mini_swe_agent.READER,
    openhands.READER,
    tau2.READER,
    # Frameworks, and langsmith, whose runs hold the messages of langchain.
    langsmith.READER,
    langchain.READER,
    pydantic_ai.READER,
    smolagents.READER,
    autogen.READER,
    openai_agents.READER,
    ai_sdk.READER,
    # The services themselves, whose messages stand inside most of the above; benchmarks that write the messages of Chat Completions come before it.
    gemini.READER,
    openai_responses.READER,
    anthropic_messages.READER,
    toolbench.READER,
    bfcl.READER,
    openai_chat.READER,
    # Text.
    aider.READER,
)


class Recognised(NamedTuple):
    """The reader of a file's format, and the sample as this reader understands it."""

    reader: Reader
    sample: Sample


@functools.cache
def all_readers() -> tuple[Reader, ...]:
    """Return every reader in the order in which they are tried; those of other distributions are imported when this is first asked."""
    others = load_plugins()
    formats = {reader.format for reader in others}
    return (*others, *(reader for reader in READERS if reader.format not in formats))


def recognise(sample: Sample) -> Recognised | None:
    """Find the reader of a file's format from its content; None when no reader knows it."""
    readings = sample.readings()
    return next((Recognised(reader, reading) for reading in readings for reader in all_readers() if reader.matches(reading)), None)
