"""Whatever stands in the place of whatever: reading raises nothing, loses no record from the account, and makes rows that hold together."""

from __future__ import annotations

import copy
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentnb.readers import READERS, Group, Rows, find_files, survey_files
from agentnb.readers._groups import Candidate, state_of
from agentnb.readers._read import read_group
from agentnb.readers._reader import Reader
from agentnb.readers._sample import look_at
from tests.readers.made import answers, asks, chat, claude_session, exchange, reply, result, tokens, tool_use, trajectory, user, write_json, write_lines
from tests.readers.reading import account_of, calls_of, check, texts_of

SCALARS = st.sampled_from(
    [None, True, False, 0, -1, 7, 3.5, 1e308, 2**70, -(2**70), "", "text", "0", "2026-03-02T09:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-23:59"]
)
ODD: st.SearchStrategy[Any] = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "text", "content", "id", "role", "a"]), inner, max_size=3),
    max_leaves=4,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of everything inside a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [place for key, item in inner for place in ((*path, key), *places_in(item, (*path, key)))]


def put(value: Any, path: tuple[Any, ...], odd: Any) -> None:
    """Put something in the place of something else, if the place is still there."""
    for key in path[:-1]:
        value = value[key] if (isinstance(value, dict) and key in value) or (isinstance(value, list) and isinstance(key, int) and key < len(value)) else None
    if isinstance(value, dict) or (isinstance(value, list) and isinstance(path[-1], int) and path[-1] < len(value)):
        value[path[-1]] = odd


@st.composite
def mutated(draw: st.DrawFn, records: Any) -> Any:
    """Put one to four odd things somewhere into records."""
    changed = copy.deepcopy(records)
    for _ in range(draw(st.integers(1, 4))):
        places = places_in(changed)
        if places:
            put(changed, draw(st.sampled_from(places)), draw(ODD))
    return changed


def read_as(reader: Reader, path: Path) -> Rows | None:
    """Read a file with a reader if the file is still of its format, and check the rows."""
    sample = look_at(path).sample
    for reading in sample.readings() if sample is not None else ():
        if reader.matches(reading):
            rows = read_group(Group(reader, (Candidate(state_of(path), reader, frozenset(reader.keys(reading)), reading),)))
            check(rows)
            return rows
    return None


def read_mutated(format: str, write: Callable[[Path], Path]) -> Rows | None:
    reader = next(reader for reader in READERS if reader.format == format)
    with tempfile.TemporaryDirectory() as folder:
        return read_as(reader, write(Path(folder, "file")))


