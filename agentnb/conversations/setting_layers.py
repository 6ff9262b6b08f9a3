"""How programs run: the model, who is asked before a tool runs, what is tried again; set for a process, a function, a block, a conversation or one turn."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final

from agentnb.conversations.asking import check_approve
from agentnb.conversations.fields import Interface
from agentnb.conversations.redaction import check_log_content
from agentnb.errors import OptionError, SettingError

_DEFAULTS: Final[dict[str, Any]] = {
    "model": None,
    "approve": None,
    "tool_errors": "tell",
    "parallel_tools": False,
    "retries": 2,
    "max_steps": 50,
    "options": {},
    "hooks": (),
    "log_content": True,
    "log_calls": None,
}
SETTINGS: Final = tuple(_DEFAULTS)
"""Names of the settings."""

_process: dict[str, Any] = {}
_blocks: ContextVar[tuple[Mapping[str, Any], ...]] = ContextVar("agentnb_settings", default=())


def configure(**settings: Any) -> None:
    """Set settings for the whole process; those of a function, a block, a conversation or a turn go before them.

    Args:
        settings: any of

            - model: a provider of `agentnb.transports`, a name that `register_model` knows, or `openai:NAME` or `anthropic:NAME`.
            - approve: who is asked before a tool runs: None, "changes", "all", names of tools or approval paths, or a function that answers.
            - tool_errors: "tell" tells the model what a tool raised, "raise" ends the call with it.
            - parallel_tools: whether the tools of one reply all run at once; else only tools that read do.
            - retries: how often a request is made again after an error of the provider, or a reply that cannot be read.
            - max_steps: requests that one call may make.
            - options: options of the model, such as temperature.
            - hooks: objects that may look in and change things, by any of the methods `turn_start(inputs)`, `context(shown)`, `tool_call(approval)`,
              which returns another input or a text that blocks the call, and `tool_result(approval, output)`; `name` says what they are called.
            - log_content: whether values are written: True, False, or a name of a field (or "*") to True or False.
            - log_calls: folder of the call log, for calls outside conversations; None for none.

    Raises:
        OptionError: there is no such setting.
        SettingError: it cannot be so.
    """
    _process.update(checked_settings(settings))


@contextmanager
def settings(**given: Any) -> Iterator[None]:
    """Set settings for everything that is called in this block, as `configure` does for the process."""
    token = _blocks.set((*_blocks.get(), checked_settings(given)))
    try:
        yield
    finally:
        _blocks.reset(token)


def active_settings(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings that hold here for a program with settings of its own: process, program, then blocks from the outside in."""
    found = {**_DEFAULTS, **_process, **own}
    for block in _blocks.get():
        found.update(block)
    found["options"] = {name: value for layer in (_process, own, *_blocks.get()) for name, value in layer.get("options", {}).items()}
    return found


def content_layers(own: Mapping[str, Any]) -> list[Any]:
    """Return what each layer says about writing values, each of which may forbid and none restore."""
    return [layer["log_content"] for layer in (_process, own, *_blocks.get()) if "log_content" in layer]


def checked_settings(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings as they were given.

    Raises:
        OptionError: there is no such setting; the message names the nearest.
        SettingError: it cannot be so.
    """
    return {name: _checked(name, value) for name, value in given.items()}


def split_settings(interface: Interface, given: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tell inputs from settings for one call alone: a keyword that is a setting and no input is a setting.

    Returns:
        The inputs, and the settings, checked.
    """
    names = {field.name for field in interface.inputs}
    here = {name: value for name, value in given.items() if name in SETTINGS and name not in names}
    return {name: value for name, value in given.items() if name not in here}, checked_settings(here)


def _checked(name: str, value: Any) -> Any:
    if name not in _DEFAULTS:
        near = difflib.get_close_matches(name, SETTINGS, 1)
        raise OptionError(f"there is no setting {name!r}; {f'did you mean {near[0]!r}? ' if near else ''}there are {', '.join(SETTINGS)}")
    if name == "approve":
        return check_approve(value)
    if name == "log_content":
        return check_log_content(value)
    if name == "tool_errors" and value not in ("tell", "raise"):
        raise SettingError("setting", f"tool_errors is 'tell' or 'raise', not {value!r}")
    if name in ("retries", "max_steps") and (type(value) is not int or value < (name == "max_steps")):
        raise SettingError("setting", f"{name} is a number of times, not {value!r}")
    if name == "options" and not isinstance(value, Mapping):
        raise SettingError("setting", f"options are a mapping such as {{'temperature': 0}}, not {value!r}")
    return value
