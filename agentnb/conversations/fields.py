"""What does a program take and give? Its inputs and outputs, from the signature of a function: shapes for records, and values to and from JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any, Final, Literal, get_type_hints

from pydantic import PydanticSchemaGenerationError, PydanticUserError, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from agentnb.errors import ConversationError, ProgramError
from agentnb.values.tools import without_titles

ANSWER: Final = "result"
"""Name of the output of a program that returns one value."""
REASONING: Final = "reasoning"
"""Name, and purpose, of the output in which a model thinks before it answers."""
_KINDS = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)

Direction = Literal["input", "output"]


class Field:
    """One input or output of a program."""

    def __init__(self, name: str, direction: Direction, annotation: Any, *, purpose: str = "plain", default: Any = inspect.Parameter.empty) -> None:
        """Describe a field by the annotation of a parameter or of what a function returns."""
        self.name, self.direction, self.purpose = name, direction, purpose
        self.annotation = Any if annotation is inspect.Parameter.empty else annotation
        self.default = default

    def __repr__(self) -> str:
        return f"Field({self.name!r}, {self.direction})"

    @property
    def is_optional(self) -> bool:
        """Whether an input has a default."""
        return self.default is not inspect.Parameter.empty

    @cached_property
    def _adapter(self) -> TypeAdapter[Any] | None:
        try:
            return TypeAdapter(self.annotation)
        except (PydanticSchemaGenerationError, PydanticUserError):
            return None

    @cached_property
    def shape(self) -> dict[str, Any]:
        """The JSON schema of its values, without titles and defaults; empty when they have no JSON form."""
        if self._adapter is None:
            return {}
        try:
            shape: dict[str, Any] = _without_defaults(without_titles(self._adapter.json_schema()))
            return shape
        except PydanticUserError:
            return {}

    @property
    def is_opaque(self) -> bool:
        """Whether its values have no JSON form."""
        return self._adapter is None

    def validate(self, value: Any) -> Any:
        """Return a value as the annotation wants it.

        Raises:
            ValidationError: it does not fit.
        """
        return value if self._adapter is None else self._adapter.validate_python(value)

    def to_json(self, value: Any) -> Any:
        """Return the JSON form of a value.

        Raises:
            ConversationError: with the code conversation-opaque: it has none.
        """
        if self._adapter is None:
            raise self._opaque(value)
        try:
            return self._adapter.dump_python(value, mode="json")
        except PydanticSerializationError:
            raise self._opaque(value) from None

    def from_json(self, value: Any) -> Any:
        """Return the value that a JSON form stands for; what does not fit any more stays as it is."""
        if self._adapter is None:
            return value
        try:
            return self._adapter.validate_python(value)
        except ValidationError:
            return value

    def described(self) -> dict[str, Any]:
        """Return how an interface names it."""
        told: dict[str, Any] = {"name": self.name, "shape": {} if self.is_opaque else self.shape}
        told |= {"opaque": True} if self.is_opaque else {}
        return told | ({"optional": True} if self.direction == "input" and self.is_optional else {})

    def recorded(self) -> dict[str, Any]:
        """Return how a record of a program names it."""
        return {"name": self.name, "direction": self.direction, "purpose": self.purpose, "shape": self.shape}

    def _opaque(self, value: Any) -> ConversationError:
        return ConversationError(
            "conversation-opaque",
            f"{self.direction} {self.name!r} holds a {type(value).__name__}, which has no JSON form, so a conversation cannot keep it; "
            "annotate it with a type that pydantic knows, or give what it is made from",
        )


class Interface:
    """The inputs and outputs of a program, and what it says of itself."""

    def __init__(
        self, description: str, signature: inspect.Signature, inputs: tuple[Field, ...], outputs: tuple[Field, ...], returns: Callable[[dict[str, Any]], Any]
    ) -> None:
        """Put an interface together; `returns` makes what a caller gets of the outputs."""
        self.description, self.inputs, self.outputs, self.returns = description, inputs, outputs, returns
        self._signature = signature

    @property
    def answer(self) -> str:
        """Name of the output that is the answer: the last one."""
        return self.outputs[-1].name

    @property
    def fields(self) -> tuple[Field, ...]:
        """Inputs and outputs, in order."""
        return (*self.inputs, *self.outputs)

    def described(self) -> dict[str, Any]:
        """Return the interface as a record has it."""
        return {
            "description": self.description,
            "inputs": [field.described() for field in self.inputs],
            "outputs": [field.described() for field in self.outputs if field.purpose == "plain"],
        }

    def bind(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> dict[str, Any]:
        """Bind arguments to the inputs, and check them.

        Args:
            name: the program, for messages.
            args: arguments by place.
            kwargs: arguments by name.

        Returns:
            Every input by name, as its annotation wants it; defaults included.

        Raises:
            TypeError: an input is missing, unknown or given twice.
            ProgramError: a value does not fit its annotation.
        """
        try:
            bound = self._signature.bind(*args, **kwargs)
        except TypeError as error:
            wanted = ", ".join(f"{field.name}{'=…' if field.is_optional else ''}" for field in self.inputs) or "nothing"
            raise TypeError(f"{name}: {error}; it takes {wanted}") from None
        bound.apply_defaults()
        checked: dict[str, Any] = {}
        for field in self.inputs:
            try:
                checked[field.name] = field.validate(bound.arguments[field.name])
            except ValidationError as error:
                told = "; ".join(item["msg"] for item in error.errors())
                raise ProgramError(f"{name}: input {field.name!r} does not fit {field.annotation!r}: {told}") from None
        return checked

    def inputs_to_json(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON forms of inputs."""
        return {field.name: field.to_json(inputs[field.name]) for field in self.inputs}

    def inputs_from_json(self, inputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the inputs that were recorded, as the annotations want them."""
        return {field.name: field.from_json(inputs[field.name]) for field in self.inputs if field.name in inputs}

    def outputs_to_json(self, outputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the JSON forms of outputs."""
        return {field.name: field.to_json(outputs[field.name]) for field in self.outputs if field.name in outputs}

    def outputs_from_json(self, outputs: Mapping[str, Any]) -> dict[str, Any]:
        """Return the outputs that were recorded, as the annotations want them."""
        return {field.name: field.from_json(outputs[field.name]) for field in self.outputs if field.name in outputs}


def interface_of(function: Callable[..., Any], *, reasoning: bool = False) -> Interface:
    """Read the interface of a function.

    A NamedTuple that is returned gives an output for each of its fields, of which the last is the answer; anything else is one output, `result`.

    Args:
        function: the function; its parameters are the inputs, its docstring says what it does.
        reasoning: whether a model is asked for its reasoning first, as an output of its own.

    Raises:
        ProgramError: a parameter that no name can fill, such as `*args`.
    """
    hints = _hints_of(function)
    inputs: list[Field] = []
    signature = inspect.signature(function)
    for parameter in signature.parameters.values():
        if parameter.kind not in _KINDS:
            raise ProgramError(f"program {function.__name__!r} takes {parameter}; inputs have names, so use plain or keyword-only parameters")
        inputs.append(Field(parameter.name, "input", hints.get(parameter.name, Any), default=parameter.default))
    words, returned = inspect.getdoc(function) or "", hints.get("return", Any)
    added = (Field(REASONING, "output", str, purpose=REASONING),) if reasoning else ()
    several = _fields_of_tuple(returned)
    if several is not None:
        return Interface(
            words, signature, tuple(inputs), (*added, *several), lambda outputs: returned(**{field.name: outputs[field.name] for field in several})
        )
    return Interface(words, signature, tuple(inputs), (*added, Field(ANSWER, "output", returned)), lambda outputs: outputs.get(ANSWER))


def _hints_of(function: Callable[..., Any]) -> dict[str, Any]:
    try:
        return get_type_hints(function, include_extras=True)
    except NameError as error:
        raise ProgramError(f"program {function.__name__!r} has an annotation that names something unknown: {error}") from error


def _fields_of_tuple(returned: Any) -> tuple[Field, ...] | None:
    if not (isinstance(returned, type) and issubclass(returned, tuple) and hasattr(returned, "_fields")):
        return None
    hints = get_type_hints(returned)
    return tuple(Field(name, "output", hints.get(name, Any)) for name in returned._fields)


def _without_defaults(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_defaults(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_defaults(inner) for name, inner in value.items()}
        if key in ("properties", "$defs") and isinstance(value, dict)
        else _without_defaults(value)
        for key, value in schema.items()
        if key != "default"
    }
