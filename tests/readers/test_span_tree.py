"""Spans of any order, with repeated history: one conversation, the tools that ran paired with the calls, sub-agents under the call that started them."""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Rows, SourceRow
from agentnb.readers.builders.message_list import Asked, Piece, Said
from agentnb.readers.builders.span_tree import Span, SpanTree
from tests.readers.golden import outline_of
from tests.readers.reading import account_of, calls_of, check, codes, texts_of

SECOND = 1_000_000


def grown(spans: Iterable[Span]) -> Rows:
    """Read spans of one file, and check what must hold of any rows."""
    source, rows = SourceRow("file", "file"), Rows()
    account = Account(source)
    tree = SpanTree(rows, "otel")
    for span in spans:
        tree.add(span, account)
    tree.finish()
    rows.sources.append(source)
    rows.diagnostics.extend(account.close())
    check(rows)
    return rows


def agent(span_id: str, parent: str | None = None, start: int = 0, end: int = 100, **fields: Any) -> Span:
    defaults: dict[str, Any] = {"trace_id": "trace", "place": start + 1, "name": span_id}
    return Span(span_id, parent, kind="agent", started=start * SECOND, ended=end * SECOND, **(defaults | fields))


def model(span_id: str, parent: str | None, start: int, heard: tuple[Said, ...] = (), *replied: Said, **fields: Any) -> Span:
    defaults: dict[str, Any] = {"trace_id": "trace", "place": start + 1, "name": "lark-1", "ended": (start + 1) * SECOND, "kind": "model"}
    return Span(span_id, parent, started=start * SECOND, heard=heard, replied=replied, **(defaults | fields))


def tool(span_id: str, parent: str | None, start: int, end: int | None = None, **fields: Any) -> Span:
    defaults: dict[str, Any] = {"trace_id": "trace", "place": start + 1, "name": "find_book"}
    return Span(span_id, parent, kind="tool", started=start * SECOND, ended=(end or start + 1) * SECOND, **(defaults | fields))


def other(span_id: str, parent: str | None = None, start: int = 0, end: int = 100, **fields: Any) -> Span:
    return Span(span_id, parent, "trace", span_id, "other", start + 1, start * SECOND, end * SECOND, **fields)


def said(role: str, text: str) -> Said:
    return Said(role, 1, (Piece("text", text),))


def asking(*calls: tuple[str | None, str], name: str = "find_book") -> Said:
    return Said("assistant", 1, asked=tuple(Asked(call_id, name, to_json({"title": title})) for call_id, title in calls))


def result(text: str, of: str | None) -> Said:
    return Said("tool", 1, (Piece("text", text),), result_of=of)


SYSTEM, HELLO, DONE = said("system", "Be kind."), said("user", "Where is Dune?"), said("assistant", "On shelf 4.")
ASKED, FOUND = asking(("c1", "Dune")), result("shelf 4", "c1")
RUN = (
    agent("desk"),
    model("m1", "desk", 1, (SYSTEM, HELLO), ASKED, usage={"input_tokens": 10}),
    tool("t1", "desk", 3, 5, tool_call_id="c1", input='{"title": "Dune"}', output="shelf 4"),
    model("m2", "desk", 6, (SYSTEM, HELLO, ASKED, FOUND), DONE, usage={"input_tokens": 20}),
)


def test_history_that_every_model_call_repeats_is_said_once() -> None:
    rows = grown(RUN)
    (turn,) = rows.turns
    assert (turn.turn_id, turn.prompt, turn.answer, turn.state) == ("trace/desk", "Where is Dune?", "On shelf 4.", "done")
    assert texts_of(rows) == ["Be kind.", "Where is Dune?", "On shelf 4."]
    assert [step.input_tokens for step in calls_of(rows, "model")] == [10, 20]
    assert account_of(rows) == (4, 4, 0, 0)


