"""Where the command `anb` starts, and what it does when agentnb cannot be imported.

The script points here and not at `agentnb.cli`: the other project called agentnb has a file of that name and would take the command over.
"""

from __future__ import annotations

import io
import sys


def main() -> None:
    """Run the command line; where it does not even import, say what is wrong with the installation instead."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a mark must not end the program
    try:
        from agentnb.cli import app
    except Exception as error:
        from agentnb.doctor.report import run

        sys.stderr.write(f"anb cannot start ({type(error).__name__}: {error}). This is what is wrong with the installation:\n\n")
        sys.exit(run() or 1)
    app()
