"""Which model is it? Providers by name, so that a turn that is resumed a day later asks the model that it asked before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from agentnb.errors import SettingError
from agentnb.transports import AnthropicProvider, OpenAIProvider, Provider

_registered: dict[str, Provider] = {}
_VENDORS: Final[dict[str, Callable[[str], Provider]]] = {"openai": OpenAIProvider, "anthropic": AnthropicProvider}


def register_model(name: str, provider: Provider) -> Provider:
    """Give a provider a name, by which `model="name"` finds it in this process; returns the provider."""
    if not callable(getattr(provider, "stream", None)):
        raise SettingError("setting", f"a provider has a method stream(request), and {provider!r} has none")
    _registered[name] = provider
    return provider


def provider_of(model: Any, program: str) -> Provider:
    """Return the provider that a setting `model` means.

    Args:
        model: a provider, a registered name, or a vendor's prefix and a model's name.
        program: who asks, for messages.

    Raises:
        SettingError: there is none.
    """
    if callable(getattr(model, "stream", None)):
        provider: Provider = model
        return provider
    if model is None:
        raise SettingError("setting", f"program {program!r} has no model; say anb.configure(model=…), @anb.program(model=…), or model=… where it is called")
    if not isinstance(model, str):
        raise SettingError("setting", f"model is a provider or a name, not {model!r}")
    if model not in _registered:
        vendor, _, name = model.partition(":")
        if vendor not in _VENDORS or not name:
            known = ", ".join(sorted(_registered)) or "none"
            raise SettingError("setting", f"no model is called {model!r} here; registered are {known}, and openai:NAME and anthropic:NAME are always known")
        _registered[model] = _VENDORS[vendor](name)
    return _registered[model]


def model_name(model: Any) -> str | None:
    """Return by what name a model is recorded; None when it has none."""
    if model is None or isinstance(model, str):
        return model
    registered = next((name for name, provider in _registered.items() if provider is model), None)
    own = getattr(model, "model", None)
    return registered or (own if isinstance(own, str) else type(model).__name__)


def vendor_of(provider: Provider) -> str:
    """Return who answers, in a word."""
    return type(provider).__name__.removesuffix("Provider").lower() or "unknown"
