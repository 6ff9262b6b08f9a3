"""The traces of one conversation -> its draft: turns in the main thread, sub-agents in threads of their own, linked to the calls that started them."""

from __future__ import annotations

from agentnb.readers._json import to_json
from agentnb.readers.builders._draft import ConversationDraft
from agentnb.readers.builders._span_forest import Trace
from agentnb.readers.builders._span_runs import Run
from agentnb.readers.builders._span_thread import Started, ThreadReader, keep_extra
from agentnb.readers.builders._thread import Link, Thread
from agentnb.readers.builders.message_list import joined


class ConversationReader:
    """Reads the traces of a conversation into its draft."""

    def __init__(self, draft: ConversationDraft) -> None:
        """Read into a draft that is empty."""
        self.draft = draft
        self._main = ThreadReader(draft.main)

    def read(self, run: Run, trace: Trace) -> None:
        """Read the run of a trace as a turn, or as several where a person speaks again in it."""
        self._main.read_turns(run, trace)
        calls, threads = dict(self._main.calls_of), [self._main]
        waiting = [(self._main, started) for started in self._main.started]
        links: list[tuple[Thread, Thread, Started]] = []
        while waiting:
            parent, started = waiting.pop(0)
            reader = self._read_sub_agent(started)
            links.append((reader.thread, parent.thread, started))
            calls |= reader.calls_of
            threads.append(reader)
            waiting += [(reader, inner) for inner in reader.started]
        self._main.started = []
        owners = {id(call): reader.thread for reader in threads for call in reader.thread.calls}
        for side, above, started in links:
            starter = started.run.starter or started.inside
            call = (calls.get(id(starter)) if starter is not None else None) or started.owner
            side.parent = Link(call, owners.get(id(call), above)) if call is not None else None
        self._note(trace)

    def finish(self) -> None:
        """Keep what nothing follows."""
        self._main.messages.finish()

    def _read_sub_agent(self, started: Started) -> ThreadReader:
        run, node = started.run, started.run.agents[0] if started.run.agents else started.first
        wanted = f"{self.draft.row.conversation_id}/{node.span.span_id}"
        thread = self.draft.start_thread(wanted, run.name, node.account, at=node.span.started, line=node.span.place)
        reader = ThreadReader(thread)
        reader.read(run)
        own = thread.agent_call
        assert own is not None
        lasting = [event.node.span for event in run.events] or [node.span]
        spans = [agent.span for agent in run.agents] or lasting
        own.started_at = min((span.started for span in spans if span.started is not None), default=own.started_at)
        own.ended_at = max((span.ended for span in spans if span.ended is not None), default=own.ended_at)
        error = next((span.error for span in (agent.span for agent in run.agents) if span.error), None)
        if error is not None:
            own.state, own.failed, own.error = "failed", True, error
        elif own.ended_at is not None:
            own.state = "done"
        keep_extra(own, run)
        return reader

    def _note(self, trace: Trace) -> None:
        """Count the records of a trace, and keep what they say of the whole conversation."""
        row = self.draft.row
        for node in trace.nodes:
            node.account.merge() if node.merged else node.account.keep()
            span = node.span
            self.draft.labels = {**span.labels, **self.draft.labels}
            row.agent_version = row.agent_version or span.agent_version
            row.time_zone_assumed |= span.zone_assumed
        errors = [
            {"span": node.span.name, "error": node.span.error} for node in trace.nodes if node.span.kind == "other" and not node.merged and node.span.error
        ]
        turn = self.draft.turns[-1]
        own = next(call for call in self.draft.main.calls if call.call_id == turn.turn_id)
        if trace.trace_id != row.conversation_id:
            # By which a rating of the trace in another tool finds the turn.
            own.extra = joined(own.extra, to_json({"trace_id": trace.trace_id}))
        if errors and errors[0]["error"] != own.error:
            own.extra = joined(own.extra, to_json({"errors": errors}))
