"""From an installation to what is wrong with it: pure functions, one for each thing that can be."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from pathlib import PurePath

from agentnb.doctor.installation import DISTRIBUTION, LAB_EXTENSIONS, Blocked, Finding, Installation, Package


def examine(installation: Installation) -> tuple[Finding, ...]:
    """Say what is right and what is wrong with an installation, in the order in which it should be put right.

    Args:
        installation: What `gather` saw, or what a test made up.

    Returns:
        At least one finding for each check that applies.
    """
    return tuple(finding for check in CHECKS for finding in check(installation))


def check_python(installation: Installation) -> Iterator[Finding]:
    """Is this Python new enough?"""
    has, needs = _dotted(installation.python_version), _dotted(installation.python_needed)
    if installation.python_version < installation.python_needed:
        command = f"python{needs} -m venv .venv && .venv/bin/python -m pip install {DISTRIBUTION}"
        yield Finding("problem", "Python", f"This is Python {has}, and agentnb needs {needs} or newer.", command)
    else:
        yield Finding("ok", "Python", f"Python {has} at {installation.python}.")


def check_names(installation: Installation) -> Iterator[Finding]:
    """Does the name `agentnb`, and do our files, belong to us alone?"""
    others = sorted({*installation.owners, *installation.script_owners} - {DISTRIBUTION})
    if others:
        text = f"Another project brings an import package or a command of our name: {', '.join(others)}. It and {DISTRIBUTION} overwrite each other's files."
        yield Finding("problem", "agentnb", text, _reinstall(installation, *others))
    elif installation.version is None:
        text = f"agentnb is imported from {installation.imported_from}, a folder that was never installed."
        target = ["--editable", installation.checkout] if installation.checkout else [DISTRIBUTION]
        yield Finding("warning", "agentnb", text, _pip(installation, "install", *target))
    elif installation.changed_files:
        text = f"{len(installation.changed_files)} of our files are not as they were installed: {_some(installation.changed_files)}."
        yield Finding("problem", "agentnb", text, _reinstall(installation))
    elif installation.installed_in not in (None, installation.imported_from):
        text = f"Python imports agentnb from {installation.imported_from}, which hides the one installed in {installation.installed_in}."
        yield Finding("warning", "agentnb", text, "unset PYTHONPATH && cd")
    else:
        yield Finding("ok", "agentnb", f"{DISTRIBUTION} {installation.version} in {installation.imported_from}.")


def check_command(installation: Installation) -> Iterator[Finding]:
    """Is the `anb` that a terminal finds the one of this Python?"""
    if installation.version is None:
        return
    activate = f". {shlex.quote(str(PurePath(installation.script_folder, 'activate')))}"
    if installation.script is None:
        yield Finding("warning", "anb", f"A terminal does not find the command anb; it is in {installation.script_folder}.", activate)
    elif str(PurePath(installation.script).parent) != installation.script_folder:
        yield Finding("warning", "anb", f"A terminal finds {installation.script}, which belongs to another Python than this one.", activate)
    else:
        yield Finding("ok", "anb", f"The command is {installation.script}.")


def check_libraries(installation: Installation) -> Iterator[Finding]:
    """Is each library there that we always need, and new enough?"""
    needed = [package for package in installation.packages if package.extra is None]
    bad = [package for package in needed if _lacks(package)]
    if bad:
        text = " ".join(_lack(package) for package in bad)
        yield Finding("problem", "libraries", text, _pip(installation, "install", "--upgrade", *map(_requirement, bad)))
    elif needed:
        yield Finding("ok", "libraries", f"All {len(needed)} libraries that agentnb needs are here and new enough.")


def check_extras(installation: Installation) -> Iterator[Finding]:
    """Is each extra complete?"""
    wanted = sorted((package for package in installation.packages if package.extra is not None), key=lambda package: str(package.extra))
    for extra, group in groupby(wanted, key=lambda package: str(package.extra)):
        packages = tuple(group)
        lacking = [package for package in packages if _lacks(package)]
        if lacking:
            text = f"The extra {extra} is not complete. {' '.join(_lack(package) for package in lacking)}"
            yield Finding("warning", f"extra {extra}", text, _pip(installation, "install", f"{DISTRIBUTION}[{extra}]"))
        else:
            yield Finding("ok", f"extra {extra}", f"{', '.join(f'{package.name} {package.installed}' for package in packages)}.")


def check_bundle(installation: Installation) -> Iterator[Finding]:
    """Are the files that the browser needs here and readable?"""
    bad = [f"{name} ({state})" for name, state in installation.bundle if state != "ok"]
    if bad:
        text = f"The widgets cannot be shown, because of files in {installation.imported_from}: {_some(bad)}."
        restore = ["git", "-C", installation.checkout, "checkout", "--", "agentnb/static"] if installation.checkout else []
        yield Finding("problem", "widgets", text, shlex.join(restore) or _reinstall(installation))


def check_extensions(installation: Installation) -> Iterator[Finding]:
    """Can JupyterLab show our widgets?"""
    if not _has_lab(installation):
        return
    missing = [extension.name for extension in installation.extensions if extension.folder is None]
    for name in missing:
        text = f"JupyterLab lacks the extension {name}, so widgets stay plain HTML."
        yield Finding("problem", "widgets", text, _pip(installation, "install", "--force-reinstall", "--no-deps", LAB_EXTENSIONS[name]))
    for blocked in installation.blocked:
        yield Finding("problem", "widgets", _blocked_text(blocked), _unblock(installation, blocked))
    if not missing and not installation.blocked:
        yield Finding("ok", "widgets", "JupyterLab has the extensions that show widgets, and none is switched off.")


def check_lab(installation: Installation) -> Iterator[Finding]:
    """Is the JupyterLab that a terminal starts the one of this Python?"""
    if installation.lab is None or str(PurePath(installation.lab).parent) == installation.script_folder:
        return
    text = f"A terminal starts {installation.lab}, the JupyterLab of another Python; it shows our widgets only with jupyterlab_widgets and anywidget in it."
    yield Finding("warning", "JupyterLab", text, _start_lab(installation))


def check_kernels(installation: Installation) -> Iterator[Finding]:
    """Does a notebook's kernel start this Python?"""
    here = [kernel.name for kernel in installation.kernels if kernel.here]
    elsewhere = {kernel.name: kernel.program for kernel in installation.kernels if not kernel.here}
    install = shlex.join([installation.python, "-m", "ipykernel", "install", "--user", "--name", "agentnb", "--display-name", "Python (agentnb)"])
    if here:
        yield Finding("ok", "kernel", f"{_some(here)} {'starts' if len(here) == 1 else 'start'} this Python.")
    elif elsewhere:
        programs = _some(f"{name} starts {program}" for name, program in elsewhere.items())
        yield Finding("problem", "kernel", f"No kernel starts this Python, so `import agentnb` fails in a notebook: {programs}.", install)
    elif _has_lab(installation):
        lab = _pip(installation, "install", f"{DISTRIBUTION}[lab]")
        yield Finding("problem", "kernel", "Jupyter finds no kernel at all, so no notebook can run.", lab)
    if here and "python3" in elsewhere:
        text = f"The kernel python3, which most notebooks ask for, starts {elsewhere['python3']}; choose {here[0]} where `import agentnb` fails."
        yield Finding("warning", "kernel", text)


