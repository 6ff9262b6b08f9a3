"""Recordings of any size for the benchmarks: a Claude Code session as the tool writes it, made of invented words."""

from __future__ import annotations

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

_START = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
_MODEL = "claude-sonnet-4-5-20250929"


def write_claude_session(path: Path, *, megabytes: float, seed: int = 1) -> Path:
    """Write one session of about this size: turns of 20 steps, each with thoughts or text, one to three tool calls, and their results.

    Args:
        path: where to write.
        megabytes: size to reach, in 10^6 bytes.
        seed: of the random choices; equal seeds give equal files.

    Returns:
        The path.
    """
    limit = int(megabytes * 1e6)
    with path.open("w", encoding="utf-8") as file:
        written = 0
        for event in _Session(random.Random(seed)).events():
            written += file.write(json.dumps(event, ensure_ascii=False, separators=(",", ":")) + "\n")
            if written >= limit:
                break
    return path


class _Session:
    """Events of one session without end."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz_", k=rng.randint(2, 11))) for _ in range(4000)] + ["naïve", "größe", "→"]
        self.session = self.uuid()
        self.parent: str | None = None
        self.now = _START

    def uuid(self) -> str:
        return str(uuid.UUID(int=self.rng.getrandbits(128), version=4))

    def text(self, characters: int) -> str:
        lines = [" ".join(self.rng.choices(self.words, k=9)) for _ in range(max(1, characters // 65))]
        return "\n".join(lines)

    def events(self) -> Iterator[dict[str, Any]]:
        while True:
            yield self.event("user", {"role": "user", "content": self.text(150)})
            for _ in range(20):
                yield from self.step()

    def step(self) -> Iterator[dict[str, Any]]:
        message_id = f"msg_{self.rng.getrandbits(96):024x}"
        request = f"req_{self.rng.getrandbits(96):024x}"
        kind, size = ("thinking", 900) if self.rng.random() < 0.3 else ("text", 250)
        said = {"type": kind, kind: self.text(size)} | ({"signature": f"{self.rng.getrandbits(2400):0600x}"} if kind == "thinking" else {})
        yield self.reply(message_id, request, said)
        calls = [self.call() for _ in range(self.rng.choices((1, 2, 3), (80, 15, 5))[0])]
        links = []
        for call in calls:
            yield self.reply(message_id, request, call)
            links.append(self.parent)
        for call, link in zip(calls, links, strict=True):
            yield self.result(call, link)

    def call(self) -> dict[str, Any]:
        name = self.rng.choices(("Read", "Bash", "Edit", "Grep"), (40, 30, 15, 15))[0]
        path = f"/home/ana/shop/{self.rng.choice(self.words)}.py"
        inputs: dict[str, dict[str, Any]] = {
            "Read": {"file_path": path},
            "Bash": {"command": f"python -m pytest -q {path}", "description": self.text(60)},
            "Edit": {"file_path": path, "old_string": self.text(400), "new_string": self.text(450)},
            "Grep": {"pattern": self.rng.choice(self.words), "path": path, "output_mode": "content"},
        }
        return {"type": "tool_use", "id": f"toolu_{self.rng.getrandbits(96):024x}", "name": name, "input": inputs[name]}

    def result(self, call: dict[str, Any], link: str | None) -> dict[str, Any]:
        failed = self.rng.random() < 0.08
        text = self.text(int(self.rng.paretovariate(1.3) * 700) % 30_000)
        block: dict[str, Any] = {"tool_use_id": call["id"], "type": "tool_result", "content": f"Exit code 1\n{text}" if failed else text}
        if failed:
            block["is_error"] = True
        details = "Error: Exit code 1" if failed else {"stdout": text, "stderr": "", "interrupted": False, "isImage": False}
        self.parent = link
        return self.event("user", {"role": "user", "content": [block]}, toolUseResult=details, sourceToolAssistantUUID=link)

    def reply(self, message_id: str, request: str, block: dict[str, Any]) -> dict[str, Any]:
        usage = {
            "input_tokens": 4,
            "cache_creation_input_tokens": self.rng.randint(100, 900),
            "cache_read_input_tokens": self.rng.randint(10_000, 90_000),
            "cache_creation": {"ephemeral_5m_input_tokens": 300, "ephemeral_1h_input_tokens": 0},
            "output_tokens": 3,
            "service_tier": "standard",
        }
        message = {
            "model": _MODEL,
            "id": message_id,
            "type": "message",
            "role": "assistant",
            "content": [block],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": usage,
        }
        return self.event("assistant", message, requestId=request)

    def event(self, kind: str, message: dict[str, Any], **more: Any) -> dict[str, Any]:
        self.now += timedelta(milliseconds=self.rng.randint(5, 4000))
        own = self.uuid()
        event = {
            "parentUuid": self.parent,
            "isSidechain": False,
            "userType": "external",
            "cwd": "/home/ana/shop",
            "sessionId": self.session,
            "version": "2.1.14",
            "gitBranch": "main",
            "slug": "merry-otter",
            "type": kind,
            "message": message,
            "uuid": own,
            "timestamp": self.now.isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            **more,
        }
        self.parent = own
        return event
