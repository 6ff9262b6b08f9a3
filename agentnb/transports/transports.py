"""From tools and a stage to a prepared interaction: transports of one selection, of a session, and of text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agentnb.errors import AdapterError, SchemaBudgetExceeded
from agentnb.transports.adapters import NATIVE, AdapterCatalog, JsonAdapter, NativeAdapter, SessionAdapter, checked
from agentnb.transports.catalog import ToolCatalog, sealed_catalog
from agentnb.transports.interaction import PreparedModelInteraction, Resolving
from agentnb.transports.json_collector import TextCollector
from agentnb.transports.native_collector import OnInvalid
from agentnb.transports.options import ModelOptions, own_options
from agentnb.transports.resolving import OnError, all_results, one_result, text_result
from agentnb.transports.stages import Projection, Stage, StageSource, StageSourceReader

TEXT: Final = "text"
SESSION: Final = "session"
"""Id of the one stage that a session has unless it is given others."""


class _Staged:
    """What transports with stages share."""

    def __init__(self, id: str, tools: ToolCatalog, stages: StageSource, *, schema_budget: int | None, options: Mapping[str, Any] | None) -> None:
        self.id = id
        self.schema_budget = schema_budget
        self.tools = sealed_catalog(tools)
        self._stages = StageSourceReader(stages, self.tools)
        self._options = own_options(options)

    @property
    def stage_ids(self) -> tuple[str, ...]:
        """Ids of the stages as they are now, in order."""
        return tuple(stage.id for stage in self._stages.snapshot().stages)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages as they are now."""
        return self._stages.snapshot().stages

    @property
    def unused_tool_ids(self) -> tuple[str, ...]:
        """Tools that no stage offers, which is allowed."""
        used = {tool_id for stage in self.stages for tool_id in stage.tool_ids}
        return tuple(tool_id for tool_id in self.tools.ids if tool_id not in used)

    def _prepared(self, stage_id: str, adapter_id: str, adapters: AdapterCatalog, budget: int | None) -> PreparedModelInteraction:
        snapshot = self._stages.snapshot()
        stage = snapshot.stage(stage_id)
        projection = Projection(stage.id, [self.tools[tool_id] for tool_id in stage.tool_ids], self.tools)
        output = checked(adapter_id, adapters.get(adapter_id).prepare(projection))
        allowed = budget if budget is not None else self.schema_budget
        if allowed is not None and output.schema_chars > allowed:
            raise SchemaBudgetExceeded(stage.id, adapter_id, output.schema_chars, allowed, output.by_tool)
        return PreparedModelInteraction(
            options=output.options,
            schema_chars=output.schema_chars,
            instruction=output.instruction,
            stage=stage.id,
            transport_id=self.id,
            adapter_id=adapter_id,
            tool_ids=stage.tool_ids,
            schema_chars_by_tool=output.by_tool,
            catalog_digest=self.tools.digest,
            stage_digest=snapshot.digest,
            own_options=self._options,
            tool_names=self.tools.tool_names,
            make_collector=output.create_response,
            resolving=self._resolving(projection),
        )

    def _resolving(self, projection: Projection) -> Resolving:
        return one_result(projection)


