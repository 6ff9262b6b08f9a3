"""A turn whose model is behind a vendor's own client: it wants a tool, is told what came of it, and answers."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations.stores import MemoryStore
from tests.transports.running import run as run_coroutine
from tests.transports.server import Answer, serving
from tests.transports.wire_events import EVENTS, text_events

pytest.importorskip("openai", reason="the extra openai is not installed")
pytest.importorskip("anthropic", reason="the extra anthropic is not installed")


@anb.tool(effects="reads")
def status(city: str) -> str:
    """Look up the weather."""
    return f"rain in {city}"


@anb.program(tools=[status], options={"temperature": 0})
def weather(message: str) -> str:
    """Say how the weather is."""


def provider(api: str, url: str) -> Any:
    if api == "anthropic":
        return anb.AnthropicProvider("model", base_url=url, api_key="key", max_retries=0)
    return anb.OpenAIProvider("model", api=api, base_url=f"{url}/v1", api_key="key", max_retries=0)  # type: ignore[arg-type]  # one of the two


@pytest.mark.parametrize("api", ["chat", "responses", "anthropic"])
def test_a_turn_with_a_tool_runs_through_the_client(api: str) -> None:
    async def run() -> tuple[Any, list[Any]]:
        async with serving(Answer(EVENTS[api]("status")), Answer(text_events(api, "It rains.")), Answer(text_events(api, "Still."))) as server:
            chat = weather.conversation(store=MemoryStore(), model=provider(api, server.url))
            first = await chat.send("How is Oslo?")
            second = await chat.send("And now?")
            return (first, second), [body for _, body in server.requests]

    (first, second), bodies = run_coroutine(asyncio.wait_for(run(), 30))
    assert (first.state, first.result, second.result, first.model) == ("done", "It rains.", "Still.", "model"), first.error
    sent = [json.dumps(body) for body in bodies]
    assert "rain in Oslo" in sent[1]
    assert "rain in Oslo" in sent[2]
    assert all(body["temperature"] == 0 for body in bodies)
    assert first.tree() == "weather"
