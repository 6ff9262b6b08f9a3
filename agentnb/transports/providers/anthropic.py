"""Models behind Anthropic's client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, Final

from agentnb.transports.dialects import lower_options
from agentnb.transports.providers._vendor import client_library, lifted, messages_of, own_part
from agentnb.transports.runner import ModelRequest
from agentnb.values.model_parts import ModelPart

MAX_TOKENS: Final = 4096
"""Tokens of an answer unless a transport's options say `max_tokens`, which the API wants in every request."""


class AnthropicProvider:
    """Asks a model by the Messages API, and streams its answer as parts.

    Options of a transport go into the request as they are named. With `thinking` among them a choice of tools cannot be forced, and is left to the model.

    Example:
        AnthropicProvider("claude-sonnet-4-5")
    """

    def __init__(self, model: str, *, base_url: str | None = None, api_key: str | None = None, client: Any = None, **client_options: Any) -> None:
        """Make a provider.

        Args:
            model: the model, as the service calls it.
            base_url: the service; Anthropic unless given.
            api_key: the key; else the client looks for ANTHROPIC_API_KEY.
            client: an `anthropic.AsyncAnthropic` of your own, instead of the options around it.
            client_options: what else `anthropic.AsyncAnthropic` takes, such as timeout and max_retries.

        Raises:
            ImportError: the package anthropic is not installed.
        """
        self._library = client_library("anthropic")
        self.model = model
        self._client = client if client is not None else self._library.AsyncAnthropic(base_url=base_url, api_key=api_key, **client_options)

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Ask, and yield the parts of the answer; what the service refuses, or a connection that breaks, is an `ErrorPart`."""
        return lifted(lambda: self._client.messages.create(**self._body(request)), "anthropic", self._library.APIError)

    async def aclose(self) -> None:
        """Close the client's connections."""
        await self._client.close()

    def _body(self, request: ModelRequest) -> dict[str, Any]:
        own = own_part(request.options)
        thinking = own.get("thinking")
        thinks = isinstance(thinking, dict) and thinking.get("type") != "disabled"
        max_tokens = own.pop("max_tokens", MAX_TOKENS)
        body = {**lower_options(request.options, "anthropic", thinking=thinks).payload, **own}
        if request.instruction:
            body["system"] = request.instruction
        return {"model": self.model, "max_tokens": max_tokens, "messages": messages_of(request.input, "anthropic"), "stream": True, "extra_body": body}
