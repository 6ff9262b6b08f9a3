"""A server on this computer that answers as a provider does: HTTP/1.1, chunked, server-sent events; and that can be slow, break off, or refuse."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple


class Pause(NamedTuple):
    """Wait before the next event."""

    seconds: float


class Cut(NamedTuple):
    """Break the connection off, in the middle of the answer."""


class Answer(NamedTuple):
    """What the server says to one request."""

    steps: Sequence[Any] = ()
    """Events as JSON values, texts as they are, pauses and cuts."""
    status: int = 200
    body: Any = None
    """A whole body, instead of events."""
    piece: int | None = None
    """Bytes that are sent at a time; None for all of an event at once."""


class Server:
    """Gives its answers in order, and remembers what it was asked."""

    def __init__(self, answers: Sequence[Answer]) -> None:
        self.answers = list(answers)
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.left_by_client = asyncio.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left_by_client.set()
        finally:
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = next(int(line.partition(":")[2]) for line in head.split("\r\n") if line.lower().startswith("content-length"))
        self.requests.append((head.split(" ")[1], json.loads(await reader.readexactly(length))))
        answer = self.answers[len(self.requests) - 1]
        if answer.body is not None:
            body = json.dumps(answer.body).encode()
            writer.write(
                f"HTTP/1.1 {answer.status} X\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body
            )
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n")
        if not await self._stream(answer, reader, writer):
            writer.transport.abort()
            return
        writer.write(b"0\r\n\r\n")
        await writer.drain()

    async def _stream(self, answer: Answer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        """Send the steps; False when the connection is to break."""
        for step in answer.steps:
            if isinstance(step, Cut):
                await writer.drain()
                # What was sent shall be read before the connection breaks.
                await asyncio.sleep(0.05)
                return False
            if isinstance(step, Pause):
                await self._wait(step.seconds, reader)
                continue
            data = event_bytes(step)
            size = answer.piece or len(data)
            for at in range(0, len(data), size):
                piece = data[at : at + size]
                writer.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                await writer.drain()
        return True

    async def _wait(self, seconds: float, reader: asyncio.StreamReader) -> None:
        """Wait; a client that leaves meanwhile is noticed."""
        try:
            gone = await asyncio.wait_for(reader.read(1), seconds)
        except TimeoutError:
            return
        if not gone:
            self.left_by_client.set()
            raise ConnectionError("the client left")


def event_bytes(step: Any) -> bytes:
    """Write one event; a text is sent as it is."""
    if isinstance(step, str):
        return step.encode()
    name = f"event: {step['type']}\n" if isinstance(step.get("type"), str) else ""
    return f"{name}data: {json.dumps(step)}\n\n".encode()


@asynccontextmanager
async def serving(*answers: Answer) -> AsyncIterator[Server]:
    """Run a server that gives these answers."""
    server = Server(answers)
    running = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.port = running.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        running.close()
        await running.wait_closed()
