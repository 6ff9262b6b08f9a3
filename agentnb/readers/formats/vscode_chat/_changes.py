"""A log of changes -> the session that they make: a line begins it, sets a field, adds to a list, or takes a field away."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agentnb.readers._account import Account

_BEGIN, _SET, _ADD, _DELETE = range(4)


def is_change(value: Any) -> bool:
    """Tell whether a value is a line of such a log."""
    if not isinstance(value, dict) or type(value.get("kind")) is not int or not _BEGIN <= value["kind"] <= _DELETE:
        return False
    return "v" in value if value["kind"] == _BEGIN else isinstance(value.get("k"), list)


def put_together(lines: Iterable[tuple[int, Any]], account: Account) -> dict[str, Any]:
    """Apply changes in order; one that does not fit what is there is left out with its reason."""
    session: dict[str, Any] = {}
    for place, line in lines:
        if is_change(line) and line["kind"] == _BEGIN and isinstance(line["v"], dict):
            session = line["v"]
            account.keep()
        elif is_change(line) and line["kind"] != _BEGIN and _apply(session, line):
            account.keep()
        else:
            account.leave_out("no_change", "It is no change of the session, or does not fit what is there; it was left out.", line=place, excerpt=line)
    return session


def _apply(session: dict[str, Any], line: dict[str, Any]) -> bool:
    path = line["k"]
    if not path:
        return False
    owner: Any = session
    for key in path[:-1]:
        owner = _at(owner, key)
    return _change(owner, path[-1], line)


def _change(owner: Any, key: Any, line: dict[str, Any]) -> bool:
    kind, value = line["kind"], line.get("v")
    if kind == _ADD:
        return _add(owner, key, value, line.get("i"))
    if isinstance(owner, dict) and isinstance(key, str):
        if kind == _SET:
            owner[key] = value
        else:
            owner.pop(key, None)
        return True
    if kind == _SET and isinstance(owner, list) and type(key) is int and 0 <= key <= len(owner):
        owner[key : key + 1] = [value]
        return True
    return False


def _add(owner: Any, key: Any, values: Any, until: Any) -> bool:
    """Add to a list, of which only the beginning is kept where the line says how much."""
    target = _at(owner, key)
    if target is None and isinstance(owner, dict) and isinstance(key, str):
        target = owner[key] = []
    if not isinstance(target, list) or not isinstance(values, list | None):
        return False
    if type(until) is int and 0 <= until <= len(target):
        del target[until:]
    target.extend(values or [])
    return True


def _at(owner: Any, key: Any) -> Any:
    if isinstance(owner, dict) and isinstance(key, str):
        return owner.get(key)
    if isinstance(owner, list) and type(key) is int and 0 <= key < len(owner):
        return owner[key]
    return None
