"""Processes that watch folders, and waiting for their effects."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def until(happened: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait until *happened* returns something true, and fail if it does not."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen in time"
        time.sleep(0.05)


@pytest.fixture(name="until", scope="session")
def until_fixture() -> Callable[..., None]:
    """Return :func:`until`."""
    return until


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The data folder of processes."""
    return tmp_path / "data"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder to watch."""
    made = tmp_path / "docs"
    made.mkdir()
    return made


@pytest.fixture
def spawn(home: Path, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Return a function that starts a Python process with the data folder until the end."""
    mine = {"CASETRACK_HOME": str(home), "CASETRACK_MODELS": str(tmp_path / "no-models")}
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **mine},
            cwd=ROOT,
            encoding="utf-8",
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()
