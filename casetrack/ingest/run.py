"""One batch: files side by side through the pipeline, one writer, one outcome per file.

Two threads take files one after the other: each waits for its worker process to parse, then cuts,
counts and embeds. What they make goes through a bounded queue to the calling thread, which alone
writes. Memory therefore does not grow with the size or the number of files.
"""

from __future__ import annotations

import logging
import queue
import shutil
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.errors import (
    CaseTrackError,
    DuplicateDocument,
    FileError,
    NoText,
    UnexpectedFileError,
)
from casetrack.ingest.assemble import Tally, seal, why_no_text
from casetrack.ingest.memory import give_back
from casetrack.ingest.outcomes import failure, repeated, success
from casetrack.ingest.plan import Job, Planner
from casetrack.records import Document, FileOutcome, IngestProgress, IngestReport
from casetrack.store.files import storage_errors
from casetrack.store.session import write_session

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    import numpy as np
    import pyarrow as pa

    from casetrack.ingest.discover import Found
    from casetrack.pipeline import Pipeline
    from casetrack.readers.workers.pool import ParsedFile
    from casetrack.store.session import WriteSession

PARALLEL_FILES = 2
_log = logging.getLogger(__name__)
_QUEUE_ITEMS = 8
_POLL_SECONDS = 0.2
_TRIM_PAGES = 100


@dataclass(frozen=True, slots=True)
class Options:
    """What the user may say about a batch; see :meth:`casetrack.collection.Collection.ingest`."""

    force: bool = False
    document_type: str | None = None
    document_name: str | None = None
    copy_original: bool = False


@dataclass(frozen=True, slots=True)
class _Chunks:
    """Message to the writer: chunks of a revision."""

    table: pa.Table


@dataclass(frozen=True, slots=True)
class _Done:
    """Message to the writer: a file has ended; *document* is set where it succeeded."""

    outcome: FileOutcome
    document: Document | None = None
    replaces: str | None = None
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class _Idle:
    """Nothing came within the polling time."""


class _Stopped(Exception):
    """Raised inside a file's work after a cancellation."""


