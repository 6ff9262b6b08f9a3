"""What every store does, whatever it keeps conversations in: memory, files, SQLite or PostgreSQL."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agentnb.conversations.stores import Store, calls_of, durability_of, events_of, is_persistent, lengths_of, open_store, wait_for
from agentnb.errors import ConversationError, ConversationIdError, StoreConflict
from tests.conversations.stores.places import LASTING, Place

RECORD = {"functai_conversation": 1, "kind": "stop", "at": "2026-09-26T23:12:03.123456Z"}


def record(turn: Any = "t", **more: Any) -> dict[str, Any]:
    return {**RECORD, "turn": turn, **more}


def turns(store: Store, conversation: str = "c", after: int = 0) -> list[tuple[int, Any]]:
    return [(record["seq"], record.get("turn")) for record in store.read(conversation, after=after)]


def test_a_conversation_that_has_not_begun_is_empty(store: Store) -> None:
    assert store.read("c") == []
    assert store.append("c", [], expect=0) == 0
    assert lengths_of(store) == {}


def test_records_get_their_places_in_the_order_in_which_they_are_appended(store: Store) -> None:
    assert store.append("c", [record("a"), record("b")]) == 2
    assert store.append("c", [record("c")]) == 3
    assert turns(store) == [(1, "a"), (2, "b"), (3, "c")]
    assert store.read("c")[0] == {**record("a"), "seq": 1}


def test_reading_begins_after_a_place(store: Store) -> None:
    store.append("c", [record(turn) for turn in "abc"])
    assert [turns(store, after=after) for after in (1, 2, 3, 7)] == [[(2, "b"), (3, "c")], [(3, "c")], [], []]


def test_a_place_that_a_record_brings_along_is_not_its_place(store: Store) -> None:
    store.append("c", [record("a", seq=7), {"seq": 9}])
    assert store.read("c") == [{**record("a"), "seq": 1}, {"seq": 2}]


def test_conversations_do_not_see_each_other(store: Store) -> None:
    store.append("one", [record("a")])
    store.append("Two", [record("b"), record("c")])
    assert (turns(store, "one"), turns(store, "Two")) == ([(1, "a")], [(1, "b"), (2, "c")])
    assert lengths_of(store) == {"one": 1, "Two": 2}
    assert store.conversations() == ["Two", "one"]  # type: ignore[attr-defined]


def test_an_append_that_expects_another_length_is_refused_and_writes_nothing(store: Store) -> None:
    store.append("c", [record("a")], expect=0)
    for expect in (0, 2, 9):
        with pytest.raises(StoreConflict, match="store-conflict: the conversation c has 1 records and not") as caught:
            store.append("c", [record("b"), record("c")], expect=expect)
        assert caught.value.length == 1
    assert turns(store) == [(1, "a")]
    assert store.append("c", [record("b")], expect=1) == 2


def test_a_first_append_that_expects_records_is_refused(store: Store) -> None:
    with pytest.raises(StoreConflict) as caught:
        store.append("c", [record("a")], expect=3)
    assert caught.value.length == 0
    assert lengths_of(store) == {}
    with pytest.raises(StoreConflict):
        store.append("c", [], expect=3)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "a\x00b",
        "\ud800 alone",
        "é 漢 🙂 \u2028 \x85 \x7f \x1f",
        "line\r\nbreaks\n",
        "' \" \\ %s :name {x} $1",
        10**40,
        -(2**63),
        1.5,
        1e-320,
        1.7976931348623157e308,
        0.1 + 0.2,
        True,
        None,
        [],
        {},
        [[[[]]]],
        {"": {"\x00": "\udfff"}},
        "x" * 300_000,
    ],
    ids=lambda value: ascii(value)[:20],
)
def test_a_value_comes_back_as_it_was(store: Store, value: Any) -> None:
    store.append("c", [record(value)])
    (read,) = store.read("c")
    assert read["turn"] == value
    assert type(read["turn"]) is type(value)


def test_what_was_put_in_and_what_came_out_share_nothing(store: Store) -> None:
    given = record({"deep": ["a"]})
    store.append("c", [given])
    given["turn"]["deep"].append("changed")
    store.read("c")[0]["turn"]["deep"].append("changed too")
    assert store.read("c")[0]["turn"] == {"deep": ["a"]}


def test_a_record_without_a_json_form_is_refused_with_its_whole_batch(store: Store) -> None:
    endless: list[Any] = []
    endless.append(endless)
    for value in (object(), {1, 2}, float("nan"), float("inf"), endless, b"bytes"):
        with pytest.raises(ConversationError, match=r"conversation-opaque: a record of kind 'stop' has no JSON form: .* nothing was written"):
            store.append("c", [record("a"), record(value)])
    with pytest.raises(ConversationError, match="a record is a JSON object, not str"):
        store.append("c", ["text"])  # type: ignore[list-item]
    assert store.read("c") == []


@pytest.mark.parametrize("conversation", ["", "a/b", ".x", "-a", "a" * 201, "é", "a\n", "..", "a\x00"])
def test_a_text_that_can_be_no_id_is_refused(store: Store, conversation: str) -> None:
    for use in (lambda: store.append(conversation, [record()]), lambda: store.read(conversation)):
        with pytest.raises(ConversationIdError):
            use()


@pytest.mark.parametrize("conversation", ["a" * 200, "A-1_b.c", "a.lock", "a.jsonl", "NUL"])
def test_an_id_may_be_any_name_of_a_file(store: Store, conversation: str) -> None:
    store.append(conversation, [record("x")])
    store.append("a", [record("y")])
    assert (turns(store, conversation), turns(store, "a")) == ([(1, "x")], [(1, "y")])


@pytest.mark.kinds(*LASTING)
def test_what_one_object_appends_another_reads(place: Place) -> None:
    one, other = place.open(), place.open()
    assert turns(other) == []
    one.append("c", [record("a")])
    assert turns(other) == [(1, "a")]
    assert other.append("c", [record("b")], expect=1) == 2
    assert turns(one) == turns(other) == turns(place.open())
    assert lengths_of(one) == {"c": 2}


def test_waiting_ends_when_somebody_appends(place: Place) -> None:
    one, other = place.open(), place.open()
    one.append("c", [record("a")])
    assert wait_for(one, "c", after=0, timeout=0)
    assert not wait_for(one, "c", after=1, timeout=0.05)
    with ThreadPoolExecutor() as pool:
        waiting = [pool.submit(wait_for, store, "c", after=1, timeout=30) for store in (one, other)]
        other.append("c", [record("b")])
        assert [future.result() for future in waiting] == [True, True]


def test_waiting_for_another_conversation_goes_on(store: Store) -> None:
    with ThreadPoolExecutor() as pool:
        waiting = pool.submit(wait_for, store, "c", after=0, timeout=0.2)
        store.append("d", [record()])
        assert waiting.result() is False


def test_many_threads_append_and_nothing_is_lost_or_twice(store: Store) -> None:
    ready = threading.Barrier(8)

    def work(me: int) -> None:
        ready.wait()
        for number in range(12):
            store.append("c", [record(f"{me}-{number}-a"), record(f"{me}-{number}-b")])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))
    read = turns(store)
    assert [seq for seq, _ in read] == list(range(1, 8 * 12 * 2 + 1))
    names = [name for _, name in read]
    # The records of one append stand together, and those of one thread in its order.
    assert all(one[:-1] == other[:-1] for one, other in zip(names[::2], names[1::2], strict=True))
    for me in range(8):
        assert [name for name in names if name.startswith(f"{me}-")] == [f"{me}-{number}-{half}" for number in range(12) for half in "ab"]


def test_of_many_threads_that_expect_the_same_length_one_appends(store: Store) -> None:
    ready = threading.Barrier(6)

    def work(me: int) -> list[int]:
        won = []
        for place in range(10):
            ready.wait()
            try:
                won.append(store.append("c", [record(f"{me}")], expect=place))
            except StoreConflict:
                continue
        return won

    with ThreadPoolExecutor(6) as pool:
        won = sorted(place for places in pool.map(work, range(6)) for place in places)
    assert won == list(range(1, 11))
    assert len(turns(store)) == 10


def test_a_store_says_how_long_it_keeps_what_it_is_given(place: Place) -> None:
    store = place.open()
    assert (is_persistent(store), durability_of(store)) == ((False, "memory") if place.kind == "memory" else (True, "disk"))
    assert "secret-word" not in repr(store)


def test_a_closed_store_opens_again_when_it_is_used(store: Store) -> None:
    store.append("c", [record("a")])
    store.close()  # type: ignore[attr-defined]
    assert turns(store) == [(1, "a")]


class TwoMethods:
    """A store as somebody may write it: with its two methods, and nothing else."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []

    def append(self, conversation: str, records: Any, *, expect: int | None = None) -> int:
        self.records.extend(dict(record, seq=len(self.records) + place) for place, record in enumerate(records, 1))
        return len(self.records)

    def read(self, conversation: str, *, after: int = 0) -> list[dict[str, Any]]:
        return self.records[after:]


def test_a_store_with_two_methods_is_enough() -> None:
    store = TwoMethods()
    assert open_store(store) is store
    assert (events_of(store), calls_of(store), lengths_of(store), durability_of(store), is_persistent(store)) == (None, None, None, None, True)
    assert not wait_for(store, "c", after=0, timeout=0.01)
    store.append("c", [record()])
    assert wait_for(store, "c", after=0, timeout=0)
