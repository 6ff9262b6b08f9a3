"""What all tests share: where files are, and a Jupyter that reads nothing of the person who runs them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
RECORDINGS = ROOT.parent / "shared" / "recordings"
NO_RECORDINGS = f"the real recordings are not here: {RECORDINGS}"


def pytest_configure(config: pytest.Config) -> None:
    """Give Jupyter and IPython empty folders: a person's own kernels, start-up files and settings must not decide whether a test passes."""
    folder = tempfile.TemporaryDirectory(prefix="agentnb-tests-", ignore_cleanup_errors=True)
    config.add_cleanup(folder.cleanup)
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR", "JUPYTERLAB_SETTINGS_DIR", "JUPYTERLAB_WORKSPACES_DIR"):
        os.environ[name] = str(Path(folder.name, name.lower()))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what reads the real recordings where these are not."""
    if RECORDINGS.is_dir():
        return
    for item in items:
        if item.get_closest_marker("recordings"):
            item.add_marker(pytest.mark.skip(reason=NO_RECORDINGS))


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def data(root: Path) -> Path:
    """The recordings that were made for this project."""
    return root / "data"


@pytest.fixture(scope="session")
def recordings() -> Path:
    """The real recordings; a test that asks for them is marked `recordings`."""
    if not RECORDINGS.is_dir():
        pytest.skip(NO_RECORDINGS)
    return RECORDINGS
