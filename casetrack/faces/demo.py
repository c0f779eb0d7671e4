"""The demonstration: the main workflow on the sample case file.

It reports its steps to a :class:`DemoView`, so that a terminal can show them and a test can check
them. A second run reuses all results.
"""

from __future__ import annotations

import hashlib
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from casetrack.base.errors import CollectionNotFound, ModelError

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from contextlib import AbstractContextManager
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.api.library import Library
    from casetrack.base.models.spec import Progress
    from casetrack.base.records import IngestProgress, IngestReport, SearchResults

COLLECTION = "Demo"
STEPS = 4
_NO_TEXT = frozenset({"Exhibit D Separator Sheet.pdf"})
"""Sample files without text, which do not become documents."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the demonstration, and the feature that its answer shows."""

    text: str
    shows: str


QUESTIONS: tuple[Question, ...] = (
    Question("Between which dates may no software be changed at the Site?", "in its own words"),
    Question("How soon must the contractor report a data leak?", "in other words"),
    Question("Why did the watchman do nothing about the signal?", "in other words"),
    Question("What is the approved budget for air locks and conveyors?", "a row of a workbook"),
    Question("How many pallets were lost in Chamber 3 on 8 October 2024?", "two sources differ"),
    Question("Wie hoch ist die Vertragsstrafe je Werktag?", "a letter in German"),
)


@dataclass(frozen=True, slots=True)
class Reading:
    """The arguments of ``Collection.ingest`` that a view provides."""

    progress: Callable[[IngestProgress], None] | None = None
    cancel: threading.Event | None = None


class DemoView(Protocol):
    """Output of the demonstration."""

    def step(self, number: int, text: str, /) -> None:
        """Show the start of step *number* of ``STEPS``."""
        ...

    def detail(self, text: str, /) -> None:
        """Show the result of the step."""
        ...

    def warning(self, text: str, /) -> None:
        """Show a failure and how the demonstration continues."""
        ...

    def fetching(self) -> AbstractContextManager[Progress]:
        """Show the download of the model; the yielded function takes the progress."""
        ...

    def reading(self) -> AbstractContextManager[Reading]:
        """Show the ingest, and let the user stop it."""
        ...

    def ingested(self, report: IngestReport, /) -> None:
        """Show how every file ended."""
        ...

    def answer(self, question: Question, results: SearchResults, /) -> None:
        """Show the results of a question."""
        ...


@dataclass(frozen=True, slots=True)
class DemoReport:
    """The result of a demonstration.

    Attributes
    ----------
    with_model
        Whether search by meaning was available.
    answers
        One entry per question, in order.
    """

    collection_name: str
    folder: Path
    with_model: bool
    ingest: IngestReport
    answers: tuple[SearchResults, ...]

    @property
    def next_commands(self) -> tuple[str, ...]:
        """Three commands to try now."""
        first = next((a.results[0] for a in self.answers if a.results), None)
        return (
            f'casetrack search "your own question" -c {self.collection_name}',
            f"casetrack chunk {first.provenance.chunk_id} --window 1 -c {self.collection_name}"
            if first
            else f"casetrack documents -c {self.collection_name}",
            "casetrack ingest PATH --create -c NAME",
        )


def run_demo(library: Library, view: DemoView, /) -> DemoReport:
    """Download the model, ingest the sample documents, and ask questions.

    *view* shows the steps; if it stops the ingest, no question is asked.

    Raises
    ------
    CaseTrackError
        The data folder cannot be written, or the installation has no sample documents.
    """
    from casetrack.base.resources import resource_dir

    samples = resource_dir("data-samples") / "files"
    view.step(1, "The model that finds passages by meaning")
    with_model = _fetch_model(library.settings.models_dir, view)
    view.step(2, f'The collection "{COLLECTION}"')
    collection = _open(library, view)
    view.step(3, f"Adding the documents of {samples}")
    with view.reading() as reading:
        report = library.run_job(
            "ingest",
            lambda progress, cancel: collection.ingest([samples], progress=progress, cancel=cancel),
            title=f"Ingest of {samples}",
            collection=collection.info,
            progress=reading.progress,
            cancel=reading.cancel,
        )
    view.ingested(report)
    answers: list[SearchResults] = []
    if not report.cancelled:
        view.step(4, "Asking questions; every answer names its exact source")
        for question in QUESTIONS:
            results = collection.search(question.text, limit=3)
            view.answer(question, results)
            answers.append(results)
    return DemoReport(collection.info.name, collection.folder, with_model, report, tuple(answers))


