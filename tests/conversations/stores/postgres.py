"""A PostgreSQL server of our own: made in a temporary folder, reached through a socket there, and gone afterwards."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

_HOMES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name) if path.parent.name.isdecimal() else 0)
_FOUND = shutil.which("initdb")
PROGRAMS = _HOMES[-1] if _HOMES else Path(_FOUND).parent if _FOUND else None
NO_POSTGRESQL = "there is no PostgreSQL server here: apt-get install postgresql"


class Postgres:
    """A running server."""

    def __init__(self, socket: Path, control: Callable[..., None]) -> None:
        self._socket, self._control = socket, control
        self._made = 0

    def start(self) -> None:
        """Start it, as it was before."""
        options = f"-c listen_addresses='' -c unix_socket_directories='{self._socket}' -c max_connections=60"
        self._control("-l", str(self._socket / "log"), "-o", options, "start")

    def stop(self) -> None:
        """Stop it at once, as when its computer fails."""
        self._control("-m", "immediate", "stop")

    def new_place(self) -> str:
        """Make an empty schema and return the URL that leads to it."""
        self._made += 1
        schema = f"place{self._made}"
        self.execute(f"create schema {schema}")
        return f"postgresql://tester:secret-word@/postgres?host={self._socket}&options=-csearch_path%3D{schema}"

    def execute(self, statement: str) -> None:
        """Run a statement."""
        with psycopg.connect(host=str(self._socket), user="tester", dbname="postgres", autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_postgres(*, durable: bool = False) -> Iterator[Postgres]:
    """Run a server.

    Args:
        durable: whether it flushes to the disk, as one does whose computer may fail.
    """
    home = Path(tempfile.mkdtemp(prefix="agentnb-pg-"))
    as_other: list[str] = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the server refuses to run as root
        account = next(name for name in ("postgres", "nobody") if subprocess.run(["id", name], capture_output=True, check=False).returncode == 0)
        shutil.chown(home, account)
        as_other = ["runuser", "-u", account, "--"]
    data = home / "data"

    def control(*command: str) -> None:
        _run([*as_other, str(_programs() / "pg_ctl"), "-D", str(data), "-w", *command], home)

    try:
        _run([*as_other, str(_programs() / "initdb"), "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"], home)
        with (data / "postgresql.conf").open("a") as settings:
            settings.write(f"fsync = {'on' if durable else 'off'}\n")
        server = Postgres(home, control)
        server.start()
        yield server
    finally:
        with contextlib.suppress(RuntimeError):  # it may be stopped already
            control("-m", "immediate", "stop")
        shutil.rmtree(home, ignore_errors=True)


def _programs() -> Path:
    assert PROGRAMS is not None, NO_POSTGRESQL
    return PROGRAMS


def _run(command: Sequence[str], home: Path) -> None:
    # The server holds on to what it was started with: a pipe would never end.
    with (home / "said").open("w+b") as said:
        if subprocess.run(command, cwd=home, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False).returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed: {said.read().decode(errors='replace')}")
