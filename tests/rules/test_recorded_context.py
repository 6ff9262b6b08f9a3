"""What a recording tells besides the counters: was reading the task, did a check look green, was there anything to agree to, were there tools at all?

Each of these comes from recordings of real agents in which a rule spoke and a person would not have, or was silent and a person would have spoken. A context
that knows nothing of it is judged by the counters alone.
"""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.rules import context_from_turn, default_rules, evaluate_rules, explain_rules
from agentnb.values import RuleContext, Turn
from tests.rules.faults import Maker, edit, look_up, read, run_tests

TALKED = {"phase": "final", "final_text": "Done.", "finish_reason": "stop"}


def bash(command: str, output: str = "", **known: Any) -> dict[str, Any]:
    return {"name": "Bash", "input": {"command": command}, "output": output, **known}


def fired(turn: Turn, **options: Any) -> list[str]:
    return [check.code for _, check in explain_rules(turn, counting="counterfactual", **options).hits]


def reason(turn: Turn, code: str, **options: Any) -> str:
    """Return why a rule was silent at the last point."""
    return next(check.reason for check in explain_rules(turn, **options).points[-1].checks if check.code == code)


def reading(request: str, *calls: dict[str, Any]) -> Turn:
    made = Maker(request)
    for call in calls:
        made.step(None, call)
    return made.turn()


@pytest.mark.parametrize(
    ("field", "value", "context", "rule"),
    [
        ("no_tools", True, {"final_text": "I'll fix it now."}, "no_action"),
        ("no_tools", True, {"last_user_text": "go"}, "go_ahead"),
        ("previous_text", "All is done.", {"last_user_text": "ok"}, "go_ahead"),
        ("write_proof", "run", {"unverified_write": True, "tool_calls": 1}, "verify_before_done"),
        ("write_proof", "output", {"verify_failed": True, "tool_calls": 1}, "verify_failed"),
        ("check_waived", True, {"unverified_write": True, "tool_calls": 1}, "verify_before_done"),
        ("handed_over", True, {"final_text": ""}, "empty_final_response"),
        ("reading_is_task", True, {"phase": "tools", "read_streak": 10, "tool_calls": 10}, "exploration"),
    ],
)
def test_a_context_that_does_not_know_it_is_judged_by_the_counters(field: str, value: Any, context: dict[str, Any], rule: str) -> None:
    bare = evaluate_rules(default_rules(), RuleContext(**TALKED | context))
    assert bare is not None
    assert bare.code == rule
    assert evaluate_rules(default_rules(), RuleContext(**TALKED | context, **{field: value})) is None


def test_look_ups_may_go_on_until_an_ordinary_turn_would_have_had_all_of_its_nudges() -> None:
    turn = reading("How do the offers compare?", *map(look_up, range(61)))
    assert [point.context.read_streak for point, _ in explain_rules(turn, counting="counterfactual").hits] == [40, 50, 60]
    assert "read_streak 39 < 40" in [check.reason for check in explain_rules(turn).points[38].checks]


@pytest.mark.parametrize("request_", ["Review the parser and report.", "Summarise these files.", "Relis le module et fais le point.", "Please audit src."])
def test_a_request_for_reading_makes_reading_the_task(request_: str) -> None:
    assert fired(reading(request_, *(read(f"{at}.py") for at in range(12)))) == []


@pytest.mark.parametrize("request_", ["Fix the parser.", "Review the parser and fix it.", "Why is it slow?", "", "Corrige ce que la revue décrit."])
def test_reading_files_for_a_change_is_exploration(request_: str) -> None:
    assert fired(reading(request_, *(read(f"{at}.py") for at in range(12)))) == ["exploration"]


def test_a_few_look_ups_among_reads_of_files_excuse_nothing() -> None:
    assert fired(reading("Fix it.", *map(look_up, range(4)), *(read(f"{at}.py") for at in range(8)))) == ["exploration"]


def test_a_run_ends_the_look_ups_too() -> None:
    turn = reading("Fix it.", *map(look_up, range(30)), bash("ls"), *(read(f"{at}.py") for at in range(10)))
    assert fired(turn) == ["exploration"]


