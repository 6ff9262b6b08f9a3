"""`python -m agentnb.doctor [WORKSPACE]`: works even where `anb` does not start."""

from __future__ import annotations

import sys

from agentnb.doctor.report import run

if __name__ == "__main__":
    sys.exit(run(*sys.argv[1:2]))