def check_workspace(installation: Installation) -> Iterator[Finding]:
    """Can the workspace folder be written?"""
    folder = installation.workspace
    if folder is None:
        return
    if folder.error is None:
        yield Finding("ok", "workspace", f"{folder.path} can be written.")
    else:
        command = f"chmod -R u+rwX {shlex.quote(folder.denied)}" if folder.denied else None
        yield Finding("problem", "workspace", f"{folder.path} cannot be written: {folder.error}. Put it right, or name another folder.", command)


CHECKS: tuple[Callable[[Installation], Iterator[Finding]], ...] = (
    check_python,
    check_names,
    check_command,
    check_libraries,
    check_extras,
    check_bundle,
    check_extensions,
    check_lab,
    check_kernels,
    check_workspace,
)


def _lacks(package: Package) -> bool:
    return package.installed is None or _numbers(package.installed) < package.needed


def _numbers(version: str) -> tuple[int, ...]:
    """Take the leading numbers of a version; `2.0.1.dev3` is (2, 0, 1)."""
    numbers: list[int] = []
    for piece in version.split("."):
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        if not digits:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def _lack(package: Package) -> str:
    if package.installed is None:
        return f"{package.name} is missing."
    return f"{package.name} is {package.installed}, and agentnb needs {_dotted(package.needed)} or newer."


def _requirement(package: Package) -> str:
    return f"{package.name}>={_dotted(package.needed)}" if package.needed else package.name


def _has_lab(installation: Installation) -> bool:
    return any(package.name == "jupyterlab" and package.installed for package in installation.packages)


def _blocked_text(blocked: Blocked) -> str:
    locked = f" and locked at the level {blocked.locked_at}" if blocked.locked_at else ""
    todo = "" if blocked.level else " Take it out of disabledExtensions in that file."
    return f"The extension {blocked.name} is switched off by {blocked.file}{locked}, so widgets stay plain HTML.{todo}"


def _unblock(installation: Installation, blocked: Blocked) -> str | None:
    if blocked.level is None:
        return None
    steps = [("unlock", blocked.locked_at)] if blocked.locked_at else []
    steps.append(("enable", blocked.level))
    return " && ".join(shlex.join([installation.python, "-m", "jupyter", "labextension", verb, blocked.name, f"--level={level}"]) for verb, level in steps)


def _start_lab(installation: Installation) -> str:
    if _has_lab(installation):
        return shlex.join([installation.python, "-m", "jupyterlab"])
    return _pip(installation, "install", f"{DISTRIBUTION}[lab]")


def _pip(installation: Installation, *words: str) -> str:
    return shlex.join([installation.python, "-m", "pip", *words])


def _reinstall(installation: Installation, *others: str) -> str:
    """Take away whoever wrote over our files first: pip removes shared files with the other project, so ours must be written last."""
    target = ["--editable", installation.checkout] if installation.checkout else [DISTRIBUTION]
    install = _pip(installation, "install", "--force-reinstall", "--no-deps", *target)
    return f"{_pip(installation, 'uninstall', '--yes', *others)} && {install}" if others else install


def _some(names: Iterable[str], limit: int = 3) -> str:
    listed = list(names)
    rest = len(listed) - limit
    return ", ".join(listed) if rest <= 0 else f"{', '.join(listed[:limit])} and {rest} more"


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))
