"""A case shows what it is about and what it expects, whatever its texts hold."""

from __future__ import annotations

from typing import Any

import pytest

from agentnb.decisions import parse_case
from agentnb.render import plain_case, render_case

EXPECT: dict[str, Any] = {
    "kind": "action",
    "actions": [{"name": "refund", "params": {"amount": {"matcher": "exact", "value": 5}, "why": {"matcher": "nonEmpty"}}}],
    "subAgents": ["Checker"],
    "message": {"matcher": "contains", "value": "sorry"},
    "forbiddenActions": ["delete"],
    "payload": {"a.b": {"matcher": "oneOf", "values": ["x", 1]}},
    "forbiddenPayloadPaths": ["c"],
}


def test_everything_that_is_judged_is_a_row() -> None:
    html = render_case(parse_case({"id": "c1", "agent": "Support", "description": "Refunds what was paid.", "expect": EXPECT}))
    words = ("c1", "Support", "Refunds what was paid.", "refund.amount", "exact", "5", "nonEmpty", "Checker", "sorry", "delete", "a.b", "oneOf", "x", "written")
    for word in words:
        assert word in html
    assert plain_case(parse_case({"id": "c1", "agent": "Support", "expect": EXPECT})) == "Case c1 · expects action · refund, → Checker"


def test_several_expectations_are_shown_as_the_file_has_them() -> None:
    case = parse_case({"id": "c1", "agent": "Support", "expect": {"kind": "anyOf", "anyOf": [EXPECT, {"kind": "chat"}]}})
    assert "anyOf" in render_case(case)


@pytest.mark.parametrize("text", ["<script>alert(1)</script>", "\u202e\x00", "x" * 300_000, "\ud800"])
def test_hostile_texts_do_no_harm_and_fit(text: str) -> None:
    expect = {"kind": "action", "actions": [{"name": text, "params": {text: {"matcher": "exact", "value": [text]}}}]}
    case = parse_case({"id": text, "agent": text, "description": text, "expect": expect})
    html = render_case(case)
    assert "<script>alert" not in html
    assert len(html.encode()) <= 25_000
    assert len(plain_case(case)) < 500
