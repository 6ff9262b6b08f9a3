"""Who is asked before a tool runs, and what the model is shown instead of a result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agentnb.conversations.asking import (
    ApprovalAnswer,
    ProgramKind,
    approval_path,
    asks,
    blocked_text,
    check_approve,
    denied_text,
    failed_tool_text,
    program_effects,
    read_answer,
    unknown_tool_text,
)
from agentnb.errors import ApprovalAnswerError, ConversationError, SettingError
from agentnb.values.tools import ToolEffects
from tests.conformance import cases_in, read_case


def yes(approval: Any) -> bool:
    return True


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("tools", "asks"), ids=lambda path: path.stem)
def test_a_rule_asks_about_what_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    rule = check_approve(yes if case["rule"] == "function" else case["rule"])
    assert {"asks": [asks(rule, **approval) for approval in case["approvals"]]} == case["expect"]


@pytest.mark.recordings
@pytest.mark.parametrize("path", cases_in("tools", "denial"), ids=lambda path: path.stem)
def test_a_refusal_reads_as_the_published_cases_say(path: Path) -> None:
    case = read_case(path)
    assert {"output": denied_text(case["reason"])} == case["expect"]


@pytest.mark.parametrize(
    ("entry", "path", "asked"),
    [("refund", "support/answer/refund", True), ("fund", "support/refund", False), ("support", "support/refund", False), ("a/refund", "ba/refund", False)],
)
def test_a_name_means_a_tool_or_the_end_of_a_path_from_a_slash_on(entry: str, path: str, asked: bool) -> None:
    assert asks((entry,), name="refund", path=path, effects="reads") is asked


@pytest.mark.parametrize(("given", "kept"), [(["b", "a"], ("b", "a")), ({"b", "a"}, ("a", "b")), ((), ()), (None, None), ("all", "all"), (yes, yes)])
def test_a_rule_is_kept_so_that_nobody_changes_it_afterwards(given: Any, kept: Any) -> None:
    assert check_approve(given) == kept


@pytest.mark.parametrize("rule", ["refund", True, False, 5, [""], [None], {"refund": True}, "Changes"], ids=repr)
def test_what_is_no_rule_is_refused_when_it_is_set(rule: Any) -> None:
    with pytest.raises(SettingError, match=r"approve-rule: approve=.* use None, \"changes\", \"all\"") as refused:
        check_approve(rule)
    assert isinstance(refused.value, ConversationError)


@pytest.mark.parametrize(("returned", "answer"), [(True, ("yes", None)), (False, ("no", None)), (None, ("no", None)), ("not now", ("no", "not now"))])
def test_a_function_answers_yes_no_or_why_not(returned: Any, answer: tuple[Any, Any]) -> None:
    assert read_answer(returned) == ApprovalAnswer(*answer)


@pytest.mark.parametrize("returned", [1, 0, [], b"no"], ids=repr)
def test_any_other_answer_of_a_function_is_a_type_error(returned: Any) -> None:
    with pytest.raises(ApprovalAnswerError, match="must return True, False, None, or a text") as refused:
        read_answer(returned)
    assert isinstance(refused.value, TypeError)


@pytest.mark.parametrize(
    ("kind", "tools", "declared", "effects"),
    [
        ("ai", ["reads", "reads"], None, "reads"),
        ("ai", [], None, "reads"),
        ("ai", ["reads", None], None, None),
        ("ai", ["changes"], None, None),
        ("ai", ["changes"], "reads", "reads"),
        ("module", ["reads"], None, None),
        ("module", [], "changes", "changes"),
        ("remote", [], None, None),
    ],
)
def test_a_tool_that_is_a_program_has_the_effects_of_what_it_can_do(
    kind: ProgramKind, tools: list[ToolEffects | None], declared: ToolEffects | None, effects: ToolEffects | None
) -> None:
    assert program_effects(kind, tools, declared=declared) == effects


def test_the_model_reads_why_a_tool_gave_no_result() -> None:
    assert [denied_text(""), blocked_text("budget", "too dear"), unknown_tool_text("fly"), failed_tool_text(KeyError("B-2210"))] == [
        "The person did not allow this call.",
        "This call was blocked (budget): too dear",
        "error: there is no tool named 'fly'",
        "error: KeyError: 'B-2210'",
    ]


@pytest.mark.parametrize(("site", "path"), [("support#1/answer#12", "support/answer/refund"), ("p#1", "p/refund"), ("", "refund"), ("a#b#2", "a#b/refund")])
def test_a_path_is_the_place_without_ordinals_and_the_tool(site: str, path: str) -> None:
    assert approval_path(site, "refund") == path
