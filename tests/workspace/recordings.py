"""Sessions of a coding agent in a line or two, as files, and workspaces over rows that no file holds."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from agentnb.values import Value
from agentnb.workspace import Workspace
from agentnb.workspace._columns import ROW_TABLES, to_table
from agentnb.workspace._stores import MemoryStore


def session_lines(session: str, *, turns: int = 1, calls: int = 2, file: str = "", sidechain: bool = False) -> list[dict[str, Any]]:
    """Make the events of a session: per turn a question, calls of Bash of which the second fails, and an answer."""
    lines: list[dict[str, Any]] = []

    def add(kind: str, message: dict[str, Any], **fields: Any) -> None:
        number = len(lines) + 1
        lines.append(
            {
                "parentUuid": lines[-1]["uuid"] if lines else None,
                "isSidechain": sidechain,
                "cwd": "/home/ana/shop",
                "sessionId": session,
                "version": "2.0.1",
                "type": kind,
                "message": message,
                "uuid": f"{session}{file}-{number:04}",
                "timestamp": f"2026-03-01T10:{number // 60:02}:{number % 60:02}.000Z",
                **({"agentId": file} if sidechain else {}),
                **fields,
            }
        )

    def reply(place: str, block: dict[str, Any], stop: str) -> None:
        message = {"id": f"msg_{place}", "type": "message", "role": "assistant", "model": "claude-made-1", "content": [block], "stop_reason": stop}
        add("assistant", message | {"usage": {"input_tokens": 10, "output_tokens": 5}}, requestId=f"req_{place}")

    for turn in range(turns):
        add("user", {"role": "user", "content": f"Please do task {turn} of {session}{file}."})
        for call in range(calls):
            place = f"{session}{file}_{turn}_{call}"
            reply(place, {"type": "tool_use", "id": f"toolu_{place}", "name": "Bash", "input": {"command": f"make task-{call}"}}, "tool_use")
            content = [{"type": "tool_result", "tool_use_id": f"toolu_{place}", "content": f"result {call}", "is_error": call == 1}]
            add("user", {"role": "user", "content": content})
        reply(f"{session}{file}_{turn}_end", {"type": "text", "text": f"Task {turn} is done."}, "end_turn")
    return lines


def write_session(path: Path, session: str, **what: Any) -> Path:
    """Write a session as a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in session_lines(session, **what)), encoding="utf-8")
    return path


def write_chat(path: Path, *texts: str) -> Path:
    """Write a message list of Chat Completions: what the person and the model say in turn."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps([{"role": ("user", "assistant")[place % 2], "content": text} for place, text in enumerate(texts)]), encoding="utf-8")
    return path


def workspace_of(rows: Mapping[str, Sequence[Value]]) -> Workspace:
    """Make a workspace in memory of rows by table."""
    store = MemoryStore()
    store.add((), {name: to_table(name, list(rows.get(name, ()))) for name in ROW_TABLES})
    return Workspace(store)


def ids(ws: Workspace) -> dict[str, list[Any]]:
    """Return every id that a rating or a link may hold on to."""
    queries = {
        "conversations": "from conversations select conversation_id order by all",
        "turns": "from turns select turn_id order by all",
        "calls": "from calls select call_id order by all",
        "sources": "from sources select source_id order by all",
    }
    return {name: [row[0] for row in ws.sql(query).fetchall()] for name, query in queries.items()}


def count(ws: Workspace, table: str) -> int:
    """Count the rows of a table."""
    return int(ws.sql(f"select count(*) from {table}").fetchall()[0][0])


def batches(folder: Path) -> list[Path]:
    """Return the batch folders of a workspace folder, the oldest first."""
    return sorted(path for path in (folder / "tables").iterdir() if not path.name.startswith("."))
