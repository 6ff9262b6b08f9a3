"""How is each tool called on the wire? Every provider allows less in a name than an id may hold."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

LONGEST: Final = 64
"""Characters of the longest name that every provider allows."""

_ALLOWED = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_OTHER = re.compile(r"[^A-Za-z0-9_-]")
_TAGGED = 57


def wire_names(ids: Sequence[str]) -> dict[str, str]:
    """Give every tool of a catalog its name on the wire.

    An id that every provider allows is its own name. Any other is made of it: letters, digits, `_` and `-` stay, the rest becomes `_`; what is too long, has
    nothing left, or would be called like another tool, gets a tag of the id. So a tool is called the same in every stage, whatever else is defined.

    Args:
        ids: ids of all tools of the catalog, each once.

    Returns:
        Names by ids, in the order of the ids. Two names are equal only where two tags are.
    """
    names = {own: own if _ALLOWED.fullmatch(own) else _derived(own) for own in ids}
    taken = Counter(names.values())
    return {own: name if name == own or taken[name] == 1 else _tagged(name, own) for own, name in names.items()}


def _derived(own: str) -> str:
    name = _OTHER.sub("_", own)
    if not any(char.isalnum() for char in name):
        return f"tool_{_tag(own)}"
    if not (name[0].isalpha() or name[0] == "_"):
        name = f"_{name}"
    return _tagged(name, own) if len(name) > LONGEST else name


def _tagged(name: str, own: str) -> str:
    return f"{name[:_TAGGED]}_{_tag(own)}"


def _tag(own: str) -> str:
    return hashlib.sha256(own.encode("utf-8", "surrogatepass")).hexdigest()[:6]
