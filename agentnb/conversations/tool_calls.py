"""Run the tools that a model wants: numbered, asked about, recorded before and after, and never run twice where that would do harm."""

from __future__ import annotations

import asyncio
import inspect
import itertools
import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agentnb.conversations.asking import approval_path, blocked_text, denied_text, failed_tool_text, unknown_tool_text
from agentnb.conversations.exchanges import WantedCall
from agentnb.conversations.frames import EnteredTool
from agentnb.conversations.halts import Pause
from agentnb.conversations.threads import in_thread
from agentnb.errors import ConversationError
from agentnb.scripts.declaration import ResultCeiling, withhold
from agentnb.transports.catalog import positional
from agentnb.values.model_selections import SelectedCall
from agentnb.values.tools import Tool, ToolContext

if TYPE_CHECKING:
    from agentnb.conversations.asked import Answer
    from agentnb.conversations.frames import Frame
    from agentnb.conversations.programs import AIFunction

PAUSE: str = "pause"
"""Under this name a tool's own question is kept apart from the question whether it may run."""


async def run_tools(program: AIFunction, frame: Frame, calls: Sequence[WantedCall]) -> list[str]:
    """Run the tool calls of one reply.

    Calls that only read run at once when they stand beside each other; one that changes something runs alone, in the model's order, unless
    `parallel_tools` is set.

    Args:
        program: what asked the model.
        frame: its call.
        calls: what the model wants, in its order.

    Returns:
        What the model is told of each, in the same order.
    """
    numbered = list(zip(frame.number_invocations(len(calls)), calls, strict=True))
    outputs: list[str] = []
    for _, group in itertools.groupby(numbered, key=lambda item: _group_of(program, frame, item)):
        outputs += await _all_of([_ToolCall(program, frame, invocation, call).run() for invocation, call in group])
    return outputs


def _group_of(program: AIFunction, frame: Frame, item: tuple[int, WantedCall]) -> int:
    """Return the same number for neighbours that run at once."""
    if frame.settings["parallel_tools"]:
        return 0
    tool = _tool_named(program, item[1].name)
    return 0 if tool is None or tool.effects == "reads" else item[0]


async def _all_of(running: list[Any]) -> list[str]:
    """Wait for all, also when one of them stops: what runs is let come to its end, and only then what was raised goes on."""
    results = await asyncio.gather(*running, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if isinstance(result, str)]


