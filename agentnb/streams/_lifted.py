"""What the lifters share: values of an event, looked at before they are believed."""

from __future__ import annotations

import json
from typing import Any

from agentnb.values.model_parts import ErrorPart


def text_in(value: Any, name: str) -> str | None:
    """Return a text that is not empty; None for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, str) and found else None


def index_in(value: Any, name: str = "index") -> int | None:
    """Return a number of a call; None for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if type(found) is int else None


def object_in(value: Any, name: str) -> dict[str, Any]:
    """Return an object; an empty one for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_in(value: Any, name: str) -> list[Any]:
    """Return a list; an empty one for anything else."""
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def error_part(error: Any) -> ErrorPart:
    """Make a part of an error: its type or code, and its message."""
    if not isinstance(error, dict):
        return ErrorPart(message=error if isinstance(error, str) else json.dumps(error, default=str))
    word = next((str(error[name]) for name in ("type", "code", "status") if error.get(name)), "")
    message = text_in(error, "message") or ""
    return ErrorPart(message=f"{word}: {message}" if word and message else word or message or "the provider gave no reason")
