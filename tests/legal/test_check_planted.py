"""Errors of ten kinds, planted into briefs over the opinions of the sample case, are all found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.cite_check import KINDS, Opinion, measure, write_opinions
from casetrack.config import load_settings
from casetrack.library import Library

SAMPLES = Path(__file__).parents[2] / "data-samples" / "case" / "Opinions"


@pytest.mark.slow
def test_planted_errors_are_found_and_nothing_else(tmp_path: Path) -> None:
    opinions = [_opinion(path) for path in sorted(SAMPLES.glob("*.txt"))]
    folder = tmp_path / "Opinions"
    folder.mkdir()
    write_opinions(opinions, folder)
    case = Library(load_settings(tmp_path / "data")).create("Briefs")
    case.ingest([folder], progress=False)
    outcome = measure(case, opinions, tmp_path, errors=2 * len(KINDS))
    assert outcome.missed == ()
    assert outcome.false == 0


def _opinion(path: Path) -> Opinion:
    """Read an opinion whose first line says where it is reported."""
    text = path.read_text(encoding="utf-8")
    head, _, body = text.partition("\n")
    told = re.fullmatch(r"(\d+) (.+) (\d+) \((\d+)\)", head.strip())
    assert told is not None
    name = path.stem
    short = name.split(" v. ")[0].split()[0]
    return Opinion(name, short, int(told[1]), told[2], int(told[3]), int(told[4]), body)