GREEN = (
    ("npm run check 2>&1 | tail -10", "Checked 22 files in 23ms. No fixes applied.\n\n> web@0.1.0 check\n> tsc --noEmit"),
    ('npm run check 2>&1 | grep -E "(error|warning)" | head -20', "(no output)"),
    ("npm run lint; git status", "nothing to commit"), ("mypy src || true", ""), ("cd web && npx eslint . | tee lint.log", ""),
    ("npm test 2>&1 | tail -4", "Suites ok\nall specs passed"), ("ruff check . | grep -v note", ""),
)  # fmt: skip
NOT_GREEN = (
    ("npm run check 2>&1 | tail -10", "src/a.ts(3,1): error TS2304: Cannot find name 'x'."), ("npm run check | tail -3", "npm ERR! code 1"),
    ("npm run check | head -3", "> web@0.1.0 check"), ("npm run check | grep Checked", ""), ("npm run check > log.txt; wc -l log.txt", "41 log.txt"),
    ("npm test | tail -2", "done in 3 s"), ("npm test | tail -2", "3 failed, 2 passed"), ("npm run check | tail -3", "sh: tsc: command not found"),
    ("npm run build | tail -3", "built"), ("python test_a.py | tail -1", "ok"),
)  # fmt: skip


@pytest.mark.parametrize(("command", "output"), GREEN)
def test_a_check_whose_exit_code_is_hidden_counts_by_what_it_showed(command: str, output: str) -> None:
    turn = Maker("Fix it").step(None, edit("a.ts")).step(None, bash(command, output)).say("Done.").turn()
    assert context_from_turn(turn).write_proof == "output"
    assert context_from_turn(turn).unverified_write is True
    assert fired(turn) == []
    assert reason(turn, "verify_before_done") == "a check whose exit code is hidden showed no failure"


@pytest.mark.parametrize(("command", "output"), NOT_GREEN)
def test_a_hidden_exit_code_with_nothing_green_to_see_proves_nothing(command: str, output: str) -> None:
    turn = Maker("Fix it").step(None, edit("a.ts")).step(None, bash(command, output)).say("Done.").turn()
    assert context_from_turn(turn).write_proof == ""
    assert fired(turn)[0] in ("verify_before_done", "verify_failed")


def test_a_green_pipe_behind_a_red_check_ends_the_red_and_a_later_edit_ends_the_green() -> None:
    piped = bash("npm run check | tail -3", "No fixes applied.")
    made = Maker("Fix it").step(None, edit("a.ts")).step(None, run_tests(False)).step(None, edit("a.ts")).step(None, piped)
    assert fired(made.say("Done.").turn()) == []
    assert fired(made.step(None, edit("a.ts", "y")).say("Done.").turn())[-1] == "verify_before_done"


def wrote(path: str) -> dict[str, Any]:
    return {"name": "Write", "input": {"file_path": path, "content": "x"}}


@pytest.mark.parametrize(
    ("path", "command"),
    [
        ("/app/hello.sh", "chmod +x /app/hello.sh && /app/hello.sh"), ("hello.py", "python3 hello.py --name Ana"), ("a/b.js", "cd a && node b.js | head"),
        ("x.py", "uv run x.py"), ("x.py", "FOO=1 timeout 5 python x.py"),
    ],
)  # fmt: skip
def test_a_script_that_was_written_and_ran_well_is_checked(path: str, command: str) -> None:
    turn = Maker("Write it").step(None, wrote(path)).step(None, bash(command, "Hello")).say("Done.").turn()
    assert context_from_turn(turn).write_proof == "run"
    assert fired(turn) == []


@pytest.mark.parametrize(
    "call",
    [
        bash("cat hello.py"), bash("python other.py"), bash("python hello.py", "Traceback (most recent call last):\nValueError: 1 error", failed=True),
        bash("python hello.py", "2 errors"), bash("python hello.py", exit_code=1), bash("python -m hello"),
        bash("git add hello.py"), bash("python -c hello.py"),
    ],
)  # fmt: skip
def test_what_did_not_run_it_or_ran_badly_proves_nothing(call: dict[str, Any]) -> None:
    assert fired(Maker("Write it").step(None, wrote("hello.py")).step(None, call).say("Done.").turn()) == ["verify_before_done"]


def test_every_file_that_was_written_has_to_run() -> None:
    made = Maker("Write them").step(None, wrote("a.py"), wrote("b.py")).step(None, bash("python a.py", "1"))
    assert fired(made.say("Done.").turn()) == ["verify_before_done"]
    assert fired(made.step(None, bash("python b.py", "2")).say("Done.").turn())[1:] == []


def test_an_editor_that_names_no_file_edits_the_one_that_is_open() -> None:
    opened, changed = {"name": "open", "input": {"path": "tests/colon.py"}}, {"name": "edit", "input": {"search": "a", "replace": "b"}}
    turn = Maker("Fix it").step(None, opened).step(None, changed).step(None, bash("python tests/colon.py", "8.2")).say("Done.").turn()
    assert fired(turn) == []


@pytest.mark.parametrize("words", ["Write a game. No need to run it.", "Add it, but don't run the tests.", "Écris-le, inutile de le lancer."])
def test_a_user_who_wants_nothing_run_is_heeded(words: str) -> None:
    turn = Maker(words).step(None, edit("a.py")).say("Done.").turn()
    assert fired(turn) == []
    assert reason(turn, "verify_before_done") == "the user said that nothing needs to be run"


