"""The same computation written again has the same shape; a difference between two programs is told line by line."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.scripts import diff_programs, shape_hash, shape_of


def test_names_and_texts_do_not_count_and_what_is_called_does() -> None:
    one, same, other = (shape_hash(program) for program in ("groupBy(rows,'wwn')", "groupBy(items,'serial')", "sortBy(items,'serial')"))
    assert one == same != other
    assert one is not None
    assert len(one) == 8


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        ('x = 1 # note\ny = f("a\\"b", 2.5) // more', "V = N V = f(S, N)"),
        ("url = 'http://x' /* a\nb */ + y", "V = S + V"),
        ("for i in range(10): print(i)", "for V in range(N): print(V)"),
        ("", ""),
    ],
)
def test_a_program_is_reduced_to_its_shape(program: str, shape: str) -> None:
    assert shape_of(program) == shape


@pytest.mark.parametrize(
    ("program", "shape"),
    [
        ("git status && rm 'a b' | head -5", "git V && rm S | head -V"),
        ("FOO=1 python3 x.py\nls -la /tmp/*", "VN python3 V ls -V V*"),
        ("cd /a && grep foo bar.py # look", "cd V && grep V V"),
    ],
)
def test_in_a_shell_the_first_word_is_what_is_called(program: str, shape: str) -> None:
    assert shape_of(program, "bash") == shape


def test_there_is_no_shape_without_a_text_or_of_too_much_of_it() -> None:
    assert shape_hash(None) is None
    assert shape_hash("x" * 70_000) is None


@pytest.mark.parametrize("unit", ["'", "'\\", "/*", "#", "\\", "a(", "$(", "1a", "'\"`", "//", "*/"])
def test_a_hostile_program_has_a_shape_too(unit: str) -> None:
    program = unit * (65_000 // len(unit))
    assert shape_hash(program) is not None
    assert shape_hash(program, "bash") is not None


def test_a_difference_leaves_out_what_both_have() -> None:
    change = diff_programs("a\nb\nc\nd\ne\nf", "a\nb\nc\nX\ne\nf")
    assert change == ("@@\n b\n c\n-d\n+X\n e\n f", 1, 1)
    assert diff_programs("a\r\nb", "a\nb").added == 0
    assert diff_programs("x", "x") == ("", 0, 0)


@given(st.lists(st.sampled_from("abc"), max_size=12), st.lists(st.sampled_from("abc"), max_size=12))
@settings(derandomize=True, deadline=None)
def test_a_difference_accounts_for_every_line(old: list[str], new: list[str]) -> None:
    change = diff_programs("\n".join(old), "\n".join(new))
    assert change.added - change.removed == len("\n".join(new).split("\n")) - len("\n".join(old).split("\n"))
    signs = [line[:1] for line in change.diff.split("\n")]
    if change.diff:
        assert (signs.count("+"), signs.count("-")) == (change.added, change.removed)
