"""Why does a running call stop where it stands? Exceptions outside the ordinary hierarchy, so that no `except Exception` of a program swallows them."""

from __future__ import annotations

from typing import Literal

HaltReason = Literal["waiting", "stopped", "interrupted", "overtaken", "failed"]


class Halt(BaseException):
    """The run goes no further: it waits for a person, was asked to stop, was interrupted, another process has taken it over, or its store failed."""

    def __init__(self, reason: HaltReason) -> None:
        super().__init__(reason)
        self.reason: HaltReason = reason


class Pause(Exception):  # it is a question, not an error
    """Raised by a tool: ask a person before going on; nothing was changed yet.

    The turn waits with the question. When it is answered with yes the tool runs again, and its `ToolContext` has `answer`, the words of the person; after a
    no the model is told that the person did not allow the call.

    Example:
        @anb.tool(effects="changes")
        def book(day: str, context: anb.ToolContext) -> str:
            "Book a table."
            if context.answer is None:
                raise anb.Pause("For how many people?")
    """

    def __init__(self, question: str) -> None:
        super().__init__(question)
        self.question = question
