"""What a person may set for everything that is shown; the package face offers it as `agentnb.options`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from agentnb.errors import OptionError


class Options:
    """Settings of the display. A misspelt one is an error, not a new attribute.

    Example:
        anb.options.show_secrets = True
    """

    show_secrets: bool = False
    """Whether keys, tokens and passwords of well-known shapes are shown; as a rule they are masked, in what is shown and never in the tables."""

    def __setattr__(self, name: str, value: Any) -> None:
        """Set an option that exists to a value of its type."""
        if name not in type(self).__annotations__:
            raise _unknown(name, list(type(self).__annotations__))
        if not isinstance(value, bool):
            raise OptionError(f"options.{name} is True or False, not {value!r}")
        super().__setattr__(name, value)

    def __getattr__(self, name: str) -> Any:
        """Refuse an option that does not exist; those that do are found before this is asked."""
        if name.startswith("__") or (name.startswith("_") and name.endswith("_")):
            raise AttributeError(name)
        raise _unknown(name, list(type(self).__annotations__))

    def __repr__(self) -> str:
        """Show the settings, one `name=value` each."""
        return f"options({', '.join(f'{name}={getattr(self, name)!r}' for name in type(self).__annotations__)})"


options = Options()


def _unknown(name: str, known: list[str]) -> OptionError:
    near = get_close_matches(name, known, n=1, cutoff=0.0)
    return OptionError(f"options has no {name!r}; did you mean {near[0]!r}?")
