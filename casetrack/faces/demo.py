"""The demonstration: the whole main job on the case file that comes with the program.

It says what it does through a :class:`DemoView`, so that the same steps can be shown on a terminal
and watched by a test. Running it again finds everything in place.
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
"""Sample files that become no document: an empty page."""


@dataclass(frozen=True, slots=True)
class Question:
    """A question of the demonstration, and what its answer shows."""

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
    """What an ingest needs from whoever watches it: see ``Collection.ingest``."""

    progress: Callable[[IngestProgress], None] | None = None
    cancel: threading.Event | None = None


class DemoView(Protocol):
    """Where the demonstration shows itself."""

    def step(self, number: int, text: str, /) -> None:
        """Show that step *number* of ``STEPS`` begins."""
        ...

    def detail(self, text: str, /) -> None:
        """Show what came of the step."""
        ...

    def warning(self, text: str, /) -> None:
        """Show what did not work and how it goes on."""
        ...

    def fetching(self) -> AbstractContextManager[Progress]:
        """Show how the model is fetched; what it yields is called with each moment of it."""
        ...

    def reading(self) -> AbstractContextManager[Reading]:
        """Show how the documents are taken in, and let the user stop it."""
        ...

    def ingested(self, report: IngestReport, /) -> None:
        """Show how every file ended."""
        ...

    def answer(self, question: Question, results: SearchResults, /) -> None:
        """Show what was found for a question."""
        ...


@dataclass(frozen=True, slots=True)
class DemoReport:
    """The end of a demonstration.

    Attributes
    ----------
    with_model
        Whether search by meaning was there.
    answers
        One entry per question that was asked, in order.
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
    """Fetch the model, take the sample documents in, and ask questions.

    Parameters
    ----------
    library
        Where the collection "Demo" is made, or found from an earlier run.
    view
        Shows what happens. Where it lets the user stop the ingest, no question is asked.

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
    view.step(3, f"Taking in the documents of {samples}")
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
    """Open the sample case file as a collection; the first time, take its documents in.

    It is the collection of ``casetrack demo``, and everything works on it in every tier. The first
    time takes some seconds and fetches the model that finds passages by meaning; without it a
    warning says so, and search goes by words until a later call finds the model.

    Parameters
    ----------
    data_dir
        Data folder; ``CASETRACK_HOME`` or Documents/CaseTrack where it is not given.

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
    """Return whether the model is there, after trying to fetch one that is missing."""
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
    """Return what is not done without the supplies of these names."""
    from casetrack.base.records import DEFAULT_PROFILE

    if DEFAULT_PROFILE in names:
        return "documents are found by their words."
    return "scans are read by what else this machine has."


def _is_due(collection: Collection, samples: Path, with_model: bool) -> bool:
    """Return whether a sample file is missing, or was taken in without the model."""
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
        view.detail(f"made in {collection.folder}")
    else:
        view.detail(f"is there already, in {collection.folder}")
    return collection


def _fetch_model(models_dir: Path, view: DemoView) -> bool:
    """Make the model ready; without one the demonstration goes on with keyword search."""
    from casetrack.api.models.supplies import fetch, lacking
    from casetrack.base.records import DEFAULT_PROFILE

    reports: list[str] = []
    try:
        with view.fetching() as progress:
            reports += fetch(models_dir, progress)
    except ModelError as error:
        view.warning(error.message)
        view.warning(error.hint)
        view.warning(f"Going on without it: {_without(lacking(models_dir))}")
    for report in reports:
        view.detail(report)
    return DEFAULT_PROFILE not in lacking(models_dir)
