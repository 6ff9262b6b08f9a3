"""How are tools shown to a model, and in which form does it answer? Native functions, or JSON in text; both from the same definitions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, Protocol

from agentnb.errors import AdapterError
from agentnb.transports.bodies import EXTRACTIONS, Extraction
from agentnb.transports.canonical import canonical_json, char_count
from agentnb.transports.collector import Collector
from agentnb.transports.json_collector import JsonCollector
from agentnb.transports.native_collector import NativeCollector, OnInvalid, SessionCollector
from agentnb.transports.options import ModelOptions
from agentnb.transports.stages import Projection

NATIVE: Final = "native"
JSON: Final = "json"

_BEFORE: Final = """Reply with one JSON object and nothing else: no prose, no code fence.
The object has exactly two keys: "tool" (the id of one tool below) and "input" (an object that satisfies that tool's JSON Schema).
Tools, one JSON object per line:
"""
_AFTER: Final = """
Format: {"tool":"<id>","input":{}}"""


class AdapterOutput(NamedTuple):
    """What an adapter makes of a stage's tools."""

    options: ModelOptions
    schema_chars: int
    """Characters that the compiled schemas add to the input."""
    by_tool: dict[str, int]
    """Characters of each tool's own, by id."""
    instruction: str | None
    """Text that teaches the form of the answer; None for a native form."""
    create_response: Callable[[], Collector]
    """Makes a new collector."""


class Adapter(Protocol):
    """Compiles a projection; an adapter of your own has an id and this method."""

    @property
    def id(self) -> str:
        """Its id, by which transports name it."""

    def prepare(self, projection: Projection) -> AdapterOutput:
        """Compile the tools that are offered."""


class NativeAdapter:
    """Offers tools as functions and wants one call."""

    id = NATIVE

    def __init__(self, *, strict_prose: bool = False) -> None:
        """Choose whether prose beside the call is an error."""
        self._strict_prose = strict_prose

    def prepare(self, projection: Projection) -> AdapterOutput:
        """Compile functions, of which exactly one has to be called."""
        strict = self._strict_prose
        return _offered(projection, "required", lambda: NativeCollector(projection, strict_prose=strict), parallel=False)


class SessionAdapter:
    """Offers tools as functions and takes prose and any number of calls; the adapter of sessions."""

    id = NATIVE

    def __init__(self, *, on_invalid: OnInvalid = "raise") -> None:
        """Choose whether a call that is no valid selection raises, or is collected beside the others."""
        if on_invalid not in ("raise", "collect"):
            raise AdapterError("bad_option", f"on_invalid is raise or collect, not {on_invalid!r}")
        self._on_invalid = on_invalid

    def prepare(self, projection: Projection) -> AdapterOutput:
        """Compile functions, of which any number may be called."""
        kept = self._on_invalid
        return _offered(projection, "auto", lambda: SessionCollector(projection, on_invalid=kept), parallel=True)


class JsonAdapter:
    """Teaches the tools in text and wants one JSON object.

    Tools are named by id: no provider's rule for names applies to text. The schema budget is charged the lines of tools alone, which hold what native functions
    hold; the teaching text around them is the same for any tools, and counts as instruction.
    """

    id = JSON

    def __init__(self, *, extraction: Extraction = "fenced") -> None:
        """Choose where in the text the object may stand: strict, fenced or embedded."""
        if extraction not in EXTRACTIONS:
            raise AdapterError("bad_option", f"extraction is one of {', '.join(EXTRACTIONS)}, not {extraction!r}")
        self._extraction = extraction

    def prepare(self, projection: Projection) -> AdapterOutput:
        """Write the tools into an instruction."""
        lines = {tool.id: canonical_json({"id": tool.id, "description": tool.description, "input": tool.json_schema}) for tool in projection.tools}
        block = "\n".join(lines.values())
        extraction = self._extraction
        return AdapterOutput(
            options=ModelOptions(json=True),
            schema_chars=len(block),
            by_tool={tool_id: len(line) for tool_id, line in lines.items()},
            instruction=f"{_BEFORE}{block}{_AFTER}",
            create_response=lambda: JsonCollector(projection, extraction=extraction),
        )


class AdapterCatalog:
    """Adapters by id. A transport names the one it uses; nothing falls back from one to another."""

    def __init__(self, adapters: Iterable[Adapter]) -> None:
        """Register adapters.

        Raises:
            AdapterError: two have one id.
        """
        self._adapters: dict[str, Adapter] = {}
        for adapter in adapters:
            if adapter.id in self._adapters:
                raise AdapterError("duplicate_adapter", f"two adapters have the id {adapter.id!r}")
            self._adapters[adapter.id] = adapter

    @property
    def ids(self) -> tuple[str, ...]:
        """Ids, in order."""
        return tuple(self._adapters)

    def get(self, adapter_id: str) -> Adapter:
        """Return an adapter.

        Raises:
            AdapterError: there is none with this id.
        """
        found = self._adapters.get(adapter_id)
        if found is None:
            raise AdapterError("unknown_adapter", f"no adapter has the id {adapter_id!r}; there are {', '.join(self._adapters)}")
        return found


def checked(adapter_id: str, output: Any) -> AdapterOutput:
    """Check what an adapter made, which may be anybody's.

    Raises:
        AdapterError: it contradicts itself.
    """
    if not isinstance(output, AdapterOutput):
        raise AdapterError("bad_adapter_output", f"adapter {adapter_id!r} returns an AdapterOutput, not {type(output).__name__}")
    native = bool(output.options.functions)
    if type(output.schema_chars) is not int or output.schema_chars < 0:
        raise AdapterError("bad_adapter_output", f"schema_chars of adapter {adapter_id!r} is a count, not {output.schema_chars!r}")
    if native == bool(output.instruction):
        told = "both functions and an instruction" if native else "neither functions nor an instruction"
        raise AdapterError("bad_adapter_output", f"adapter {adapter_id!r} gives {told}; a native form has functions, any other an instruction")
    return output


def _offered(projection: Projection, choice: str, create: Callable[[], Collector], *, parallel: bool) -> AdapterOutput:
    functions = tuple(tool.function for tool in projection.tools)
    return AdapterOutput(
        options=ModelOptions(functions=functions, tool_choice=choice, parallel_tool_calls=parallel),
        schema_chars=char_count(list(functions)),
        by_tool={tool.id: char_count(tool.function) for tool in projection.tools},
        instruction=None,
        create_response=create,
    )
