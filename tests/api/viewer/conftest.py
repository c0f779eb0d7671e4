"""A headless Chromium, and the pages that tests show in it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from api.viewer.browsing import WATCH
from casetrack.api.library import Library
from casetrack.base.config import load_settings
from headless import Browser, chromium

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.api.collection import Collection


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A headless Chromium."""
    opened = Browser(str(chromium()), tmp_path_factory.mktemp("profile"))
    yield opened
    opened.close()


@pytest.fixture
def watched(browser: Browser) -> Iterator[Browser]:
    """The browser; nothing may have gone wrong in it, and nothing may have been loaded."""
    number = browser.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH)["identifier"]
    yield browser
    browser.call("Page.removeScriptToEvaluateOnNewDocument", identifier=number)
    browser.call("Emulation.setEmulatedMedia", media="")
    assert browser.js("problems") == []
    assert [r for r in browser.requests if not r.startswith(("file:", "data:"))] == []


@pytest.fixture
def bare(tmp_path: Path) -> Library:
    """A library without a model."""
    settings = load_settings(tmp_path / "home")
    return Library(replace(settings, models_dir=tmp_path / "none"))


@pytest.fixture(scope="session")
def demo_report(demo: Collection) -> str:
    """The report of the sample case file, with its pictures."""
    return demo.report(made=datetime(2026, 3, 1, 12, 0, tzinfo=UTC))
