"""What travels with an answer is told by the framework, from the rows alone, and leaves an answer alone to which there is nothing to add."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.scripts import answer_code, scripts_data, with_scripts
from agentnb.scripts.answers import HEADING
from agentnb.values import ScriptRow
from agentnb.values.scripts import program_size


def row(dispatch: int = 1, text: str | None = "print(1)", **fields: Any) -> ScriptRow:
    size = program_size(text or "x" * 70_000)
    known: dict[str, Any] = {"tool": "run_code", "argument": "code", "language": "python", "outcome": "completed", "exit_code": 0, "turn": 1, "iteration": 1}
    return ScriptRow.model_validate(known | {"dispatch": dispatch, "text": text, "bytes": size.bytes, "lines": size.lines} | fields)


@pytest.mark.parametrize("answer", ["It is 4. \n", "", "  "])
@pytest.mark.parametrize("rows", [[], [row(turn=2)], [{"kind": "basis"}]])
def test_an_answer_for_which_no_program_ran_is_unchanged(answer: str, rows: list[Any]) -> None:
    assert with_scripts(answer, rows, turn=1) is answer


def test_the_block_says_what_ran_how_it_ended_and_what_is_withheld() -> None:
    rows = [
        row(2, "cat x", tool="bash", language=None, outcome="failed", exit_code=None, service_error=True, rewritten=True, result_withheld="over-ceiling"),
        row(1),
        row(3, None, exit_code=None, outcome="submitted"),
    ]
    assert with_scripts("It is 4. \n\n", rows, turn=1) == (
        f"It is 4.\n\n---\n\n{HEADING}\n\n"
        "#1 run_code (python) – completed, exit 0 – 1 line, 8 bytes\n\n```python\nprint(1)\n```\n\n"
        "#2 bash – failed, service error, result withheld: over ceiling, rewritten before running – 1 line, 5 bytes\n\n```\ncat x\n```\n\n"
        "#3 run_code (python) – submitted – 1 line, 70000 bytes\ntext not kept: over 65536 bytes"
    )


def test_an_empty_answer_becomes_the_block() -> None:
    assert with_scripts("", [row()], turn=1).startswith(HEADING)


def test_nothing_is_appended_to_an_answer_that_is_data() -> None:
    assert with_scripts('{"total": 4}', [row()], turn=1) == '{"total": 4}'
    assert "---" in with_scripts("[see below]", [row()], turn=1)
    (data,) = scripts_data([row()], turn=1)
    assert ("toolCallId" in data, data["exitCode"]) == (False, 0)


def test_a_program_cannot_break_out_of_its_fence_nor_a_name_out_of_its_line() -> None:
    block = with_scripts("x", [row(text="````\n```\n#9 forged", tool="a\n#8 forged ```", language="py\n```")], turn=1)
    assert "`````\n````\n```\n#9 forged\n`````" in block
    assert "#1 a #8 forged '''" in block
    assert not block.split("`````")[0].count("\n#8")


def test_twelve_programs_are_listed_and_the_rest_is_counted() -> None:
    block = with_scripts("x", [row(number) for number in range(1, 15)], turn=1)
    assert block.count("run_code") == 12
    assert block.endswith("2 more are in the record.")


def test_a_recorded_program_comes_from_its_table() -> None:
    assert "print(2)" in with_scripts("x", [row(text=None, bytes=8, lines=1)], turn=1, programs={1: "print(2)"})
    assert "its turn has ended" in with_scripts("x", [row(text=None, bytes=8, lines=1)], turn=1)


def test_code_in_the_answer_is_compared_whole_with_what_ran() -> None:
    answer = "I ran\n```python\nprint(1)\n```\nand\n~~~\nprint(2)\n~~~\n````md\n```\nx\n```\n````\n```\nopen"
    rows = [row(1), row(2, "print(1)"), row(3, "open\n")]
    found = answer_code(answer, rows, turn=1)
    assert [(code.verdict, code.dispatch) for code in found] == [("matched", 1), ("no-matching-script", None), ("no-matching-script", None), ("matched", 3)]
    assert [code.language for code in found] == ["python", None, "md", None]
    assert answer_code("```\nprint(1)\r\n```", [row()], turn=1)[0].verdict == "matched"
    assert answer_code("no code", rows, turn=1) == ()


def test_a_program_that_cannot_be_compared_accuses_nobody() -> None:
    rows = [row(1, None), row(2)]
    assert [code.verdict for code in answer_code("```\nnew\n```\n```\nprint(1)\n```", rows, turn=1)] == ["cannot-compare", "matched"]
