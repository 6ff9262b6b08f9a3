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
    ├── ModelTransportError                between tools and a model's choice; has `code` and `detail`
    │   ├── CatalogError       (ValueError)    tools that cannot be defined, all reasons at once
    │   ├── StageError         (ValueError)    stages that cannot be, all reasons at once
    │   ├── UnknownStage       (KeyError)      no stage has this id
    │   ├── UnknownTransport   (KeyError)      a runner does not have this transport
    │   ├── AdapterError       (ValueError)    an adapter, option or dialect that cannot be used here
    │   ├── SchemaBudgetExceeded (ValueError)  the schemas of a stage are longer than allowed
    │   ├── OutputBudgetExceeded (RuntimeError) an answer was longer than allowed, and was not read on
    │   ├── SelectionError     (ValueError)    an answer is no valid selection
    │   ├── CollectorClosed    (RuntimeError)  a collector serves one answer only
    │   └── ResolveError       (ValueError)    a selection that cannot be turned into a result
    ├── ConversationError  (RuntimeError)  a live conversation cannot do this; has `code` and, where there is one, `turn`
    │   ├── ConversationIdError (ValueError)   a text that cannot be the id of a conversation
    │   ├── SettingError       (ValueError)    a setting of a conversation that cannot be as given
    │   ├── ApprovalAnswerError (TypeError)    a function that decides about approvals answered neither yes nor no
    │   ├── UnknownTurn        (KeyError)      the conversation has no turn with this id
    │   ├── StoreConflict                      somebody else appended first; nothing was written
    │   ├── EventRefused                       a log of events takes this event not, or not here
    │   └── TurnWaiting                        the turn waits for a person; has `approvals`
    ├── RuleError          (RuntimeError)  the check or cap of a rule raised; has `code`, `phase` and, for a cell, `line`
    └── WorkspaceError     (OSError)       a workspace folder that cannot be used
        └── WorkspaceVersionError          its layout is newer than this agentnb

Each is also the built-in exception a caller would expect, so `except ValueError` works without importing this module.
Recorded data never raises any of them: what is odd in a recording becomes a row of the `diagnostics` table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


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


class ModelTransportError(AgentnbError):
    """Something between tools and a model's choice went wrong; the root of what `agentnb.transports` raises.

    Attributes:
        code: what it is, as a word that does not change.
        detail: what it is, for a person.
        prepared: the prepared interaction, where a runner raised it.
        parts: the parts that had come by then, where a runner raised it; `anb.trace_selection(error.prepared, error.parts)` shows what happened.
    """

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code
        self.detail = detail
        self.prepared: Any = None
        self.parts: tuple[Any, ...] = ()

    def __str__(self) -> str:
        """Return the message as written; `KeyError` would show its repr."""
        return f"{self.code}: {self.detail}"


class Issue(NamedTuple):
    """One thing that is wrong with a definition."""

    code: str
    """What is wrong, as a word."""
    position: int | None
    """Which of the given tools or stages it is, from 0; null when it is all of them."""
    value: Any
    """What stood there."""


