"""WHAT IS WRONG WITH THIS INSTALLATION, and which command puts it right.

`gather` looks at the computer and returns an `Installation`; `examine` is a pure function from that value to findings. This room needs nothing but
Python itself, since it has to speak when everything else is broken: when another project's files replaced ours, when a library is missing or too old.
"""

from __future__ import annotations

from agentnb.doctor.checks import examine
from agentnb.doctor.gather import gather
from agentnb.doctor.installation import Blocked, Extension, Finding, Folder, Installation, Kernel, Package
from agentnb.doctor.report import plain_report, run

__all__ = ["Blocked", "Extension", "Finding", "Folder", "Installation", "Kernel", "Package", "examine", "gather", "plain_report", "run"]
