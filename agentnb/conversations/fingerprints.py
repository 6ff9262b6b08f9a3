"""Is it the same program? Three digests: of everything that is sent (version), of the fields (signature), and of what is declared (interface)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

from agentnb.conversations.canonical import sha256_of
from agentnb.conversations.fields import Interface
from agentnb.values.tools import Tool

LAYOUT: Final = 1
"""Counts up when what a model is sent for the same program changes."""


def program_version(interface: Interface, tools: Iterable[Tool]) -> str:
    """Return the version of an AI function: instruction, fields, tools and the way they are laid out; neither model nor sampling."""
    told = [{"name": item.name, "description": item.description, "schema": item.input_schema.json_schema, "effects": item.effects} for item in tools]
    return sha256_of({"layout": LAYOUT, "instruction": interface.description, "fields": _fields(interface), "tools": told})


def module_version(function: Callable[..., Any], interface: Interface) -> str:
    """Return the version of a module: its code and its interface."""
    return sha256_of({"code": _code_of(function), "fields": _fields(interface)})


def program_signature(interface: Interface, *, with_tools: bool) -> str:
    """Return the signature of an AI function: its fields, and whether it may call tools."""
    return sha256_of({"fields": _fields(interface), "tools": with_tools})


def interface_digest(interface: Interface) -> str:
    """Return the digest of what is declared: names and shapes of inputs and outputs, without what is added and without words."""
    return sha256_of([item for item in _fields(interface) if item["purpose"] == "plain"])


def _fields(interface: Interface) -> list[dict[str, Any]]:
    return [field.recorded() for field in interface.fields]


def _code_of(function: Callable[..., Any]) -> str:
    try:
        return inspect.getsource(function)
    except (OSError, TypeError):
        code = function.__code__ if hasattr(function, "__code__") else None
        return hashlib.sha256(code.co_code).hexdigest() if code is not None else repr(function)
