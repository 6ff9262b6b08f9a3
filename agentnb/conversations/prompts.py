"""What is a model shown? Instruction, earlier turns and inputs as messages; and how its reply becomes outputs again."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agentnb.conversations.fields import Field, Interface
from agentnb.errors import ModelError

if TYPE_CHECKING:
    from agentnb.conversations.frames import Frame

Message = dict[str, Any]


def is_plain(interface: Interface) -> bool:
    """Tell whether the reply's text is the answer as it is: one output, a text."""
    return len(interface.outputs) == 1 and interface.outputs[0].annotation is str


def instruction_of(frame: Frame) -> str:
    """Return what the model is told first: what the program does, what hooks added, and the form of the answer where that is not plain text."""
    interface = frame.program.interface
    told = [interface.description.strip(), *frame.sections]
    if not is_plain(interface):
        fields = "\n".join(f"- {field.name}: {_wanted(field)}" for field in interface.outputs)
        told.append(f"Reply with one JSON object and nothing around it. Its fields, in this order:\n{fields}")
    return "\n\n".join(told)


def first_messages(frame: Frame) -> list[Message]:
    """Return the messages of the earlier calls that are shown, and of the inputs."""
    messages = [message for shown in frame.earlier for message in shown_messages(shown)]
    return [*messages, user_message(frame.inputs)]


def shown_messages(shown: Mapping[str, Any]) -> list[Message]:
    """Return the messages of an earlier call: what it was given, the steps where they are shown, and what it answered."""
    messages = [user_message(shown.get("inputs") or {})]
    steps = shown.get("steps") or []
    for step in steps:
        if step.get("kind") == "tool":
            result = {"type": "tool_result", "id": step.get("id"), "name": step.get("name"), "output": _text_of_output(step.get("output"))}
            messages.append({"role": "tool", "parts": [result]})
        else:
            messages.append(step["message"] if isinstance(step.get("message"), dict) else _said(step.get("outputs") or {}))
    return messages if steps else [*messages, _said(shown.get("outputs") or {})]


def user_message(inputs: Mapping[str, Any]) -> Message:
    """Return the message of a call's inputs: a single text as it is, several under their names."""
    values = list(inputs.values())
    if len(values) == 1 and isinstance(values[0], str):
        return _message("user", values[0])
    return _message("user", "\n\n".join(f"{name}:\n{_as_text(value)}" for name, value in inputs.items()))


def result_messages(results: Iterable[tuple[Any, str]]) -> list[Message]:
    """Return the messages of what tools put out, in the order of the calls."""
    return [{"role": "tool", "parts": [{"type": "tool_result", "id": call.id, "name": call.name, "output": output}]} for call, output in results]


def correction(problem: str) -> Message:
    """Return the message that asks for a reply that can be read."""
    return _message("user", f"This reply cannot be read: {problem}. Reply again, in the form that was asked for.")


def read_outputs(interface: Interface, text: str) -> dict[str, Any]:
    """Read a reply into outputs.

    Returns:
        Every output by name, as its annotation wants it.

    Raises:
        ModelError: with the code parse-value; the message says which output it is and what is wrong with it.
    """
    if is_plain(interface):
        return {interface.outputs[0].name: text}
    found = _object_in(text)
    if found is None and len(interface.outputs) == 1:
        found = {interface.outputs[0].name: _value_in(text)}
    if found is None:
        raise ModelError("parse-value", "it holds no JSON object")
    outputs: dict[str, Any] = {}
    for field in interface.outputs:
        if field.name not in found:
            raise ModelError("parse-value", f"the field {field.name} is missing")
        try:
            outputs[field.name] = field.validate(found[field.name])
        except ValidationError as error:
            raise ModelError("parse-value", f"the field {field.name} does not fit: {'; '.join(item['msg'] for item in error.errors())}") from None
    return outputs


def answer_schema(interface: Interface) -> dict[str, Any]:
    """Return the JSON schema of a reply."""
    names = [field.name for field in interface.outputs]
    return {"type": "object", "properties": {field.name: field.shape for field in interface.outputs}, "required": names, "additionalProperties": False}


def _message(role: str, text: str) -> Message:
    return {"role": role, "parts": [{"type": "text", "text": text}]}


def _said(outputs: Mapping[str, Any]) -> Message:
    values = list(outputs.values())
    return _message("assistant", values[0] if len(values) == 1 and isinstance(values[0], str) else json.dumps(dict(outputs), ensure_ascii=False))


def _wanted(field: Field) -> str:
    return "a text" if field.annotation is str else json.dumps(field.shape, ensure_ascii=False, sort_keys=True)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _text_of_output(output: Any) -> str:
    if isinstance(output, list):
        return "".join(str(part.get("text", "")) for part in output if isinstance(part, dict))
    return _as_text(output)


def _object_in(text: str) -> dict[str, Any] | None:
    """Return the JSON object of a reply, also when words or a fence stand around it."""
    decoder = json.JSONDecoder(strict=False)
    start = text.find("{")
    while start >= 0:
        try:
            value, _ = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            start = text.find("{", start + 1)
            continue
        return value if isinstance(value, dict) else None
    return None


def _value_in(text: str) -> Any:
    """Return a bare value: JSON where it is some, else the text itself, which the output's own check will judge."""
    try:
        return json.loads(text)
    except ValueError:
        return text.strip()
