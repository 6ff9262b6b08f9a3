"""A conversation of OpenHands while its events are read: which call an observation answers, who speaks, what a person confirmed, how it ended."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from agentnb.readers._account import Account
from agentnb.readers._fields import amount_in, count_in, dict_of, dicts_of, rest_of, text_of
from agentnb.readers._json import to_json
from agentnb.readers._rows import CallRow, Micros
from agentnb.readers.builders._draft import ConversationDraft, Question
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import Asked, MessageList, Piece, Said
from agentnb.readers.dialects.chat import usage_in

_READ_RESULT = frozenset({"history", "instance_id", "instruction", "error", "success", "state"})
_STATES = {
    "awaiting_user_confirmation": "waiting",
    "waiting_for_confirmation": "waiting",
    "finished": "done",
    "error": "failed",
    "stuck": "failed",
    "stopped": "stopped",
    "paused": "interrupted",
    "running": "running",
}


class Placed(NamedTuple):
    """An event, its place in its file, and the account of that file."""

    place: int
    record: Any
    account: Account


class _Level(NamedTuple):
    """An agent that is at work: the run's own, or one that another delegated to."""

    thread: Thread
    reader: MessageList
    delegated_by: CallRow | None


class Run:
    """Takes what events say, in order."""

    def __init__(self, draft: ConversationDraft, account: Account, result: dict[str, Any]) -> None:
        """Start with the result of the evaluation that the events stand in, if there is one."""
        self.draft = draft
        self.account = account
        self.result = result
        self.levels = [_Level(draft.main, MessageList(draft.main, account), None)]
        self.calls: dict[str, tuple[CallRow, _Level]] = {}
        """Calls by what an observation names them by: the id of the action's event."""
        self.asked_person: dict[str, tuple[CallRow, Micros | None]] = {}
        self.response_id: str | None = None
        self.state: str | None = None
        self._spent: dict[str, float] = {}
        self._measured = _measures_in(result)

    @property
    def thread(self) -> Thread:
        """The thread of the agent at work."""
        return self.levels[-1].thread

    def at(self, account: Account) -> None:
        """Let what follows come from another file."""
        self.account = account
        for level in self.levels:
            level.thread.account = level.reader.account = account

    def say(self, said: Said) -> None:
        """Say something as it is."""
        self.levels[-1].reader.read([said])

    def inject(self, kind: str, event: Placed, text: str | None, extra: dict[str, Any], at: Micros | None, *, zone_assumed: bool) -> None:
        """Keep what the tool put there or noted for itself."""
        piece = Piece("text", text) if text else Piece("other", kind)
        body = to_json(({"kind": kind} if text else {}) | extra) if extra or text else None
        self.say(Said("system", event.place, (piece,), at=at, zone_assumed=zone_assumed, injected=True, extra=body))

    def reply(self, said: Said, response_id: str | None, event_id: Any) -> None:
        """Say a reply of the agent; of a response that asked for several tools at once the later ones belong to the same step."""
        again = response_id is not None and response_id == self.response_id
        self.response_id = response_id
        if again:
            said = said._replace(pieces=(), usage={}, same_step=True, finish_reason=None)
        else:
            measured = self._measured.get(response_id or "")
            if measured is not None:
                said = said._replace(usage=measured.usage | said.usage | measured.seconds, model=said.model or measured.model)
        level = self.levels[-1]
        before, step = len(level.thread.calls), level.reader.step
        ended = step.ended_at if step is not None else None
        self.say(said)
        if again and step is not None:
            # The later of several tools is noted when it begins, long after the model was done.
            step.ended_at = ended
        for call in level.thread.calls[before:]:
            if call.kind == "tool" and event_id is not None:
                self.calls[str(event_id)] = (call, level)

    def observe(self, said: Said, cause: Any) -> CallRow | None:
        """Give a result to the call of the event it names; without one to the next call in order, or to none."""
        known = self.calls.get(str(cause)) if cause is not None else None
        if known is not None:
            call, level = known
            if level.reader.answer(call, said):
                level.thread.pass_time(said.at)
                self.draft.row.time_zone_assumed |= said.zone_assumed
                self.account.keep(said.records)
                return call
        named = said.result_of or (f"event {cause}" if cause is not None else None)
        self.say(said._replace(result_of=named))
        return None

    def ask_person(self, key: str, event_id: Any, state: Any, at: Micros | None) -> bool:
        """Note whether a person was asked; true when the action was met before, waiting for the answer that is now there."""
        waiting = self.asked_person.pop(key, None) if state in ("confirmed", "rejected") else None
        if waiting is None:
            return False
        call, asked_at = waiting
        self._ask(call, "yes" if state == "confirmed" else "no", asked_at, at)
        known = next((known for known in self.calls.values() if known[0] is call), None)
        if known is not None and event_id is not None:
            self.calls[str(event_id)] = known
        self.account.merge()
        return True

    def wait_for_person(self, key: str, event_id: Any, state: Any, at: Micros | None) -> None:
        """Note an action that waits for a person, or that a person refused at once."""
        known = self.calls.get(str(event_id))
        call = known[0] if known is not None else next((call for call in reversed(self.thread.calls) if call.kind == "tool"), None)
        if call is not None and state == "awaiting_confirmation":
            self.asked_person[key] = (call, at)
        elif call is not None and state == "rejected":
            self._ask(call, "no", None, at)

    def refuse(self, call: CallRow, reason: str | None, at: Micros | None) -> None:
        """Note that a person refused a call, which the result tells."""
        if call.state != "denied":
            self._ask(call, "no", None, at, reason)
        call.error = reason or call.error

    def _ask(self, call: CallRow, answer: Literal["yes", "no"] | None, asked_at: Micros | None, at: Micros | None, reason: str | None = None) -> None:
        self.draft.ask_person(call, Question(None, answer, None, reason, asked_at, at if answer else None, call.source_line), self.account)

    def run_by_person(self, asked: Asked, said: Said, event_id: Any) -> None:
        """Read a command that a person ran; its result comes with a later event."""
        call = self.levels[-1].reader.run(asked, said)
        if event_id is not None:
            self.calls[str(event_id)] = (call, self.levels[-1])

    def act_alone(self, asked: Asked, result: Said, *, ended: bool) -> None:
        """Read a call that no model call is told of; what is told of it later only ends it."""
        level = self.levels[-1]
        thread = level.thread
        known = self.calls.get(f"acp {asked.tool_call_id}")
        call = known[0] if known is not None else None
        if call is None:
            if thread.turn is None and thread.agent_call is None:
                level.reader.start_turn("1", at=result.at, line=result.place)
            thread.new_message()
            wanted = f"{thread.agent_call_id}/{asked.tool_call_id or f'c{len(thread.calls)}'}"
            call = thread.ask(wanted, asked.tool_call_id, asked.name, asked.input, step=None, at=result.at, line=result.place)
            call.extra = asked.extra
            self.calls[f"acp {asked.tool_call_id}"] = (call, level)
            self.account.keep()
        else:
            call.input = asked.input or call.input
            self.account.merge()
        if ended and call.state is None:
            level.reader.answer(call, result)
        thread.pass_time(result.at)
        self.draft.row.time_zone_assumed |= result.zone_assumed

    def delegate(self, name: str, event: Placed, at: Micros | None) -> None:
        """Let another agent work inside the latest call."""
        above = self.levels[-1]
        starter = next((call for call in reversed(above.thread.calls) if call.kind == "tool"), None)
        wanted = f"{starter.call_id if starter is not None else self.draft.row.conversation_id}/agent"
        thread = self.draft.start_thread(wanted, name, event.account, at=at, line=event.place)
        thread.parent = Link(starter, above.thread) if starter is not None else None
        self.levels.append(_Level(thread, MessageList(thread, event.account), starter))
        self.response_id = None

    def end_delegate(self) -> CallRow | None:
        """End the work of the latest agent that was delegated to, and return the call it was started by."""
        if len(self.levels) == 1:
            return None
        level = self.levels.pop()
        level.reader.finish()
        self.response_id = None
        return level.delegated_by

    def measure(self, metrics: Any) -> dict[str, Any]:
        """Return what a reply cost, from counters that only grow."""
        if not isinstance(metrics, dict):
            return {}
        found: dict[str, Any] = {}
        counters = dict_of(metrics.get("accumulated_token_usage"))
        names = (("prompt_tokens", "input_tokens"), ("completion_tokens", "output_tokens"), ("cache_read_tokens", "cached_tokens"))
        for name, column in (*names, ("cache_write_tokens", "cache_write_tokens")):
            now = count_in(counters.get(name))
            if now is not None and (spent := now - int(self._spent.get(name, 0))) > 0:
                found[column] = spent
                self._spent[name] = now
        cost = amount_in(metrics.get("accumulated_cost"))
        if cost is not None and cost > self._spent.get("cost", 0):
            found["cost"] = cost - self._spent.get("cost", 0)
            self._spent["cost"] = cost
        return found

    def end_turn(self, state: str = "finished") -> None:
        """Note that the agent ended its work, until a person goes on."""
        self.state = state
        turn = self.draft.main.turn
        if turn is not None:
            turn.state = _STATES[state]

    def finish(self) -> None:
        """Settle what waits, and note how the conversation ended."""
        while len(self.levels) > 1:
            self.end_delegate()
        self.levels[0].reader.finish()
        for call, asked_at in self.asked_person.values():
            self._ask(call, None, asked_at, None)
        self._note_result()
        turn = self.draft.turns[-1] if self.draft.turns else None
        if turn is not None:
            turn.state = self._end()
        self.draft.finish()

    def _end(self) -> str | None:
        error = text_of(self.result.get("error"))
        if error:
            return "stopped" if "maximum iteration" in error.lower() else "failed"
        return "waiting" if self.asked_person else _STATES.get(self.state or "")

    def _note_result(self) -> None:
        draft, result = self.draft, self.result
        metadata, state = result.get("metadata"), result.get("state")
        config = metadata.get("llm_config") if isinstance(metadata, dict) else None
        agent = text_of(metadata.get("agent_class")) if isinstance(metadata, dict) else None
        draft.row.agent_name = agent or draft.row.agent_name or "OpenHands"
        if draft.row.model is None and isinstance(config, dict):
            draft.row.model = text_of(config.get("model"))
        labels = {"task": result.get("instance_id"), "success": result.get("success"), "error": result.get("error")}
        draft.labels |= {name: value for name, value in labels.items() if value is not None}
        first = draft.turns[0].prompt if draft.turns else None
        instruction = result.get("instruction")
        draft.extra |= rest_of(result, _READ_RESULT)
        draft.extra |= {"instruction": instruction} if instruction is not None and instruction != first else {}
        if isinstance(state, dict):
            draft.extra["state"] = state
            self.state = text_of(state.get("execution_status") or state.get("agent_status")) or self.state
            acting = state.get("agent")
            llm = acting.get("llm") if isinstance(acting, dict) else None
            draft.row.model = draft.row.model or (text_of(llm.get("model")) if isinstance(llm, dict) else None)


