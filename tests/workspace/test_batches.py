"""Which groups are current when several processes keep what they read."""

from __future__ import annotations

from agentnb.workspace._batches import Batch, KeptFile, KeptGroup, settle


def file(name: str, state: int = 0) -> KeptFile:
    return KeptFile(f"/logs/{name}", 10, state, name, f"id-{name}")


def group(*files: KeptFile, at: int, format: str | None = "made") -> KeptGroup:
    return KeptGroup(format, files, at)


def batch(*groups: KeptGroup, at: int | None = None) -> Batch:
    return Batch(groups, {"name": at}, written_ns=max(each.written_ns for each in groups) if at is None else at)


def current(*batches: Batch) -> list[list[str]]:
    return [[f.found for g in each.groups for f in g.files] for each in settle(batches).batches]


def test_of_groups_that_share_a_file_the_latest_is_current() -> None:
    old, new = batch(group(file("a"), at=1)), batch(group(file("a", 1), file("b"), at=2))
    assert current(old, new) == current(new, old) == [["a", "b"]]
    assert settle([old, new]).replaced == ((old, 2),)


def test_a_group_stays_beside_one_of_its_batch_that_was_replaced() -> None:
    (kept, _) = settle([batch(group(file("a"), at=1), group(file("b"), at=1)), batch(group(file("b", 1), at=2))]).batches
    assert [each.files[0].found for each in kept.groups] == ["a"]
    assert kept.hidden == {"id-b"}


def test_a_later_reader_who_saw_only_a_part_does_not_replace_the_whole() -> None:
    whole, part = batch(group(file("a"), file("b"), at=1)), batch(group(file("a"), at=2))
    assert current(whole, part) == [["a", "b"]]
    assert current(whole, batch(group(file("a", 1), at=2))) == [["a"]]
    assert current(whole, batch(group(file("a"), at=2, format=None))) == [["a"]]


def test_two_parts_do_not_hide_the_whole_either() -> None:
    whole = batch(group(file("a"), file("b"), at=1))
    assert current(whole, batch(group(file("a"), at=2)), batch(group(file("b"), at=3))) == [["a", "b"]]


def test_the_same_read_twice_is_there_once() -> None:
    assert current(batch(group(file("a"), at=1)), batch(group(file("a"), at=2))) == [["a"]]
    assert current(batch(group(file("a"), at=1)), batch(group(file("a"), at=1))) == [["a"]]


def test_what_was_put_together_replaces_its_pieces_but_not_what_came_meanwhile() -> None:
    first, second = batch(group(file("a"), at=1)), batch(group(file("b"), at=2))
    together = batch(group(file("a"), at=1), group(file("b"), at=2), at=9)
    meanwhile = batch(group(file("a", 1), at=5))
    assert current(first, second, together) == current(together, first, second) == [["a", "b"]]
    assert current(first, second, together, meanwhile) == [["b"], ["a"]]
    assert {since for _, since in settle([first, second, together]).replaced} == {9}


def test_tables_that_come_from_no_file_are_always_current() -> None:
    tables = Batch((), {"name": 1})
    assert settle([tables, batch(group(file("a"), at=1))]).batches[0] is not None
    assert len(settle([tables, tables]).batches) == 2
