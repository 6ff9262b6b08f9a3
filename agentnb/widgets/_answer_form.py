"""WHAT WOULD HAVE BEEN RIGHT, AND WHY: the form below a call, of ipywidgets, rebuilt wherever somebody wrote in it.

The browser sends with a verdict what stands in the fields, since what is typed may reach the kernel later than a key that is pressed after it. For the same
reason a field that was written in is not used again: a late word about it would stand in the form of the next call.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

import ipywidgets

from agentnb.widgets._answer_shapes import Field, Shape

REASONS: Final = ("wrong value", "made up", "incomplete", "wrong tool", "not asked for", "against the rules")
"""Reasons that are proposed where nobody has given any yet."""
MOST_REASONS: Final = 9


class Control(NamedTuple):
    """One control that the browser reads."""

    widget: Any
    """The ipywidget."""
    trait: str
    """Its trait that says what was written or chosen, as the browser has it."""
    start: Any
    """What it says while nobody has touched it."""


class Words(NamedTuple):
    """What a person wrote."""

    answers: list[Any]
    """What stands in the fields of the answer, in their order."""
    reasons: tuple[str, ...]
    """Chosen and written reasons."""
    note: str | None
    """The note."""


class AnswerForm:
    """The form for one call."""

    def __init__(self) -> None:
        """Make a form without fields; `show` fills it."""
        self._shape: Shape | None = None
        self._reasons: tuple[str, ...] = ()
        self._controls: dict[str, Control] = {}
        self._answer = _box(ipywidgets.VBox, "anb-answer")
        self._chips = _box(ipywidgets.HBox, "anb-reasons")
        self._notes = _box(ipywidgets.HBox, "anb-note")
        self.box = _box(ipywidgets.VBox, "anb-form", [self._answer, self._chips, self._notes])
        """The whole form."""

    @property
    def fields(self) -> list[list[str]]:
        """What the browser reads: name, id of the widget, trait."""
        return [[name, control.widget.model_id, control.trait] for name, control in self._controls.items()]

    def show(self, shape: Shape, reasons: Sequence[str], said: Mapping[str, Any] | None, touched: Mapping[str, Any]) -> None:
        """Show the form for the next call.

        Args:
            shape: the fields of its answer.
            reasons: what is proposed, in order.
            said: what the person said of it before: answer as fields' values, reasons, note.
            touched: what the browser said last of the controls.
        """
        used = {name for name, control in self._controls.items() if name in touched and touched[name] != control.start}
        answers: Sequence[Any] | None = said["answers"] if said else None
        self._show_answer(shape, answers, used)
        chosen = tuple(said["reasons"]) if said else ()
        self._show_reasons(tuple(reasons), chosen, used)
        note = (said["note"] if said else None) or ""
        if "note" not in self._controls or "note" in used:
            self._close("note")
            self._put("note", _text("note", "why, for humans"), "value", note)
        self._start("note", note)
        self._notes.children = [self._controls["note"].widget]

    def read(self, raw: Mapping[str, Any]) -> Words:
        """Return what a person wrote, from what the browser said of the controls."""
        value = {name: raw.get(name, control.start) for name, control in self._controls.items()}
        chosen = [reason for at, reason in enumerate(self._reasons) if value[f"reason {at}"]]
        chosen += [reason.strip() for reason in str(value["reasons"] or "").split(",") if reason.strip()]
        fields = self._shape.fields if self._shape is not None else ()
        answers = [(str(value[f"other {at}"]).strip() if field.kind == "choice" else "") or value[f"answer {at}"] for at, field in enumerate(fields)]
        return Words(answers, tuple(dict.fromkeys(chosen)), str(value["note"]).strip() or None)

    def _show_answer(self, shape: Shape, answers: Sequence[Any] | None, used: set[str]) -> None:
        before = self._shape.fields if self._shape is not None else None
        again = before is not None and [_kind(field) for field in before] == [_kind(field) for field in shape.fields]
        if not again or any(name.startswith(("answer", "other")) for name in used):
            self._close("answer", "other")
            for at, field in enumerate(shape.fields):
                self._put(f"answer {at}", *_control(field))
                if field.kind == "choice":
                    self._put(f"other {at}", _text("or", "another answer"), "value", "")
        for at, field in enumerate(shape.fields):
            start = field.value if answers is None else answers[at]
            is_other = field.kind == "choice" and isinstance(start, str)
            self._start(f"answer {at}", None if is_other else start)
            if field.kind == "choice":
                self._start(f"other {at}", start if is_other else "")
        self._shape = shape
        self._answer.children = [control.widget for name, control in self._controls.items() if name.startswith(("answer", "other"))]

    def _show_reasons(self, reasons: tuple[str, ...], chosen: Sequence[str], used: set[str]) -> None:
        listed = tuple(dict.fromkeys([*reasons[:MOST_REASONS], *chosen]))
        if listed != self._reasons or any(name.startswith("reason") for name in used):
            self._close("reason")
            for at, reason in enumerate(listed):
                self._put(f"reason {at}", ipywidgets.ToggleButton(description=reason), "value", False)
            self._put("reasons", _text("", "other reasons, with commas"), "value", "")
        self._reasons = listed
        for at, reason in enumerate(listed):
            self._start(f"reason {at}", reason in chosen)
        self._start("reasons", "")
        self._chips.children = [control.widget for name, control in self._controls.items() if name.startswith("reason")]

    def _put(self, name: str, widget: Any, trait: str, start: Any) -> None:
        self._controls[name] = Control(widget, trait, start)

    def _start(self, name: str, value: Any) -> None:
        """Let a control say this while nobody touches it."""
        control = self._controls[name]
        setattr(control.widget, control.trait, value)
        self._controls[name] = control._replace(start=value)

    def _close(self, *kinds: str) -> None:
        for name in [name for name in self._controls if name.startswith(kinds)]:
            self._controls.pop(name).widget.close()


def _kind(field: Field) -> tuple[str, str, tuple[str, ...]]:
    return field.name, field.kind, field.options


def _control(field: Field) -> tuple[Any, str, Any]:
    label = field.name or "right answer"
    if field.kind in ("boolean", "choice"):
        made = ipywidgets.ToggleButtons(options=field.options, description=label, index=None)
        made.style.description_width = "initial"
        return made, "index", None
    if field.kind in ("long text", "any") or (field.kind == "json" and len(field.value or "") > 30):
        made = ipywidgets.Textarea(description=label, rows=2, placeholder="what would have been right")
        return made, "value", ""
    return _text(label, {"number": "a number", "json": "JSON"}.get(field.kind, "what would have been right")), "value", ""


def _text(label: str, placeholder: str) -> Any:
    return ipywidgets.Text(description=label, placeholder=placeholder)


def _box(kind: Any, name: str, children: Sequence[Any] = ()) -> Any:
    made = kind(children)
    made.add_class(name)
    return made
