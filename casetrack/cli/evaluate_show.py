"""How ``casetrack eval`` shows its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.cli.output import Field, counted, facts, line, local_time, table
from casetrack.evaluate.measures import DEPTH, MAIN, MEASURES, PAGE_MEASURES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.evaluate import Difference, QuestionSet, Run
    from casetrack.evaluate.compare import Comparison
    from casetrack.evaluate.history import Point

_TITLES = {
    "ndcg@10": "nDCG@10",
    "recall@10": "recall@10",
    "recall@100": "recall@100",
    "mrr@10": "MRR@10",
    "page_hit@1": "page hit@1",
    "page_hit@5": "page hit@5",
    "page_hit@10": "page hit@10",
}
_GROUP_MEASURES = (MAIN, "hit@1", "hit@5", "hit@10", *PAGE_MEASURES)


def head(asked: QuestionSet, run: Run) -> None:
    """Say what was asked of what."""
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
    """Write one row of figures per run."""
    names = _present(runs)
    fields = [
        Field("Search", whole=True),
        *(_figure(name) for name in names),
        Field("p50 ms", "right", whole=True),
        Field("p95 ms", "right", whole=True),
    ]
    table(
        fields,
        [
            [
                run.label,
                *(_score(run.means.get(name)) for name in names),
                f"{run.percentile(0.5):.1f}",
                f"{run.percentile(0.95):.1f}",
            ]
            for run in runs
        ],
    )


def groups(runs: Sequence[Run]) -> None:
    """Write the figures of each kind of question, where there are several kinds."""
    names = [n for n in _present(runs) if n in _GROUP_MEASURES]
    rows = [
        [run.label, kind, f"{count:,}", *(_score(means.get(name)) for name in names)]
        for run in runs
        for kind, (count, means) in run.means_by_kind().items()
    ]
    if len({row[1] for row in rows}) < 2:
        return
    line()
    fields = [Field("Search", whole=True), Field("Kind", whole=True), Field("Questions", "right")]
    table([*fields, *(_figure(name) for name in names)], rows)


def differences(compared: Iterable[tuple[Run, Run, Difference]]) -> None:
    """Write how the runs differ in the main measure."""
    _difference_table(
        "Compared",
        [(f"{second.label} with {first.label}", d) for first, second, d in compared],
        measure=_TITLES[MAIN],
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
    fields = [
        Field("Measure", whole=True),
        Field("First", "right"),
        Field("Second", "right"),
        *_DIFFERENCE_FIELDS,
    ]
    table(
        fields,
        [
            [
                _TITLES.get(d.measure, d.measure),
                _score(d.first),
                _score(d.second),
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
    names = (MAIN, "recall@100", "mrr@10", "hit@1", "hit@5", "hit@10")
    fields = [
        Field("Date", whole=True),
        Field("Run", whole=True),
        *(_figure(name, extra=name != MAIN) for name in names),
        Field("p50 ms", "right", whole=True, extra=True),
        Field("Change in nDCG@10", "right", whole=True),
        Field("Verdict"),
    ]
    rows = []
    for point in points:
        run, change = point.run, point.change
        rows.append(
            [
                local_time(run.date),
                run.id,
                *(_score(run.means.get(name)) for name in names),
                f"{run.percentile(0.5):.1f}",
                f"{change.difference:+.4f}" if change else "",
                f"{change.verdict} (p = {change.p:.4f})" if change else "first of its kind",
            ]
        )
    table(fields, rows)


_DIFFERENCE_FIELDS = (
    Field("Difference", "right", whole=True),
    Field("95 % interval", "right", whole=True),
    Field("p", "right", whole=True),
    Field("Verdict"),
)


def _difference_table(title: str, rows: Sequence[tuple[str, Difference]], *, measure: str) -> None:
    fields = [Field(title, whole=True), Field("Measure"), *_DIFFERENCE_FIELDS]
    table(fields, [[name, measure, *_difference_cells(d)] for name, d in rows])


def _difference_cells(d: Difference) -> list[str]:
    return [f"{d.difference:+.4f}", f"{d.low:+.4f} to {d.high:+.4f}", f"{d.p:.4f}", d.verdict]


def _present(runs: Sequence[Run]) -> list[str]:
    return [n for n in (*MEASURES, *PAGE_MEASURES) if any(n in run.means for run in runs)]


def _figure(name: str, *, extra: bool = False) -> Field:
    return Field(_TITLES.get(name, name), "right", whole=True, extra=extra)


def _score(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"
