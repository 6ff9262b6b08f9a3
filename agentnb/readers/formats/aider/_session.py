"""The blocks of one session of aider -> a conversation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from agentnb.readers._account import Account
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._times import read_time
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said, joined
from agentnb.readers.formats.aider._blocks import Block
from agentnb.readers.formats.aider._told import Told, told_in

# Thoughts of the model stand in a reply between marks.
_THOUGHT = re.compile(r"\s*<(thinking-content-\w+)>\s*(.*?)\s*</\1>\s*|\s*-+\n► \*\*THINKING\*\*\s*(.*?)\s*-+\n► \*\*ANSWER\*\*\s*", re.DOTALL)
# Commands with which a person runs a program; what it prints is on the tool's lines.
_RUNS = re.compile(r"(?:/(?:run|test)\s+|!\s*)(\S.*)", re.DOTALL)


def read_session(blocks: list[Block], apart: Apart, account: Account) -> None:
    """Read a session; one that has nothing but its heading holds no conversation."""
    if len(blocks) == 1 and blocks[0].kind == "start":
        account.leave_out("empty_session", "Nothing was said in the session after its heading.", line=blocks[0].line, severity="info", excerpt=blocks[0].text)
        return
    session = _Session(apart.start(_conversation_id(blocks), account, line=blocks[0].line), account)
    for block in blocks:
        session.read(block)
    session.messages.finish()
    session.draft.finish()


def _conversation_id(blocks: list[Block]) -> str:
    """Name a session by its heading and what was said until the first reply that answers a person."""
    asked = next((place for place, block in enumerate(blocks) if block.kind == "user"), None)
    replied = next((place for place, block in enumerate(blocks) if block.kind == "reply" and asked is not None and place > asked), len(blocks))
    begin = [[block.kind, block.text] for block in blocks[:replied] if block.kind in ("start", "user")] or [[blocks[0].kind, blocks[0].text]]
    return f"aider-{digest_of(['aider', begin])}"


class _Session:
    def __init__(self, draft: ConversationDraft, account: Account) -> None:
        self.draft = draft
        self.account = account
        self.messages = MessageList(draft.main, account)
        draft.row.agent_name = "aider"
        self._model: str | None = None
        self._asked = False
        self._replies = False
        self._counted = True
        self._command: str | None = None

    def read(self, block: Block) -> None:
        """Read a block."""
        reads = {"start": self._start, "user": self._speak, "tool": self._tell, "reply": self._reply}
        reads[block.kind](block)

    def _start(self, block: Block) -> None:
        time = read_time(block.text)
        self.draft.row.started_at = time.micros
        self.draft.row.time_zone_assumed = time.zone_assumed
        self.account.keep()

    def _speak(self, block: Block) -> None:
        if self._asked and self.draft.main.turn is not None:
            # A person speaks again only when the agent is done, whether it replied or not.
            self.messages.go_back_to(self.draft.main.turn)
        self.messages.read([Said("user", block.line, (Piece("text", block.text),))])
        self._asked, self._replies, self._counted = True, False, True
        command = _RUNS.fullmatch(block.text.strip())
        self._command = command[1] if command is not None else None

    def _reply(self, block: Block) -> None:
        pieces = tuple(_pieces_in(block.text)) if self._asked else (Piece("text", block.text),)
        if not self._asked:
            # Before a person spoke nothing was replied to: the tool printed it, such as its settings.
            self.messages.read([Said("system", block.line, pieces)])
            return
        self.messages.read([Said("assistant", block.line, pieces, model=self._model, same_step=not self._counted)])
        self._replies, self._counted, self._command = True, False, None

    def _tell(self, block: Block) -> None:
        told = told_in(block.text, block.line)
        self.draft.row.agent_version = self.draft.row.agent_version or told.version
        self._model = told.model or self._model
        if told.model is not None and self.draft.row.model is None:
            self.draft.row.model = told.model
        if self._command is not None and block.text.strip() and not told.asked and not told.usage:
            asked = Asked(None, "run", to_json({"command": self._command}))
            self.messages.run(asked, Said("tool", block.line, (Piece("text", block.text.strip("\n")),)))
            self._command = None
            return
        if told.error is not None and self._asked and not self._replies:
            self.messages.read([Said("assistant", block.line, model=self._model, error=told.error, records=0)])
            self._replies = True
        self.messages.read([Said("system", block.line, (Piece("text", block.text),))])
        self._note(told)

    def _note(self, told: Told) -> None:
        step, thread = self.messages.step, self.draft.main
        if step is not None and self._replies:
            if told.usage and not self._counted:
                for column, value in told.usage.items():
                    setattr(step, column, value)
                self._counted = True
            if told.extra:
                step.extra = joined(step.extra, to_json(told.extra))
        for asked in told.asked if thread.turn is not None else ():
            assert asked.question is not None
            thread.new_message()
            wanted = f"{thread.agent_call_id}/{asked.name}"
            call = thread.ask(wanted, None, asked.name, asked.input, step=None, at=None, line=asked.question.line)
            call.state = asked.state
            self.draft.ask_person(call, asked.question, self.account)


def _pieces_in(reply: str) -> Iterator[Piece]:
    """Yield what a reply says, its thoughts apart from its words."""
    end = 0
    for thought in _THOUGHT.finditer(reply):
        if words := reply[end : thought.start()].strip("\n"):
            yield Piece("text", words)
        yield Piece("reasoning", thought[2] if thought[1] else thought[3])
        end = thought.end()
    if end == 0 or reply[end:].strip():
        yield Piece("text", reply[end:])
