"""How programs run: settings of the process, of a function, of a block and of a call, and the models that names stand for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import agentnb as anb
from agentnb.conversations import setting_layers
from agentnb.conversations.models import model_name, provider_of, vendor_of
from agentnb.conversations.setting_layers import active_settings, content_layers
from agentnb.errors import OptionError, SettingError
from agentnb.transports import OpenAIProvider
from tests.conversations.scripted import EchoProvider


@pytest.fixture(autouse=True)
def _process() -> Iterator[None]:
    """Leave the settings of the process as they were."""
    before = dict(setting_layers._process)
    yield
    setting_layers._process.clear()
    setting_layers._process.update(before)


@anb.program
def plain(message: str) -> str:
    """Say it."""


def test_the_inner_setting_goes_before_the_outer_one() -> None:
    anb.configure(retries=1, max_steps=10, options={"temperature": 0, "seed": 1})
    with anb.settings(retries=3, options={"seed": 2}), anb.settings(retries=4):
        found = active_settings({"max_steps": 20, "retries": 2, "options": {"top_p": 1}})
    assert (found["retries"], found["max_steps"], found["options"]) == (4, 20, {"temperature": 0, "top_p": 1, "seed": 2})
    assert active_settings({})["retries"] == 1


def test_a_setting_of_one_call_holds_for_what_it_calls_and_for_no_other() -> None:
    @anb.module
    def desk(message: str) -> str:
        return str(plain(message))

    assert desk("Hi", model=EchoProvider()) == "echo Hi"
    with pytest.raises(SettingError, match="has no model"):
        desk("Hi")


def test_an_input_of_the_name_of_a_setting_is_an_input() -> None:
    @anb.program
    def car(model: str) -> str:
        """Say something about a car."""

    with anb.settings(model=EchoProvider()):
        assert car(model="T") == "echo T"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"retry": 1}, "did you mean 'retries'"),
        ({"tool_errors": "hide"}, "'tell' or 'raise'"),
        ({"retries": -1}, "number of times"),
        ({"retries": True}, "number of times"),
        ({"max_steps": 0}, "number of times"),
        ({"options": 3}, "a mapping"),
        ({"approve": "some"}, "approve-rule"),
        ({"log_content": 1}, "log-content"),
    ],
)
def test_a_setting_that_there_is_not_or_cannot_be_is_refused_and_changes_nothing(given: dict[str, Any], said: str) -> None:
    before = dict(setting_layers._process)
    with pytest.raises((OptionError, SettingError), match=said):
        anb.configure(**given)
    with pytest.raises((OptionError, SettingError), match=said), anb.settings(**given):
        raise AssertionError("never comes here")
    assert setting_layers._process == before


def test_each_layer_may_forbid_that_content_is_written_and_none_restores_it() -> None:
    anb.configure(log_content=False)
    with anb.settings(log_content={"message": True}):
        assert content_layers({"log_content": True}) == [False, True, {"message": True}]


def test_a_registered_name_means_its_provider_and_is_what_is_recorded() -> None:
    provider = EchoProvider()
    anb.register_model("echo-of-a-test", provider)
    assert plain("Hi", model="echo-of-a-test") == "echo Hi"
    assert (provider_of("echo-of-a-test", "plain"), model_name(provider)) == (provider, "echo-of-a-test")


def test_a_vendors_name_means_one_provider_as_long_as_the_process_lives(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    provider = provider_of("openai:some-model", "plain")
    assert isinstance(provider, OpenAIProvider)
    assert provider_of("openai:some-model", "plain") is provider
    assert (model_name("openai:some-model"), vendor_of(provider)) == ("openai:some-model", "openai")


@pytest.mark.parametrize(
    ("model", "said"), [(None, "has no model"), (7, "a provider or a name"), ("nobody", "no model is called 'nobody'"), ("openai:", "no model")]
)
def test_a_model_that_there_is_not_is_said_to_be_missing(model: Any, said: str) -> None:
    with pytest.raises(SettingError, match=said):
        provider_of(model, "plain")


def test_what_cannot_stream_is_no_provider() -> None:
    with pytest.raises(SettingError, match="stream"):
        anb.register_model("broken", object())  # type: ignore[arg-type]