def test_the_order_of_the_export_does_not_matter() -> None:
    expected = outline_of(grown(RUN))
    for seed in range(5):
        spans = list(RUN)
        random.Random(seed).shuffle(spans)
        assert outline_of(grown(spans)) == expected


def test_a_tool_that_ran_gives_its_times_to_the_call_that_was_asked_for() -> None:
    (call,) = calls_of(grown(RUN))
    assert (call.started_at, call.ended_at, call.seconds, call.output) == (3 * SECOND, 5 * SECOND, 2.0, "shelf 4")
    assert (call.step_id, call.tool_call_id) == ("trace/desk/m1", "c1")


def test_a_tool_without_an_id_is_paired_by_its_arguments_else_by_its_name_in_order() -> None:
    asked = asking((None, "Dune"), (None, "Emma"), (None, "Ulysses"))
    spans = [
        model("m1", None, 1, (HELLO,), asked),
        tool("t1", None, 3, input='{"title":"Ulysses"}', output="third"),
        tool("t2", None, 4, output="first"),
        tool("t3", None, 5, output="second"),
    ]
    assert [call.output for call in calls_of(grown(spans))] == ["first", "second", "third"]


def test_a_call_without_a_result_in_the_history_has_the_tool_span_s_output_and_error() -> None:
    failing = tool("t1", "desk", 3, tool_call_id="c1", output="no such shelf", error="KeyError: shelf", exit_code=3)
    (call,) = calls_of(grown([RUN[0], RUN[1], failing]))
    assert (call.state, call.failed, call.error, call.output, call.exit_code) == ("failed", True, "KeyError: shelf", "no such shelf", 3)


def test_a_tool_nobody_asked_for_is_a_call_of_its_own() -> None:
    rows = grown([agent("desk"), tool("t1", "desk", 3, input='{"title":"Dune"}', output="shelf 4")])
    (call,) = calls_of(rows)
    assert (call.name, call.state, call.output, call.step_id, call.parent_call_id) == ("find_book", "done", "shelf 4", None, "trace/desk")


def test_a_tool_that_ran_inside_a_model_call_belongs_to_that_step() -> None:
    rows = grown([model("m1", None, 1, (HELLO,), DONE, ended=9 * SECOND), tool("t1", "m1", 3, output="shelf 4")])
    assert [call.step_id for call in calls_of(rows)] == ["trace/m1/m1"]


def test_a_tool_inside_a_tool_is_called_by_it() -> None:
    rows = grown([agent("desk"), tool("t1", "desk", 3, 9, name="run_code"), tool("t2", "t1", 4, input="{}")])
    outer, inner = calls_of(rows)
    assert (outer.name, inner.name, inner.parent_call_id) == ("run_code", "find_book", outer.call_id)


def test_a_sub_agent_stands_under_the_tool_that_started_it() -> None:
    helper = (agent("helper", "t1", 3, 5), model("m9", "helper", 4, (said("user", "Find it."),), said("assistant", "Shelf 4.")))
    rows = grown([*RUN, *helper])
    call, sub = calls_of(rows)[0], calls_of(rows, "agent")[1]
    assert (sub.name, sub.parent_call_id, sub.state) == ("helper", call.call_id, "done")
    assert [step.parent_call_id for step in calls_of(rows, "model")] == ["trace/desk", "trace/desk", sub.call_id]
    assert rows.turns[0].answer == "On shelf 4."


def test_a_sub_agent_beside_the_others_belongs_to_the_tool_that_ran_all_the_while() -> None:
    spans = [other("flow"), *(span._replace(parent_id="flow") if span.span_id == "desk" else span for span in RUN)]
    spans += [agent("helper", "flow", 3, 5), model("m9", "helper", 4, (said("user", "Find it."),), DONE)]
    rows = grown(spans)
    assert [sub.parent_call_id for sub in calls_of(rows, "agent")] == [None, calls_of(rows)[0].call_id]


