"""Runs: scores with time and settings, stored as JSON below ``<data dir>/eval/runs``."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from casetrack.api.evaluate.measures import (
    ALL_MEASURES,
    MAIN,
    Difference,
    compare_scores,
    mean_of,
    percentile,
)
from casetrack.base.config import Settings
from casetrack.base.errors import CaseTrackError, FileNotFound, See, UsageError
from casetrack.base.files import storage_errors, write_json
from casetrack.base.provenance import iso_utc
from casetrack.base.records.cards import Card, Fact

if TYPE_CHECKING:
    from collections.abc import Iterable

FORMAT = 1
_DIGITS = 6
_SINGLE = ("scores", "kinds", "languages", "milliseconds", "answers")
"""Fields of a stored run with values of single questions."""
_LEAST_SHARE = 1 / 20


class ShownValue(TypedDict):
    """A value that search showed, or ``None``.

    *verdict* is ``right``, ``wrong``, ``none``, or ``unjudged`` if the question has no ``value``.
    """

    id: str
    question: str
    kind: str
    document: str | None  # of the first result
    expected: tuple[str, ...]
    shown: str | None
    verdict: str


@dataclass(frozen=True, slots=True, repr=False)
class Run(Card):
    """One set of questions, asked in one way.

    Attributes
    ----------
    id
        Date and time with random characters; the name of its file.
    pipelines, embedders
        Fingerprints of the pipelines of the chunks and of the models of their vectors.
    mode
        A search mode, or ``stages`` if the signals were named.
    stages
        The signals of the search.
    dataset, kind, digest
        Name, layout (``beir`` or ``golden``) and fingerprint of the question set.
    available
        Number of questions of the set; *scores* can have fewer.
    scores
        Question id to measure to score, 0..1.
    kinds
        Question id to the author's group.
    languages
        Question id to the language of the author or of the search; if the search is not sure, the
        script, unless it is Latin.
    vocabulary
        Whether the search also used synonyms of the collection.
    milliseconds
        Question id to the time of its search.
    stage_milliseconds
        Median time of each stage.
    answers
        The value that the first result showed for each question of a golden file.
    """

    id: str
    date: datetime
    versions: Mapping[str, str]
    profile: str
    pipelines: tuple[str, ...]
    embedders: tuple[str, ...]
    mode: str
    stages: tuple[str, ...]
    dataset: str
    kind: str
    digest: str
    collection: str
    documents: int
    chunks: int
    available: int
    scores: Mapping[str, Mapping[str, float]]
    kinds: Mapping[str, str]
    milliseconds: Mapping[str, float]
    stage_milliseconds: Mapping[str, float]
    notes: tuple[str, ...] = ()
    languages: Mapping[str, str] = field(default_factory=dict)
    vocabulary: bool = True
    answers: tuple[ShownValue, ...] = ()
    means: Mapping[str, float] = field(init=False)

    def __post_init__(self) -> None:
        """Compute the means once."""
        object.__setattr__(self, "means", mean_of(self.scores.values()))

    @property
    def label(self) -> str:
        """Short label of the search: the mode, or the signals."""
        way = " + ".join(self.stages) if self.mode == "stages" else self.mode
        return way if self.vocabulary else f"{way} without vocabulary"

    @property
    def series(self) -> tuple[str, ...]:
        """Return the properties that all runs of one trend share."""
        return (self.dataset, self.digest, self.label, self.profile, str(len(self.scores)))

    def _title(self) -> str:
        return f"{self.dataset} in {self.collection}, {self.label}: {len(self.scores):,} questions"

    def _facts(self) -> list[Fact]:
        return [
            *self.means.items(),
            ("time of a search", self._times() if self.milliseconds else None),
            ("searched", f"{self.documents:,} documents, {self.chunks:,} chunks"),
            ("profile", self.profile),
            ("date", self.date),
            ("id", self.id),
            *(("note", note) for note in self.notes),
        ]

    def _times(self) -> str:
        half, most = self.percentile(0.5), self.percentile(0.95)
        return f"half within {half:.0f} ms, 95 % within {most:.0f} ms"

    def percentile(self, share: float, /) -> float:
        """Return the time in milliseconds within which a *share* (0..1) of the searches ended."""
        return percentile(list(self.milliseconds.values()), share)

    def means_by_kind(self) -> dict[str, tuple[int, dict[str, float]]]:
        """Return the number of questions of each group, and their means."""
        return self._grouped(self.kinds)

    def means_by_language(self) -> dict[str, tuple[int, dict[str, float]]]:
        """Return the number of questions in each language, and their means.

        Languages with less than 5 % of the questions are summed up as ``other``.
        """
        often = Counter(self.languages.values())
        least = len(self.scores) * _LEAST_SHARE
        return self._grouped(
            {q: one if often[one] >= least else "other" for q, one in self.languages.items()}
        )

    def _grouped(self, group_of: Mapping[str, str]) -> dict[str, tuple[int, dict[str, float]]]:
        groups: dict[str, list[Mapping[str, float]]] = {}
        for question, group in group_of.items():
            groups.setdefault(group, []).append(self.scores[question])
        return {group: (len(s), mean_of(s)) for group, s in sorted(groups.items())}

    def summary(self) -> dict[str, Any]:
        """Return the JSON form without values of single questions."""
        raw = self.as_dict()
        for single in _SINGLE:
            del raw[single]
        for name, groups in (
            ("kinds", self.means_by_kind()),
            ("languages", self.means_by_language()),
        ):
            raw[name] = {k: {"questions": n, "means": _rounded(m)} for k, (n, m) in groups.items()}
        return raw

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, as it is stored."""
        raw = {"format": FORMAT, **asdict(self), "date": self.date.isoformat()}
        raw["questions"] = len(self.scores)
        raw["p50_ms"], raw["p95_ms"] = (
            round(self.percentile(0.5), 3),
            round(self.percentile(0.95), 3),
        )
        raw["means"] = _rounded(self.means)
        raw["stage_milliseconds"] = _rounded(self.stage_milliseconds)
        raw["milliseconds"] = _rounded(self.milliseconds)
        # Single questions go last, so that a reader of the file sees the means first.
        for single in _SINGLE:
            raw[single] = raw.pop(single)
        return raw


