"""What is sent to a model at one stage, and what is done with its answer: the prepared interaction that every transport gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from agentnb.transports.collector import Collector
from agentnb.transports.options import ModelOptions


class Resolving(NamedTuple):
    """How a selection becomes a result: at once or awaitable, and always awaited."""

    at_once: Callable[[Any, str | None], Any]
    awaited: Callable[[Any, str | None], Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class PreparedModelInteraction:
    """One stage, compiled: options for the provider, a collector for each answer, and a way from the selection to a result.

    What it was prepared from cannot change it any more. Published contract: the first five members; the others are for looking at it.
    """

    options: ModelOptions
    """What the stage's tools make of the model's options."""
    schema_chars: int
    """Characters that the compiled schemas add to the input; a schema budget is charged this."""
    instruction: str | None = None
    """Text that teaches the form of the answer; None for a native form."""
    stage: str | None = None
    """The stage; None for a transport without stages."""
    transport_id: str
    """The transport."""
    adapter_id: str
    """The adapter: native, json, text, or the id of your own."""
    tool_ids: tuple[str, ...] = ()
    """Tools that are offered, in order."""
    schema_chars_by_tool: Mapping[str, int] = field(default_factory=dict)
    """Characters of each tool's own, by id; what separates them is in none."""
    catalog_digest: str | None = None
    """Digest of the tools that were defined."""
    stage_digest: str | None = None
    """Digest of the stages."""
    own_options: Mapping[str, Any] = field(default_factory=dict)
    """The transport's own options, such as temperature."""
    tool_names: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names on the wire to ids, of all tools of the catalog."""
    make_collector: Callable[[], Collector] = field(repr=False, compare=False)
    """Makes a new collector."""
    resolving: Resolving = field(repr=False, compare=False)
    """Makes results."""

    @property
    def instruction_chars(self) -> int:
        """Characters of the instruction, its schemas included; 0 without one."""
        return len(self.instruction) if self.instruction is not None else 0

    @property
    def total_input_chars(self) -> int:
        """Characters that the tools cost in all: their schemas, and what teaches them."""
        return self.instruction_chars or self.schema_chars

    @property
    def all_options(self) -> dict[str, Any]:
        """The transport's own options, and those of the tools."""
        return {**self.own_options, **self.options.to_dict()}

    def create_response(self) -> Collector:
        """Return a new collector, for one answer."""
        return self.make_collector()

    def resolve(self, selection: Any, stage: str | None = None) -> Any:
        """Turn a selection into a result: parse its input, and call the tool.

        Args:
            selection: what `finish` of a collector returned.
            stage: the stage that the caller is in; it must be the one that was prepared.

        Returns:
            What the tool returns; an awaitable is returned as it is.

        Raises:
            ResolveError: the stage is another one (stage_mismatch), the tool is not offered (tool_not_in_stage), or its parser refused (input_rejected).
        """
        return self.resolving.at_once(selection, stage)

    async def aresolve(self, selection: Any, stage: str | None = None) -> Any:
        """Turn a selection into a result, and wait for it."""
        return await self.resolving.awaited(selection, stage)
