"""Recorded calls of any agent become script rows: the program that was submitted, and what the recording proves about its end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.scripts import PROGRAM_COLUMNS, ROW_COLUMNS, code_tool, rows_of_calls
from agentnb.values import ScriptRow
from agentnb.values.scripts import ScriptProgram


def made(*calls: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of both tables as one, checked against their values."""
    columns = rows_of_calls([{"call_id": f"c{place}", "turn_id": "t", "name": "Bash"} | call for place, call in enumerate(calls)])
    assert tuple(columns.rows) == ROW_COLUMNS == tuple(ScriptRow.model_fields)
    assert tuple(columns.programs) == PROGRAM_COLUMNS == tuple(ScriptProgram.model_fields)
    rows = [dict(zip(columns.rows, values, strict=True)) for values in zip(*columns.rows.values(), strict=True)]
    programs = [dict(zip(columns.programs, values, strict=True)) for values in zip(*columns.programs.values(), strict=True)]
    for row in rows:
        ScriptRow.model_validate({name: value for name, value in row.items() if value is not None})
    for program in programs:
        ScriptProgram.model_validate(program)
    by_call = {row["call_id"]: {name: value for name, value in row.items() if name != "text"} for row in rows}
    return [program | by_call.get(program["call_id"], {}) for program in programs]


def program_of(name: str, arguments: Any) -> tuple[Any, ...] | None:
    found = made({"name": name, "input": json.dumps(arguments)})
    return (found[0]["text"], found[0]["argument"], found[0]["language"]) if found else None


@pytest.mark.parametrize(
    "name",
    [
        "Bash",
        "shell",
        "exec",
        "exec_command",
        "local_shell",
        "python",
        "ipython",
        "jupyter",
        "code_interpreter",
        "code_execution",
        "bash_code_execution",
        "run_command",
        "execute_bash",
        "execute_ipython_cell",
        "computer_terminal",
        "Computer_terminal",
        "run_in_terminal",
        "python_interpreter",
        "run_python",
        "sandbox_exec",
        "bash_command",
        "run_shell_command",
        "Execute",
        "execute_command",
        "PowerShell",
        "python_repl_ast",
        "run_terminal_cmd",
        "mcp__ide__executeCode",
        "functions.exec_command",
        "container.exec",
        "run_javascript",
        "run_code",
        "run",
    ],
)
def test_a_tool_that_runs_code_is_known_by_its_name(name: str) -> None:
    assert code_tool(name) is not None


@pytest.mark.parametrize(
    "name",
    [
        "apply_patch",
        "edit",
        "str_replace_editor",
        "text_editor_code_execution",
        "write_stdin",
        "BashOutput",
        "KillShell",
        "calculator",
        "run_tests",
        "execute_query",
        "code_search",
        "process",
        "wait",
        "search",
        "computer",
        "run_agent",
        "NotebookEdit",
        "getcodecontent_for_flow_study",
        "",
        " ",
        "x" * 100_000,
        "\ud800",
    ],
)
def test_a_tool_that_edits_types_or_asks_runs_no_code(name: str) -> None:
    assert code_tool(name) is None