def runs_dir(settings: Settings, /) -> Path:
    """Return the folder of all runs."""
    return settings.data_dir / "eval" / "runs"


def save_run(run: Run, settings: Settings, /) -> Path:
    """Store a run, and return its file.

    Raises ``NotWritable``, ``DiskFull`` or ``StorageError`` if the data folder cannot be written.
    """
    path = runs_dir(settings) / f"{run.id}.json"
    write_json(path, run.as_dict())
    return path


def load_run(path: Path, /) -> Run:
    """Read a stored run.

    Raises ``FileNotFound`` if it does not exist; ``UsageError`` if it is not a run of a known
    version.
    """
    if not path.is_file():
        raise FileNotFound(path)
    try:
        with storage_errors(path):
            data = path.read_bytes()
        raw = json.loads(data)
        if raw["format"] != FORMAT:
            raise UsageError(
                f"{path} has format {raw['format']}; this version of CaseTrack reads {FORMAT}.",
                hint="Measure again, or install the newest version.",
            )
        raw["date"] = datetime.fromisoformat(raw["date"])
        for name in ("pipelines", "embedders", "stages", "notes", "answers"):
            raw[name] = tuple(raw[name])
        return Run(**{f.name: raw[f.name] for f in fields(Run) if f.init})
    except (ValueError, KeyError, TypeError) as error:
        raise UsageError(
            f"{path} is not a stored run of {See('eval')}.",
            hint=f"{See('eval', history=True)} lists the runs.",
        ) from error


def find_run(asked: str, settings: Settings, /) -> Run:
    """Return the run of an id, of the start of one, or of a file.

    Raises ``UsageError`` if no run matches, or several do.
    """
    if asked.endswith(".json"):
        return load_run(Path(asked))
    ids = sorted(p.stem for p in runs_dir(settings).glob("*.json"))
    fits = [asked] if asked in ids else [i for i in ids if asked and i.startswith(asked)]
    if len(fits) == 1:
        return load_run(runs_dir(settings) / f"{fits[0]}.json")
    if fits:
        lines = "\n".join(f"  - {i}" for i in fits)
        raise UsageError(
            f'{len(fits)} runs begin with "{asked}":\n{lines}', hint="Enter a whole id."
        )
    raise UsageError(
        f'There is no run "{asked}" in {runs_dir(settings)}.',
        hint=f"{See('eval', history=True)} lists the runs.",
    )


def stored_runs(settings: Settings, /) -> tuple[list[Run], list[str]]:
    """Return all stored runs, oldest first, and notes on files that are not runs."""
    runs, notes = [], []
    for path in sorted(runs_dir(settings).glob("*.json")):
        try:
            runs.append(load_run(path))
        except CaseTrackError as error:
            notes.append(f"Left out: {error.message}")
    return sorted(runs, key=lambda r: (r.date, r.id)), notes


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {name: round(value, _DIGITS) for name, value in values.items()}


# Comparison of two stored runs.


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
