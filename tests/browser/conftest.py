"""A real browser: Debian's Chromium, driven by Playwright, with a page for a widget alone and a JupyterLab for the main paths."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.bench import Bench
from tests.browser.lab import Lab, running_lab

CHROMIUM = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
NO_CHROMIUM = "there is no Chromium here: apt-get install chromium"
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs the browser; without one it is skipped, with the reason, and never in CI."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None and os.environ.get("CI") != "true":
                item.add_marker(pytest.mark.skip(reason=NO_CHROMIUM))


# Playwright's loop counts as running in this thread, and whatever else wants to run one would fail: the browser goes with this package.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Chromium."""
    if CHROMIUM is None:
        pytest.fail(NO_CHROMIUM)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def bench(browser: Browser) -> Iterator[Bench]:
    """An empty page that a widget can be put into, with its kernel side in this process."""
    page = browser.new_page(viewport={"width": 1100, "height": 900})
    bench = Bench(page)
    yield bench
    assert not bench.requests, "a widget makes no request"
    assert not bench.errors, "no error in the browser's console"
    page.close()


@pytest.fixture(scope="package")
def lab(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """A JupyterLab with kernels, in folders of its own."""
    with running_lab(browser, tmp_path_factory.mktemp("lab")) as lab:
        yield lab
