"""Processes that are killed by the hundred: forked from one that has everything imported, so that each begins at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import traceback
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.conversations.torture.killing import Death
from tests.conversations.torture.worker import Job, warm_up, work


class Nursery:
    """Starts workers; a context."""

    def __init__(self, root: Path, said: Path) -> None:
        """Prepare; what workers say, among it why they fail, goes to the file `said`."""
        self._root, self.said = root, said

    def __enter__(self) -> Nursery:
        self._process = subprocess.Popen(
            [sys.executable, "-W", "error", "-m", __name__, str(self.said)], cwd=self._root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._process.communicate()

    def start(self, job: Job) -> int:
        """Start a worker, and return the id of its process."""
        pid: int = self._ask(["start", job._asdict() | {"death": list(job.death)}])
        return pid

    def wait(self, pid: int) -> int:
        """Wait for the end of a worker; returns the number of its writes, or minus the signal that killed it."""
        status: int = self._ask(["wait", pid])
        return status

    def run(self, job: Job) -> int:
        """Start a worker and wait for its end."""
        return self.wait(self.start(job))

    def _ask(self, command: list[Any]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(command) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline())
        if isinstance(answer, str):
            raise AssertionError(f"{answer}\n{self.said.read_text(encoding='utf-8')[-20_000:]}")
        return answer


def _serve(said: str) -> None:
    warm_up()
    pipes: dict[int, int] = {}
    for line in sys.stdin:
        command, given = json.loads(line)
        answer = _start(given, said, pipes) if command == "start" else _wait(given, pipes)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _start(given: dict[str, Any], said: str, pipes: dict[int, int]) -> int:
    receive, send = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receive)
        os.dup2(os.open(said, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), 2)
        try:
            os.write(send, str(work(Job(**given | {"death": Death(*given["death"])}))).encode())
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    os.close(send)
    pipes[pid] = receive
    return pid


def _wait(pid: int, pipes: dict[int, int]) -> int | str:
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    with os.fdopen(pipes.pop(pid), "rb") as pipe:
        written = pipe.read()
    if code > 0:
        return f"a worker failed with code {code}"
    return int(written) if code == 0 else code


if __name__ == "__main__":
    _serve(sys.argv[1])
