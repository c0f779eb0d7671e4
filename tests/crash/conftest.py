"""Shared parts of the crash tests: a data folder per operation, and processes to kill."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import older_form
from tests.crash.bench import Bench, workbench


@pytest.fixture(scope="module", autouse=True)
def _older_form() -> Iterator[None]:
    with older_form.known():
        yield


@pytest.fixture(scope="session")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """Return the bench; its processes end with the session."""
    with workbench(tmp_path_factory.mktemp("crash")) as made:
        yield made
