"""Transcripts of Cursor's agent: one message a line, with blocks of Anthropic Messages and without ids or times.

A call has no id while its result has one, so they pair in their order. The recorded file at hand is small and made up.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import MessageList, Said
from agentnb.readers.dialects.anthropic import is_message
from agentnb.readers.dialects.anthropic_lines import said_of_line

_OWN_ROLES = ("user", "assistant", "system")


def is_transcript(sample: Sample) -> bool:
    """Tell whether a file is a transcript."""
    return sample.shape == "lines" and any(map(_is_own, sample.values))


def _is_own(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in _OWN_ROLES or "type" in value:
        return False
    message = value.get("message")
    return isinstance(message, dict) and isinstance(message.get("content"), str | list) and is_message({"role": value["role"], **message})


def transcript_id(sample: Sample) -> str:
    """Name a transcript by how it begins."""
    own = [value for value in sample.values if _is_own(value)]
    before_reply = list(itertools.takewhile(lambda value: value["role"] != "assistant", own))
    return f"cursor-{digest_of(['cursor', before_reply])}"


def read_transcript(file: OpenFile, draft: ConversationDraft, on_bytes: OnBytes) -> None:
    """Read a transcript into a conversation."""
    messages = MessageList(draft.main, file.account)
    messages.read(_said_in(file, on_bytes))
    messages.finish()


def _said_in(file: OpenFile, on_bytes: OnBytes) -> Iterator[Said]:
    asked: set[str] = set()
    for place, value in read_values(file, on_bytes):
        if not _is_own(value):
            file.account.leave_out("no_message", "The line is no message; it was left out.", line=place, excerpt=value)
            continue
        for said in said_of_line(value, place, frozenset()):
            asked |= {call.tool_call_id for call in said.asked if call.tool_call_id}
            yield said if said.result_of in asked else said._replace(result_of=None)
