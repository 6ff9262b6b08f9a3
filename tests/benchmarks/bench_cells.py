"""How large is a cell's output for a conversation of 100, 10,000 and 100,000 turns, and how long does it take to make?"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import agentnb as anb
from agentnb.display import relation_bundle
from agentnb.render import render_card, render_conversation


def main() -> None:
    """Print sizes in bytes of UTF-8 and times in milliseconds; the sizes should not grow."""
    for turns in (100, 10_000, 100_000):
        with tempfile.TemporaryDirectory() as folder:
            ws = anb.open(_write_conversation(Path(folder, "messages.json"), turns))
            ((conversation_id,),) = ws.sql("select conversation_id from conversations").fetchall()
            _print_cell(turns, "card", partial(_card, ws))
            _print_cell(turns, "table", partial(_table, ws))
            _print_cell(turns, "Transcript", partial(_static, ws, conversation_id))
            _print_cell(turns, "conversation", partial(_value, ws, conversation_id))


def _print_cell(turns: int, name: str, make: Callable[[], str]) -> None:
    start = time.perf_counter()
    size = len(make().encode())
    sys.stdout.write(f"{turns:>8,} turns  {name:14} {size:>8,} bytes  {(time.perf_counter() - start) * 1000:8.0f} ms\n")


def _card(ws: anb.Workspace) -> str:
    return render_card(ws.card)


def _table(ws: anb.Workspace) -> str:
    return relation_bundle(ws.sql("from turns order by turn_index"))["text/html"]


def _static(ws: anb.Workspace, conversation_id: str) -> str:
    bundle = anb.Transcript(ws, conversation_id)._repr_mimebundle_()
    return str((bundle[0] if isinstance(bundle, tuple) else bundle)["text/html"])


def _value(ws: anb.Workspace, conversation_id: str) -> str:
    return render_conversation(ws.conversation(conversation_id))


def _write_conversation(path: Path, turns: int) -> Path:
    messages: list[dict[str, Any]] = []
    for number in range(turns):
        messages.append({"role": "user", "content": f"Where is my parcel number {number}? It should have come last week."})
        call = {"id": f"call_{number}", "type": "function", "function": {"name": "track_parcel", "arguments": json.dumps({"parcel": number})}}
        messages.append({"role": "assistant", "content": None, "tool_calls": [call]})
        messages.append({"role": "tool", "tool_call_id": f"call_{number}", "content": "Error: no such parcel" if number % 9 == 0 else "on its way"})
        messages.append({"role": "assistant", "content": f"Parcel **{number}** is on its way."})
    path.write_text(json.dumps(messages), encoding="utf-8")
    return path


if __name__ == "__main__":
    main()
