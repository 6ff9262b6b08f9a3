"""Inspect AI: logs as JSON and as archives, read sample by sample."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agentnb.readers import Rows, find_files, survey_files
from agentnb.readers._rows import CallRow
from tests.readers.golden import compare_with_golden, outline_of
from tests.readers.made import Record, write_json
from tests.readers.reading import account_of, calls_of, codes, read, texts_of

SAMPLE = Path(__file__).parent.parent / "samples" / "inspect" / "lamps.json"


def formats_of(*paths: Path) -> list[str]:
    return [group.reader.format for group in survey_files(find_files(paths)).groups]


def log(*samples: Any, **fields: Any) -> Record:
    run = {"eval_id": "E1", "run_id": "R1", "task_id": "T1", "task": "count", "model": "test/one", "dataset": {"samples": len(samples)}, "config": {}}
    return {"version": 2, "status": "success", "eval": run, "results": {"total_samples": len(samples)}, "samples": list(samples)} | fields


def sample(messages: list[Any], events: list[Any] | None = None, **fields: Any) -> Record:
    return {"id": 1, "epoch": 1, "uuid": "U1", "input": "Count.", "target": "7", "messages": messages, "events": events or [], "scores": {}} | fields


def said(role: str, content: Any, id: str | None = None, **fields: Any) -> Record:
    return {"role": role, "content": content} | ({} if id is None else {"id": id}) | fields


def asks(id: str, call: str, name: str = "bash", **arguments: Any) -> Record:
    return said("assistant", "", id, tool_calls=[{"id": call, "function": name, "arguments": arguments, "type": "function"}])


def event(kind: str, second: int = 0, **fields: Any) -> Record:
    return {"event": kind, "timestamp": f"2026-03-02T13:00:{second:02}+00:00"} | fields


def model(reply: Record | None, second: int = 0, sent: int = 10, **fields: Any) -> Record:
    choices = [] if reply is None else [{"message": reply, "stop_reason": "stop"}]
    output = {"model": "one", "choices": choices, "usage": {"input_tokens": sent, "output_tokens": 2, "total_tokens": sent + 2}, "time": 1.5}
    return event("model", second, model="test/one", input=[], output=output) | fields


def archive(path: Path, document: Record, *, header: bool = True, journal: bool = True, summaries: list[Record] | None = None) -> Path:
    """Write a log as the archive that the tool makes of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    begin = {name: document[name] for name in ("version", "eval")}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        if journal:
            made.writestr("_journal/start.json", json.dumps(begin))
        for item in document["samples"]:
            made.writestr(f"samples/{item['id']}_epoch_{item['epoch']}.json", json.dumps(item))
        if summaries is not None:
            made.writestr("_journal/summaries/1.json", json.dumps(summaries))
        if header:
            made.writestr("header.json", json.dumps({name: value for name, value in document.items() if name != "samples"}))
    return path


def without_files(rows: Rows) -> list[Any]:
    """Outline what was read without what says from where."""
    outline = outline_of(rows)
    rows_of: list[Any] = [*outline["conversations"], *outline["approvals"]]
    return [{name: value for name, value in row.items() if name not in ("file", "extra")} for row in rows_of]


def side_calls(rows: Rows) -> list[CallRow]:
    return [call for call in calls_of(rows, "agent") if call.call_id != call.turn_id]


U, A = said("user", "Count.", "m1", source="input"), said("assistant", "Seven.", "m2")


def test_the_sample_is_read_as_its_golden_file_says() -> None:
    compare_with_golden("inspect", outline_of(read(SAMPLE)))


def test_logs_and_archives_are_known(tmp_path: Path) -> None:
    assert formats_of(write_json(tmp_path / "a", log(sample([U, A])))) == ["inspect"]
    assert formats_of(archive(tmp_path / "b", log(sample([U, A])))) == ["inspect"]
    assert formats_of(archive(tmp_path / "c", log(sample([U, A])), header=False)) == ["inspect"]
    assert formats_of(archive(tmp_path / "d", log(), header=False)) == ["inspect"]


