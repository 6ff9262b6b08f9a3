"""Spans of a trace -> turns, steps, calls: OpenTelemetry, OpenInference, MLflow, Langfuse, LangSmith and their kin.

Spans come in any order, repeat the whole history at every level, and lack parents. What a format calls a span becomes `Span`; this builder sorts them,
makes one conversation of what they repeat, nests agents and tools, and pairs the tools that ran with the calls that models asked for.

A conversation is a session, else a trace; a trace is one turn, or several where a person speaks again in it. Every span is one record: kept, or merged
where it stands for the same as another (exported twice; a wrapper around the provider's own span), or skipped where its trace holds no agent, model or
tool at all. Spans that only wrap are kept: they shape the tree, and an error that only they tell stands in `extra` of the agent's call.
"""

from __future__ import annotations

from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders._span_conversation import ConversationReader
from agentnb.readers.builders._span_forest import Met, Trace, plant
from agentnb.readers.builders._span_runs import runs_of
from agentnb.readers.builders._spans import Span, SpanKind
from agentnb.readers.builders.message_list import Piece, Said

__all__ = ["Span", "SpanKind", "SpanTree"]


class SpanTree:
    """Spans of a group of files; `finish` makes conversations of them."""

    def __init__(self, rows: Rows, format: str) -> None:
        """Start without spans; the rows go here under the name of the format."""
        self._apart = Apart(rows, format)
        self._met: list[Met] = []
        self._notes: dict[str, _Note] = {}

    def add(self, span: Span, account: Account) -> None:
        """Take a span from the file of an account; spans, traces and files may come in any order."""
        self._met.append(Met(_with_words(span), account))

    def note(
        self,
        name: str,
        *,
        title: str | None = None,
        labels: dict[str, Any] | None = None,
        extra: dict[str, Any] | None = None,
        state: str | None = None,
    ) -> None:
        """Note what is known of a conversation besides its spans.

        Args:
            name: id of its trace or session.
            title: what it is about.
            labels: things to group by.
            extra: what was not read; of a trace among several it stands under the id of the trace.
            state: of the last turn of a trace, where the recording tells more than its spans do, such as running.
        """
        known = self._notes.setdefault(name, _Note())
        known.title = known.title or title
        known.labels |= labels or {}
        known.extra |= extra or {}
        known.state = state or known.state

    def finish(self) -> None:
        """Make conversations of all spans."""
        conversations: dict[str, list[Trace]] = {}
        for trace in plant(self._met):
            if trace.speaks:
                conversations.setdefault(trace.conversation_id or trace.trace_id, []).append(trace)
            else:
                trace.skip()
        for conversation_id, traces in conversations.items():
            self._read(conversation_id, traces)

    def _read(self, conversation_id: str, traces: list[Trace]) -> None:
        first = traces[0].nodes[0]
        draft = self._apart.start(conversation_id, first.account, line=first.span.place)
        reader = ConversationReader(draft)
        for trace in traces:
            reader.read(runs_of(trace), trace)
            told = self._notes.get(trace.trace_id)
            draft.turns[-1].state = (told.state if told is not None else None) or draft.turns[-1].state
        reader.finish()
        for name in dict.fromkeys([conversation_id, *(trace.trace_id for trace in traces)]):
            note = self._notes.get(name)
            if note is not None:
                draft.row.title = draft.row.title or note.title
                draft.labels |= note.labels
                several = len(traces) > 1 and name != conversation_id
                draft.extra |= {"traces": {**draft.extra.get("traces", {}), name: note.extra}} if several and note.extra else note.extra
        draft.finish()


def _with_words(span: Span) -> Span:
    """Let what went in and came out of a model call as text be what was heard and said, where no messages are known."""
    if span.kind != "model":
        return span
    heard = span.heard or ((Said("user", span.place, (Piece("text", span.input),)),) if span.input else ())
    return span._replace(heard=heard, replied=span.replied or ((Said("assistant", span.place, (Piece("text", span.output),)),) if span.output else ()))


class _Note:
    """What is known of a conversation besides its spans."""

    def __init__(self) -> None:
        self.title: str | None = None
        self.labels: dict[str, Any] = {}
        self.extra: dict[str, Any] = {}
        self.state: str | None = None
