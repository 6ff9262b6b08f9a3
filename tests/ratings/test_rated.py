"""Calls with known answers: the cases of the contract, and more of their kinds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.ratings import Program, Rated, rated_calls, rows_of

CASES = Path(__file__).resolve().parents[3] / "shared" / "conformance" / "functai" / "rated"


def rated(records: list[Any], *, by: str | None = None, **program: Any) -> Rated:
    return rated_calls(records, Program(**({"name": "team"} | program)), by=by)


@pytest.mark.recordings
@pytest.mark.parametrize("path", sorted(CASES.glob("*.json")), ids=lambda path: path.stem)
def test_the_rows_are_those_of_the_contract(path: Path) -> None:
    case = json.loads(path.read_text("utf-8"))
    asked = dict(case["rated"])
    found = rated(case["records"], by=asked.pop("by"), **asked)
    assert {"rows": rows_of(found.calls), "left_out": found.left_out} == case["expect"]
    assert [list(row) for row in rows_of(found.calls)] == [list(row) for row in case["expect"]["rows"]]


@pytest.mark.recordings
def test_no_case_of_the_contract_is_missing() -> None:
    assert len(list(CASES.glob("*.json"))) >= 20
