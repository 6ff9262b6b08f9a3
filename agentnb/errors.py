"""The exceptions of agentnb: which error means what, and what the caller can do.

    AgentnbError
    ├── UnknownFormat      (ValueError)    one named file is of no format that can be read
    ├── UnknownId          (KeyError)      no conversation, turn or call has this id
    ├── RatingError        (ValueError)    a rating that cannot be kept as given
    ├── QueryError         (ValueError)    SQL that DuckDB refused, with a hint
    ├── OptionError        (TypeError)     a keyword that a widget or function does not know
    ├── TurnError          (TypeError)     what is given as a raw turn is none
    ├── ToolNameError      (ValueError)    names of tools that collide, are reserved or empty
    ├── CaseError          (ValueError)    a case or label that cannot be used, with its id and place
    ├── ScriptError        (ValueError)    a declaration, option or settlement of a code-running tool that cannot be
    ├── UnsupportedValues  (ValueError)    an answer was refused: values in it stand in nothing that the agent was shown
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


class TurnError(AgentnbError, TypeError):
    """What is given as a raw turn is none; what a model put out never raises it."""


class ToolNameError(AgentnbError, ValueError):
    """Names of tools that collide, are reserved, or have nothing in them that a provider allows."""


class CaseError(AgentnbError, ValueError):
    """A case, an expectation or a label that cannot be used; the message holds its id and the place."""


class ScriptError(AgentnbError, ValueError):
    """A code-running tool, its ceiling, an option of the evidence check or a settlement that cannot be as given."""


class UnsupportedValues(AgentnbError, ValueError):
    """An answer was refused because names or numbers in it stand in nothing that the agent was shown; the answer itself is not kept here."""

    code = "ERR_UNSUPPORTED_VALUES"

    def __init__(self, message: str, *, values: tuple[str, ...], candidates: int, revised: bool) -> None:
        """Say which values they are, of how many that were looked at, and whether the model had its chance to revise."""
        super().__init__(message)
        self.values = values
        self.candidates = candidates
        self.revised = revised


class WorkspaceError(AgentnbError, OSError):
    """A workspace folder that cannot be read or written; nothing of it was changed."""


class WorkspaceVersionError(WorkspaceError):
    """The folder was made by a newer agentnb whose layout this one does not know."""