class CatalogError(ModelTransportError, ValueError):
    """Tools that cannot be defined; `issues` has every reason, `code` is the first."""

    def __init__(self, code: str, detail: str, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(code, detail)
        self.issues = issues


class StageError(ModelTransportError, ValueError):
    """Stages that cannot be; `issues` has every reason, `code` is the first."""

    def __init__(self, code: str, detail: str, issues: tuple[Issue, ...] = ()) -> None:
        super().__init__(code, detail)
        self.issues = issues


class UnknownStage(ModelTransportError, KeyError):
    """No stage has this id; `known` are those that there are."""

    def __init__(self, detail: str, known: tuple[str, ...]) -> None:
        super().__init__("unknown_stage", detail)
        self.known = known


class UnknownTransport(ModelTransportError, KeyError):
    """A runner does not have this transport; `known` are those that it has."""

    def __init__(self, detail: str, known: tuple[str, ...]) -> None:
        super().__init__("unknown_transport", detail)
        self.known = known


class AdapterError(ModelTransportError, ValueError):
    """An adapter, an option or a dialect that cannot be used here."""


class SchemaBudgetExceeded(ModelTransportError, ValueError):
    """The schemas of a stage are longer than their budget.

    Attributes:
        stage: id of the stage.
        adapter: id of the adapter.
        chars: characters of the schemas.
        budget: characters that were allowed.
        by_tool: characters of each tool's own.
    """

    def __init__(self, stage: str, adapter: str, chars: int, budget: int, by_tool: Mapping[str, int]) -> None:
        largest = ", ".join(f"{name} {size:,}" for name, size in sorted(by_tool.items(), key=lambda item: (-item[1], item[0]))[:3])
        super().__init__(
            "schema_budget_exceeded",
            f"stage {stage!r} takes {chars:,} characters of schema under the adapter {adapter}, the budget is {budget:,}; the largest are {largest}",
        )
        self.stage, self.adapter, self.chars, self.budget, self.by_tool = stage, adapter, chars, budget, dict(by_tool)


class OutputBudgetExceeded(ModelTransportError, RuntimeError):
    """An answer grew over its budget; what came later was not read.

    Attributes:
        at_part: the part that was one too many, from 0.
        chars: characters of output by then.
        budget: characters that were allowed.
    """

    def __init__(self, at_part: int, chars: int, budget: int) -> None:
        super().__init__("output_budget_exceeded", f"the answer had {chars:,} characters at part {at_part}, the budget is {budget:,}; reading stopped there")
        self.at_part, self.chars, self.budget = at_part, chars, budget


class SelectionError(ModelTransportError, ValueError):
    """An answer is no valid selection.

    Attributes:
        hint: what it looks like instead, as a word; None when it looks like nothing.
        place: where it breaks, in characters from the beginning of the text or of the call's arguments.
        ordinal: the call that it is about, from 1.
    """

    def __init__(self, code: str, detail: str, hint: str | None = None, place: int | None = None, ordinal: int | None = None) -> None:
        super().__init__(code, detail)
        self.hint, self.place, self.ordinal = hint, place, ordinal


class CollectorClosed(ModelTransportError, RuntimeError):
    """A collector serves one answer; `state` says how this one ended: finished or failed."""

    def __init__(self, state: str) -> None:
        super().__init__("collector_closed", f"this collector {state} already and takes nothing more; create_response() gives a new one")
        self.state = state


class ResolveError(ModelTransportError, ValueError):
    """A selection that cannot be turned into a result.

    Attributes:
        stage: the stage that was asked for.
        tool_id: the tool of the selection.
        errors: what the tool's parser said, where it said it as a list.
    """

    def __init__(self, code: str, detail: str, stage: str | None = None, tool_id: str | None = None, errors: Sequence[Any] = ()) -> None:
        super().__init__(code, detail)
        self.stage, self.tool_id, self.errors = stage, tool_id, list(errors)


class ConversationError(AgentnbError, RuntimeError):
    """A live conversation cannot do what it was asked; what it has recorded so far is kept.

    Attributes:
        code: what it is, as a word that does not change.
        detail: what it is, for a person.
        turn: id of the turn that it is about; None when it is about none.
    """

    def __init__(self, code: str, detail: str, *, turn: str | None = None) -> None:
        super().__init__(f"{code}: {detail}")
        self.code, self.detail, self.turn = code, detail, turn

    def __str__(self) -> str:
        """Return the message as written; `KeyError` would show its repr."""
        return f"{self.code}: {self.detail}"


class ConversationIdError(ConversationError, ValueError):
    """A text that cannot be the id of a conversation."""

    def __init__(self, detail: str) -> None:
        super().__init__("conversation-id", detail)


class SettingError(ConversationError, ValueError):
    """A setting of a conversation or program that cannot be as given; it was not taken over.

    Attributes:
        field: the name in it that cannot be; None when it is about no name.
    """

    def __init__(self, code: str, detail: str, *, field: str | None = None) -> None:
        super().__init__(code, detail)
        self.field = field


class ApprovalAnswerError(ConversationError, TypeError):
    """A function that is asked whether a tool may run answered neither yes nor no; the tool did not run."""

    def __init__(self, detail: str) -> None:
        super().__init__("approve-answer", detail)


class UnknownTurn(ConversationError, KeyError):
    """The conversation has no turn with this id."""

    def __init__(self, turn: str, detail: str) -> None:
        super().__init__("turn-unknown", detail, turn=turn)


class StoreConflict(ConversationError):
    """Somebody else appended to the conversation first; nothing was written, so read on and decide again.

    Attributes:
        length: how many records the conversation has now; None where the store does not know.
    """

    def __init__(self, detail: str, *, length: int | None = None) -> None:
        super().__init__("store-conflict", detail)
        self.length = length


class EventRefused(ConversationError):
    """A log of events does not take this event, or not here; nothing of its batch was kept.

    Attributes:
        position: `{writer, seq}` of the first event that was refused; None when none could be read from it.
    """

    def __init__(self, code: str, detail: str, *, turn: str | None = None, position: Mapping[str, int] | None = None) -> None:
        super().__init__(code, detail, turn=turn)
        self.position = None if position is None else dict(position)


class TurnWaiting(ConversationError):
    """The turn waits for a person; answer what it asks, and it goes on.

    Attributes:
        approvals: what is asked, as it was recorded: each a tool call with its name, input, effects, path and place.
    """

    def __init__(self, turn: str, approvals: Sequence[Any], detail: str) -> None:
        super().__init__("turn-waiting", detail, turn=turn)
        self.approvals = tuple(approvals)


class RuleError(AgentnbError, RuntimeError):
    """The check or cap of a rule raised; its cause is what was raised.

    Attributes:
        code: the rule.
        phase: the phase in which it was asked.
        line: the line of the rule's own source at which it raised; None where that is not known.
    """

    def __init__(self, code: str, phase: str, cause: BaseException, line: int | None = None) -> None:
        place = "" if line is None else f" in line {line} of its cell"
        super().__init__(f"rule {code!r} (phase {phase}) raised {type(cause).__name__}{place}: {cause}")
        self.code, self.phase, self.line = code, phase, line


class WorkspaceError(AgentnbError, OSError):
    """A workspace folder that cannot be read or written; nothing of it was changed."""


class WorkspaceVersionError(WorkspaceError):
    """The folder was made by a newer agentnb whose layout this one does not know."""
