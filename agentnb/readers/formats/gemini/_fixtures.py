"""Recorded model replies of one run, as Gemini CLI's tests have them: what each call of the service returned, in order, without what was asked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.message_list import MessageList, Said
from agentnb.readers.dialects.gemini import is_response, said_of_response
from agentnb.streams.gemini_chunks import assemble_responses

_METHODS = frozenset({"generateContent", "generateContentStream", "countTokens", "embedContent"})


def is_record(value: Any) -> bool:
    """Tell whether a value is a call of the service with its response."""
    return isinstance(value, dict) and isinstance(value.get("method"), str) and value["method"] in _METHODS and "response" in value and "request" not in value


def fixture_keys(sample: Sample) -> set[str]:
    """Return the id of the run that a file holds."""
    return {_name(sample.values)}


def read_fixture(file: OpenFile, apart: Apart, on_bytes: OnBytes) -> None:
    """Read a file as one conversation, of which nothing but the replies is known."""
    account = file.account
    draft = apart.start(_name(file.sample.values), account)
    reader = MessageList(draft.main, account)
    for place, value in read_values(file, on_bytes):
        replies = _replies(value, place, account)
        if replies:
            reader.read(replies)
        else:
            account.leave_out("not_a_model_call", "It is no reply of a model; it was left out.", line=place, severity="info", excerpt=value)
    reader.finish()
    draft.finish()


def read_fixtures(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes, format: str) -> None:
    """Read files into rows."""
    apart = Apart(rows, format)
    for file in files:
        read_fixture(file, apart, on_bytes)


def _name(values: Sequence[Any]) -> str:
    first = next((value for value in values if is_record(value)), None)
    return f"gemini-{digest_of(['gemini', first])}"


def _replies(value: Any, place: int, account: Account) -> list[Said]:
    response = value["response"] if is_record(value) else None
    if isinstance(response, list):
        assembled = [item for item in assemble_responses(response) if is_response(item.value)]
        if any(not item.whole for item in assembled):
            account.diagnose("cut_stream", "The reply ends before it is whole: interrupted, or cut. What came is kept.", line=place)
        replies = [item.value | ({"unread_events": list(item.unread)} if item.unread else {}) for item in assembled]
    else:
        replies = [response] if isinstance(response, dict) and is_response(response) else []
    said = [item for reply in replies for item in said_of_response(reply, place)]
    return [item._replace(records=0 if number else 1) for number, item in enumerate(said)]
