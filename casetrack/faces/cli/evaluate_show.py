"""How ``casetrack eval`` shows its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.api.evaluate.measures import (
    ABSENCE_MEASURES,
    COUNTS,
    DEPTH,
    MAIN,
    MEASURES,
    PAGE_MEASURES,
    POINT_MEASURES,
)
from casetrack.faces.cli.output import Field, counted, facts, line, local_time, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from casetrack.api.evaluate import Difference, QuestionSet, Run
    from casetrack.api.evaluate.runs import Comparison, Point

_TITLES = {
    "ndcg@10": "nDCG@10",
    "recall@10": "recall@10",
    "recall@100": "recall@100",
    "mrr@10": "MRR@10",
    "page_hit@1": "page hit@1",
    "page_hit@5": "page hit@5",
    "page_hit@10": "page hit@10",
    "marked_chars": "characters marked",
    "wrong_value@1": "wrong value@1",
    "absent_told": "absent: reported",
    "present_told": "present: denied",
}
_GROUP_MEASURES = (MAIN, "hit@1", "hit@5", "hit@10", *PAGE_MEASURES, "pinpoint", "value")
_SHOWN_MEASURES = (*POINT_MEASURES, *ABSENCE_MEASURES)


def head(asked: QuestionSet, run: Run) -> None:
    """Write the settings of an evaluation."""
    count = len(run.scores)
    questions = counted(count, "question")
    if count < run.available:
        questions = f"first {count:,} of {run.available:,} questions by id"
    searched = f"{counted(run.documents, 'document')}, {counted(run.chunks, 'passage')}"
    line((asked.name, "bold"), f": {questions}; {searched}")
    legend = (
        "Figures from 0 (nothing found) to 1 (perfect). Milliseconds per search for the "
        f"{DEPTH} best passages: half and 95 % of the searches took at most so long."
    )
    line((legend, "dim"))
    line()


def results(runs: Sequence[Run]) -> None:
    """Write a row of figures for each run: ranks and times, then marked and reported answers."""
    ways = names_of(runs)
    for known, times in (((*MEASURES, *PAGE_MEASURES), (0.5, 0.95)), (_SHOWN_MEASURES, ())):
        names = _present(runs, known)
        if not times and names:
            line()
        if times or names:
            durations = [Field(f"p{share * 100:.0f} ms", "right", whole=True) for share in times]
            table(
                [Field("Search", whole=True), *map(_figure, names), *durations],
                [
                    [ways[run.id], *_scores(run.means, names), *_milliseconds(run, times)]
                    for run in runs
                ],
            )


def names_of(runs: Sequence[Run]) -> dict[str, str]:
    """Return the name of each run: its search mode, with the profile where these differ."""
    several = len({run.profile for run in runs}) > 1
    return {run.id: f"{run.label}, {run.profile}" if several else run.label for run in runs}


def groups(runs: Sequence[Run]) -> None:
    """Write the figures of each kind of question and of each language, if there are several."""
    ways = names_of(runs)
    for title, grouped in (
        ("Kind", [(run, run.means_by_kind()) for run in runs]),
        ("Language", [(run, run.means_by_language()) for run in runs]),
    ):
        if len({group for _run, groups in grouped for group in groups}) < 2:
            continue
        had = {n for _run, groups in grouped for _count, means in groups.values() for n in means}
        names = [name for name in (*_GROUP_MEASURES, *ABSENCE_MEASURES) if name in had]
        line()
        fields = [
            Field("Search", whole=True),
            Field(title, whole=True),
            Field("Questions", "right"),
        ]
        table(
            [*fields, *map(_figure, names)],
            [
                [ways[run.id], group, f"{count:,}", *_scores(means, names)]
                for run, groups in grouped
                for group, (count, means) in groups.items()
            ],
        )


def differences(compared: Iterable[tuple[Run, Run, Difference]], names: Mapping[str, str]) -> None:
    """Write how the runs differ in the main measure."""
    table(
        [Field("Compared", whole=True), Field("Measure"), *_DIFFERENCE_FIELDS],
        [
            [f"{names[second.id]} with {names[first.id]}", _TITLES[MAIN], *_difference_cells(d)]
            for first, second, d in compared
        ],
    )


def comparison(compared: Comparison) -> None:
    """Write two runs and how they differ in every measure."""
    first, second = compared.first, compared.second
    shared = len(first.scores.keys() & second.scores.keys())
    facts(
        [
            ("First", f"{first.id}  {first.label}, {local_time(first.date)}"),
            ("Second", f"{second.id}  {second.label}, {local_time(second.date)}"),
            ("Questions", f"{first.dataset}, {counted(shared, 'question')} in both"),
        ]
    )
    line()
    first_two = [Field("First", "right"), Field("Second", "right")]
    table(
        [Field("Measure", whole=True), *first_two, *_DIFFERENCE_FIELDS],
        [
            [
                _TITLES.get(d.measure, d.measure),
                *(_score(value, d.measure) for value in (d.first, d.second)),
                *_difference_cells(d),
            ]
            for d in compared.differences
        ],
    )
    line()
    for note in compared.notes:
        line((f"Note: {note}", "yellow"))


def trends(series: Iterable[Sequence[Point]]) -> None:
    """Write one table per series, newest run last."""
    for points in series:
        run = points[-1].run
        asked = counted(len(run.scores), "question")
        if len(run.scores) < run.available:
            asked = f"first {len(run.scores):,} of {run.available:,} questions"
        line((f"{run.dataset}, {run.label}", "bold"), f"  {asked}, profile {run.profile}")
        _trend(points)
        line()


def _trend(points: Sequence[Point]) -> None:
    runs = [point.run for point in points]
    names = [MAIN, "recall@100", "mrr@10", "hit@1", "hit@5", "hit@10"]
    names += _present(runs, (*PAGE_MEASURES, *_SHOWN_MEASURES))
    fields = [
        Field("Date", whole=True),
        Field("Run", whole=True),
        *(_figure(name, extra=name != MAIN) for name in names),
        Field("p50 ms", "right", whole=True, extra=True),
        Field("Change in nDCG@10", "right", whole=True),
        Field("Verdict"),
    ]
    rows = []
    for run, change in ((point.run, point.change) for point in points):
        cells = ["", "first of its kind"]
        if change:
            cells = [f"{change.difference:+.4f}", f"{change.verdict} (p = {change.p:.4f})"]
        figures = [*_scores(run.means, names), *_milliseconds(run, (0.5,))]
        rows.append([local_time(run.date), run.id, *figures, *cells])
    table(fields, rows)


_DIFFERENCE_FIELDS = (
    Field("Difference", "right", whole=True),
    Field("95 % interval", "right", whole=True),
    Field("p", "right", whole=True),
    Field("Verdict"),
)


def _difference_cells(d: Difference) -> list[str]:
    return [f"{d.difference:+.4f}", f"{d.low:+.4f} to {d.high:+.4f}", f"{d.p:.4f}", d.verdict]


def _present(runs: Sequence[Run], names: Sequence[str]) -> list[str]:
    return [n for n in names if any(n in run.means for run in runs)]


def _figure(name: str, *, extra: bool = False) -> Field:
    return Field(_TITLES.get(name, name), "right", whole=True, extra=extra)


def _scores(means: Mapping[str, float], names: Sequence[str]) -> list[str]:
    return [_score(means.get(name), name) for name in names]


def _milliseconds(run: Run, shares: Sequence[float]) -> list[str]:
    return [f"{run.percentile(share):.1f}" for share in shares]


def _score(value: float | None, name: str) -> str:
    if value is None:
        return ""
    return f"{value:.0f}" if name in COUNTS else f"{value:.4f}"
