"""What a program takes and gives, read from the signature of a function."""

from __future__ import annotations

import threading
from enum import Enum
from typing import Any, NamedTuple

import pytest
from pydantic import BaseModel

import agentnb as anb
from agentnb.conversations.fields import interface_of


class Colour(Enum):
    RED = "red"


class Order(BaseModel):
    number: int
    note: str = "none"


class Verdict(NamedTuple):
    why: str
    score: int


def graded(order: Order, colour: Colour = Colour.RED, *, weights: dict[str, float] | None = None) -> Verdict:
    """Grade an order."""
    raise NotImplementedError


def opaque(lock: threading.Event) -> str:
    """Take what has no JSON form."""
    raise NotImplementedError


def test_parameters_are_inputs_and_fields_of_a_named_tuple_outputs_the_last_of_which_is_the_answer() -> None:
    interface = interface_of(graded)
    assert [(field.name, field.direction, field.is_optional) for field in interface.fields] == [
        ("order", "input", False),
        ("colour", "input", True),
        ("weights", "input", True),
        ("why", "output", False),
        ("score", "output", False),
    ]
    assert interface.answer == "score"
    assert interface.returns({"why": "fine", "score": 3}) == Verdict("fine", 3)


def test_inputs_are_made_what_their_annotations_say_and_come_back_from_json() -> None:
    interface = interface_of(graded)
    bound = interface.bind("graded", ({"number": "7"},), {"weights": {"a": 1}})
    assert bound == {"order": Order(number=7), "colour": Colour.RED, "weights": {"a": 1.0}}
    written = interface.inputs_to_json(bound)
    assert written == {"order": {"number": 7, "note": "none"}, "colour": "red", "weights": {"a": 1.0}}
    assert interface.inputs_from_json(written) == bound


@pytest.mark.parametrize(
    ("args", "kwargs", "said"),
    [
        ((), {}, "it takes order, colour=…, weights=…"),
        (({"number": 1},), {"size": 1}, "unexpected keyword"),
        (({"number": 1},), {"order": 2}, "multiple values"),
    ],
)
def test_inputs_that_are_missing_unknown_or_given_twice_are_refused(args: tuple[Any, ...], kwargs: dict[str, Any], said: str) -> None:
    with pytest.raises(TypeError, match=said):
        interface_of(graded).bind("graded", args, kwargs)


def test_an_input_that_does_not_fit_is_refused_with_its_name() -> None:
    with pytest.raises(anb.AgentnbError, match="input 'order' does not fit"):
        interface_of(graded).bind("graded", ({"number": "many"},), {})


def test_shapes_have_no_titles_and_no_defaults_but_keep_properties_of_these_names() -> None:
    class Page(BaseModel):
        title: str
        default: int = 3

    def read(page: Page) -> str:
        """Read."""
        raise NotImplementedError

    read.__annotations__["page"] = Page
    shape = interface_of(read).inputs[0].shape
    assert shape["properties"] == {"title": {"type": "string"}, "default": {"type": "integer"}}
    assert "title" not in shape


def test_what_has_no_json_form_is_known_to_have_none() -> None:
    (field,) = interface_of(opaque).inputs
    assert (field.is_opaque, field.shape) == (True, {})
    with pytest.raises(anb.ConversationError, match="conversation-opaque"):
        field.to_json(threading.Event())


def test_a_parameter_that_no_name_can_fill_is_refused() -> None:
    def several(*words: str) -> str:
        """Take several."""
        raise NotImplementedError

    with pytest.raises(anb.AgentnbError, match=r"takes \*words"):
        interface_of(several)


def test_reasoning_comes_first_and_is_no_part_of_what_is_declared() -> None:
    interface = interface_of(graded, reasoning=True)
    assert [(field.name, field.purpose) for field in interface.outputs] == [("reasoning", "reasoning"), ("why", "plain"), ("score", "plain")]
    assert [output["name"] for output in interface.described()["outputs"]] == ["why", "score"]