SESSION = claude_session(
    [
        {"type": "summary", "summary": "A lamp", "leafUuid": "x"},
        user("Where is my lamp?"),
        reply(
            "Hm.",
            {"type": "thinking", "thinking": "A lamp.", "signature": "s"},
            tool_use("t1", command="ls"),
            id="m1",
            stop="tool_use",
            usage=tokens(3, 5, read=7, written=1),
        ),
        result("t1", [{"type": "text", "text": "lamp.txt"}], toolUseResult={"stdout": "lamp.txt"}),
        reply(tool_use("t2", "Task", prompt="Look.", subagent_type="helper"), id="m2", stop="tool_use", usage=tokens(3, 5)),
        user("Look.", isSidechain=True, agentId="abc1", parentUuid=None),
        reply("Nothing.", id="m3", isSidechain=True, agentId="abc1"),
        result("t2", "Nothing.\nagentId: abc1", toolUseResult={"agentId": "abc1", "content": []}),
        result("t9", "Error", is_error=True),
        user([{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "iVBO"}}]),
        reply("API Error: overloaded", id="m4", model="<synthetic>", isApiErrorMessage=True),
        {"type": "system", "subtype": "turn_duration", "durationMs": 7},
    ]
)
TALK = chat(
    [
        ("system", "Be brief."),
        {"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}]},
        asks(("c1", "find", '{"what":"lamp"}'), ("c2", "find", "{}")),
        answers("c1", "Error: no lamp"),
        answers("c2"),
        {"role": "assistant", "content": "Nothing.", "reasoning_content": "Hm.", "refusal": None},
        {"role": "assistant", "content": None, "function_call": {"name": "find", "arguments": "{}"}},
    ]
)
USAGE = {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.1, "prompt_tokens_details": {"cached_tokens": 1}}
LOG = [
    exchange(TALK[:2], TALK[2], id="r1", created=1776155460, model="gpt-test", usage=USAGE) | {"latency_sec": 1.5, "status": 200},
    exchange(TALK[:5], None, error={"message": "Too many requests"}),
    exchange(TALK[:5], TALK[5], usage=USAGE),
]
RUNS = [{"task_id": 1, "trial": 0, "reward": 1.0, "info": {}, "traj": TALK}, {"task_id": 1, "trial": 1, "reward": 0.0, "traj": TALK[:3]}]
METRICS = {"prompt_tokens": 7, "completion_tokens": 3, "cached_tokens": 1, "cost_usd": 0.1}
CALL = {"tool_call_id": "c1", "function_name": "ls", "arguments": {"a": 1}}
CHILD = trajectory([{"source": "user", "message": "Look."}, {"source": "agent", "message": "Nothing.", "metrics": METRICS}], session="run-1") | {
    "trajectory_id": "child"
}
RUN = trajectory(
    [
        {"source": "user", "message": "List it.", "timestamp": "2026-03-02T09:00:00Z"},
        {
            "source": "agent",
            "message": [{"type": "text", "text": "Hm."}],
            "tool_calls": [CALL, CALL],
            "observation": {"results": [{"content": "a.txt"}]},
            "metrics": METRICS,
        },
        {
            "source": "agent",
            "message": "Done.",
            "tool_calls": [CALL],
            "observation": {
                "results": [{"source_call_id": "c1", "content": "x", "subagent_trajectory_ref": [{"trajectory_id": "child", "session_id": "run-1"}]}]
            },
        },
        {"source": "user", "message": "Copied.", "is_copied_context": True},
    ],
    subagent_trajectories=[CHILD],
    final_metrics={"total_prompt_tokens": 14},
)

many = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@many
@given(mutated(SESSION))
def test_events_of_a_session_may_hold_anything(records: list[Any]) -> None:
    rows = read_mutated("claude_code", lambda path: write_lines(path, (json.dumps(record).encode() for record in records)))
    assert rows is None or account_of(rows)[0] == len(records)


@many
@given(mutated(TALK))
def test_messages_of_a_chat_may_hold_anything(messages: Any) -> None:
    rows = read_mutated("openai_chat", lambda path: write_json(path, messages))
    assert rows is None or account_of(rows)[0] == len(messages)


@many
@given(mutated(LOG))
def test_exchanges_of_a_log_may_hold_anything(records: list[Any]) -> None:
    read_mutated("openai_chat", lambda path: write_lines(path, (json.dumps(record).encode() for record in records)))


@many
@given(mutated(RUNS))
def test_runs_of_tau_bench_may_hold_anything(runs: Any) -> None:
    read_mutated("openai_chat", lambda path: write_json(path, runs))


@many
@given(mutated(RUN))
def test_steps_of_a_trajectory_may_hold_anything(run: Any) -> None:
    read_mutated("atif", lambda path: write_json(path, run))


@settings(many, max_examples=60)
@given(st.data())
def test_real_events_may_hold_anything(data_of: st.DataObject) -> None:
    lines = (Path(__file__).resolve().parent.parent.parent / "data" / "release-notes").glob("*.jsonl")
    events = [json.loads(line) for path in lines for line in path.read_text(encoding="utf-8").splitlines()]
    begin = data_of.draw(st.integers(0, len(events) - 8))
    records = data_of.draw(mutated(events[begin : begin + 8]))
    rows = read_mutated("claude_code", lambda path: write_lines(path, (json.dumps(record).encode() for record in records)))
    assert rows is None or account_of(rows)[0] == len(records)


@settings(many, max_examples=100)
@given(
    st.binary(max_size=400)
    | st.lists(st.sampled_from([b"{", b"}", b"[", b"]", b'"', b",", b":", b"\\", b"\xff", b"\x00", b"null", b'"role"', b'"user"', b"\n"])).map(b"".join)
)
def test_any_bytes_at_all_are_told_apart(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "file")
        path.write_bytes(content)
        write_json(Path(folder, "other"), {"a": 1})
        survey = survey_files(find_files(folder))
        assert len(survey.unread.sources) + sum(len(group.members) for group in survey.groups) == 2
        for group in survey.groups:
            check(read_group(group))


ODD_EVENTS: list[dict[str, Any]] = [
    {"message": [1, 2]},
    {"message": "text"},
    {"message": None},
    {"message": {"content": 7}},
    {"message": {"content": None}},
    {"message": {"role": "assistant", "content": [None, 3, "text", {"type": 5}, {"type": "tool_use", "id": 7, "name": [], "input": "text"}]}},
    {"message": {"role": "assistant", "content": "x", "usage": "none"}},
    {"message": {"role": "assistant", "content": "x", "usage": {"input_tokens": "7", "output_tokens": 3.5}}},
    {"message": {"role": "assistant", "content": "x", "id": 7, "model": []}},
    {"timestamp": 1776155460},
    {"timestamp": {"a": 1}},
    {"uuid": 7},
    {"parentUuid": ["x"]},
    {"sessionId": 7},
    {"sessionId": None},
    {"isSidechain": "yes"},
    {"isSidechain": True, "agentId": 7},
    {"toolUseResult": 7},
    {"type": 7},
    {"type": None},
]


@pytest.mark.parametrize("kind", ["user", "assistant"])
@pytest.mark.parametrize("odd", ODD_EVENTS, ids=str)
def test_an_event_with_a_field_of_another_type_is_kept_and_the_rest_is_read(odd: dict[str, Any], kind: str, tmp_path: Path) -> None:
    events = claude_session(
        [user("Hello"), reply("Hello!", id="m1"), (user("odd") if kind == "user" else reply("odd", id="m2")) | odd, user("Bye"), reply("Bye!", id="m3")]
    )
    rows = read_as(next(reader for reader in READERS if reader.format == "claude_code"), write_lines(tmp_path / "file", events))
    assert rows is not None
    assert account_of(rows) == (5, 5, 0, 0)
    assert {"Hello", "Hello!", "Bye", "Bye!"} <= set(texts_of(rows))


def test_an_image_whose_fields_are_no_texts_is_kept(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": 7, "data": ["iVBO"]}}
    reader = next(reader for reader in READERS if reader.format == "claude_code")
    rows = read_as(reader, write_lines(tmp_path / "file", claude_session([user([image]), reply("Hm.", id="m1")])))
    assert rows is not None
    assert [part.type for part in rows.parts] == ["image", "text"]


ODD_MESSAGES: list[dict[str, Any]] = [
    {"content": 7},
    {"content": {"type": "text"}},
    {"content": [None, 7, {"type": []}, {"type": "text", "text": 7}, {"type": "image_url", "image_url": 7}]},
    {"tool_calls": {"id": "c1"}},
    {"tool_calls": "none"},
    {"tool_calls": [None, 7, "ls", {"function": "ls"}, {"id": 7, "function": {"name": 7, "arguments": [1]}}]},
    {"function_call": "ls"},
    {"timestamp": [1]},
    {"name": 7, "refusal": 7, "reasoning_content": 7},
]


@pytest.mark.parametrize("odd", ODD_MESSAGES, ids=str)
def test_a_message_with_a_field_of_another_type_is_kept_whole_and_the_rest_is_read(odd: dict[str, Any], tmp_path: Path) -> None:
    messages = chat(
        [("user", "Hello"), ("assistant", "Hello!"), ("user", "Odd"), {"role": "assistant", "content": "odd"} | odd, ("user", "Bye"), ("assistant", "Bye!")]
    )
    rows = read_as(next(reader for reader in READERS if reader.format == "openai_chat"), write_json(tmp_path / "file", messages))
    assert rows is not None
    assert account_of(rows) == (6, 6, 0, 0)
    assert {"Hello", "Hello!", "Odd", "Bye", "Bye!"} <= set(texts_of(rows))
    assert len(calls_of(rows, "model")) == 3


@pytest.mark.parametrize(
    "usage",
    ["none", 7, [], {"prompt_tokens": "7"}, {"prompt_tokens": 1.5}, {"prompt_tokens": True}, {"prompt_tokens": 2**70}, {"prompt_tokens": -1}, {"cost": "free"}],
    ids=str,
)
def test_counts_that_are_none_are_null(usage: Any, tmp_path: Path) -> None:
    reader = next(reader for reader in READERS if reader.format == "openai_chat")
    rows = read_as(reader, write_json(tmp_path / "file", exchange(TALK[:2], {"role": "assistant", "content": "Hm."}, usage=usage)))
    assert rows is not None
    (model,) = calls_of(rows, "model")
    assert (model.input_tokens, model.output_tokens, model.cost) == (None, None, None)


@pytest.mark.parametrize(
    "metrics", ["none", 7, [], {"prompt_tokens": "7"}, {"prompt_tokens": 1.5}, {"prompt_tokens": True}, {"prompt_tokens": 2**70}, {"cost_usd": True}], ids=str
)
def test_metrics_that_are_no_counts_are_null_and_kept_as_they_are(metrics: Any, tmp_path: Path) -> None:
    reader = next(reader for reader in READERS if reader.format == "atif")
    rows = read_as(reader, write_json(tmp_path / "file", trajectory([{"source": "agent", "message": "Hm.", "metrics": metrics}])))
    assert rows is not None
    (model,) = calls_of(rows, "model")
    assert (model.input_tokens, model.output_tokens, model.cost) == (None, None, None)
    assert not metrics or json.loads(model.extra or "{}")["metrics"] == metrics
