"""The share of a recogniser specification's date cases that the finder gets right."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


def test_share_of_the_specification(corpus: Callable[[str], Path]) -> None:
    counts = score(corpus("recognizers") / "DateTime")
    below = {
        kind: f"{counts[kind].right} of {counts[kind].total}"
        for kind, floor in FLOORS.items()
        if counts[kind].share < floor
    }
    assert not below
