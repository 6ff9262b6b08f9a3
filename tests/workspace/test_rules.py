"""Why turns ended: the views over rule hits against the calls themselves, rules of one's own, and what people said of the same turns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import agentnb as anb
from agentnb.rules import PROMPTS, runs_of_turn
from agentnb.rules._hits import hits_of_runs
from agentnb.workspace import Workspace
from tests.workspace.unended import EDIT, messages_of, unended_workspace


@pytest.fixture
def ws(tmp_path: Path) -> Iterator[Workspace]:
    with unended_workspace(tmp_path) as ws:
        yield ws


def named(ws: Workspace, query: str) -> list[tuple[object, ...]]:
    """Return rows with the name of the run in the place of the turn's id."""
    names = {turn_id: prompt.removeprefix("See to ") for turn_id, prompt in ws.sql("select turn_id, prompt from turns order by turn_id").fetchall()}
    return sorted(tuple(names.get(value, value) if isinstance(value, str) else value for value in row) for row in ws.sql(query).fetchall())


def turn_called(ws: Workspace, name: str) -> str:
    (row,) = ws.sql("select turn_id from turns where prompt = $1", [f"See to {name}"]).fetchall()
    return str(row[0])


def test_loops_are_where_the_same_call_gave_the_same_result_five_more_times(ws: Workspace) -> None:
    found = named(ws, "select turn_id, evidence ->> '$.name', (evidence ->> '$.times')::int from loops")
    counted = named(ws, "select turn_id, name, 6 from tool_calls group by turn_id, name, input, output having count(*) > 5")
    assert found == counted == [("loop", "Fetch", 6)]


def test_unverified_writes_are_those_after_the_last_check(ws: Workspace) -> None:
    joined = "unverified_writes u left join calls w on u.last_write = w.call_id left join calls c on u.last_check = c.call_id"
    found = named(ws, f"select u.turn_id, w.name, c.name from {joined}")
    by_place = """
    select turn_id, 'Edit', max(name) filter (where name = 'Bash')
    from tool_calls
    where name in ('Edit', 'Bash')
    group by turn_id
    having max_by(name, call_index) = 'Edit'
    """
    assert found == named(ws, by_place) == [("never-checked", "Edit", None), ("unchecked", "Edit", "Bash")]


def test_done_is_false_while_the_last_check_is_red(ws: Workspace) -> None:
    by_output = """
    select turn_id, turns.answer
    from tool_calls join turns using (conversation_id, turn_id)
    where name = 'Bash'
    group by turn_id, turns.answer
    having max_by(output, call_index) like '%1 failed%'
    """
    assert named(ws, "select turn_id, answer from false_done") == named(ws, by_output) == [("red", "All is well.")]


def test_what_was_announced_is_shown_with_its_sentence(ws: Workspace) -> None:
    by_words = "select t.turn_id, t.answer from turns t where t.answer like 'I''ll%' and not exists (from tool_calls c where c.turn_id = t.turn_id)"
    found = named(ws, "select turn_id, sentence from announced_not_done")
    assert found == named(ws, by_words) == [("And the linter?", "I'll run the linter next.")]


def test_ended_too_early_names_each_turn_with_its_rule(ws: Workspace) -> None:
    expected = [("And the linter?", "no_action"), ("never-checked", "verify_before_done"), ("red", "verify_failed"), ("unchecked", "verify_before_done")]
    assert named(ws, "select turn_id, rule from ended_too_early") == expected
    ended = {ws.turn(turn_id).prompt for (turn_id,) in ws.sql("select turn_id from turns").fetchall() if ws.explain_rules(turn_id).ending}
    assert ended == {"And the linter?", "See to never-checked", "See to red", "See to unchecked"}


def test_the_table_holds_what_values_give(ws: Workspace) -> None:
    turns = [ws.turn(turn_id) for (turn_id,) in ws.sql("select turn_id from turns order by conversation_id, turn_index").fetchall()]
    from_values = sorted(hit[:-1] for hit in hits_of_runs(run for turn in turns for run in runs_of_turn(turn)))
    assert sorted(tuple(row[:-1]) for row in ws.sql("from rule_hits").fetchall()) == from_values


def test_a_rule_of_ones_own_is_asked_behind_the_others_and_the_table_follows(ws: Workspace) -> None:
    before = ws.sql("select count(*) from rule_hits").fetchall()[0][0]
    found = ws.add_rule(anb.rule_from_cell("well", "'Say how you know.' if 'well' in ctx.final_text else None"))
    assert (found.turns, found.turns_hit, len(ws.rules)) == (9, 2, 12)
    assert named(ws, "select turn_id, nudge from rule_hits where rule = 'well' and counting = 'recorded'") == [("red-then-green", "Say how you know.")]
    ending = ws.explain_rules(turn_called(ws, "red-then-green")).ending
    assert ending is not None
    assert (ending.code, ending.reason) == ("well", 'final_text is "All is well."')
    ws.rules.pop()
    assert ws.sql("select count(*) from rule_hits").fetchall() == [(before,)]


