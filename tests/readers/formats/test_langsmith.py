"""LangSmith: runs of its tracer and its API, nested ones, and the bodies with which a client sends them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agentnb.readers import Rows
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLES = Path(__file__).parent.parent / "samples" / "langsmith"


def run(run_id: str, kind: str, second: int, inputs: Any, outputs: Any, parent: str | None = None, **more: Any) -> dict[str, Any]:
    """Make a run of a trace whose top is `top`."""
    above = [] if run_id == "top" else ["20260401T080000000000Ztop"]
    return {
        "id": run_id, "name": more.pop("name", run_id), "run_type": kind, "inputs": inputs, "outputs": outputs, "parent_run_id": parent, "trace_id": "top",
        "start_time": f"2026-04-01T08:00:{second:02}Z", "end_time": f"2026-04-01T08:00:{second + 1:02}Z",
        "dotted_order": ".".join([*above, f"20260401T0800{second:02}000000Z{run_id}"]), **more,
    }  # fmt: skip


def read_runs(folder: Path, *runs: Any) -> Rows:
    path = folder / "runs.jsonl"
    path.write_text("".join(f"{json.dumps(item)}\n" for item in runs))
    return read(path)


def generated(text: str, **fields: Any) -> dict[str, Any]:
    message = {"lc": 1, "type": "constructor", "id": ["langchain", "schema", "messages", "AIMessage"], "kwargs": {"content": text, **fields}}
    return {"generations": [[{"text": text, "message": message}]], "llm_output": None}


def test_the_samples_are_read_as_their_golden_file_says() -> None:
    compare_with_golden("langsmith", outline_of(read(SAMPLES)))


def test_a_thread_is_one_conversation_in_which_every_message_stands_once() -> None:
    rows = read(SAMPLES / "harbor.runs.jsonl")
    assert [conversation.conversation_id for conversation in rows.conversations] == ["thread-harbor"]
    assert texts_of(rows) == ["You run the harbour.", "Is berth 3 free?", "Yes, until noon.", "Reserve it for Piet Rook."]
    assert (len(calls_of(rows, "model")), len(calls_of(rows)), codes(rows)) == (3, 2, {})
    assert account_of(rows) == (12, 12, 0, 0)


def test_the_error_that_every_run_above_repeats_is_that_of_the_tool_and_of_the_turn() -> None:
    rows = read(SAMPLES / "harbor.runs.jsonl")
    assert [(call.kind, call.name, call.error) for call in rows.calls if call.failed] == [
        ("agent", "harbour_graph", "RuntimeError('the book is locked')"),
        ("tool", "reserve", "RuntimeError('the book is locked')"),
    ]
    (failed,) = (call for call in calls_of(rows) if call.failed)
    assert "harbour.py" in json.loads(failed.extra or b"")["error"]


def test_arguments_that_were_written_as_python_are_read() -> None:
    assert [call.input for call in calls_of(read(SAMPLES / "harbor.runs.jsonl"))] == ['{"number":3}', '{"number":3,"name":"Piet Rook"}']


def test_what_a_client_posts_and_patches_is_one_run() -> None:
    rows = read(SAMPLES / "ingest.batch.json")
    (model,) = calls_of(rows, "model")
    assert (model.name, model.input_tokens, model.output_tokens, model.cached_tokens, model.reasoning_tokens) == ("heron-mini-2026", 9, 3, 2, 1)
    assert (model.seconds, rows.turns[0].answer, account_of(rows)) == (1.5, "Avocet.", (2, 1, 1, 0))


def test_runs_inside_others_belong_to_the_trace_of_these_and_a_retriever_is_a_tool() -> None:
    rows = read(SAMPLES / "nested.run.json")
    assert ([call.name for call in calls_of(rows)], len(rows.conversations)) == (["log_book"], 1)
    (model,) = calls_of(rows, "model")
    assert (model.name, model.input_tokens, model.output_tokens, model.cost) == ("heron-text", 14, 3, 0.0004)
    assert rows.conversations[0].time_zone_assumed


def test_a_prompt_that_was_written_as_one_text_is_taken_apart(tmp_path: Path) -> None:
    prompt = "System: Be brief.\nHuman: Is the\nlock open?\nAI: Yes.\nHuman: Still?"
    rows = read_runs(tmp_path, run("top", "llm", 0, {"prompts": [prompt]}, generated("Yes.")))
    assert texts_of(rows) == ["Be brief.", "Is the\nlock open?", "Yes.", "Still?", "Yes."]


def test_what_a_model_heard_comes_from_the_run_that_put_it_together(tmp_path: Path) -> None:
    messages = [{"lc": 1, "type": "constructor", "id": ["x", "HumanMessage"], "kwargs": {"content": "Is it open?", "id": "h"}}]
    prompt = {"output": {"lc": 1, "type": "constructor", "id": ["x", "ChatPromptValue"], "kwargs": {"messages": messages}}}
    runs = [run("top", "chain", 0, {"question": "open"}, {}), run("p", "prompt", 1, {}, prompt, "top")]
    rows = read_runs(tmp_path, *runs, run("m", "llm", 2, {"prompts": ["Human: Is it open?"]}, generated("Yes."), "top"))
    assert texts_of(rows) == ["Is it open?", "Yes."]


def test_a_graph_inside_a_tool_is_a_sub_agent(tmp_path: Path) -> None:
    asks = {"tool_calls": [{"name": "ask_expert", "args": {"about": "locks"}, "id": "c", "type": "tool_call"}], "id": "a"}
    rows = read_runs(
        tmp_path,
        run("top", "chain", 0, {"messages": [{"role": "user", "content": "Ask someone."}]}, None),
        run("m1", "llm", 1, {"messages": [[{"role": "user", "content": "Ask someone."}]]}, generated("", **asks), "top", tags=["graph:step:1"]),
        run("tool", "tool", 2, {"about": "locks"}, {"output": "Open."}, "top", name="ask_expert", extra={"tool_call_id": "c"}, tags=["graph:step:2"]),
        run("sub", "chain", 3, {"messages": []}, None, "tool", name="expert"),
        run("m2", "llm", 4, {"messages": [[{"role": "user", "content": "Locks?"}]]}, generated("Open."), "sub", tags=["graph:step:1"]),
    )
    (tool,) = calls_of(rows)
    (expert,) = (call for call in calls_of(rows, "agent") if call.parent_call_id is not None)
    assert (expert.name, expert.parent_call_id, tool.output) == ("expert", tool.call_id, "Open.")
    assert [model.parent_call_id == expert.call_id for model in calls_of(rows, "model")] == [False, True]


def test_a_graph_that_stopped_to_ask_a_person_has_not_failed(tmp_path: Path) -> None:
    asks = {"tool_calls": [{"name": "open_gate", "args": {}, "id": "c", "type": "tool_call"}], "id": "a"}
    stop = "GraphInterrupt((Interrupt(value='Open the gate?', id='1'),))Traceback (most recent call last):\n  …"
    rows = read_runs(
        tmp_path,
        run("top", "chain", 0, {"messages": [{"role": "user", "content": "Open it."}]}, None, error=stop),
        run("m", "llm", 1, {"messages": [[{"role": "user", "content": "Open it."}]]}, generated("", **asks), "top"),
        run("t", "tool", 2, {}, None, "top", name="open_gate", error=stop, extra={"tool_call_id": "c"}),
    )
    assert [call.state for call in calls_of(rows)] == ["unanswered"]
    assert [call.name for call in rows.calls if call.failed] == []


def test_a_parent_that_is_not_among_the_runs_is_noted(tmp_path: Path) -> None:
    rows = read_runs(tmp_path, run("m", "llm", 1, {"messages": [[{"role": "user", "content": "Hi"}]]}, generated("Ho"), "gone"))
    assert (codes(rows), len(calls_of(rows, "model"))) == ({"missing_parent": 1}, 1)


def test_what_is_no_run_is_left_out_with_its_reason(tmp_path: Path) -> None:
    rows = read_runs(tmp_path, run("top", "llm", 1, {"messages": [[{"role": "user", "content": "Hi"}]]}, generated("Ho")), {"other": 1}, 7)
    assert (account_of(rows), rows.sources[0].skipped) == ((3, 1, 0, 2), '{"no_run":2}')


def test_messages_that_people_wrote_as_pairs_of_a_role_and_a_text_are_messages(tmp_path: Path) -> None:
    run = {"id": "r", "trace_id": "r", "name": "baker", "run_type": "chain", "start_time": "2026-04-01T08:00:00", "end_time": "2026-04-01T08:00:01",
           "inputs": {"messages": [["system", "Be brief."], ["user", "Warm?"]]}, "outputs": {"messages": [{"type": "ai", "content": "Yes."}]}}  # fmt: skip
    (tmp_path / "runs.json").write_text(json.dumps([run]))
    rows = read(tmp_path)
    assert (rows.turns[0].prompt, rows.turns[0].answer) == ("Warm?", "Yes.")
