"""Where is the running code? A call that runs, its place in the tree, and what was noted of it so far."""

from __future__ import annotations

import threading
from collections import Counter
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from agentnb.conversations.call_records import program_content
from agentnb.errors import ConversationError

if TYPE_CHECKING:
    from agentnb.conversations.programs import Program
    from agentnb.conversations.runs import Run

_current: ContextVar[Frame | None] = ContextVar("agentnb_call", default=None)
_tool: ContextVar[int | None] = ContextVar("agentnb_tool_call", default=None)


class Frame:
    """A call that runs."""

    def __init__(self, run: Run, program: Program, *, call_id: str, parent: Frame | None, site: str, invocation: int | None, settings: dict[str, Any]) -> None:
        self.run, self.program, self.id, self.parent, self.site = run, program, call_id, parent, site
        self.invocation = invocation
        """Number of the tool call inside which it was made."""
        self.settings = settings
        self.content = program_content(program)
        """What may be written of it, as its settings said when it began."""
        self.started = run.now()
        """When it began, in microseconds since 1970."""
        self.inputs: dict[str, Any] = {}
        """Its inputs in their JSON form, as far as they have one."""
        self.described: list[str] = []
        """Inputs that have none, and are written as descriptions."""
        self.saw: list[dict[str, Any]] = []
        """What it was shown of earlier calls, as entries."""
        self.earlier: list[dict[str, Any]] = []
        """The earlier calls that it is shown, each with inputs, outputs and perhaps steps."""
        self.values: list[dict[str, Any]] = []
        """Of the outermost call of a turn: the values of the turns that it is shown, each in one object."""
        self.sections: list[str] = []
        """Instructions that context hooks added."""
        self.exchanges: list[dict[str, Any]] = []
        self.steps: list[dict[str, Any]] = []
        self.requests = 0
        """Requests to the model so far."""
        self.is_new = False
        """Whether something was done in it that no earlier attempt had recorded."""
        self._invocations = 0
        self._ordinals: Counter[tuple[str, int | None]] = Counter()
        self._lock = threading.Lock()

    def note_new(self) -> None:
        """Note that something new is done in it, and so in the calls around it."""
        frame: Frame | None = self
        while frame is not None:
            frame.is_new, frame = True, frame.parent

    @classmethod
    def outermost(cls, run: Run, program: Program, settings: dict[str, Any]) -> Frame:
        """Return the outermost call of a run, whose events it names."""
        return cls(run, program, call_id=run.events.tree, parent=None, site=f"{program.name}#1", invocation=None, settings=settings)

    def number_invocations(self, count: int) -> list[int]:
        """Number the tool calls of one reply, in the model's order, before any of them runs."""
        with self._lock:
            first = self._invocations + 1
            self._invocations += count
        return list(range(first, first + count))

    def has_called_in(self, invocation: int) -> bool:
        """Tell whether a program was called inside a tool call."""
        return any(inside == invocation for _, inside in self._ordinals)

    def site_of(self, name: str, invocation: int | None) -> str:
        """Return the place of the next call of a program that this one makes.

        A call that a tool makes is counted within that tool call: a tool whose result was recorded is not run again, and must not move those after it.
        """
        with self._lock:
            self._ordinals[name, invocation] += 1
            ordinal = self._ordinals[name, invocation]
        inside = f"{self.site}@{invocation}" if invocation is not None else self.site
        return f"{inside}/{name}#{ordinal}"


class EnteredCall:
    """Makes a call the current one for a block."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def __enter__(self) -> Frame:
        self._tokens = _current.set(self._frame), _tool.set(None)
        return self._frame

    def __exit__(self, *error: object) -> None:
        _current.reset(self._tokens[0])
        _tool.reset(self._tokens[1])


class EnteredTool:
    """Makes a tool call the current one for a block."""

    def __init__(self, invocation: int) -> None:
        self._invocation = invocation

    def __enter__(self) -> None:
        self._token = _tool.set(self._invocation)

    def __exit__(self, *error: object) -> None:
        _tool.reset(self._token)


def current_frame() -> Frame | None:
    """Return the call in which this code runs; None outside of any."""
    return _current.get()


def current_invocation() -> int | None:
    """Return the number of the tool call in which this code runs; None outside of any."""
    return _tool.get()


def earlier() -> list[dict[str, Any]]:
    """Return the earlier turns that the running module is shown: one dict for each, its inputs and outputs together; empty outside of a conversation.

    Example:
        @anb.module
        def desk(message: str) -> str:
            said_before = [turn["message"] for turn in anb.earlier()]
    """
    frame = current_frame()
    if frame is None:
        return []
    root = frame
    while root.parent is not None:
        root = root.parent
    return [dict(values) for values in root.values]


def running_conversation() -> str | None:
    """Return the conversation whose turn this code is part of; None outside of any."""
    frame = current_frame()
    return frame.run.conversation_id if frame is not None else None


def refuse_nested(conversation_id: str, declared: bool) -> None:
    """Refuse to send to another conversation from inside a turn that did not declare it.

    Raises:
        ConversationError: with the code conversation-nested.
    """
    here = running_conversation()
    if here is not None and not declared:
        raise ConversationError(
            "conversation-nested",
            f"this code is part of a turn of conversation {here!r} and sends to {conversation_id!r}; "
            "a module declares that by remembers={conversation: 'own'}, so that the turn, when it is resumed, does not send twice",
        )
