"""Values made by hand for the tests of what is shown: a refund that fails, a coding turn, parallel sub-agents, and one full of traps."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from agentnb.values import Approval, Call, Conversation, Message, Part, Rating, Turn
from agentnb.values.calls import CallKind
from agentnb.values.messages import PartType, Role
from agentnb.values.turns import TurnState

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


class TurnMaker:
    """Writes a turn down the way a reader would: calls and messages in file order, ids and places counted."""

    def __init__(
        self, turn_id: str, conversation_id: str = "support-refund-01", agent: str = "support", prompt: str | None = None, turn_index: int = 0
    ) -> None:
        self.turn_id, self.conversation_id, self.prompt, self.turn_index = turn_id, conversation_id, prompt, turn_index
        self.calls: list[Call] = []
        self.messages: list[Message] = []
        self.approvals: list[Approval] = []
        self.ratings: list[Rating] = []
        self.at = 0.0
        self.call("agent", agent, call_id=turn_id, state="done")
        if prompt is not None:
            self.say("user", prompt)

    def call(self, kind: CallKind, name: str, *, call_id: str | None = None, parent: str | None = None, seconds: float | None = None, **known: Any) -> Call:
        place = len(self.calls)
        made = Call(
            call_id=call_id or f"{self.turn_id}-c{place}",
            conversation_id=self.conversation_id,
            turn_id=self.turn_id,
            parent_call_id=parent if call_id != self.turn_id else None,
            call_index=place,
            kind=kind,
            name=name,
            started_at=START + timedelta(seconds=self.at),
            ended_at=None if seconds is None else START + timedelta(seconds=self.at + seconds),
            seconds=seconds,
            source_id="s1",
            **{"state": "done", **known},
        )
        self.calls.append(made)
        return made

    def say(self, role: Role, *texts: str, agent: str | None = None, step: str | None = None, kind: PartType = "text", injected: bool = False) -> None:
        self._message(role, [(kind, text, None) for text in texts], agent, step, injected=injected)

    def step(
        self,
        text: str | None = None,
        *tools: dict[str, Any],
        agent: str | None = None,
        model: str = "gpt-4o",
        seconds: float = 2.0,
        tokens: int = 800,
        reasoning: str | None = None,
    ) -> list[Call]:
        """Add a model call with what it said, and the tool calls it asked for, one after the other unless `parallel` is said."""
        parent = agent or self.turn_id
        asked = self.call(
            "model", model, parent=parent, seconds=seconds, input_tokens=tokens - 60, output_tokens=60, finish_reason="tool_calls" if tools else "stop"
        )
        self.at += seconds
        made, begun = [], self.at
        for tool in tools:
            known = dict(tool)
            arguments, parallel = known.pop("arguments", None), known.pop("parallel", False)
            if parallel:
                self.at = begun
            failed = known.get("state") == "failed"
            made.append(
                self.call(
                    "tool",
                    known.pop("name"),
                    parent=parent,
                    step_id=asked.call_id,
                    failed=failed,
                    input=None if arguments is None else json.dumps(arguments),
                    **known,
                )
            )
            self.at += known.get("seconds") or 0.0
        parts: list[tuple[PartType, str | None, str | None]] = [("reasoning", reasoning, None)] if reasoning is not None else []
        parts += [("text", text, None)] if text else []
        self._message("assistant", [*parts, *(("tool_call", None, call.call_id) for call in made)], agent, asked.call_id)
        if made:
            self._message("tool", [("tool_result", None, call.call_id) for call in made], agent, None)
        return made

    def approve(self, call: Call, answer: str | None, **known: Any) -> None:
        self.approvals.append(
            Approval(conversation_id=self.conversation_id, turn_id=self.turn_id, call_id=call.call_id, answer=answer, source_id="s1", **known)  # type: ignore[arg-type]
        )

    def rate(self, call_id: str, verdict: str, by: str, note: str | None = None, **known: Any) -> None:
        self.ratings.append(
            Rating(rating_id=f"r{len(self.ratings)}", call_id=call_id, verdict=verdict, rated_by=by, rated_at=START, note=note, **known)  # type: ignore[arg-type]
        )

    def turn(self, state: TurnState | None = "done", answer: str | None = None) -> Turn:
        whole = self.calls[0].model_copy(
            update={
                "seconds": round(self.at, 3),
                "ended_at": START + timedelta(seconds=self.at),
                "state": "failed" if state == "failed" else "done",
                "failed": state == "failed",
            }
        )
        return Turn(
            turn_id=self.turn_id,
            conversation_id=self.conversation_id,
            turn_index=self.turn_index,
            state=state,
            prompt=self.prompt,
            answer=answer,
            started_at=START,
            seconds=round(self.at, 3),
            source_id="s1",
            messages=tuple(self.messages),
            calls=(whole, *self.calls[1:]),
            approvals=tuple(self.approvals),
            ratings=tuple(self.ratings),
        )

    def _message(
        self, role: Role, parts: list[tuple[PartType, str | None, str | None]], agent: str | None, step: str | None, *, injected: bool = False
    ) -> None:
        place = len(self.messages)
        made = tuple(
            Part(
                conversation_id=self.conversation_id,
                turn_id=self.turn_id,
                message_index=place,
                part_index=at,
                role=role,
                type=kind,
                text=text,
                step_id=step,
                call_id=call_id,
                agent_call_id=agent or self.turn_id,
                injected=injected,
                source_id="s1",
            )
            for at, (kind, text, call_id) in enumerate(parts)
        )
        self.messages.append(Message(message_index=place, role=role, parts=made))


REFUND = {"order_id": "W2378156", "amount": 1290.0, "method": "gift_card"}
LENGTHS = "| file | lines |\n|---|---:|\n| parser.py | 4 |\n| dates.py | 61 |"
REFUSED = "Error: payment method does not match the order: expected credit_card_9513926"


def refund_turn() -> Turn:
    """A support turn: a refund to the wrong method, tried again and again, then announced and not done."""
    maker = TurnMaker("turn-2", prompt="It never arrived. Please refund it to the card I paid with.", turn_index=1)
    maker.say(
        "system", "You are the support agent of an invented shop.\n\n- Refund only to the original payment method.\n- Ask before you refund over 500 euros."
    )
    maker.messages.insert(0, maker.messages.pop())
    maker.step(
        "I'll look up the order and its payment first.",
        {
            "name": "get_order",
            "arguments": {"order_id": "W2378156"},
            "seconds": 0.4,
            "output": json.dumps({"order_id": "W2378156", "status": "lost", "total": 1290.0, "paid_with": "credit_card_9513926"}),
        },
    )
    wrong = {"name": "refund", "arguments": REFUND, "seconds": 1.2, "state": "failed", "output": REFUSED}
    first = maker.step(None, wrong, seconds=1.4, reasoning="The order is lost, so a refund is due. The customer has a gift card on file; use that.")
    maker.rate(first[0].call_id, "wrong", "ana", "method should be the original card")
    for text in (None, "Let me try that again.", None):
        maker.step(text, wrong, seconds=1.1)
    asked = maker.step(
        "I need the policy.",
        {"name": "ask_policy", "arguments": {"question": "May a refund go to a gift card?"}, "seconds": 9.8, "output": "Only to the original method."},
    )[0]
    maker.at -= 9.8
    agent = maker.call("agent", "policy_agent", parent=asked.call_id, seconds=9.8)
    maker.say("user", "May a refund go to a gift card?", agent=agent.call_id)
    maker.step(
        "Searching the policy twice.",
        {"name": "search_policy", "arguments": {"text": "refund gift card"}, "seconds": 1.1, "output": "2 hits", "parallel": True},
        {"name": "search_policy", "arguments": {"text": "original method"}, "seconds": 0.9, "output": "1 hit", "parallel": True},
        agent=agent.call_id,
    )
    maker.step(
        None,
        {
            "name": "python",
            "arguments": {"code": "import json\n\nfor hit in hits:  # every hit\n    print(hit['text'][:40])\n"},
            "seconds": 0.3,
            "state": "failed",
            "exit_code": 1,
            "output": "Traceback (most recent call last):\n  File \"<cell>\", line 3, in <module>\nNameError: name 'hits' is not defined",
        },
        agent=agent.call_id,
    )
    maker.step("Only to the original method.", agent=agent.call_id)
    denied = maker.step(
        "Then I need your permission.", {"name": "send_email", "arguments": {"to": "ana@example.com", "subject": "Your refund"}, "state": "denied"}
    )[0]
    maker.approve(denied, "no", question="Send this e-mail?", answered_by="ben", reason="not before the refund is done")
    maker.step(None, {"name": "ask_person", "arguments": {"question": "Which card?"}, "state": "unanswered"})
    maker.step("I was not able to refund the gift card. I'll try the original card next.", tokens=141)
    return maker.turn("failed", answer="I was not able to refund the gift card. I'll try the original card next.")


def coding_turn(steps: int = 40) -> Turn:
    """A coding turn: reads, edits, and runs a test that keeps failing."""
    maker = TurnMaker("turn-code", "fix-parser", "coder", prompt="The test `test_dates` fails since yesterday. Please **find out why** and fix it.")
    report = "\x1b[1m============ test session starts ============\x1b[0m\n" + "\n".join(f"tests/test_{n}.py \x1b[32m.....\x1b[0m" for n in range(30))
    report += "\n\x1b[31mFAILED\x1b[0m tests/test_dates.py::test_dates - AssertionError: assert '2026-03-02' == '2026-02-03'\n1 failed, 61 passed in 2.31s"
    source = 'def parse(text: str) -> date:\n    """Day first."""\n    day, month, year = text.split(\'.\')\n    return date(int(year), int(day), int(month))\n'
    for number in range(steps):
        kind = number % 4
        if kind == 0:
            maker.step(
                f"Attempt {number // 4 + 1}: let me read the parser.",
                {
                    "name": "Read",
                    "arguments": {"file_path": "/project/parser.py"},
                    "seconds": 0.1,
                    "output": "".join(f"{line:6}\t{text}\n" for line, text in enumerate(source.split("\n"), 1)),
                },
                model="claude-sonnet",
                tokens=9_000 + number * 310,
            )
        elif kind == 1:
            maker.step(
                "The month and the day are swapped:\n\n```python\nreturn date(int(year), int(month), int(day))\n```\n\nI'll change `parse`.",
                {
                    "name": "Edit",
                    "arguments": {
                        "file_path": "/project/parser.py",
                        "old_string": "    return date(int(year), int(day), int(month))\n",
                        "new_string": "    # day first\n    return date(int(year), int(month), int(day))\n",
                    },
                    "seconds": 0.2,
                    "output": "The file /project/parser.py has been updated.",
                },
                model="claude-sonnet",
                tokens=9_400 + number * 310,
            )
        elif kind == 2:
            maker.step(
                None,
                {
                    "name": "Bash",
                    "arguments": {"command": "cd /project && python -m pytest -q tests/test_dates.py 2>&1 | tail -50", "description": "Run the failing test"},
                    "seconds": 4.2,
                    "state": "failed",
                    "exit_code": 1,
                    "output": report,
                },
                model="claude-sonnet",
                tokens=11_000 + number * 310,
            )
        else:
            maker.step(
                "Still failing. Possible reasons:\n\n1. a cached `.pyc`\n2. a second copy of `parse`\n\n" + LENGTHS,
                {
                    "name": "Grep",
                    "arguments": {"pattern": "def parse", "path": "/project"},
                    "seconds": 0.1,
                    "output": "parser.py:1:def parse(text: str) -> date:",
                },
                model="claude-sonnet",
                reasoning="Perhaps another module shadows it.",
                tokens=11_400 + number * 310,
            )
    return maker.turn("abandoned", answer="Still failing. Possible reasons: a cached `.pyc`, a second copy of `parse`.")


def parallel_turn() -> Turn:
    """A turn with four sub-agents at once; one fails and one is still running."""
    maker = TurnMaker("turn-par", "survey", "lead", prompt="Compare the four suppliers.")
    tasks = [
        {
            "name": "Task",
            "arguments": {"description": f"supplier {name}", "prompt": f"Find the price of {name}."},
            "seconds": 8.0 + place,
            "parallel": True,
            "output": f"{name}: 12 euros",
            "state": "failed" if name == "Cobalt" else "done",
        }
        for place, name in enumerate(("Amber", "Birch", "Cobalt", "Dune"))
    ]
    begun = maker.at + 2.0
    for place, call in enumerate(maker.step("I'll ask four agents at once.", *tasks)):
        maker.at = begun + place * 0.3
        agent = maker.call("agent", f"researcher_{place + 1}", parent=call.call_id, seconds=7.5 + place, state="running" if place == 3 else "done")
        maker.say("user", "Find the price.", agent=agent.call_id)
        maker.step("Searching.", {"name": "web_search", "arguments": {"q": "price"}, "seconds": 1.5, "output": "12 euros"}, agent=agent.call_id)
        maker.step("12 euros.", agent=agent.call_id)
    maker.at = begun + 12.0
    maker.step("All four cost **12 euros**, but Cobalt could not be checked.")
    return maker.turn("done", answer="All four cost **12 euros**, but Cobalt could not be checked.")


def conversation(*turns: Turn) -> Conversation:
    """A conversation of some turns."""
    return Conversation(
        conversation_id=turns[0].conversation_id if turns else "empty",
        format="claude_code",
        title=None,
        agent_name="support",
        model="gpt-4o",
        source_id="s1",
        turns=turns,
    )


ATTACKS = (
    "<script>alert(1)</script>",
    "\"'><img src=x onerror=alert(1)>",
    "' onmouseover='alert(1)",
    "</style><script>alert(1)</script>",
    "</details></section><iframe src=javascript:alert(1)>",
    "[click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>) ![i](https://evil.example.com/p.png)",
    '<a href="javascript:alert(1)">x</a> [x](JaVaScRiPt:alert(1)) [y](  javascript:alert(1)) [z](&#106;avascript:alert(1))',
    "[v](vbscript:x) <javascript:alert(1)> [file](file:///etc/passwd) [relative](../../etc/passwd) [protocol](//evil.example.com)",
    "[a](https://example.com/\"onmouseover=alert(1)) <https://example.com/'onclick=x>",
    "}</style><style>*{background:url(https://evil.example.com)}",
    "null\x00byte \x1b[31mred\x1b[0m \x1b]8;;javascript:alert(1)\x07link\x1b]8;;\x07 \x07bell \x7f \x9b31m",
    "user\u202etxt.exe \u2066isolate\u2069 \U000e0041\U000e0042hidden",
    "\ud800 lone \udfff surrogates",
    "<!-- <![CDATA[ ]]> --> &lt;b&gt; &#x3c;script&#x3e;",
    "```html\n</code></pre><script>alert(1)</script>\n```",
    "`</code><script>alert(1)</script>`",
    "| a |\n|---|\n| <script>alert(1)</script> |",
    "# <svg onload=alert(1)>",
    "<!DOCTYPE x [<!ENTITY y SYSTEM 'file:///etc/passwd'>]>",
)


def hostile_turn(attack: str) -> Turn:
    """A turn with the same text in every place that a recording fills."""
    maker = TurnMaker(f"t{attack}", f"c{attack}", attack, prompt=attack)
    maker.say("system", attack)
    maker.say("user", attack, injected=True)
    maker.say("user", attack, kind="image")
    maker.say("user", attack, kind="other")
    call = maker.step(
        attack,
        {"name": attack, "arguments": {attack: attack, "command": attack + "\n" + attack}, "state": "failed", "output": attack, "error": attack + "!"},
        model=attack,
        reasoning=attack,
    )[0]
    agent = maker.call("agent", attack, parent=call.call_id, call_id=f"a{attack}")
    maker.step(attack, {"name": attack, "arguments": attack, "output": attack}, agent=agent.call_id)
    maker.step(attack, {"name": attack, "arguments": [attack], "state": "denied"})
    maker.approve(call, "no", question=attack, answered_by=attack, reason=attack)
    maker.rate(call.call_id, "wrong", attack, attack, reasons=(attack,), answer=json.dumps(attack))
    maker.rate(maker.turn_id, "right", attack, attack)
    return maker.turn("failed", answer=attack)
