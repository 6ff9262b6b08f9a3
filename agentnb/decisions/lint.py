"""Is a folder of cases in order? Findings that make no case unusable, but a corpus less telling."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from agentnb.decisions._json import write_json
from agentnb.decisions.cases import parse_case
from agentnb.errors import CaseError
from agentnb.values import Value

WIRE_WORDS: Final = ("nextStep", "toolCalls", "tool_calls", "payloadChangeRequest")
"""Words of a protocol: an expectation that holds one is about the form and not about the decision."""
MEMBERJUNCTION_TAGS: Final = (
    "first-step-action", "mid-loop-action", "error-recovery", "disambiguation", "parallel-actions", "sub-agent-dispatch", "terminal-synthesis", "clarify",
    "payload-change", "forced-control-flow", "adversarial-exemplar",
)  # fmt: skip
"""Tags that MemberJunction demands of its corpus, which also has 40 to 70 cases and at least 8 agents."""
EXPECT_KEYS: Final = frozenset(
    {"kind", "actions", "subAgents", "message", "forbiddenActions", "ordered", "allowAdditionalActions", "payload", "forbiddenPayloadPaths", "anyOf"}
)


class LintFinding(Value):
    """One thing that is not in order."""

    file: str | None = None
    """The file; null for the folder as a whole."""
    rule: str
    """Short name: unusable, file_name, same_id, description, wire_word, unknown_key, cases, agents or tags."""
    message: str
    """What is not in order, and what to do."""


def lint_cases(
    files: Mapping[str, Any],
    *,
    least_cases: int | None = None,
    most_cases: int | None = None,
    least_agents: int | None = None,
    required_tags: Iterable[str] = (),
    description_over: int = 20,
) -> tuple[LintFinding, ...]:
    """Look over the cases of a folder.

    Args:
        files: names of the files with their parsed JSON.
        least_cases: fewest cases of the folder; none by default.
        most_cases: most cases of the folder; none by default.
        least_agents: fewest different agents; none by default.
        required_tags: tags of which each needs a case; none by default.
        description_over: a description is longer than this many characters.

    Returns:
        Findings by file, then those about the folder as a whole.
    """
    named = sorted(files.items())
    found = [finding for name, value in named for finding in _lint_file(name, value, description_over)]
    values = [value for _, value in named if isinstance(value, Mapping)]
    for identity, times in Counter(value["id"] for value in values if isinstance(value.get("id"), str)).items():
        if times > 1:
            found.append(LintFinding(rule="same_id", message=f"{times} cases have the id {identity!r}; ids are unique"))
    agents = {value["agent"] for value in values if isinstance(value.get("agent"), str)}
    tags = {tag for value in values if isinstance(value.get("tags"), list) for tag in value["tags"] if isinstance(tag, str)}
    missing = [tag for tag in required_tags if tag not in tags]
    whole = [
        ("cases", f"there are {len(named)} cases; at least {least_cases} are wanted", least_cases is not None and len(named) < least_cases),
        ("cases", f"there are {len(named)} cases; at most {most_cases} are wanted", most_cases is not None and len(named) > most_cases),
        ("agents", f"the cases are about {len(agents)} agents; at least {least_agents} are wanted", least_agents is not None and len(agents) < least_agents),
        ("tags", f"no case has the tag{'s' if len(missing) > 1 else ''} {', '.join(missing)}", bool(missing)),
    ]
    return (*found, *(LintFinding(rule=rule, message=message) for rule, message, wrong in whole if wrong))


def _lint_file(name: str, value: Any, description_over: int) -> list[LintFinding]:
    try:
        case = parse_case(value, name=name)
    except CaseError as error:
        return [LintFinding(file=name, rule="unusable", message=str(error))]
    found = []
    if name.replace("\\", "/").rsplit("/", 1)[-1] != f"{case.id}.json":
        found.append(LintFinding(file=name, rule="file_name", message=f"the file of case {case.id!r} should be named {case.id}.json"))
    if len(case.description) <= description_over:
        found.append(LintFinding(file=name, rule="description", message=f"a description of more than {description_over} characters tells what it is about"))
    words = [word for word in WIRE_WORDS if word in write_json(value["expect"])]
    if words:
        found.append(LintFinding(file=name, rule="wire_word", message=f"what is expected holds words of a protocol: {', '.join(words)}"))
    unknown = sorted(_unknown_keys(value["expect"]))
    if unknown:
        found.append(LintFinding(file=name, rule="unknown_key", message=f"what is expected holds keys that nothing judges: {', '.join(unknown)}"))
    return found


def _unknown_keys(expect: Any) -> set[str]:
    if not isinstance(expect, Mapping):
        return set()
    branches = expect.get("anyOf")
    inner = set().union(*(_unknown_keys(branch) for branch in branches)) if isinstance(branches, list) and branches else set()
    return {str(key) for key in expect if key not in EXPECT_KEYS} | inner
