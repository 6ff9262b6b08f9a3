"""Secrets of well-known shapes are masked in what is shown, and looking for them takes time that grows with the text and not faster."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from agentnb import render
from agentnb.render._secrets import mask
from tests.render.samples import TurnMaker

# Written in pieces, so that no scanner of repositories takes an invented one for a real one.
SECRETS = {
    "OpenAI": "sk-" + "proj-Ab1" * 6,
    "Anthropic": "sk-" + "ant-api03-" + "Zx9_" * 8,
    "GitHub": "ghp_" + "a1B2c3D4" * 4,
    "GitHub, fine-grained": "github_pat_" + "11ABCDEFG0" * 4,
    "AWS": "AKIA" + "IOSFODNN7EXAMPLE",
    "Slack": "xoxb-" + "123456789012-" * 2 + "abcDEF",
    "Google": "AIza" + "SyD-1234567890abcdefghijklmnopqrstu",
    "Stripe": "sk_" + "live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "JWT": "eyJ" + "hbGciOiJIUzI1NiJ9." + "eyJzdWIiOiIxMjM0In0." + "SflKxwRJSMeKKF2QT4",
    "bearer": "Bearer " + "abcDEF123456789_-xyz",
    "login": "postgres://ana:" + "s3cret-word@db.example.com/shop",
    "parameter": "https://example.com/?user=ana&password=" + "hunter2hunter2",
    "JSON": '{"api_key": "' + "0123456789abcdef" + '"}',
    "setting": "export SHOP_API_TOKEN=" + "0123456789abcdef",
    "PEM": "-----BEGIN RSA PRIVATE KEY-----\n" + "MIIEowIBAAKCAQEA0123456789abcdef\n" * 12 + "-----END RSA PRIVATE KEY-----",
    "PEM in JSON": "-----BEGIN PRIVATE KEY-----\\n" + "MIIEowIBAAKCAQEA0123456789abcdef\\n" * 3,
}
TELLING = {name: secret[-12:] if "PEM" not in name else "MIIEow" for name, secret in SECRETS.items()} | {
    "login": "s3cret-word",
    "JSON": "0123456789abcdef",
}
HARMLESS = (
    "task-force-of-the-whole-department",
    "hf_hub_download_from_the_cache_folder",
    "sk-learn-is-not-a-key-at-all",
    "the bearer internationalization of it",
    "a basic misunderstanding_of_the_matter",
    "def login(password: str = None, token=token): ...",
    "https://example.com/a:b/c?page=3&sort=name",
    '{"max_tokens": "4096", "next": "page_token"}',
    "max_tokens=4096, temperature=0.0",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "PATH=/usr/bin:/bin",
)


@pytest.fixture
def shown() -> Iterator[None]:
    render.options.show_secrets = True
    yield
    render.options.show_secrets = False


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("frame", ["{}", "before {} after", '"{}"', "({})", "key:{},", "\n{}\n"])
def test_a_secret_is_masked(name: str, frame: str) -> None:
    masked = mask(frame.replace("{}", SECRETS[name]))
    assert TELLING[name] not in masked
    assert "••••••" in masked
    assert mask(masked) == masked


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_resembles_a_secret_stays(text: str) -> None:
    assert mask(text) is text


@pytest.mark.parametrize("name", SECRETS)
def test_a_secret_is_masked_wherever_it_is_shown(name: str) -> None:
    secret = SECRETS[name]
    maker = TurnMaker("t", prompt=f"Use {secret} please.")
    maker.say("system", f"The key is {secret}")
    said = f"I use `{secret}`:\n\n```bash\ncurl {secret}\n```"
    call = maker.step(said, {"name": "run", "arguments": {"text": secret, "command": f"echo {secret}\n"}, "output": secret}, reasoning=secret)[0]
    maker.approve(call, "no", question=secret, reason=secret)
    maker.rate(call.call_id, "wrong", "ana", secret)
    turn = maker.turn(answer=secret)
    table = render.ResultTable(columns=("text",), rows=((secret,), ({"a": secret},)))
    for html in (render.render_turn(turn), render.render_call(call, turn=turn), render.render_table(table), render.plain_turn(turn), render.plain_table(table)):
        assert TELLING[name] not in html


def test_arguments_that_are_named_like_secrets_are_masked() -> None:
    maker = TurnMaker("t")
    maker.step("I log in.", {"name": "login", "arguments": {"user": "ana", "password": "correct horse"}})
    html = render.render_turn(maker.turn())
    assert "correct horse" not in html
    assert "ana" in html


@pytest.mark.usefixtures("shown")
def test_secrets_are_shown_to_who_asks_for_them() -> None:
    assert mask(SECRETS["GitHub"]) == SECRETS["GitHub"]


def test_a_secret_at_the_edge_of_a_window_is_not_shown_in_halves() -> None:
    for before in range(3_900, 4_010, 7):
        maker = TurnMaker("t")
        maker.step("I read.", {"name": "read", "output": "x" * before + " " + SECRETS["GitHub"] + " " + "y" * 20_000 + SECRETS["GitHub"] + "z" * 2_000})
        html = render.render_turn(maker.turn())
        assert "a1B2" not in html
        assert "c3D4" not in html


@pytest.mark.parametrize(
    "unit",
    ["sk-", "eyJ", "eyJaaaaaaaa.", "a", "A", "AKIA", "://", "://a:", "-----BEGIN PRIVATE KEY-----", "-----BEGIN ", "Bearer ", "bearer\t", "?token=", "&",
     '"password":"', '"password": "\\', "TOKEN=", "A_", "xoxb-", "ghp_", " ", "\n", "\\n", "AIza", "github_pat_", "SG.", "=", "-", "."],
)  # fmt: skip
def test_the_time_grows_with_the_text_and_not_faster(unit: str) -> None:
    def best(length: int) -> float:
        text = "=" + unit * (length // len(unit))
        runs = []
        for _ in range(2):
            begun = time.process_time()
            mask(text)
            runs.append(time.process_time() - begun)
        return min(runs)

    # Eight times the text: eight times the time where it is linear, 64 times where it is quadratic.
    assert best(1_000_000) < 30 * max(best(125_000), 1e-3)
