"""Gain and cost of each profile, measured on the user's own questions."""

from __future__ import annotations

import functools
import hashlib
import platform
import secrets
import time
from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.answers import Answer, AnswerJudge, Pages, same_value, shown_in
from casetrack.api.evaluate.beir import in_profile
from casetrack.api.evaluate.measures import DEPTH, MAIN, Difference, compare_scores, measures_of
from casetrack.api.evaluate.questions import Question, QuestionSet
from casetrack.api.evaluate.runs import Run, ShownValue, save_run
from casetrack.api.models import listing, pulling
from casetrack.base.errors import DownloadFailed, Opt, UsageError
from casetrack.base.models.profiles import PROFILES, Profile
from casetrack.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.models.spec import Progress
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


ADVISED = (MAIN, "hit@1")
"""Measures of the gain."""
_SAMPLE = 24
"""Passages that are encoded to measure the time of adding documents."""
_FEW = 30
"""Below this number of questions only large differences are clear."""


@dataclass(frozen=True, slots=True)
class Advice:
    """The measured gain and cost of a profile, or why it was not measured."""

    profile: Profile
    reason: str = ""  # why it was not measured
    run: Run | None = None
    gains: tuple[Difference, ...] = ()  # from the collection's own profile, for :data:`ADVISED`
    passage_ms: float | None = None  # time to encode a passage, all its outputs
    size: int = 0  # bytes of the installed models, or about those of the download

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "profile": self.profile.name,
            "measured": self.run is not None,
            "reason": self.reason or None,
            "means": {} if self.run is None else {n: self.run.means[n] for n in ADVISED},
            "gains": [gain.as_dict() for gain in self.gains],
            "search_ms": None if self.run is None else self.run.percentile(0.5),
            "passage_ms": self.passage_ms,
            "bytes": self.size,
        }


def noted_questions(collection: Collection, /, *, marked: Collection) -> QuestionSet:
    """Make questions from the notes on passages of *marked*: the passage answers its note.

    *collection* is searched; it has the same documents. Raises ``UsageError`` if there is no such
    note.
    """
    questions, answers = [], {}
    for number, placed in enumerate(marked.marks.all()):
        mark, quote = placed.mark, placed.quote
        if quote is None or not mark.note or mark.text is None or mark.document_id is None:
            continue
        key = str(number)
        questions.append(Question(key, mark.note, {"0": 1}, by_page=True))
        answers[key] = (Answer(mark.document_id, mark.page, mark.text, "most", ""),)
    if not questions:
        raise UsageError(
            f'No passage of the collection "{marked.name}" is marked with a note.',
            hint="Write a file of questions (docs/evaluation.md) and name it with --golden FILE.",
        )
    texts = "\n".join(f"{q.text}\t{answers[q.id][0]}" for q in questions)
    return QuestionSet(
        name=f"{marked.name}: notes",
        kind="golden",
        digest=hashlib.sha256(texts.encode()).hexdigest()[:16],
        collection=collection,
        questions=tuple(questions),
        judge=AnswerJudge(answers, Pages(collection)),
        available=len(questions),
        notes=("The questions are the notes on marked passages.",),
    )


def advise(
    library: Library,
    collection: Collection,
    questions: Callable[[Collection], QuestionSet],
    progress: Progress,
    /,
    *,
    profiles: tuple[str, ...] = (),
    pull: bool = False,
) -> Iterator[Advice]:
    """Measure each installed profile on questions, the collection's own first.

    *questions* opens the questions for a copy of the collection. *profiles* are the only measured
    ones. With *pull* missing models are downloaded. Runs are stored as by the evaluation. Raises
    ``UsageError`` if the questions do not fit the collection.
    """
    own = collection.info.profile
    chosen = sorted(
        (p for p in PROFILES if p.name == own or not profiles or p.name in profiles),
        key=lambda p: p.name != own,
    )
    first: Run | None = None
    for profile in chosen:
        size, reason = _presence(library, profile, progress, pull=pull)
        if reason and profile.name != own:
            yield Advice(profile, reason, size=size)
            continue
        searched = in_profile(collection, profile.name, library, progress)
        asked = questions(searched)
        run = measure(asked, progress=lambda done, of: progress("asking", done, of))
        save_run(run, library.settings)
        gains = () if first is None else compare_scores(first.scores, run.scores, ADVISED)
        first = first or run
        cost = None if reason else _passage_ms(library, searched)
        yield Advice(profile, "", run, tuple(gains), cost, size)


def few_questions(count: int, /) -> str:
    """Return a note on a small number of questions, or an empty text."""
    return f"Only {count} questions: differences must be large to be clear." if count < _FEW else ""


def _presence(
    library: Library, profile: Profile, progress: Progress, *, pull: bool
) -> tuple[int, str]:
    """Return the bytes of a profile's models, and why it cannot be measured."""
    if not profile.models:
        return 0, "a service computes its vectors; texts would leave this machine"
    models_dir = library.settings.models_dir
    present, failed = listing.installed(models_dir), ""
    if pull and any(spec.name not in present for spec in profile.models):
        try:
            pulling.pull(profile.name, models_dir, progress)
        except DownloadFailed as error:
            first, *reasons = (line.strip(" -") for line in error.message.splitlines())
            failed = f" ({'; '.join(reasons) or first})"
        present = listing.installed(models_dir)
    missing = [spec for spec in profile.models if spec.name not in present]
    sizes = [
        present[spec.name].size if spec.name in present else spec.download_size
        for spec in profile.models
    ]
    names = ", ".join(spec.name for spec in missing)
    return sum(sizes), f"not installed: {names}{failed}" if missing else ""


def _passage_ms(library: Library, collection: Collection) -> float | None:
    """Return the milliseconds to encode a passage of *collection*; ``None`` without passages."""
    chunks = (c for d in collection.documents() for c in collection.read.chunks(d.document_id))
    texts = [chunk.text for chunk in islice(chunks, _SAMPLE)]
    encoder = library.encoders.get(collection.info.profile, dimension=collection.info.dimension)
    if not texts:
        return None
    next(iter(encoder.encode_documents(texts[:1])))  # loads the models
    started = time.perf_counter()
    for _ in encoder.encode_documents(texts):
        pass
    return (time.perf_counter() - started) * 1000 / len(texts)
