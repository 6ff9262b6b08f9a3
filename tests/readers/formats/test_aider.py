"""aider: sessions, words, replies and the tool's own lines told apart in Markdown that may hold any Markdown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import write_lines
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "aider"
START = "# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.82.1  \n> Main model: m-1 with diff edit format  \n\n"


def history(tmp_path: Path, text: str) -> Any:
    """Read a history."""
    path = tmp_path / "history.md"
    path.write_text(text, encoding="utf-8")
    return read(path)


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("aider", outline_of(read(SAMPLES)))


def test_a_session_has_its_version_its_model_and_a_time_without_a_zone(tmp_path: Path) -> None:
    (conversation,) = history(tmp_path, START + "#### Hi  \n\nHello.\n").conversations
    assert (conversation.agent_version, conversation.model, conversation.time_zone_assumed) == ("0.82.1", "m-1", True)
    assert conversation.started_at == 1_772_442_000_000_000


def test_each_heading_starts_a_conversation_and_one_without_words_is_none(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### Hi  \n\n# aider chat started at 2026-03-02 10:00:00\n\n" + START.replace("09:", "11:") + "#### Ho  \n")
    assert ([turn.prompt for turn in rows.turns], codes(rows)) == (["Hi", "Ho"], {"empty_session": 1})


def test_equal_sessions_are_told_apart_by_their_order(tmp_path: Path) -> None:
    rows = history(tmp_path, (START + "#### Hi  \n\nHello.\n\n") * 2)
    first, second = (conversation.conversation_id for conversation in rows.conversations)
    assert second == f"{first}~2"


def test_lines_of_a_person_that_follow_one_another_are_one_message(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### One  \n#### two.  \n\nHello.\n")
    assert [turn.prompt for turn in rows.turns] == ["One\ntwo."]


def test_headings_and_quotes_of_the_model_stay_in_its_reply(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### Hi  \n\nSee:\n\n#### A heading\n\n> a quote\n\n```\n# aider chat started at noon\n```\n")
    assert texts_of(rows, "assistant") == ["See:\n\n#### A heading\n\n> a quote\n\n```\n# aider chat started at noon\n```"]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Tokens: 5,244 sent, 604 received. Cost: $0.02 message, $0.05 session.", (5244, 604, None, None, 0.02)),
        ("Tokens: 3.2k sent, 1.1k received.", (3200, 1100, None, None, None)),
        ("Tokens: 12k sent, 2.5k cache write, 9k cache hit, 80 received. Cost: $0.0025 message, $0.0025 session.", (12000, 80, 9000, 2500, 0.0025)),
        ("Tokens: 26,200 sent, 680 received. Cost: $0.09 request, $0.12 session.", (26200, 680, None, None, 0.09)),
    ],
    ids=["exact", "thousands", "cache", "older"],
)
def test_what_a_reply_cost_is_read_in_every_form(line: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    (step,) = calls_of(history(tmp_path, f"{START}#### Hi  \n\nHello.\n\n> {line}  \n"), "model")
    assert (step.input_tokens, step.output_tokens, step.cached_tokens, step.cache_write_tokens, step.cost) == expected


def test_a_reply_after_its_cost_is_another_model_call_of_the_same_turn(tmp_path: Path) -> None:
    cost = "> Tokens: 10 sent, 5 received.  \n"
    rows = history(tmp_path, f"{START}#### Hi  \n\nOne.\n\n{cost}> It does not fit.  \n\nTwo.\n\n> ^C again to exit  \n\nThree.\n\n{cost}")
    assert (len(rows.turns), [step.output_tokens for step in calls_of(rows, "model")]) == (1, [5, 5])
    assert rows.turns[0].answer == "Two.\n\nThree."


def test_what_was_changed_stands_with_the_reply(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### Hi  \n\nDone.\n\n> Applied edit to till.py  \n> Commit 1a2b3c4 fix: The till  \n")
    (step,) = calls_of(rows, "model")
    assert json.loads(step.extra or "") == {"edits": ["till.py"], "commits": [{"commit": "1a2b3c4", "message": "fix: The till"}]}


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("> pytest  \n> Run shell command? (Y)es/(N)o/(D)on't ask again [Yes]: n", ("shell", '{"command":"pytest"}', "denied", "no")),
        ("> Create new file? (Y)es/(N)o [Yes]: y", ("create_file", None, "done", "yes")),
        ("> Add these files to the chat? y", ("add_to_chat", None, "done", "yes")),
        ("> Allow edits to file that has not been added to the chat? (Y)es/(N)o/(A)ll [Yes]: a", ("edit_file", None, "done", "yes")),
    ],
    ids=["shell", "create", "old form", "edit"],
)
def test_a_question_with_its_answer_is_an_approval(lines: str, expected: tuple[Any, ...], tmp_path: Path) -> None:
    rows = history(tmp_path, f"{START}#### Hi  \n\nI would.\n\n> Tokens: 10 sent, 5 received.  \n{lines}  \n")
    (call,), (approval,) = calls_of(rows), rows.approvals
    assert (call.name, call.input, call.state, approval.answer) == expected


def test_what_a_command_of_a_person_printed_is_its_output(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### /run pytest  \n\n> 1 passed  \n")
    (call,) = calls_of(rows)
    assert (call.name, call.input, call.output, call.step_id) == ("run", '{"command":"pytest"}', "1 passed", None)


def test_an_error_of_the_service_is_a_model_call_that_failed(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### Hi  \n\n> litellm.RateLimitError: slow down  \n")
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "litellm.RateLimitError: slow down")]
    assert rows.turns[0].state == "failed"


def test_a_person_who_speaks_again_without_a_reply_starts_another_turn(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "#### One  \n\n> ^C again to exit  \n\n#### Two  \n\nYes?\n")
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("One", None), ("Two", "Yes?")]


def test_what_is_printed_before_a_person_speaks_is_no_reply(tmp_path: Path) -> None:
    rows = history(tmp_path, START + "Environment Variables:\n  EDITOR: vi\n\n#### Hi  \n\nHello.\n")
    assert (len(calls_of(rows, "model")), texts_of(rows, "assistant")) == (1, ["Hello."])


def test_a_history_whose_beginning_is_missing_is_read_from_where_it_begins(tmp_path: Path) -> None:
    rows = history(tmp_path, "ello.\n\n> Tokens: 10 sent, 5 received.  \n\n#### Hi  \n\nHello.\n")
    assert ([turn.prompt for turn in rows.turns], account_of(rows)) == (["Hi"], (4, 4, 0, 0))


def test_a_history_without_line_breaks_of_markdown_is_read_by_its_marks_alone(tmp_path: Path) -> None:
    rows = history(tmp_path, "# aider chat started at 2026-03-02 09:00:00\n\n> Aider v0.82.1\n\n#### Hi\n\nHello.\n\n> Tokens: 10 sent, 5 received.\n")
    assert ([turn.prompt for turn in rows.turns], [step.output_tokens for step in calls_of(rows, "model")]) == (["Hi"], [5])


def test_a_fenced_line_of_a_person_is_read_as_one(tmp_path: Path) -> None:
    rows = history(tmp_path, f"{START}@@@ #### Hi {'@' * 20}\nHello.\n")
    assert ([turn.prompt for turn in rows.turns], texts_of(rows, "assistant")) == (["Hi"], ["Hello."])


def test_the_analytics_log_is_said_to_hold_no_conversation(tmp_path: Path) -> None:
    event = {"event": "launched", "properties": {}, "user_id": "u", "time": 1}
    rows = read(write_lines(tmp_path / "analytics.jsonl", [event, event]))
    (source,) = rows.sources
    assert (source.format, source.skipped, rows.conversations) == ("aider", '{"analytics_event":2}', [])
    assert source.reason is not None
    assert "no conversation" in source.reason
    assert codes(rows) == {"analytics_log": 1}


def test_what_the_model_thought_is_no_part_of_its_answer(tmp_path: Path) -> None:
    rows = history(
        tmp_path,
        START + "#### Hi  \n\n<thinking-content-a1b2>\n\nA person.\n\nI greet.\n\n</thinking-content-a1b2>\n\nHello.\n\n> Tokens: 1k sent, 2 received.  \n",
    )
    assert [(part.type, part.text) for part in rows.parts if part.role == "assistant"] == [("reasoning", "A person.\n\nI greet."), ("text", "Hello.")]
    assert [turn.answer for turn in rows.turns] == ["Hello."]
