"""What the doctor looks at: one value that holds everything it needs to know about an installation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Level = Literal["ok", "warning", "problem"]
BundleState = Literal["ok", "empty", "missing", "unreadable"]

DISTRIBUTION = "agentnb-kit"
"""What `pip install` calls us; the name `agentnb` belongs to another project."""
BUNDLE = ("agentnb.css", "approvals.js", "calltree.js", "rater.js", "replay.js", "transcript.js", "upload.js")
"""The files of agentnb/static that the browser needs."""
LAB_EXTENSIONS = {"@jupyter-widgets/jupyterlab-manager": "jupyterlab_widgets", "anywidget": "anywidget"}
"""What JupyterLab needs to show a widget, with the distribution that brings it."""


class Package(NamedTuple):
    """A library that we ask for, and what is there."""

    name: str
    """Its distribution name."""
    needed: tuple[int, ...] = ()
    """The lowest version that will do; empty when any does."""
    installed: str | None = None
    """The version that is there; None when it is missing."""
    extra: str | None = None
    """The extra that asks for it; None when we always need it."""


class Extension(NamedTuple):
    """An extension of JupyterLab that shows widgets."""

    name: str
    """Its name in JupyterLab."""
    folder: str | None = None
    """Where it is installed; None when it is not."""


class Blocked(NamedTuple):
    """An extension, or one plugin of it, that a configuration file switches off."""

    name: str
    """The name as the file has it, such as anywidget or anywidget:plugin."""
    file: str
    """The file that decides."""
    level: str | None = None
    """JupyterLab's word for where that file is: user, sys_prefix or system; None when it is elsewhere and must be edited."""
    locked_at: str | None = None
    """The level at which the extension is locked as well; None when it is not."""


class Kernel(NamedTuple):
    """A kernel that a notebook can choose."""

    name: str
    """Its name, such as python3."""
    program: str
    """What it starts: the path of a Python."""
    here: bool
    """Whether that is the Python in which agentnb is installed."""


class Folder(NamedTuple):
    """A workspace folder that was asked about."""

    path: str
    """The folder as it was given."""
    error: str | None = None
    """What the system said when we wrote there; None when it worked."""
    denied: str | None = None
    """The folder whose permissions were the reason; None when it was another."""


class Finding(NamedTuple):
    """One thing the doctor says."""

    level: Level
    """ok, warning or problem."""
    subject: str
    """What it is about, in a word or two."""
    text: str
    """What is so, in one sentence."""
    command: str | None = None
    """What to run, exactly; None when there is nothing to run."""


@dataclass(frozen=True, kw_only=True)
class Installation:
    """Everything the doctor knows about an installation. The defaults describe a healthy one without JupyterLab."""

    python: str
    """Path of the Python that runs."""
    python_version: tuple[int, int] = (3, 11)
    """Its version."""
    python_needed: tuple[int, ...] = (3, 11)
    """The lowest version that will do."""
    version: str | None = "0.1.0"
    """Our version as installed; None when agentnb runs from a folder that was never installed."""
    imported_from: str
    """Folder from which Python imports agentnb."""
    installed_in: str | None = None
    """Folder where pip put it; None when that is not known."""
    checkout: str | None = None
    """The source folder, where agentnb runs from its sources; else None."""
    owners: tuple[str, ...] = (DISTRIBUTION,)
    """Distributions that hold an import package called agentnb."""
    script_owners: tuple[str, ...] = (DISTRIBUTION,)
    """Distributions that bring a command called anb."""
    changed_files: tuple[str, ...] = ()
    """Our files that are not as they were installed: replaced, cut or gone."""
    script_folder: str
    """Folder of this Python's commands."""
    script: str | None = None
    """The `anb` that a terminal finds; None when it finds none."""
    packages: tuple[Package, ...] = ()
    """The libraries that we ask for."""
    bundle: tuple[tuple[str, BundleState], ...] = ()
    """Files that the browser needs, with what became of them."""
    lab: str | None = None
    """The `jupyter-lab` that a terminal finds; None when it finds none."""
    extensions: tuple[Extension, ...] = tuple(Extension(name) for name in LAB_EXTENSIONS)
    """What JupyterLab needs to show a widget."""
    blocked: tuple[Blocked, ...] = ()
    """What of it is switched off."""
    kernels: tuple[Kernel, ...] = ()
    """The kernels that a notebook can choose, in Jupyter's order."""
    workspace: Folder | None = None
    """The workspace folder that was asked about."""
