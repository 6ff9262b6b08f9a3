"""Conversations made for the tests: turns with tool calls that work, fail, are denied, get no answer, or hold a sub-agent."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from agentnb.values import Call, Conversation, Message, Part, Turn

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
SOURCE = "made-for-tests"
HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script></pre></details>\'"&'


class TurnMaker:
    """Builds one turn, a call at a time."""

    def __init__(self, index: int, prompt: str, conversation_id: str = "made") -> None:
        self.turn_id = f"{conversation_id}/turn {index}"
        self.index = index
        self.prompt = prompt
        self.conversation_id = conversation_id
        self.calls: list[Call] = []
        self.messages: list[Message] = []
        self.said_so_far = 0
        self._call("agent", "support", self.turn_id, None, seconds=9.5)
        self._message("user", self.turn_id, text=prompt)

    def step(self, text: str, agent: str | None = None) -> str:
        """Add a model call that says something; returns its id."""
        owner = agent or self.turn_id
        step_id = self._call("model", "gpt-4o", f"{self.turn_id}/step {len(self.calls)}", owner, seconds=1.5, input_tokens=800, output_tokens=40)
        self._message("assistant", owner, text=text, step_id=step_id)
        return step_id

    def tool(self, step_id: str, name: str, state: str = "done", output: str | None = "fine", agent: str | None = None, **arguments: object) -> str:
        """Add a tool call of a step; returns its id."""
        return self._call(
            "tool",
            name,
            f"{self.turn_id}/{name} {len(self.calls)}",
            agent or self.turn_id,
            step_id=step_id,
            state=state,
            failed=state == "failed",
            input=json.dumps(arguments),
            output=output if state in ("done", "failed") else None,
            seconds=0.4,
        )

    def agent(self, tool_id: str, name: str) -> str:
        """Add a sub-agent that a tool call started; returns its id."""
        return self._call("agent", name, f"{tool_id}/{name}", tool_id, seconds=3.0)

    def think(self, text: str) -> None:
        """Add a model call that only thinks."""
        step_id = self._call("model", "gpt-4o", f"{self.turn_id}/step {len(self.calls)}", self.turn_id)
        self._message("assistant", self.turn_id, text=text, step_id=step_id, type="reasoning")

    def show(self, *texts: str, call_id: str | None = None) -> None:
        """Add a message of images: a person's, or the result of a call."""
        place = self.index * 10_000 + self.said_so_far
        self.said_so_far += 1
        role = "user" if call_id is None else "tool"
        known = {"conversation_id": self.conversation_id, "turn_id": self.turn_id, "message_index": place, "source_id": SOURCE, "agent_call_id": self.turn_id}
        parts = [{**known, "part_index": at, "role": role, "type": "image", "text": text, "call_id": call_id} for at, text in enumerate(texts)]
        self.messages.append(Message.model_validate({"message_index": place, "role": role, "parts": parts}))

    def done(self, state: str = "done") -> Turn:
        """Return the turn."""
        return Turn.model_validate(
            {
                "turn_id": self.turn_id,
                "conversation_id": self.conversation_id,
                "turn_index": self.index,
                "state": state,
                "prompt": self.prompt,
                "started_at": START,
                "seconds": 9.5,
                "source_id": SOURCE,
                "messages": tuple(self.messages),
                "calls": tuple(self.calls),
            }
        )

    def _call(self, kind: str, name: str, call_id: str, parent: str | None, **known: object) -> str:
        at = len(self.calls)
        row = {
            "call_id": call_id,
            "conversation_id": self.conversation_id,
            "turn_id": self.turn_id,
            "parent_call_id": parent,
            "call_index": self.index * 10_000 + at,
            "kind": kind,
            "name": name,
            "started_at": START + timedelta(seconds=at),
            "ended_at": START + timedelta(seconds=at + 1),
            "source_id": SOURCE,
            **known,
        }
        self.calls.append(Call.model_validate(row))
        return call_id

    def _message(self, role: str, agent: str, text: str, step_id: str | None = None, type: str = "text") -> None:
        place = self.index * 10_000 + self.said_so_far
        self.said_so_far += 1
        known = {"conversation_id": self.conversation_id, "turn_id": self.turn_id, "message_index": place, "source_id": SOURCE}
        part = Part.model_validate({**known, "part_index": 0, "role": role, "type": type, "text": text, "step_id": step_id, "agent_call_id": agent})
        self.messages.append(Message.model_validate({"message_index": place, "role": role, "parts": (part,)}))


def refund_turn(index: int = 0, conversation_id: str = "made") -> Turn:
    """A turn of 3 steps: a call that works, one that fails, one with a sub-agent, one without an answer."""
    made = TurnMaker(index, "It never arrived. Please refund it.", conversation_id)
    made.tool(made.step("I'll look up the order first."), "get_order", order_id="W23")
    made.tool(made.step("Now the refund."), "refund", "failed", "Error: payment method does not match", order_id="W23", method="gift_card")
    step = made.step("I ask the policy agent.")
    task = made.tool(step, "task", description="Read the policy")
    agent = made.agent(task, "policy_agent")
    made.tool(made.step("Searching the policy.", agent), "search_policy", agent=agent, query="refund")
    made.tool(step, "ask_person", "unanswered", question="May I?")
    return made.done("failed")


def plain_turn(index: int, prompt: str, conversation_id: str = "made") -> Turn:
    """A turn of one step with one call that works."""
    made = TurnMaker(index, prompt, conversation_id)
    made.tool(made.step(f"Looking at {index}."), "get_order", order_id=f"W{index}")
    return made.done()


def long_turn(index: int = 0, steps: int = 120, conversation_id: str = "made") -> Turn:
    """A turn of many steps; the last call fails."""
    made = TurnMaker(index, "Fix the failing test.", conversation_id)
    for at in range(steps):
        made.tool(
            made.step(f"Attempt {at} " + "with many words " * 20), "bash", "failed" if at == steps - 1 else "done", f"output {at}", command=f"pytest -k {at}"
        )
    return made.done("interrupted")


def hostile_turn(index: int = 0, conversation_id: str = HOSTILE) -> Turn:
    """A turn in which every text tries to be markup."""
    made = TurnMaker(index, HOSTILE, conversation_id)
    made.tool(made.step(HOSTILE), HOSTILE, "failed", HOSTILE, **{HOSTILE: HOSTILE})
    return made.done("failed")


def conversation(*turns: Turn, conversation_id: str = "made", title: str | None = "support-refund") -> Conversation:
    """A conversation of these turns."""
    return Conversation(conversation_id=conversation_id, format="made", title=title, model="gpt-4o", source_id=SOURCE, turns=turns)
