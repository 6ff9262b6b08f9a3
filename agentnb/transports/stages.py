"""Which tools may a model choose from at a point of the conversation? Stages are projections of one catalog, checked and then frozen."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import ConfigDict
from pydantic.alias_generators import to_camel

from agentnb.errors import Issue, StageError, UnknownStage
from agentnb.transports.canonical import digest_of
from agentnb.transports.catalog import CatalogTool, ToolCatalog, described, is_id
from agentnb.values import Value

_WORDS: Final = {
    "empty_stages": "there is no stage",
    "bad_stage": "a stage is a Stage, or a mapping with id and tool_ids",
    "bad_stage_id": "an id is a text without control characters and without white space around it",
    "duplicate_stage": "ids of stages differ",
    "bad_tool_ids": "tool_ids is a list of ids",
    "empty_stage": "a stage offers at least one tool",
    "duplicate_stage_tool": "a stage offers a tool once",
    "unknown_tool": "a stage offers tools of its catalog",
}


class Stage(Value):
    """A point of a conversation at which some of the tools are offered."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)

    id: str
    """Its id."""
    tool_ids: tuple[str, ...]
    """Ids of the tools, in the order in which they are offered."""


StageSource: TypeAlias = Sequence[Stage | Mapping[str, Any]] | Callable[[], Iterable[Stage | Mapping[str, Any]]]
"""Stages, or a function that returns them whenever an interaction is prepared."""


class StageSnapshot(NamedTuple):
    """The stages as they were at one moment."""

    stages: tuple[Stage, ...]
    revision: int
    """1 for the first content, and one more whenever the content differed."""
    digest: str

    def stage(self, stage_id: str) -> Stage:
        """Return a stage.

        Raises:
            UnknownStage: there is none with this id.
        """
        for stage in self.stages:
            if stage.id == stage_id:
                return stage
        known = tuple(stage.id for stage in self.stages)
        raise UnknownStage(f"no stage has the id {stage_id!r}; there are {', '.join(known)}", known)


class StageSourceReader:
    """Takes snapshots of stages: of a list once, of a function each time, and counts how often the content changed."""

    def __init__(self, source: StageSource, catalog: ToolCatalog) -> None:
        self._source = source
        self._catalog = catalog
        self._latest: StageSnapshot | None = None
        if not callable(source):
            self.snapshot()

    def snapshot(self) -> StageSnapshot:
        """Return the stages as they are now.

        Raises:
            StageError: they are no valid stages; what was prepared before is untouched.
        """
        if self._latest is not None and not callable(self._source):
            return self._latest
        stages = read_stages(self._source() if callable(self._source) else self._source, self._catalog)
        digest = digest_of([[stage.id, list(stage.tool_ids)] for stage in stages])
        if self._latest is None or self._latest.digest != digest:
            self._latest = StageSnapshot(stages, self._latest.revision + 1 if self._latest is not None else 1, digest)
        return self._latest


class Projection:
    """One stage of a catalog: what is offered, and what else there would be."""

    def __init__(self, stage_id: str, tools: Sequence[CatalogTool], catalog: ToolCatalog) -> None:
        self.stage_id = stage_id
        self.catalog = catalog
        self.tools = tuple(tools)

    @cached_property
    def offered_names(self) -> frozenset[str]:
        """Names on the wire of the tools that are offered."""
        return frozenset(tool.wire_name for tool in self.tools)

    @cached_property
    def offered_ids(self) -> frozenset[str]:
        """Ids of the tools that are offered."""
        return frozenset(tool.id for tool in self.tools)

    def begins_a_name(self, text: str) -> bool:
        """Tell whether some tool of the catalog is called like this or longer."""
        return any(tool.wire_name.startswith(text) for tool in self.catalog)

    def begins_an_offered_name(self, text: str) -> bool:
        """Tell whether a tool that is offered has a longer name that begins like this."""
        return any(name != text and name.startswith(text) for name in self.offered_names)


class _Given(NamedTuple):
    """A stage as the caller defines it; nothing of it is checked yet."""

    id: Any
    tool_ids: Any


def read_stages(given: Any, catalog: ToolCatalog) -> tuple[Stage, ...]:
    """Copy and check stages.

    Args:
        given: stages, or mappings with `id` and `tool_ids`; camelCase is accepted.
        catalog: the tools they may offer.

    Raises:
        StageError: `issues` holds (code, position, value) of everything that is wrong.
    """
    if isinstance(given, (str, Mapping)) or not isinstance(given, Iterable):
        raise StageError("bad_stage", f"stages are a list, not {type(given).__name__}", (Issue("bad_stage", None, given),))
    items = list(given)
    issues = [] if items else [Issue("empty_stages", None, None)]
    seen: set[str] = set()
    stages: list[Stage] = []
    for at, item in enumerate(items):
        found = _read(item)
        if found is None:
            issues.append(Issue("bad_stage", at, item))
            continue
        wrong = [*_id_issues(found.id, at, seen), *_tool_issues(found.tool_ids, at, catalog)]
        issues += wrong
        if not wrong:
            stages.append(Stage(id=found.id, tool_ids=tuple(found.tool_ids)))
    if issues:
        raise StageError(issues[0].code, described(issues, _WORDS), tuple(issues))
    return tuple(stages)


def _read(item: Any) -> _Given | None:
    if isinstance(item, Stage):
        return _Given(item.id, item.tool_ids)
    return _Given(item.get("id"), item.get("tool_ids", item.get("toolIds"))) if isinstance(item, Mapping) else None


def _id_issues(own: Any, at: int, seen: set[str]) -> list[Issue]:
    if not is_id(own):
        return [Issue("bad_stage_id", at, own)]
    if own in seen:
        return [Issue("duplicate_stage", at, own)]
    seen.add(own)
    return []


def _tool_issues(tool_ids: Any, at: int, catalog: ToolCatalog) -> list[Issue]:
    if not isinstance(tool_ids, (list, tuple)):
        return [Issue("bad_tool_ids", at, tool_ids)]
    if not tool_ids:
        return [Issue("empty_stage", at, None)]
    unknown = [Issue("unknown_tool", at, own) for own in tool_ids if not isinstance(own, str) or own not in catalog]
    twice = [Issue("duplicate_stage_tool", at, own) for place, own in enumerate(tool_ids) if own in tool_ids[:place]]
    return [*unknown, *twice]
