"""How a model's reply becomes an answer: asked for in a form, read, asked for again, given up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

import agentnb as anb
from agentnb.conversations import answering
from agentnb.conversations.fields import interface_of
from agentnb.conversations.prompts import answer_schema, read_outputs, user_message
from agentnb.errors import ModelError
from agentnb.transports import ErrorPart, FinishPart, ScriptedProvider, TextPart
from tests.conversations.scripted import EchoProvider, last_text, wants


class Scored(NamedTuple):
    why: str
    score: int


@anb.program
def score(text: str) -> Scored:
    """Score the text."""


@anb.program
def count(text: str) -> int:
    """Count the words."""


@anb.program
def plain(text: str) -> str:
    """Say it."""


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answering, "_WAIT_SECONDS", 0)


def events_of(stream: anb.CallStream) -> list[tuple[str, Any]]:
    return [(event["kind"], event.get("text") or event.get("reason")) for event in stream if event["kind"] in ("request", "text", "retry")]


@pytest.mark.parametrize(
    ("text", "outputs"),
    [
        ('{"why": "so", "score": 3}', {"why": "so", "score": 3}),
        ('Here it is:\n```json\n{"why": "a {b}", "score": "4"}\n```\nBye {', {"why": "a {b}", "score": 4}),
        ('{broken {"why": "x", "score": 1, "more": null}', {"why": "x", "score": 1}),
    ],
)
def test_an_object_is_read_out_of_the_words_around_it(text: str, outputs: dict[str, Any]) -> None:
    assert read_outputs(interface_of(score.function), text) == outputs


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no object", "it holds no JSON object"),
        ('{"why": "x"}', "the field score is missing"),
        ('{"why": "x", "score": "many"}', "the field score does not fit"),
    ],
)
def test_what_cannot_be_read_is_said_field_by_field(text: str, said: str) -> None:
    with pytest.raises(ModelError, match=said) as caught:
        read_outputs(interface_of(score.function), text)
    assert caught.value.code == "parse-value"


@pytest.mark.parametrize("text", ["42", " 42 ", '{"result": 42}', '"42"'])
def test_a_single_value_may_come_without_an_object(text: str) -> None:
    assert count("x", model=ScriptedProvider(text)) == 42


def test_a_plain_text_is_the_answer_as_it_is() -> None:
    assert plain("x", model=ScriptedProvider('{"result": 1}')) == '{"result": 1}'


def test_the_form_of_the_answer_is_told_in_words_and_as_a_schema() -> None:
    model = EchoProvider(lambda request: '{"why": "so", "score": 3}')
    assert score("x", model=model) == Scored("so", 3)
    (request,) = model.requests
    assert str(request.instruction).startswith("Score the text.")
    assert "- why: a text\n- score: " in str(request.instruction)
    assert answer_schema(score.interface)["required"] == ["why", "score"]


def test_several_inputs_stand_under_their_names_and_a_single_text_as_it_is() -> None:
    assert user_message({"text": "Hi"})["parts"][0]["text"] == "Hi"
    assert user_message({"text": "Hi", "size": [1]})["parts"][0]["text"] == "text:\nHi\n\nsize:\n[1]"


def test_a_reply_that_cannot_be_read_is_asked_for_again_with_the_reason() -> None:
    model = ScriptedProvider("many", '{"result": 2}')
    stream = count.stream("x", model=model)
    assert [kind for kind, _ in events_of(stream)] == ["request", "retry", "request", "text"]
    assert stream.result(10) == 2
    assert "the field result does not fit" in last_text(model.requests[1])


def test_replies_that_can_never_be_read_are_given_up_after_as_many_as_are_allowed() -> None:
    model = EchoProvider(lambda request: "many")
    with pytest.raises(ModelError, match="cannot be read") as caught:
        count("x", model=model, retries=1)
    assert (caught.value.code, len(model.requests)) == ("parse-value", 2)


def broken(request: Any) -> Iterator[Any]:
    yield TextPart(text="half")
    yield ErrorPart(message="overloaded")


def test_after_an_error_of_the_provider_the_request_is_made_again_and_what_was_said_is_dropped() -> None:
    stream = plain.stream("x", model=ScriptedProvider(broken, "whole"))
    assert events_of(stream)[:3] == [("request", None), ("text", "half"), ("retry", "ScriptedProvider: overloaded")]
    assert stream.result(10) == "whole"


@pytest.mark.parametrize(
    ("parts", "code", "asked"),
    [
        ([ErrorPart(message="overloaded")], "provider-error", 3),
        ([FinishPart(reason="stop")], "empty", 3),
        ([TextPart(text="a"), FinishPart(reason="length")], "cut", 1),
        ([TextPart(text="a"), FinishPart(reason="content_filter")], "filtered", 1),
        ([FinishPart(reason="refusal")], "refused", 1),
    ],
)
def test_a_reply_that_is_no_answer_has_a_code_and_is_asked_for_again_where_that_may_help(parts: list[Any], code: str, asked: int) -> None:
    model = EchoProvider(lambda request: parts)
    with pytest.raises(ModelError) as caught:
        plain("x", model=model)
    assert (caught.value.code, len(model.requests)) == (code, asked)


def test_a_program_that_never_answers_is_given_up_after_so_many_steps() -> None:
    @anb.tool(effects="reads")
    def look() -> str:
        """Look."""
        return "nothing"

    @anb.program(tools=[look], max_steps=3)
    def lost(text: str) -> str:
        """Look."""

    with pytest.raises(ModelError, match="made 3 requests without an answer") as caught:
        lost("x", model=EchoProvider(lambda request: wants(("look", {}))))
    assert caught.value.code == "too-many-steps"
