"""A live script row is filed when its program is handed over, kept current when it settles, and says no more than its record proves."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from agentnb.errors import ScriptError
from agentnb.scripts import (
    MAX_SCRIPT_BYTES,
    Ending,
    Recording,
    RunnerRecord,
    Script,
    blocked_script,
    check_script,
    ending_of,
    export_scripts,
    file_script,
    open_dispatch,
    restore_ledger,
    script_event,
    script_row_is_well_formed,
    settle_script,
    start_turn,
    turn_number,
)
from agentnb.scripts.ledger import Filed, Ledger
from agentnb.values import ScriptRow

ARMED = Recording(code="match")
PYTHON = Script(argument="code", language="python")


def filed(ledger: Ledger | None = None, program: Any = "print(1)", **given_: Any) -> Filed:
    usual: dict[str, Any] = {"script": PYTHON, "recording": ARMED, "tool": "run_code", "tool_call_id": "c1", "turn": 1, "iteration": 1}
    arguments = given_.pop("arguments", {"code": program})
    return file_script(ledger, arguments, **(usual | given_))


def rows(ledger: Ledger | None) -> list[ScriptRow]:
    return [row for row in ledger or () if isinstance(row, ScriptRow)]


def only(ledger: Ledger | None) -> ScriptRow:
    (row,) = rows(ledger)
    return row


def settled(ending: Ending, program: str = "print(1)") -> ScriptRow:
    ledger, dispatch = filed(program=program)
    assert ledger is not None
    assert dispatch == 1
    return only(settle_script(ledger, ending, turn=1, dispatch=dispatch, strict=True))


def test_without_an_option_there_is_no_ledger_at_all() -> None:
    assert filed(recording=Recording()) == (None, None)


@pytest.mark.parametrize("recording", [Recording(travels=True), Recording(code="match"), Recording(code="match", travels=True)])
def test_either_option_arms_the_rows(recording: Recording) -> None:
    assert filed(recording=recording).dispatch == 1


def test_a_tool_that_does_not_run_code_has_no_row() -> None:
    assert filed(script=None) == (None, None)


def test_a_row_is_submitted_before_its_tool_returns_and_written_as_published() -> None:
    row = only(filed().ledger)
    assert row.model_dump(by_alias=True) == {
        "kind": "script", "toolCallId": "c1", "dispatch": 1, "tool": "run_code", "argument": "code", "language": "python", "bytes": 8, "lines": 1,
        "text": "print(1)", "outcome": "submitted", "turn": 1, "iteration": 1,
    }  # fmt: skip
    assert ScriptRow.model_validate(row.model_dump(by_alias=True)) == row == ScriptRow.model_validate(row.model_dump())


@pytest.mark.parametrize(
    ("program", "bytes_", "lines"),
    [
        ("", 0, 0),
        ("a\nb", 3, 2),
        ("a\nb\n", 4, 3),
        ("\n", 1, 2),
        ("a\r\nb", 4, 2),
        ("a\rb", 3, 1),
        ("é", 2, 1),
        ("😀", 4, 1),
        ("a\u2028b\x0bc", 7, 1),
        ("\ud800", 3, 1),
    ],
)
def test_a_program_is_measured_in_bytes_and_in_lines_that_lf_alone_ends(program: str, bytes_: int, lines: int) -> None:
    row = only(filed(program=program).ledger)
    assert (row.bytes, row.lines, row.text) == (bytes_, lines, program)


def test_a_text_is_kept_up_to_the_limit_and_its_sizes_beyond() -> None:
    kept, over = (only(filed(program="x\n" * (MAX_SCRIPT_BYTES // 2) + more).ledger) for more in ("", "y"))
    assert kept.text is not None
    assert (over.text, over.bytes, over.lines) == (None, MAX_SCRIPT_BYTES + 1, MAX_SCRIPT_BYTES // 2 + 1)
    assert only(filed(program="12345", limit=4).ledger).text is None


@pytest.mark.parametrize(
    ("ending", "told"),
    [
        (ending_of(RunnerRecord(ok=True, exit_code=0)), ("completed", 0, None, None)),
        (ending_of(RunnerRecord(ok=True)), ("completed", None, None, None)),
        (ending_of(RunnerRecord(ok=False, exit_code=3)), ("failed", 3, None, None)),
        (ending_of(RunnerRecord(ok=False, exit_code=-9)), ("failed", -9, None, None)),
        (ending_of(RunnerRecord(ok=False, service_error=True)), ("failed", None, True, None)),
        (ending_of(RunnerRecord(ok=False, service_error=True, exit_code=1)), ("failed", 1, None, None)),
        (ending_of(RunnerRecord(ok=False, service_error=True, exit_code=0)), ("failed", 0, None, None)),
        (ending_of(RunnerRecord(ok=False)), ("failed", None, None, None)),
        (ending_of(RunnerRecord(ok=True, exit_code=0), over_ceiling=True), ("completed", 0, None, "over-ceiling")),
        (ending_of(raised=True), ("raised", None, None, None)),
        (ending_of(), ("unreported", None, None, None)),
        (ending_of(answered=True), ("answered", None, None, None)),
    ],
)
def test_a_row_settles_with_what_the_record_proves(ending: Ending, told: tuple[Any, ...]) -> None:
    row = settled(ending)
    assert (row.outcome, row.exit_code, row.service_error, row.result_withheld) == told
    assert ("exitCode" in row.model_dump(by_alias=True)) == (told[1] is not None)


def test_only_a_changed_program_is_rewritten() -> None:
    row = only(filed(arguments={"code": "ls x"}, proposed={"code": "rm x"}).ledger)
    assert (row.text, row.bytes, row.rewritten) == ("ls x", 4, True)
    assert "rm x" not in str(row.model_dump())
    same = [{"code": "ls x", "timeout": 1}, {"code": "ls x"}]
    assert [only(filed(arguments={"code": "ls x", "timeout": 9}, proposed=proposed).ledger).rewritten for proposed in same] == [None, None]
    assert only(filed(arguments={"code": "ls x"}, proposed={}).ledger).rewritten is True


def test_calls_that_share_an_id_are_told_apart_by_their_number() -> None:
    ledger, first = filed()
    ledger, second = filed(ledger, "print(2)")
    assert (first, second) == (1, 2)
    assert ledger is not None
    ledger = settle_script(ledger, Ending("failed", 1), turn=1, dispatch=2)
    ledger = settle_script(ledger, Ending("completed", 0), turn=1, dispatch=1)
    assert [(row.tool_call_id, row.text, row.exit_code) for row in rows(ledger)] == [("c1", "print(1)", 0), ("c1", "print(2)", 1)]


def test_a_pause_keeps_its_number_and_place_and_a_later_call_gets_another() -> None:
    ledger, dispatch = filed()
    assert open_dispatch(ledger, turn=1, tool_call_id="c1") == dispatch
    ledger, later = filed(ledger)
    assert later == 2
    assert ledger is not None
    ledger = settle_script(ledger, Ending("answered"), turn=1, dispatch=1)
    assert [row.outcome for row in rows(ledger)] == ["answered", "submitted"]
    assert open_dispatch(ledger, turn=1, tool_call_id="c1") == 2
    assert open_dispatch(ledger, turn=2, tool_call_id="c1") is None
    assert open_dispatch(None, turn=1, tool_call_id="c1") is None


def test_a_new_turn_takes_the_texts_and_nothing_else() -> None:
    ledger, _ = filed()
    ledger, _ = filed(ledger, "open()")
    assert ledger is not None
    before = settle_script(ledger, Ending("completed", 0), turn=1, dispatch=1)
    after = start_turn(before, 2)
    assert [row.text for row in rows(after)] == [None, None]
    assert [row.outcome for row in rows(after)] == ["completed", "submitted"]
    assert [row.model_dump(exclude={"text"}) for row in rows(after)] == [row.model_dump(exclude={"text"}) for row in rows(before)]
    assert [row.text for row in rows(start_turn(before, 1))] == ["print(1)", "open()"]
    assert start_turn(None, 2) is None
    assert filed(after, turn=2).dispatch == 1


def test_a_tool_that_declares_no_language_gives_none() -> None:
    assert "language" not in only(filed(script=Script(argument="code")).ledger).model_dump(by_alias=True)


@pytest.mark.parametrize("arguments", [{}, {"code": None}, {"code": 5}, {"code": ["ls"]}, None, "code", [1], {"other": "ls"}])
def test_no_program_is_invented(arguments: Any) -> None:
    assert filed(arguments=arguments) == (None, None)


def test_a_blocked_program_is_kept_elsewhere_and_takes_no_number() -> None:
    blocked = blocked_script("rm -rf x", "denied", script=PYTHON, tool="run_code", tool_call_id="c1", turn=1, iteration=1)
    assert blocked is not None
    assert (blocked.reason, blocked.bytes, blocked.text) == ("denied", 8, "rm -rf x")
    assert blocked_script(None, "denied", script=PYTHON, tool="run_code", tool_call_id="c1", turn=1, iteration=1) is None
    assert filed().dispatch == 1


def test_the_first_settlement_stands() -> None:
    ledger, _ = filed()
    assert ledger is not None
    once = settle_script(ledger, Ending("completed", 0), turn=1, dispatch=1)
    assert settle_script(once, Ending("failed", 1), turn=1, dispatch=1) is once
    with pytest.raises(ScriptError, match="settled already"):
        settle_script(once, Ending("failed", 1), turn=1, dispatch=1, strict=True)
    assert settle_script(once, Ending("failed"), turn=1, dispatch=7) is once
    with pytest.raises(ScriptError, match="no script row 7"):
        settle_script(once, Ending("failed"), turn=1, dispatch=7, strict=True)


def test_every_write_gives_a_new_list_and_leaves_the_old_one_alone() -> None:
    other = {"kind": "basis", "toolCallId": "c0"}
    start: Ledger = [other]
    first, _ = filed(start)
    assert first is not None
    second = settle_script(first, Ending("completed", 0), turn=1, dispatch=1)
    assert start == [other]
    assert [row.outcome for row in rows(first)] == ["submitted"]
    assert second[0] == other
    assert second is not first


STORED = {"kind": "script", "dispatch": 1, "tool": "t", "argument": "code", "bytes": 1, "lines": 1, "text": "x", "outcome": "failed", "turn": 1, "iteration": 1}


@pytest.mark.parametrize(
    ("change", "fine"),
    [
        ({}, True), ({"exitCode": 0}, True), ({"exit_code": 0}, True), ({"exitCode": 1, "serviceError": True}, False), ({"exitCode": True}, False),
        ({"exitCode": None}, False), ({"serviceError": False}, False), ({"rewritten": False}, False), ({"rewritten": True}, True), ({"bytes": 2}, False),
        ({"lines": 2}, False), ({"bytes": 0, "lines": 1, "text": ""}, False), ({"outcome": "done"}, False), ({"outcome": "submitted", "exitCode": 0}, False),
        ({"outcome": "submitted"}, True), ({"dispatch": 0}, False), ({"turn": 0}, False), ({"kind": "basis"}, False), ({"unknown": 1}, False),
        ({"resultWithheld": "over-ceiling"}, True), ({"resultWithheld": "cut"}, False), ({"exitCode": "0"}, False),
        ({"outcome": "submitted", "resultWithheld": "over-ceiling"}, False),
    ],
)  # fmt: skip
def test_the_door_of_a_checkpoint_lets_only_rows_in_that_can_be(change: dict[str, Any], fine: bool) -> None:
    assert script_row_is_well_formed(STORED | change) is fine


@pytest.mark.parametrize("odd", [None, 5, "script", [], {}, {"kind": "script"}, {"kind": ["script"]}])
def test_what_is_no_row_is_refused_at_the_door_without_raising(odd: Any) -> None:
    assert script_row_is_well_formed(odd) is False


def test_a_ledger_is_restored_as_it_was_and_an_unknown_kind_is_refused() -> None:
    ledger, _ = filed([{"kind": "standing", "toolCallId": "c0", "later": 1}])
    ledger, _ = filed(ledger)
    ledger, _ = filed(ledger, turn=2)
    stored = [row.model_dump(by_alias=True) if isinstance(row, ScriptRow) else row for row in ledger or ()]
    assert restore_ledger(stored) == ledger
    for wrong in ([{"kind": "poem"}], [STORED, STORED], [STORED | {"dispatch": 2}], [STORED | {"serviceError": True, "exitCode": 1}], [5]):
        with pytest.raises(ScriptError, match="ledger"):
            restore_ledger(wrong)
    assert restore_ledger([]) == []


def test_events_and_redacted_exports_hold_everything_but_the_program() -> None:
    row = only(filed(program="secret = 1").ledger)
    assert script_event(row) == {name: value for name, value in row.model_dump(by_alias=True).items() if name != "text"}
    assert "secret" not in str(export_scripts([row], redact=True))
    assert export_scripts([row]) == [row.model_dump(by_alias=True)]


def test_a_turn_is_numbered_by_what_the_person_said_and_never_below_what_is_known() -> None:
    assert [turn_number(roles) for roles in ([], ["user"], ["user", "assistant", "user"])] == [1, 1, 2]
    assert turn_number(["user"], known=7) == 7


def test_a_declaration_names_a_string_of_the_schema() -> None:
    schema = {"properties": {"code": {"type": "string"}, "n": {"type": "integer"}}}
    assert check_script(PYTHON, schema, tool="t") is PYTHON
    for argument, given_ in (("n", schema), ("gone", schema), ("code", {}), ("code", {"properties": []})):
        with pytest.raises(ScriptError, match="carries a program"):
            check_script(Script(argument=argument), given_, tool="t")
    with pytest.raises(ValidationError, match="blank"):
        Script(argument=" ")


@given(st.text(), st.integers(min_value=0, max_value=64))
@settings(derandomize=True, deadline=None)
def test_whatever_the_program_the_row_holds_together(program: str, limit: int) -> None:
    row = only(filed(program=program, limit=limit).ledger)
    encoded = program.encode("utf-8", "surrogatepass")
    assert row.bytes == len(encoded)
    assert row.lines == (encoded.count(b"\n") + 1 if encoded else 0)
    assert (row.text is not None) == (row.bytes <= limit)
    assert script_row_is_well_formed(row.model_dump(by_alias=True))


@given(st.lists(st.sampled_from(["file", "settle", "turn"]), max_size=30), st.randoms(use_true_random=False))
@settings(derandomize=True, deadline=None)
def test_in_every_turn_numbers_run_from_one_in_filing_order(moves: list[str], chance: Any) -> None:
    ledger: Ledger | None = None
    turn = 1
    for move in moves:
        if move == "file":
            ledger, _ = filed(ledger, turn=turn)
        elif move == "turn":
            turn += 1
            ledger = start_turn(ledger, turn)
        elif ledger:
            row = chance.choice(rows(ledger))
            ledger = settle_script(ledger, Ending("failed", 1), turn=row.turn, dispatch=row.dispatch)
    for number in range(1, turn + 1):
        own = [row.dispatch for row in rows(ledger) if row.turn == number]
        assert own == list(range(1, len(own) + 1))
    assert all(row.text is None for row in rows(ledger) if row.turn < turn)
