"""The vectors of the description of the rules, read in place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agentnb.rules import announces_work, context_from_calls, default_rules, evaluate_rules, is_go_ahead, lists_remaining_work
from agentnb.values import RuleContext

pytestmark = pytest.mark.recordings

VECTORS = Path(__file__).resolve().parents[3] / "shared" / "conformance" / "rules" / "vectors.json"
DEFAULTS = {"finish_reason": "stop", "final_text": "Done.", "last_user_text": "fix the bug"}
PREDICATES = {"is_go_ahead": is_go_ahead, "announces_work": announces_work, "lists_remaining_work": lists_remaining_work}


def vectors(name: str) -> list[Any]:
    if not VECTORS.is_file():
        return []
    return [pytest.param(vector, id=f"{name}-{number}") for number, vector in enumerate(json.loads(VECTORS.read_text("utf-8"))[name])]


@pytest.mark.parametrize("vector", [param for name in PREDICATES for param in vectors(name)])
def test_a_text_is_judged_as_the_vector_says(vector: dict[str, Any], request: pytest.FixtureRequest) -> None:
    predicate = PREDICATES[request.node.callspec.id.rpartition("-")[0]]
    assert predicate(vector["text"]) is vector["expect"]


@pytest.mark.parametrize("vector", vectors("evaluate_rules"))
def test_the_rule_fires_that_the_vector_names(vector: dict[str, Any]) -> None:
    nudge = evaluate_rules(default_rules(), RuleContext(**DEFAULTS | vector["context"]))
    assert (nudge and nudge.code) == vector["expect"]


@pytest.mark.parametrize("vector", vectors("context_from_calls"))
def test_calls_come_to_the_context_that_the_vector_says(vector: dict[str, Any]) -> None:
    ctx = context_from_calls(vector["calls"])
    assert {name: getattr(ctx, name) for name in vector["expect"]} == vector["expect"]


@pytest.mark.parametrize("vector", vectors("context_from_calls"))
def test_the_default_map_finds_the_kinds_of_the_vectors_itself(vector: dict[str, Any]) -> None:
    ctx = context_from_calls([{name: value for name, value in call.items() if name != "kind"} for call in vector["calls"]])
    assert {name: getattr(ctx, name) for name in vector["expect"]} == vector["expect"]