class _ToolCall:
    """One tool call."""

    def __init__(self, program: AIFunction, frame: Frame, invocation: int, call: WantedCall) -> None:
        self.frame, self.invocation, self.call = frame, invocation, call
        self.tool = _tool_named(program, call.name)
        self.is_program = call.name in program.programs
        self.input = call.input

    async def run(self) -> str:
        """Run it, and return what the model is told."""
        frame = self.frame
        frame.run.check(asking=True)
        place = {"id": self.call.id, "name": self.call.name, "invocation": self.invocation}
        frame.run.events.tell(frame, "tool_call", **place, input=self.call.input)
        output = await self._output()
        frame.run.events.tell(frame, "tool_result", **place, output=output)
        return output

    async def _output(self) -> str:
        if self.tool is None:
            return unknown_tool_text(self.call.name)
        blocked = await self._hooked()
        if blocked is not None:
            return blocked
        journal = self.frame.run.journal
        recorded = journal.turn.result_of(self.frame.site, self.invocation) if journal is not None else None
        if recorded is not None:
            return recorded
        answer = await self.frame.run.asker.answer(self.frame, self._approval())
        if answer is not None and not answer.is_yes:
            return denied_text(answer.reason)
        self._check_finished()
        return await self._run_now()

    async def _hooked(self) -> str | None:
        """Let hooks change the input, or block the call."""
        for hook in self.frame.settings["hooks"]:
            change = getattr(hook, "tool_call", None)
            if change is None:
                continue
            given = change(self._approval())
            given = await given if inspect.isawaitable(given) else given
            if isinstance(given, str):
                return blocked_text(_name_of(hook), given)
            if given is not None:
                self.input = given
        return None

    def _check_finished(self) -> None:
        """Refuse to run what may have run before.

        Raises:
            ConversationError: with the code turn-unfinished: nobody said what to do about it.
        """
        journal = self.frame.run.journal
        place = (self.frame.site, self.invocation)
        if journal is not None and any((tool.site, tool.invocation) == place for tool in journal.turn.unfinished()):
            raise ConversationError(
                "turn-unfinished", f"tool {self.call.name!r} may have run before; resume with its result, or rerun it", turn=journal.turn_id
            )

    async def _run_now(self) -> str:
        tool, run = self._known_tool(), self.frame.run
        try:
            parsed = tool.input_schema.parse(self.input)
        except Exception as error:
            return _told_of_error(error)
        answered: Answer | None = None
        for question in itertools.count(1):
            try:
                output = await self._attempt(tool, parsed, answered)
            except Pause as pause:
                asked = self._approval() | {"plugin": PAUSE if question == 1 else f"{PAUSE}-{question}", "question": pause.question}
            else:
                return await self._keep(output)
            answered = await run.asker.answer(self.frame, asked)
            if answered is not None and not answered.is_yes:
                return denied_text(answered.reason)
        raise AssertionError("questions are counted without end")

    async def _attempt(self, tool: Tool, parsed: Any, answered: Answer | None) -> str:
        """Run the tool; what it does is recorded before and, when it asks a question instead, taken back: it says itself that it changed nothing yet.

        A program that is a tool records what it does itself, tool by tool; so it is run again when its turn is resumed, and comes to where it stood.
        """
        run = self.frame.run
        with run.working():
            self.frame.note_new()
            run.events.frontier()
            journal = run.journal if tool.effects != "reads" and not self.is_program else None
            if journal is not None:
                effects = {"effects": tool.effects} if tool.effects is not None else {}
                journal.write("tool", **self._place(), state="started", input=self.input, **effects, attempt=journal.attempt)
            try:
                return await self._called(tool, parsed, answered)
            except Pause:
                if journal is not None:
                    journal.write("tool", **self._place(), state="rerun")
                raise

    async def _called(self, tool: Tool, parsed: Any, answered: Answer | None) -> str:
        """Call the tool's function; what it raises is told to the model, unless the program wants to know itself."""
        context = ToolContext(
            tool_id=tool.id,
            call=SelectedCall(id=self.call.id, name=self.call.name, tool_id=tool.id),
            answer=None if answered is None else answered.reason or "",
        )
        given = (parsed, context)[: min(positional(tool.resolve) or 0, 2)]
        try:
            with EnteredTool(self.invocation):
                value = await _settled(tool, given)
        except (Pause, ConversationError):
            raise
        except Exception as error:
            if self.frame.settings["tool_errors"] == "raise":
                raise
            return _told_of_error(error)
        return self._ceiled(tool, text_of(value))

    def _ceiled(self, tool: Tool, output: str) -> str:
        """Withhold a result that is longer than the tool's ceiling allows."""
        if not isinstance(tool.result_ceiling, ResultCeiling):
            return output
        withheld = withhold(tool.result_ceiling, output, tool=tool.name, tool_call_id=self.call.id, iteration=self.frame.requests)
        return output if withheld is None else withheld.text

    async def _keep(self, output: str) -> str:
        """Let hooks change what came out, and record it."""
        for hook in self.frame.settings["hooks"]:
            change = getattr(hook, "tool_result", None)
            if change is not None:
                given = change(self._approval(), output)
                given = await given if inspect.isawaitable(given) else given
                output = output if given is None else text_of(given)
        journal = self.frame.run.journal
        if journal is not None:
            if self.frame.has_called_in(self.invocation):
                # A tool whose result is recorded is not run again: what is to be told of the calls in it has to be kept before.
                self.frame.run.events.flush()
            journal.write("tool", **self._place(), state="done", output=output, attempt=journal.attempt)
        return output

    def _place(self) -> dict[str, Any]:
        return {"site": self.frame.site, "invocation": self.invocation, "id": self.call.id, "name": self.call.name}

    def _approval(self) -> dict[str, Any]:
        tool = self._known_tool()
        path = approval_path(self.frame.site, tool.name)
        return {"call": self.frame.id, **self._place(), "input": self.input, "effects": tool.effects, "path": path}

    def _known_tool(self) -> Tool:
        if self.tool is None:
            raise AssertionError("a tool that is not known is told of before anything is done with it")
        return self.tool


def text_of(value: Any) -> str:
    """Return what a tool returned as the text that a model is told: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return value
    if hasattr(value, "model_dump"):
        value = value.model_dump(mode="json")
    return json.dumps(value, ensure_ascii=False, default=str)


async def _settled(tool: Tool, given: tuple[Any, ...]) -> Any:
    """Call a tool: a coroutine function on this loop, any other in a thread of its own, which it may block."""
    if inspect.iscoroutinefunction(tool.resolve) or inspect.iscoroutinefunction(tool.function):
        value = tool.resolve(*given)
    else:
        value = await in_thread(lambda: tool.resolve(*given))
    return await value if inspect.isawaitable(value) else value


def _told_of_error(error: Exception) -> str:
    if isinstance(error, ValidationError):
        told = "; ".join(f"{'.'.join(map(str, item['loc'])) or 'input'}: {item['msg']}" for item in error.errors())
        return f"error: {type(error).__name__}: {told}"
    return failed_tool_text(error)


def _tool_named(program: AIFunction, name: str) -> Tool | None:
    return next((tool for tool in program.tools if tool.name == name), None)


def _name_of(hook: Any) -> str:
    return str(getattr(hook, "name", None) or type(hook).__name__)
