"""AutoGen: calls of a model client that make conversations, and logs of teams with their labelled mistake."""

from __future__ import annotations

import json
from pathlib import Path

from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, read

SAMPLES = Path(__file__).parent.parent / "samples" / "autogen"


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("autogen", outline_of(read(SAMPLES)))


def test_a_request_that_repeats_an_exchange_goes_on_with_it_and_another_begins_anew() -> None:
    rows = read(SAMPLES / "kites.session.json")
    assert [len([call for call in calls_of(rows, "model") if call.conversation_id == row.conversation_id]) for row in rows.conversations] == [2, 1]
    assert [(call.name, call.state, call.output) for call in calls_of(rows)] == [("kite_log", "done", "red kite: 210 m")]
    assert account_of(rows) == (3, 3, 0, 0)


def test_the_code_in_a_message_is_a_call_of_the_terminal_that_answers_it() -> None:
    rows = read(SAMPLES / "lost-parcel.team.json")
    assert [(call.name, call.exit_code, call.state) for call in calls_of(rows)] == [("Computer_terminal", 1, "failed"), ("Computer_terminal", 0, "done")]
    assert json.loads(calls_of(rows)[0].input or "") == {"language": "python", "code": "print(rows[87])\n"}


def test_who_speaks_stands_with_the_step_and_the_mistake_where_it_was_made() -> None:
    steps = [json.loads(step.extra or "{}") for step in calls_of(read(SAMPLES / "lost-parcel.team.json"), "model")]
    assert [step["agent"] for step in steps] == ["Records_Expert", "Records_Expert", "Orchestrator", "Orchestrator", "Writer"]
    assert steps[0]["mistake"] == "It read the row of order 87."
    assert steps[3]["to"] == "Writer"


def test_the_labels_of_a_log_are_those_of_its_conversation() -> None:
    (conversation,) = read(SAMPLES / "lost-parcel.team.json").conversations
    labels = json.loads(conversation.labels or "")
    assert (labels["mistake_agent"], labels["mistake_step"], labels["is_correct"]) == ("Records_Expert", "1", False)


def test_a_question_that_nobody_asks_in_the_log_is_the_prompt(tmp_path: Path) -> None:
    log = {"question": "Why?", "mistake_agent": "A", "mistake_step": "0", "history": [{"name": "A", "role": "assistant", "content": "Because."}]}
    (tmp_path / "log.json").write_text(json.dumps(log))
    rows = read(tmp_path)
    assert (rows.turns[0].prompt, account_of(rows)) == ("Why?", (1, 1, 0, 0))


def test_an_output_that_nobody_asked_for_is_shown_without_a_call(tmp_path: Path) -> None:
    history = [{"name": "Computer_terminal", "role": "user", "content": "exitcode: 0 (execution succeeded)\nCode output: 4"}]
    (tmp_path / "log.json").write_text(json.dumps({"question": "Why?", "mistake_agent": "A", "mistake_step": "0", "history": history}))
    assert calls_of(read(tmp_path)) == []
