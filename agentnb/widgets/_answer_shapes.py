"""WHICH FORM FITS AN ANSWER: from what a call gave, the fields in which a person writes what would have been right."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from agentnb.errors import RatingError
from agentnb.render._secrets import mask
from agentnb.widgets._keeping import as_answer

FieldKind = Literal["text", "long text", "number", "boolean", "choice", "json", "any"]

MOST_KEYS: Final = 12
"""Keys of an object up to which each has a field of its own."""
LONGEST_LINE: Final = 80
LONGEST_FILLED: Final = 6_000
"""Characters of an output up to which its field begins with it; a longer one is not corrected, but written anew."""
MOST_CHOICES: Final = 6
LONGEST_CHOICE: Final = 40

_CHOICES: Final = """
select output, count(*) as calls
from calls
where name = $1 and kind = $2 and output is not null
group by output
order by calls desc, output
limit $3
"""


class Field(NamedTuple):
    """One field of a form."""

    name: str
    """Key of the object that it is a value of; empty where the answer is one value."""
    kind: FieldKind
    """What is written in it."""
    value: Any
    """What it begins with: the text of what the call gave, or the index of a choice; None where nothing is chosen."""
    options: tuple[str, ...] = ()
    """What there is to choose."""


class Shape(NamedTuple):
    """The form for an answer."""

    fields: tuple[Field, ...]
    """Its fields, in order."""
    given: Any
    """What the call gave, as a value."""

    def answer(self, written: Sequence[Any]) -> tuple[bool, Any]:
        """Return whether an answer was written, and which: what nobody changed is no answer.

        Args:
            written: what stands in the fields, in their order.

        Raises:
            RatingError: something that is no number, or no JSON, stands where one is expected.
        """
        changed = {field.name: _read(field, value) for field, value in zip(self.fields, written, strict=True) if _is_changed(field, value)}
        if not changed:
            return False, None
        return True, {**self.given, **changed} if self.fields[0].name else changed[""]

    def written(self, answer: Any) -> list[Any]:
        """Return how an answer stands in the fields: what a person wrote before, when they come back to it."""
        if self.fields[0].name:
            known = answer if isinstance(answer, dict) else {}
            return [_written(field, known[field.name]) if field.name in known else field.value for field in self.fields]
        return [_written(self.fields[0], answer)]


def shape_of(output: str | None, choices: Sequence[str] = ()) -> Shape:
    """Return the form that fits what a call gave.

    Args:
        output: what it gave, as text; JSON where it is.
        choices: what calls of this name give, where it is one of few things.
    """
    value = _value_of(output)
    if choices and isinstance(value, str):
        at = choices.index(value) if value in choices else None
        return Shape((Field("", "choice", at, tuple(choices)),), value)
    if isinstance(value, dict) and 0 < len(value) <= MOST_KEYS:
        return Shape(tuple(_field(str(key), inner) for key, inner in value.items()), value)
    return Shape((_field("", value),), value)


def choices_of(outputs: Mapping[str, int]) -> tuple[str, ...]:
    """Return what a call may give, where calls of its name give one of few short texts again and again; else nothing.

    Args:
        outputs: how many calls gave what, of the most frequent outputs one more than a choice may have.
    """
    short = all(len(output) <= LONGEST_CHOICE and "\n" not in output and isinstance(_value_of(output), str) for output in outputs)
    return tuple(sorted(outputs)) if 2 <= len(outputs) <= MOST_CHOICES and short and sum(outputs.values()) >= 3 * len(outputs) else ()


def outputs_of(workspace: Any, name: str, kind: str) -> dict[str, int]:
    """Ask a workspace what calls of a name give, the most frequent first; one more than can be a choice."""
    return dict(workspace.sql(_CHOICES, [name, kind, MOST_CHOICES + 1]).fetchall())


def _value_of(output: str | None) -> Any:
    try:
        return json.loads(output) if output is not None else None
    except (ValueError, RecursionError):
        return output


def _field(name: str, value: Any) -> Field:
    if isinstance(value, bool):
        return Field(name, "boolean", int(not value), ("true", "false"))
    if isinstance(value, int | float):
        return Field(name, "number", json.dumps(value))
    if value is None:
        return Field(name, "any", "")
    if isinstance(value, str):
        return Field(name, "long text" if len(value) > LONGEST_LINE or "\n" in value or not name else "text", _shown(value))
    return Field(name, "json", _shown(json.dumps(value, ensure_ascii=False, indent=None if len(str(value)) <= LONGEST_LINE else 2)))


def _written(field: Field, value: Any) -> Any:
    if field.kind == "boolean":
        return int(not value)
    if field.kind == "choice":
        return field.options.index(value) if value in field.options else str(value)
    return value if isinstance(value, str) and field.kind not in ("number", "json") else json.dumps(value, ensure_ascii=False)


def _shown(text: str) -> str:
    """Return what a field begins with: no text that is too long to correct, and none in which something is hidden."""
    return text if len(text) <= LONGEST_FILLED and mask(text) == text else ""


def _is_changed(field: Field, value: Any) -> bool:
    """Tell whether somebody wrote something: other blanks are nothing new, nor is a text that was cleared and is all there is."""
    if value is None or value == field.value:
        return False
    if isinstance(value, str) and isinstance(field.value, str | None):
        return value.strip() != (field.value or "").strip() and bool(value.strip() or field.name)
    return True


def _read(field: Field, value: Any) -> Any:
    where = f"{field.name}: " if field.name else ""
    if field.kind == "boolean":
        return value == 0
    if field.kind == "choice":
        return field.options[value] if isinstance(value, int) else value
    if field.kind in ("number", "json"):
        try:
            return json.loads(value)
        except ValueError:
            what = "number, such as 89.9" if field.kind == "number" else 'JSON, such as ["a", 1]'
            raise RatingError(f"{where}{value[:60]!r} is no {what}. Nothing was kept yet.") from None
    return as_answer(value) if field.kind == "any" else value
