"""What kind of thing a tool does, whether a command runs tests, and whether these were green."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.values.test_runs import check_command, verdict_in, verdict_of_run
from agentnb.values.tool_kinds import is_mapped, needs_check, tool_kind

KINDS: tuple[tuple[str, Any, str], ...] = (
    ("Read", None, "read"), ("Grep", None, "read"), ("Glob", None, "read"), ("LS", None, "read"), ("WebSearch", None, "read"),
    ("read_many_files", None, "read"),
    ("view", None, "read"), ("browse", None, "read"), ("web_search", None, "read"), ("bing_web_search", None, "read"), ("get_user_details", None, "read"),
    ("search_direct_flight", None, "read"), ("mcp__fs__read_file", None, "read"), ("tools.fetch", None, "read"), ("list_all_airports", None, "read"),
    ("Edit", None, "write"), ("MultiEdit", None, "write"), ("Write", None, "write"), ("apply_patch", "*** Begin Patch", "write"),
    ("replace_string_in_file", None, "write"), ("NotebookEdit", None, "write"), ("update_reservation_flights", None, "write"),
    ("str_replace_editor", {"command": "view"}, "read"), ("str_replace_editor", {"command": "create"}, "write"),
    ("text_editor_code_execution", {"command": "view"}, "read"), ("str_replace_based_edit_tool", {"command": "insert"}, "write"),
    ("Bash", {"command": "ls"}, "run"), ("exec_command", {"cmd": "pwd"}, "run"), ("shell", {"command": ["bash", "-lc", "go test ./..."]}, "verify"),
    ("local_shell_call", {"action": {"command": ["pytest", "-q"]}}, "verify"), ("execute_bash", {"command": "cargo nextest run"}, "verify"),
    ("bash", {"command": "apply_patch <<'EOF'\n*** Begin Patch\nEOF"}, "write"), ("bash", {"command": "sleep 5 && sleep 1"}, "poll"),
    ("bash", {"command": "sleep 5; cat log"}, "run"), ("bash_command", {"keystrokes": ""}, "poll"), ("run_ipython", {"code": "1"}, "run"),
    ("python", None, "run"), ("code_interpreter", None, "run"), ("terminal", "ls", "run"), ("browser_navigate", None, "run"),
    ("write_stdin", {"session_id": 1, "chars": ""}, "poll"), ("write_stdin", {"chars": "y\n"}, "run"), ("BashOutput", None, "poll"), ("wait", None, "poll"),
    ("wait_for_job", None, "poll"), ("run_tests", None, "verify"), ("lint", None, "verify"), ("typecheck", None, "verify"),
    ("git", {"action": "status"}, "read"), ("git", {"action": "commit"}, "run"), ("manage_files", {"action": "mkdir"}, "read"),
    ("manage_files", {"action": "delete"}, "write"), ("lsp", {"action": "rename", "apply": True}, "write"), ("lsp", {"action": "hover"}, "read"),
    ("TodoWrite", None, "other"), ("update_plan", None, "other"), ("ask_user", None, "other"), ("Task", None, "other"), ("think", None, "other"),
    ("check_balance", None, "other"), ("cancel_reservation", None, "other"), ("", None, "other"), ("save_memory", None, "other"),
)  # fmt: skip
RUNS = (
    "pytest", "python -m pytest -q", "cd repo && FOO=1 timeout 60 uv run pytest -x", "python3 -m unittest", "npm test", "npm run test:unit", "yarn test",
    "npx vitest run", "cargo +nightly test", "go test ./...", "make -C build check", "./gradlew :app:test", "mvn -q verify", "node --test", "pnpm t",
    "python manage.py test", "npm run check", "mypy src", "cargo clippy", "npx tsc --noEmit",
    "sudo -E tox", "bundle exec rspec", "dotnet test > log.txt 2>&1", "env A=b pytest -k 'a or b'",
    "python -m pytest -k \"x|y\"",
)  # fmt: skip
NO_RUNS = (
    "pip install pytest", "echo jest", "ls tests", "pytest --collect-only", "jest --listTests", "pytest --version", "git commit -m 'add test'", "cat test_x.py",
    "python -c 'import pytest'", "npm run build", "make", "go build", "", "ruff format .", "grep -rn test .",
)  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "kind"), KINDS, ids=lambda value: str(value)[:30])
def test_the_default_map_knows_the_tools_of_coding_agents(name: str, arguments: Any, kind: str) -> None:
    assert tool_kind(name, arguments) == kind


def test_kinds_of_ones_own_come_first() -> None:
    assert tool_kind("Book Flight", tool_kinds={"bookflight": "write"}) == "write"
    assert tool_kind("x", {"dry": 1}, tool_kinds=lambda name, arguments: "read" if arguments else None) == "read"
    assert tool_kind("Read", tool_kinds=lambda name, arguments: None) == "read"
    with pytest.raises(ValueError, match="'x' is of kind 'reads'; the kinds are read"):
        tool_kind("x", tool_kinds={"x": "reads"})  # type: ignore[dict-item]


def test_a_name_that_is_not_known_says_so() -> None:
    assert is_mapped("Read")
    assert is_mapped("TodoWrite")
    assert not is_mapped("cancel_reservation")
    assert is_mapped("cancel_reservation", {"cancel_reservation": "write"})


@pytest.mark.parametrize("command", RUNS)
def test_a_test_run_is_known(command: str) -> None:
    found = check_command(command)
    assert found is not None
    assert not found.masked


@pytest.mark.parametrize("command", NO_RUNS)
def test_what_only_speaks_of_tests_is_no_test_run(command: str) -> None:
    assert check_command(command) is None


@pytest.mark.parametrize("command", ["pytest | tail -5", "pytest || true", "cd x; pytest", "pytest\necho done", "pytest & wait"])
def test_what_hides_the_exit_code_is_said(command: str) -> None:
    found = check_command(command)
    assert found is not None
    assert found.masked


VERDICTS: tuple[tuple[str, int | None, bool, str, str | None], ...] = (
    ("pytest", 0, False, "3 passed in 0.1s", "pass"),
    ("pytest", 1, True, "", "fail"),
    ("pytest", None, True, "", "fail"),
    ("pytest", 0, False, "no tests ran in 0.01s", None),
    ("pytest", 0, False, "collected 0 items", None),
    ("pytest", 0, False, "4 skipped in 0.01s", None),
    ("pytest", 0, False, "1 passed, 4 skipped in 0.01s", "pass"),
    ("go test ./...", 0, False, "?   example.com/x [no test files]", None),
    ("make test", 0, False, "", "pass"),
    ("pytest", None, False, "=== 2 failed, 3 passed in 1.20s ===", "fail"),
    ("pytest", None, False, "...", None),
    ("pytest | tail -1", 0, False, "2 failed, 3 passed in 1.20s", "fail"),
    ("pytest | tail -1", 0, False, "==== 3 passed in 1.20s ====", "pass"),
    ("pytest | tail -1", 0, False, "......", None),
    ("npx jest; true", 0, False, "Tests:       1 failed, 4 passed, 5 total", "fail"),
    ("python -m unittest 2>&1 | tail", 0, False, "Ran 3 tests in 0.01s\n\nOK", "pass"),
    ("cargo test | tail", 0, False, "test result: FAILED. 3 passed; 1 failed; 0 ignored", "fail"),
    ("python test_x.py", 0, False, "hello", None),
    ("python test_x.py", 0, False, "Ran 3 tests in 0.01s\n\nOK", "pass"),
)


@pytest.mark.parametrize(("command", "exit_code", "failed", "output", "verdict"), VERDICTS)
def test_a_run_is_judged_by_what_proves_something(command: str, exit_code: int | None, failed: bool, output: str, verdict: str | None) -> None:
    run = check_command(command)
    assert run is not None
    assert verdict_of_run(run, exit_code=exit_code, failed=failed, output=output) == verdict


@pytest.mark.parametrize(
    ("output", "verdict"), [("lint: CLEAN", "pass"), ("0 failed, all ok", "pass"), ("3 errors", "fail"), ("FAIL x", "fail"), ("hm", None), ("", None)]
)
def test_a_checker_is_judged_by_its_words(output: str, verdict: str | None) -> None:
    assert verdict_in(output) == verdict


@pytest.mark.parametrize(
    ("name", "arguments", "checked"),
    [
        ("Edit", {"file_path": "a.py"}, True), ("Edit", {"file_path": "docs/readme.md"}, False), ("Edit", {"path": "a"}, True), ("Edit", {}, True),
        ("Edit", {"file_path": "/x/.gitignore"}, False),
        ("Write", {"file_path": "Makefile"}, True), ("Write", {"file_path": "LICENSE"}, False), ("Write", {"file_path": "x.ipynb"}, True),
        ("apply_patch", {"input": "*** Begin Patch\n*** Update File: notes.txt\n"}, False), ("apply_patch", "*** Begin Patch\n*** Add File: a.rs\n", True),
        ("update_reservation", {"id": 1}, False), ("create_order", {}, False), ("apply_patch", {"changes": {"a.md": {}}}, False),
        ("exec", 'x("*** Begin Patch\\n*** Update File: README.md\\n@@")', False),
    ],
)  # fmt: skip
def test_prose_and_records_of_a_business_need_no_check(name: str, arguments: Any, checked: bool) -> None:
    assert needs_check(name, arguments) is checked


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("command", "cmd", "action", "path", "x")), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.sampled_from(("bash", "git", "lsp", "write_stdin", "str_replace_editor", "manage_files", "apply_patch", "é_x")), json_values)
def test_no_arguments_make_it_raise(name: str, arguments: Any) -> None:
    tool_kind(name, arguments)
    needs_check(name, arguments)
    is_mapped(name)


@pytest.mark.parametrize("piece", ['"', "'", "test ", "&& ", "a=b ", "pytest;", "\\\n", "> ", "uv run "])
def test_a_huge_command_is_read_in_one_go(piece: str) -> None:
    check_command("pytest " + piece * 50_000)


def test_a_run_that_is_said_to_be_done_is_green_unless_its_output_says_otherwise() -> None:
    run = check_command("npm run check")
    assert run is not None
    verdicts = [
        verdict_of_run(run, exit_code=None, failed=False, output=output, done=True)
        for output in ("Checked 120 files.", "2 errors", "Process running with session ID 7", "no tests found")
    ]
    assert verdicts == ["pass", "fail", None, None]


def test_a_name_of_a_megabyte_is_looked_at_once() -> None:
    """A recorded name of 200,000 words kept a page busy for minutes: every beginning of it was put together."""
    assert tool_kind("a_" * 500_000) == "other"
    assert tool_kind("read_file_" + "a_" * 500_000) == "read"
