"""Which ids and numbers does a story use? The same ones every time, from its name."""

from __future__ import annotations

import base64
import hashlib
import uuid

_LETTERS = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


class Ids:
    """Deals ids in the shapes that providers use, from a seed.

    Digests rather than `random`: they give the same answer in every version of Python.
    """

    def __init__(self, seed: str) -> None:
        self._seed = seed
        self._dealt = 0

    def uuid(self) -> str:
        """Deal a uuid of version 4."""
        return str(uuid.UUID(bytes=self._digest()[:16], version=4))

    def message(self) -> str:
        """Deal the id of a model message."""
        return "msg_01" + self._letters(22)

    def tool_use(self) -> str:
        """Deal the id of a tool call, as Anthropic writes it."""
        return "toolu_01" + self._letters(22)

    def request(self) -> str:
        """Deal the id of a request."""
        return "req_011C" + self._letters(20)

    def call(self) -> str:
        """Deal the id of a tool call, as OpenAI writes it."""
        return "call_" + self._letters(24)

    def agent(self) -> str:
        """Deal the id of a sub-agent."""
        return "a" + self.hex(6)

    def hex(self, length: int) -> str:
        """Deal hexadecimal digits, at most 64."""
        return self._digest().hex()[:length]

    def signature(self) -> str:
        """Deal something that looks like the signature of hidden reasoning."""
        return base64.b64encode(b"".join(self._digest() for _ in range(6))).decode()

    def whole(self, low: int, high: int) -> int:
        """Deal a whole number from low to high, both included."""
        return low + int.from_bytes(self._digest()[:6]) % (high - low + 1)

    def seconds(self, low: float, high: float) -> float:
        """Deal a duration between low and high, in milliseconds exactly."""
        return self.whole(round(low * 1000), round(high * 1000)) / 1000

    def _letters(self, length: int) -> str:
        return "".join(_LETTERS[byte % len(_LETTERS)] for byte in self._digest()[:length])

    def _digest(self) -> bytes:
        self._dealt += 1
        return hashlib.sha256(f"{self._seed}:{self._dealt}".encode()).digest()