@pytest.mark.parametrize("document", [{"version": 2, "status": "success"}, {"eval": {"task": "x", "model": "y"}}, {"status": "x", "eval": "task model"}])
def test_what_has_only_the_names_is_not_claimed(document: Any, tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    assert "inspect" not in formats_of(write_json(tmp_path / "x", document), other)


def test_another_archive_is_not_claimed(tmp_path: Path) -> None:
    other = write_json(tmp_path / "settings.json", {"theme": "dark"})
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as made:
        made.writestr("samples/1.json", json.dumps([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hi"}]))
    assert "inspect" not in formats_of(tmp_path / "x.zip", other)


def test_an_archive_says_the_same_as_the_json(tmp_path: Path) -> None:
    document = json.loads(SAMPLE.read_text(encoding="utf-8"))
    assert without_files(read(archive(tmp_path / "x.eval", document))) == without_files(read(SAMPLE))


def test_every_sample_and_epoch_is_a_conversation_with_its_scores(tmp_path: Path) -> None:
    one = sample([U, A], scores={"match": {"value": "C"}, "f1": {"value": {"mean": 0.5}}})
    two = sample([U, A], epoch=2, uuid=None, scores={"match": {"value": "I"}})
    rows = read(write_json(tmp_path / "x", log(one, two)))
    assert [row.conversation_id for row in rows.conversations] == ["U1", "E1/1/2"]
    labels = [json.loads(row.labels or "") for row in rows.conversations]
    assert labels[0] == {"task": "count", "sample": 1, "epoch": 1, "match": "C", "f1": {"mean": 0.5}}
    assert (labels[1]["epoch"], labels[1]["match"]) == (2, "I")
    assert [turn.state for turn in rows.turns] == ["done", "done"]


def test_tokens_and_times_are_those_of_the_model_event_and_none_are_made_up(tmp_path: Path) -> None:
    told = read(write_json(tmp_path / "a", log(sample([U, A], [model(A, 3)]))))
    (call,) = calls_of(told, "model")
    assert (call.input_tokens, call.output_tokens, call.seconds, call.finish_reason) == (10, 2, 1.5, "stop")
    untold = read(write_json(tmp_path / "b", log(sample([U, A]))))
    (call,) = calls_of(untold, "model")
    assert (call.input_tokens, call.started_at, call.ended_at) == (None, None, None)


def test_messages_without_ids_find_their_events_by_what_they_say(tmp_path: Path) -> None:
    first, second = said("assistant", "One."), said("assistant", "Two.")
    rows = read(write_json(tmp_path / "x", log(sample([said("user", "Count."), first, second], [model(first, sent=1), model(second, sent=2)]))))
    assert [call.input_tokens for call in calls_of(rows, "model")] == [1, 2]
    assert side_calls(rows) == []


@pytest.mark.parametrize(("total", "expected"), [(112, 110), (12, 10)])
def test_cached_tokens_are_part_of_the_input_where_the_total_says_that_they_are_apart(total: int, expected: int, tmp_path: Path) -> None:
    call = model(A)
    call["output"]["usage"] = {"input_tokens": 10, "output_tokens": 2, "total_tokens": total, "input_tokens_cache_read": 100}
    rows = read(write_json(tmp_path / "x", log(sample([U, A], [call]))))
    assert [(item.input_tokens, item.cached_tokens) for item in calls_of(rows, "model")] == [(expected, 100)]


def test_attachments_stand_where_texts_refer_to_them(tmp_path: Path) -> None:
    kept = {"abc": "The long question.", "def": "The long answer."}
    messages = [
        said("user", [{"type": "text", "text": "attachment://abc"}], source="input"),
        said("assistant", "attachment://def"),
        said("user", "attachment://no"),
    ]
    rows = read(write_json(tmp_path / "x", log(sample(messages, attachments=kept))))
    assert texts_of(rows) == ["The long question.", "The long answer.", "attachment://no"]


def test_what_was_sent_is_found_in_the_pool(tmp_path: Path) -> None:
    pool = [said("user", "zero", "p0"), said("user", "one", "p1"), said("user", "two", "p2")]
    grader = model(said("assistant", "GRADE: C", "g1"), span_id="s1", input_refs=[[0, 1], [2, 3]])
    spans = [event("span_begin", id="s1", type="scorer", name="judge")]
    for field in ({"message_pool": pool}, {"events_data": {"messages": pool, "calls": []}}):
        rows = read(write_json(tmp_path / "x.json", log(sample([U, A], [*spans, grader], **field))))
        (side,) = side_calls(rows)
        assert [part.text for part in rows.parts if part.agent_call_id == side.call_id] == ["zero", "two", "GRADE: C"]


def test_the_exit_code_of_the_only_command_is_the_tools(tmp_path: Path) -> None:
    def read_with(*codes: int) -> CallRow:
        span = event("span_begin", id="t1", parent_id="a", type="tool", name="bash")
        used = event("tool", 1, id="c1", function="bash", span_id="a", completed="2026-03-02T13:00:04+00:00")
        ran = [event("sandbox", 2, action="exec", cmd=f"run {code}", result=code, span_id="t1") for code in codes]
        messages = [U, asks("m2", "c1"), said("tool", "text", tool_call_id="c1", function="bash")]
        (call,) = calls_of(read(write_json(tmp_path / "x.json", log(sample(messages, [span, used, *ran])))))
        return call

    assert (read_with(3).exit_code, read_with(3).state, read_with(3).seconds) == (3, "failed", 3.0)
    assert (read_with(0).exit_code, read_with(0).state) == (0, "done")
    several = read_with(0, 5)
    assert (several.exit_code, several.state) == (None, "done")
    assert [command["result"] for command in json.loads(several.extra or "")["sandbox"]] == [0, 5]


def test_an_error_of_a_tool_fails_its_call_with_its_kind(tmp_path: Path) -> None:
    result = said("tool", "", tool_call_id="c1", error={"type": "timeout", "message": "Command timed out."})
    (call,) = calls_of(read(write_json(tmp_path / "x", log(sample([U, asks("m2", "c1"), result])))))
    assert (call.state, call.error) == ("failed", "Command timed out.")
    assert json.loads(call.extra or "")["error"] == {"type": "timeout"}


@pytest.mark.parametrize(
    ("decision", "answer", "state"), [("approve", "yes", "done"), ("modify", "yes", "done"), ("reject", "no", "denied"), ("terminate", "no", "denied")]
)
def test_an_approval_is_with_the_call_that_was_asked_about(decision: str, answer: str, state: str, tmp_path: Path) -> None:
    asked = event("approval", 5, message="May I?", call={"id": "c1", "function": "bash"}, approver="human", decision=decision, explanation="Because.")
    messages = [U, asks("m2", "c1"), said("tool", "text", tool_call_id="c1")]
    rows = read(write_json(tmp_path / "x", log(sample(messages, [asked]))))
    (approval,) = rows.approvals
    assert (approval.question, approval.answer, approval.answered_by, approval.reason) == ("May I?", answer, "human", "Because.")
    assert calls_of(rows)[0].state == state


def test_a_nested_tool_event_with_a_model_call_is_an_agent_inside_the_call(tmp_path: Path) -> None:
    inner = model(said("assistant", "Found it.", "n1"), input=[said("user", "Find it.", "n0")])
    messages = [U, asks("m2", "c1", "research"), said("tool", "Found it.", tool_call_id="c1", function="research")]
    rows = read(write_json(tmp_path / "x", log(sample(messages, [event("tool", id="c1", function="research", events=[inner])]))))
    (side,) = side_calls(rows)
    assert (side.name, side.parent_call_id) == ("research", calls_of(rows)[0].call_id)
    assert [part.text for part in rows.parts if part.agent_call_id == side.call_id] == ["Find it.", "Found it."]


def test_what_is_sent_again_with_every_call_of_an_agent_is_said_once(tmp_path: Path) -> None:
    question, answer, more = said("user", "Q", "q"), said("assistant", "A", "a"), said("user", "More", "q2")
    calls = [model(answer, span_id="s1", input=[question]), model(said("assistant", "B", "b"), span_id="s1", input=[question, answer, more])]
    rows = read(write_json(tmp_path / "x", log(sample([U, A], [event("span_begin", id="s1", type="agent", name="helper"), *calls]))))
    (side,) = side_calls(rows)
    assert [part.text for part in rows.parts if part.agent_call_id == side.call_id] == ["Q", "A", "More", "B"]


def test_a_model_call_that_failed_is_a_step_before_the_one_that_did_not(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U, A], [model(None, 1, error="Overloaded"), model(A, 2)]))))
    assert [(call.state, call.error) for call in calls_of(rows, "model")] == [("failed", "Overloaded"), ("done", None)]


