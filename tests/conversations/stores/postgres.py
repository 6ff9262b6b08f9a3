"""A PostgreSQL server of our own: made in a temporary folder, reached through a socket there, and gone afterwards."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psycopg

_HOMES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name) if path.parent.name.isdecimal() else 0)
_FOUND = shutil.which("initdb")
PROGRAMS = _HOMES[-1] if _HOMES else Path(_FOUND).parent if _FOUND else None
NO_POSTGRESQL = "there is no PostgreSQL server here: apt-get install postgresql"


class Postgres:
    """A running server."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self._made = 0

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
    assert PROGRAMS is not None, NO_POSTGRESQL
    home = Path(tempfile.mkdtemp(prefix="agentnb-pg-"))
    as_other: list[str] = []
    if hasattr(os, "geteuid") and os.geteuid() == 0:  # the server refuses to run as root
        account = next(name for name in ("postgres", "nobody") if subprocess.run(["id", name], capture_output=True, check=False).returncode == 0)
        shutil.chown(home, account)
        as_other = ["runuser", "-u", account, "--"]
    data = home / "data"
    options = f"-c listen_addresses='' -c unix_socket_directories='{home}' -c fsync={'on' if durable else 'off'} -c max_connections=60"
    try:
        _run([*as_other, str(PROGRAMS / "initdb"), "-D", str(data), "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync", "--locale=C"], home)
        _run([*as_other, str(PROGRAMS / "pg_ctl"), "-D", str(data), "-w", "-l", str(home / "log"), "-o", options, "start"], home)
        yield Postgres(home)
    finally:
        subprocess.run([*as_other, str(PROGRAMS / "pg_ctl"), "-D", str(data), "-w", "-m", "immediate", "stop"], cwd=home, capture_output=True, check=False)
        shutil.rmtree(home, ignore_errors=True)


def _run(command: Sequence[str], home: Path) -> None:
    # The server holds on to what it was started with: a pipe would never end.
    with (home / "said").open("w+b") as said:
        if subprocess.run(command, cwd=home, stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False).returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed: {said.read().decode(errors='replace')}")