def test_models_inside_a_tool_are_a_sub_agent_without_a_span_of_its_own() -> None:
    rows = grown([*RUN, model("m9", "t1", 4, (said("user", "Find it."),), DONE)])
    assert [(sub.name, sub.parent_call_id) for sub in calls_of(rows, "agent")][1:] == [("find_book", calls_of(rows)[0].call_id)]


def test_an_agent_that_hears_what_the_one_before_said_goes_on_in_its_thread() -> None:
    second = (agent("expert", "flow", 8, 12), model("m3", "expert", 9, (HELLO, ASKED, FOUND, DONE), said("assistant", "Shelf 4 indeed.")))
    flow = [other("flow"), RUN[0]._replace(parent_id="flow", ended=8 * SECOND), *RUN[1:], *second]
    rows = grown(flow)
    assert len(calls_of(rows, "agent")) == 1
    assert b'"agent":"expert"' in bytes_of(calls_of(rows, "model")[2])


def test_agents_beside_one_another_that_hear_nothing_of_each_other_are_sub_agents_of_the_turn() -> None:
    crew = [other("crew"), agent("writer", "crew", 1, 5), agent("editor", "crew", 6, 9)]
    crew += [model("m1", "writer", 2, (said("user", "Write."),), said("assistant", "Text.")), model("m2", "editor", 7, (said("user", "Edit."),), DONE)]
    rows = grown(crew)
    assert [(call.name, call.parent_call_id) for call in calls_of(rows, "agent")[1:]] == [("writer", "trace/crew"), ("editor", "trace/crew")]


def test_two_spans_of_one_model_call_are_one_and_count_once() -> None:
    outer = model("wrap", "desk", 1, (HELLO,), DONE, usage={"input_tokens": 10, "cost": 0.5}, ended=4 * SECOND)
    inner = model("http", "wrap", 2, name="lark-1-mini", usage={"input_tokens": 10, "output_tokens": 3})
    rows = grown([agent("desk"), outer, inner])
    (step,) = calls_of(rows, "model")
    assert (step.name, step.input_tokens, step.output_tokens, step.cost, step.seconds) == ("lark-1-mini", 10, 3, 0.5, 1.0)
    assert (rows.turns[0].answer, account_of(rows)) == ("On shelf 4.", (3, 2, 1, 0))


def test_a_span_around_several_model_calls_is_none_itself_and_tells_what_they_do_not() -> None:
    spans = [model("wrap", None, 1, (HELLO,), DONE, ended=9 * SECOND), model("try1", "wrap", 2, error="busy"), model("try2", "wrap", 4)]
    rows = grown(spans)
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "busy"), ("done", None)]
    assert (rows.turns[0].prompt, rows.turns[0].answer, account_of(rows)) == ("Where is Dune?", "On shelf 4.", (3, 2, 1, 0))


def test_a_span_exported_twice_is_one() -> None:
    begun = RUN[3]._replace(ended=None, replied=(), usage={})
    rows = grown([*RUN[:3], begun, RUN[3]])
    assert outline_of(rows)["conversations"] == outline_of(grown(RUN))["conversations"]
    assert account_of(rows) == (5, 4, 1, 0)


def test_traces_of_one_session_are_turns_of_one_conversation_named_by_their_roots() -> None:
    first = [span._replace(conversation_id="chat-7") for span in RUN]
    thanks = said("user", "Thanks!")
    second = model("m9", None, 50, (SYSTEM, HELLO, ASKED, FOUND, DONE, thanks), said("assistant", "Bye."), trace_id="later", conversation_id="chat-7")
    rows = grown([second, *first])
    assert [(turn.turn_id, turn.prompt) for turn in rows.turns] == [("chat-7/desk", "Where is Dune?"), ("chat-7/m9", "Thanks!")]
    assert [turn.turn_id for turn in grown([second]).turns][-1] == "chat-7/m9"


def test_the_same_question_in_a_new_trace_is_asked_again() -> None:
    spans = [model(f"m{number}", None, number * 10, (HELLO,), DONE, trace_id=f"t{number}", conversation_id="chat-7") for number in (1, 2)]
    assert [turn.prompt for turn in grown(spans).turns] == ["Where is Dune?", "Where is Dune?"]


