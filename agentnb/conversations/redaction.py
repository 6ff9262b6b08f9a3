"""Which values of a call are written down, and what its record keeps when not all are? After section 11.1 of FunctAI's conversations.

Several layers may object to a field: the program's own setting, blocks around it, the process, the environment. One objection drops it; nothing brings it back.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any, Final, NamedTuple

from agentnb.errors import SettingError
from agentnb.streams._lifted import list_in
from agentnb.streams.event_forms import Content

LogContent = bool | Mapping[str, bool] | None
"""What a layer says: nothing against any field, everything is dropped, or which fields are and which are not, with * for those that are not named."""
ENVIRONMENT: Final = "FUNCTAI_LOG_CONTENT"
"""The variable of the environment whose value `content_of` takes."""
_OFF: Final = frozenset({"0", "false", "no", "off"})
# What stands in a record whatever a program keeps out: who, when, how long, how much.
_CALL: Final = frozenset(
    {"functai_call", "id", "parent", "root", "program", "started", "seconds", "content", "omitted", "inputs", "outputs", "probabilities", "sizes", "described"}
    | {"error", "model", "usage", "confidence", "escalated", "exchanges", "saw", "invocation", "conversation", "writer", "changes", "replayable", "journal"}
    | {"caller", "process", "truncated"}
)
_BY_FIELD: Final = ("inputs", "outputs", "probabilities", "described")
_EXCHANGE: Final = frozenset({"model", "provider", "started", "seconds", "cached", "finish", "usage", "error", "streamed", "first_delta"})
_CHANGE: Final = frozenset({"plugin", "version", "hook"})


class Fields(NamedTuple):
    """The fields of a program's calls."""

    inputs: tuple[str, ...]
    """What it takes."""
    outputs: tuple[str, ...]
    """What it answers, with what is added to that."""
    added: tuple[str, ...] = ()
    """Outputs that its author did not declare: reasoning, calls. They can quote any other field."""


def check_log_content(value: Any, *, fields: Fields | None = None) -> LogContent:
    """Return what a layer says about content, as given.

    Args:
        value: None, True, False, or an object of names and booleans.
        fields: of the program whose own setting it is; such a setting names no field that there is not, since that one would be written otherwise.

    Raises:
        SettingError: with the code log-content-field and the `field` that cannot be named, or log-content.
    """
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, Mapping):
        raise SettingError("log-content", f"log_content={value!r:.120} is no setting; use True, False, or names with True or False")
    for name, written in value.items():
        if not isinstance(name, str) or not (name == "*" or name.isidentifier()):
            raise SettingError("log-content-field", f"log_content names {name!r:.120}, which is neither the name of a field nor *", field=str(name))
        if not isinstance(written, bool):
            raise SettingError("log-content", f"log_content says {written!r:.120} about {name}; use True or False", field=name)
        if fields is not None and name != "*" and name not in (*fields.inputs, *fields.outputs):
            known = ", ".join((*fields.inputs, *fields.outputs))
            raise SettingError("log-content-field", f"log_content names {name}, which is no field of the program; it has {known}", field=name)
    return value


def content_of(fields: Fields, layers: Iterable[LogContent] = (), *, environment: str | None = None) -> Content:
    """Return which fields of a call are written down.

    Args:
        fields: of the program.
        layers: what the program, blocks and the process say, in any order.
        environment: the value of FUNCTAI_LOG_CONTENT; 0, false, no and off drop everything, whatever else is said.
    """
    spoken = [*layers, (environment or "").strip().lower() not in _OFF]
    dropped = {name for name in (*fields.inputs, *fields.outputs) if any(_drops(layer, name) for layer in spoken)}
    if dropped - set(fields.added):
        dropped |= set(fields.added)
    kept_inputs, omitted_inputs = _parted(fields.inputs, dropped)
    kept_outputs, omitted_outputs = _parted(fields.outputs, dropped)
    return Content(kept_inputs, kept_outputs, omitted_inputs, omitted_outputs, whole=not dropped)


def redact_call(record: Mapping[str, Any], content: Content) -> dict[str, Any]:
    """Return the record of a call as it is written.

    Args:
        record: of format 2, with everything.
        content: which fields are written; when that is all of them, so is the record.

    Returns:
        Sizes, times, tokens and ids stay. Values of dropped fields go, and with them what can quote them: what the code returned, steps, sections, requests
        and replies with their digests, and what an error says beside its type and code.
    """
    if content.whole:
        return dict(record)
    kept = {name: value for name, value in record.items() if name in _CALL} | {"content": False, "omitted": content.omitted}
    kept["error"] = _error(record.get("error"))
    kept["exchanges"] = [_exchange(exchange) for exchange in list_in(record, "exchanges")]
    if "changes" in record:
        changes = [change for change in list_in(record, "changes") if isinstance(change, dict)]
        kept["changes"] = [{name: value for name, value in change.items() if name in _CHANGE} for change in changes]
    kept |= {name: _by_field(name, record[name], content) for name in _BY_FIELD if record.get(name) is not None}
    return {name: value for name, value in kept.items() if not (name in _BY_FIELD and value == {} != record[name])}


def _drops(layer: LogContent, name: str) -> bool:
    return not layer.get(name, layer.get("*", True)) if isinstance(layer, Mapping) else layer is False


def _parted(names: tuple[str, ...], dropped: Collection[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(name for name in names if name not in dropped), tuple(name for name in names if name in dropped)


def _by_field(name: str, values: Any, content: Content) -> dict[str, Any]:
    """Return what a part of a record says field by field, of the fields that are written."""
    if name == "described":
        sides = {"inputs": content.inputs, "outputs": content.outputs}
        described = {side: [field for field in list_in(values, side) if field in written] for side, written in sides.items()}
        return described if any(described.values()) else {}
    written = content.inputs if name == "inputs" else content.outputs
    return {field: value for field, value in values.items() if field in written} if isinstance(values, dict) else {}


def _error(error: Any) -> dict[str, Any] | None:
    return {name: error[name] for name in ("type", "code") if name in error} if isinstance(error, dict) else None


def _exchange(exchange: Any) -> dict[str, Any]:
    kept = {name: value for name, value in exchange.items() if name in _EXCHANGE} if isinstance(exchange, dict) else {}
    return {**kept, "error": _error(kept["error"])} if "error" in kept else kept
