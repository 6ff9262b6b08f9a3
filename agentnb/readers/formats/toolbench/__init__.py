"""ToolBench answers and ToolEval results: a search tree, of which the run is the path to the answer.

The run is the first turn. What was tried and left is a turn of its own for each branch, with the state abandoned and, as parent, the turn it left. Records are
the nodes of the tree and the messages for training, which grow from one to the next and repeat the run: those are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import read_arguments, rest_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import parse_json, to_json
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows, TurnRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.formats.toolbench._steps import Found, Step, steps_of_chain, steps_of_details, steps_of_tree

_READ_ANSWER = frozenset({"tree", "trys", "compare_candidates", "answer_generation", "win"})
_READ_GENERATION = frozenset({"query", "train_messages", "finish_type"})
_STATES = {"give_answer": "done", "give_up": "stopped"}


class _Given(NamedTuple):
    """What a run was given, and its recorded end."""

    messages: list[dict[str, Any]]
    """The longest list of messages for training, which is the run without its last result."""
    query: str | None
    finish_type: str | None
    final_answer: str | None


def _matches(sample: Sample) -> bool:
    values = (sample.document,) if sample.shape == "document" else sample.values
    return any(_is_answer(value) or _is_evaluation(value) for value in values)


def _is_answer(value: Any) -> bool:
    if not isinstance(value, dict) or not isinstance(value.get("answer_generation"), dict):
        return False
    tree = value.get("tree")
    return (isinstance(tree, dict) and isinstance(tree.get("tree"), dict)) or isinstance(value.get("trys"), list)


def _is_evaluation(value: Any) -> bool:
    return isinstance(value, dict) and any(map(_is_evaluated, list(value.values())[:20]))


def _is_evaluated(item: Any) -> bool:
    answer = item.get("answer") if isinstance(item, dict) else None
    return isinstance(answer, dict) and isinstance(answer.get("answer_details"), list) and "query" in item


def _keys(sample: Sample) -> set[str]:
    values = (sample.document,) if sample.shape == "document" else (*sample.values, *sample.last_values)
    return {_name_of(value["answer_generation"]) for value in values if _is_answer(value)} | {"evaluation" for value in values if _is_evaluation(value)}


def _name_of(generation: dict[str, Any]) -> str:
    messages = generation.get("train_messages")
    first = messages[0][:2] if isinstance(messages, list) and messages and isinstance(messages[0], list) else None
    digest = digest_of(["toolbench", generation.get("query"), first, generation.get("function")])
    return f"toolbench-{digest}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    apart = Apart(rows, READER.format)
    for file in files:
        for place, value in read_values(file, on_bytes):
            if _is_answer(value):
                _read_answer(value, apart.start(_name_of(value["answer_generation"]), file.account, line=place), file.account)
            elif _is_evaluation(value):
                _read_evaluation(value, apart, file.account)
            else:
                _skip(file.account, "no_answer", "The record is neither an answer of ToolBench nor a result of ToolEval; it was left out.", place, value)


def _skip(account: Account, code: str, message: str, place: int, record: Any) -> None:
    account.leave_out(code, message, line=place, excerpt=record)


def _read_answer(value: dict[str, Any], draft: ConversationDraft, account: Account) -> None:
    generation = value["answer_generation"]
    tree, tries = value.get("tree"), value.get("trys")
    if isinstance(tree, dict) and isinstance(tree.get("tree"), dict):
        account.keep()
        found = [steps_of_tree(tree["tree"])]
    else:
        chains = [item.get("chain") for item in tries if isinstance(item, dict)] if isinstance(tries, list) else []
        found = [steps_of_chain(chain) for chain in chains if isinstance(chain, list)]
    given = _Given(_train_messages(generation, account), *(text_of(generation.get(name)) for name in ("query", "finish_type", "final_answer")))
    candidates = value.get("compare_candidates")
    account.merge(sum(len(item) for item in candidates if isinstance(item, list)) if isinstance(candidates, list) else 0)
    labels = {"win": value.get("win"), "finish_type": given.finish_type}
    draft.labels |= {name: item for name, item in labels.items() if item is not None}
    draft.extra |= rest_of(value, _READ_ANSWER)
    draft.extra |= {name: item for name, item in generation.items() if name not in _READ_GENERATION and item not in (None, [])}
    _Search(draft, account, given).read(found)


def _train_messages(generation: dict[str, Any], account: Account) -> list[dict[str, Any]]:
    """Return the longest list of messages; the shorter ones, and what the longest one repeats of the tree, are merged."""
    lists = generation.get("train_messages")
    found = [item for item in lists if isinstance(item, list)] if isinstance(lists, list) else []
    longest: list[Any] = max(found, key=len, default=[])
    for item in found:
        account.merge(0 if item is longest else len(item))
    for place, message in enumerate(longest, 1):
        if not isinstance(message, dict):
            _skip(account, "no_message", "It stands among the messages and is none; it was left out.", place, message)
    return [message for message in longest if isinstance(message, dict)]


def _read_evaluation(value: dict[str, Any], apart: Apart, account: Account) -> None:
    for place, (query_id, item) in enumerate(value.items(), 1):
        if not _is_evaluated(item):
            _skip(account, "no_answer", f"Under {query_id} stands no result; it was left out.", place, item)
            continue
        answer = item["answer"]
        query = text_of(item.get("query"))
        draft = apart.start(f"tooleval-{text_of(answer.get('method')) or 'answer'}-{query_id}", account, line=place)
        draft.labels |= {name: found for name, found in (("query_id", query_id), ("method", answer.get("method"))) if found is not None}
        draft.extra |= {name: found for name, found in item.items() if name not in ("query", "answer") and found not in (None, [])}
        draft.extra |= rest_of(answer, ("answer_details", "method"))
        _Search(draft, account, _Given([], query, None, text_of(answer.get("final_answer")))).read([steps_of_details(answer["answer_details"])])


class _Search:
    """Reads a tree of steps: the run as the first turn, each branch that was left as a turn of its own."""

    def __init__(self, draft: ConversationDraft, account: Account, given: _Given) -> None:
        self.draft = draft
        self.account = account
        self.given = given
        self.reader = MessageList(draft.main, account)
        self.left: list[tuple[TurnRow, str | None, Step]] = []

    def read(self, found: list[Found]) -> None:
        """Read the trees."""
        steps = [step for item in found for step in item.steps]
        left_out = sum(item.left_out for item in found)
        if left_out:
            self.account.skip("no_node", left_out)
            self.account.diagnose("no_node", f"{left_out:,} nodes are no nodes, or are nested too deeply; they were left out.", severity="warning")
        lead = list(_lead(steps))
        for step in lead:
            self._keep_lead(step)
        first = lead[-1].children if lead else steps
        run = self._run_in(first)
        self._say_given()
        if not self.draft.turns:
            self.reader.start_turn("1", at=None, line=1)
        turn = self.draft.turns[0]
        self._follow(run, turn, first)
        self._say_messages(None)
        self._end(run, turn)
        while self.left:
            self._read_branch(*self.left.pop(0))
        self.reader.finish()
        self.draft.finish()

    def _keep_lead(self, step: Step) -> None:
        """Say what stands before the first step of a result of ToolEval: an empty system message, and the question, perhaps cut."""
        role = "user" if step.extra.get("role") == "user" else "system"
        if step.thought and not (role == "user" and (self.given.query or "").startswith(step.thought)):
            self.reader.read([Said(role, step.place, (Piece("text", step.thought),), records=0)])
        self.account.keep()

    def _run_in(self, steps: list[Step]) -> list[Step]:
        """Find the path of the run: to the recorded answer, else to an answer, to where it gave up, or to the last thing that was tried."""
        paths = [path for step in steps for path in _paths(step)]
        wanted = self.given.final_answer
        for end, answer in ((self.given.finish_type, wanted), ("give_answer", wanted), ("give_answer", None), ("give_up", None)):
            found = [path for path in paths if end is not None and path[-1].end == end and (answer is None or _same(path[-1].input, answer))]
            if found:
                return found[-1]
        return paths[-1] if paths else []

    def _say_given(self) -> None:
        self.waiting = list(enumerate(self.given.messages, 1))
        self._say_messages("assistant")
        if not self.given.messages and self.given.query is not None:
            self.reader.read([Said("user", 1, (Piece("text", self.given.query),), records=0)])

    def _say_messages(self, until: str | None) -> None:
        """Say the messages up to the next reply: after the first reply the search itself speaks in the user's name; replies and results are in the tree."""
        while self.waiting and self.waiting[0][1].get("role") != until:
            place, message = self.waiting.pop(0)
            role = message.get("role")
            text = text_of(message.get("content"))
            if role in ("system", "user"):
                injected = bool(self.draft.main.calls) and any(call.kind == "model" for call in self.draft.main.calls)
                self.reader.read([Said(str(role), place, (Piece("text", text or ""),), injected=injected)])
            else:
                self.account.merge()

    def _follow(self, path: list[Step], turn: TurnRow, siblings: list[Step]) -> None:
        """Read the steps of a path, noting the branches that leave it."""
        after: str | None = None
        for step in path:
            self.left += [(turn, after, other) for other in siblings if other is not step]
            self._say_messages("assistant")
            if self.waiting:
                self.waiting.pop(0)
                self.account.merge()
            after = self._say_step(step)
            siblings = step.children
        self.left += [(turn, after, other) for other in siblings]

    def _say_step(self, step: Step) -> str | None:
        pieces = (Piece("text", step.thought),) if step.thought else ()
        asked: tuple[Asked, ...] = ()
        if step.name is not None:
            arguments = read_arguments(step.input)
            asked = (Asked(None, step.name, arguments.text, None, arguments.oddities),)
        extra = to_json(step.extra) if step.extra else None
        self.reader.read([Said("assistant", step.place, pieces, asked, extra=extra, records=step.nodes)])
        if step.name is not None and step.answered:
            output = (Piece("text", step.output),) if step.output is not None else ()
            told = to_json(step.result_extra) if step.result_extra else None
            self.reader.read([Said("tool", step.place, output, error=step.error, failed=step.failed, extra=told, records=0)])
        return self.reader.step.call_id if self.reader.step is not None else None

    def _read_branch(self, parent: TurnRow, after: str | None, step: Step) -> None:
        """Read a branch that was left, along what was tried first; its own branches follow."""
        path = next(iter(_paths(step)))
        turn = self.reader.start_turn(f"n{step.place}", at=None, line=step.place, parent=parent)
        self._follow(path, turn, [step])
        turn.state = "abandoned"
        turn.extra = to_json({"abandoned": True} | ({"left_after": after} if after is not None else {}))

    def _end(self, run: list[Step], turn: TurnRow) -> None:
        last = run[-1] if run else None
        if last is None:
            return
        turn.state = _STATES.get(last.end or "", "stopped" if self.given.finish_type == "give_up" else None)
        arguments = parse_json(last.input.encode()).value if isinstance(last.input, str) else last.input
        answer = text_of(arguments.get("final_answer")) if last.end is not None and isinstance(arguments, dict) else None
        turn.answer = answer or turn.answer


def _lead(steps: list[Step]) -> list[Step]:
    """Return the nodes before the first step that are no steps of a model: ToolEval puts the system's and the person's words there."""
    found: list[Step] = []
    while len(steps) == 1 and "role" in steps[0].extra:
        found.append(steps[0])
        steps = steps[0].children
    return found


def _paths(step: Step) -> list[list[Step]]:
    """Return every path from a step to an end, in the order of the tree."""
    if not step.children:
        return [[step]]
    return [[step, *path] for child in step.children for path in _paths(child)]


def _same(given: Any, answer: str) -> bool:
    return (text_of(given) or "").strip() == answer.strip()


READER = Reader(format="toolbench", title="ToolBench answers, ToolEval results", matches=_matches, keys=_keys, read=_read)