def test_history_from_before_the_recording_is_turns_and_model_calls_that_say_so() -> None:
    rows = grown([model("m9", None, 50, (SYSTEM, HELLO, ASKED, FOUND, DONE, said("user", "Thanks!")), said("assistant", "Bye."))])
    assert [(turn.prompt, turn.answer) for turn in rows.turns] == [("Where is Dune?", "On shelf 4."), ("Thanks!", "Bye.")]
    steps = calls_of(rows, "model")
    assert [b"history" in bytes_of(step) for step in steps] == [True, True, False]
    assert [step.started_at for step in steps] == [None, None, 50 * SECOND]


def test_a_person_who_speaks_again_in_a_trace_starts_another_turn() -> None:
    rows = grown(
        [agent("desk"), model("m1", "desk", 1, (HELLO,), DONE), model("m2", "desk", 9, (HELLO, DONE, said("user", "Thanks!")), said("assistant", "Bye."))]
    )
    assert [(turn.turn_id, turn.prompt, turn.started_at) for turn in rows.turns] == [
        ("trace/desk", "Where is Dune?", 0),
        ("trace/desk/2", "Thanks!", 9 * SECOND),
    ]


def test_a_history_that_was_shortened_repeats_nothing_and_its_summary_is_no_turn() -> None:
    summary = said("user", "Earlier: a book was asked for.")
    spans = [*RUN, model("m3", "desk", 9, (SYSTEM, summary, FOUND, DONE, said("user", "Thanks!")), said("assistant", "Bye."))]
    rows = grown(spans)
    assert [turn.prompt for turn in rows.turns] == ["Where is Dune?", "Thanks!"]
    assert [part.injected for part in rows.parts if part.text == "Earlier: a book was asked for."] == [True]


def test_results_in_another_order_than_before_are_told_once_and_paired() -> None:
    both, emma = asking(("c1", "Dune"), ("c2", "Emma")), result("shelf 9", "c2")
    third = model("m3", "desk", 9, (HELLO, both, FOUND, emma, DONE, said("user", "Thanks!")), said("assistant", "Bye."))
    spans = [agent("desk"), model("m1", "desk", 1, (HELLO,), both), model("m2", "desk", 6, (HELLO, both, emma, FOUND), DONE), third]
    rows = grown(spans)
    assert [call.output for call in calls_of(rows)] == ["shelf 4", "shelf 9"]
    assert (len(calls_of(rows, "model")), [turn.prompt for turn in rows.turns]) == (3, ["Where is Dune?", "Thanks!"])


def test_a_reply_told_only_by_the_history_stands_with_its_model_call() -> None:
    silent = RUN[1]._replace(replied=())
    rows = grown([RUN[0], silent, *RUN[2:]])
    assert [step.call_id for step in calls_of(rows, "model")] == ["trace/desk/m1", "trace/desk/m2"]
    assert [(call.step_id, call.output, call.seconds) for call in calls_of(rows)] == [("trace/desk/m1", "shelf 4", 2.0)]


def test_a_reply_told_in_part_is_completed_by_the_history() -> None:
    whole = asking(("c1", "Dune"), ("c2", "Emma"))
    second = model("m2", "desk", 6, (HELLO, whole, FOUND, result("shelf 9", "c2")), DONE)
    rows = grown([RUN[0], model("m1", "desk", 1, (HELLO,), ASKED), second])
    assert [(call.step_id, call.output) for call in calls_of(rows)] == [("trace/desk/m1", "shelf 4"), ("trace/desk/m1", "shelf 9")]


def test_a_result_whose_call_the_history_names_otherwise_is_paired() -> None:
    renamed = asking(("item-77", "Dune"))
    rows = grown([*RUN[:2], model("m2", "desk", 6, (HELLO, renamed, result("shelf 4", "item-77")), DONE)])
    assert [(call.tool_call_id, call.output) for call in calls_of(rows)] == [("c1", "shelf 4")]
    assert codes(rows) == {}


