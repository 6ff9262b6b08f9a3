"""The project of the story release_notes: a small command for tide tables, with a history from 2.3.0 to 2.4.0."""

from __future__ import annotations

from typing import NamedTuple

from data.make.bench import Bench


class Commit(NamedTuple):
    """A commit of the history: who, when, what, and the file that it writes."""

    author: str
    day: str
    message: str
    path: str
    text: str


CHANGELOG = """# Changelog

## 2.3.0
- `tidewatch plot` draws a week as text.
- Station names may be abbreviated.

## 2.2.1
- Times are right on the day the clocks change.
"""

TIDES = '''"""Tide tables."""

from __future__ import annotations


def high_water(station: str, day: str) -> list[str]:
    """Return the times of high water."""
    return [f"{hour:02d}:{minute:02d}" for hour, minute in ((3, 41), (16, 7))]
'''

TIDES_24 = TIDES.replace("def high_water(station: str, day: str)", "def high_water(station: str, *, day: str, unit: str = 'm')")

CLI_DOCS = """# Command line

    tidewatch high STATION --day DAY [--unit m|ft]
    tidewatch export STATION --to FILE.ics
    tidewatch plot STATION

`--feet` is gone, use `--unit ft`.
"""

STATIONS = "".join(
    f"{name},{54 + number * 0.11:.2f},{8 - number * 0.07:.2f}\n" for number, name in enumerate(["Norderney", "Cuxhaven", "Husum", "Emden", "Borkum", "Sylt"])
)

FIRST = [
    Commit("Ben Example", "2026-01-05", "chore: start of the 2.3 line", "CHANGELOG.md", CHANGELOG),
    Commit("Ben Example", "2026-01-05", "chore: code as released", "tidewatch/tides.py", TIDES),
    Commit(
        "Ben Example",
        "2026-01-06",
        "docs: command line",
        "docs/cli.md",
        CLI_DOCS.replace("`--feet` is gone, use `--unit ft`.\n", "").replace(" [--unit m|ft]", " [--feet]"),
    ),
]

SINCE = [
    Commit("Chidi Sample", "2026-01-12", "feat(export): write calendars (.ics) (#211)", "tidewatch/export.py", '"""Calendars."""\n\nPRODUCT = "tidewatch"\n'),
    Commit("Ben Example", "2026-01-13", "test: calendars", "tests/test_export.py", "def test_product():\n    assert True\n"),
    Commit("Mei Placeholder", "2026-01-15", "fix(plot): no gap at midnight (#214)", "tidewatch/plot.py", '"""Text plots."""\n\nWIDTH = 72\n'),
    Commit("Mei Placeholder", "2026-01-19", "feat(stations): add Borkum and Sylt (#215)", "data/stations.csv", STATIONS),
    Commit(
        "Chidi Sample", "2026-01-20", "fix(export): fold long lines (#218)", "tidewatch/export.py", '"""Calendars."""\n\nPRODUCT = "tidewatch"\nFOLD = 75\n'
    ),
    Commit("Ben Example", "2026-01-27", "feat(tides)!: unit is a keyword, day too (#220)", "tidewatch/tides.py", TIDES_24),
    Commit("Ben Example", "2026-01-27", "docs: --unit instead of --feet", "docs/cli.md", CLI_DOCS),
    Commit(
        "Chidi Sample", "2026-02-02", "fix(cli): exit code 2 for an unknown station (#223)", "tidewatch/cli.py", '"""Command line."""\n\nUNKNOWN_STATION = 2\n'
    ),
    Commit("Mei Placeholder", "2026-02-05", "perf(plot): draw a year in one pass (#224)", "tidewatch/plot.py", '"""Text plots."""\n\nWIDTH = 72\nPASSES = 1\n'),
    Commit(
        "Mei Placeholder",
        "2026-02-09",
        "fix(stations): longitude of Husum (#226)",
        "data/stations.csv",
        STATIONS.replace("Husum,54.22,7.86", "Husum,54.47,9.04"),
    ),
    Commit(
        "Ben Example",
        "2026-02-16",
        "chore: drop Python 3.9 (#229)",
        "pyproject.toml",
        '[project]\nname = "tidewatch"\nversion = "2.4.0"\nrequires-python = ">=3.10"\n',
    ),
]


def build(project: Bench) -> None:
    """Write the project and commit it, change by change."""
    project.run("git init -q -b main")
    for commit in FIRST:
        _commit(project, commit)
    project.run("git tag v2.3.0")
    for commit in SINCE:
        _commit(project, commit)


def _commit(project: Bench, commit: Commit) -> None:
    project.write(commit.path, commit.text)
    email = commit.author.split()[0].lower() + "@example.com"
    who = f"GIT_AUTHOR_NAME='{commit.author}' GIT_AUTHOR_EMAIL={email} GIT_AUTHOR_DATE={commit.day}T10:00:00Z GIT_COMMITTER_DATE={commit.day}T10:00:00Z"
    project.run(f"git add -A && {who} git commit -qm '{commit.message}'")
