"""The share of a recogniser specification's date cases that the finder gets right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from extract.recognizers_dates import score

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FLOORS = {
    "DateExtractor": 0.92,
    "DatePeriodExtractor": 0.92,
    "DateParser": 0.92,
    "DatePeriodParser": 0.90,
    "DateTimeModel dates": 0.90,
    "DateTimeModel date of a time": 0.90,
    "DateTimeModel open-ended": 0.80,
    "DateTimeModel no date": 0.92,
}


@pytest.mark.corpus
def test_share_of_the_specification(corpus: Callable[[str], Path]) -> None:
    counts = score(corpus("recognizers") / "DateTime")
    below = {
        kind: f"{counts[kind].right} of {counts[kind].total}"
        for kind, floor in FLOORS.items()
        if counts[kind].share < floor
    }
    assert not below


FILES = ("DateExtractor", "DatePeriodExtractor", "DateParser", "DatePeriodParser")


def test_a_case_without_a_type_is_scored_by_its_values(tmp_path: Path) -> None:
    """The specification leaves out what a result is where only its values tell it."""
    for name in FILES:
        (tmp_path / f"{name}.json").write_text("[]", "utf-8")
    value = {"timex": "2031-04-05", "type": "date", "value": "2031-04-05"}
    cases = [
        {"Input": "due 2031-04-05", "Results": [{"Text": "2031-04-05", **more}]}
        for more in ({"Resolution": {"values": [value]}}, {"Resolution": None}, {})
    ]
    (tmp_path / "DateTimeModel.json").write_text(json.dumps(cases), "utf-8")
    counts = score(tmp_path)
    totals = {kind: (c.right, c.total) for kind, c in counts.items() if "everywhere" not in kind}
    assert totals == {"DateTimeModel dates": (1, 1), "DateTimeModel type not told": (2, 2)}
