"""The demonstration: the main job on the sample case file, with and without a model."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import pytest

from casetrack.base.errors import DownloadFailed
from casetrack.base.resources import resource_dir
from casetrack.faces.cli.demo import QUESTIONS

if TYPE_CHECKING:
    from pathlib import Path

    from faces.cli.conftest import Run


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fetching a model fails, as it does without a network."""

    def fail(*_: object, **__: object) -> None:
        raise DownloadFailed("No source could be reached.", hint="Go online.")

    monkeypatch.setattr("casetrack.api.models.supplies.pull", fail)


@pytest.mark.usefixtures("offline")
def test_the_demo_works_without_a_model_and_is_quick_again(run: Run, home: Path) -> None:
    samples = [p for p in (resource_dir("data-samples") / "files").rglob("*") if p.is_file()]
    first = run("demo")
    assert first.code == 0, first.err
    assert "No source could be reached." in first.out  # the text of the fixture
    assert f"{len(samples)} files: " in first.out
    for step in range(1, 5):
        assert f"[{step}/4] " in first.out
    for question in QUESTIONS:
        assert f"? {question.text}" in first.out
    # Every question is answered with a citation.
    assert first.out.count(" | chunk ") == len(QUESTIONS)
    (folder,) = (home / "collections").iterdir()
    assert str(folder) in first.out
    commands = [row.strip() for row in first.out.splitlines() if row.startswith("  casetrack ")]
    assert len(commands) >= 3
    again = run("demo")
    assert again.code == 0
    assert f"{len(samples)} files: {len(samples)} " in again.out
    assert run(*shlex.split(commands[-2])[1:]).code == 0
