"""What do the tools of a coding agent answer? Done on the bench, in the shapes of Claude Code."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from datetime import datetime

from data.make.bench import Bench
from data.make.claude_code import Job, Record, Result

_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, the new_string was NOT written to the file)."
    " To tell you how to proceed, the user said:\n"
)


class CodingTools:
    """Makes the tool calls of one agent; remembers which files it has read."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._seen: set[str] = set()
        self._todos: list[Record] = []

    def bash(self, command: str, description: str, *, seconds: float = 0.9) -> Job:
        """Run a command."""
        return Job("Bash", {"command": command, "description": description}, lambda start: self._run(command, seconds))

    def denied(self, command: str, description: str, *, reason: str, seconds: float = 11.0) -> Job:
        """Ask for a command that a person refuses."""
        text = _REFUSED + reason
        return Job("Bash", {"command": command, "description": description}, lambda start: Result(text, f"Error: {text}", True, seconds, denied=True))

    def read(self, path: str) -> Job:
        """Read a file, given by its path in the project."""
        return Job("Read", {"file_path": self._full(path)}, lambda start: self._read(path))

    def edit(self, path: str, old: str, new: str) -> Job:
        """Replace one piece of a file."""
        arguments = {"replace_all": False, "file_path": self._full(path), "old_string": old, "new_string": new}
        return Job("Edit", arguments, lambda start: self._edit(path, old, new))

    def write(self, path: str, text: str) -> Job:
        """Write a whole file."""
        return Job("Write", {"file_path": self._full(path), "content": text}, lambda start: self._write(path, text))

    def unanswered_edit(self, path: str, old: str, new: str) -> Job:
        """Ask for an edit that never happens, since a person interrupts."""
        return self.edit(path, old, new)._replace(perform=None)

    def grep(self, pattern: str, *, content: bool = False) -> Job:
        """Search the project."""
        mode = "content" if content else "files_with_matches"
        return Job("Grep", {"pattern": pattern, "output_mode": mode}, lambda start: self._grep(pattern, content))

    def todos(self, *items: tuple[str, str]) -> Job:
        """Write the list of things to do: pairs of text and status."""
        todos = [{"content": text, "status": status, "activeForm": f"Working: {text}"} for text, status in items]
        return Job("TodoWrite", {"todos": todos}, lambda start: self._todo(todos))

    def _full(self, path: str) -> str:
        return f"{self._bench.home}/{path}"

    def _run(self, command: str, seconds: float) -> Result:
        outcome = self._bench.run(command)
        if outcome.exit_code:
            text = f"Exit code {outcome.exit_code}\n{outcome.text}".rstrip("\n")
            return Result(text, f"Error: {text}", True, seconds)
        detail = {"stdout": outcome.stdout.rstrip("\n"), "stderr": outcome.stderr.rstrip("\n"), "interrupted": False, "isImage": False}
        return Result(outcome.text, detail, False, seconds)

    def _read(self, path: str) -> Result:
        if path not in self._bench.files:
            return _tool_error("File does not exist.")
        self._seen.add(path)
        text = self._bench.files[path]
        lines = text.split("\n")
        file = {"filePath": self._full(path), "content": text, "numLines": len(lines), "startLine": 1, "totalLines": len(lines)}
        return Result(numbered(lines), {"type": "text", "file": file}, seconds=0.02)

    def _edit(self, path: str, old: str, new: str) -> Result:
        if path not in self._bench.files:
            return _tool_error("File does not exist.")
        if path not in self._seen:
            return _tool_error("File has not been read yet. Read it first before writing to it.")
        before = self._bench.files[path]
        if old not in before:
            return _tool_error(f"String to replace not found in file.\nString: {old}")
        after = before.replace(old, new, 1)
        self._bench.write(path, after)
        detail = {"filePath": self._full(path), "oldString": old, "newString": new, "originalFile": before, "structuredPatch": patch(before, after)}
        return Result(f"The file {self._full(path)} has been updated successfully.", {**detail, "userModified": False, "replaceAll": False}, seconds=0.03)

    def _write(self, path: str, text: str) -> Result:
        before = self._bench.files.get(path)
        if before is not None and path not in self._seen:
            return _tool_error("File has not been read yet. Read it first before writing to it.")
        self._seen.add(path)
        self._bench.write(path, text)
        kind, said = ("create", f"File created successfully at: {self._full(path)}") if before is None else ("update", _updated(self._full(path)))
        changes = [] if before is None else patch(before, text)
        detail = {"type": kind, "filePath": self._full(path), "content": text, "structuredPatch": changes, "originalFile": before}
        return Result(said, detail, seconds=0.03)

    def _grep(self, pattern: str, content: bool) -> Result:
        found = {path: text for path, text in sorted(self._bench.files.items()) if re.search(pattern, text)}
        if not content:
            names = [self._full(path) for path in found]
            said = "No files found" if not names else "\n".join([f"Found {len(names)} files", *names])
            return Result(said, {"mode": "files_with_matches", "filenames": names, "numFiles": len(names)}, seconds=0.1)
        lines = [f"{path}:{number}:{line}" for path, text in found.items() for number, line in enumerate(text.split("\n"), 1) if re.search(pattern, line)]
        said = "\n".join(lines) or "No matches found"
        return Result(said, {"mode": "content", "numFiles": 0, "filenames": [], "content": said, "numLines": len(lines)}, seconds=0.1)

    def _todo(self, todos: list[Record]) -> Result:
        before, self._todos = self._todos, todos
        return Result("Todos have been modified successfully.", {"oldTodos": before, "newTodos": todos}, seconds=0.01)


def task(description: str, prompt: str, kind: str, run: Callable[[datetime], Result]) -> Job:
    """Give a task to a sub-agent; `run` takes the starting time and returns the result."""
    return Job("Task", {"description": description, "prompt": prompt, "subagent_type": kind}, run)


def numbered(lines: Sequence[str]) -> str:
    """Number lines as the reading tool shows them."""
    return "\n".join(f"{number:>6}→{line}" for number, line in enumerate(lines, 1))


def patch(before: str, after: str) -> list[Record]:
    """Return the hunks that lead from one text to another."""
    hunks: list[Record] = []
    for line in list(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3))[2:]:
        head = re.match(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@", line)
        if head is None:
            hunks[-1]["lines"].append(line)
            continue
        old, old_lines, new, new_lines = (1 if number is None else int(number) for number in head.groups())
        hunks.append({"oldStart": old, "oldLines": old_lines, "newStart": new, "newLines": new_lines, "lines": []})
    return hunks


def _updated(path: str) -> str:
    return f"The file {path} has been updated successfully."


def _tool_error(message: str) -> Result:
    return Result(f"<tool_use_error>{message}</tool_use_error>", f"Error: {message}", True, 0.01)