class StageTransport(_Staged):
    """Wants one selection of a stage's tools from each answer.

    Example:
        transport = anb.StageTransport("support", tools=catalog, stages=[{"id": "greet", "tool_ids": ["greet", "status"]}])
        transport.prepare("greet").schema_chars
    """

    def __init__(
        self,
        id: str,
        *,
        tools: ToolCatalog,
        stages: StageSource,
        adapter: str = NATIVE,
        adapters: AdapterCatalog | None = None,
        schema_budget: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the transport.

        Args:
            id: its id.
            tools: the catalog that `define_model_tools` made.
            stages: stages, as `Stage` values or mappings with `id` and `tool_ids`; or a function that returns them, asked at each `prepare`.
            adapter: id of the adapter that is used unless another is named.
            adapters: the adapters that there are; native and json unless given.
            schema_budget: characters that the schemas of a stage may take; None for no limit.
            options: options of the model that no tool decides, such as temperature.

        Raises:
            CatalogError: the tools are no sealed catalog.
            StageError: the stages are not valid; a function is only asked when an interaction is prepared.
            AdapterError: there is no such adapter, or an option is reserved.
        """
        super().__init__(id, tools, stages, schema_budget=schema_budget, options=options)
        self.adapters = adapters if adapters is not None else AdapterCatalog([NativeAdapter(), JsonAdapter()])
        self.adapter = self.adapters.get(adapter).id

    def prepare(self, stage_id: str, *, adapter: str | None = None, schema_budget: int | None = None) -> PreparedModelInteraction:
        """Compile a stage.

        Args:
            stage_id: the stage.
            adapter: another adapter than the transport's own.
            schema_budget: another budget than the transport's own.

        Raises:
            UnknownStage: there is no such stage.
            AdapterError: there is no such adapter.
            SchemaBudgetExceeded: the schemas are longer than the budget.
        """
        return self._prepared(stage_id, adapter if adapter is not None else self.adapter, self.adapters, schema_budget)


class SessionTransport(_Staged):
    """Takes prose and any number of calls from each answer; native calls only.

    Example:
        session = anb.SessionTransport("chat", tools=catalog)
        session.prepare().options.tool_choice  # "auto"
    """

    def __init__(
        self,
        id: str,
        *,
        tools: ToolCatalog,
        tool_ids: Sequence[str] | None = None,
        stages: StageSource | None = None,
        on_invalid: OnInvalid = "raise",
        on_error: OnError = "raise",
        schema_budget: int | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """Make the transport.

        Args:
            id: its id.
            tools: the catalog that `define_model_tools` made.
            tool_ids: tools of its one stage, `session`; all of the catalog unless given.
            stages: stages instead of that one.
            on_invalid: raise at a call that is no valid selection, or collect it in `rejected`, for the model to read.
            on_error: raise when a tool fails, or collect the error as that call's result.
            schema_budget: characters that the schemas of a stage may take; None for no limit.
            options: options of the model that no tool decides, such as temperature.
        """
        if tool_ids is not None and stages is not None:
            raise TypeError("a session has either tool_ids or stages, not both")
        catalog = sealed_catalog(tools)
        one_stage = [{"id": SESSION, "tool_ids": list(tool_ids) if tool_ids is not None else list(catalog.ids)}]
        super().__init__(id, catalog, stages if stages is not None else one_stage, schema_budget=schema_budget, options=options)
        self.adapter = NATIVE
        self.adapters = AdapterCatalog([SessionAdapter(on_invalid=on_invalid)])
        self._on_error: OnError = on_error

    def prepare(self, stage_id: str = SESSION, *, adapter: str | None = None, schema_budget: int | None = None) -> PreparedModelInteraction:
        """Compile a stage; the one of the session unless another is named.

        Raises:
            AdapterError: with the code adapter_not_supported, for any adapter but the native one.
            UnknownStage: there is no such stage.
            SchemaBudgetExceeded: the schemas are longer than the budget.
        """
        if adapter not in (None, NATIVE):
            raise AdapterError("adapter_not_supported", f"a session takes native calls; there is no adapter {adapter!r} for it")
        return self._prepared(stage_id, NATIVE, self.adapters, schema_budget)

    def _resolving(self, projection: Projection) -> Resolving:
        return all_results(projection, self._on_error)


class TextTransport:
    """Wants plain text; `text_transport` makes it."""

    def __init__(self, id: str, *, options: Mapping[str, Any] | None = None, allow_empty: bool = False) -> None:
        self.id = id
        self._options = own_options(options)
        self._allow_empty = allow_empty

    def prepare(self) -> PreparedModelInteraction:
        """Prepare an answer of plain text; there is no stage."""
        allow_empty = self._allow_empty
        return PreparedModelInteraction(
            options=ModelOptions(),
            schema_chars=0,
            transport_id=self.id,
            adapter_id=TEXT,
            own_options=self._options,
            make_collector=lambda: TextCollector(allow_empty=allow_empty),
            resolving=text_result(),
        )


def text_transport(id: str, options: Mapping[str, Any] | None = None, *, allow_empty: bool = False) -> TextTransport:
    """Make a transport of plain text.

    Args:
        id: its id.
        options: options of the model, such as temperature; none of those that tools decide.
        allow_empty: whether an answer without text is valid.

    Raises:
        AdapterError: with the code reserved_option.

    Example:
        await anb.ModelRunner(provider, [text := anb.text_transport("answer")]).invoke(input="Hello", transport=text)
    """
    return TextTransport(id, options=options, allow_empty=allow_empty)


Transport = StageTransport | SessionTransport | TextTransport