def test_a_command_inside_of_code_that_calls_tools_is_a_check() -> None:
    def told(output: str) -> Turn:
        code = 'const r = await tools.exec_command({"cmd":"cargo fmt --check && cargo test --workspace","yield_time_ms":30000});\ntext(r.output);'
        return Maker("Fix it").step(None, edit("a.rs")).step(None, {"name": "exec", "input": code, "output": output}).say("Done.").turn()

    passed = "test result: ok. 7 passed; 0 failed; 0 ignored\n   Doc-tests core\nrunning 0 tests\ntest result: ok. 0 passed; 0 failed; 0 ignored\n"
    assert fired(told(f"Script completed\n{passed}")) == []
    assert fired(told(f"Script completed\n{passed.replace('ok. 7 passed; 0', 'FAILED. 6 passed; 1', 1)}")) == ["verify_failed"]
    assert fired(told("Script completed")) == ["verify_before_done"], "the code ended well, and nobody knows how the command did"


@pytest.mark.parametrize("name", ["finish", "submit", "attempt_completion"])
def test_an_agent_that_ends_by_a_tool_has_ended(name: str) -> None:
    turn = Maker("Fix it").step(None, edit("a.py")).step("Let's submit.", {"name": name, "input": {}}).turn()
    explained = explain_rules(turn)
    assert [point.phase for point in explained.points] == ["tools", "final"]
    assert explained.ending is not None
    assert explained.ending.code == "verify_before_done"


def test_what_a_finishing_tool_takes_as_the_answer_is_judged() -> None:
    turn = Maker("Fix it").step(None, read("a.py")).step("Finishing.", {"name": "finish", "input": {"message": "Remaining: the tests."}}).turn()
    assert context_from_turn(turn).final_text == "Remaining: the tests."
    assert fired(turn) == ["remaining_work"]
    assert fired(Maker("Finish please").step(None, {"name": "finish", "input": {}}).turn()) == []


@pytest.mark.parametrize(
    ("made", "due"),
    [
        (Maker("Sell").step("Sales grew by 4 %.", {"name": "present_files", "input": {}}).say(""), []),
        (Maker("Sell").step(None, {"name": "ask_clarification", "input": {"question": "Which?"}, "output": "Which?"}).say(""), []),
        (Maker("Sell").step("The sum is 4.", reason=None).say(""), []),
        (Maker("Sell").step("I'll update the list.", {"name": "TodoWrite", "input": {}}).say(""), ["empty_final_response"]),
        (Maker("Sell").step("The sum follows.", read("a.py")).say(""), ["empty_final_response"]),
        (Maker("Sell").step(None, {"name": "present_files", "input": {}}).say(""), ["empty_final_response"]),
    ],
)
def test_a_blank_step_behind_the_answer_is_no_empty_answer(made: Maker, due: list[str]) -> None:
    assert fired(made.turn()) == due


def test_a_placeholder_is_no_finish_reason() -> None:
    assert explain_rules(Maker("Sell").say("", reason="[trimmed for fixture]").turn(state=None)).points == ()
    assert fired(Maker("Sell").say("", reason="stop").turn(state=None)) == ["empty_final_response"]


@pytest.mark.parametrize(
    ("said", "answer", "due"),
    [
        ("ok", "All committed, all checks pass.", []), ("👍", "The sum is 4.", []), ("d'accord", "Tout est fait.", []),
        ("ok", "Shall I merge it?", ["go_ahead"]), ("ok", "I can add a cache if you like.", ["go_ahead"]), ("yes", "Next I'll add the cache.", ["go_ahead"]),
        ("go", "All committed, all checks pass.", ["go_ahead"]), ("ok, continue", "The sum is 4.", ["go_ahead"]),
    ],
)  # fmt: skip
def test_a_mere_yes_needs_something_to_agree_to(said: str, answer: str, due: list[str]) -> None:
    before = Maker("Fix it").say(answer).turn()
    assert fired(Maker(said).say("Great.").turn(), earlier=[before]) == due


def test_an_agent_that_was_offered_no_tools_could_not_have_acted() -> None:
    turn = Maker("Grade it").say("I'll check the answer now.").turn()
    bare = turn.model_copy(update={"calls": tuple(call.model_copy(update={"extra": '{"tools":[]}'}) for call in turn.calls)})
    some = turn.model_copy(update={"calls": tuple(call.model_copy(update={"extra": '{"tools":[{"name":"ls"}]}'}) for call in turn.calls)})
    assert (fired(turn), fired(some), fired(bare)) == (["no_action"], ["no_action"], [])
    assert reason(bare, "no_action") == "the agent was offered no tools"
