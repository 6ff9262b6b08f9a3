"""Agreement, accuracy, comparison and what to rate next, asked of a workspace."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import agentnb as anb
from agentnb.display import SHOWN
from agentnb.render import plain_accuracy, plain_agreement, plain_comparison, render_accuracy, render_agreement, render_comparison
from agentnb.workspace import Workspace
from tests.workspace.recordings import write_session
from tests.workspace.test_rating_lists import call_record, write_lines
from tests.workspace.unended import unended_workspace

TOOLS = "from tool_calls"


@pytest.fixture
def ws(tmp_path: Path) -> Workspace:
    for name in ("a", "b", "c", "d"):
        write_session(tmp_path / "logs" / f"{name}.jsonl", name, turns=2)
    return anb.open(tmp_path / "logs")


def ids(ws: Workspace, query: str = "from tool_calls select call_id order by conversation_id, call_index") -> list[str]:
    return [row[0] for row in ws.sql(query).fetchall()]


def drawn(ws: Workspace, name: str = "march") -> list[str]:
    return [row[0] for row in ws.sql("from sampled_calls select call_id where sample = $1 order by draw_index", [name]).fetchall()]


# agreement


def test_agreement_is_measured_over_the_ratings_that_count(ws: Workspace) -> None:
    calls = ids(ws)
    ws.rate(calls, "right", by="ana")
    ws.rate(calls, "right", by="ben")
    ws.rate(calls[:4], "wrong", by="ben")
    ws.rate(calls[8:], "wrong", by="ana")
    ws.rate(calls[8:], "wrong", by="ben")
    found = anb.agreement(ws)
    assert (found.calls, found.judgements, found.agreed, found.raters, found.conversations) == (16, 32, 12, ("ana", "ben"), 4)
    assert found.pairs[0].kappa is not None
    assert found.pairs[0].kappa.value == pytest.approx(0.5, abs=1e-9)
    assert [one.call_id for one in found.disagreements] == sorted(calls[:4]) == sorted(ids(ws, "from disputed_calls select call_id order by call_id"))
    assert anb.agreement(ws, TOOLS + " where failed").calls == 8
    assert anb.agreement(ws, calls[:2]).agreed == 0
    assert anb.agreement(ws, by=["ana"]).calls == 0
    assert "Krippendorff's alpha" in plain_agreement(found)
    assert "12 of 16 calls alike" in render_agreement(found)


def test_agreement_of_rows_and_of_a_frame_is_that_of_the_workspace(ws: Workspace) -> None:
    calls = ids(ws)
    ws.rate(calls, "right", by="ana")
    ws.rate(calls[::2], "wrong", by="ben")
    ws.rate(calls[::3], "right", by="ben")
    frame = ws.sql("from rated_calls order by call_id, rated_at").df()
    assert anb.agreement(frame) == anb.agreement(frame.to_dict("records")) == anb.agreement(ws)
    with pytest.raises(anb.RatingError, match="Row 0 has no verdict"):
        anb.agreement(pd.DataFrame({"call_id": ["c"], "rated_by": ["ana"]}))


# accuracy


def test_accuracy_comes_from_a_draw_alone(ws: Workspace) -> None:
    ws.rate(ids(ws)[:3], "right", by="ana")
    with pytest.raises(anb.RatingError, match=r"named random draw.* 3 calls were rated that somebody picked.*ws\.sample"):
        anb.accuracy(ws)
    ws.sample(TOOLS, 5, seed=1, name="march")
    with pytest.raises(anb.RatingError, match="There are samples: 'march'"):
        anb.accuracy(ws)
    with pytest.raises(anb.RatingError, match="no sample 'april'"):
        anb.accuracy(ws, "april")


def test_a_draw_that_was_rated_gives_a_share_with_its_interval(ws: Workspace) -> None:
    ws.sample(TOOLS, 5, seed=1, name="march")
    with pytest.raises(anb.RatingError, match="None of the 5 drawn calls"):
        anb.accuracy(ws, "march")
    ws.rate(drawn(ws)[:4], "right", by="ana", sample="march")
    with pytest.warns(UserWarning, match="1 of 5 drawn calls are not rated, and the rated ones are the first"):
        anb.accuracy(ws, "march")
    ws.rate(drawn(ws)[4], "wrong", by="ana", sample="march")
    found = anb.accuracy(ws, "march")
    assert (found.drawn, found.rated, found.right, found.population, found.warnings) == (5, 5, 4, 16, ())
    assert found.share is not None
    assert (found.share.value, round(found.share.low or 0, 4), round(found.share.high or 0, 4)) == (0.8, 0.3755, 0.9638)
    assert "sample march" in plain_accuracy(found)
    assert "5 of 5 drawn calls rated" in render_accuracy(found)
    assert anb.accuracy(ws, "march", program="Bash", by="ana").rated == 5


def test_picked_ones_of_a_draw_are_warned_of(ws: Workspace) -> None:
    ws.sample(TOOLS, 5, seed=1, name="march")
    ws.rate(drawn(ws)[3], "right", by="ana")
    with pytest.warns(UserWarning, match="may have been picked"):
        assert anb.accuracy(ws, "march").rated == 1


def test_a_draw_that_another_tool_made_is_taken_with_a_warning(tmp_path: Path) -> None:
    call = call_record(1)
    said = {"functai_rating": 1, "id": "01926a90-0001-7000-8000-000000000000", "call": call["id"], "at": "2026-09-26T11:00:00.000000Z", "verdict": "right"}
    ws = anb.open(write_lines(tmp_path / "calls.jsonl", [call, said | {"by": "ana", "sample": "draw-1"}]))
    with pytest.warns(UserWarning, match="not recorded here"):
        found = anb.accuracy(ws, "draw-1")
    assert (found.population, found.right) == (None, 1)


def test_calls_made_to_evaluate_say_nothing_about_use(tmp_path: Path) -> None:
    records = [call_record(1), call_record(2, caller={"evaluation": "e1"}), call_record(3, caller={"optimization": "o1"})]
    ws = anb.open(write_lines(tmp_path / "calls.jsonl", records))
    assert ws.sql("from program_calls select purpose, program, module, version order by call_id").fetchall() == [
        (purpose, "team", "support", "sha256:1") for purpose in ("use", "evaluation", "optimization")
    ]
    ws.sample("from calls where kind = 'agent'", 3, seed=1, name="all")
    ws.rate(drawn(ws, "all"), "wrong", by="ana")
    found = anb.accuracy(ws, "all")
    assert (found.drawn, found.not_in_use, found.right) == (1, 2, 0)


# versions


def versions(tmp_path: Path) -> Workspace:
    program = dict(call_record(1)["program"])
    records = [
        call_record(number, program=program | {"version": f"v{number // 10}"}, inputs={"message": f"m{number % 10}"}) for number in (1, 2, 3, 11, 12, 14)
    ]
    return anb.open(write_lines(tmp_path / "calls.jsonl", records))


def test_versions_are_compared_on_the_same_inputs(tmp_path: Path) -> None:
    ws = versions(tmp_path)
    calls = ids(ws, "from calls select call_id where kind = 'agent' order by call_id")
    ws.rate([calls[0], calls[2], calls[4], calls[5]], "right", by="ana")
    ws.rate([calls[1], calls[3]], "wrong", by="ana")
    found = anb.compare_versions(ws, "team")
    assert (found.before, found.after, found.pairs, found.better, found.worse, found.only_before, found.only_after) == ("v0", "v1", 2, 1, 1, 1, 1)
    assert found.worse_calls == (calls[3],)
    assert anb.compare_versions(ws, "team", "v1", "v0").difference.value == -found.difference.value
    assert "1 better" in plain_comparison(found)
    assert "versions on the same inputs" in render_comparison(found)
    with pytest.raises(anb.RatingError, match="No input of 'team' was rated both for 'v0' and for 'v9'"):
        anb.compare_versions(ws, "team", "v0", "v9")
    with pytest.raises(anb.RatingError, match="are of 0 versions"):
        anb.compare_versions(ws, "other")


# what to rate next


def test_what_to_rate_next_says_why(tmp_path: Path) -> None:
    ws = unended_workspace(tmp_path)
    ((hit, rule),) = ws.sql("from rule_hits select turn_id, rule where rule = 'no_progress' limit 1").fetchall()
    every = "from calls where kind in ('agent', 'tool')"
    first = ws.next_to_rate(every).fetchall()
    assert (hit, "a rule fired", rule) in [row[:3] for row in first]
    assert {reason for _, reason, _, _ in first} == {"a rule fired", "nothing like it is rated"}
    ws.rate(hit, "right", by="ana")
    ws.rate(hit, "wrong", by="ben")
    ((call_id, reason, detail, priority), *rest) = ws.next_to_rate(every).fetchall()
    assert (call_id, reason, detail, priority) == (hit, "people differ", "right, wrong", 1)
    assert all(call != hit for call, *_ in rest)
    ws.rate(ws.next_to_rate("from tool_calls where name = 'Edit'"), "right", by="ana")
    assert ws.next_to_rate("from tool_calls where name = 'Edit'").fetchall() == []
    with pytest.raises(anb.RatingError, match="needs one of call_id"):
        ws.next_to_rate("select 1 as n")


def test_the_numbers_show_themselves() -> None:
    assert {"Accuracy", "Agreement", "Comparison", "RatedRows"} <= {shown.name for shown in SHOWN}
