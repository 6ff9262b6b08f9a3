"""The messages of a thread -> turns, steps and calls; its states -> titles, labels, and the questions that it waits with."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import dict_of, text_of
from agentnb.readers._rows import CallRow, TurnRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders.message_list import MessageList
from agentnb.readers.formats.langchain._records import error_of, interrupts_of, time_of
from agentnb.readers.formats.langchain._tree import Node, Stand, Tree

_LABELS = ("graph_id", "assistant_id", "user_id")
_REFUSED = "User rejected the tool call"


def emit(tree: Tree, apart: Apart) -> None:
    """Put a conversation into the tables."""
    draft = apart.start(tree.conversation_id, tree.account, line=tree.place)
    _Thread(tree, draft).read()
    draft.finish()


class _Thread:
    """Reads the messages of one conversation, branch after branch."""

    def __init__(self, tree: Tree, draft: ConversationDraft) -> None:
        self.tree, self.draft = tree, draft
        self.reader = MessageList(draft.main, tree.account)
        self.turns: dict[Node, TurnRow | None] = {tree.root: None}
        self.calls: dict[Node, list[CallRow]] = {}
        self.asked: set[str] = set()
        self.latest = tree.root

    def read(self) -> None:
        for node in self.tree.nodes():
            if node.parent is not self.latest:
                self._go_back(node)
            self._read(node)
        self.reader.finish()
        for stand in self.tree.stands:
            self._note(stand)

    def _read(self, node: Node, *, again: bool = False) -> None:
        thread = self.draft.main
        thread.account = self.reader.account = node.account
        first = len(thread.calls)
        says = node.says()
        if again:
            says = [says[0]._replace(injected=says[0].role != "user", asked=(), records=0, at=None)]
        self.reader.read(says)
        if not again:
            self.calls[node] = [call for call in thread.calls[first:] if call.kind == "tool"]
            self.turns[node] = thread.turn
            self.latest = node

    def _go_back(self, node: Node) -> None:
        """Continue where a branch splits off; one that splits off inside a turn is a turn of its own that repeats how the turn began."""
        above = node.parent or self.tree.root
        turn = self.turns[above]
        self.draft.main.clock = None
        if node.said.role == "user" or turn is None:
            self.reader.go_back_to(turn)
            return
        self.reader.go_back_to(self._before(turn))
        for earlier in self._of_turn(above, turn):
            self._read(earlier, again=True)

    def _before(self, turn: TurnRow) -> TurnRow | None:
        return next((other for other in self.draft.turns if other.turn_id == turn.parent_turn_id), None)

    def _of_turn(self, node: Node | None, turn: TurnRow) -> list[Node]:
        found: list[Node] = []
        while node is not None and self.turns.get(node) is turn:
            found.insert(0, node)
            node = node.parent
        return found

    def _note(self, stand: Stand) -> None:
        draft, state = self.draft, stand.state
        values, metadata = dict_of(state.get("values")), dict_of(state.get("metadata"))
        title = values.get("title")
        draft.row.title = title if isinstance(title, str) and title else draft.row.title
        draft.row.agent_name = text_of(metadata.get("graph_id")) or draft.row.agent_name
        draft.row.model = draft.row.model or text_of(metadata.get("model_name") or metadata.get("ls_model_name"))
        draft.labels |= {name: metadata[name] for name in _LABELS if metadata.get(name)}
        kept = {name: value for name, value in state.items() if name not in ("values", "messages") and value not in (None, "", [], {})}
        draft.extra |= kept | ({"values": rest} if (rest := {name: value for name, value in values.items() if name != "messages"}) else {})
        self._note_end(stand)

    def _note_end(self, stand: Stand) -> None:
        """Tell how the turn stood when the state was saved; a later state of the same turn takes it back."""
        row, state = self.draft.row, stand.state
        saved = time_of(state).micros
        row.ended_at = saved if saved is not None and (row.ended_at is None or saved > row.ended_at) else row.ended_at
        turn = self.turns.get(stand.tip) or (self.draft.turns[-1] if self.draft.turns else None)
        if turn is None:
            return
        waits, error = interrupts_of(state), error_of(state)
        turn.state = "waiting" if waits or state.get("status") == "interrupted" else "failed" if error or state.get("status") == "error" else None
        turn.state = "running" if state.get("status") == "busy" else turn.state
        for interrupt in waits:
            self._ask(interrupt, stand)

    def _ask(self, interrupt: Any, stand: Stand) -> None:
        """Put a question of the graph to the calls that it is about: those it names, else the only one that waits."""
        value = interrupt.get("value") if isinstance(interrupt, dict) and "value" in interrupt else interrupt
        open_calls = self._open_calls(stand.tip)
        asked = [(call, question) for name, question in _requests(value) if (call := _named(open_calls, name)) is not None]
        if not asked and len(open_calls) == 1 and not _requests(value):
            asked = [(open_calls[0], text_of(value))]
        for call, question in asked:
            open_calls = [other for other in open_calls if other is not call]
            if call.call_id in self.asked:
                continue
            self.asked.add(call.call_id)
            self.draft.ask_person(call, _question(call, question, stand), stand.account)

    def _open_calls(self, node: Node | None) -> list[CallRow]:
        while node is not None and not self.calls.get(node):
            node = node.parent
        return list(self.calls[node]) if node is not None else []


def _question(call: CallRow, question: str | None, stand: Stand) -> Question:
    """Return what a person was asked about a call, and what became of it: a call that has a result was allowed, unless the result says otherwise."""
    asked = Question(question, asked_at=time_of(stand.state).micros, line=stand.place)
    if call.state in (None, "unanswered"):
        return asked
    output = call.output if isinstance(call.output, str) else ""
    return asked._replace(answer="no", reason=output) if output.startswith(_REFUSED) else asked._replace(answer="yes")


def _requests(value: Any) -> list[tuple[str, str | None]]:
    """Return the tools that a question is about, and what is asked of each."""
    listed = value.get("action_requests") if isinstance(value, dict) else value
    items = listed if isinstance(listed, list) else [value]
    requests = [(item, dict_of(item.get("action_request")) or item) for item in items if isinstance(item, dict)]
    named = [(item, text_of(request.get("name") or request.get("action"))) for item, request in requests]
    return [(name, text_of(item.get("description"))) for item, name in named if name]


def _named(calls: list[CallRow], name: str) -> CallRow | None:
    return next((call for call in calls if call.name == name), None)
