"""TOOLS AND A STAGE -> A PREPARED MODEL INTERACTION: catalogs, adapters, collectors, runners; and, for an answer that came, where its selection broke.

The members of a prepared interaction, of a collector and of a selection, and how tools, stages and transports are made, follow the published contract of
@jangts/agent-core's model transports, in snake_case; what that leaves open is our own design.
"""

from __future__ import annotations

from agentnb.streams.parts import LIFTED, LiftedPart, lift_events, lift_parts, split_answers
from agentnb.transports.adapters import Adapter, AdapterCatalog, AdapterOutput, JsonAdapter, NativeAdapter
from agentnb.transports.canonical import canonical_json, char_count
from agentnb.transports.catalog import CatalogTool, ToolCatalog, define_model_tools
from agentnb.transports.collector import Collector, StepVerdict
from agentnb.transports.columns import MODEL_PARTS, MODEL_SELECTIONS, TracedResponse, model_part_columns, model_selection_columns
from agentnb.transports.compare import StageDiff, compare_adapters, stage_diff, stage_matrix, what_if_grid
from agentnb.transports.dialects import DIALECTS, Lowered, lower_options, wire_chars
from agentnb.transports.interaction import PreparedModelInteraction
from agentnb.transports.json_collector import JsonCollector, TextCollector
from agentnb.transports.native_collector import NativeCollector, SessionCollector
from agentnb.transports.options import ModelOptions
from agentnb.transports.providers import AnthropicProvider, OpenAIProvider, RecordedProvider, ScriptedProvider
from agentnb.transports.raw_turns import to_raw_turn
from agentnb.transports.recordings import RecordedStream, StreamHeader, read_stream, write_stream
from agentnb.transports.resolving import FailedTool
from agentnb.transports.runner import ModelRequest, ModelRun, ModelRunner, Provider, collect
from agentnb.transports.scanner import JsonReading, JsonScanner, classify
from agentnb.transports.stages import Stage, StageSnapshot
from agentnb.transports.tracing import ReplayFrames, prepare, replay_frames, trace_selection, what_if
from agentnb.transports.transports import SessionTransport, StageTransport, TextTransport, Transport, text_transport
from agentnb.transports.wire_names import wire_names
from agentnb.values.model_parts import CallEndPart, CallPart, ErrorPart, FinishPart, ModelPart, ReasoningPart, RefusalPart, TextPart, UsagePart, read_part
from agentnb.values.model_selections import (
    ModelSelection,
    RejectedCall,
    ReplayFrame,
    SelectedCall,
    SelectionFailure,
    SessionReply,
    StreamNote,
    Trace,
    TraceStep,
)
from agentnb.values.tools import Schema, Tool, ToolContext, schema_from_model, tool

__all__ = [
    "DIALECTS",
    "LIFTED",
    "MODEL_PARTS",
    "MODEL_SELECTIONS",
    "Adapter",
    "AdapterCatalog",
    "AdapterOutput",
    "AnthropicProvider",
    "CallEndPart",
    "CallPart",
    "CatalogTool",
    "Collector",
    "ErrorPart",
    "FailedTool",
    "FinishPart",
    "JsonAdapter",
    "JsonCollector",
    "JsonReading",
    "JsonScanner",
    "LiftedPart",
    "Lowered",
    "ModelOptions",
    "ModelPart",
    "ModelRequest",
    "ModelRun",
    "ModelRunner",
    "ModelSelection",
    "NativeAdapter",
    "NativeCollector",
    "OpenAIProvider",
    "PreparedModelInteraction",
    "Provider",
    "ReasoningPart",
    "RecordedProvider",
    "RecordedStream",
    "RefusalPart",
    "RejectedCall",
    "ReplayFrame",
    "ReplayFrames",
    "Schema",
    "ScriptedProvider",
    "SelectedCall",
    "SelectionFailure",
    "SessionCollector",
    "SessionReply",
    "SessionTransport",
    "Stage",
    "StageDiff",
    "StageSnapshot",
    "StageTransport",
    "StepVerdict",
    "StreamHeader",
    "StreamNote",
    "TextCollector",
    "TextPart",
    "TextTransport",
    "Tool",
    "ToolCatalog",
    "ToolContext",
    "Trace",
    "TraceStep",
    "TracedResponse",
    "Transport",
    "UsagePart",
    "canonical_json",
    "char_count",
    "classify",
    "collect",
    "compare_adapters",
    "define_model_tools",
    "lift_events",
    "lift_parts",
    "lower_options",
    "model_part_columns",
    "model_selection_columns",
    "prepare",
    "read_part",
    "read_stream",
    "replay_frames",
    "schema_from_model",
    "split_answers",
    "stage_diff",
    "stage_matrix",
    "text_transport",
    "to_raw_turn",
    "tool",
    "trace_selection",
    "what_if",
    "what_if_grid",
    "wire_chars",
    "wire_names",
    "write_stream",
]
