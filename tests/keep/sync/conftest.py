"""A folder to sync, and workers that all tests share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from casetrack.parse.base import DEFAULT_OPTIONS
from casetrack.parse.workers.pool import ParsePool
from sync_case import Case

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.api.library import Library


@pytest.fixture
def case(library: Library, tmp_path: Path) -> Case:
    return Case(library, tmp_path / "files")


class _Lent:
    """A pool that stays open when its borrower is done."""

    def __init__(self, pool: ParsePool) -> None:
        self._pool = pool

    def __enter__(self) -> ParsePool:
        return self._pool

    def __exit__(self, *_: object) -> None:
        """The workers are for the next one."""


@pytest.fixture(scope="session")
def workers() -> Iterator[ParsePool]:
    """Workers with the default limits, started once."""
    with ParsePool(DEFAULT_OPTIONS.limits, 2, options=DEFAULT_OPTIONS) as pool:
        yield pool


@pytest.fixture(autouse=True)
def _quick_reading(workers: ParsePool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let all syncs share the workers: starting them takes longer than the rest."""
    monkeypatch.setattr("casetrack.ingest.batch.ParsePool", lambda *_, **__: _Lent(workers))
    monkeypatch.setattr("casetrack.ingest.batch.Batch.end_reading", lambda _: None)
