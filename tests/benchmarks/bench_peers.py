"""How long does another reader of Claude Code sessions take for the same file?

Peers live in an environment of their own, named by AGENTNB_PEERS_PYTHON (`pip install claude-code-log thk` there); without it only our own time is shown.
Each runs as a process of its own, so that its start counts for all of them. `thk` writes the messages into SQLite, `claude-code-log` makes objects of the
lines; we pair calls with results and write tables into a folder.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import agentnb as anb

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
        counted, found = _counted_tokens(session), _found_tokens(session)
        sys.stdout.write(f"tokens counted in the lines {counted}, in the tables {found}: {'equal' if counted == found else 'DIFFERENT'}\n")


def _counted_tokens(session: Path) -> dict[str, int]:
    """Count tokens in the lines themselves: every line of a message repeats its usage, which counts once."""
    lines = (json.loads(line) for line in session.open("rb"))
    usage = {(line["message"]["id"], line.get("requestId")): line["message"]["usage"] for line in lines if line["type"] == "assistant"}
    read, written = (sum(item[f"cache_{name}_input_tokens"] for item in usage.values()) for name in ("read", "creation"))
    return {"messages": len(usage), "read from the cache": read, "written to it": written}


def _found_tokens(session: Path) -> dict[str, int]:
    with anb.open(session) as ws:
        found = ws.sql("select count(*), sum(cached_tokens), sum(cache_write_tokens) from steps").fetchall()[0]
    return dict(zip(("messages", "read from the cache", "written to it"), map(int, found), strict=True))


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
