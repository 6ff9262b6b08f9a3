"""From looking to testing: a step that a person judged becomes a case, and runs are scored by it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import agentnb as anb
from agentnb.decisions import write_case
from agentnb.render._secrets import mask
from agentnb.workspace import Workspace
from agentnb.workspace._situations import told_in
from tests.shells import make_shell
from tests.workspace.envelopes import decided_workspace
from tests.workspace.recordings import workspace_of

LOOKED = [(None, [("look", '{"day": 1}')]), (None, [("book", '{"seats": 3}')]), ("I booked three seats.", [])]


@pytest.fixture
def ws() -> Workspace:
    return decided_workspace(ferry=LOOKED)


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    return tmp_path / "cases"


def run(**steps: Any) -> Workspace:
    """Make a workspace of one run in which some steps are others."""
    return decided_workspace(ferry=[steps.get(f"s{place}", step) for place, step in enumerate(LOOKED, 1)])


def outcomes(scores: anb.Scores) -> list[tuple[str, str | None]]:
    return [(row.outcome, row.step_id) for row in scores.rows]


def test_a_step_that_was_rated_right_is_expected_again(ws: Workspace, cases: Path) -> None:
    ws.rate("ferry/1/s2", "right", by="ana", note="as asked")
    case = ws.expect("ferry/1/s2", folder=cases)
    assert (case.id, case.agent, case.description) == ("ferry-1-s2", "helper", "ana called it right: as asked")
    assert anb.load_cases(cases) == (case,)
    assert anb.parse_case(json.loads((cases / "ferry-1-s2.json").read_text())) == case
    assert outcomes(anb.score(case, ws)) == [("passed", "ferry/1/s2")]
    scores = anb.score(case, run(s2=(None, [("book", '{"seats": 2}')])))
    assert outcomes(scores) == [("failed", "ferry/1/s2")]
    assert scores.rows[0].why == "book.seats: expected 3, found 2"


def test_a_case_holds_what_the_step_had_been_told_and_where_it_comes_from(ws: Workspace, cases: Path) -> None:
    case = ws.expect("ferry/1/s2", "right", folder=cases, id="seats", tags=["booking"], description="Books what was asked for.")
    assert case.input.conversation_messages == (
        {"role": "user", "content": "Please help ferry."},
        {"role": "assistant", "content": "", "toolCalls": [{"id": "ferry/1/s1/look-1", "name": "look", "arguments": {"day": 1}}]},
        {
            "role": "tool",
            "content": [{"type": "tool_result", "toolCallId": "ferry/1/s1/look-1", "toolName": "look", "isError": False, "content": "look says 1"}],
        },
    )
    written = json.loads((cases / "seats.json").read_text())
    assert written["origin"] == {"conversationId": "ferry", "turnId": "ferry/1", "stepId": "ferry/1/s2"}
    assert written["tags"] == ["booking"]
    assert written == write_case(case)


@pytest.mark.parametrize("target", ["ferry/1/s2", "ferry/1/s2/book-1"])
def test_the_right_arguments_of_its_call_are_what_is_expected_of_a_wrong_step(ws: Workspace, cases: Path, target: str) -> None:
    ws.rate(target, "wrong", answer={"seats": 2}, reasons=["seats"], by="ana")
    for named in ("ferry/1/s2", "ferry/1/s2/book-1"):
        case = ws.expect(named, folder=cases)
    assert write_case(case)["expect"] == {"kind": "action", "actions": [{"name": "book", "params": {"seats": {"matcher": "exact", "value": 2}}}]}
    assert outcomes(anb.score(case, ws)) == [("failed", "ferry/1/s2")]
    assert anb.score(case, run(s2=(None, [("book", '{"seats": 2}')]))).passed


def test_the_right_words_are_expected_whatever_their_case(ws: Workspace, cases: Path) -> None:
    ws.rate("ferry/1/s3", answer="two seats", by="ana")
    case = ws.expect("ferry/1/s3", folder=cases)
    assert outcomes(anb.score(case, ws)) == [("failed", "ferry/1/s3")]
    assert anb.score(case, run(s3=("I booked TWO SEATS.", []))).passed


def test_an_expectation_can_be_the_right_answer_or_be_given(ws: Workspace, cases: Path) -> None:
    expected = {"kind": "chat", "forbiddenActions": ["book"]}
    ws.rate("ferry/1/s2", answer=expected, by="ana")
    first = ws.expect(ws.turn("ferry/1").steps[1], folder=cases)
    row = ws.sql("from decisions where decision_id = 'ferry/1/s2'").df().iloc[0]
    assert ws.expect(row, expected, folder=cases, id="b").expect == first.expect
    decision = anb.Decision.model_validate(ws.sql("from decisions where decision_id = 'ferry/1/s2'").to_arrow_table().to_pylist()[0])
    assert ws.expect(decision, first.expect, folder=cases, id="c").expect == first.expect
    observed = anb.normalize_decision(ws.turn("ferry/1").steps[1].raw)
    assert ws.expect(decision, observed, folder=cases, id="d").expect == anb.expect_decision(observed)


def test_of_several_calls_those_that_were_judged_are_expected_as_corrected(cases: Path) -> None:
    ws = decided_workspace(ferry=[(None, [("look", '{"day": 1}'), ("book", '{"seats": 3}')])])
    ws.rate("ferry/1/s1/book-2", answer={"seats": 2}, by="ana")
    case = ws.expect("ferry/1/s1", folder=cases)
    assert [(action.name, len(action.params)) for action in case.expect.actions] == [("look", 0), ("book", 1)]


@pytest.mark.parametrize(
    ("verdict", "answer", "message"),
    [
        (None, None, "nobody said whether it is right.*ws.rate"),
        ("wrong", None, "rated wrong without a right answer.*ws.expect"),
        ("wrong", [1], "does not follow what should be decided"),
        ("wrong", {"kind": "nonsense"}, "no kind of decision"),
    ],
)
def test_without_a_word_on_what_is_right_there_is_no_case(ws: Workspace, cases: Path, verdict: str | None, answer: Any, message: str) -> None:
    if verdict is not None:
        ws.rate("ferry/1/s2", verdict, by="ana", **({} if answer is None else {"answer": answer}))
    with pytest.raises(anb.CaseError, match=message):
        ws.expect("ferry/1/s2", folder=cases)
    assert not cases.exists()


def test_where_people_differ_or_nobody_asked_there_is_no_case(ws: Workspace, cases: Path) -> None:
    ws.rate("ferry/1/s2", "right", by="ana")
    ws.rate("ferry/1/s2", "wrong", by="ben")
    with pytest.raises(anb.CaseError, match=r"people differ \(ana: right, ben: wrong\)"):
        ws.expect("ferry/1/s2", folder=cases)
    with pytest.raises(anb.CaseError, match="does not say what is right"):
        ws.expect("ferry/1/s2", "wrong", folder=cases)
    with pytest.raises(anb.CaseError, match=r"is a call of kind agent.*about one step"):
        ws.expect(ws.turn("ferry/1"), "right", folder=cases)
    with pytest.raises(anb.UnknownId):
        ws.expect("nothing", "right", folder=cases)


def test_a_rating_that_was_withdrawn_says_nothing(ws: Workspace, cases: Path) -> None:
    ws.rate("ferry/1/s2", "right", by="ana")
    ws.rate("ferry/1/s2", None, by="ana")
    with pytest.raises(anb.CaseError, match="nobody said"):
        ws.expect("ferry/1/s2", folder=cases)


def test_another_case_is_never_overwritten_unless_that_is_said(ws: Workspace, cases: Path) -> None:
    ws.expect("ferry/1/s2", "right", folder=cases, id="a")
    before = (cases / "a.json").read_bytes()
    ws.expect("ferry/1/s2", "right", folder=cases, id="a")
    with pytest.raises(anb.CaseError, match=r"there is another case in .*a.json.*replace=True"):
        ws.expect("ferry/1/s3", "right", folder=cases, id="a")
    assert (cases / "a.json").read_bytes() == before
    ws.expect("ferry/1/s3", "right", folder=cases, id="a", replace=True)
    assert (cases / "a.json").read_bytes() != before
    assert [path.name for path in cases.iterdir()] == ["a.json"]


@pytest.mark.parametrize("identity", ["../a", "a/b", ".a", "a b", "", "x" * 200, "ä"])
def test_an_id_is_the_name_of_a_file_in_the_folder(ws: Workspace, cases: Path, identity: str) -> None:
    if identity:
        with pytest.raises(anb.CaseError, match="an id is a file's name"):
            ws.expect("ferry/1/s2", "right", folder=cases, id=identity)
        assert not cases.exists()
    else:
        assert ws.expect("ferry/1/s2", "right", folder=cases, id=identity).id == "ferry-1-s2"


def test_a_case_is_flushed_before_it_has_its_name(ws: Workspace, cases: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr("agentnb.workspace._case_files.os.fsync", lambda file: done.append(f"fsync {sorted(path.suffix for path in cases.iterdir())}"))
    monkeypatch.setattr("agentnb.workspace._case_files.os.link", lambda beside, file: done.append(f"link {file.name}"))
    ws.expect("ferry/1/s2", "right", folder=cases, id="a")
    assert done == ["fsync ['']", "link a.json"]
    assert list(cases.iterdir()) == []


def test_runs_are_in_the_same_situation_when_they_were_told_the_same_whatever_the_agent_said(ws: Workspace, cases: Path) -> None:
    case = ws.expect("ferry/1/s2", "right", folder=cases)
    assert anb.score(case, run(s1=("Let me look.", [("look", '{"day": 7}')]))).passed
    other = anb.score(case, run(s1=(None, [("search", "{}")])))
    assert outcomes(other) == [("not met", None)]
    assert not other.passed
    assert other.failed == ()
    assert other.rows[0].why == ("the nearest run was told the first 1 of 2 things, then 'returned: search says 1' where 'returned: look says 1' was expected")
    assert other.rows[0].conversation_id == "ferry"


def test_a_case_that_nothing_is_near_to_says_so(ws: Workspace, cases: Path) -> None:
    case = ws.expect("ferry/1/s2", "right", folder=cases)
    assert anb.score(case, workspace_of({})).rows[0].why == "no run begins like it; it ends with 'Please help ferry.'"


def test_a_model_call_that_failed_and_was_made_again_is_not_judged(ws: Workspace, cases: Path) -> None:
    case = ws.expect("ferry/1/s1", "right", folder=cases)
    failed = {"text": None, "error": "429", "failed": True, "state": "failed"}
    again = decided_workspace(ferry=[failed, *LOOKED])
    assert outcomes(anb.score(case, again)) == [("passed", "ferry/1/s2")]
    assert outcomes(anb.score(case, decided_workspace(ferry=[failed]))) == [("failed", "ferry/1/s1")]


def test_every_step_of_the_recordings_of_the_project_meets_its_own_case(data: Path, cases: Path) -> None:
    ws = anb.open([data / "support-refund", data / "last-ferry"])
    steps = [step for (step,) in ws.sql("select decision_id from decisions order by all").fetchall()]
    for number, step in enumerate(steps):
        ws.expect(step, "right", folder=cases, id=f"{number:04}")
    loaded = anb.load_cases(cases)
    scores = anb.score(loaded, ws)
    met = {(row.case_id, row.step_id) for row in scores.rows if row.outcome == "passed"}
    failed = {step for (step,) in ws.sql("select step_id from steps where failed").fetchall()}
    missing = {case.origin.step_id for case in loaded if case.origin is not None and (case.id, case.origin.step_id) not in met}
    assert len(loaded) == len(steps) > 80
    assert missing <= failed


def test_secrets_stay_out_of_case_files_and_do_not_keep_them_from_being_met(cases: Path) -> None:
    secret = "sk-proj-" + "a1B2c3D4" * 6
    ws = decided_workspace(ferry=[(f"I use {secret}.", [("look", json.dumps({"key": secret}))]), ("Done.", [])])
    case = ws.expect("ferry/1/s2", "right", folder=cases, id="a")
    assert secret not in json.dumps(write_case(case)["input"])
    kept = case.input.model_copy(update={"conversation_messages": ({"role": "user", "content": f"Use {secret}"},)})
    assert told_in(kept.conversation_messages) == told_in([{"role": "user", "content": mask(f"Use {secret}")}])
    assert anb.score(case, ws).passed


def test_scores_show_themselves_and_are_a_frame(ws: Workspace, cases: Path) -> None:
    case = ws.expect("ferry/1/s2", "right", folder=cases)
    scores = anb.score([case, case.model_copy(update={"id": "b"})], decided_workspace(ferry=[LOOKED[0], ("<b>no</b>", [])]))
    assert list(scores.df()["outcome"]) == ["failed", "failed"]
    assert list(scores.df().columns) == list(anb.CaseScore.model_fields)
    assert str(scores).splitlines()[0] == "0 passed, 2 failed, 0 not met"
    assert "expected the kind action, observed taskComplete" in str(scores)
    shell: Any = make_shell()
    for value in (scores, case):
        data, _ = shell.display_formatter.format(value)
        assert 'class="agentnb"' in data["text/html"]
        assert "ferry-1-s2" in data["text/plain"]


def test_without_cases_there_is_nothing_to_score(ws: Workspace, cases: Path) -> None:
    with pytest.raises(anb.CaseError, match="no cases to score"):
        anb.score([], ws)
    with pytest.raises(FileNotFoundError, match=r"no folder .* with cases"):
        anb.load_cases(cases)


def test_the_documented_test_is_one(root: Path, ws: Workspace, tmp_path: Path) -> None:
    """The lines in the README fail where a run decides wrongly, and pass where it does not."""
    text = (root / "README.md").read_text(encoding="utf-8")
    code = next(block.split("```")[0] for block in text.split("```python\n")[1:] if "anb.load_cases" in block)
    names: dict[str, Any] = {}
    exec(code, names)
    (test,) = (value for name, value in names.items() if name.startswith("test_"))
    right = [{"role": "user", "content": "Is it open?"}, {"role": "assistant", "content": "No, on Mondays it is closed."}]
    wrong = [right[0], {"role": "assistant", "content": "Yes."}]
    (tmp_path / "runs").mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        recorded = anb.read(right)
        (step,) = recorded.sql("select decision_id from decisions").fetchall()[0]
        recorded.expect(step, {"kind": "taskComplete", "message": {"matcher": "contains", "value": "closed"}})
        (tmp_path / "runs" / "run.json").write_text(json.dumps(right))
        test()
        (tmp_path / "runs" / "run.json").write_text(json.dumps(wrong))
        with pytest.raises(AssertionError, match="1 failed"):
            test()
