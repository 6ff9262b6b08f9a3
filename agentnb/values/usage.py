"""How many tokens a call cost."""

from __future__ import annotations

from agentnb.values._base import Value


class Usage(Value):
    """Tokens of one model call, or of several added up; null means that the recording does not tell."""

    input_tokens: int | None = None
    """Tokens sent, with what was read from and written to the cache."""
    output_tokens: int | None = None
    """Tokens received, with reasoning."""
    cached_tokens: int | None = None
    """Input tokens read from the cache; part of input_tokens."""
    cache_write_tokens: int | None = None
    """Input tokens written to the cache; part of input_tokens."""
    reasoning_tokens: int | None = None
    """Output tokens spent on reasoning; part of output_tokens."""
    cost: float | None = None
    """Price in US dollars as the recording gives it; never computed."""

    @property
    def total_tokens(self) -> int | None:
        """Input and output tokens together; null when neither is known."""
        if self.input_tokens is None and self.output_tokens is None:
            return None
        return (self.input_tokens or 0) + (self.output_tokens or 0)

    def __add__(self, other: Usage) -> Usage:
        """Add what is known; a count that neither side knows stays null."""
        pairs = {name: (getattr(self, name), getattr(other, name)) for name in type(self).model_fields}
        return Usage.model_validate({name: _added(*pair) for name, pair in pairs.items()})


def _added(left: float | None, right: float | None) -> float | None:
    if left is None or right is None:
        return right if left is None else left
    return left + right
