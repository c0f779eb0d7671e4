"""Fixtures shared by all tests: the corpora, a models folder, a data folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.config import load_settings
from casetrack.library import Library

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

CHECKOUT = Path(__file__).parent.parent


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--regen", action="store_true", help="write golden files anew; tests that do so then fail"
    )


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[Path, str], None]:
    """Compare text with a golden file; a missing one fails, and so does writing it."""

    def compare(path: Path, text: str) -> None:
        if request.config.getoption("--regen"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            pytest.fail(f"{path.name} was written; run again without --regen")
        assert path.is_file(), f"golden file {path} is missing; run pytest --regen once"
        assert text == path.read_text(encoding="utf-8")

    return compare


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """Return a folder of the test corpora by name, or skip where they are not on this machine."""
    home = os.environ.get("CASETRACK_TEST_DATA")
    base = Path(home) if home else CHECKOUT.parent / "shared" / "data"

    def find(name: str) -> Path:
        folder = base / name
        if not folder.exists():
            pytest.skip(f"test corpus {name!r} is not on this machine (set CASETRACK_TEST_DATA)")
        return folder

    return find


@pytest.fixture(scope="session")
def models_dir() -> Path:
    """Return a folder with the embedded model, pulled once and kept in the checkout's cache."""
    from casetrack.models.pull import pull

    home = os.environ.get("CASETRACK_MODELS")
    folder = Path(home) if home else CHECKOUT / ".cache" / "models"
    pull("mini", folder)
    return folder


@pytest.fixture(scope="session")
def samples() -> Path:
    """Return the sample case file."""
    return CHECKOUT / "data-samples" / "files"


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Library:
    """Return an empty library without a model: what it does must not need one."""
    monkeypatch.setenv("CASETRACK_MODELS", str(tmp_path / "no-models"))
    return Library(load_settings(tmp_path / "data"))


@pytest.fixture
def library_with_model(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, models_dir: Path
) -> Iterator[Library]:
    """Return an empty library that embeds."""
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    yield Library(load_settings(tmp_path / "data"))
