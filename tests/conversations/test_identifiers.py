"""Ids sort by time, whatever the clock does; which texts can name a conversation."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest

from agentnb.conversations.identifiers import IdMint, check_conversation_id, new_id, request_id_text
from agentnb.errors import ConversationError, ConversationIdError

MILLISECOND = 1_000_000


def clock_of(*millis: int) -> Callable[[], int]:
    moments = iter(millis)
    return lambda: next(moments) * MILLISECOND


def stamp_of(made: str) -> tuple[int, int]:
    value = uuid.UUID(made).int
    return value >> 80, value >> 64 & 0xFFF


def test_an_id_is_a_lower_case_uuid_of_version_7() -> None:
    made = new_id()
    assert made == str(uuid.UUID(made))
    assert (uuid.UUID(made).version, uuid.UUID(made).variant) == (7, uuid.RFC_4122)


def test_a_new_millisecond_starts_its_counter_by_chance_in_the_lower_half() -> None:
    mint = IdMint(clock_of(5, 6), chance=lambda bits: 2**bits - 1)
    assert [stamp_of(mint()) for _ in range(2)] == [(5, 2047), (6, 2047)]


def test_within_a_millisecond_the_counter_counts() -> None:
    mint = IdMint(clock_of(5, 5, 5), chance=lambda bits: 10)
    assert [stamp_of(mint()) for _ in range(3)] == [(5, 10), (5, 11), (5, 12)]


def test_a_counter_that_overflows_counts_the_millisecond_up() -> None:
    mint = IdMint(lambda: 5 * MILLISECOND, chance=lambda bits: 0)
    made = [stamp_of(mint()) for _ in range(4097)]
    assert made[4095:] == [(5, 4095), (6, 0)]


def test_ids_grow_when_the_clock_goes_back() -> None:
    mint = IdMint(clock_of(9, 3, 3, 9), chance=lambda bits: 0)
    made = [mint() for _ in range(4)]
    assert made == sorted(set(made))


def test_threads_never_get_the_same_id_and_each_sees_its_own_grow() -> None:
    made: list[list[str]] = [[] for _ in range(8)]
    threads = [threading.Thread(target=lambda own: own.extend(new_id() for _ in range(500)), args=(own,)) for own in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({each for own in made for each in own}) == 4000
    assert all(own == sorted(own) for own in made)


@pytest.mark.parametrize("name", ["a" * 200, "A-1_b.c", "7", "alex"])
def test_letters_digits_dots_underscores_and_hyphens_can_name_a_conversation(name: str) -> None:
    assert check_conversation_id(name) == name


@pytest.mark.parametrize("name", ["", "a/b", ".x", "-a", "a" * 201, "é", 5, None, "a\n", "a b", b"a"], ids=repr)
def test_anything_else_is_refused_with_what_would_do(name: Any) -> None:
    with pytest.raises(ConversationIdError, match=r"conversation-id: .* use 1 to 200 letters") as refused:
        check_conversation_id(name)
    assert isinstance(refused.value, ConversationError)
    assert isinstance(refused.value, ValueError)
    assert (refused.value.code, refused.value.turn) == ("conversation-id", None)


@pytest.mark.parametrize(("given", "text"), [("7", "7"), (7, "7"), (None, None), (uuid.UUID(int=7), "00000000-0000-0000-0000-000000000007")])
def test_a_request_is_known_by_the_text_of_its_id(given: Any, text: str | None) -> None:
    assert request_id_text(given) == text