@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("Bash", {"command": "ls", "description": "List"}, ("ls", "command", "bash")),
        ("shell", {"command": ["bash", "-lc", "ls -la"]}, ("ls -la", "command", "bash")),
        ("shell", {"command": ["ls", "my file"]}, ("ls 'my file'", "command", None)),
        ("shell", {"command": ["/usr/bin/python3", "-c", "print(1)"]}, ("print(1)", "command", "python")),
        ("shell", {"command": ["pwsh", "-NoProfile", "-Command", "ls"]}, ("ls", "command", "powershell")),
        ("shell", {"commands": ["cd x", "ls"]}, ("cd x\nls", "commands", None)),
        ("shell", '{"command": ["ls"]}', ("ls", "command", None)),
        ("local_shell", {"action": {"type": "exec", "command": ["bash", "-lc", "ls"]}}, ("ls", "command", "bash")),
        ("exec", "const r = 1;", ("const r = 1;", "input", "javascript")),
        ("python_interpreter", "print(1)", ("print(1)", "input", "python")),
        ("exec_command", {"cmd": "ls"}, ("ls", "cmd", None)),
        ("exec_command", {"cmd": "python3 - <<'PY'\nprint(1)\nPY"}, ("python3 - <<'PY'\nprint(1)\nPY", "cmd", "python")),
        ("exec_command", {"cmd": "python -c 'print(1)'"}, ("python -c 'print(1)'", "cmd", "python")),
        ("exec_command", {"cmd": "#!/usr/bin/env node\nx()"}, ("#!/usr/bin/env node\nx()", "cmd", "javascript")),
        ("exec_command", {"cmd": "cat <<EOF > x"}, ("cat <<EOF > x", "cmd", None)),
        ("bash_command", {"keystrokes": "ls\n", "duration": 0.1}, ("ls\n", "keystrokes", "bash")),
        ("Computer_terminal", {"language": "Python", "code": "x"}, ("x", "code", "python")),
        ("code_execution", {"type": "bash_code_execution", "command": "ls"}, ("ls", "command", "bash")),
        ("jupyter", {"cells": [{"source": ["a\n", "b"]}, "c"]}, ("a\nb\nc", "cells", "python")),
        ("python_repl_ast", {"query": "1 + 1"}, ("1 + 1", "query", "python")),
        ("run_code", {"code": ""}, ("", "code", None)),
        ("Bash", "text", None),
        ("Bash", {"restart": True}, None),
        ("Bash", {"command": 5}, None),
        ("Bash", [], None),
        ("shell", {"command": ["ls", 5]}, None),
        ("code_execution", {"type": "text_editor_code_execution", "command": "create", "path": "x", "file_text": "y"}, None),
        ("execute_bash", {"command": "C-c", "is_input": "true"}, None),
        ("bash_command", {"keystrokes": "C-c"}, None),
        ("bash_command", {"keystrokes": "Escape Enter"}, None),
        ("bash_command", {"keystrokes": "Enterprise --help\n"}, ("Enterprise --help\n", "keystrokes", "bash")),
    ],
)
def test_the_program_is_found_in_the_arguments(name: str, arguments: Any, expected: tuple[Any, ...] | None) -> None:
    assert program_of(name, arguments) == expected


@pytest.mark.parametrize("recorded", ["not json", "", None, "[" * 3000 + "]" * 3000, '{"command": NaN}', '{"command": null}', "{}", b"\xff", "5", "null"])
def test_arguments_of_any_shape_hold_no_program_and_never_raise(recorded: Any) -> None:
    assert made({"input": recorded}) == []


def test_a_lone_surrogate_is_counted_and_can_be_stored() -> None:
    (row,) = made({"input": '{"command": "\\ud800"}'})
    assert (row["bytes"], row["text"]) == (3, "\\ud800")


CODEX = "Command: ls\nChunk ID: 1\nWall time: 0.1 seconds\n"


