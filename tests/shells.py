"""An IPython shell in the process of the tests, with what agentnb adds to one."""

from __future__ import annotations

from typing import Any

from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from agentnb.display import register


def make_shell() -> InteractiveShell:
    """Make a shell that keeps no history, with the magics and displays of the package."""
    settings = Config()
    settings.HistoryManager.enabled = False
    made: Any = InteractiveShell
    shell: InteractiveShell = made(config=settings)
    shell.run_line_magic("load_ext", "agentnb")
    register(shell)
    return shell
