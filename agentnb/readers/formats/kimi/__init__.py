"""Wire logs of the Kimi CLI: prompts, the events of each step of the loop, what a person allowed, and what the tool notes between them.

A record is a line. A person's words stand twice, as a prompt and as a message of the context, and so does usage: the second one is merged. The log names
no session, so a conversation is told by when it was created and by its first prompt; the log of a sub-agent, which names no call, is one of its own. Older
logs write the same as messages with a payload, with a sub-agent's events inside those of its parent; they are read by their documentation.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_objects
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.formats.kimi._older import is_older
from agentnb.readers.formats.kimi._session import Session

# What the messages of older logs are named; other tools write lines with a message and a payload as well.
_OLDER_TYPES = frozenset({"TurnBegin", "StepBegin", "ContentPart", "ToolCall", "StatusUpdate"})
_OWN_TYPES = frozenset({"turn.prompt", "context.append_loop_event", "context.append_message", "usage.record", "llm.request"})


def _matches(sample: Sample) -> bool:
    return sample.shape == "lines" and any(map(_is_own, sample.values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if is_older(value):
        return value["message"]["type"] in _OLDER_TYPES
    kind = value.get("type")
    return (kind == "metadata" and "protocol_version" in value and "message" not in value) or (isinstance(kind, str) and kind in _OWN_TYPES)


def _keys(sample: Sample) -> set[str]:
    return {_conversation_id(sample)}


def _conversation_id(sample: Sample) -> str:
    objects = [value for value in sample.values if isinstance(value, dict)]
    created = next((value.get("created_at") for value in objects if value.get("type") == "metadata"), None)
    told = ([value.get("input"), value.get("time")] for value in objects if value.get("type") == "turn.prompt")
    older = ([value["message"]["payload"], value["timestamp"]] for value in objects if is_older(value) and value["message"]["type"] == "TurnBegin")
    prompt = next(told, None) or next(older, None)
    return f"kimi-{digest_of(['kimi', created, prompt])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        session = Session(apart.start(_conversation_id(file.sample), file.account), file.account)
        for place, value in read_objects(file, on_bytes):
            session.read(value, place)
        session.finish()


READER = Reader(
    format="kimi",
    title="Kimi CLI wire log",
    matches=_matches,
    keys=_keys,
    read=_read,
    places=("${KIMI_CODE_HOME:-~/.kimi-code}/sessions", "${KIMI_SHARE_DIR:-~/.kimi}/sessions"),
)
