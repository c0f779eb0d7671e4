"""Gain and cost of each profile, measured on the user's own questions."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from casetrack.api.evaluate.answers import Answer, AnswerJudge, Pages
from casetrack.api.evaluate.ask import measure
from casetrack.api.evaluate.beir import in_profile
from casetrack.api.evaluate.measures import MAIN, Difference, compare_scores
from casetrack.api.evaluate.questions import Question, QuestionSet
from casetrack.api.evaluate.runs import Run, save_run
from casetrack.api.models import listing, pulling
from casetrack.base.errors import DownloadFailed, UsageError
from casetrack.base.models.profiles import PROFILES, Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.models.spec import Progress

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