def test_a_failed_model_call_with_an_empty_reply_is_a_step_of_the_run(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U], [model(said("assistant", "", "m2"), error="The service is down.")], error={"message": "Down."}))))
    assert side_calls(rows) == []
    assert [(call.state, call.error) for call in calls_of(rows, "model")] == [("failed", "The service is down.")]
    assert [turn.state for turn in rows.turns] == ["failed"]


def test_a_call_that_the_agents_answer_replaced_is_told_by_the_events(tmp_path: Path) -> None:
    answer = said("assistant", "Seven.", "m2")
    ran = event("tool", 3, id="c1", function="submit", arguments={"answer": "Seven."}, result="Seven.", completed="2026-03-02T13:00:04+00:00")
    rows = read(write_json(tmp_path / "x", log(sample([U, answer], [model(asks("m2", "c1", "submit", answer="Seven."), 1), ran]))))
    (call,) = calls_of(rows, "tool")
    assert (call.name, call.input, call.output, call.state, call.seconds) == ("submit", '{"answer":"Seven."}', "Seven.", "done", 1.0)
    assert call.step_id == calls_of(rows, "model")[0].call_id
    assert [turn.answer for turn in rows.turns] == ["Seven."]


def test_a_call_without_a_message_of_its_result_has_what_the_event_says(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U, asks("m2", "c1", "submit")], [event("tool", id="c1", function="submit", result="7")]))))
    assert [(call.output, call.state) for call in calls_of(rows)] == [("7", "done")]
    assert codes(rows) == {}


