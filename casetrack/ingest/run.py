"""One batch: files side by side through the pipeline, one writer, one outcome per file.

Two threads take files one after the other: each waits for its worker process to parse, then cuts,
counts and embeds. What they make goes through a bounded queue to the calling thread, which alone
writes. Memory therefore does not grow with the size or the number of files.
"""

from __future__ import annotations

import queue
import tempfile
import threading
import time
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.allocator import give_back
from casetrack.errors import (
    CaseTrackError,
    DuplicateDocument,
    FileError,
    FreeTierLimit,
    ParseLimit,
)
from casetrack.ingest.messages import (
    Chunks,
    Done,
    Gone,
    Idle,
    Message,
    attached_file,
    finished_file,
    twin_of,
    without_lost,
)
from casetrack.ingest.outcomes import cancelled_outcome, failure, repeated
from casetrack.ingest.plan import Job
from casetrack.ingest.quota import Reservation
from casetrack.ingest.take import Options, Stopped, Taken, Taker
from casetrack.records import Document, FileOutcome, IngestProgress
from casetrack.store.originals import drop_copies
from casetrack.store.scratch import spool_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pyarrow as pa

    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.plan import IngestPlanner
    from casetrack.ingest.quota import Quota
    from casetrack.pipeline import Pipeline
    from casetrack.steps.encoding import Known
    from casetrack.store.session import WriteSession

PARALLEL_FILES = 2
_QUEUE_ITEMS = 8
_POLL_SECONDS = 0.2
_TRIM_PAGES = 100
_OF_ONE_FILE = (FileError, DuplicateDocument, FreeTierLimit)
"""Errors that concern a file and leave the others as they are."""


