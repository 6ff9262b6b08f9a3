"""Cells of a prompt evaluation: what never reached the model is shown, but does not count."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.decisions import PromptRun, evaluate_case, parse_case, score_prompts
from agentnb.decisions.prompts import admits_action, failure_of, mode_of
from tests.decisions.turns import envelope, native

ASK = parse_case({"id": "ask", "agent": "A", "expect": {"kind": "chat"}})
ACT = parse_case({"id": "act", "agent": "A", "expect": {"kind": "action", "actions": [{"name": "Search Docs"}]}})
WRITE = parse_case(
    {
        "id": "write",
        "agent": "A",
        "tags": ["payload-change"],
        "input": {"conversationMessages": [{"role": "tool", "content": "x"}]},
        "expect": {"kind": "payloadChange", "payload": {"newElements.a": {"matcher": "exact", "value": 1}, "newElements.b": {"matcher": "absent"}}},
    }
)


def run(case: Any, cell: str, decision: Any, **fields: Any) -> PromptRun:
    return PromptRun(name=f"{case.id} [{cell}]", decision=decision, evaluation=evaluate_case(case, decision), usable=True, **fields)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        ("Vertex: could not refresh credentials", "vertex-credential"),
        ("Request timed out", "timeout"),
        ("ECONNRESET", "connection"),
        ("HTTP 429", "rate-limit"),
        ("boom", "other"),
        (None, None),
    ],
)
def test_a_run_that_never_reached_its_model_says_why(error: str | None, reason: str | None) -> None:
    assert failure_of(PromptRun(name="a [b]", error=error)) == reason
    assert failure_of(PromptRun(name="a [b]", error=error, complete=False)) == "incomplete"


@pytest.mark.parametrize(
    ("label", "arm", "mode"),
    [
        ("gpt · low · envelope", "gpt · low", "envelope"),
        ("gpt · native-implicit-results", "gpt", "native-implicit-results"),
        ("native", "", "native"),
        ("gpt · other", "gpt · other", None),
        ("gpt · envelope-results", "gpt · envelope-results", None),
    ],
)
def test_the_last_part_of_a_label_is_the_mode(label: str, arm: str, mode: str | None) -> None:
    assert mode_of(label) == (arm, mode)


def test_cells_are_compared_without_what_was_lost() -> None:
    chat, act = envelope(nextStep={"type": "Chat"}), native(("search_docs", {"q": "x"}))
    write = native(("payload_change_request", {"newElements": {"a": 1, "b": 2}}))
    runs = [
        run(ASK, "m · envelope", chat, cost=0.5),
        run(ACT, "m · envelope", chat),
        run(ASK, "m · native-implicit", act),
        run(ACT, "m · native-implicit", act),
        run(WRITE, "m · native-implicit", write),
        run(ACT, "m · native-implicit", write),
        PromptRun(name="ask [m · native-implicit]", error="429"),
    ]
    card = score_prompts(runs, [ASK, ACT, WRITE])
    first, second = card.cells
    assert (first.passed, first.cost, first.excluded, first.warning) == (0.5, 0.5, {}, None)
    assert (second.count, second.excluded, second.passed) == (4, {"rate-limit": 1}, 0.25)
    assert "20%" in (second.warning or "")
    assert (second.action_accuracy, second.payload_share, second.restraint, second.multi_turn_passed) == (0.5, 0.5, 1, 0)
    assert (second.counts["native"], second.counts["payload_first"], second.counts["payload_written"]) == (4, 1, 2)
    assert card.deltas == {"m": {"native-implicit": -25}}
    assert score_prompts(reversed(runs), [ASK, ACT, WRITE]) == card


def test_an_expectation_admits_an_action_in_any_branch() -> None:
    either = parse_case({"id": "x", "agent": "A", "expect": {"kind": "anyOf", "anyOf": [{"kind": "chat"}, {"kind": "action", "actions": [{"name": "A"}]}]}})
    assert [admits_action(case.expect) for case in (ASK, ACT, WRITE, either)] == [False, True, False, True]
