"""Damage to real recordings: cut anywhere, records dropped, doubled and put in another order, values replaced by others of the wrong type."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

STRANGE: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**70,
    1e308,
    0.5,
    "",
    "x",
    "tool_result",
    " 7 ",
    [],
    [[]],
    [None],
    {},
    {"type": None},
    {"id": [{}]},
    "\ud800",
    "\0",
)
"""Values that stand where something else was expected."""

Draw = Callable[[st.SearchStrategy[Any]], Any]


def damaged(draw: Draw, content: bytes) -> bytes:
    """Damage the content of a file in one to three ways."""
    for _ in range(draw(st.integers(1, 3))):
        content = draw(st.sampled_from((_cut, _edit, _edit, _edit, _scribble)))(draw, content)
    return content


def _cut(draw: Draw, content: bytes) -> bytes:
    """End the file anywhere, as a crash does, or lose its beginning."""
    place = draw(st.integers(0, len(content)))
    return content[:place] if draw(st.booleans()) else content[place:]


def _scribble(draw: Draw, content: bytes) -> bytes:
    """Put a few other bytes somewhere."""
    place = draw(st.integers(0, len(content)))
    scribbled: bytes = draw(st.binary(min_size=1, max_size=4))
    return content[:place] + scribbled + content[place + draw(st.integers(0, 3)) :]


def _edit(draw: Draw, content: bytes) -> bytes:
    """Change the values of a file that is still JSON, as a document or in lines."""
    try:
        return json.dumps(_edited(draw, json.loads(content))).encode()
    except ValueError:
        lines = [line for line in content.split(b"\n") if line.strip()]
    values = [_value_of(line) for line in lines]
    if not values:
        return content
    return b"\n".join(value if isinstance(value, bytes) else json.dumps(value).encode() for value in _edited(draw, values)) + b"\n"


def _value_of(line: bytes) -> Any:
    try:
        return json.loads(line)
    except ValueError:
        return line


def _edited(draw: Draw, value: Any) -> Any:
    """Return a copy with one change at a random place inside, as deep as chance will have it."""
    changed = copy.deepcopy(value)
    if not isinstance(changed, dict | list) or not changed:
        return draw(st.sampled_from(STRANGE))
    place, key = changed, _key(draw, changed)
    while isinstance(place[key], dict | list) and place[key] and draw(st.integers(0, 5)):
        place, key = place[key], _key(draw, place[key])
    draw(st.sampled_from((_replace, _drop, _double, _shuffle)))(draw, place, key)
    return changed


def _key(draw: Draw, value: Any) -> Any:
    return draw(st.sampled_from(sorted(value) if isinstance(value, dict) else range(len(value))))


def _replace(draw: Draw, place: Any, key: Any) -> None:
    place[key] = draw(st.sampled_from(STRANGE))


def _drop(draw: Draw, place: Any, key: Any) -> None:
    del place[key]


def _double(draw: Draw, place: Any, key: Any) -> None:
    if isinstance(place, list):
        place.insert(draw(st.integers(0, len(place))), copy.deepcopy(place[key]))
    else:
        place[f"{key}_again"] = place[key]


def _shuffle(draw: Draw, place: Any, key: Any) -> None:
    inner = place[key]
    if isinstance(inner, list):
        place[key] = draw(st.permutations(inner)) if len(inner) < 60 else inner[::-1]
    elif isinstance(inner, dict):
        place[key] = dict(reversed(inner.items()))
