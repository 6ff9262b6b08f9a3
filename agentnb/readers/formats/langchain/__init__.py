"""LangChain and LangGraph: message lists in any serialisation, states and histories of threads, and dumps of their streams.

A record is a message as it stands in a list or a state, a streamed piece of one, or an event; a value that holds none is one record. States repeat all
messages, so each message counts once, by its id, and by what it says where it has none. A history whose thread went back has branches: turns that follow the
turn they split off from.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any

from agentnb.readers._account import Account
from agentnb.readers._ids import digest_of
from agentnb.readers._lines import read_values
from agentnb.readers._reader import OnBytes, OpenFile, Reader, Sample
from agentnb.readers._rows import Rows
from agentnb.readers.builders._apart import Apart
from agentnb.readers.builders.span_tree import SpanTree
from agentnb.readers.dialects.langchain import is_message, said_of_message
from agentnb.readers.formats.langchain._events import Events, first_events, is_event, thread_of_event
from agentnb.readers.formats.langchain._records import Placed, Snapshot, oldest_first, records_of, snapshot_in, thread_of
from agentnb.readers.formats.langchain._thread import emit
from agentnb.readers.formats.langchain._tree import Tree

_MOST = 1_000


def _matches(sample: Sample) -> bool:
    if _holds_events(sample):
        return True
    if sample.shape == "document":
        return any(record.snapshot is not None and _is_certain(record.snapshot) for record in _first_records(sample.document))
    return sample.shape == "lines" and any((snapshot := snapshot_in(value)) is not None and _is_certain(snapshot) for value in sample.values)


def _holds_events(sample: Sample) -> bool:
    values = sample.document if sample.shape == "document" and isinstance(sample.document, list) else sample.values
    return first_events(itertools.islice(values, 20))


def _first_records(document: Any) -> list[Placed]:
    return records_of(document[:20] if isinstance(document, list) else document)


def _is_certain(snapshot: Snapshot) -> bool:
    """Tell whether it can be nothing else: messages that only LangChain writes, or a thread's state that has none yet."""
    known = [message for message in snapshot.messages[:50] if is_message(message)]
    return any(_has_own_shape(message) for message in known) if snapshot.messages else {"next", "tasks"} <= snapshot.state.keys()


def _has_own_shape(message: dict[str, Any]) -> bool:
    wrapped = message.get("lc") == 1 or isinstance(message.get("data"), dict)
    named = str(message.get("type"))
    return wrapped or named in ("human", "ai") or named.endswith("MessageChunk") or "additional_kwargs" in message


def _keys(sample: Sample) -> set[str]:
    """Files with the same conversations are read together; of a stream only its ends are known before it is read."""
    if _holds_events(sample):
        values = sample.document if sample.shape == "document" and isinstance(sample.document, list) else (*sample.values, *sample.last_values)
        return {thread for value in values if is_event(value) and (thread := thread_of_event(value)) is not None}
    if sample.shape == "document":
        records = records_of(sample.document)[:_MOST]
    else:
        records = [Placed(place, snapshot_in(value), value) for place, value in enumerate((*sample.values, *sample.last_values), 1)]
    snapshots = [record.snapshot for record in records if record.snapshot is not None]
    return {_conversation_id(snapshot) for snapshot in snapshots if thread_of(snapshot.state) or (snapshot.whole and snapshot.messages)}


def _conversation_id(snapshot: Snapshot) -> str:
    """Return the id of the thread, else a digest of the messages before the first reply, or of their ids."""
    thread = thread_of(snapshot.state)
    if thread is not None:
        return thread
    said = [said_of_message(message, 1) for message in snapshot.messages if is_message(message)]
    begin = itertools.takewhile(lambda item: item.role != "assistant", said)
    prints = [item.id or [item.role, [piece.text for piece in item.pieces]] for item in begin]
    return f"langchain-{digest_of(['langchain', prints])}"


def _read(files: Sequence[OpenFile], rows: Rows, on_bytes: OnBytes) -> None:
    trees: dict[str, Tree] = {}
    spans = SpanTree(rows, READER.format)
    for file in files:
        if _holds_events(file.sample):
            _read_events(file, spans, on_bytes)
            continue
        latest: Tree | None = None
        for record in _records(file, on_bytes):
            if record.snapshot is None:
                message = "It is no message of LangChain, and no state or event that holds one; it was left out."
                file.account.leave_out("not_langchain", message, line=record.place, excerpt=record.value)
                continue
            latest = _tree_of(record.snapshot, latest, trees, file.account, record.place)
            latest.add(record.snapshot, file.account, record.place, numbered=record.numbered)
    spans.finish()
    apart = Apart(rows, READER.format)
    for tree in trees.values():
        emit(tree, apart)


def _read_events(file: OpenFile, spans: SpanTree, on_bytes: OnBytes) -> None:
    events = Events(file.account)
    for line, value in read_values(file, on_bytes):
        listed = value if isinstance(value, list) and file.sample.shape == "document" else [value]
        for number, event in enumerate(listed, 1):
            place = number if file.sample.shape == "document" else line
            if is_event(event):
                events.add(event, place)
            else:
                file.account.leave_out("no_event", "It stands among events and is none; it was left out.", line=place, excerpt=event)
    events.give(spans)


def _records(file: OpenFile, on_bytes: OnBytes) -> Iterable[Placed]:
    if file.sample.shape == "document":
        return itertools.chain.from_iterable(records_of(document) for _, document in read_values(file, on_bytes))
    placed = (Placed(place, snapshot_in(value), value) for place, value in read_values(file, on_bytes))
    return oldest_first(list(placed)) if _is_history(file.sample) else placed


def _is_history(sample: Sample) -> bool:
    """Tell whether lines are states from the newest on, which must all be known before the first of them can be read."""
    seen = [Placed(place, snapshot_in(value), value) for place, value in enumerate(sample.values, 1)]
    return len(seen) > 1 and oldest_first(seen)[0] is not seen[0]


def _tree_of(snapshot: Snapshot, latest: Tree | None, trees: dict[str, Tree], account: Account, place: int) -> Tree:
    """Find the conversation that messages belong to: their thread's, the one that begins as they do, or the one that they continue; else start one."""
    first = next((message for message in snapshot.messages if is_message(message)), None)
    thread = thread_of(snapshot.state)
    if latest is not None and thread is None and (not snapshot.whole or first is None or not latest.root.children or latest.begins_with(first)):
        return latest
    wanted = _conversation_id(snapshot)
    if wanted not in trees:
        trees[wanted] = Tree(wanted, account, place)
    return trees[wanted]


READER = Reader(format="langchain", title="LangChain and LangGraph (messages, threads, streams)", matches=_matches, keys=_keys, read=_read)