def open_sample(*, data_dir: str | Path | None = None) -> Collection:
    """Open the sample case file as a collection; the first call ingests its documents.

    It is the collection of ``casetrack demo``, with all features in every tier. The first call
    takes some seconds and downloads the model for search by meaning; without it, a warning is
    shown, and search matches words until a later call finds the model.

    Parameters
    ----------
    data_dir
        Data folder; by default ``CASETRACK_HOME`` or Documents/CaseTrack.

    Raises
    ------
    CaseTrackError
        The data folder cannot be written, or the installation has no sample documents.
    """
    from casetrack.api.library import Library
    from casetrack.base.config import load_settings
    from casetrack.base.license import UNLIMITED
    from casetrack.base.resources import resource_dir
    from casetrack.faces.notebook.show import show_work

    samples = resource_dir("data-samples") / "files"
    library = Library(load_settings(data_dir), tier=UNLIMITED, display=show_work)
    with_model = _has_model(library.settings.models_dir)
    try:
        collection = library.get(COLLECTION)
    except CollectionNotFound:
        collection = _create(library)
    if _is_due(collection, samples, with_model):
        collection.ingest([samples])
    return collection


def _has_model(models_dir: Path) -> bool:
    """Return whether the model is installed, after trying to download it."""
    from casetrack.api.models.supplies import fetch, lacking
    from casetrack.base.records import DEFAULT_PROFILE

    try:
        if lacking(models_dir):
            list(fetch(models_dir, lambda *_: None))
    except ModelError as error:
        without = _without(lacking(models_dir))
        warnings.warn(f"{error.message} {error.hint} Until then, {without}", stacklevel=3)
    return DEFAULT_PROFILE not in lacking(models_dir)


def _without(names: tuple[str, ...]) -> str:
    """Return the features that need the named models."""
    from casetrack.base.records import DEFAULT_PROFILE

    if DEFAULT_PROFILE in names:
        return "search matches words only."
    return "scans are read by other installed engines."


def _is_due(collection: Collection, samples: Path, with_model: bool) -> bool:
    """Return whether a sample file is missing, or was ingested without the model."""
    known = {document.file_hash for document in collection.documents()}
    for path in samples.rglob("*"):
        wanted = path.is_file() and path.name not in _NO_TEXT
        if wanted and hashlib.sha256(path.read_bytes()).hexdigest() not in known:
            return True
    made_by = collection.workspace.state().snapshot.scan(("embedders",))["embedders"].to_pylist()
    return with_model and not all(made_by)


def _create(library: Library) -> Collection:
    return library.create(
        COLLECTION, collection_type="contract", description="The sample case file."
    )


def _open(library: Library, view: DemoView) -> Collection:
    try:
        collection = library.get(COLLECTION)
    except CollectionNotFound:
        collection = _create(library)
        view.detail(f"created in {collection.folder}")
    else:
        view.detail(f"already exists in {collection.folder}")
    return collection


def _fetch_model(models_dir: Path, view: DemoView) -> bool:
    """Prepare the model; without it, the demonstration continues with keyword search."""
    from casetrack.api.models.supplies import fetch, lacking
    from casetrack.base.records import DEFAULT_PROFILE

    reports: list[str] = []
    try:
        with view.fetching() as progress:
            reports += fetch(models_dir, progress)
    except ModelError as error:
        view.warning(error.message)
        view.warning(error.hint)
        view.warning(f"Continuing without it: {_without(lacking(models_dir))}")
    for report in reports:
        view.detail(report)
    return DEFAULT_PROFILE not in lacking(models_dir)
