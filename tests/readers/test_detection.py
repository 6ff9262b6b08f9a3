"""A format is told from what a file holds, never from its name."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentnb.errors import UnknownFormat
from agentnb.readers import Rows, find_files, survey_files
from tests.readers.made import answers, asks, chat, claude_session, exchange, reply, result, tool_use, trajectory, user, write_json, write_lines
from tests.readers.reading import calls_of, read

TALK = chat([("system", "Be brief."), ("user", "Hello"), ("assistant", "Hello!")])
SESSION = claude_session([user("Hello"), reply("Hello!", id="m1")])
RUN = trajectory([{"source": "user", "message": "Hello"}, {"source": "agent", "message": "Hello!"}])


def format_of(path: Path) -> str | None:
    """Return the format that a file has among others, where it need not have any."""
    other = write_json(path.parent / "other" / "settings.json", {"theme": "dark"})
    survey = survey_files(find_files([path, other]))
    return next((group.reader.format for group in survey.groups), None)


@pytest.mark.parametrize("name", ["session.jsonl", "session.json", "session.txt", "session", "session.jsonl.bak", "README.md", "trajectory.json"])
def test_the_name_of_a_file_says_nothing(name: str, tmp_path: Path) -> None:
    assert format_of(write_lines(tmp_path / "a" / name, SESSION)) == "claude_code"
    assert format_of(write_json(tmp_path / "b" / name, TALK)) == "openai_chat"
    assert format_of(write_json(tmp_path / "c" / name, RUN)) == "atif"


def test_real_files_under_other_names_are_read_the_same(data: Path, tmp_path: Path) -> None:
    copy = shutil.copy(data / "support-refund" / "lamp-shop.tau.json", tmp_path / "trajectory.jsonl")
    assert len(read(copy).conversations) == 8


@pytest.mark.parametrize(
    ("document", "format"),
    [
        (TALK, "openai_chat"),
        ({"model": "gpt-test", "messages": TALK, "tools": []}, "openai_chat"),
        ({"id": "r", "object": "chat.completion", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Hello!"}}]}, "openai_chat"),
        (exchange(TALK[:2], TALK[2]), "openai_chat"),
        ([{"task_id": 0, "trial": 0, "reward": 1.0, "traj": TALK}], "openai_chat"),
        ({"task_id": 0, "trial": 0, "reward": 1.0, "traj": TALK}, "openai_chat"),
        (RUN, "atif"),
        ({"parent": RUN, "child": trajectory([], session="run-2")}, "atif"),
        ({"loglines": SESSION}, "claude_code"),
    ],
    ids=["messages", "request", "response", "exchange", "tau results", "tau run", "trajectory", "wrapped trajectories", "web export"],
)
def test_every_shape_of_a_document_is_known(document: Any, format: str, tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "file", document)) == format


@pytest.mark.parametrize(
    ("lines", "format"),
    [
        (SESSION, "claude_code"),
        ([exchange(TALK[:2], TALK[2]), exchange(TALK[:2], TALK[2])], "openai_chat"),
        ([{"messages": TALK}, {"messages": TALK[:2]}], "openai_chat"),
        ([RUN, trajectory([], session="run-2")], "atif"),
    ],
    ids=["session", "exchanges", "requests", "trajectories"],
)
def test_every_shape_of_lines_is_known(lines: list[dict[str, Any]], format: str, tmp_path: Path) -> None:
    assert format_of(write_lines(tmp_path / "file", lines)) == format


def test_a_document_over_many_lines_is_no_file_of_lines(tmp_path: Path) -> None:
    path = tmp_path / "messages.jsonl"
    path.write_text(json.dumps(TALK, indent=2), encoding="utf-8")
    assert len(calls_of(read(path), "model")) == 1


def test_a_session_of_one_line_is_a_session(tmp_path: Path) -> None:
    rows = read(write_lines(tmp_path / "one", SESSION[:1]))
    assert [(row.format, row.conversation_id) for row in rows.conversations] == [("claude_code", SESSION[0]["sessionId"])]
    assert rows.sources[0].records_read == 1


def test_a_session_whose_first_events_are_of_kinds_never_met_is_a_session(tmp_path: Path) -> None:
    strange = [{"type": f"kind-{number}", "sessionId": SESSION[0]["sessionId"]} for number in range(15)]
    rows = read(write_lines(tmp_path / "file", [*strange, *SESSION]))
    assert {source.format for source in rows.sources} == {"claude_code"}
    assert rows.sources[0].records_kept == 17


@pytest.mark.parametrize(
    "messages",
    [
        [{"role": "user", "content": "Hello"}, {"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "ls", "input": {}}]}],
        [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "fine"}]}],
        [{"role": "user", "content": [{"type": "input_text", "text": "Hello"}]}],
        [{"role": "user", "parts": [{"text": "Hello"}]}, {"role": "model", "parts": [{"text": "Hello!"}]}],
        [{"id": "1", "role": "user", "content": "Hello", "parts": [{"type": "text", "text": "Hello"}]}],
        [{"type": "human", "content": "Hello"}, {"type": "ai", "content": "Hello!"}],
    ],
    ids=["Anthropic calls", "Anthropic results", "Responses", "Gemini", "AI SDK", "LangChain"],
)
def test_messages_of_other_services_are_no_chat_completions(messages: list[dict[str, Any]], tmp_path: Path) -> None:
    assert format_of(write_json(tmp_path / "list", messages)) != "openai_chat"
    assert format_of(write_json(tmp_path / "request", {"model": "m", "messages": messages})) != "openai_chat"


def test_a_reply_of_the_messages_api_is_no_chat_completion(tmp_path: Path) -> None:
    response = {"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hello!"}]}
    assert format_of(write_json(tmp_path / "file", {"request": {"messages": TALK[1:2]}, "response": response})) != "openai_chat"


def test_pieces_of_a_stream_are_known_by_their_service(tmp_path: Path) -> None:
    piece = {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": "Hel"}}]}
    assert format_of(write_lines(tmp_path / "file", [piece, piece])) == "openai_chat"


def refusal_of(path: Path) -> str:
    with pytest.raises(UnknownFormat) as caught:
        survey_files(find_files(path))
    assert isinstance(caught.value, ValueError)
    return str(caught.value)


def test_a_named_file_of_unknown_json_is_refused_with_what_was_seen_and_what_can_be_read(tmp_path: Path) -> None:
    path = write_json(tmp_path / "settings.json", {"theme": "dark", "size": 12})
    message = refusal_of(path)
    assert str(path) in message
    assert "an object with theme, size" in message
    for title in ("Claude Code session", "OpenAI Chat Completions", "ATIF trajectory"):
        assert title in message


@pytest.mark.parametrize(
    ("document", "seen"),
    [
        ([{"a": 1}, {"b": 2}], "a list of 2 whose first item is an object with a"),
        ([], "a list"),
        ({}, "an empty object"),
        (7, "a int"),
        ([1, 2, 3], "a list of 3 whose first item is a int"),
    ],
    ids=repr,
)
def test_what_was_seen_of_a_document_is_said_in_a_few_words(document: Any, seen: str, tmp_path: Path) -> None:
    assert seen in refusal_of(write_json(tmp_path / "file.json", document))


def test_what_was_seen_of_lines_is_said_in_a_few_words(tmp_path: Path) -> None:
    assert "lines, the first one an object with level, text" in refusal_of(
        write_lines(tmp_path / "log", [{"level": 1, "text": "a"}, {"level": 2, "text": "b"}])
    )


def test_a_named_file_of_text_that_is_no_json_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_text("# Notes\n\nRefunds are slow.\n", encoding="utf-8")
    assert "neither JSON nor JSON lines" in refusal_of(path)


def test_a_file_of_unknown_format_among_others_is_in_the_account_and_no_error(tmp_path: Path) -> None:
    write_json(tmp_path / "settings.json", {"theme": "dark"})
    (tmp_path / "notes.md").write_text("# Notes\n", encoding="utf-8")
    write_lines(tmp_path / "session.jsonl", SESSION)
    rows = read(tmp_path)
    assert states_of(rows) == {"settings.json": "unknown_format", "notes.md": "unknown_format", "session.jsonl": "read"}
    assert {source.path.rsplit("/", 1)[-1]: source.reason for source in rows.sources if source.reason} == {
        "settings.json": "It is JSON, but of no format that can be read: an object with theme.",
        "notes.md": "The file is neither JSON nor JSON lines, but a text of no format that can be read; it begins with '# Notes'.",
    }


def states_of(rows: Rows) -> dict[str, str]:
    return {source.path.rsplit("/", 1)[-1]: source.state for source in rows.sources}


def test_calls_and_results_of_a_chat_make_it_no_other_format(tmp_path: Path) -> None:
    messages = [*TALK[:2], asks(("c1", "ls")), answers("c1"), TALK[2]]
    assert format_of(write_json(tmp_path / "file", messages)) == "openai_chat"


def test_a_session_with_tools_is_no_chat_although_its_messages_look_alike(tmp_path: Path) -> None:
    events = claude_session([user("Hello"), reply(tool_use("t1"), id="m1", stop="tool_use"), result("t1"), reply("Done.", id="m2")])
    assert format_of(write_lines(tmp_path / "file", events)) == "claude_code"


def test_lines_like_those_of_claude_code_with_the_parts_of_gemini_are_no_session_of_it(tmp_path: Path) -> None:
    event = {"uuid": "u1", "parentUuid": None, "sessionId": "s1", "timestamp": "2026-01-05T09:00:00.000Z", "type": "user"}
    path = write_lines(tmp_path / "file.jsonl", [event | {"message": {"role": "user", "parts": [{"text": "Hello"}]}}, event | {"uuid": "u2", "type": "system"}])
    assert format_of(path) == "qwen"
