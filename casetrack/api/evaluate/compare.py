"""Comparison of two stored runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.measures import ALL_MEASURES, MAIN, Difference, compare_scores
from casetrack.base.errors import See, UsageError
from casetrack.base.provenance import iso_utc

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.api.evaluate.runs import Run


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, their difference in every measure, and their different settings."""

    first: Run
    second: Run
    differences: tuple[Difference, ...]
    notes: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "first": self.first.summary(),
            "second": self.second.summary(),
            "differences": [d.as_dict() for d in self.differences],
            "notes": list(self.notes),
        }


def compare_runs(first: Run, second: Run, /) -> Comparison:
    """Compare two runs on their common questions.

    Raises ``UsageError`` if they use different sets of questions.
    """
    if first.digest != second.digest:
        raise UsageError(
            f"The runs use different questions: {first.id} of {_name(first)}, {second.id} of "
            f"{_name(second)}.",
            hint="Only runs over the same, unchanged data set can be compared; "
            f"{See('eval', history=True)} lists them.",
        )
    differences = compare_scores(first.scores, second.scores, ALL_MEASURES)
    return Comparison(first, second, tuple(differences), tuple(_notes(first, second)))


def _name(run: Run) -> str:
    return f"{run.dataset} ({run.digest})"


def _notes(first: Run, second: Run) -> list[str]:
    notes = []
    shared = len(first.scores.keys() & second.scores.keys())
    if shared < max(len(first.scores), len(second.scores)):
        notes.append(f"Only the {shared:,} questions of both runs are compared.")
    if (first.documents, first.chunks) != (second.documents, second.chunks):
        notes.append(
            f"The runs searched different collections: {first.documents:,} documents in "
            f"{first.chunks:,} passages, and {second.documents:,} in {second.chunks:,}."
        )
    if first.profile != second.profile:
        notes.append(f"The profiles differ: {first.profile}, then {second.profile}.")
    if first.pipelines != second.pipelines:
        notes.append("The pipelines or models of the passages differ.")
    return notes


# The trend of stored runs: each with the previous run of the same questions and mode.


@dataclass(frozen=True, slots=True)
class Point:
    """A run of a trend; ``change`` compares it with the previous run, ``None`` for the first."""

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
    """Return one list of points per series, oldest first; the most recent series is last."""
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