def test_words_of_the_solver_in_the_users_name_start_no_turn(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U, A, said("user", "Please go on."), said("assistant", "Eight.", "m4")]))))
    assert [turn.prompt for turn in rows.turns] == ["Count."]
    assert [part.injected for part in rows.parts] == [False, False, True, False]


def test_examples_that_are_part_of_the_input_are_no_model_calls(tmp_path: Path) -> None:
    given = [said("user", "2 + 2?", source="input"), said("assistant", "4", source="input"), said("user", "3 + 4?", source="input")]
    rows = read(write_json(tmp_path / "x", log(sample([*given, A]))))
    assert len(calls_of(rows, "model")) == 1


def test_tools_that_the_service_ran_are_calls_inside_the_reply(tmp_path: Path) -> None:
    used = {"type": "tool_use", "tool_type": "web_search", "id": "w1", "name": "web_search", "arguments": '{"q": "lamp"}', "result": "30 euros", "error": None}
    content = [{"type": "text", "text": "I search."}, used, {"type": "text", "text": "It is 30."}]
    rows = read(write_json(tmp_path / "x", log(sample([U, said("assistant", content, "m2")]))))
    (call,) = calls_of(rows)
    assert (call.name, call.input, call.output, call.state) == ("web_search", '{"q": "lamp"}', "30 euros", "done")
    assert len(calls_of(rows, "model")) == 1
    assert account_of(rows)[1] == 2 + 3


def test_hidden_reasoning_is_no_text(tmp_path: Path) -> None:
    content = [{"type": "reasoning", "reasoning": "c2VjcmV0", "redacted": True, "summary": "I count."}, {"type": "text", "text": "Seven."}]
    rows = read(write_json(tmp_path / "x", log(sample([U, said("assistant", content, "m2")]))))
    part = next(part for part in rows.parts if part.type == "reasoning")
    assert part.text == "I count."
    assert json.loads(part.extra or "")["reasoning"] == "c2VjcmV0"


def test_images_and_other_media_are_parts(tmp_path: Path) -> None:
    content = [{"type": "image", "image": "data:image/png;base64,AAAA", "detail": "auto"}, {"type": "audio", "audio": "x", "format": "mp3"}]
    rows = read(write_json(tmp_path / "x", log(sample([said("user", content, source="input"), A]))))
    assert [(part.type, part.mime_type) for part in rows.parts[:2]] == [("image", "image/png"), ("other", None)]


@pytest.mark.parametrize(("fields", "state"), [({"error": {"message": "Boom"}}, "failed"), ({"limit": {"type": "token", "limit": 9}}, "stopped"), ({}, "done")])
def test_how_a_sample_ended_is_the_state_of_its_last_turn(fields: Record, state: str, tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U, A], [model(A)], **fields))))
    assert rows.turns[-1].state == state


def test_a_sample_that_failed_at_once_has_its_input(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([], input=[said("system", "Be brief."), said("user", "Count.")], error={"message": "Boom"}))))
    assert (rows.turns[0].prompt, rows.turns[0].state) == ("Count.", "failed")


