"""The exceptions of agentnb: which error means what, and what the caller can do.

    AgentnbError
    ├── UnknownFormat      (ValueError)    one named file is of no format that can be read
    ├── UnknownId          (KeyError)      no conversation, turn or call has this id
    ├── RatingError        (ValueError)    a rating that cannot be kept as given
    ├── QueryError         (ValueError)    SQL that DuckDB refused, with a hint
    ├── OptionError        (TypeError)     a keyword that a widget or function does not know
    └── WorkspaceError     (OSError)       a workspace folder that cannot be used
        └── WorkspaceVersionError          its layout is newer than this agentnb

Each is also the built-in exception a caller would expect, so `except ValueError` works without importing this module.
Recorded data never raises any of them: what is odd in a recording becomes a row of the `diagnostics` table.
"""

from __future__ import annotations


class AgentnbError(Exception):
    """The root of every exception that agentnb raises itself."""


class UnknownFormat(AgentnbError, ValueError):
    """A file that was named explicitly is of no format that agentnb can read."""


class UnknownId(AgentnbError, KeyError):
    """No conversation, turn or call of the workspace has this id."""

    def __str__(self) -> str:
        """Return the message as written; `KeyError` would show its repr."""
        return str(self.args[0]) if self.args else ""


class RatingError(AgentnbError, ValueError):
    """A rating that cannot be kept as given; nothing was written."""


class QueryError(AgentnbError, ValueError):
    """SQL that DuckDB refused; the message holds DuckDB's own and a hint."""


class OptionError(AgentnbError, TypeError):
    """A keyword that is not an option here; the message names the nearest one that is."""


class WorkspaceError(AgentnbError, OSError):
    """A workspace folder that cannot be read or written; nothing of it was changed."""


class WorkspaceVersionError(WorkspaceError):
    """The folder was made by a newer agentnb whose layout this one does not know."""
