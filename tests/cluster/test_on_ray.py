"""Ray itself: what it makes of files is what one process makes, also where processes are killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import cluster_kills
from cluster.test_ingest import ends, rows

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.library import Library

pytestmark = pytest.mark.slow


@pytest.mark.timeout(1800)
def test_ray_makes_what_one_process_makes(
    library_with_model: Library, samples: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    here, there = library_with_model.create("here"), library_with_model.create("there")
    expected = here.ingest(samples)
    found = there.ingest(samples, engine="ray", on="local")
    assert ends(found) == ends(expected)
    assert rows(there) == rows(here)


@pytest.mark.timeout(3600)
def test_kills_lose_and_double_nothing(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("CASETRACK_MODELS", str(models_dir))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert cluster_kills.main(["--files", "40", "--kills", "10"]) == 0