def test_a_rule_of_the_same_code_takes_its_place(ws: Workspace) -> None:
    ws.add_rule(anb.rule_from_cell("mine", "True"))
    ws.add_rule(anb.rule_from_cell("yours", "False"))
    assert ws.add_rule(anb.rule_from_cell("mine", "False")).hits == 0
    assert [rule.code for rule in ws.rules[-2:]] == ["mine", "yours"]


def test_a_rule_that_raises_is_not_taken(ws: Workspace) -> None:
    with pytest.raises(anb.RuleError, match="rule 'bad'"):
        ws.add_rule(anb.rule_from_cell("bad", "ctx.no_such_field"))
    with pytest.raises(TypeError, match="returned a int"):
        ws.add_rule(anb.rule_from_cell("number", "7"))
    assert len(ws.rules) == 11


def test_a_turn_that_begins_with_a_nudge_goes_on_where_the_one_before_it_ended(tmp_path: Path) -> None:
    said = [*messages_of((EDIT,), "It is 2."), *messages_of((), "It is 2.", PROMPTS["verify_before_done"])]
    (tmp_path / "nudged.json").write_text(json.dumps(said), "utf-8")
    with anb.open(tmp_path) as ws:
        (turn_id,) = ws.sql("select turn_id from turns where turn_index = 1").fetchall()[0]
        alone, told = anb.explain_rules(ws.turn(turn_id)), ws.explain_rules(turn_id)
        assert alone.points[-1].context.unverified_write is False
        assert told.points[-1].context.unverified_write is True
        assert told.ending is not None
        assert (told.ending.code, told.ending.status) == ("verify_before_done", "cap_spent")


def test_ratings_of_turns_and_of_their_calls_say_which_turns_are_wrong(ws: Workspace) -> None:
    red, checked, loop, unchecked = (turn_called(ws, name) for name in ("red", "checked", "loop", "unchecked"))
    (call,) = ws.sql("select min(call_id) from tool_calls where turn_id = $1", [loop]).fetchall()[0]
    ws.rate(red, "wrong", by="ana")
    ws.rate(checked, "right", by="ana")
    ws.rate(call, "wrong", by="ana")
    ws.rate(unchecked, "right", by="ana")
    ws.rate(unchecked, "wrong", by="ben")
    assert ws.turn_verdicts() == {red: "wrong", checked: "right", loop: "wrong"}
    found = anb.backtest(anb.rule_from_cell("red", "ctx.verify_failed"), ws)
    assert (found.rated, found.rated_hit, found.precision, found.recall) == (3, 1, 1.0, 0.5)


def test_a_sweep_takes_a_workspace_with_its_ratings(ws: Workspace) -> None:
    ws.rate(turn_called(ws, "loop"), "wrong", by="ana")
    rows = anb.sweep(anb.default_rules, ws, no_progress_nudge=(2, 5, 7, 8)).of("no_progress")
    assert [(row.settings["no_progress_nudge"], row.turns_hit, row.recall) for row in rows] == [(2, 1, 1.0), (5, 1, 1.0), (7, 1, 1.0), (8, 0, 0.0)]


def test_the_card_has_findings_of_the_rules_once_they_are_there(ws: Workspace) -> None:
    assert "ended too early" not in str([finding.word for finding in ws.card.findings])
    ws.sql("from loops")
    findings = {finding.query: (finding.count, finding.word) for finding in ws.card.findings}
    assert findings["from ended_too_early"] == (4, "turns ended too early")
    assert findings["from false_done"] == (1, "turn done with a red check")
    assert findings["from loops"] == (1, "point without progress")
    assert "from unreadable_decisions" not in findings


def test_the_transcript_of_a_turn_says_what_the_rules_of_its_workspace_said(ws: Workspace) -> None:
    turn_id = turn_called(ws, "red-then-green")
    ws.add_rule(anb.rule_from_cell("well", "'Say <b>how</b> you know.' if 'well' in ctx.final_text else None"))
    view = anb.Transcript(ws, turn_id)
    for html in (view._html, view._static()):
        assert "▲ due" in html
        assert "Say &lt;b&gt;how&lt;/b&gt; you know." in html
        assert "<b>how</b>" not in html


def test_a_rule_that_raises_later_leaves_the_transcript_whole(ws: Workspace, caplog: pytest.LogCaptureFixture) -> None:
    ws.rules.append(anb.rule_from_cell("bad", "1 / 0"))
    assert "All is well." in anb.Transcript(ws, turn_called(ws, "red"))._static()
    assert "division by zero" in caplog.text
