"""The trend of stored runs: each beside the one before it of the same questions and mode."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.measures import MAIN
from casetrack.api.evaluate.significance import compare_scores
from casetrack.base.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.api.evaluate.runs import Run
    from casetrack.api.evaluate.significance import Difference


@dataclass(frozen=True, slots=True)
class Point:
    """A run of a trend; ``change`` is against the run before it, ``None`` for the first."""

    run: Run
    change: Difference | None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        run = self.run
        return {
            "run": run.id,
            "date": iso_utc(run.date),
            "dataset": run.dataset,
            "digest": run.digest,
            "mode": run.mode,
            "stages": list(run.stages),
            "profile": run.profile,
            "questions": len(run.scores),
            "means": {name: round(value, 6) for name, value in run.means.items()},
            "p50_ms": round(run.percentile(0.5), 3),
            "change": self.change.as_dict() if self.change else None,
        }


def trends(runs: Iterable[Run], /) -> list[list[Point]]:
    """Return one list of points per series, oldest first; the series changed last comes last."""
    series: dict[tuple[str, ...], list[Run]] = {}
    for run in sorted(runs, key=lambda r: (r.date, r.id)):
        series.setdefault(run.series, []).append(run)
    ordered = sorted(series.values(), key=lambda some: (some[-1].dataset, some[-1].date))
    return [_points(some) for some in ordered]


def _points(runs: list[Run]) -> list[Point]:
    points = [Point(runs[0], None)]
    for before, run in pairwise(runs):
        change = compare_scores(before.scores, run.scores, [MAIN])
        points.append(Point(run, change[0] if change else None))
    return points
