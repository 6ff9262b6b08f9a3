"""Models behind OpenAI's client: OpenAI itself, and every service and local server that speaks its API."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from typing import Any, Literal

from agentnb.errors import OptionError
from agentnb.transports.dialects import lower_options
from agentnb.transports.providers._vendor import client_library, lifted, messages_of, own_part
from agentnb.transports.runner import ModelRequest
from agentnb.values.model_parts import ModelPart


class OpenAIProvider:
    """Asks a model by Chat Completions or by Responses, and streams its answer as parts.

    Options of a transport go into the request as they are named, so what a service knows beyond OpenAI's own API is sent too.

    Example:
        OpenAIProvider("qwen3", base_url="http://127.0.0.1:11434/v1")
    """

    def __init__(
        self,
        model: str,
        *,
        api: Literal["chat", "responses"] = "chat",
        base_url: str | None = None,
        api_key: str | None = None,
        include_usage: bool = True,
        client: Any = None,
        **client_options: Any,
    ) -> None:
        """Make a provider.

        Args:
            model: the model, as the service calls it.
            api: chat or responses.
            base_url: the service; OpenAI unless given.
            api_key: the key; else the client looks for OPENAI_API_KEY. A server that is named by `base_url` may need none.
            include_usage: whether usage is asked for, which Chat Completions only then tell of a stream.
            client: an `openai.AsyncOpenAI` of your own, instead of the four options around it.
            client_options: what else `openai.AsyncOpenAI` takes, such as timeout and max_retries.

        Raises:
            ImportError: the package openai is not installed.
        """
        if api not in ("chat", "responses"):
            raise OptionError(f"api is chat or responses, not {api!r}")
        self._library = client_library("openai")
        self.model, self.api = model, api
        self._include_usage = include_usage
        if client is None:
            key = api_key or (None if base_url is None or os.environ.get("OPENAI_API_KEY") else "not-needed")
            client = self._library.AsyncOpenAI(base_url=base_url, api_key=key, **client_options)
        self._client = client

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelPart]:
        """Ask, and yield the parts of the answer; what the service refuses, or a connection that breaks, is an `ErrorPart`."""
        if self.api == "responses":
            return lifted(lambda: self._client.responses.create(**self._responses_body(request)), "openai-responses", self._library.APIError)
        return lifted(lambda: self._client.chat.completions.create(**self._chat_body(request)), "openai-chat", self._library.APIError)

    async def aclose(self) -> None:
        """Close the client's connections."""
        await self._client.close()

    def _chat_body(self, request: ModelRequest) -> dict[str, Any]:
        told = [{"role": "system", "content": request.instruction}] if request.instruction else []
        body = {**lower_options(request.options, "openai-chat").payload, **own_part(request.options)}
        if self._include_usage:
            body.setdefault("stream_options", {"include_usage": True})
        return {"model": self.model, "messages": [*told, *messages_of(request.input, "openai-chat")], "stream": True, "extra_body": body}

    def _responses_body(self, request: ModelRequest) -> dict[str, Any]:
        body = {**lower_options(request.options, "openai-responses").payload, **own_part(request.options)}
        if request.instruction:
            body["instructions"] = request.instruction
        return {"model": self.model, "input": messages_of(request.input, "openai-responses"), "stream": True, "extra_body": body}