def test_a_header_alone_says_that_no_sample_is_there(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log() | {"samples": None, "results": {"total_samples": 790}}))
    assert rows.conversations == []
    assert codes(rows) == {"samples_missing": 1}
    assert account_of(rows) == (4, 3, 0, 1)


def test_a_log_that_crashed_has_the_samples_that_are_there_and_summaries_of_the_others(tmp_path: Path) -> None:
    document = log(sample([U, A], scores={"match": {"value": "C"}}))
    lost = {"id": 2, "epoch": 1, "uuid": "U2", "input": "Count more.", "target": "8", "scores": {"match": {"value": "I"}}}
    known = {"id": 1, "epoch": 1, "uuid": "U1", "input": "Count.", "scores": {"match": {"value": "C"}}}
    path = archive(tmp_path / "x.eval", document, header=False, summaries=[known, lost])
    path.write_bytes(path.read_bytes().split(b"PK\x01\x02")[0])
    rows = read(path)
    assert [(row.conversation_id, json.loads(row.labels or "")["match"]) for row in rows.conversations] == [("U1", "C"), ("U2", "I")]
    assert [turn.prompt for turn in rows.turns] == ["Count.", "Count more."]
    assert {"cut_archive", "sample_missing"} <= set(codes(rows))
    assert {row.model for row in rows.conversations} == {"test/one"}


def test_a_sample_that_a_repeated_evaluation_took_over_is_merged(tmp_path: Path) -> None:
    archive(tmp_path / "first.eval", log(sample([U, A])))
    again = log(sample([U, A]), sample([U, A], id=2, uuid="U2"))
    archive(tmp_path / "second.eval", again | {"eval": again["eval"] | {"eval_id": "E2"}})
    rows = read(tmp_path)
    assert [row.conversation_id for row in rows.conversations] == ["U1", "U2"]
    assert sum(source.records_merged for source in rows.sources) == 2 + 2


def test_events_of_other_kinds_are_kept_and_changes_of_the_state_are_counted(tmp_path: Path) -> None:
    events = [event("info", data={"note": 1}), event("state", changes=[]), event("store", changes=[]), event("owl", wise=True), 7]
    rows = read(write_json(tmp_path / "x", log(sample([U, A], events))))
    kept = json.loads(rows.conversations[0].extra or "")["events"]
    assert [item["event"] if isinstance(item, dict) else item for item in kept] == ["info", "owl", 7]
    assert json.loads(rows.sources[0].skipped or "")["state_changes"] == 2


def test_a_score_that_is_not_a_number_is_read_all_the_same(tmp_path: Path) -> None:
    path = archive(tmp_path / "x.eval", log(sample([U, A], scores={"match": {"value": float("nan")}})))
    assert json.loads(read(path).conversations[0].labels or "")["match"] == "NaN"


def test_spans_that_name_each_other_end_somewhere(tmp_path: Path) -> None:
    spans = [event("span_begin", id="a", parent_id="b", type="x", name="x"), event("span_begin", id="b", parent_id="a", type="x", name="x")]
    rows = read(write_json(tmp_path / "x", log(sample([U, A], [*spans, model(A, span_id="a")]))))
    assert [call.input_tokens for call in calls_of(rows, "model")] == [10]


def test_what_is_no_sample_and_no_message_is_skipped(tmp_path: Path) -> None:
    rows = read(write_json(tmp_path / "x", log(sample([U, 7, {"role": "owl"}]), 5)))
    assert json.loads(rows.sources[0].skipped or "") == {"evaluation_totals": 1, "no_message": 2, "no_sample": 1}


def test_bytes_that_are_no_text_are_read_as_what_they_are(tmp_path: Path) -> None:
    document = log(sample([U, said("assistant", "Sev@en.", "m2")], [event("info", data="@")]))
    with zipfile.ZipFile(tmp_path / "x.eval", "w") as made:
        made.writestr("_journal/start.json", json.dumps({"version": 2, "eval": document["eval"]}))
        made.writestr("samples/1_epoch_1.json", json.dumps(document["samples"][0]).encode().replace(b"@", b"\xff"))
    rows = read(tmp_path / "x.eval")
    assert texts_of(rows, "assistant") == ["Sev\\xffen."]
    assert json.loads(rows.conversations[0].extra or "")["events"][0]["data"] == "\\xff"
