"""Ingest of one batch of files: workers, models and plan for the run."""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from casetrack.base.errors import CollectionBusy, JobStopped, See
from casetrack.base.machine import one_thread_each, release_memory, share_arenas
from casetrack.base.records import DEFAULT_PROFILE, IngestReport
from casetrack.extract.references.citations import reads_case_law
from casetrack.ingest.outcomes import Quota, cancelled_outcome, counted
from casetrack.ingest.pipeline import Tools, load_pipeline
from casetrack.ingest.plan import IngestPlanner
from casetrack.ingest.run import PARALLEL_FILES, IngestRun
from casetrack.ingest.staleness import known_columns, known_outputs
from casetrack.parse.ocr import available_ocr
from casetrack.parse.workers.pool import ParsePool
from casetrack.store.checksums import damaged, with_families
from casetrack.store.session import write_session

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Collection, Iterator

    from casetrack.base.records import CollectionInfo, Document, FileOutcome, IngestProgress
    from casetrack.ingest.build import Options
    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.steps.encoding import Known
    from casetrack.models.base import ProfileEncoder
    from casetrack.parse.base import ReadOptions
    from casetrack.store.datasets import Snapshot
    from casetrack.store.session import WriteSession
    from casetrack.store.workspace import Workspace

LOCK_SECONDS = -1.0
"""Timeout for other writers: infinite."""


def run_batch(
    workspace: Workspace,
    files: list[FoundFile],
    /,
    *,
    options: Options,
    reading: ReadOptions,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Ingest *files*; see :meth:`casetrack.api.collection.Collection.ingest`."""
    started = time.perf_counter()
    with open_batch(workspace, len(files), options, reading=reading, cancel=cancel) as batch:
        try:
            with write_session(workspace.folder, timeout=LOCK_SECONDS, cancel=cancel) as session:
                outcomes = batch.ingest(session, files, progress=progress)
                batch.end_reading()
                workspace.catch_up(is_changed=session.has_written)
            cancelled = any(o.code == "cancelled" for o in outcomes)
        except JobStopped:
            outcomes, cancelled = [cancelled_outcome(file.shown) for file in files], True
        seconds = time.perf_counter() - started
    notes = batch.notes()
    return IngestReport(tuple(outcomes), seconds, notes=notes, cancelled=cancelled)


@contextmanager
def open_batch(
    workspace: Workspace,
    count: int,
    options: Options,
    /,
    *,
    reading: ReadOptions,
    cancel: threading.Event,
) -> Iterator[Batch]:
    """Start the workers and load the models for about *count* files, before any lock is taken."""
    share_arenas()
    info = workspace.info
    workers = max(1, min(PARALLEL_FILES, count))
    with ParsePool(reading.limits, workers, options=reading) as pool:
        encoder = workspace.encoders.get_installed(info.profile)
        names = workspace.encoders.names(info.profile) if encoder else None
        tools = Tools(pool, encoder, info.dimension, names)
        pipeline = load_pipeline(info.pipeline, tools, folder=workspace.folder)
        with one_thread_each():
            yield Batch(workspace, info, pool, pipeline, encoder, options, reading, cancel)
    release_memory()


@dataclass(slots=True)
class Batch:
    """A batch that is ready to start, created by :func:`open_batch`."""

    workspace: Workspace
    info: CollectionInfo
    pool: ParsePool
    pipeline: Pipeline
    encoder: ProfileEncoder | None
    options: Options
    reading: ReadOptions
    cancel: threading.Event

    def ingest(
        self,
        session: WriteSession,
        files: list[FoundFile],
        /,
        *,
        leaving: Collection[str] = (),
        progress: Callable[[IngestProgress], None] | None,
    ) -> list[FileOutcome]:
        """Ingest files under the write lock of *session*; return their outcomes in file order.

        *leaving* has the ids of documents whose content is removed.
        """
        documents = self.documents()
        read_with = reading_conditions(self.reading)
        planner = self.planner(documents, read_with, leaving)
        going = set(leaving) - {file.known_as for file in files}
        quota = Quota(counted(documents, but=going), self.workspace.entitlements.allow_document)
        run = IngestRun(
            self.workspace.folder,
            session,
            self.pipeline,
            planner,
            quota,
            self.options,
            self._known,
            self.cancel,
            read_with=read_with,
            attachment_depth=self.reading.limits.attachment_depth,
        )
        return run.ingest(files, progress)

    def end_reading(self) -> None:
        """Stop the workers and release their memory; no file can be ingested after this."""
        self.pool.close()
        release_memory()

    def planner(
        self, documents: list[Document], read_with: str, leaving: Collection[str] = (), /
    ) -> IngestPlanner:
        """Return the planner for the files of this batch; see :meth:`ingest` for *leaving*."""
        return IngestPlanner(
            documents,
            fingerprint=self.pipeline.fingerprint,
            has_model=self.encoder is not None,
            read_with=read_with,
            force=self.options.force,
            leaving=leaving,
        )

    def notes(self) -> tuple[str, ...]:
        """Return the notes of the report on the whole batch."""
        notes = [] if self.encoder else [_no_model(self.info.profile)]
        notes += [] if reads_case_law() else [_NO_CASE_LAW]
        return tuple(notes)

    def documents(self) -> list[Document]:
        """Return all documents under the write lock."""
        info, snapshot = self.info, self.workspace.state().snapshot
        if (snapshot.profile, snapshot.dimension) != (info.profile, info.dimension):
            raise CollectionBusy(
                f'Another process has meanwhile changed the profile of "{info.name}" from '
                f"{info.profile} to {snapshot.profile}. Nothing was added.",
                hint="Run the same command again.",
            )
        return list(snapshot.documents.values())

    def _known(self, document: Document) -> Known:
        """Return reusable model outputs of a document, by model input."""
        if self.encoder is None:
            return {}
        return known_of(self.workspace.state().snapshot, document, self.pipeline)


def known_of(snapshot: Snapshot, document: Document, pipeline: Pipeline, /) -> Known:
    """Return model outputs of a document that would be equal again, by model input."""
    columns = with_families(known_columns(pipeline), "chunks")
    rows = snapshot.scan(columns, revisions=[document.revision], checked=False)
    # Damaged values are computed again, not copied.
    intact = ~damaged(rows, "chunks", lacking=snapshot.lacking)
    return known_outputs(rows.filter(intact), document.pipeline_fingerprint, pipeline)


def reading_conditions(reading: ReadOptions, /) -> str:
    """Return a short fingerprint of everything but the file that affects reading: settings, OCR."""
    parts = (
        asdict(reading.ocr),
        asdict(reading.limits),
        bool(reading.passwords),
        available_ocr(reading.models_dir),
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


_NO_CASE_LAW = (
    "eyecite is not installed, so case citations are recognized by a list of common reporters: "
    "rare reporters and old spellings may be missed. For this version of Python it must be "
    f"compiled. With a C++ compiler run `pip install eyecite`, then {See('reindex')}."
)


def _no_model(name: str) -> str:
    pull = See("models pull", *([] if name == DEFAULT_PROFILE else [name]))
    return (
        f'Model "{name}" is not installed, so documents can be found by keywords only. Run '
        f"{pull} once while online, then {See('reindex')}."
    )
