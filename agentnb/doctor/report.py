"""The doctor's findings as plain lines, and the run from looking to an exit code."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable

from agentnb.doctor.checks import examine
from agentnb.doctor.gather import gather
from agentnb.doctor.installation import Finding

MARKS = {"ok": "✓ ok", "warning": "! warning", "problem": "✕ problem"}


def run(workspace: str | None = None) -> int:
    """Look at this installation and write what is right and wrong with it.

    Args:
        workspace: A workspace folder to try as well.

    Returns:
        The exit code: 1 when something must be put right, else 0.
    """
    findings = examine(gather(workspace))
    sys.stdout.write(plain_report(findings))
    return int(any(finding.level == "problem" for finding in findings))


def plain_report(findings: Iterable[Finding]) -> str:
    """Write findings as lines: a mark, a word, the subject, a sentence, and on a line of its own what to run."""
    listed = tuple(findings)
    return "".join(_lines(finding) for finding in listed) + _summary(listed)


def _lines(finding: Finding) -> str:
    line = f"{MARKS[finding.level]:<9}  {finding.subject:<10}  {finding.text}\n"
    return f"{line}{'':<23}run: {finding.command}\n" if finding.command else line


def _summary(findings: tuple[Finding, ...]) -> str:
    counts = Counter(finding.level for finding in findings)
    if not counts["problem"] and not counts["warning"]:
        return "\nNothing is wrong.\n"
    return f"\n{_count(counts['problem'], 'problem')}, {_count(counts['warning'], 'warning')}.\n"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
