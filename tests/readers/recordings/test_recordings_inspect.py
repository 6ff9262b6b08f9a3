"""Real Inspect logs: what somebody counts in the files is in the tables."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agentnb.readers import Rows
from tests.readers.reading import account_of, calls_of, codes, read

pytestmark = pytest.mark.recordings

FILES = [
    "docent-log.eval",
    "log_formats.json",
    "log_images_tc.json",
    "log_message_deduplication.eval",
    "log_read_sample.json",
    "log_streaming.eval",
    "log_tool_call_error.json",
    "popularity.eval",
    "security-guide.json",
    "theory-of-mind.eval",
    "websearch-addition.eval",
]
_ERROR = re.compile(r"\s*(Error:|Traceback|\w+Error:)")


class Counted(NamedTuple):
    samples: int
    replies: int
    graded: int
    """Replies that are among no sample's messages."""
    calls: int
    failed: int
    sent: int
    received: int


def samples_of(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".json":
        return json.loads(path.read_text(encoding="utf-8"))["samples"] or []
    with zipfile.ZipFile(path) as archive:
        return [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]


def events_in(record: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the events of a sample, and those that happened inside of events."""
    for event in record.get("events") or []:
        yield event
        yield from events_in(event)


def around(path: Path) -> int:
    """Count what stands around the samples: the parts of the header, and in an archive the journal, the summaries and the reductions."""
    if path.suffix == ".json":
        header = json.loads(path.read_text(encoding="utf-8"))
        return sum(name != "samples" and value is not None for name, value in header.items())
    with zipfile.ZipFile(path) as archive:
        others = {name: json.loads(archive.read(name)) for name in archive.namelist() if not name.startswith("samples/")}
    summaries = sum(len(value) for name, value in others.items() if "summaries" in name)
    return summaries + len(others["header.json"]) + sum(name in others for name in ("reductions.json", "_journal/start.json"))


def count(path: Path) -> Counted:
    samples = samples_of(path)
    messages = [message for sample in samples for message in sample["messages"]]
    replies = [message for message in messages if message["role"] == "assistant"]
    events = [event for sample in samples for event in sample.get("events") or [] if event["event"] == "model"]
    usage = [event["output"].get("usage") or {} for event in events]
    results = [message for message in messages if message["role"] == "tool"]
    texts = [message["content"] for message in results if not message.get("error") and isinstance(message["content"], str)]
    asked = sum(len(message.get("tool_calls") or []) for message in replies)
    return Counted(
        samples=len(samples),
        replies=len(replies),
        graded=max(0, len(events) - len(replies)),
        calls=asked,
        failed=sum(bool(message.get("error")) for message in results) + sum(bool(_ERROR.match(text)) for text in texts) if asked else 0,
        sent=sum(item.get("input_tokens", 0) for item in usage),
        received=sum(item.get("output_tokens", 0) for item in usage),
    )


def counted(rows: Rows) -> Counted:
    own = {turn.turn_id for turn in rows.turns}
    models, tools = calls_of(rows, "model"), calls_of(rows)
    return Counted(
        samples=len(rows.conversations),
        replies=sum(call.parent_call_id in own for call in models),
        graded=sum(call.parent_call_id not in own for call in models),
        calls=len(tools),
        failed=sum(call.failed for call in tools),
        sent=sum(call.input_tokens or 0 for call in models),
        received=sum(call.output_tokens or 0 for call in models),
    )


@pytest.fixture(scope="module")
def logs(recordings: Path) -> Path:
    return recordings / "inspect"


def test_every_file_is_read_as_a_log(logs: Path) -> None:
    rows = read(logs)
    assert sorted(Path(source.path).name for source in rows.sources if source.format == "inspect") == FILES
    assert {source.state for source in rows.sources} == {"read"}


@pytest.mark.parametrize("name", FILES)
def test_replies_calls_and_tokens_are_those_of_the_file(name: str, logs: Path) -> None:
    assert counted(read(logs / name)) == count(logs / name)


@pytest.mark.parametrize("name", FILES)
def test_every_message_and_event_is_in_the_account(name: str, logs: Path) -> None:
    samples = samples_of(logs / name)
    expected = sum(len(sample["messages"]) + len(list(events_in(sample))) for sample in samples)
    rows = read(logs / name)
    assert account_of(rows)[0] == expected + around(logs / name)
    skipped = json.loads(rows.sources[0].skipped or "{}")
    assert set(skipped) <= {"evaluation_totals", "state_changes", "spans"}
    bare = [event["event"] for sample in samples for event in events_in(sample)]
    assert skipped.get("state_changes", 0) == sum(kind in ("state", "store") for kind in bare)


def test_tokens_agree_with_what_the_samples_say_of_themselves(logs: Path) -> None:
    rows = read(logs / "docent-log.eval")
    assert sum(call.input_tokens or 0 for call in rows.calls) == 395844
    by_sample = {}
    for sample in samples_of(logs / "docent-log.eval"):
        by_sample[sample["id"]] = sum(usage["input_tokens"] for usage in sample["model_usage"].values())
    for conversation in rows.conversations:
        sent = sum(call.input_tokens or 0 for call in rows.calls if call.conversation_id == conversation.conversation_id)
        assert sent == by_sample[json.loads(conversation.labels or "")["sample"]]


def test_a_header_that_promises_790_samples_is_told(logs: Path) -> None:
    rows = read(logs / "docent-log.eval")
    assert [diagnostic.message for diagnostic in rows.diagnostics if diagnostic.code == "samples_missing"] == [
        "The log holds 15 of the 790 samples that its header tells of."
    ]
    assert sorted(turn.state or "" for turn in rows.turns) == ["done"] * 12 + ["stopped"] * 3


def test_commands_in_the_sandbox_have_their_exit_codes(logs: Path) -> None:
    rows = read(logs / "log_message_deduplication.eval")
    assert [(call.name, call.exit_code, call.state) for call in calls_of(rows)] == [("bash", 0, "done")] * 5
    assert all(call.seconds is not None and 0 < call.seconds < 1 for call in calls_of(rows))
    assert codes(rows) == {}


def test_graders_are_agents_of_their_own_beside_the_run(logs: Path) -> None:
    rows = read(logs / "theory-of-mind.eval")
    sides = [call for call in calls_of(rows, "agent") if call.call_id != call.turn_id]
    assert len(sides) == 100
    assert {call.parent_call_id for call in sides} == {turn.turn_id for turn in rows.turns}


def test_an_image_of_the_input_is_a_part(logs: Path) -> None:
    rows = read(logs / "log_images_tc.json")
    (image,) = [part for part in rows.parts if part.type == "image"]
    assert image.role == "user"
    assert image.text
