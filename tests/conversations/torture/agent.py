"""An agent with everything that can be cut in two: parallel helpers, tools that read and change things, questions to a person, a program as a tool.

What it does depends on nothing but what it is given, so that every run of it, however often it was killed, has to come out the same.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import agentnb as anb
from agentnb.transports import CallPart, FinishPart, ModelRequest, TextPart, UsagePart
from agentnb.values.model_parts import ModelPart
from tests.conversations.torture.side_file import SideFile

ASKED = ("refund", "hold")
"""Tools that a person is asked about."""
DENIED = "refund(9)"
"""The one call that the person does not allow."""
OUTPUTS = {"refund": "order {} was refunded", "hold": "order {} is held", "mail": "wrote to {}"}
"""What those tools put out that change things."""
DIGEST = re.compile(r"~[0-9a-f]{10}")
"""Names the request in the reply to it, so that a reply in the log can be told from others."""

_world: dict[str, Any] = {"side": None, "pace": 0.0}


def begin(side: SideFile, pace: float) -> None:
    """Say where to write notes, and how many seconds each piece of a reply and each tool takes."""
    _world.update(side=side, pace=pace)


def _note(what: str, name: str, output: str | None = None) -> None:
    _world["side"].note(what, name, output)


def _done(name: str, output: str) -> str:
    _note("began", name)
    time.sleep(_world["pace"])
    _note("ended", name, output)
    return output


@anb.tool(effects="reads")
def status(order: str) -> str:
    """Look up an order."""
    return _done(f"status({order})", f"order {order} is late")


@anb.tool(effects="changes")
def refund(order: str) -> str:
    """Refund an order."""
    return _done(f"refund({order})", OUTPUTS["refund"].format(order))


@anb.tool(effects="changes")
async def hold(order: str) -> str:
    """Hold an order back."""
    _note("began", f"hold({order})")
    await asyncio.sleep(_world["pace"])
    _note("ended", f"hold({order})", OUTPUTS["hold"].format(order))
    return OUTPUTS["hold"].format(order)


@anb.tool
def mail(to: str) -> str:
    """Write to a customer; nobody is asked, and nobody says what it changes."""
    return _done(f"mail({to})", OUTPUTS["mail"].format(to))


@anb.program
def topic_of(message: str) -> str:
    """TOPIC: name the topic of the message."""


@anb.program
def gist(text: str) -> str:
    """GIST: say it in three words."""


@anb.program(tools=[status, hold])
def inquiry(order: str) -> str:
    """INQUIRY: find out about the order, and hold it."""


@anb.program(tools=[refund, mail, gist])
def refunds(order: str) -> str:
    """REFUNDS: refund what has to be refunded, and write to the customer."""


@anb.module
async def desk(message: str) -> str:
    """Answer a message with two helpers at once."""
    topic = await topic_of.acall(message)
    again = await topic_of.acall(message)
    found, done = await asyncio.gather(inquiry.acall("7"), refunds.acall("8"))
    return f"{topic}/{again}/{found}/{done}/{await gist.acall(found + done)}"


class Clerk:
    """A model that does what the instruction's first word says, step by step."""

    model = "clerk"

    def stream(self, request: ModelRequest) -> Iterator[ModelPart]:
        """Reply in pieces."""
        asked = json.dumps([request.instruction, request.input], sort_keys=True)
        digest = f"~{hashlib.sha256(asked.encode()).hexdigest()[:10]}"
        _note("asked", digest)
        for part in [*_parts((request.instruction or "").split(":")[0], _said(request.input), digest), UsagePart(data={"input_tokens": 7, "output_tokens": 3})]:
            time.sleep(_world["pace"])
            yield part
        _note("replied", digest)


def _said(messages: list[dict[str, Any]]) -> list[str]:
    """Return what tools told the model so far."""
    return [str(part["output"]) for message in messages if message["role"] == "tool" for part in message["parts"]]


def _parts(who: str, told: list[str], digest: str) -> list[ModelPart]:
    script: dict[str, list[list[tuple[str, dict[str, str]]]]] = {
        "INQUIRY": [[("status", {"order": "7"}), ("status", {"order": "77"})], [("hold", {"order": "7"})]],
        "REFUNDS": [[("refund", {"order": "8"}), ("refund", {"order": "9"})], [("gist", {"text": "refunded"}), ("mail", {"to": "ana@example.com"})]],
    }
    steps, done = script.get(who, []), len(told)
    for step in steps:
        if done == 0:
            calls = [CallPart(index=place, id=f"{name}{digest}", name=name, arguments=json.dumps(given)) for place, (name, given) in enumerate(step)]
            return [*calls, FinishPart(reason="tool_calls")]
        done -= len(step)
    return [TextPart(text=f"{who.lower()} "), TextPart(text=f"{'; '.join(told)}{digest}"), FinishPart(reason="stop")]