class IngestRun:
    """One batch under the write lock. Made by :meth:`casetrack.ingest.batch.Batch.take_in`.

    Parameters
    ----------
    folder
        The collection's folder.
    session
        Holds the write lock.
    pipeline
        What a file goes through.
    planner
        Decides what becomes of a file.
    quota
        How many documents may still be added.
    options
        What the user may say about a batch.
    outputs
        Returns what models made of an earlier revision of a document, by what they saw.
    cancel
        Set by who wants to stop.
    read_with
        Fingerprint of what reading depends on, see ``documents.read_with``.
    attachment_depth
        How deep files inside files are read.
    """

    def __init__(
        self,
        folder: Path,
        session: WriteSession,
        pipeline: Pipeline,
        planner: IngestPlanner,
        quota: Quota,
        options: Options,
        outputs: Callable[[Document], Known],
        cancel: threading.Event,
        *,
        read_with: str,
        attachment_depth: int,
    ) -> None:
        self._folder = folder
        self._session = session
        self._planner = planner
        self._quota = quota
        self._options = options
        self._cancel = cancel
        self._depth = attachment_depth
        self._taker = Taker(
            folder,
            pipeline,
            options,
            read_with,
            outputs,
            on_pages=self._count_pages,
            on_chunks=self._put_chunks,
        )
        self._abort = threading.Event()
        self._pages = 0
        self._chunks = 0
        self._current = ""
        self._failure: Exception | None = None
        self._lock = threading.Lock()
        self._queue: queue.Queue[Message | None] = queue.Queue(_QUEUE_ITEMS)
        self._repeats: list[tuple[str, str]] = []
        self._places: dict[str, tuple[int, ...]] = {}
        self._spool = folder

    def take_all(
        self, files: list[FoundFile], progress: Callable[[IngestProgress], None] | None, /
    ) -> list[FileOutcome]:
        """Take in files side by side; return their outcomes in the order of the files.

        Attachments follow their file.

        Raises
        ------
        StorageError, ModelError
            The batch cannot go on; what was committed stays.
        """
        pending = iter(files)
        self._places = {found.shown: (i,) for i, found in enumerate(files)}
        threads = [
            threading.Thread(target=self._read, args=(pending,), daemon=True)
            for _ in range(max(1, min(PARALLEL_FILES, len(files))))
        ]
        with spool_folder(self._folder) as self._spool:
            outcomes = self._work(threads, len(files), progress)
        return sorted(outcomes, key=lambda o: self._places[o.path])

    def _work(
        self,
        threads: list[threading.Thread],
        total: int,
        progress: Callable[[IngestProgress], None] | None,
    ) -> list[FileOutcome]:
        for thread in threads:
            thread.start()
        try:
            return self._write(len(threads), total, progress)
        except BaseException:
            self._abort.set()
            raise
        finally:
            for thread in threads:
                thread.join()

    # --- the threads that read ---------------------------------------------------------------

    def _read(self, files: Iterator[FoundFile]) -> None:
        """Take files until there are none, and tell the writer that this thread is done."""
        try:
            while (found := self._next(files)) is not None:
                self._send_outcome(found)
        except Stopped:
            pass  # the writer has failed and takes no more messages
        finally:
            self._put(None)

    def _is_over(self) -> bool:
        return self._cancel.is_set() or self._abort.is_set()

    def _next(self, files: Iterator[FoundFile]) -> FoundFile | None:
        with self._lock:
            return next(files, None)

    def _send_outcome(self, found: FoundFile) -> FileError | None:
        """Take in one file and tell how it ended; returns the error where it failed."""
        started = time.perf_counter()
        revision = None
        try:
            if self._cancel.is_set():
                raise Stopped
            if found.problem is not None:
                raise found.problem
            with self._lock:
                job = self._planner.plan(found)
                if not isinstance(job, Job):
                    self._repeats.append((found.shown, job))
                    return None
                revision = self._session.new_revision()
            self._current = found.shown
            adds = job.previous is None and found.parent is None
            reserved = self._quota.reserve(self._is_over) if adds else nullcontext(Reservation())
            with reserved as place:
                if place is None:
                    raise Stopped
                with tempfile.TemporaryDirectory(dir=self._spool) as spool:
                    taken = self._taker.take(found, job, revision, Path(spool))
                    seconds = time.perf_counter() - started
                    # Attachments first: a file that is known then is known with all that is in it.
                    lost = self._take_attachments(found, job, taken)
                place.used = taken.document is not None
            taken = without_lost(taken, lost)
            self._put(finished_file(found, job, revision, taken, seconds))
        except Stopped:
            if self._abort.is_set():
                raise
            self._put(Done(cancelled_outcome(found.shown), revision=revision))
        except CaseTrackError as error:
            if not isinstance(error, _OF_ONE_FILE) and error is not found.problem:
                self._fail(error)
                raise Stopped from error
            status = failure(found, error, time.perf_counter() - started)
            self._put(Done(status, revision=revision))
            return error if status.status == "failed" and isinstance(error, FileError) else None
        except Exception as error:
            self._fail(error)
            raise Stopped from error
        return None

    def _take_attachments(self, found: FoundFile, job: Job, taken: Taken) -> list[str]:
        """Take in the files inside a file, and let go of those that it no longer holds.

        Returns
        -------
        list of str
            Names of those that could not be read.
        """
        lost: list[str] = []
        depth = found.parent.depth + 1 if found.parent else 1
        inside: list[FoundFile] = []
        is_whole = found.origin is not None and found.origin.is_whole
        for attachment in () if is_whole else taken.attachments:
            child = attached_file(found, job, taken, attachment, depth, {f.shown for f in inside})
            inside.append(child)
            self._places[child.shown] = (*self._places[found.shown], len(inside))
        if taken.document is not None and not taken.document.missing:
            # A file that was read in part may hold more than it has shown.
            gone = self._planner.let_go(job, but={child.shown for child in inside})
            if gone:
                self._put(Gone(tuple(gone)))
        for child in inside:
            if depth > self._depth:
                problem = ParseLimit(
                    child.shown, f"attachments are read {self._depth} deep (attachment_depth)"
                )
                child = replace(child, problem=problem)  # noqa: PLW2901 - same file, refused
            if self._send_outcome(child) is not None:
                lost.append(child.parent.name if child.parent else child.shown)
            if self._cancel.is_set():
                raise Stopped
        return lost

    def _count_pages(self, pages: int) -> None:
        self._pages += pages

    def _put_chunks(self, table: pa.Table) -> None:
        self._put(Chunks(table))
        self._chunks += table.num_rows

    def _put(self, message: Message | None) -> None:
        """Hand a message to the writer; stops waiting when the writer has failed."""
        while True:
            if self._abort.is_set():
                if message is None:
                    return
                raise Stopped
            if isinstance(message, Chunks) and self._cancel.is_set():
                raise Stopped
            try:
                self._queue.put(message, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    def _fail(self, error: Exception) -> None:
        with self._lock:
            self._failure = self._failure or error
        self._abort.set()

    # --- the thread that writes --------------------------------------------------------------

    def _write(
        self,
        readers: int,
        total: int,
        progress: Callable[[IngestProgress], None] | None,
    ) -> list[FileOutcome]:
        """Store what the readers send until all of them are done; return the outcomes."""
        outcomes: list[FileOutcome] = []
        done = 0
        stored: dict[tuple[str, bool], FileOutcome] = {}
        pages_at_trim = 0
        while readers and not self._abort.is_set():
            message: Message | Idle | None
            try:
                message = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                message = Idle()
            match message:
                case None:
                    readers -= 1
                case Chunks(table):
                    self._session.append(table)
                case Gone(documents):
                    self._session.delete(documents)
                    drop_copies(self._folder, documents)
                case Done(outcome, document, replaces, revision):
                    pages_at_trim = self._trim(pages_at_trim)
                    twin = twin_of(document, stored)
                    if twin is not None and replaces is None and not self._options.force:
                        # Two files of this batch, same bytes, different extensions.
                        outcome = repeated(outcome.path, twin.path, twin)
                        drop_copies(self._folder, [document] if document else [])
                        document = None
                    outcomes.append(outcome)
                    done += len(self._places.get(outcome.path, ())) == 1
                    if document is not None:
                        self._session.finish(document, replaces=replaces)
                        stored[document.file_hash, document.parent_id is not None] = outcome
                    elif revision is not None:
                        self._session.abandon(revision)
            if progress is not None:
                progress(IngestProgress(done, total, self._current, self._pages, self._chunks))
        if self._failure is not None:
            raise self._failure
        self._session.commit()
        return outcomes + self._repeated(outcomes)

    def _trim(self, pages_then: int) -> int:
        if self._pages - pages_then < _TRIM_PAGES:
            return pages_then
        give_back()
        return self._pages

    def _repeated(self, outcomes: list[FileOutcome]) -> list[FileOutcome]:
        """Give files with the same content as another one of the batch their outcome."""
        by_path = {o.path: o for o in outcomes}
        return [repeated(path, first, by_path[first]) for path, first in self._repeats]
