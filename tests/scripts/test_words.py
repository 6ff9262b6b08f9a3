"""Tokens of a text, their normal form, and which of them must stand in the evidence."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentnb.scripts.evidence import EvidenceOptions, classify, forms_of, normalize, tokenize
from agentnb.scripts.evidence.words import pieces_of

PLAIN = EvidenceOptions()


@pytest.mark.parametrize(
    ("raw", "form"),
    [
        ("41,200", "41200"), ("1,234,567", "1234567"), ("-1,234.50", "-1234.5"), ("2048.0", "2048"), ("007", "7"), ("-0", "0"), ("+5", "5"),
        ("90071992547409931234", "90071992547409931234"), ("9007199254740993", "9007199254740993"), ("00000000000000001", "00000000000000001"),
        ('"FC1/3",', "fc1/3"), ("$41,200.", "41200"), ("78%", "78"), ("(4417)", "4417"), ("1,2345", "1,2345"), ("1e5", "1e5"), ("£41,200", "£41,200"),
        ("   ", ""), ("...", ""), ("-0.0", "0"), ("000123456789012", "123456789012"), ("1.", "1"), ("[`x1`]", "x1"), ("12\n", "12"), ("1,234,56", "1,234,56"),
    ],
)  # fmt: skip
def test_a_token_is_brought_into_normal_form(raw: str, form: str) -> None:
    assert normalize(raw) == form
    assert normalize(form) == form


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("fc1/3,fc1/4", ["fc1/3", "fc1/4"]), ("1,2,3", ["1,2,3"]), ("5,a,6", ["5", "a", "6"]), ('{"id":4417,"up":true}', ["id", ":4417", "up", ":true"]),
        ("café1234", ["caf", "1234"]), ("~5000", ["5000"]), ("x=12345", ["x", "12345"]), ("", []), ("٣٤٥٦", []), ("a, 1,b", ["a", "1", "b"]),
    ],
)  # fmt: skip
def test_a_text_is_split_where_no_name_or_number_goes_on(text: str, tokens: list[str]) -> None:
    assert tokenize(text) == tokens


def test_a_number_grouped_as_in_other_languages_is_one_token() -> None:
    assert tokenize("41\u202f200 41'200.50 41’200 1\u00a0234\u00a0567") == ["41200", "41200.5", "41200", "1234567"]
    assert tokenize("it's 5 000 '4417','892' 4417'892") == ["it", "s", "5", "0", "4417", "892", "4417", "892"]


@pytest.mark.parametrize(
    "token", ["892", "47", "32g", "100mb", "48-port", "20/month", "24/7", "1/2", "-14.8", "po1", "0x1", "1-2", "word", "fc/x", "99.9", "1,2345"]
)
def test_words_ratios_and_short_numbers_are_no_candidates(token: str) -> None:
    assert classify(normalize(token), PLAIN) is None


@pytest.mark.parametrize(
    ("token", "value"),
    [("41200", "41200"), ("-1234", "-1234"), ("1234.5", "1234.5"), ("12.34", "12.34"), ("1204itw", "1204"), ("41200iops", "41200"), ("4000/month", "4000"),
     ("12345678ab/cd", "12345678"), ("1007us", "1007"), ("12345678901234567890", "12345678901234567890")],
)  # fmt: skip
def test_a_number_of_four_digits_is_a_candidate_without_its_unit(token: str, value: str) -> None:
    found = classify(normalize(token), PLAIN)
    assert found is not None
    assert (found.value, found.kind) == (value, "number")


@pytest.mark.parametrize("token", ["fc1/3", "08:15", "7.0.3", "123/45", "0xef0101", "a1b2", "2024q3", "1.5e9", "12-34", "41200abcdefg", "2024-05-03"])
def test_a_name_with_a_digit_is_a_candidate_as_it_is(token: str) -> None:
    assert classify(normalize(token), PLAIN) == (token, "identifier", False)


def test_candidates_come_in_their_order() -> None:
    found = [candidate for token in tokenize("fc1/3 fc1/3 41,200 and 41200. 1007us 32G") if (candidate := classify(token, PLAIN))]
    assert [(each.value, each.kind) for each in dict.fromkeys(found)] == [("fc1/3", "identifier"), ("41200", "number"), ("1007", "number")]


def test_a_hexadecimal_number_has_two_forms() -> None:
    assert forms_of("0xef0101") == ("0xef0101", "ef0101")
    assert forms_of("0x") == ("0x",)
    assert forms_of("ef0101") == ("ef0101",)


@given(st.text(alphabet="0123456789abXé ,.'-+/:$%()\u202f\n", max_size=80))
@settings(derandomize=True, deadline=None)
def test_every_token_stands_where_it_says(text: str) -> None:
    last = 0
    for piece in pieces_of(text):
        assert last <= piece.start < piece.end <= len(text)
        last = piece.end
        assert normalize(piece.token) == piece.token or "," in piece.token
        assert classify(piece.token, PLAIN) is None or piece.token