def test_without_messages_of_the_models_the_agent_s_own_words_are_prompt_and_answer() -> None:
    rows = grown([agent("desk", heard=(HELLO,), replied=(DONE,)), model("m1", "desk", 1), tool("t1", "desk", 3), model("m2", "desk", 6)])
    (turn,) = rows.turns
    assert (turn.prompt, turn.answer, turn.state, len(calls_of(rows, "model"))) == ("Where is Dune?", "On shelf 4.", "done", 2)


def test_an_agent_without_models_has_what_went_in_and_out_as_prompt_and_answer() -> None:
    rows = grown([agent("desk", input="Where is Dune?", output="On shelf 4.")])
    (turn,) = rows.turns
    assert (turn.prompt, turn.answer, turn.state, calls_of(rows, "model")) == ("Where is Dune?", "On shelf 4.", "done", [])


def test_an_agent_that_failed_is_a_failed_turn_that_says_why() -> None:
    rows = grown([agent("desk", error="TimeoutError"), model("m1", "desk", 1, (HELLO,), error="TimeoutError")])
    assert (rows.turns[0].state, calls_of(rows, "agent")[0].error) == ("failed", "TimeoutError")
    assert [(step.state, step.error) for step in calls_of(rows, "model")] == [("failed", "TimeoutError")]


def test_an_error_that_only_a_wrapper_tells_stands_with_the_agent_s_call() -> None:
    rows = grown([*RUN, other("guard", "desk", 2, 3, error="refused")])
    assert calls_of(rows, "agent")[0].extra == '{"errors":[{"span":"guard","error":"refused"}]}'
    assert account_of(rows) == (5, 5, 0, 0)


def test_a_trace_without_agent_model_or_tool_is_left_out() -> None:
    rows = grown([other("GET /"), other("select", "GET /", 1, 2)])
    assert (rows.conversations, account_of(rows), rows.sources[0].skipped) == ([], (2, 0, 0, 2), '{"no_agent_span":2}')


def test_spans_whose_parent_is_missing_are_one_turn_named_by_that_parent() -> None:
    rows = grown([span._replace(parent_id="gone") for span in RUN[1:]])
    assert [turn.turn_id for turn in rows.turns] == ["trace/gone"]
    assert codes(rows) == {"missing_parent": 3}


def test_spans_that_are_each_other_s_parents_are_read() -> None:
    rows = grown([agent("a", "b"), agent("b", "a"), model("m1", "a", 1, (HELLO,), DONE), model("m2", "m2", 4, (HELLO,), DONE)])
    assert (len(calls_of(rows, "model")), codes(rows)["span_cycle"]) == (2, 2)


def test_a_chain_of_thousands_of_spans_is_read() -> None:
    deep = [agent(f"a{number}", f"a{number - 1}" if number else None, number, 9_000) for number in range(3_000)]
    rows = grown([*deep, model("m1", "a2999", 3_001, (HELLO,), DONE)])
    assert (rows.turns[0].answer, rows.sources[0].records_kept) == ("On shelf 4.", 3_001)


def test_what_is_noted_of_a_session_or_a_trace_is_in_its_conversation() -> None:
    source, rows = SourceRow("file", "file"), Rows()
    account, tree = Account(source), SpanTree(rows, "otel")
    for span in RUN:
        tree.add(span, account)
    tree.note("trace", title="A book", labels={"score": 1}, extra={"tags": ["x"]})
    tree.finish()
    (row,) = rows.conversations
    assert (row.title, row.labels, row.extra) == ("A book", '{"score":1}', '{"tags":["x"]}')


def bytes_of(call: CallRow) -> bytes:
    """Return what was not read of a call."""
    return (call.extra or "").encode() if not isinstance(call.extra, bytes) else call.extra
