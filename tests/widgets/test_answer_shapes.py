"""Which form fits an answer, and what is read from it."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.errors import RatingError
from agentnb.widgets._answer_shapes import Shape, choices_of, shape_of


def kinds(shape: Shape) -> list[tuple[str, str, Any]]:
    return [(field.name, field.kind, field.value) for field in shape.fields]


@pytest.mark.parametrize(
    ("output", "fields"),
    [
        ("shipped", [("", "long text", "shipped")]),
        ("89.90", [("", "number", "89.9")]),
        ("true", [("", "boolean", 0)]),
        ("false", [("", "boolean", 1)]),
        (None, [("", "any", "")]),
        ("null", [("", "any", "")]),
        ("[1, 2]", [("", "json", "[1, 2]")]),
        ("{}", [("", "json", "{}")]),
        ('{"a": 1, "b": "x", "c": false}', [("a", "number", "1"), ("b", "text", "x"), ("c", "boolean", 1)]),
        ('{"d": {"e": 1}, "f": null}', [("d", "json", '{"e": 1}'), ("f", "any", "")]),
        ("x" * 10_000, [("", "long text", "")]),
    ],
)  # fmt: skip
def test_the_fields_fit_what_the_call_gave(output: str | None, fields: list[tuple[str, str, Any]]) -> None:
    assert kinds(shape_of(output)) == fields


def test_an_object_of_many_keys_is_one_field_of_json() -> None:
    assert [kind for _, kind, _ in kinds(shape_of("{" + ", ".join(f'"k{at}": {at}' for at in range(13)) + "}"))] == ["json"]


@pytest.mark.parametrize(
    ("output", "written", "answer"),
    [
        ("shipped", ["delivered"], (True, "delivered")),
        ("shipped", ["shipped "], (False, None)),
        ("shipped", [""], (False, None)),
        ("shipped", ["12"], (True, "12")),
        ("12", ["13"], (True, 13)),
        ("12345678901234567890", ["12345678901234567891"], (True, 12345678901234567891)),
        ("12", ['"none of them"'], (True, "none of them")),
        ("true", [1], (True, False)),
        ("true", [0], (False, None)),
        (None, ["[1]"], (True, [1])),
        (None, ["in words"], (True, "in words")),
        (None, [""], (False, None)),
        ('{"a": 1, "b": "x"}', ["1", "y"], (True, {"a": 1, "b": "y"})),
        ('{"a": 1, "b": "x"}', ["1", ""], (True, {"a": 1, "b": ""})),
        ('{"a": {"b": 1}}', ["null"], (True, {"a": None})),
    ],
)
def test_an_answer_is_what_was_changed(output: str | None, written: list[Any], answer: tuple[bool, Any]) -> None:
    assert shape_of(output).answer(written) == answer


@pytest.mark.parametrize(("output", "written"), [("12", ["twelve"]), ("[1]", ["[1"]), ('{"a": 1}', ["1,5"])])
def test_what_is_no_number_or_json_is_refused(output: str, written: list[Any]) -> None:
    with pytest.raises(RatingError, match="Nothing was kept yet"):
        shape_of(output).answer(written)


def test_one_of_few_outputs_is_a_choice_and_another_answer_can_still_be_written() -> None:
    choices = choices_of({"shipped": 9, "delivered": 4, "lost": 2})
    shape = shape_of("shipped", choices)
    assert (choices, kinds(shape)) == (("delivered", "lost", "shipped"), [("", "choice", 2)])
    assert shape.answer([0]) == (True, "delivered")
    assert shape.answer([2]) == (False, None)
    assert shape.answer(["returned"]) == (True, "returned")
    assert (shape.written("lost"), shape.written("returned")) == ([1], ["returned"])


@pytest.mark.parametrize(
    "outputs", [{"one": 50}, {"a": 1, "b": 1}, {"a" * 41: 9, "b": 9}, {str(at): 9 for at in range(4)}, {f"o{at}": 9 for at in range(7)}, {}]
)
def test_outputs_that_are_alike_rare_long_or_numbers_are_no_choice(outputs: dict[str, int]) -> None:
    assert choices_of(outputs) == ()


@pytest.mark.parametrize(
    ("output", "answer"), [("shipped", "lost"), ("12", 13), ("true", False), ('{"a": 1, "b": [1]}', {"a": 2, "b": [2]}), ("[1]", [2]), (None, {"a": 1})]
)
def test_an_answer_that_was_kept_stands_in_the_form_again(output: str | None, answer: Any) -> None:
    shape = shape_of(output)
    assert shape.answer(shape.written(answer)) == (True, answer)
