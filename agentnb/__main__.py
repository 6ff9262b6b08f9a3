"""`python -m agentnb` is `anb`."""

from __future__ import annotations

from agentnb.launch import main

if __name__ == "__main__":
    main()
