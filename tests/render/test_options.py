"""A misspelt option is an error that names the right one."""

from __future__ import annotations

import pytest

from agentnb.errors import OptionError
from agentnb.render import options


def test_an_unknown_option_names_the_nearest_one() -> None:
    with pytest.raises(OptionError, match="did you mean 'show_secrets'"):
        options.show_secret = True
    with pytest.raises(OptionError, match="did you mean 'show_secrets'"):
        _ = options.secrets


def test_an_option_takes_only_its_own_type() -> None:
    with pytest.raises(OptionError, match="True or False"):
        options.show_secrets = "yes"  # type: ignore[assignment]


def test_options_show_themselves() -> None:
    assert repr(options) == "options(show_secrets=False)"
