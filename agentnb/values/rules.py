"""Rules that decide whether a turn may end: what they look at, what they ask for, and what came of it.

After the public description of Navin's continuation rules. Fields are snake_case here; the camelCase names of that description are read too, and
`model_dump(by_alias=True)` writes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, WithJsonSchema, field_validator, model_validator
from pydantic.alias_generators import to_camel

from agentnb.values._base import Value

RulePhase = Literal["final", "tools"]
RuleStatus = Literal["fired", "ready", "wrong_phase", "cap_spent", "condition_false", "unknown"]
Counting = Literal["recorded", "counterfactual"]
WriteProof = Literal["", "run", "output"]

LONGEST_CODE = 64


class RuleContext(Value):
    """What is known of a turn at one point of it; all that a rule's check may look at."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    phase: RulePhase
    """final when the model answered without tool calls, tools when a batch of tool calls has just run."""
    finish_reason: str | None = None
    """Why the last model call stopped, such as length or stop; null when the recording does not tell."""
    final_text: str = ""
    """Text of the last model answer, without reasoning."""
    last_user_text: str = ""
    """What the user wrote last in this turn; nudges are not the user's words."""
    tool_calls: int = Field(default=0, ge=0)
    """Tool calls that ran in this turn."""
    unverified_write: bool = False
    """Whether a write was made after the last check that said anything."""
    verify_failed: bool = False
    """Whether the last check failed and none has passed since."""
    no_progress_streak: int = Field(default=0, ge=0)
    """Consecutive calls that repeated an earlier call and got the same result."""
    read_streak: int = Field(default=0, ge=0)
    """Consecutive reads since the last write, run or check."""
    limit_usage: float = 0.0
    """Share that is used of the closest limit, from 0 to 1."""
    delivery_required: bool = False
    """Whether the task needs a tool call before the answer."""
    audit_mode: bool = False
    """Whether reading is the task, so that exploration may be longer."""
    nudges: Mapping[str, int] = Field(default_factory=dict)
    """Nudges already sent in this turn, by rule."""
    check_output: str = ""
    """The first 800 characters of what the last check said; ours, for the nudge to quote."""
    previous_text: str | None = None
    """The answer to which the user's last words reply, so that a mere acknowledgement can be told from a go-ahead; null when not known. Ours."""
    no_tools: bool = False
    """Whether the recording says that the agent was offered no tools; false where it does not tell. Ours."""
    reading_is_task: bool = False
    """Whether what was asked for is reading: the request says so, or most of the reads are look-ups. Ours."""
    write_proof: WriteProof = ""
    """What speaks for the last write where no check gave a verdict: run (the written files ran well), or output (of a check whose exit code was hidden).

    Ours; empty when nothing does."""
    check_waived: bool = False
    """Whether the user said that nothing needs to be run or tested. Ours."""
    handed_over: bool = False
    """Whether a blank answer only follows the real one, or a question that was put to the user through a tool. Ours."""

    @model_validator(mode="before")
    @classmethod
    def _one_spelling(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and not "".join(map(str, given)).islower():
            twice = sorted(name for name in cls.model_fields if to_camel(name) != name and name in given and to_camel(name) in given)
            if twice:
                raise ValueError(f"{twice[0]} is given twice, as {twice[0]} and as {to_camel(twice[0])}; leave one of them out")
        return given

    @field_validator("limit_usage")
    @classmethod
    def _within_one(cls, value: float) -> float:
        if math.isnan(value):
            raise ValueError("limit_usage is NaN; expected a share from 0 to 1")
        return min(max(value, 0.0), 1.0)

    @field_validator("nudges")
    @classmethod
    def _not_negative(cls, value: Mapping[str, int]) -> Mapping[str, int]:
        wrong = sorted(code for code, count in value.items() if count < 0)
        if wrong:
            raise ValueError(f"nudges says {value[wrong[0]]} for {wrong[0]!r}; expected a count of 0 or more")
        return dict(value)


# What is a function has no shape in JSON.
Check = Annotated[Callable[[RuleContext], str | None], WithJsonSchema({})]
Cap = int | Annotated[Callable[[RuleContext], int], WithJsonSchema({})]


class Finding(Value):
    """What a rule's condition came to at one point, whether it holds or not."""

    holds: bool
    """Whether the rule would fire, its cap aside."""
    reason: str
    """Field, value and threshold, or the sentence that matched."""
    unknown: bool = False
    """Whether the recording lacks what the condition looks at."""
    evidence: Mapping[str, Any] = Field(default_factory=dict)
    """What a person can look at: the sentence with its place in the text, values and thresholds."""


class Rule(Value):
    """One continuation rule: when its check gives a text, that text is due as a nudge."""

    code: str
    """Its name, at most 64 characters."""
    phase: RulePhase
    """At which points it is looked at."""
    cap: Cap = 1
    """How many of its nudges one turn may get: a number, or a function of the context."""
    check: Check
    """The condition: returns the nudge, or None."""
    explain: Annotated[Callable[[RuleContext], Finding], WithJsonSchema({})] | None = None
    """Says why the check came out as it did; null for a rule that cannot tell."""
    needs: Mapping[str, float] = Field(default_factory=dict)
    """Least values of fields without which it never fires; points that have none of them are passed over quickly."""
    summary: str = ""
    """When it fires, in words."""
    body: str | None = None
    """The text of the cell that it was made from; null for a rule that was made otherwise."""

    def __repr__(self) -> str:
        """Return one line that is the same in every process."""
        cap = "a cap of its own" if callable(self.cap) else f"cap {self.cap}"
        return f"<Rule {self.code}: {self.phase}, {cap}{': ' if self.summary else ''}{self.summary}>"

    @field_validator("code")
    @classmethod
    def _named(cls, value: str) -> str:
        if not value.strip() or len(value) > LONGEST_CODE:
            raise ValueError(f"{value[:80]!r} cannot be the code of a rule; expected 1 to {LONGEST_CODE} characters that are not all blank")
        return value

    @field_validator("cap", mode="before")
    @classmethod
    def _whole(cls, value: Any) -> Any:
        if not callable(value) and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ValueError(f"{value!r} cannot be a cap; expected a whole number of 0 or more, or a function of the context")
        return value


class Nudge(Value):
    """The first rule that fired at a point, and what it asks for; made by `evaluate_rules`."""

    rule: Rule
    """The rule."""
    code: str
    """Its code."""
    prompt: str
    """The text to send to the agent."""
    evidence: Mapping[str, Any] = Field(default_factory=dict)
    """Why it fired; `errors` has the rules whose check raised and was passed over."""


class RuleCheck(Value):
    """One rule at one point of a turn."""

    code: str
    """The rule."""
    phase: RulePhase
    """The points at which the rule is looked at."""
    status: RuleStatus
    """fired; ready (would fire, an earlier rule did); wrong_phase; cap_spent; condition_false; unknown (the recording does not tell)."""
    reason: str
    """Field, value and threshold, or the sentence that matched."""
    sent: int = 0
    """Nudges of this rule that were counted before this point."""
    cap: int | None = None
    """How many a turn may get; null where the cap was not asked for."""
    nudge: str | None = None
    """What it would have asked for; null unless its condition holds."""
    evidence: Mapping[str, Any] = Field(default_factory=dict)
    """What a person can look at: the sentence with its place in the text, the repeated calls, the reads."""


class RulePoint(Value):
    """One point of a turn at which rules are looked at: after a batch of tool calls, or after an answer."""

    point_index: int
    """Place among the points of its agent call, from 0."""
    phase: RulePhase
    """tools after a batch of tool calls, final after an answer."""
    step_id: str | None = None
    """The model call before it; null when calls were recorded without one."""
    call_index: int | None = None
    """Place in the conversation of the last call before it."""
    context: RuleContext
    """What was known here."""
    checks: tuple[RuleCheck, ...] = ()
    """Every rule, in the order in which they are asked."""

    @property
    def fired(self) -> RuleCheck | None:
        """The rule that fired here."""
        return next((check for check in self.checks if check.status == "fired"), None)


class RuleExplanation(Value):
    """Every rule at every point of a turn, with its status and the evidence."""

    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn."""
    agent_call_id: str
    """The agent call whose steps were looked at: the turn's id, or a sub-agent's call."""
    counting: Counting = "recorded"
    """recorded counts the nudges that were found; counterfactual also those that would have been sent."""
    points: tuple[RulePoint, ...] = ()
    """The points, in order."""
    assumed_tools: tuple[str, ...] = ()
    """Tools that the map of kinds does not know; they were taken to be of kind other."""
    undecided_messages: int = 0
    """Messages inside the turn that were taken for the user's because nothing marks them as a nudge."""
    language_covered: bool | None = None
    """Whether the last answer is in a language that the rules understand; null without an answer."""

    @property
    def hits(self) -> tuple[tuple[RulePoint, RuleCheck], ...]:
        """The points at which a rule fired, with the rule."""
        return tuple((point, fired) for point in self.points if (fired := point.fired) is not None)

    @property
    def ending(self) -> RuleCheck | None:
        """Why the last answer should not have been the end: the rule that fired, else one whose cap was spent; null when it ended by its own decision."""
        last = next((point for point in reversed(self.points) if point.phase == "final"), None)
        checks = last.checks if last else ()
        return next((check for status in ("fired", "cap_spent") for check in checks if check.status == status), None)


class RuleHit(Value):
    """A rule whose nudge was due at a point of a turn; a row of the `rule_hits` table.

    It says that a nudge was due, never how the model would have answered it.
    """

    rule_hit_id: str
    """Id of the hit: the same for the same recording and rules."""
    conversation_id: str
    """The conversation it belongs to."""
    turn_id: str
    """The turn."""
    agent_call_id: str
    """The agent call whose turn it was: the turn's id, or a sub-agent's call."""
    step_id: str | None = None
    """The model call before it; null when calls were recorded without one."""
    call_index: int | None = None
    """Place in the conversation of the last call before it."""
    point_index: int
    """Place among the points of its agent call, from 0."""
    last_point: bool = False
    """Whether it is the last point of its agent call."""
    rule: str
    """Code of the rule."""
    phase: RulePhase
    """tools after a batch of tool calls, final after an answer."""
    counting: Counting
    """recorded counts the nudges that were found; counterfactual also those that would have been sent."""
    nudge: str
    """The text that was due."""
    evidence: str
    """JSON object of what a person can look at: the sentence with its place, the repeated calls, the reads."""
