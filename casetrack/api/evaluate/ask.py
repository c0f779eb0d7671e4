"""Asks every question of a set and scores the results."""

from __future__ import annotations

import functools
import platform
import secrets
import time
from collections import defaultdict
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from statistics import median
from typing import TYPE_CHECKING

from casetrack.api.evaluate.answers import same_value, shown_in
from casetrack.api.evaluate.measures import DEPTH, measures_of
from casetrack.api.evaluate.runs import Run, ShownValue
from casetrack.base.errors import Opt, UsageError
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from casetrack.api.collection import Collection
    from casetrack.api.evaluate.questions import Question, QuestionSet
    from casetrack.base.records import SearchMode, SearchResults

_PACKAGES = ("numpy", "onnxruntime", "pylance")


def measure(
    asked: QuestionSet,
    /,
    *,
    mode: SearchMode | None = None,
    stages: Sequence[str] | None = None,
    vocabulary: bool = True,
    pages: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Run:
    """Ask every question, and score the :data:`DEPTH` best passages.

    *mode*, *stages* and *vocabulary* are those of
    :meth:`casetrack.api.collection.Collection.search`. *pages* requires a set with the pages of its
    answers; pages are always scored if the set has them. *progress* receives the number of finished
    questions and the total. Raises ``UsageError`` if *pages* is set and the question set has no
    pages; ``ModelNotFound`` if the mode needs vectors and no model is installed.
    """
    if pages and not any(q.by_page for q in asked.questions):
        raise UsageError(
            f'"{asked.name}" has no pages of answers.',
            hint=f"Leave out {Opt('pages')}, or use a golden file whose answers have a page or a "
            "text.",
        )
    # The first search of a mode loads its model, which is not part of the time of a search.
    search = functools.partial(_search, asked, mode=mode, stages=stages, vocabulary=vocabulary)
    results = search(asked.questions[0])
    notes = results.notes
    scores, times, languages, steps = {}, {}, {}, defaultdict(list)
    answers: list[ShownValue] = []
    for number, question in enumerate(asked.questions, start=1):
        started = time.perf_counter()
        results = search(question)
        times[question.id] = (time.perf_counter() - started) * 1000
        for stage, milliseconds in results.stage_ms.items():
            steps[stage].append(milliseconds)
        scores[question.id] = _score(asked, question, results)
        if asked.kind == "golden":
            answers.append(_shown_value(question, results))
        # Notes on one question, such as a word that no passage contains, are not true of all.
        notes = tuple(n for n in notes if n in results.notes)
        if language := question.language or _language(results):
            languages[question.id] = language
        if progress is not None:
            progress(number, len(asked.questions))
    now, stats = datetime.now(UTC), asked.collection.stats()
    return Run(
        id=f"{now:%Y%m%d-%H%M%S}-{secrets.token_hex(2)}",
        date=now,
        versions=_versions(),
        profile=asked.collection.info.profile,
        pipelines=tuple(sorted({d.pipeline_fingerprint for d in asked.collection.documents()})),
        embedders=_embedders(asked.collection),
        mode="stages" if stages is not None else results.mode,
        stages=results.stages_used,
        dataset=asked.name,
        kind=asked.kind,
        digest=asked.digest,
        collection=asked.collection.name,
        documents=stats.document_count,
        chunks=stats.chunk_count,
        available=asked.available,
        scores=scores,
        kinds={q.id: q.kind for q in asked.questions if q.kind},
        languages=languages,
        vocabulary=vocabulary,
        milliseconds=times,
        stage_milliseconds={stage: median(values) for stage, values in steps.items()},
        notes=tuple(dict.fromkeys((*asked.notes, *notes))),
        answers=tuple(answers),
    )


def _search(
    asked: QuestionSet,
    question: Question,
    *,
    mode: SearchMode | None,
    stages: Sequence[str] | None,
    vocabulary: bool,
) -> SearchResults:
    return asked.collection.search(
        question.text,
        limit=DEPTH,
        mode=mode,
        stages=stages,
        document=question.document_id,
        vocabulary=vocabulary,
    )


def _score(asked: QuestionSet, question: Question, results: SearchResults) -> dict[str, float]:
    # A question without an answer has no correct rank.
    places = (
        {}
        if question.absent
        else measures_of(asked.judge.ranks(question, results), question.relevant)
    )
    return places | asked.judge.details(question, results)


def _shown_value(question: Question, results: SearchResults) -> ShownValue:
    """Return the value that is shown, judged by the values of the question."""
    best = shown_in(results) or next(iter(results), None)
    answer = None if best is None else best.answer
    verdict = "none"
    if answer is not None:
        is_right = any(same_value(answer.text, value) for value in question.values)
        is_judged = question.values or question.absent
        verdict = ("right" if is_right else "wrong") if is_judged else "unjudged"
    return {
        "id": question.id,
        "question": question.text,
        "kind": question.kind,
        "document": None if best is None else best.provenance.document_name,
        "expected": question.values,
        "shown": None if answer is None else answer.text,
        "verdict": verdict,
    }


def _language(results: SearchResults) -> str:
    """Return the detected language of the question, or its script.

    Most questions in Latin script are too short for detection; other scripts are reported.
    """
    reading = results.reading
    if reading is None:
        return ""
    return reading.language or (reading.script if reading.script != "Latin" else None) or ""


def _embedders(collection: Collection) -> tuple[str, ...]:
    """Return the fingerprints of the models of the collection's chunks."""
    column = collection.workspace.state().snapshot.scan(("embedders",))["embedders"]
    return tuple(sorted({name for names in column.to_pylist() for name in names or ()}))


def _versions() -> dict[str, str]:
    versions = {"casetrack": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed as a package"
    return versions
