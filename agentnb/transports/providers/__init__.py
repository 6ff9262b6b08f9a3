"""Who answers: scripted and recorded answers, and models behind the vendors' own clients."""

from __future__ import annotations

from agentnb.transports.providers.anthropic import AnthropicProvider
from agentnb.transports.providers.openai import OpenAIProvider
from agentnb.transports.providers.recorded import RecordedProvider
from agentnb.transports.providers.scripted import ScriptedProvider

__all__ = ["AnthropicProvider", "OpenAIProvider", "RecordedProvider", "ScriptedProvider"]
