"""What a person reads in each view, and where a browser finds what it needs."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta, timezone

import pytest

from agentnb import render
from agentnb.render import Finding, ResultTable, TranscriptPage, WorkspaceCard
from agentnb.values import Call, Part, Turn
from tests.render.pages import Page, bare
from tests.render.samples import REFUSED, TurnMaker, coding_turn, conversation, parallel_turn, refund_turn


def call_of(turn: Turn, name: str) -> Call:
    return next(call for call in turn.calls if call.name == name)


def calls(turn: Turn, ids: tuple[str, ...]) -> list[Call]:
    by_id = {call.call_id: call for call in turn.calls}
    return [by_id[call_id] for call_id in ids]


def one_call(**known: object) -> str:
    made = {"call_id": "c", "conversation_id": "v", "turn_id": "t", "call_index": 0, "kind": "tool", "name": "run", "source_id": "s"}
    return render.render_call(Call.model_validate({**made, **known}))


def test_a_turn_shows_prompt_steps_calls_and_outcome_in_order() -> None:
    text = Page(render.render_turn(refund_turn())).text
    told = [
        "✕ failed · 5 failed calls",
        "? 1 no answer",
        "9 steps · 11 tool calls · 27.1 s · 8,941 tok",
        "person It never arrived.",
        "step 1 · gpt-4o · tool_calls · 800 tok · 2.0 s",
        "I'll look up the order",
        "✓ done get_order",
        "reasoning",
        "✕ failed refund",
        REFUSED,
        "✕ wrong by ana · method should be the original card",
        "✕ ×3 failed refund the same call, the same result, 3 more times",
        "Let me try that again.",
        "✓ done ask_policy",
        "sub-agent policy_agent",
        "NameError",
        "⊘ denied send_email",
        "Send this e-mail? ⊘ denied by ben — not before the refund is done",
        "? no answer ask_person",
        "step 9 · gpt-4o · stop · 141 tok",
    ]
    places = [text.find(part) for part in told]
    assert -1 not in places, told[places.index(-1)]
    assert places == sorted(places)


def test_a_call_that_failed_is_unfolded_and_one_that_went_well_is_not() -> None:
    page = Page(render.render_turn(refund_turn()))
    calls = list(page.all(class_="call"))
    assert {element.attributes["class"] for element in calls if "open" in element.attributes} == {"call failed"}


def test_a_selected_call_is_unfolded_and_says_so() -> None:
    turn = refund_turn()
    done = call_of(turn, "get_order")
    element = next(Page(render.render_turn_body(turn, live=True, selected=done.call_id)).all(data_call=done.call_id, class_="call"))
    assert "open" in element.attributes
    assert element.attributes["aria-selected"] == "true"


def test_controls_are_there_only_where_a_kernel_answers() -> None:
    turn = refund_turn()
    for view in (render.render_turn, render.render_call_tree):
        assert not [element for element in Page(view(turn)).elements if element.tag in ("button", "input")]
        assert [element for element in Page(view(turn, live=True)).elements if element.tag == "button"]


def test_every_control_names_its_action_and_belongs_to_a_call_or_turn() -> None:
    turn = refund_turn()
    page = TranscriptPage(conversation=conversation(turn), lines=(render.turn_line(turn),), total=99, turns={turn.turn_id: turn})
    html = render.render_transcript(page, live=True, open_turns=(turn.turn_id,)) + render.render_call_tree(turn, live=True, budget=9_000, standalone=False)
    actions = {element.attributes["data-action"] for element in Page(html).elements if element.tag in ("button", "input")}
    assert actions == {"rate", "answer", "note", "more-turns", "more-rows", "filter", "unfold", "find", "only-failed", "by-time", "toggle"}
    assert all(element.attributes.get("type") in ("button", "search") for element in Page(html).elements if element.tag in ("button", "input"))


def test_a_transcript_folds_turns_into_lines() -> None:
    turn = refund_turn()
    page = TranscriptPage(conversation=conversation(turn), lines=(render.turn_line(turn),), first=7, total=214, turns={})
    static, live = render.render_transcript(page), render.render_transcript(page, live=True)
    assert [element.tag for element in Page(static).all(class_="turn")] == ["div"]
    assert [element.tag for element in Page(live).all(class_="turn")] == ["details"]
    assert "206 more turns" in Page(static).text
    assert next(Page(live).all(data_action="more-turns")).attributes["data-first"] == "8"


def test_a_conversation_unfolds_the_turn_that_failed() -> None:
    first = TurnMaker("t1", prompt="Hello").turn()
    html = render.render_conversation(conversation(first, refund_turn()))
    assert [element.attributes["data-turn"] for element in Page(html).all(class_="turn") if "open" in element.attributes] == ["turn-2"]


def test_a_turn_without_anything_in_it_can_be_shown() -> None:
    empty = Turn(turn_id="t", conversation_id="c", turn_index=0, source_id="s")
    assert "0 steps · 0 tool calls" in Page(render.render_turn(empty)).text
    assert "no calls" in Page(render.render_call_tree(empty)).text
    assert "no turns" in Page(render.render_conversation(conversation())).text


def test_what_the_tool_injected_is_folded_apart_from_what_the_person_said() -> None:
    maker = TurnMaker("t", prompt="Hello")
    maker.say("user", "Reminder: be brief.", injected=True)
    page = Page(render.render_turn(maker.turn()))
    assert "injected 19 characters · Reminder: be brief." in page.text
    assert len(list(page.all(class_="person"))) == 1


def test_hidden_reasoning_is_told() -> None:
    maker = TurnMaker("t")
    maker.step("Done.", reasoning="")
    assert "reasoning is hidden" in Page(render.render_turn(maker.turn())).text


def test_an_image_is_told_and_never_loaded() -> None:
    maker = TurnMaker("t")
    maker.say("user", "https://example.com/picture.png", kind="image")
    page = Page(render.render_turn(maker.turn()))
    assert "image · https://example.com/picture.png" in page.text
    assert [element for element in page.elements if element.tag == "img"] == []
    assert [element.attributes["href"] for element in page.elements if element.tag == "a"] == ["https://example.com/picture.png"]


def test_calls_that_no_step_asked_for_are_shown_at_the_end() -> None:
    maker = TurnMaker("t")
    maker.step("Done.")
    maker.call("tool", "orphan", parent="t")
    assert Page(render.render_turn(maker.turn())).text.endswith("orphan")


def test_programs_and_replaced_texts_are_shown_as_what_they_are() -> None:
    bash = one_call(input=json.dumps({"command": "cd /project\nmake test", "timeout": 5}))
    assert "timeout=5" in Page(bash).text
    assert list(Page(bash).all(class_="k"))
    edit = one_call(name="Edit", input=json.dumps({"file_path": "/a.py", "old_string": "a\nb\nc", "new_string": "a\nB\nc"}))
    assert "-b +B" in Page(edit).text
    assert "-a" not in Page(edit).text
    assert [element.attributes["class"] for element in Page(edit).elements if element.tag == "span" and "code" not in element.around][-2:] == ["bad", "good"]


@pytest.mark.parametrize("written", ['"not an object"', "[1, 2]", "3", '{"a": "' + "x" * 9_000 + '"}', "broken {"])
def test_arguments_of_any_shape_are_shown(written: str) -> None:
    assert "run" in Page(one_call(input=written)).text


def test_a_long_output_shows_its_beginning_and_its_end() -> None:
    text = Page(one_call(output="begin\n" + "line\n" * 4_000 + "the last line", state="failed", failed=True)).text
    assert "begin line" in text
    assert re.search(r"… 1[5-9],\d{3} more characters … line", text)
    assert text.endswith("the last line")


def test_terminal_colours_become_classes_and_other_commands_disappear() -> None:
    html = one_call(output="\x1b[31mred\x1b[0m \x1b[1;32mgreen\x1b[m \x1b[2Kplain\x1b]0;title\x07 \x1b[38;5;1mpalette\x1b[0m")
    assert '<span class="bad">red</span>' in html
    assert '<span class="good">green</span>' in html
    assert "red green plain palette" in Page(html).text


def test_an_error_beside_the_output_is_shown_once() -> None:
    assert Page(one_call(output="boom", error="boom", failed=True)).text.count("boom") == 1
    assert Page(one_call(output="some", error="boom", failed=True)).text.count("boom") == 1


def test_a_call_tree_reads_without_css() -> None:
    html = bare(render.render_call_tree(refund_turn()))
    rows = [re.sub(r"<[^>]*>", "", row).replace("\u00a0", "_") for row in re.findall(r"<tr>(.*?)</tr>", html)]
    assert rows[:5] == ["calltokenssecondswhen", "▾ support ✕ failed8,94127.1", "____ gpt-4o8002.0", "____ get_order–0.4", "____ gpt-4o8001.4"]
    assert any(row.startswith("_________▾") is False and row.startswith("______▾ policy_agent") for row in rows)


def test_a_transcript_reads_without_css() -> None:
    html = bare(render.render_conversation(conversation(refund_turn())))
    assert "style" not in html
    line = re.sub(r"<[^>]*>", "", re.findall(r"<summary>(.*?)</summary>", html)[0])
    prompt, facts = "2 It never arrived. Please refund it to the card I paid with.", "9 steps · 11 tool calls · 27.1 s · 8,941 tok · 1 wrong"
    assert line == f"{prompt} ✕ failed · 5 failed calls ? 1 no answer {facts}"


def test_only_failed_keeps_what_is_around_a_failure() -> None:
    turn = parallel_turn()
    assert [call.name for call in calls(turn, render.tree_order(turn, only_failed=True))] == ["lead", "Task"]


def test_by_time_sorts_the_calls_of_each_call() -> None:
    turn = parallel_turn()
    ordered = calls(turn, render.tree_order(turn, by_time=True))
    assert [call.seconds for call in ordered if call.name == "Task"] == [11.0, 10.0, 9.0, 8.0]
    assert ordered[1].name == "Task"


def test_a_collapsed_call_hides_what_is_inside() -> None:
    turn = parallel_turn()
    task = call_of(turn, "Task")
    assert len(render.tree_order(turn)) - len(render.tree_order(turn, collapsed={task.call_id})) == 4
    row = next(
        element for element in Page(render.render_call_tree(turn, collapsed={task.call_id}, live=True)).all(data_call=task.call_id) if element.tag == "tr"
    )
    assert (row.attributes["role"], row.attributes["aria-level"], row.attributes["aria-expanded"]) == ("row", "2", "false")


def test_bars_share_one_scale_of_time() -> None:
    html = render.render_call_tree(refund_turn())
    bars = [(float(left), float(width)) for left, width in re.findall(r"margin-left:([\d.]+)%;width:([\d.]+)%", html)]
    assert bars[0] == (0.0, 100.0)
    assert all(left >= 0 and left + width <= 100.1 for left, width in bars)
    assert [left for left, _ in bars[1:4]] == sorted(left for left, _ in bars[1:4])


def test_a_tree_without_times_has_no_bars() -> None:
    turn = refund_turn()
    timeless = turn.model_copy(update={"calls": tuple(call.model_copy(update={"started_at": None}) for call in turn.calls)})
    assert "when" not in Page(render.render_call_tree(timeless)).text


def test_times_in_different_zones_and_before_the_start_do_not_break_the_bars() -> None:
    maker = TurnMaker("t")
    made = maker.call("tool", "early", parent="t")
    odd = made.model_copy(
        update={"started_at": datetime(1, 1, 1, tzinfo=UTC), "ended_at": datetime(9999, 1, 1, tzinfo=timezone(timedelta(hours=2))), "seconds": 1e300}
    )
    turn = maker.turn()
    Page(render.render_call_tree(turn.model_copy(update={"calls": (*turn.calls[:1], odd)})))
    endless = made.model_copy(update={"started_at": datetime(9990, 1, 1, tzinfo=UTC), "ended_at": None, "seconds": 1e300})
    Page(render.render_call_tree(turn.model_copy(update={"calls": (*turn.calls[:1], endless)})))


def test_a_table_aligns_numbers_and_says_null() -> None:
    table = ResultTable(columns=("name", "calls", "share"), types=("VARCHAR", "BIGINT", "DOUBLE"), rows=(("a", 12, 0.25), (None, 3, 1.0)), total=2)
    html = render.render_table(table)
    assert '<th scope="col" align="right">calls</th>' in html
    assert '<td align="right">0.25</td>' in html
    assert '<td align="right">1.00</td>' in html
    assert '<span class="dim">null</span>' in html
    assert render.plain_table(table) == "name  calls  share\na        12   0.25\nnull      3   1.00\n(2 rows)"


def test_a_long_cell_is_cut_and_kept_whole_in_its_title_while_that_is_short() -> None:
    rows = (("x" * 300,), ("y" * 3_000,))
    cells = [element for element in Page(render.render_table(ResultTable(columns=("text",), rows=rows))).elements if element.tag == "td"]
    assert [len(cell.attributes.get("title") or "") for cell in cells] == [300, 0]


def test_a_table_of_many_columns_says_how_many_are_left_out() -> None:
    names = tuple(f"c{at}" for at in range(500))
    html = render.render_table(ResultTable(columns=names, rows=(tuple(range(500)),), total=1))
    assert "1 row · 460 more columns" in Page(html).text


def test_a_card_says_what_is_there_what_is_wrong_and_what_was_left_out() -> None:
    card = WorkspaceCard(
        sources=3,
        conversations=12,
        turns=214,
        tool_calls=1_906,
        bytes=4_100_000,
        ratings_unsaved=True,
        records_read=1_906,
        records_kept=1_904,
        records_skipped=2,
        findings=(Finding(mark="✕", word="failed calls", count=41, level="bad", query="from tool_errors"),),
        skipped={"not JSON": 2},
        not_read=(("a.png", "a binary file"),),
    )
    text = Page(render.render_card(card)).text
    for part in (
        "3 sources · 12 conversations · 214 turns · 1,906 tool calls",
        "4.1 MB · kept in memory ◔ ratings not saved yet",
        "✕ 41 failed calls",
        "from tool_errors",
        "1,904 of 1,906 records kept; 2 skipped: why",
        "2: not JSON",
        "1 file not read",
        "a.png — a binary file",
        "ws.sql('from tool_errors')",
    ):
        assert part in text
    assert render.plain_card(card).count("\n") == 0


def test_a_rating_line_has_a_pressed_button_for_the_verdict_that_counts() -> None:
    turn = refund_turn()
    rated = turn.ratings[0]
    page = Page(render.render_rating_line(rated.call_id, turn.ratings, live=True))
    assert [element.attributes["data-verdict"] for element in page.elements if element.attributes.get("aria-pressed") == "true"] == ["wrong"]
    assert [element.attributes["data-verdict"] for element in page.all(data_action="rate")] == ["right", "wrong", "withdraw"]
    assert render.render_rating_line("c", ()) == ""


def test_markdown_is_rendered_and_its_html_and_images_are_not() -> None:
    maker = TurnMaker("t")
    maker.step(
        "# Title\n\nSome **bold** [link](https://example.com) <b>html</b> ![alt](https://example.com/i.png)\n\n1. one\n2. two\n\n"
        "```python\nreturn 1\n```\n\n|a|\n|-|\n|1|"
    )
    html = render.render_turn(maker.turn())
    assert "<h5>Title</h5>" in html
    assert "<strong>bold</strong>" in html
    assert '<a href="https://example.com" rel="noopener noreferrer nofollow" target="_blank"' in html
    assert "&lt;b&gt;html&lt;/b&gt;" in html
    assert "<img" not in html
    assert '<span class="k">return' in html


def test_parts_that_point_to_no_call_are_harmless() -> None:
    turn = refund_turn()
    odd = Part(
        conversation_id="c",
        turn_id="t",
        message_index=0,
        part_index=0,
        role="assistant",
        type="tool_call",
        call_id="nowhere",
        agent_call_id="nobody",
        source_id="s",
    )
    message = turn.messages[0].model_copy(update={"parts": (odd,)})
    Page(render.render_turn(turn.model_copy(update={"messages": (*turn.messages, message)})))


def test_the_same_value_gives_the_same_bytes() -> None:
    assert render.render_turn(coding_turn()) == render.render_turn(coding_turn())


def test_plain_lines_say_what_it_is() -> None:
    turn = refund_turn()
    assert render.plain_turn(turn).startswith('Turn 2 "It never arrived. Please refund it to the card I paid with." failed · 9 steps')
    assert render.plain_call(call_of(turn, "refund")) == "tool call refund · failed · 1.2 s"
    assert render.plain_step(turn.steps[0]) == 'Step 1 "I\'ll look up the order and its payment first." tool_calls · 800 tok · 1 tool call'
    assert render.plain_conversation(conversation(turn)) == "Conversation support-refund-01 · claude_code · gpt-4o · 1 turn"
    assert render.plain_rating(turn.ratings[0]) == 'Rating wrong by ana · "method should be the original card"'
    assert render.plain_approval(turn.approvals[0]) == 'Approval "Send this e-mail?" · no · ben · not before the refund is done'
