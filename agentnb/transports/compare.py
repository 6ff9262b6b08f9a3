"""What do tools cost, stage by stage and adapter by adapter, and what would another one have said?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from agentnb.errors import SchemaBudgetExceeded
from agentnb.render import render_what_if
from agentnb.transports.canonical import char_count
from agentnb.transports.dialects import DIALECTS, wire_chars
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.tracing import what_if
from agentnb.transports.transports import SessionTransport, StageTransport

if TYPE_CHECKING:
    import pandas as pd


class StageDiff(NamedTuple):
    """What one stage offers and another does not."""

    lost: tuple[str, ...]
    """Tools of the first that the second does not offer, in the first one's order."""
    gained: tuple[str, ...]
    """Tools of the second that the first does not offer."""
    chars: int
    """Characters of schema by which the second is longer; negative when it is shorter."""


def compare_adapters(transport: StageTransport | SessionTransport, *, schema_budget: int | None = None, dialects: Iterable[str] = DIALECTS) -> pd.DataFrame:
    """Compare what each stage's tools cost under each adapter.

    Args:
        transport: a transport with stages.
        schema_budget: the budget to compare with; else the transport's own.
        dialects: providers for which the characters on the wire are counted.

    Returns:
        One row per stage and adapter, in their order: tools, schema_chars, instruction_chars, total_input_chars, budget_left (null without a budget, negative
        where it is exceeded), and `wire_chars` of each dialect (0 where tools are text). All counts are of characters (code points).
    """
    import pandas as pd

    budget = schema_budget if schema_budget is not None else transport.schema_budget
    names = list(dialects)
    prepared = [_unbounded(transport, stage, adapter) for stage in transport.stage_ids for adapter in transport.adapters.ids]
    return pd.DataFrame([_row(item, budget, names) for item in prepared])


def stage_matrix(transport: StageTransport | SessionTransport) -> pd.DataFrame:
    """Show which stage offers which tool.

    Returns:
        One row per tool of the catalog, in its order: `chars` of its function, and for each stage its place there from 1, null where it is not offered.
    """
    import pandas as pd

    places = {stage.id: {tool_id: at for at, tool_id in enumerate(stage.tool_ids, 1)} for stage in transport.stages}
    columns: dict[str, Any] = {"chars": [char_count(tool.function) for tool in transport.tools]}
    columns |= {stage: pd.array([found.get(tool_id) for tool_id in transport.tools.ids], dtype="Int64") for stage, found in places.items()}
    return pd.DataFrame(columns, index=pd.Index(transport.tools.ids, name="tool"))


def stage_diff(transport: StageTransport | SessionTransport, first: str, second: str, *, adapter: str | None = None) -> StageDiff:
    """Say what changes between two stages: tools lost and gained, and characters of schema."""
    before, after = (_unbounded(transport, stage, adapter or transport.adapter) for stage in (first, second))
    lost = tuple(tool_id for tool_id in before.tool_ids if tool_id not in after.tool_ids)
    gained = tuple(tool_id for tool_id in after.tool_ids if tool_id not in before.tool_ids)
    return StageDiff(lost, gained, after.schema_chars - before.schema_chars)


def what_if_grid(recordings: Mapping[str, Iterable[Any]], transport: StageTransport | SessionTransport, *, dialect: str | None = None) -> pd.DataFrame:
    """Follow several answers under every stage and adapter of a transport; no model is called.

    Args:
        recordings: the parts of each answer by its name, as `trace_selection` takes them.
        transport: a transport with stages.
        dialect: the dialect, when the parts are events as the provider sent them.

    Returns:
        One row per answer, in their order, and one column per stage and adapter: ok, or the code of what is wrong, with `(cut)` where the answer only
        stopped. In a notebook it shows itself with marks.
    """
    import pandas as pd

    answers = {name: list(parts) for name, parts in recordings.items()}
    cells = {
        (stage, adapter): [_cell(parts, transport, stage, adapter, dialect) for parts in answers.values()]
        for stage in transport.stage_ids
        for adapter in transport.adapters.ids
    }
    frame = pd.DataFrame(list(cells.values()), columns=pd.Index(list(answers), name="recording"))
    frame.index = pd.MultiIndex.from_tuples(list(cells), names=["stage", "adapter"])
    return _grid_type()(frame.T)


@cache
def _grid_type() -> type[pd.DataFrame]:
    """Return a data frame that shows itself with marks; what is made of it is a plain one."""
    import pandas as pd

    class WhatIfGrid(pd.DataFrame):
        """What each stage and adapter makes of answers."""

        def _repr_html_(self) -> str:
            rows = [(str(name), [str(word) for word in words]) for name, words in zip(self.index, self.to_numpy().tolist(), strict=True)]
            return render_what_if([(str(pair[0]), str(pair[1])) for pair in self.columns], rows)

    return WhatIfGrid


def _cell(parts: list[Any], transport: StageTransport | SessionTransport, stage: str, adapter: str, dialect: str | None) -> str:
    try:
        trace = what_if(parts, transport, stage=stage, adapter=adapter, dialect=dialect)
    except SchemaBudgetExceeded as error:
        return error.code
    return f"{trace.code} (cut)" if trace.outcome == "cut" else trace.code or "ok"


def _unbounded(transport: StageTransport | SessionTransport, stage: str, adapter: str) -> PreparedModelInteraction:
    """Prepare without regard to the budget: the comparison is about what does not fit, too."""
    try:
        return transport.prepare(stage, adapter=adapter)
    except SchemaBudgetExceeded as error:
        return transport.prepare(stage, adapter=adapter, schema_budget=error.chars)


def _row(prepared: PreparedModelInteraction, budget: int | None, dialects: list[str]) -> dict[str, Any]:
    return {
        "stage": prepared.stage,
        "adapter": prepared.adapter_id,
        "tools": len(prepared.tool_ids),
        "schema_chars": prepared.schema_chars,
        "instruction_chars": prepared.instruction_chars,
        "total_input_chars": prepared.total_input_chars,
        "budget_left": budget - prepared.schema_chars if budget is not None else None,
        **{f"wire_chars {dialect}": wire_chars(prepared, dialect) for dialect in dialects},
    }
