"""What an observation of Langfuse cost: its counts have many names, and leave out what is counted apart, or do not."""

from __future__ import annotations

from typing import Any

from agentnb.readers._fields import amount_in, count_in, dict_of
from agentnb.readers.dialects.any import parsed
from agentnb.readers.formats.langfuse._records import field

_INPUT = ("input", "input_tokens", "prompt_tokens", "promptTokens")
_OUTPUT = ("output", "output_tokens", "completion_tokens", "completionTokens")
_CACHED = ("input_cached_tokens", "input_cache_read", "cache_read_input_tokens", "prompt_details.cache_read", "prompt_details.cached_tokens", "cached_tokens")
_WRITTEN = ("input_cache_creation", "cache_creation_input_tokens", "prompt_details.cache_write", "prompt_details.cache_creation")
_REASONING = ("output_reasoning_tokens", "output_reasoning", "completion_details.reasoning", "completion_details.reasoning_tokens", "reasoning_tokens")


def usage_of(observation: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a model call that an observation tells."""
    told = parsed(field(observation, "usageDetails"))
    told = told if isinstance(told, dict) and told else parsed(observation.get("usage"))
    told = told if isinstance(told, dict) else {}
    given = {"input": _first(told, _INPUT), "output": _first(told, _OUTPUT)}
    cached, written, thought = _first(told, _CACHED), _first(told, _WRITTEN), _first(told, _REASONING)
    for name, older in (("input", ("inputUsage", "promptTokens")), ("output", ("outputUsage", "completionTokens"))):
        if given[name] is None:
            given[name] = next((count for count in (_counted(field(observation, field_name)) for field_name in older) if count), None)
    _add_apart(given, count_in(told.get("total")), (cached or 0) + (written or 0), thought or 0)
    found = {
        "input_tokens": given["input"],
        "output_tokens": given["output"],
        "cached_tokens": cached,
        "cache_write_tokens": written,
        "reasoning_tokens": thought,
        "cost": _cost(observation),
    }
    return {name: value for name, value in found.items() if value is not None}


def _add_apart(given: dict[str, int | None], total: int | None, cached: int, thought: int) -> None:
    """Add what was counted apart, where the total tells that it was."""
    if total is None or given["input"] is None or given["output"] is None:
        return
    missing = total - given["input"] - given["output"]
    if cached and missing in (cached, cached + thought):
        given["input"] += cached
    if thought and missing in (thought, cached + thought):
        given["output"] += thought


def _cost(observation: dict[str, Any]) -> float | None:
    """Return what it cost; a zero beside no details is no price."""
    details = dict_of(parsed(field(observation, "costDetails")))
    total = amount_in(details.get("total"))
    if total is not None:
        return total
    known = [amount_in(field(observation, name)) for name in ("totalCost", "calculatedTotalCost")]
    return next((cost for cost in known if cost), None)


def _first(told: dict[str, Any], names: tuple[str, ...]) -> int | None:
    return next((count for count in (count_in(_number(told.get(name))) for name in names) if count is not None), None)


def _number(value: Any) -> Any:
    """Return a count that an export wrote as a text or as a number with a point as a whole one."""
    if isinstance(value, str) and value.isdecimal() and len(value) < 19:
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _counted(value: Any) -> int | None:
    """Return a count of the older fields, in which zero stands for what is not known."""
    return count_in(value) or None
