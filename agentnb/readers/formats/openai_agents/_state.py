"""The saved state of a run: what it was asked, the items it generated, which of them wait for a person, and what each model call cost."""

from __future__ import annotations

from typing import Any, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import extra_of, object_of, text_of
from agentnb.readers._ids import digest_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._draft import Question
from agentnb.readers.builders.item_stream import ItemStream
from agentnb.readers.builders.message_list import Piece, Said, joined
from agentnb.readers.dialects.responses import said_of_item, usage_in

_READ_STATE = frozenset({"original_input", "generated_items", "model_responses", "last_model_response", "last_processed_response", "session_items"})
_READ_ITEM = frozenset({"agent", "raw_item", "type", "output"})
_APPROVAL = "tool_approval_item"


class _Reply(NamedTuple):
    """A model call as the state lists it."""

    response_id: str | None
    usage: dict[str, Any]


def is_run_state(value: Any) -> bool:
    """Tell whether a value is the saved state of a run."""
    return isinstance(value, dict) and "$schemaVersion" in value and isinstance(value.get("generated_items"), list)


def name_of_state(state: dict[str, Any]) -> str:
    """Name the conversation of a state: by the service's id or the trace, else by what was asked."""
    trace = state.get("trace")
    own_ids = (state.get("conversation_id"), trace.get("group_id") if isinstance(trace, dict) else None, trace.get("id") if isinstance(trace, dict) else None)
    digest = digest_of(["openai_agents", state.get("original_input")])
    return next((own_id for own_id in own_ids if isinstance(own_id, str) and own_id), f"agents-{digest}")


class RunState:
    """Reads the state of a run as one conversation."""

    def __init__(self, state: dict[str, Any], account: Account, apart: Apart, place: int) -> None:
        """Start the conversation of a state that stands at a place of its file."""
        self.state = state
        self.account = account
        self.draft = apart.start(name_of_state(state), account, line=place)
        self.items = ItemStream(self.draft.main, account)
        self.replies = _replies(state)
        self.current: _Reply | None = None

    def read(self) -> None:
        """Read what was asked and the items into the tables."""
        given = self.state.get("original_input")
        for place, item in enumerate(given if isinstance(given, list) else [] if given is None else [given], 1):
            said = said_of_item(item, place) if isinstance(item, dict) else [Said("user", place, (Piece("text", text_of(item)),))]
            self._say(said)
        for place, item in enumerate(self.state["generated_items"], 1):
            self._read_item(item, place)
        self._end_step()
        self.items.finish()
        self._note()
        self.draft.finish()

    def _read_item(self, item: Any, place: int) -> None:
        raw = item.get("raw_item") if isinstance(item, dict) else None
        if not isinstance(raw, dict):
            self.account.leave_out("no_item", "It stands among the items of a run and holds none; it was left out.", line=place, excerpt=item)
        elif item.get("type") == _APPROVAL:
            self._ask_person(raw, item, place)
        else:
            self._say_item(item, raw, place)

    def _say_item(self, item: dict[str, Any], raw: dict[str, Any], place: int) -> None:
        reply = self.replies.get(_key(raw))
        if reply is not None and reply is not self.current:
            self._end_step()
            self.current = reply
        agent = item.get("agent")
        name = text_of(agent.get("name")) if isinstance(agent, dict) else None
        self.draft.row.agent_name = self.draft.row.agent_name or name
        said = said_of_item(raw, place)
        rest = extra_of(item, _READ_ITEM | {"tool_name", "tool_origin", "description"})
        extra = object_of({"agent": name}) if said[0].role == "assistant" and name else None
        for more in (extra, rest):
            both = joined(said[0].extra, more)
            said[0] = said[0]._replace(extra=both.decode() if isinstance(both, bytes) else both)
        self._say(said)

    def _say(self, said: list[Said]) -> None:
        for item in said:
            self.items.say(item)

    def _end_step(self) -> None:
        if self.current is not None:
            self.items.end_step(usage=self.current.usage)

    def _ask_person(self, raw: dict[str, Any], item: dict[str, Any], place: int) -> None:
        """Note that a call waits for a person, or what the person said of it."""
        call = self._call_of(raw)
        if call is None:
            self._say(said_of_item(raw, place))
            call = self._call_of(raw)
        else:
            self.account.merge()
        if call is not None:
            name = text_of(item.get("tool_name")) or call.name
            self.draft.ask_person(call, Question(answer=_answer(self.state, name, call.tool_call_id), line=place), self.account)

    def _call_of(self, raw: dict[str, Any]) -> CallRow | None:
        own_id = raw.get("call_id") or raw.get("id")
        return next((call for call in reversed(self.draft.main.calls) if call.kind == "tool" and call.tool_call_id == own_id), None)

    def _note(self) -> None:
        draft, state = self.draft, self.state
        draft.extra |= {name: value for name, value in state.items() if name not in _READ_STATE and value not in (None, [], {})}
        trace = state.get("trace")
        draft.row.title = text_of(trace.get("workflow_name")) if isinstance(trace, dict) else None
        step = state.get("current_step")
        kind = step.get("type") if isinstance(step, dict) else None
        if draft.turns and kind == "next_step_interruption":
            draft.turns[-1].state = "waiting"


def _replies(state: dict[str, Any]) -> dict[str, _Reply]:
    """Return for each item of a model call the call that made it."""
    found: dict[str, _Reply] = {}
    for response in state["model_responses"] if isinstance(state.get("model_responses"), list) else ():
        output = response.get("output") if isinstance(response, dict) else None
        if isinstance(output, list):
            reply = _Reply(text_of(response.get("response_id")), usage_in(_usage(response.get("usage"))))
            found |= {_key(item): reply for item in output if isinstance(item, dict)}
    return found


def _usage(usage: Any) -> Any:
    """Return usage in the service's form: a state keeps the details in lists, and zeros for what no service told."""
    if not isinstance(usage, dict) or not usage.get("total_tokens"):
        return None
    details = {name: value[0] for name, value in usage.items() if name.endswith("_details") and isinstance(value, list) and value}
    return usage | details


def _key(item: dict[str, Any]) -> str:
    """Return what tells an item: its own id, or what it says."""
    kind, own_id = text_of(item.get("type")), item.get("id") or item.get("call_id")
    return to_json([kind, own_id] if own_id else item)


def _answer(state: dict[str, Any], name: str, call_id: str | None) -> Any:
    """Return what a person said of a call, for this one or for all calls of the tool; None while it waits."""
    context = state.get("context")
    approvals = context.get("approvals") if isinstance(context, dict) else None
    told = approvals.get(name) if isinstance(approvals, dict) else None
    for answer, field in (("yes", "approved"), ("no", "rejected")):
        of = told.get(field) if isinstance(told, dict) else None
        if of is True or (isinstance(of, list) and call_id in of):
            return answer
    return None
