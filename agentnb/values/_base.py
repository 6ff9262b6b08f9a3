"""What all recorded values share: frozen, exact about their fields, one sentence of documentation under each."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A piece of a recording: never changes, knows its fields, and compares by what it holds.

    The docstring under a field is its description, in `model_json_schema()` as well as in the column comment of the table that holds it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Show what is known: fields that are null or empty say nothing and are left out of the repr."""
        return [(name, value) for name, value in super().__repr_args__() if value not in (None, (), {}, "")]
