"""Events that name their parent -> conversations: what coding tools write, one event a line, several files a session.

The order of lines says little: events form a tree by parent, resumed sessions repeat events with the same id, and sub-agents have threads, and often
files, of their own. This builder finds for each event its conversation, its thread and its turn; the reader then says what the event says.
"""

from __future__ import annotations

from typing import NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._rows import CallRow, Micros, Rows, TurnRow
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._thread import Link, Thread


class EventLog:
    """The conversations of one group of files."""

    def __init__(self, rows: Rows, format: str) -> None:
        """Start without events; `finish` moves the rows into the tables."""
        self.rows = rows
        self.format = format
        self.conversations: dict[str, ConversationDraft] = {}
        self._met: dict[str, tuple[str | None, Account]] = {}
        self._places: dict[str, TurnRow | Thread] = {}
        self._agents: dict[tuple[str, str], Thread] = {}
        self._prompts: dict[str, str] = {}
        self._links: dict[tuple[str, str], Link] = {}
        self._homes: dict[str, str] = {}
        self._starters: list[_Starter] = []

    def already_met(self, event_id: str, mark: str | None, account: Account, line: int) -> bool:
        """Tell whether an event was met before, in this file or another, and account it as merged if so.

        Args:
            event_id: the recording's own id of the event.
            mark: what a copy keeps, such as its time; another event that only reuses the id is no copy.
            account: of the file.
            line: its line there.
        """
        own = (mark, account)
        first = self._met.setdefault(event_id, own)
        if first is own:
            return False
        if first[0] != mark:
            account.diagnose("reused_id", f"The id {event_id} stands on different events; both are kept.", line=line, excerpt=event_id)
            return False
        account.merge()
        if first[1] is account:
            account.diagnose("duplicate_id", f"The event {event_id} was met before; it is kept once.", line=line, severity="info", excerpt=event_id)
        return True

    def conversation(self, conversation_id: str, account: Account) -> ConversationDraft:
        """Return the conversation with this id, a new one if there is none yet."""
        draft = self.conversations.get(conversation_id)
        if draft is None:
            draft = self.conversations[conversation_id] = ConversationDraft(self.rows, account, conversation_id, self.format)
        return draft

    def place_main(self, draft: ConversationDraft, parent: TurnRow | Thread | None, account: Account) -> Thread:
        """Return the main thread, moved to the turn of the event's parent.

        Args:
            draft: the conversation of the event.
            parent: where its parent is, as `place_of` tells it.
            account: of the file.
        """
        thread = draft.main
        thread.account = account
        if parent is not None and parent is not thread.turn and isinstance(parent, TurnRow) and parent.conversation_id == thread.conversation_id:
            thread.move_to(parent)
        return thread

    def place_side(
        self,
        draft: ConversationDraft,
        event_id: str | None,
        parent: TurnRow | Thread | None,
        agent_id: str | None,
        account: Account,
        *,
        is_root: bool,
        at: Micros | None,
        line: int,
    ) -> Thread:
        """Return the side thread of an event.

        A side thread is told by its agent's id. Older logs only mark its events: the first one has no parent, and the others are where their parent is.
        """
        key = (draft.row.conversation_id, agent_id or event_id or f"line {line}")
        if agent_id is None:
            if isinstance(parent, Thread):
                return parent
            if not (is_root and draft.turns):
                return self.place_main(draft, parent, account)
        thread = self._agents.get(key)
        if thread is None:
            thread = draft.start_thread(event_id or f"{key[0]}/{key[1]}", key[1], account, at=at, line=line)
            self._agents[key] = thread
        return thread

    def belongs(self, event_id: str, thread: Thread) -> None:
        """Remember where an event is, so that its children find it."""
        if thread.agent_call is not None:
            self._places[event_id] = thread
        elif thread.turn is not None:
            self._places[event_id] = thread.turn

    def place_of(self, event_id: str | None) -> TurnRow | Thread | None:
        """Return where an event that was met before is: its turn in a main thread, or its side thread."""
        return self._places.get(event_id) if event_id is not None else None

    def starts_agent(self, call: CallRow, thread: Thread, prompt: str, name: str) -> None:
        """Note that a tool call starts a sub-agent of this name with this prompt."""
        self._starters.append(_Starter(prompt, name, Link(call, thread)))

    def prompt_of_agent(self, thread: Thread, prompt: str) -> None:
        """Note the first words said to a sub-agent: where no result names it, they tell which call started it."""
        self._prompts.setdefault(thread.agent_call_id, prompt)

    def link(self, conversation_id: str, agent_id: str, call: CallRow, thread: Thread) -> None:
        """Note that a call's result names the sub-agent it started."""
        self._links[(conversation_id, agent_id)] = Link(call, thread)
        self._homes.setdefault(agent_id, conversation_id)

    def home_of(self, agent_id: str) -> str | None:
        """Return the conversation whose call started a sub-agent; its own log may name a session that resumed it."""
        return self._homes.get(agent_id)

    def finish(self) -> None:
        """Join the sub-agents to the calls that started them, and move everything into the tables."""
        names = {id(starter.link.call): starter.name for starter in self._starters}
        taken = {id(link.call) for link in self._links.values()}
        for key, thread in self._agents.items():
            thread.parent = self._links.get(key) or self._link_by_prompt(thread, taken)
            own = thread.agent_call
            if thread.parent is not None:
                thread.join(thread.parent.thread.draft)
            if thread.parent is None:
                message = f"No call is known to have started the sub-agent {key[1]}; it stands under the first turn."
                thread.account.diagnose("unlinked_agent", message, conversation_id=key[0], call_id=thread.agent_call_id)
            elif own is not None:
                own.name = names.get(id(thread.parent.call)) or own.name
        self._note_missing_logs()
        for draft in self.conversations.values():
            if not draft.is_empty:
                draft.finish()

    def _note_missing_logs(self) -> None:
        for (conversation_id, agent_id), link in self._links.items():
            if (conversation_id, agent_id) not in self._agents:
                message = f"The log of the sub-agent {agent_id} is not among the files; its call has only the result."
                account = link.thread.account
                account.diagnose("agent_log_missing", message, severity="info", conversation_id=conversation_id, call_id=link.call.call_id)

    def _link_by_prompt(self, thread: Thread, taken: set[int]) -> Link | None:
        said = self._prompts.get(thread.agent_call_id)
        for prompt, _, link in self._starters:
            if said is not None and prompt == said and id(link.call) not in taken and link.thread is not thread:
                taken.add(id(link.call))
                return link
        return None


class _Starter(NamedTuple):
    """A tool call that starts a sub-agent."""

    prompt: str
    name: str
    link: Link
