"""Which points of a conversation are asked about, and what is the right answer?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from pydantic import ConfigDict, Field, ValidationError

from agentnb.decisions._json import parse_json
from agentnb.decisions._text import trim
from agentnb.decisions.oracles import OracleResult
from agentnb.decisions.typed.cells import Label
from agentnb.errors import CaseError
from agentnb.values import Value

CONSTRUCTION: Final = "construction"
"""The source of labels that is taken by default."""


class _Foreign(Value):
    model_config = ConfigDict(extra="ignore")


class Agent(_Foreign):
    """An agent that may take the turn."""

    id: str
    """Its id."""
    name: str
    """Its name."""
    description: str | None = None
    """What it does."""


class HistoryRow(_Foreign):
    """One message before the point."""

    id: str
    """Its id."""
    role: Literal["User", "AI"]
    """Who said it."""
    message: str
    """What was said."""
    agent_id: str | None = None
    """The agent that said it."""
    agent_name: str | None = None
    """Name of that agent."""
    created_at: str | None = None
    """When."""
    status: str | None = None
    """What became of it."""


class ArtifactVersion(_Foreign):
    """One version of an artifact."""

    version_id: str = Field(alias="versionId")
    """Its id."""
    version_number: int = Field(alias="versionNumber")
    """Its number."""
    version_name: str | None = Field(default=None, alias="versionName")
    """Its name."""


class Artifact(_Foreign):
    """Something that was made in the conversation."""

    artifact_id: str = Field(alias="artifactId")
    """Its id."""
    artifact_name: str = Field(alias="artifactName")
    """Its name."""
    artifact_type: str = Field(alias="artifactType")
    """What it is."""
    versions: tuple[ArtifactVersion, ...] = ()
    """Its versions."""


class Point(_Foreign):
    """One point of a conversation; what was known only afterwards is dropped."""

    id: UUID
    """Its id."""
    source: str
    """Where it comes from."""
    conversation_id: UUID
    """The conversation it is a point of."""
    created_at: str
    """When the message was written."""
    latest_message: str
    """The message that is to be answered."""
    previous_agent: Agent
    """The agent that had the turn before."""
    history: tuple[HistoryRow, ...] = ()
    """What was said before."""
    artifacts: tuple[Artifact, ...] = ()
    """What was made before."""


class PointLabel(_Foreign):
    """The right answer to one point, by one source."""

    id: UUID
    """The point."""
    label: Label
    """continue, switch or ambiguous."""
    source: str = Field(default=CONSTRUCTION, min_length=1)
    """Who says so."""
    note: str | None = None
    """Why."""


class Joined(NamedTuple):
    """Points with their labels."""

    cases: tuple[tuple[Point, PointLabel], ...]
    """Points that have a label, in the order of the corpus."""
    unlabelled: tuple[str, ...]
    """Ids of points without one."""
    unknown: int
    """Labels that name no point."""


def read_points(text: str, *, name: str = "corpus.jsonl") -> tuple[Point, ...]:
    """Read points, one JSON object a line; blank lines are skipped.

    Args:
        text: the file's text.
        name: the file, for messages.

    Raises:
        CaseError: a line cannot be used, with file and line; nothing of the file is read then.
    """
    points: list[Point] = []
    lines: dict[UUID, int] = {}
    for number, value in _lines(text, name):
        point: Point = _validated(Point, value, f"{name}:{number}")
        if point.id in lines:
            raise CaseError(f"{name}:{number}: the point {point.id} is in line {lines[point.id]} already")
        lines[point.id] = number
        points.append(point)
    return tuple(points)


def read_labels(text: str, *, name: str = "labels.jsonl") -> tuple[PointLabel, ...]:
    """Read labels, one JSON object a line; the same label twice from one source is fine.

    Raises:
        CaseError: a line cannot be used, or two labels of one source differ; with file and lines.
    """
    labels: list[PointLabel] = []
    known: dict[tuple[UUID, str], tuple[int, str]] = {}
    for number, value in _lines(text, name):
        label: PointLabel = _validated(PointLabel, value, f"{name}:{number}")
        first, said = known.setdefault((label.id, label.source), (number, label.label))
        if said != label.label:
            raise CaseError(f"{name}:{number}: {label.source} calls the point {label.id} {label.label}, and in line {first} {said}")
        labels.append(label)
    return tuple(labels)


def join_labels(points: Sequence[Point], labels: Sequence[PointLabel], *, source: str = CONSTRUCTION) -> Joined:
    """Give each point the label of one source."""
    ours = {label.id: label for label in labels if label.source == source}
    known = {point.id for point in points}
    return Joined(
        cases=tuple((point, ours[point.id]) for point in points if point.id in ours),
        unlabelled=tuple(str(point.id) for point in points if point.id not in ours),
        unknown=sum(identity not in known for identity in ours),
    )


def asked_history(point: Point) -> tuple[HistoryRow, ...]:
    """Return the history that is asked with: without the message itself, by its id or as a last row that says the same."""
    rows = [row for row in point.history if row.id.lower() != str(point.id)]
    if rows and rows[-1].role == "User" and trim(rows[-1].message) == trim(point.latest_message):
        rows.pop()
    return tuple(rows)


def agent_of(identity: str, catalog: Mapping[str, Agent], point: Point) -> Agent | None:
    """Return an agent by its id: from the catalog, else from what the point itself says."""
    listed = {key.lower(): agent for key, agent in catalog.items()}.get(identity.lower())
    if listed is not None:
        return listed
    if point.previous_agent.id.lower() == identity.lower():
        return point.previous_agent
    row = next((row for row in point.history if row.agent_id and row.agent_id.lower() == identity.lower() and row.agent_name), None)
    return Agent(id=identity, name=row.agent_name or "") if row is not None else None


def match_label(probability: float | None, label: str, *, positive_label: str = "continue", threshold: float = 0.5) -> OracleResult:
    """Say whether an answer agrees with a label (`decision-label-match`); an ambiguous label gates nothing.

    Args:
        probability: of the positive label; null without an answer, which fails.
        label: the right answer.
        positive_label: the label that the probability is of.
        threshold: least probability with which the answer is positive.
    """
    kind = "decision-label-match"
    if label == "ambiguous":
        details = {"probability": probability, "label": label, "positive": None, "correct": None, "brier": None}
        return OracleResult(oracle_type=kind, passed=True, score=0.0, message="the label is ambiguous: advisory only", details=details)
    if probability is None:
        return OracleResult(oracle_type=kind, passed=False, score=0.0, message="there is no probability", details={"probability": None, "label": label})
    positive = label == positive_label
    correct = (probability >= threshold) == positive
    details = {
        "probability": probability, "label": label, "positive": int(positive), "correct": correct, "brier": (probability - positive) ** 2,
    }  # fmt: skip
    said = positive_label if probability >= threshold else f"not {positive_label}"
    return OracleResult(
        oracle_type=kind, passed=correct, score=float(correct), message=f"the answer is {said} ({probability:.3f}), the label {label}", details=details
    )


def _lines(text: str, name: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
        if not line.strip():
            continue
        parsed = parse_json(line)
        if parsed.error is not None:
            raise CaseError(f"{name}:{number}: not JSON: {parsed.error}")
        yield number, parsed.value


def _validated(kind: type[Any], value: Any, place: str) -> Any:
    try:
        # From JSON, so that ids and numbers are read as JSON has them.
        return kind.model_validate_json(json.dumps(value))
    except ValidationError as error:
        first, *others = error.errors(include_url=False)
        path = ".".join(str(part) for part in first["loc"]) or "the line"
        more = f" (and {len(others)} more)" if others else ""
        raise CaseError(f"{place}: {path}: {first['msg']}{more}") from None
