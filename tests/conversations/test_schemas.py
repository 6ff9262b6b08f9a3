"""The published forms of records: the cases are of them, so that a test which checks what is written against them checks something."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from agentnb.streams._lifted import list_in
from tests.conformance import cases_in, read_case, validator

pytestmark = pytest.mark.recordings
CASES = {
    "call": ("content", "saw", "context", "rated"),
    "conversation": ("conversations",),
    "event": ("views",),
    "interface": ("conversations",),
    "rating": ("rated",),
}
MARKS = {"call": ("functai_call", (1, 2)), "conversation": ("functai_conversation", (1,)), "event": ("functai_event", (2,)), "rating": ("functai_rating", (1,))}
# A record without a text where one has to be: none of the forms takes it.
DAMAGED = {"call": {"id": 5}, "conversation": {"kind": 5}, "event": {"kind": 5}, "interface": {"inputs": 5}, "rating": {"call": 5}}


def samples_of(form: str) -> Iterator[dict[str, Any]]:
    """Yield what the cases hold of a form, in the versions of it that there are."""
    mark, versions = MARKS.get(form, ("", ()))
    for folder in CASES[form]:
        for path in cases_in(folder):
            case = read_case(path)
            for record in [case.get("record"), *(record for name in ("records", "calls", "ratings", "events") for record in list_in(case, name))]:
                if form == "interface" and isinstance(record, dict) and record.get("kind") == "program":
                    yield record["interface"]
                elif isinstance(record, dict) and record.get(mark) in versions:
                    yield record


@pytest.mark.parametrize("path", cases_in("schema"), ids=lambda path: path.stem)
def test_a_form_takes_the_records_of_the_cases_and_no_damaged_ones(path: Path) -> None:
    form = path.name.partition(".")[0]
    Draft202012Validator.check_schema(read_case(path))
    samples, valid = list(samples_of(form)), validator(form)
    assert len(samples) >= 9
    assert [error.message for sample in samples for error in valid.iter_errors(sample)] == []
    assert all(not valid.is_valid({**sample, **DAMAGED[form]}) for sample in samples)


def test_the_published_cases_are_all_there() -> None:
    folders = ("content", "context", "conversations", "rated", "replies", "saw", "schema", "tools", "views")
    assert {folder: len(cases_in(folder)) for folder in folders} == {
        "content": 22,
        "context": 5,
        "conversations": 14,
        "rated": 20,
        "replies": 2,
        "saw": 16,
        "schema": 5,
        "tools": 10,
        "views": 3,
    }
