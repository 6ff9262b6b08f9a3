"""Codex: what a turn used, in `codex.turn.token_usage.*`; what was said in it stands in its own logs only."""

from __future__ import annotations

from typing import Any

from agentnb.readers.formats.otel._genai import usage_in
from agentnb.readers.formats.otel._record import Record

_PREFIX = "codex.turn.token_usage."
_USAGE: dict[str, tuple[str, ...]] = {
    "input_tokens": (f"{_PREFIX}input_tokens",),
    "output_tokens": (f"{_PREFIX}output_tokens",),
    "cached_tokens": (f"{_PREFIX}cached_input_tokens",),
    "cache_write_tokens": (f"{_PREFIX}cache_write_input_tokens",),
    "reasoning_tokens": (f"{_PREFIX}reasoning_output_tokens",),
}


def read(record: Record) -> dict[str, Any]:
    """Return the fields of a span that this convention tells."""
    if not record.has(_PREFIX):
        return {}
    return {"kind": "model", "name": record.take_text("model"), "usage": usage_in(record, _USAGE, ())}
