"""An agent at work in a process of its own: it asks before it refunds, and prints how its turns end."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
CODE: Final = '''
import json, sys
import agentnb as anb
from agentnb.transports import CallPart, FinishPart

@anb.tool(effects="changes")
def refund(order: str, amount: float, note: str = "") -> str:
    """Refund an order."""
    return f"refunded {amount:.2f}"

@anb.tool(effects="changes")
def edit_page(path: str, old_string: str, new_string: str) -> str:
    """Change a page."""
    return "saved"

CALLS = {
    "refund": {"order": "W2378156", "amount": 129.0},
    "letter": {"order": "W2378157", "amount": 12.5, "note": "Dear customer, we are sorry. " * 60},
    "page": {"path": "help/refunds.md", "old_string": "Refunds take a week.\\nWrite to us.", "new_string": "Refunds take a day.\\nWrite to us."},
}

class Model(anb.ScriptedProvider):
    def stream(self, request):
        last = request.input[-1]
        if last["role"] == "tool":
            yield f"I was told: {last['parts'][0]['output']}"
            return
        word = last["parts"][0]["text"].split()[-1]
        name = "edit_page" if word == "page" else "refund"
        yield CallPart(index=0, id="call_1", name=name, arguments=json.dumps(CALLS[word]))
        yield FinishPart(reason="tool_calls")

@anb.program(tools=[refund, edit_page], approve="changes", model=Model())
def support(message: str) -> str:
    """Help customers of a shop."""

chats = [(name, support.conversation(name, store=sys.argv[1])) for name in sys.argv[2::2]]
turns = [(name, chat.send(message)) for (name, chat), message in zip(chats, sys.argv[3::2])]
for name, turn in turns:
    turn.wait(60)
print("asked", flush=True)
for name, turn in turns:
    ended = turn.wait(90, through_approvals=True)
    print(name, ended.state, ended.result, flush=True)
'''


class Agent:
    """The process of an agent."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def line(self) -> str:
        """Return the next line that it prints."""
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


@contextmanager
def agent_at_work(store: Path, **messages: str) -> Iterator[Agent]:
    """Run an agent that has sent one turn in each conversation, until each asks a person.

    Args:
        store: the database.
        messages: what is sent in each conversation; the last word says what for: refund, letter or page.
    """
    words = [word for pair in messages.items() for word in pair]
    process = subprocess.Popen([sys.executable, "-c", CODE, str(store), *words], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        agent = Agent(process)
        assert agent.line() == "asked"
        yield agent
    finally:
        process.kill()
        process.communicate()
