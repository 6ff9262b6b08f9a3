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


def chat(kind: str, source: str, content: object, **more: object) -> dict[str, object]:
    return {"id": f"{kind}-{source}", "source": source, "models_usage": None, "metadata": {}, "created_at": "2026-04-01T08:00:00Z", "content": content} | {
        "type": kind, **more,
    }  # fmt: skip


CHAT = [
    chat("TextMessage", "user", "Is it warm?"),
    chat("ThoughtEvent", "baker", "I should look."),
    chat(
        "ToolCallRequestEvent", "baker", [{"id": "c1", "name": "oven", "arguments": '{"heat": 900}'}], models_usage={"prompt_tokens": 9, "completion_tokens": 4}
    ),
    chat("ToolCallExecutionEvent", "baker", [{"content": "too hot", "name": "oven", "call_id": "c1", "is_error": True}]),
    chat("TextMessage", "baker", "It is too hot.", models_usage={"prompt_tokens": 20, "completion_tokens": 5}),
    chat("HandoffMessage", "baker", "Over to you.", target="critic"),
    chat("TextMessage", "critic", "APPROVE"),
]


def test_messages_of_a_team_are_turns_calls_and_replies(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_text(json.dumps({"messages": CHAT, "stop_reason": "APPROVE was said"}))
    rows = read(tmp_path)
    assert [(call.name, call.state, call.output) for call in calls_of(rows)] == [("oven", "failed", "too hot")]
    assert [(call.input_tokens, json.loads(call.extra or "{}")["agent"]) for call in calls_of(rows, "model")] == [(9, "baker"), (20, "baker"), (None, "critic")]
    assert (rows.turns[0].prompt, rows.turns[0].answer, account_of(rows)) == ("Is it warm?", "APPROVE", (7, 7, 0, 0))
    assert json.loads(rows.conversations[0].extra or "") == {"stop_reason": "APPROVE was said"}


def test_a_log_with_a_message_on_each_line_and_the_state_of_a_team_are_the_same_conversation(tmp_path: Path) -> None:
    state = {"type": "TeamState", "agent_states": {"manager": {"type": "RoundRobinManagerState", "message_thread": CHAT}, "baker": {"agent_state": {}}}}
    (tmp_path / "log.jsonl").write_text("\n".join(map(json.dumps, [*CHAT, {"messages": CHAT, "stop_reason": "APPROVE was said"}])))
    log = read(tmp_path / "log.jsonl")
    (tmp_path / "state.json").write_text(json.dumps(state))
    assert account_of(log) == (8, 7, 1, 0)
    assert [call.name for call in calls_of(log)] == [call.name for call in calls_of(read(tmp_path / "state.json"))] == ["oven"]


def test_what_an_agent_remembers_is_a_conversation(tmp_path: Path) -> None:
    messages = [
        {"type": "UserMessage", "source": "User", "content": "Is it warm?"},
        {"type": "AssistantMessage", "source": "baker", "content": [{"id": "c1", "name": "oven", "arguments": "{}"}], "thought": "I look."},
        {"type": "FunctionExecutionResultMessage", "content": [{"content": "warm", "name": "oven", "call_id": "c1", "is_error": False}]},
        {"type": "AssistantMessage", "source": "baker", "content": "Yes."},
    ]
    (tmp_path / "state.json").write_text(json.dumps({"type": "AssistantAgentState", "llm_context": {"messages": messages}}))
    rows = read(tmp_path)
    assert ([call.output for call in calls_of(rows)], rows.turns[0].answer, rows.conversations[0].agent_name) == (["warm"], "Yes.", "baker")
    assert account_of(rows) == (4, 4, 0, 0)


def test_code_that_an_agent_ran_is_a_call_with_its_exit_code(tmp_path: Path) -> None:
    written = chat("CodeGenerationEvent", "coder", "I try.", code_blocks=[{"language": "python", "code": "1/0"}], retry_attempt=0)
    ran = chat("CodeExecutionEvent", "coder", "", result={"exit_code": 1, "output": "ZeroDivisionError"}, retry_attempt=0)
    (tmp_path / "log.json").write_text(json.dumps([chat("TextMessage", "user", "Run it."), written, ran]))
    (call,) = calls_of(read(tmp_path))
    assert (call.name, call.exit_code, call.state, call.output) == ("code_executor", 1, "failed", "ZeroDivisionError")
