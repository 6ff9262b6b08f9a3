"""Which events a log takes, and who may write to it: the same in every store."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agentnb.conversations.stores import EventStore, events_of
from agentnb.errors import ConversationError, EventRefused
from tests.conversations.stores.places import LASTING, Place

TREE = "0199a000-0000-7000-8000-000000000001"
OTHER = "0199a000-0000-7000-8000-000000000002"
KINDS: dict[str, dict[str, Any]] = {
    "started": {"parent": None, "root": TREE, "program": {"name": "f"}, "content": True, "inputs": {"x": 1}, "saw": []},
    "request": {"request": 1, "model": "m"},
    "text": {"field": "answer", "answer": True, "text": "piece"},
    "thinking": {"text": "hm"},
    "tool_call": {"id": "c", "name": "t", "input": {}, "invocation": 1},
    "tool_result": {"id": "c", "name": "t", "output": "", "invocation": 1},
    "retry": {"reason": "busy", "wait": 0.5},
    "approval": {"id": "c", "invocation": 1, "name": "t", "input": {}, "effects": None, "path": "f/t", "to": "owner"},
    "approved": {"id": "c", "invocation": 1, "verdict": "yes", "by": None, "reason": None},
    "done": {"value": 42},
    "failed": {"error": {"type": "ValueError"}},
}


def event(seq: int, kind: str = "text", *, writer: int = 1, after: int | tuple[int, int] | None = -1, **more: Any) -> dict[str, Any]:
    """Make an event; `after` is a seq of writer 1, or writer and seq, and by default the seq before."""
    before = seq - 1 or None if after == -1 else after
    position = None if before is None else dict(zip(("writer", "seq"), before if isinstance(before, tuple) else (1, before), strict=True))
    envelope = {"functai_event": 2, "kind": kind, "tree": TREE, "writer": writer, "seq": seq, "after": position}
    return {**envelope, "at": "2026-09-26T23:12:03.123456Z", "call": TREE, "function": "f", **KINDS[kind], **more}


@pytest.fixture
def log(place: Place) -> EventStore:
    return log_of(place)


def log_of(place: Place) -> EventStore:
    log = events_of(place.open())
    assert log is not None
    return log


def refusal(log: EventStore, *events: Any, tree: str = TREE) -> tuple[str, dict[str, int] | None]:
    """Append what is refused, see that nothing of it is kept, and return code and position."""
    before = log.read(tree)
    with pytest.raises(EventRefused) as caught:
        log.append(tree, events)
    assert log.read(tree) == before
    assert caught.value.turn == tree
    return caught.value.code, caught.value.position


def test_events_are_kept_in_order_and_read_after_a_position(log: EventStore) -> None:
    batch = [event(1, "started"), event(2, "request"), event(3, text="é\x00\ud800")]
    assert log.append(TREE, batch) == "kept"
    assert log.read(TREE) == batch
    assert log.read(TREE, after={"writer": 1, "seq": 2}) == batch[2:]
    assert log.read(TREE, after={"writer": 1, "seq": 3}) == []
    assert log.read(OTHER) == []


@pytest.mark.parametrize("position", [{"writer": 1, "seq": 9}, {"writer": 2, "seq": 1}, {"writer": 1, "seq": 0}])
def test_reading_after_a_position_that_no_event_has_is_refused(log: EventStore, position: dict[str, int]) -> None:
    log.append(TREE, [event(1, "started")])
    for tree in (TREE, OTHER):
        with pytest.raises(EventRefused) as caught:
            log.read(tree, after=position)
        assert (caught.value.code, caught.value.position) == ("event-unknown", position)


def test_every_kind_of_event_is_taken_and_an_unknown_kind_too(log: EventStore) -> None:
    log.append(TREE, [event(1, "started")])
    kinds = [kind for kind in KINDS if kind not in ("started", "done", "failed")]
    for seq, kind in enumerate(kinds, 2):
        assert log.append(TREE, [event(seq, kind)]) == "kept"
    last = len(kinds) + 2
    assert log.append(TREE, [event(last, kind="text") | {"kind": "of_tomorrow"}, event(last + 1, "failed")]) == "kept"


@pytest.mark.parametrize(
    "change",
    [
        {"functai_event": 1},
        {"functai_event": True},
        {"kind": "Text"},
        {"kind": None},
        {"tree": OTHER},
        {"writer": 0},
        {"writer": True},
        {"seq": 1.0},
        {"seq": "2"},
        {"after": {"writer": 1}},
        {"after": {"writer": 1, "seq": 1, "more": 1}},
        {"after": {"writer": 1, "seq": 2}},
        {"after": {"writer": 2, "seq": 1}},
        {"at": "2026-09-26T23:12:03Z"},
        {"call": ""},
        {"function": None},
        {"text": ""},
        {"answer": 1},
        {"content": False},
        {"invocation": 0},
    ],
    ids=str,
)
def test_what_is_no_event_of_the_log_is_malformed(log: EventStore, change: dict[str, Any]) -> None:
    log.append(TREE, [event(1, "started")])
    code, _ = refusal(log, event(2) | change)
    assert code == "event-malformed"


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("request", "text", "thinking")])
def test_an_event_whose_content_was_not_kept_lacks_just_that(log: EventStore, kind: str) -> None:
    content = {"started": "inputs", "tool_result": "output", "retry": "reason", "done": "value", "tool_call": "input", "approval": "input"}.get(kind)
    if kind != "started":
        log.append(TREE, [event(1, "started")])
    seq = 1 if kind == "started" else 2
    reduced = event(seq, kind, content=False) | ({"omitted": {"inputs": ["x"], "outputs": []}} if kind == "started" else {})
    if content is not None and kind != "started":
        assert refusal(log, reduced) == ("event-malformed", {"writer": 1, "seq": seq})
        missing = event(seq, kind)
        del missing[content]
        assert refusal(log, missing)[0] == "event-malformed"
    reduced.pop(content or "", None)
    assert log.append(TREE, [reduced]) == "kept"


@pytest.mark.parametrize("name", ["functai_event", "kind", "tree", "writer", "seq", "after", "at", "call", "function", "text"])
def test_an_event_that_lacks_a_key_is_malformed(log: EventStore, name: str) -> None:
    lacking = event(1)
    del lacking[name]
    assert refusal(log, lacking)[0] == "event-malformed"
    assert refusal(log, "text")[0] == "event-malformed"


def test_the_same_event_again_is_a_duplicate_and_another_in_its_place_a_conflict(log: EventStore) -> None:
    batch = [event(1, "started"), event(2, text="a", extra=1)]
    log.append(TREE, batch)
    assert log.append(TREE, batch) == "duplicate"
    assert log.append(TREE, [event(2, text="a", extra=1.0)]) == "duplicate"
    assert log.append(TREE, [*batch, event(3)]) == "kept"
    assert refusal(log, event(2, text="b")) == ("event-conflict", {"writer": 1, "seq": 2})
    assert refusal(log, event(2, text="a", extra=True))[0] == "event-conflict"
    with pytest.raises(ConversationError, match="conversation-opaque"):
        log.append(TREE, [event(2, text="a", extra=object())])
    assert [kept["seq"] for kept in log.read(TREE)] == [1, 2, 3]
    assert log.append(TREE, []) == "duplicate"


def test_a_batch_is_kept_whole_or_not_at_all(log: EventStore) -> None:
    assert refusal(log, event(1, "started"), event(2), event(4)) == ("event-gap", {"writer": 1, "seq": 4})
    assert refusal(log, event(1, "started"), event(2), event(2, text="other")) == ("event-conflict", {"writer": 1, "seq": 2})
    assert log.append(TREE, [event(1, "started"), event(2), event(2)]) == "kept"
    assert len(log.read(TREE)) == 2
    with pytest.raises(ConversationError, match="conversation-opaque"):
        log.append(TREE, [event(3), event(4, value=object())])
    assert len(log.read(TREE)) == 2


def test_an_event_follows_the_last_one(log: EventStore) -> None:
    log.append(TREE, [event(1, "started"), event(2)])
    assert refusal(log, event(4)) == ("event-gap", {"writer": 1, "seq": 4})
    assert refusal(log, event(4, after=1)) == ("event-conflict", {"writer": 1, "seq": 4})
    assert refusal(log, event(4, after=None)) == ("event-conflict", {"writer": 1, "seq": 4})
    # Numbers may leave places out, as in a form that does not show every event.
    assert log.append(TREE, [event(7, after=2)]) == "kept"


def test_a_log_begins_with_the_start_of_its_outermost_call(log: EventStore) -> None:
    for first in (event(1, "text"), event(1, "started", call=OTHER), event(1, "started", writer=2)):
        assert refusal(log, first)[0] == "event-start"
    assert refusal(log, event(5))[0] == "event-gap"
    assert log.append(TREE, [event(1, "started", parent=OTHER)]) == "kept"


def test_nothing_follows_the_end_of_the_outermost_call(log: EventStore) -> None:
    log.append(TREE, [event(1, "started"), event(2, "started", call=OTHER, parent=TREE), event(3, "done", call=OTHER), event(4, "done")])
    assert refusal(log, event(5)) == ("event-after-end", {"writer": 1, "seq": 5})
    assert log.append(TREE, [event(4, "done")]) == "duplicate"
    with pytest.raises(EventRefused, match="event-after-end"):
        log.claim(TREE)


def test_a_claim_fences_the_writers_before_it(log: EventStore) -> None:
    log.append(TREE, [event(1, "started"), event(2)])
    assert log.claim(TREE) == (2, {"writer": 1, "seq": 2})
    assert log.claim(TREE) == (3, {"writer": 1, "seq": 2})
    # Even what is kept already is refused from a writer that is fenced.
    for late in (event(3), event(2), event(3, writer=2, after=2)):
        assert refusal(log, late)[0] == "event-conflict"
    assert log.append(TREE, [event(3, writer=3, after=2), event(4, writer=3, after=(3, 3))]) == "kept"
    assert refusal(log, event(5, writer=3, after=(1, 4)))[0] == "event-conflict"
    assert log.read(TREE, after={"writer": 1, "seq": 2})[0]["writer"] == 3
    assert log.claim(TREE) == (4, {"writer": 3, "seq": 4})


@pytest.mark.parametrize("tree", [OTHER, "../outside", ""])
def test_a_log_that_is_not_there_cannot_be_claimed(log: EventStore, tree: str) -> None:
    with pytest.raises(EventRefused) as caught:
        log.claim(tree)
    assert caught.value.code == "event-unknown"


@pytest.mark.kinds(*LASTING)
def test_what_one_object_keeps_another_reads_and_goes_on_with(place: Place) -> None:
    one, other = log_of(place), log_of(place)
    one.append(TREE, [event(1, "started")])
    assert other.append(TREE, [event(1, "started"), event(2)]) == "kept"
    assert other.claim(TREE) == (2, {"writer": 1, "seq": 2})
    assert refusal(one, event(3))[0] == "event-conflict"
    assert log_of(place).claim(TREE).writer == 3


def test_of_many_who_claim_each_gets_a_number_of_its_own(log: EventStore) -> None:
    log.append(TREE, [event(1, "started")])
    with ThreadPoolExecutor(8) as pool:
        writers = sorted(claim.writer for claim in pool.map(lambda _: log.claim(TREE), range(16)))
    assert writers == list(range(2, 18))


def test_of_many_who_write_the_same_place_one_is_kept(log: EventStore) -> None:
    log.append(TREE, [event(1, "started")])

    def write(me: int) -> str:
        try:
            return log.append(TREE, [event(2, text=f"{me}")])
        except EventRefused as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(write, range(8))) == ["event-conflict"] * 7 + ["kept"]
    assert len(log.read(TREE)) == 2
