"""Which notebook is this, if it is one? Programs of two notebooks may have one name, so a record says where its program was defined."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any


def is_notebook() -> bool:
    """Tell whether this process is the kernel of a notebook."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


def notebook_file(main: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> str | None:
    """Return the file of a session's top level.

    Args:
        main: names of the module `__main__`.
        environment: environment variables; the process's own unless given.

    Returns:
        What an editor or Jupyter says the notebook is, else the script; None when nobody knows. Never a temporary file of a kernel.
    """
    env = os.environ if environment is None else environment
    for name in ("__vsc_ipynb_file__", "__session__"):
        if isinstance(main.get(name), str) and main[name]:
            return str(main[name])
    session = env.get("JPY_SESSION_NAME", "")
    if PurePath(session).suffix:
        return session
    script = main.get("__file__")
    return script if isinstance(script, str) and "ipykernel_" not in script and not PurePath(script).name.startswith("ipykernel") else None