@pytest.mark.parametrize(
    ("call", "outcome", "exit_code", "cause"),
    [
        ({"state": "unanswered"}, "submitted", None, None),
        ({"state": "running"}, "submitted", None, "running"),
        ({"state": "running", "exit_code": 0}, "completed", 0, None),
        ({"exit_code": 0, "state": "done"}, "completed", 0, None),
        ({"exit_code": 2}, "failed", 2, None),
        ({"exit_code": 0, "failed": True}, "failed", 0, None),
        ({"exit_code": 124, "failed": True, "error": "timed out after 10 s"}, "failed", 124, "timeout"),
        ({"state": "failed", "failed": True}, "failed", None, None),
        ({"state": "done", "output": "exit code 3"}, "unreported", None, None),
        ({}, "unreported", None, None),
        ({"output": CODEX + "Process exited with code 3\nOutput:\n"}, "failed", 3, None),
        ({"output": CODEX + "Process running with session ID 7\nOutput:\n"}, "submitted", None, "running"),
        ({"output": "Script completed\nWall time 0.1 seconds\nOutput:\n"}, "completed", None, None),
        ({"output": "Script running with cell ID 1\n"}, "submitted", None, "running"),
        ({"output": "Command running in background with ID: bash_1"}, "submitted", None, "running"),
        ({"output": "exitcode: 0 (execution succeeded)\nCode output: 4"}, "completed", 0, None),
        ({"output": "exitcode: 1 (execution failed)\nCode output: x"}, "failed", 1, None),
        ({"output": "<returncode>2</returncode>\n<output>\n</output>"}, "failed", 2, None),
        ({"output": "x\n[The command completed with exit code 1.]\n[Current working directory: /w]\n[Command finished with exit code 1]"}, "failed", 1, None),
        ({"output": "x\n[The command completed with exit code 0.]\n[Current working directory: /w]"}, "completed", 0, None),
        ({"output": "x\n<exited with exit code 1>"}, "failed", 1, None),
        ({"output": "Output: x\nExit Code: 2\nSignal: (none)"}, "failed", 2, None),
        ({"output": '{"output": "x", "metadata": {"exit_code": 0, "duration_seconds": 1}}'}, "completed", 0, None),
        ({"output": '{"stdout": "", "stderr": "x", "returncode": 4}'}, "failed", 4, None),
        ({"output": '{"returncode": 4}'}, "unreported", None, None),
        ({"output": "Exit code 1\nx", "failed": True}, "failed", 1, None),
        ({"output": "Exit code 1\nx"}, "unreported", None, None),
        ({"output": "x\n\nCommand exited with code 2", "failed": True}, "failed", 2, None),
        ({"output": "the log ends\nCommand exited with code 2"}, "unreported", None, None),
        ({"output": "x\nCommand failed with exit code: 1.", "failed": True}, "failed", 1, None),
        ({"output": "\nEXECUTION TIMED OUT\n(Open file: n/a)"}, "failed", None, "timeout"),
        ({"output": "Command timed out after 2m 0s", "failed": True}, "failed", None, "timeout"),
        ({"output": "Command timed out after 2m 0s"}, "unreported", None, None),
        ({"output": "Command aborted", "failed": True}, "failed", None, "interrupted"),
        ({"output": "", "error": "Command timed out before completing.", "failed": True}, "failed", None, "timeout"),
        ({"output": "x", "extra": '{"toolUseResult":{"stdout":"x","stderr":"","interrupted":false}}'}, "completed", None, None),
        ({"output": "x", "extra": '{"toolUseResult":{"stdout":"x","stderr":"","interrupted":true}}'}, "failed", None, "interrupted"),
        ({"output": "x", "extra": '{"toolUseResult":{"stdout":"\\"interrupted\\":true"}}'}, "unreported", None, None),
        ({"output": "x", "extra": '{"is_error":false}'}, "completed", None, None),
        ({"output": "x", "extra": '{"toolName":"bash","isError": false}'}, "completed", None, None),
        ({"output": "x", "extra": '{"toolUseResult":{"stdout":"x","is_error":false}}'}, "completed", None, None),
        ({"output": "x", "extra": '{"note":"\\"is_error\\":false"}'}, "unreported", None, None),
        ({"output": "x", "extra": '{"inner":{"is_error":false}}'}, "unreported", None, None),
        ({"output": "x", "extra": '{"is_error":false'}, "unreported", None, None),
        ({"output": "OCI runtime exec failed: no such container", "failed": True}, "raised", None, None),
        ({"output": 5, "error": ["x"], "extra": {}}, "unreported", None, None),
        ({"output": b"<returncode>0</returncode>"}, "completed", 0, None),
        ({"exit_code": True}, "unreported", None, None),
    ],
)
def test_a_program_ends_as_its_record_proves_and_no_better(call: dict[str, Any], outcome: str, exit_code: int | None, cause: str | None) -> None:
    (row,) = made({"input": '{"command": "ls"}'} | call)
    assert (row["outcome"], row["exit_code"], row["cause"], row["service_error"]) == (outcome, exit_code, cause, None)


