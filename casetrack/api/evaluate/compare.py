"""Two stored runs beside each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.measures import ALL_MEASURES
from casetrack.api.evaluate.significance import compare_scores
from casetrack.base.errors import UsageError

if TYPE_CHECKING:
    from casetrack.api.evaluate.runs import Run
    from casetrack.api.evaluate.significance import Difference


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two runs, how they differ in every measure, and what else differs between them."""

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
    """Compare two runs over the questions that both have.

    Raises
    ------
    UsageError
        They are of different sets of questions.
    """
    if first.digest != second.digest:
        raise UsageError(
            f"The runs are of different questions: {first.id} of {_name(first)}, {second.id} of "
            f"{_name(second)}.",
            hint="Only runs over the same, unchanged data set can be compared; "
            "`casetrack eval --history` lists them.",
        )
    differences = compare_scores(first.scores, second.scores, ALL_MEASURES)
    return Comparison(first, second, tuple(differences), tuple(_notes(first, second)))


def _name(run: Run) -> str:
    return f"{run.dataset} ({run.digest})"


def _notes(first: Run, second: Run) -> list[str]:
    notes = []
    shared = len(first.scores.keys() & second.scores.keys())
    if shared < max(len(first.scores), len(second.scores)):
        notes.append(f"Only the {shared:,} questions that both runs asked are compared.")
    if (first.documents, first.chunks) != (second.documents, second.chunks):
        notes.append(
            f"The runs searched different amounts: {first.documents:,} documents in "
            f"{first.chunks:,} passages, and {second.documents:,} in {second.chunks:,}."
        )
    if first.profile != second.profile:
        notes.append(f"The profiles differ: {first.profile}, then {second.profile}.")
    if first.pipelines != second.pipelines:
        notes.append("The passages were made in different ways (another pipeline or model).")
    return notes
