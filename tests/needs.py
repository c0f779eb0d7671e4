"""Selects the cases of the README's test line and those of the slow suite.

``@pytest.mark.needs("chromium")`` marks tests that need more than Python's packages. They belong to
the slow suite, so that the test line runs the same cases on every machine. If their program or
data is missing, they are skipped with the command that enables them.

``@pytest.mark.sampled(3)`` leaves all but three evenly chosen cases of a test to the slow suite.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import shutil
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from casetrack.parse.legacy.libreoffice import find_libreoffice
from headless import chromium

if TYPE_CHECKING:
    from collections.abc import Callable

CHECKOUT = Path(__file__).parent.parent
FIXTURES = {"browser": "chromium", "corpus": "corpus"}
"""A test with this fixture has this need."""


def corpora() -> Path | None:
    """Return the folder of the sample corpora, if this machine has it."""
    home = os.environ.get("CASETRACK_TEST_DATA")
    folder = Path(home) if home else CHECKOUT.parent / "shared" / "data"
    return folder if folder.is_dir() else None


def _browser() -> str | None:
    # It is driven over inherited pipes, which Windows lacks.
    return None if sys.platform == "win32" else chromium()


def _tesseract() -> bool:
    from casetrack.base.config import OcrSettings
    from casetrack.base.errors import OcrUnavailable
    from casetrack.parse.ocr.choose import choose_engine

    try:
        choose_engine(OcrSettings("tesseract", "eng"), CHECKOUT / ".cache" / "models")
    except OcrUnavailable:
        return False
    return True


NEEDS: dict[str, tuple[Callable[[], object], str]] = {
    "chromium": (_browser, "apt-get install chromium"),
    "libreoffice": (
        find_libreoffice,
        "apt-get install libreoffice-writer-nogui libreoffice-impress-nogui",
    ),
    "tesseract": (_tesseract, "apt-get install tesseract-ocr-{eng,deu,fra,spa}"),
    "npm": (lambda: shutil.which("npm"), "apt-get install npm"),
    "cc": (lambda: shutil.which("cc"), "apt-get install gcc libc6-dev"),
    "uv": (lambda: shutil.which("uv"), "pip install uv"),
    "lancedb": (lambda: importlib.util.find_spec("lancedb"), 'pip install -e ".[lancedb]"'),
    "ray": (lambda: importlib.util.find_spec("ray"), 'pip install -e ".[ray]"'),
    "corpus": (corpora, "export CASETRACK_TEST_DATA=FOLDER"),
}


@functools.cache
def missing(name: str, /) -> str | None:
    """Return why a test cannot run here, with the command that enables it, or ``None``."""
    is_there, command = NEEDS[name]
    return None if is_there() else f"needs {name}: {command}"


def _needs_of(item: pytest.Item) -> set[str]:
    marked = {name for mark in item.iter_markers("needs") for name in mark.args}
    return marked | {FIXTURES[n] for n in getattr(item, "fixturenames", ()) if n in FIXTURES}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests that need something, and cases beyond a sample, into the slow suite."""
    sampled = defaultdict(list)
    for item in items:
        if _needs_of(item):
            item.add_marker("slow")
        if mark := item.get_closest_marker("sampled"):
            sampled[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, count), cases in sampled.items():
        chosen = {i * len(cases) // count for i in range(count)}
        for number, item in enumerate(cases):
            if number not in chosen:
                item.add_marker("slow")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip tests that cannot run on this machine."""
    for reason in sorted(filter(None, map(missing, _needs_of(item)))):
        pytest.skip(reason)


@pytest.fixture(scope="session")
def corpus() -> Callable[[str], Path]:
    """Return a folder of the sample corpora by name."""

    def find(name: str) -> Path:
        base = corpora()
        if base is None or not (base / name).exists():
            pytest.skip(f"{name}: {NEEDS['corpus'][1]}")
        return base / name

    return find