def test_a_service_that_fails_without_an_exit_code_is_to_blame() -> None:
    failed = {"name": "code_execution", "input": '{"code": "1"}', "failed": True, "output": "unavailable"}
    assert [row["service_error"] for row in made(failed, failed | {"exit_code": 1})] == [True, None]


def test_calls_that_never_ran_have_no_row_and_no_number_but_their_program_is_kept() -> None:
    calls: list[dict[str, Any]] = [
        {},
        {"state": "denied"},
        {"failed": True, "output": "<tool_use_error>InputValidationError: Bash failed</tool_use_error>"},
        {"failed": True, "output": "Error: No such tool available: Bash"},
        {"failed": True, "output": "The user doesn't want to proceed with this tool use."},
        {},
    ]
    rows = made(*({"input": '{"command": "ls"}'} | call for call in calls))
    assert [row.get("dispatch") for row in rows] == [1, None, None, None, None, 2]
    assert [row["blocked"] for row in rows] == [None, "denied", "invalid_arguments", "unknown_tool", "denied", None]


def test_numbers_begin_again_in_every_turn() -> None:
    rows = made(*({"input": '{"command": "ls"}', "turn_id": turn, "turn": number} for turn, number in (("a", 1), ("b", 2), ("a", 1))))
    assert [(row["turn"], row["dispatch"]) for row in rows] == [(1, 1), (2, 1), (1, 2)]


def test_a_retry_tells_what_changed_and_a_success_ends_the_story() -> None:
    programs = [("ls x", 1), ("ls y", 0), ("pwd", 0)]
    first, retry, other = made(*({"input": json.dumps({"command": text}), "exit_code": code} for text, code in programs))
    assert (first["previous_call_id"], first["diff"]) == (None, None)
    assert (retry["previous_call_id"], retry["diff"], retry["lines_added"], retry["lines_removed"]) == ("c0", "-ls x\n+ls y", 1, 1)
    assert (other["previous_call_id"], other["diff"]) == ("c1", None)


def test_columns_and_mappings_give_the_same() -> None:
    calls: list[dict[str, Any]] = [
        {"call_id": "a", "name": "Bash", "input": '{"command": "ls"}', "exit_code": 0},
        {"call_id": "b", "name": "Read", "input": "{}", "exit_code": None},
    ]
    columns = {name: [call[name] for call in calls] for name in calls[0]}
    assert rows_of_calls(columns) == rows_of_calls(calls)
    assert rows_of_calls([]).rows == {name: [] for name in ROW_COLUMNS}
    with pytest.raises(ValueError, match="missing: \\['input'\\]"):
        rows_of_calls({"call_id": ["a"], "name": ["Bash"]})
    with pytest.raises(ValueError, match="one length"):
        rows_of_calls({"call_id": ["a"], "name": ["Bash"], "input": []})


NAMES = ["command", "code", "cells", "action", "type", "language", "cmd"]
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(["command", "code", "cells", "action", "type", "language", "cmd"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(st.sampled_from(["Bash", "exec", "shell", "python", "jupyter", "code_execution"]), anything, anything, anything)
@settings(derandomize=True, deadline=None, max_examples=200)
def test_whatever_is_recorded_a_row_holds_together(name: str, arguments: Any, output: Any, odd: Any) -> None:
    made(
        {
            "name": name,
            "input": json.dumps(arguments),
            "output": output,
            "error": odd,
            "exit_code": odd,
            "state": odd if isinstance(odd, str) else None,
            "failed": bool(odd),
        }
    )
