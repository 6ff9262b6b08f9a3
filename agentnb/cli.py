"""The command `anb`: what is in these logs, were they understood, a page to send to somebody, and is this installation sound?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agentnb.doctor import run
from agentnb.errors import AgentnbError, UnknownFormat

if TYPE_CHECKING:
    from agentnb.workspace import Workspace

app = typer.Typer(help="Read the logs of AI agents.", no_args_is_help=True, add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)

Paths = Annotated[list[str], typer.Argument(help="Files, folders or globs.", show_default=False)]
Folder = Annotated[str | None, typer.Option("--workspace", help="A folder that keeps what was read, for the next time.", show_default=False)]
Out = Annotated[Path, typer.Option("--out", "-o", help="The HTML file to write.")]
Tried = Annotated[str | None, typer.Argument(help="A workspace folder to try as well.", show_default=False)]

NOT_UNDERSTOOD = ("unknown_format", "binary", "unreadable")


@app.command(name="open")
def open_(paths: Paths, workspace: Folder = None) -> None:
    """Say what is in logs and what looks wrong.

    What became of every record is told file by file.
    """
    with _told(), _opened(paths, workspace) as ws:
        _write([*_card(ws), "", *_account(ws, unread=False), *_unread(ws)])


@app.command()
def check(paths: Paths) -> None:
    """Say what each file is and what is odd in it.

    The exit code is 1 when something was not understood, 2 when a file is not there.
    """
    with _told(), _opened(paths) as ws:
        _write(_checked(ws))
        raise typer.Exit(int(_not_understood(ws)))


@app.command()
def report(paths: Paths, out: Out = Path("report.html"), workspace: Folder = None) -> None:
    """Write one HTML page to send to somebody.

    It holds what is in the logs, what looks wrong, what people said when there is a workspace that keeps it, and the conversations, worst first. It needs
    nothing but a browser, loads nothing, and hides well-known secrets.
    """
    from agentnb.report import render_report

    with _told(), _opened(paths, workspace) as ws:
        page = render_report(ws)
        out.write_text(page, encoding="utf-8")
        typer.echo(f"{out}: {len(page.encode()):,} bytes")


@app.command()
def doctor(workspace: Tried = None) -> None:
    """Say what is wrong with this installation.

    With each problem comes the command that puts it right; the exit code is 1 when there is one.
    """
    raise typer.Exit(run(workspace))


@contextmanager
def _told() -> Iterator[None]:
    """Tell an error in one line: its message says what to do, and a traceback would not."""
    try:
        yield
    except BrokenPipeError:
        raise  # the reader of our output has seen enough; typer ends quietly
    except (AgentnbError, OSError) as error:
        typer.echo(f"anb: {error}", err=True)
        raise typer.Exit(1 if isinstance(error, UnknownFormat) else 2) from error


def _opened(paths: list[str], workspace: str | None = None) -> Workspace:
    from agentnb.workspace import open_workspace  # here, so that `anb doctor` also runs where DuckDB does not

    return open_workspace(paths, workspace)


def _write(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _card(ws: Workspace) -> Iterator[str]:
    """Show the card as text, with the SQL that lists what looks wrong."""
    from agentnb.render import plain_card

    yield plain_card(ws.card)
    for finding in ws.card.findings:
        yield f"  {finding.mark} {finding.count:,} {finding.word}: {finding.query}"


def _account(ws: Workspace, *, unread: bool) -> Iterator[str]:
    """Say of each file what became of its records; with `unread` also of files that were not read, why."""
    for source in ws.account.sources:
        if source.state == "read":
            kept = f"{source.records_kept:,} kept + {source.records_merged:,} merged + {source.records_skipped:,} skipped"
            yield f"{source.path}: {source.format}, {source.records_read:,} records = {kept}"
        elif unread:
            yield f"{source.path}: {source.state}, {source.reason}"


def _unread(ws: Workspace) -> Iterator[str]:
    """Say why files were not read, each reason once: a folder often holds many other files."""
    reasons: dict[str, list[str]] = {}
    for source in ws.account.sources:
        if source.state != "read":
            reasons.setdefault(f"{source.state}, {source.reason}", []).append(source.path)
    for reason, paths in reasons.items():
        yield f"{paths[0]}{f' and {len(paths) - 1:,} more' if len(paths) > 1 else ''}: {reason}"


def _checked(ws: Workspace) -> Iterator[str]:
    """Say of each file what it is, and below it what is odd: each code once, with how often and where first."""
    query = """
        from diagnostics
        select severity, code, count(*), min(source_line), arg_min(message, diagnostic_index)
        where source_id = $source_id
            and code <> $state
        group by severity, code
        order by min(diagnostic_index)
    """
    for source, line in zip(ws.account.sources, _account(ws, unread=True), strict=True):
        yield line
        for severity, code, count, first, message in ws.sql(query, {"source_id": source.source_id, "state": source.state}).fetchall():
            place = f", first at line {first}" if first is not None else ""
            yield f"  {severity} {code}: {count:,} time{'' if count == 1 else 's'}{place}: {message}"


def _not_understood(ws: Workspace) -> bool:
    """Tell whether a file is of no known format, or something in one could not be read."""
    errors = ws.sql("from diagnostics select code where severity = 'error' limit 1").fetchall()
    return bool(errors) or any(source.state in NOT_UNDERSTOOD for source in ws.account.sources)
