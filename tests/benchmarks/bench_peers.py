"""How long does another reader of Claude Code sessions take for the same file?

Peers live in an environment of their own, named by AGENTNB_PEERS_PYTHON (`pip install claude-code-log thk` there); without it only our own time is shown.
Each runs as a process of its own, so that its start counts for all of them. `thk` writes the messages into SQLite, `claude-code-log` makes objects of the
lines; we pair calls with results and write tables into a folder.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.benchmarks.measure import Times, print_ratios
from tests.benchmarks.recordings import write_claude_session

_OURS = "import sys, agentnb as anb; ws = anb.open(sys.argv[1], workspace=sys.argv[2]); print(ws.sql('select count(*) from calls').fetchall())"
_PEERS = {
    "claude-code-log": "import sys, pathlib, claude_code_log.converter as peer; print(len(peer.load_transcript(pathlib.Path(sys.argv[1]))))",
    "thk": "import sys; from threadkeeper.cli import app; app(['collect', '--sweep', '--claude-root', sys.argv[3]], standalone_mode=False)",
}


def main(megabytes: float = 100) -> None:
    """Print times and ratios."""
    peers = os.environ.get("AGENTNB_PEERS_PYTHON")
    with tempfile.TemporaryDirectory() as folder:
        session = Path(folder, "projects", "-invented", "6f1d0c52-8a3e-4b7f-9c21-5e0a77d4b1e8.jsonl")
        session.parent.mkdir(parents=True)
        write_claude_session(session, megabytes=megabytes)
        arguments = [str(session), str(Path(folder, "workspace")), str(Path(folder, "projects"))]
        times = {"agentnb": _run(sys.executable, _OURS, arguments, folder)}
        if peers is None:
            sys.stdout.write("AGENTNB_PEERS_PYTHON names no interpreter: no peer was run\n")
        else:
            times |= {name: _run(peers, code, arguments, folder) for name, code in _PEERS.items()}
        sys.stdout.write(f"a session of {session.stat().st_size / 1e6:,.0f} MB\n")
        print_ratios(times, against="agentnb")


def _run(python: str, code: str, arguments: list[str], home: str) -> Times:
    """Run code in a process with a home of its own and return its times."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    root = str(Path(__file__).parents[2])
    environment = os.environ | {"HOME": home, "PYTHONPATH": root if python == sys.executable else ""}
    subprocess.run([python, "-c", code, *arguments], check=True, capture_output=True, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Times(time.perf_counter() - started, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 100)
