"""One batch: files in parallel through the pipeline, one writer, one outcome per file.

Two threads process files one by one: each waits for its worker process to parse, then chunks,
extracts and embeds. The results go through a bounded queue to the calling thread, the only writer.
So memory does not grow with the size or the number of files.
"""

from __future__ import annotations

import queue
import threading
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from casetrack.base.machine import release_memory
from casetrack.base.records import Document, FileOutcome, IngestProgress
from casetrack.ingest.build import DocumentBuilder, Options, Stopped
from casetrack.ingest.messages import Chunks, Message
from casetrack.ingest.plan import IngestPlanner, Job
from casetrack.ingest.reading import FileReader, Recorder
from casetrack.store.scratch import spool_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    import pyarrow as pa

    from casetrack.ingest.discover import FoundFile
    from casetrack.ingest.outcomes import Quota, Reservation
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.ingest.steps.encoding import Known
    from casetrack.store.session import WriteSession

PARALLEL_FILES = 2
_QUEUE_ITEMS = 8
_POLL_SECONDS = 0.2
_TRIM_PAGES = 100


@dataclass(eq=False)
class IngestRun:
    """One batch under the write lock, created by :meth:`casetrack.ingest.batch.Batch.ingest`."""

    folder: Path
    session: WriteSession
    pipeline: Pipeline
    planner: IngestPlanner
    quota: Quota
    options: Options
    outputs: Callable[[Document], Known]
    cancel: threading.Event
    read_with: str
    attachment_depth: int

    def __post_init__(self) -> None:
        """Prepare the state of the batch."""
        self._taker = DocumentBuilder(
            self.folder,
            self.pipeline,
            self.options,
            self.read_with,
            self.outputs,
            on_pages=self._count_pages,
            on_chunks=self._put_chunks,
        )
        self._abort = threading.Event()
        self._pages = 0
        self._chunks = 0
        self._open: dict[int, str] = {}  # Files being read, by thread, the earliest first
        self._failure: Exception | None = None
        self._lock = threading.Lock()
        self._queue: queue.Queue[Message | None] = queue.Queue(_QUEUE_ITEMS)

    def ingest(
        self, files: list[FoundFile], progress: Callable[[IngestProgress], None] | None, /
    ) -> list[FileOutcome]:
        """Ingest files in parallel; return their outcomes in order, with attachments after each."""
        pending = iter([replace(file, place=(i,)) for i, file in enumerate(files)])
        with spool_folder(self.folder) as spool:
            reader = FileReader(self, self._taker, spool, self.attachment_depth, self._begun)
            threads = [
                threading.Thread(target=self._read, args=(reader, pending), daemon=True)
                for _ in range(max(1, min(PARALLEL_FILES, len(files))))
            ]
            return self._work(threads, len(files), progress)

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

    # --- reading threads ------------------------------------------------------------------------

    def _read(self, reader: FileReader, files: Iterator[FoundFile]) -> None:
        """Read files until none is left, then notify the writer."""
        try:
            while (file := self._next(files)) is not None:
                reader.read(file)
                self._open.pop(threading.get_ident(), None)
        except Stopped:
            pass  # the writer has failed and takes no more messages
        except Exception as error:  # noqa: BLE001 - raised by the writer
            self._fail(error)
        finally:
            with suppress(Stopped):
                self.put(None)

    def _next(self, files: Iterator[FoundFile]) -> FoundFile | None:
        with self._lock:
            return next(files, None)

    def _begun(self, path: str) -> None:
        self._open[threading.get_ident()] = path

    def _count_pages(self, pages: int) -> None:
        self._pages += pages

    def _put_chunks(self, table: pa.Table) -> None:
        self.put(Chunks(table))
        self._chunks += table.num_rows

    def _fail(self, error: Exception) -> None:
        with self._lock:
            self._failure = self._failure or error
        self._abort.set()

    # --- casetrack.ingest.reading.IngestContext ------------------------------------------------

    @property
    def is_cancelled(self) -> bool:
        """Whether the user cancelled the batch."""
        return self.cancel.is_set()

    @property
    def is_aborted(self) -> bool:
        """Whether the batch has failed."""
        return self._abort.is_set()

    def begin(self, file: FoundFile, /) -> tuple[Job, str] | str:
        """Return the job for a file and its revision, or the path of a duplicate."""
        with self._lock:
            job = self.planner.plan(file)
            return (job, self.session.new_revision()) if isinstance(job, Job) else job

    def removed_attachments(self, job: Job, /, *, but: Collection[str]) -> list[Document]:
        """Return the earlier attachments that a file no longer contains."""
        return self.planner.removed_attachments(job, but=but)

    def reserve(self) -> AbstractContextManager[Reservation | None]:
        """Reserve the place of a new document."""
        return self.quota.reserve(lambda: self.is_cancelled or self.is_aborted)

    def put(self, message: Message | None, /) -> None:
        """Send a message, or the end, to the writer; stop waiting if the writer has failed."""
        while True:
            if self.is_aborted or (isinstance(message, Chunks) and self.is_cancelled):
                raise Stopped
            try:
                self._queue.put(message, timeout=_POLL_SECONDS)
            except queue.Full:
                continue
            return

    # --- writing thread ---------------------------------------------------------------------

    def _write(
        self, readers: int, total: int, progress: Callable[[IngestProgress], None] | None
    ) -> list[FileOutcome]:
        """Store the messages of the readers until all have finished; return the outcomes."""
        recorder = Recorder(self.folder, self.session, force=self.options.force)
        pages_at_trim = 0
        while readers and not self._abort.is_set():
            try:
                message = self._queue.get(timeout=_POLL_SECONDS)
            except queue.Empty:
                pass
            else:
                if message is None:
                    readers -= 1
                else:
                    recorder.record(message)
                    pages_at_trim = self._trim(pages_at_trim)
            if progress is not None:
                current = next(iter(list(self._open.values())), "")
                progress(IngestProgress(recorder.done, total, current, self._pages, self._chunks))
        if self._failure is not None:
            raise self._failure
        self.session.commit()
        return recorder.outcomes()

    def _trim(self, pages_then: int) -> int:
        if self._pages - pages_then < _TRIM_PAGES:
            return pages_then
        release_memory()
        return self._pages
