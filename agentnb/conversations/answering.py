"""How a model answers a call of an AI function: asked, replayed, asked again, until its reply is an answer."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agentnb.conversations.canonical import sha256_of
from agentnb.conversations.exchanges import Reply, exchange, request_record
from agentnb.conversations.models import model_name, provider_of, vendor_of
from agentnb.conversations.prompts import answer_schema, correction, first_messages, instruction_of, is_plain, read_outputs, result_messages
from agentnb.conversations.reply_keys import reply_key
from agentnb.conversations.tool_calls import run_tools, text_of
from agentnb.errors import ModelError
from agentnb.transports import ModelRequest, PreparedModelInteraction, SessionTransport, define_model_tools, text_transport
from agentnb.values.times import time_text

if TYPE_CHECKING:
    from agentnb.conversations.frames import Frame
    from agentnb.conversations.programs import AIFunction

_AGAIN: Final = frozenset({"provider-error", "empty"})
_WAIT_SECONDS: Final = 0.5
"""How long to wait before the first request that is made again; each further one waits twice as long."""


async def answer(program: AIFunction, frame: Frame) -> dict[str, Any]:
    """Ask the model of a program until it answers.

    Returns:
        The outputs by name, as their annotations want them.

    Raises:
        ModelError: it gave no answer that can be used, in as many requests and steps as are allowed.
    """
    talk = _Talk(program, frame)
    for _ in range(frame.settings["max_steps"]):
        reply = await talk.ask()
        if reply.calls:
            outputs = await run_tools(program, frame, reply.calls)
            talk.tell_results(reply, outputs)
        else:
            found = talk.read(reply)
            if found is not None:
                return found
    raise ModelError("too-many-steps", f"{program.name} made {frame.settings['max_steps']} requests without an answer; max_steps= allows more")


class _Talk:
    """The messages of one call, as they grow."""

    def __init__(self, program: AIFunction, frame: Frame) -> None:
        self.program, self.frame = program, frame
        self.provider = provider_of(frame.settings["model"], program.name)
        self.model = model_name(frame.settings["model"])
        self.messages = first_messages(frame)
        self.prepared = _prepared(program, frame)
        self.instruction = instruction_of(frame)
        self._unread = 0

    async def ask(self) -> Reply:
        """Ask, or take the reply that was recorded; after an error of the provider, again."""
        for again in range(self.frame.settings["retries"] + 1):
            try:
                return await self._ask_once()
            except ModelError as error:
                if error.code not in _AGAIN or again == self.frame.settings["retries"]:
                    raise
                wait = _WAIT_SECONDS * 2**again
                self.frame.run.events.tell(self.frame, "retry", reason=str(error), wait=wait)
                await asyncio.sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def tell_results(self, reply: Reply, outputs: list[str]) -> None:
        """Go on with what the tools put out."""
        self.messages += [reply.to_record()["message"], *result_messages(zip(reply.calls, outputs, strict=True))]
        for call, output in zip(reply.calls, outputs, strict=True):
            self.frame.steps.append({"kind": "tool", "id": call.id, "name": call.name, "output": [{"type": "text", "text": output}]})

    def read(self, reply: Reply) -> dict[str, Any] | None:
        """Read the answer out of a reply; None when it cannot be read and is asked for again."""
        interface = self.program.interface
        try:
            outputs = read_outputs(interface, reply.text)
        except ModelError as error:
            self._unread += 1
            exchange = self.frame.exchanges[-1]
            exchange["error"] = {"type": "ModelError", "code": error.code, "message": str(error)}
            if self._unread > self.frame.settings["retries"]:
                raise ModelError(error.code, f"the reply of {self.model} to {self.program.name} cannot be read: {error}") from None
            self.frame.run.events.tell(self.frame, "retry", reason=str(error), wait=None)
            self.messages += [reply.to_record()["message"], correction(str(error))]
            self.frame.steps.pop()
            return None
        self.frame.steps[-1]["outputs"] = interface.outputs_to_json(outputs)
        if not is_plain(interface):
            for name, value in self.frame.steps[-1]["outputs"].items():
                if text := text_of(value):
                    self.frame.run.events.tell(self.frame, "text", field=name, answer=name == interface.answer, text=text)
        return outputs

    async def _ask_once(self) -> Reply:
        frame, run = self.frame, self.frame.run
        run.check(asking=True)
        request = ModelRequest([*self.messages], self.instruction, self.prepared.all_options)
        record = request_record(request, self.model)
        key, began = reply_key(record), run.now()
        frame.requests += 1
        recorded = run.journal.take_reply(frame.site, key) if run.journal is not None else None
        noted: dict[str, Any] = {"model": self.model, "provider": vendor_of(self.provider), "started": time_text(began), "seconds": 0}
        noted |= {"cached": recorded is not None, "request": record, "request_hash": sha256_of(record)}
        frame.exchanges.append(noted)
        if recorded is not None:
            run.events.tell(frame, "request", request=frame.requests, model=self.model)
            reply = Reply.from_record(recorded)
            if reply.text and is_plain(self.program.interface):
                run.events.tell(frame, "text", field=self.program.interface.answer, answer=True, text=reply.text)
        else:
            reply = await self._exchange(request, key, noted)
        noted |= {"finish": reply.finish, "usage": reply.usage, "response": reply.to_record()}
        run.usage.update(reply.usage)
        self._step(reply, noted["request_hash"])
        run.check(asking=bool(reply.calls) or recorded is not None)
        return reply

    async def _exchange(self, request: ModelRequest, key: str, noted: dict[str, Any]) -> Reply:
        """Ask the model, and record what it replied at once."""
        frame, run = self.frame, self.frame.run
        with run.working():
            frame.note_new()
            run.events.frontier(frame)
            run.events.tell(frame, "request", request=frame.requests, model=self.model)
            began = run.now()
            try:
                reply = await exchange(self.provider, request, self.prepared, on_part=self._on_part, model=self.model or "the model")
            except Exception as error:
                noted["error"] = {"type": type(error).__name__, "message": str(error)} | ({"code": error.code} if isinstance(error, ModelError) else {})
                noted["seconds"] = (run.now() - began) / 1e6
                raise
            noted |= {"seconds": (run.now() - began) / 1e6, "streamed": True, "first_delta": reply.first_delta}
            journal = run.journal
            if journal is not None and journal.keeps_replies:
                journal.write("reply", key=key, response=reply.to_record(), site=frame.site, attempt=journal.attempt)
        return reply

    def _on_part(self, kind: str, text: str) -> None:
        frame = self.frame
        if frame.run.halt_reason not in (None, "waiting"):
            frame.run.check()
        if kind == "thinking" and text:
            frame.run.events.tell(frame, "thinking", text=text)
        elif text and is_plain(self.program.interface):
            frame.run.events.tell(frame, "text", field=self.program.interface.answer, answer=True, text=text)

    def _step(self, reply: Reply, request_hash: str) -> None:
        outputs: dict[str, Any] = {self.program.interface.answer: reply.text} if is_plain(self.program.interface) and reply.text else {}
        step: dict[str, Any] = {"kind": "model", "outputs": outputs, "message": reply.to_record()["message"], "request": request_hash}
        if reply.calls:
            outputs["tool_calls"] = [{"id": call.id, "name": call.name, "input": call.input} for call in reply.calls]
            step["calls_field"] = "tool_calls"
        self.frame.steps.append(step)


def _prepared(program: AIFunction, frame: Frame) -> PreparedModelInteraction:
    options = frame.settings["options"]
    if program.tools:
        return SessionTransport(program.name, tools=define_model_tools(program.tools), on_invalid="collect", options=options).prepare()
    prepared = text_transport(program.name, options, allow_empty=True).prepare()
    if is_plain(program.interface):
        return prepared
    return replace(prepared, options=replace(prepared.options, json=answer_schema(program.interface)))
