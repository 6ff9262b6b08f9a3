"""What does a command print in the project of a story? What it really printed when the story was rehearsed."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

OUTPUTS = Path(__file__).parent / "outputs"


class Outcome(NamedTuple):
    """What became of a command."""

    stdout: str
    stderr: str
    exit_code: int

    @property
    def text(self) -> str:
        """Both streams, as a terminal shows them, without the last line's end."""
        return (self.stdout + self.stderr).rstrip("\n")


class Bench:
    """A small project in which edits and commands happen.

    In a rehearsal there is a folder, and commands run in it. Else outputs come from the rehearsal: each is filed under a digest of
    everything that happened before it, so an output can never be shown for other files than those that it came from.
    """

    def __init__(self, name: str, home: str, *, folder: Path | None, kept: Mapping[str, Outcome]) -> None:
        """Open an empty project.

        Args:
            name: name of the story.
            home: path under which the recording shows the project.
            folder: an empty folder to run commands in; None takes outputs from `kept`.
            kept: outputs of the last rehearsal.
        """
        self.name = name
        self.home = home
        self.files: dict[str, str] = {}
        self.outputs: dict[str, Outcome] = {}
        self.commands: dict[str, str] = {}
        self._folder = folder
        self._kept = kept
        self._past = name

    def write(self, path: str, text: str) -> None:
        """Create or replace a file, given by its path in the project."""
        self.files[path] = text
        self._remember(f"write {path} {text}")
        if self._folder is not None:
            target = self._folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8", newline="")

    def run(self, command: str) -> Outcome:
        """Run a command in the project, with bash.

        Raises:
            LookupError: it was never rehearsed in this state.
        """
        key = self._remember(f"run {command}")
        if self._folder is None and key not in self._kept:
            raise LookupError(f"{self.name}: no output is kept for {command!r} in this state. Run `python -m data.make --rehearse`.")
        outcome = self._kept[key] if self._folder is None else self._really_run(command, self._folder, key)
        self.outputs[key] = outcome
        self.commands[key] = command
        return outcome

    def _remember(self, event: str) -> str:
        self._past = hashlib.sha256(f"{self._past}\n{event}".encode()).hexdigest()[:16]
        return self._past

    def _really_run(self, command: str, folder: Path, key: str) -> Outcome:
        done = subprocess.run(["bash", "-c", command], cwd=folder, env=_environment(folder), capture_output=True, timeout=60, check=False)
        return Outcome(self._tidy(done.stdout, folder, key), self._tidy(done.stderr, folder, key), done.returncode)

    def _tidy(self, output: bytes, folder: Path, key: str) -> str:
        """Show the paths of the story, and no durations or addresses that change from one rehearsal to the next."""
        text = output.decode("utf-8")
        for path, shown in ((str(folder), self.home), (sys.prefix, f"{self.home}/.venv"), (sys.base_prefix, "/usr")):
            text = text.replace(path, shown)
        text = re.sub(r" at 0x[0-9a-f]+>", " at 0x7f3a2c51d0a0>", text)
        return re.sub(r"in \d+\.\d\ds", f"in 0.{2 + int(key[0], 16) % 6:02d}s", text)


@contextmanager
def bench(name: str, home: str, *, rehearse: bool) -> Iterator[Bench]:
    """Open the project of a story; after a rehearsal keep what its commands printed."""
    if not rehearse:
        yield Bench(name, home, folder=None, kept=_kept_outputs(name))
        return
    with tempfile.TemporaryDirectory() as folder:
        project = Bench(name, home, folder=Path(folder), kept={})
        yield project
    _keep_outputs(project)


def _kept_outputs(name: str) -> dict[str, Outcome]:
    rows = json.loads((OUTPUTS / f"{name}.json").read_text(encoding="utf-8"))
    return {row["key"]: Outcome(row["stdout"], row["stderr"], row["exit_code"]) for row in rows}


def _keep_outputs(project: Bench) -> None:
    rows = [{"key": key, "command": project.commands[key], **outcome._asdict()} for key, outcome in project.outputs.items()]
    OUTPUTS.mkdir(exist_ok=True)
    (OUTPUTS / f"{project.name}.json").write_text(json.dumps(rows, indent=1, ensure_ascii=False) + "\n", encoding="utf-8", newline="\n")


def _environment(folder: Path) -> dict[str, str]:
    """Give commands an environment that says nothing about this computer."""
    moment = "2026-03-02T09:00:00+00:00"
    return {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "HOME": str(folder),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "80",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTEST_ADDOPTS": "-p no:cacheprovider",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_AUTHOR_NAME": "Ana Example",
        "GIT_AUTHOR_EMAIL": "ana@example.com",
        "GIT_AUTHOR_DATE": moment,
        "GIT_COMMITTER_NAME": "Ana Example",
        "GIT_COMMITTER_EMAIL": "ana@example.com",
        "GIT_COMMITTER_DATE": moment,
    }
