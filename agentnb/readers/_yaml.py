"""YAML -> the JSON values it stands for: tags are not obeyed, what would only be a text in JSON stays the text it is, and no alias makes it large."""

from __future__ import annotations

import base64
import math
import re
from collections.abc import Hashable
from typing import Any, NamedTuple

import yaml

_MOST_BYTES = 16 << 20
_MOST_VALUES = 5_000_000
_MOST_DEEP = 200
_BEGINS = re.compile(r"""(?:---[ \t]*$|%YAML|-[ \t]+\S|["']?[\w][\w $./-]*["']?:(?:[ \t]|$))""")
_CORE_TAGS = (
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^[-+]?(?:0|[1-9][0-9]*)$", "-+0123456789"),
    ("float", r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("null", r"^(?:~|null|Null|NULL|)$", ("~", "n", "N", "")),
)
_Base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _TooMuch(ValueError):
    """Aliases stand for more values than any recording holds, or for themselves."""


class ParsedYaml(NamedTuple):
    """A document, or the reason why there is none although it began like one."""

    value: Any
    reason: str | None = None


def parse_yaml(data: bytes) -> ParsedYaml:
    """Parse a text that is one YAML mapping, or a list of mappings; of anything else the value is None.

    Args:
        data: the text in UTF-8. Of more than 16 MB nothing is made: YAML is slow to read, and what is recorded in it is small.
    """
    if not _may_be_yaml(data):
        return ParsedYaml(None)
    if len(data) > _MOST_BYTES:
        return ParsedYaml(None, f"It begins like YAML, of which at most {_MOST_BYTES >> 20} MB are read.")
    try:
        value = yaml.load(data.decode(), _Loader)  # a loader that makes plain values only
        value = _Plain().of(value)
    except _TooMuch as error:
        return ParsedYaml(None, str(error))
    except (yaml.YAMLError, ValueError, RecursionError, OverflowError):
        return ParsedYaml(None)
    is_record = isinstance(value, dict) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))
    return ParsedYaml(value if is_record and value else None)


def _may_be_yaml(data: bytes) -> bool:
    lines = (line.rstrip() for line in data[:65536].decode("utf-8", "replace").splitlines())
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return bool(_BEGINS.match(first))


class _Loader(_Base):  # type: ignore[misc]  # the base is one of two classes
    """Makes plain values; yes, no, dates and 12:30 stay texts, as in YAML 1.2."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012  # of this class, not of the one it is made from

    def ignore_tag(self, node: yaml.Node) -> Any:
        """Make what stands under a tag that is not known, as if it had none."""
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        return self.construct_scalar(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Make a mapping; a key that is none itself becomes its text."""
        return {_key(self.construct_object(key, deep=True)): self.construct_object(value, deep=deep) for key, value in node.value}


def _key(value: Any) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


_Loader.add_constructor(None, _Loader.ignore_tag)
for _tag in ("timestamp", "set", "omap", "pairs"):
    _Loader.add_constructor(f"tag:yaml.org,2002:{_tag}", _Loader.ignore_tag)
for _tag, _pattern, _first in _CORE_TAGS:
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))


class _Plain:
    """Copies values so that nothing is in two places, which also tells how many there are."""

    def __init__(self) -> None:
        self._made = 0

    def of(self, value: Any, depth: int = 0) -> Any:
        self._made += 1
        if self._made > _MOST_VALUES or depth > _MOST_DEEP:
            raise _TooMuch("It is YAML whose aliases stand for far more values than a recording has, or for themselves; it was not read.")
        if isinstance(value, dict):
            return {key: self.of(item, depth + 1) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self.of(item, depth + 1) for item in value]
        if isinstance(value, bytes):
            return _text_of(value)
        if isinstance(value, float) and not math.isfinite(value):
            return str(value)
        return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def _text_of(data: bytes) -> str:
    """Return binary data as the text it is, else as base64, as it stood in the file."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return base64.b64encode(data).decode()