class IngestRun:
    """The state of one batch. Use :func:`ingest`."""

    def __init__(
        self,
        folder: Path,
        pipeline: Pipeline,
        plan: Callable[[], Planner],
        options: Options,
        vectors: Callable[[Document], Mapping[str, np.ndarray]],
        cancel: threading.Event,
    ) -> None:
        self.folder = folder
        self.pipeline = pipeline
        self.plan = plan
        self.options = options
        self.vectors = vectors
        self.cancel = cancel
        self.abort = threading.Event()
        self.pages = 0
        self.chunks = 0
        self.current = ""
        self.failure: Exception | None = None
        self._lock = threading.Lock()
        self._queue: queue.Queue[_Chunks | _Done | None] = queue.Queue(_QUEUE_ITEMS)
        self._repeats: list[tuple[Path, Path]] = []

    # --- the threads that read ---------------------------------------------------------------

    def work(self, files: Iterator[Found], planner: Planner, session: WriteSession) -> None:
        """Take files until there are none, and tell the writer that this thread is done."""
        try:
            while (found := self._next(files)) is not None:
                self._send_outcome(found, planner, session)
        except _Stopped:
            pass  # the writer has failed and takes no more messages
        finally:
            self._put(None)

    def _next(self, files: Iterator[Found]) -> Found | None:
        with self._lock:
            return next(files, None)

    def _send_outcome(self, found: Found, planner: Planner, session: WriteSession) -> None:
        started = time.perf_counter()
        revision = None
        try:
            if self.cancel.is_set():
                raise _Stopped
            if found.problem is not None:
                raise found.problem
            with self._lock:
                job = planner.plan(found.path)
                if not isinstance(job, Job):
                    self._repeats.append((found.path, job))
                    return
                revision = session.new_revision()
            self.current = str(found.path)
            document = self._read(job, revision)
            outcome = success(document, job, time.perf_counter() - started)
            replaces = job.previous.revision if job.previous else None
            self._put(_Done(outcome, document, replaces, revision))
        except _Stopped:
            if self.abort.is_set():
                raise
            outcome = FileOutcome(
                path=str(found.path),
                status="skipped",
                code="cancelled",
                message="Stopped before it was finished.",
                hint="Run the same command again to go on.",
            )
            self._put(_Done(outcome, revision=revision))
        except CaseTrackError as error:
            if not isinstance(error, (FileError, DuplicateDocument)) and error is not found.problem:
                self._fail(error)
                raise _Stopped from error
            status = failure(found, error, time.perf_counter() - started)
            self._put(_Done(status, revision=revision))
        except Exception as error:
            self._fail(error)
            raise _Stopped from error

    def _read(self, job: Job, revision: str) -> Document:
        try:
            with self.pipeline.source.open(job.path) as parsed:
                return self._take_in(job, revision, parsed)
        except (CaseTrackError, _Stopped):
            raise
        except Exception as error:
            _log.exception("unexpected error with %s", job.path)
            raise UnexpectedFileError(job.path, error) from error

    def _take_in(self, job: Job, revision: str, parsed: ParsedFile) -> Document:
        tally = Tally()
        known = self.vectors(job.previous) if job.previous else None
        pages = tally.watch(parsed.batches, self._count_pages)
        count = 0
        now = datetime.now(UTC)
        name = self.options.document_name or job.path.name
        for batch in self.pipeline.run(job.document_id, pages, known=known):
            for language, chars in zip(
                batch["language"].to_pylist(), batch["char_count"].to_pylist(), strict=True
            ):
                if language:
                    tally.languages[language] += chars
            self._put(_Chunks(seal(batch, revision, count, name, job.path, now)))
            count += batch.num_rows
            self.chunks += batch.num_rows
        if not count:
            raise NoText(job.path, why_no_text(tally))
        languages = tally.languages.most_common(1)
        return Document(
            document_id=job.document_id,
            revision=revision,
            name=name,
            path=str(job.path),
            format=parsed.info.format,
            document_type=self.options.document_type
            or (job.previous.document_type if job.previous else None),
            title=parsed.info.title,
            author=parsed.info.author,
            language=languages[0][0] if languages else None,
            page_count=tally.pages,
            pages_without_text=tally.without_text,
            chunk_count=count,
            char_count=tally.chars,
            extraction_method=tally.method(),
            file_hash=job.facts.hash,
            file_size=job.facts.size,
            file_modified_at=job.facts.modified_at,
            original_copy=self._copy(job) if self.options.copy_original else None,
            pipeline=self.pipeline.name,
            pipeline_fingerprint=self.pipeline.fingerprint,
            warnings=tuple(parsed.warnings),
            ingested_at=job.previous.ingested_at if job.previous else now,
            updated_at=now,
        )

    def _count_pages(self, pages: int) -> None:
        self.pages += pages

    def _copy(self, job: Job) -> str:
        target = self.folder / "originals" / job.document_id / job.path.name
        with storage_errors(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(job.path, target)
        return target.relative_to(self.folder).as_posix()

    def _put(self, message: _Chunks | _Done | None) -> None:
        """Hand a message to the writer; stops waiting when the writer has failed."""
        while True:
            if self.abort.is_set():
                if message is None:
                    return
                raise _Stopped
            if isinstance(message, _Chunks) and self.cancel.is_set():
                raise _Stopped
            try:
                self._queue.put(message, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _fail(self, error: Exception) -> None:
        with self._lock:
            self.failure = self.failure or error
        self.abort.set()

    # --- the thread that writes --------------------------------------------------------------

    def write(
        self,
        session: WriteSession,
        readers: int,
        total: int,
        progress: Callable[[IngestProgress], None] | None,
    ) -> list[FileOutcome]:
        """Store what the readers send until all of them are done; return the outcomes."""
        outcomes: list[FileOutcome] = []
        stored: dict[str, FileOutcome] = {}
        pages_at_trim = 0
        while readers and not self.abort.is_set():
            message: _Chunks | _Done | _Idle | None
            try:
                message = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                message = _Idle()
            match message:
                case None:
                    readers -= 1
                case _Chunks(table):
                    session.append(table)
                case _Done(outcome, document, replaces, revision):
                    pages_at_trim = self._trim(pages_at_trim)
                    twin = stored.get(document.file_hash) if document is not None else None
                    if twin is not None and replaces is None and not self.options.force:
                        # Two files of this batch, same bytes, different extensions.
                        outcome = repeated(Path(outcome.path), Path(twin.path), twin)
                        document = None
                    outcomes.append(outcome)
                    if document is not None:
                        session.finish(document, replaces=replaces)
                        stored[document.file_hash] = outcome
                    elif revision is not None:
                        session.abandon(revision)
            if progress is not None:
                done = len(outcomes)
                progress(IngestProgress(done, total, self.current, self.pages, self.chunks))
        if self.failure is not None:
            raise self.failure
        session.commit()
        return outcomes + self._repeated(outcomes)

    def _trim(self, pages_then: int) -> int:
        if self.pages - pages_then < _TRIM_PAGES:
            return pages_then
        give_back()
        return self.pages

    def _repeated(self, outcomes: list[FileOutcome]) -> list[FileOutcome]:
        """Give files with the same content as another one of the batch their outcome."""
        by_path = {o.path: o for o in outcomes}
        return [repeated(path, first, by_path[str(first)]) for path, first in self._repeats]


def ingest(
    run: IngestRun,
    files: list[Found],
    /,
    *,
    progress: Callable[[IngestProgress], None] | None = None,
    finish: Callable[[], None] | None = None,
) -> IngestReport:
    """Run a batch.

    Parameters
    ----------
    run
        Its state.
    files
        What to ingest.
    progress
        Called from this thread as the batch goes on.
    finish
        Called before the write lock is given back, for bringing views up to date.

    Raises
    ------
    StorageError, ModelError
        The batch cannot go on; what was committed stays.
    """
    started = time.perf_counter()
    pending = iter(files)
    with write_session(run.folder) as session:
        planner = run.plan()
        threads = [
            threading.Thread(target=run.work, args=(pending, planner, session), daemon=True)
            for _ in range(max(1, min(PARALLEL_FILES, len(files))))
        ]
        for thread in threads:
            thread.start()
        try:
            outcomes = run.write(session, len(threads), len(files), progress)
        except BaseException:
            run.abort.set()
            raise
        finally:
            for thread in threads:
                thread.join()
        if finish is not None:
            finish()
    order = {str(f.path): i for i, f in enumerate(files)}
    outcomes.sort(key=lambda o: order[o.path])
    cancelled = any(o.code == "cancelled" for o in outcomes)
    return IngestReport(tuple(outcomes), time.perf_counter() - started, cancelled=cancelled)