class _Measured(NamedTuple):
    """What a conversation's state or an evaluation tells of a response apart from the events."""

    usage: dict[str, Any]
    seconds: dict[str, Any]
    model: str | None


def _measures_in(result: dict[str, Any]) -> dict[str, _Measured]:
    """Return tokens, cost and seconds by the id of the response they are of."""
    found: dict[str, _Measured] = {}
    for metrics in _all_metrics(result):
        tokens, costs = dicts_of(metrics.get("token_usages")), dicts_of(metrics.get("costs"))
        seconds = {text_of(item.get("response_id")): amount_in(item.get("latency")) for item in dicts_of(metrics.get("response_latencies"))}
        # Costs name no response; where there are as many as responses, and of the same models, they are in the same order.
        paired = [item.get("model") for item in tokens] == [item.get("model") for item in costs]
        for index, item in enumerate(tokens):
            named = text_of(item.get("response_id"))
            if named:
                cost = amount_in(costs[index].get("cost")) if paired else None
                usage = usage_in(item) | _cache_in(item) | ({"cost": cost} if cost is not None else {})
                took = seconds.pop(named, None)
                found[named] = _Measured(usage, {"seconds": took} if took is not None else {}, text_of(item.get("model")))
        found |= {named: _Measured({}, {"seconds": took}, None) for named, took in seconds.items() if named and took is not None}
    return found


def _cache_in(item: dict[str, Any]) -> dict[str, int]:
    names = (("cache_read_tokens", "cached_tokens"), ("cache_write_tokens", "cache_write_tokens"), ("reasoning_tokens", "reasoning_tokens"))
    return {column: count for name, column in names if (count := count_in(item.get(name)))}


def _all_metrics(result: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the metrics of an evaluation, and those that the state of a conversation keeps by what they were used for."""
    state = result.get("state")
    stats = state.get("stats") if isinstance(state, dict) else None
    by_use = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
    found = [result.get("metrics"), *(by_use.values() if isinstance(by_use, dict) else ())]
    return [item for item in found if isinstance(item, dict)]
