"""What can be called: AI functions, which a model answers, and modules, which are plain code that calls them."""

from __future__ import annotations

import asyncio
import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, update_wrapper
from typing import Any, Literal, overload

from agentnb.conversations.answering import answer
from agentnb.conversations.asking import program_effects
from agentnb.conversations.calling import call_inside, run_plainly
from agentnb.conversations.conversation import Conversation
from agentnb.conversations.fields import Interface, interface_of
from agentnb.conversations.fingerprints import interface_digest, module_version, program_signature, program_version
from agentnb.conversations.frames import Frame, current_frame
from agentnb.conversations.helper_memory import Remember, check_remember
from agentnb.conversations.notebook import notebook_file
from agentnb.conversations.setting_layers import checked_settings, split_settings
from agentnb.conversations.streaming import CallStream
from agentnb.conversations.threads import in_thread, run_to_end
from agentnb.errors import ProgramError
from agentnb.streams.turn_log import TurnLog
from agentnb.values.tools import Tool, ToolEffects, tool

ProgramKind = Literal["ai", "module"]


class Program(ABC):
    """A function that can be called, streamed, and talked to in a conversation; `@anb.program` and `@anb.module` make it."""

    kind: ProgramKind

    def __init__(self, function: Callable[..., Any], interface: Interface, *, name: str | None, settings: Mapping[str, Any]) -> None:
        self.function, self.interface = function, interface
        self.settings = checked_settings(settings)
        update_wrapper(self, function, updated=())
        self.name = name or function.__name__
        self.module = function.__module__

    def __repr__(self) -> str:
        inputs = ", ".join(field.name for field in self.interface.inputs)
        outputs = ", ".join(field.name for field in self.interface.outputs)
        return f"<{type(self).__name__} {self.name}({inputs}) -> {outputs}>"

    @property
    @abstractmethod
    def version(self) -> str:
        """Digest of everything that is sent beside the inputs, and of the program's own code; the model is no part of it."""

    @property
    def signature(self) -> str | None:
        """Digest of the fields that the model is asked to fill and given, the added ones included; None for a module."""
        return None

    @property
    @abstractmethod
    def effects(self) -> ToolEffects | None:
        """What it does as a tool of another program: reads, changes, or None where nobody says."""

    @abstractmethod
    async def execute(self, frame: Frame, inputs: dict[str, Any]) -> dict[str, Any]:
        """Run it in a call that has begun, and return its outputs by name."""

    @cached_property
    def interface_digest(self) -> str:
        """Digest of the declared inputs and outputs: programs that share it share their data."""
        return interface_digest(self.interface)

    @cached_property
    def file(self) -> str | None:
        """The notebook or file that defines it, for programs defined at the top level of a session; None where it is not known."""
        return _home_of(self.module)

    def described(self) -> dict[str, Any]:
        """Return the program as records of calls and events have it."""
        told = {"name": self.name, "kind": self.kind, "module": self.module, "version": self.version}
        told |= {"signature": self.signature} if self.signature is not None else {}
        told |= {"interface": self.interface_digest, "answer": self.interface.answer}
        return told | ({"file": self.file} if self.file is not None else {})

    def result_of(self, turn: TurnLog) -> Any:
        """Return what a turn answered as the annotation wants it, else as it was recorded; None before it is done."""
        if not turn.is_done:
            return None
        plain = [field for field in self.interface.outputs if field.purpose == "plain"]
        if len(plain) == 1:
            return plain[0].from_json(turn.result)
        outputs = self.interface.outputs_from_json(turn.outputs)
        return self.interface.returns(outputs) if all(field.name in outputs for field in plain) else turn.result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call it and wait for the answer.

        Args:
            args: inputs by place.
            kwargs: inputs by name, and settings for this call alone where no input has their name.

        Raises:
            TypeError: an input is missing or unknown, or this is asynchronous code of a running program, which awaits `acall` instead.
            ConversationError: with the code approval-required: a tool needs a person, and a plain call has none to ask.
            ModelError: the model gave no answer that can be used.
        """
        frame = current_frame()
        if frame is None:
            return run_to_end(self.acall(*args, **kwargs))
        if frame.run.loop is _running_loop():
            raise TypeError(f"{self.name}() would stop the program that calls it from running on; in asynchronous code write: await {self.name}.acall(…)")
        return frame.run.wait_here(self.acall(*args, **kwargs))

    async def acall(self, *args: Any, **kwargs: Any) -> Any:
        """Call it, as `await program.acall(…)`; the arguments are those of a plain call."""
        given, here = split_settings(self.interface, kwargs)
        inputs = self.interface.bind(self.name, args, given)
        frame = current_frame()
        outputs = await call_inside(self, inputs, frame, here) if frame is not None else (await run_plainly(self, inputs, here)).outputs
        return self.interface.returns(outputs)

    def stream(self, *args: Any, **kwargs: Any) -> CallStream:
        """Call it in the background, and follow it: iterate over events, answer approvals, take the result."""
        given, here = split_settings(self.interface, kwargs)
        return CallStream(self, self.interface.bind(self.name, args, given), here)

    def conversation(self, conversation_id: str | None = None, *, store: Any = None, **options: Any) -> Conversation:
        """Open a conversation of this program.

        Args:
            conversation_id: its id, which opens the same one again wherever the store is the same; a new one unless given.
            store: where it is kept: a path of a database, a URL, a workspace's folder or file, a store, or None for the memory of this process.
            options: what `Conversation` takes beside these.
        """
        return Conversation(self, conversation_id, store=store, **options)


class AIFunction(Program):
    """A function that a model answers: its docstring is the instruction, its parameters are the inputs, its body is empty."""

    kind = "ai"

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        tools: Iterable[Tool | Program | Callable[..., Any]] = (),
        reasoning: bool = False,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(function, interface_of(function, reasoning=reasoning), name=name, settings=settings or {})
        if not self.interface.description.strip():
            raise ProgramError(f"program {self.name!r} has no docstring, and the docstring is what its model is told; write one")
        self.tools = tuple(_tool_of(item, self.name) for item in tools)
        self.programs: dict[str, Program] = {item.name: item for item in tools if isinstance(item, Program)}
        twice = sorted({item.name for item in self.tools if sum(other.name == item.name for other in self.tools) > 1})
        if twice:
            raise ProgramError(f"program {self.name!r} has two tools called {', '.join(twice)}; names of tools differ")

    @cached_property
    def version(self) -> str:
        """Digest of instruction, fields and tools."""
        return program_version(self.interface, self.tools)

    @cached_property
    def signature(self) -> str:
        """Digest of the fields, the added ones included."""
        return program_signature(self.interface, with_tools=bool(self.tools))

    @property
    def effects(self) -> ToolEffects | None:
        """Reads when all its tools do; else nobody says."""
        return program_effects("ai", [item.effects for item in self.tools])

    async def execute(self, frame: Frame, inputs: dict[str, Any]) -> dict[str, Any]:
        """Ask the model, run the tools that it wants, and ask again, until it answers."""
        return await answer(self, frame)


class Module(Program):
    """Plain code that calls AI functions; may be a coroutine function."""

    kind = "module"

    def __init__(
        self,
        function: Callable[..., Any],
        *,
        name: str | None = None,
        effects: ToolEffects | None = None,
        remembers: Mapping[Any, Remember | str] | None = None,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(function, interface_of(function), name=name, settings=settings or {})
        self._effects = effects
        given = remembers or {}
        self.own_conversations = tuple(helper for helper, how in given.items() if how == "own")
        """Conversations that it sends to, each of which keeps itself."""
        self.remembers: dict[Program, Remember] = {helper: check_remember(how) for helper, how in given.items() if how != "own"}
        """How it remembers its helpers."""
        strange = [helper for helper in self.remembers if not isinstance(helper, AIFunction)]
        if strange:
            raise ProgramError(f"module {self.name!r} remembers {strange[0]!r}; only AI functions are remembered, and conversations by 'own'")

    @cached_property
    def version(self) -> str:
        """Digest of its code and interface."""
        return module_version(self.function, self.interface)

    @property
    def effects(self) -> ToolEffects | None:
        """What was declared."""
        return program_effects("module", declared=self._effects)

    async def execute(self, frame: Frame, inputs: dict[str, Any]) -> dict[str, Any]:
        """Run its code."""
        value = await self.function(**inputs) if inspect.iscoroutinefunction(self.function) else await in_thread(lambda: self.function(**inputs))
        outputs = self.interface.outputs
        if len(outputs) == 1:
            return {outputs[0].name: outputs[0].validate(value)}
        return {field.name: field.validate(item) for field, item in zip(outputs, value, strict=True)}


@overload
def program(function: Callable[..., Any], /) -> AIFunction: ...
@overload
def program(
    *, name: str | None = None, tools: Iterable[Tool | Program | Callable[..., Any]] = (), reasoning: bool = False, **settings: Any
) -> Callable[[Callable[..., Any]], AIFunction]: ...
def program(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    tools: Iterable[Tool | Program | Callable[..., Any]] = (),
    reasoning: bool = False,
    **settings: Any,
) -> AIFunction | Callable[[Callable[..., Any]], AIFunction]:
    """Make an AI function: a model answers it.

    Args:
        function: the function, when the decorator is used without parentheses; its docstring is what the model is told.
        name: its name, unless it is the function's.
        tools: tools the model may use: of `@anb.tool`, plain functions, or other programs.
        reasoning: whether the model is asked to reason first, in an output of its own.
        settings: settings of its own, as `anb.configure` takes them; `model` among them.

    Raises:
        ProgramError: it has no docstring, two tools of one name, or a parameter that is no input.
        OptionError: there is no such setting.

    Example:
        @anb.program(model="openai:gpt-4.1-mini", tools=[order_status, refund], approve="changes")
        def support(message: str) -> str:
            "Help the customer with the order."
    """

    def made(of: Callable[..., Any]) -> AIFunction:
        return AIFunction(of, name=name, tools=tools, reasoning=reasoning, settings=settings)

    return made if function is None else made(function)


@overload
def module(function: Callable[..., Any], /) -> Module: ...
@overload
def module(
    *, name: str | None = None, effects: ToolEffects | None = None, remembers: Mapping[Any, Any] | None = None, **settings: Any
) -> Callable[[Callable[..., Any]], Module]: ...
def module(
    function: Callable[..., Any] | None = None,
    /,
    *,
    name: str | None = None,
    effects: ToolEffects | None = None,
    remembers: Mapping[Any, Any] | None = None,
    **settings: Any,
) -> Module | Callable[[Callable[..., Any]], Module]:
    """Make a module: code of yours whose calls of programs are recorded, and replayed when a turn is resumed.

    What it does besides should come out the same when it runs again, since a turn that is resumed runs it from the beginning.

    Args:
        function: the function, when the decorator is used without parentheses.
        name: its name, unless it is the function's.
        effects: reads or changes, when it is used as a tool.
        remembers: what its helpers are shown of their earlier calls: a program to "conversation", "turn" or a `Remember`; a conversation to "own".
        settings: settings of its own, as `anb.configure` takes them.

    Example:
        @anb.module
        def desk(message: str) -> str:
            return answer(message, topic=topic_of(message))
    """

    def made(of: Callable[..., Any]) -> Module:
        return Module(of, name=name, effects=effects, remembers=remembers, settings=settings)

    return made if function is None else made(function)


def _tool_of(item: Tool | Program | Callable[..., Any], owner: str) -> Tool:
    if isinstance(item, Tool):
        return item
    if isinstance(item, Program):
        made = tool(name=item.name, description=item.interface.description or None, effects=item.effects)(item.function)
        return made.model_copy(update={"resolve": _program_resolver(item, made)})
    if callable(item):
        return tool(item)
    raise ProgramError(f"program {owner!r}: {item!r} is no tool; give a tool of @anb.tool, a function, or a program")


def _program_resolver(item: Program, made: Tool) -> Callable[[Any], Any]:
    def resolve(parsed: Any) -> Any:
        names = type(parsed).model_fields.items()
        return item.acall(**{str(info.alias): getattr(parsed, field) for field, info in names})

    return resolve


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


def _home_of(module_name: str) -> str | None:
    """Return the notebook or file of the session's top level, as the specification orders the places where its name may be found."""
    if module_name != "__main__":
        return None
    return notebook_file(vars(sys.modules["__main__"]))
