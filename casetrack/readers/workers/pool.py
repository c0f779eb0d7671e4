"""Reads files in worker processes with limits on time and memory.

A worker is a persistent child that reads one file after the other, so its start is paid once.
Pages come back as record batches over a pipe; a slow consumer holds the worker back, so memory
does not grow with the file.
"""

from __future__ import annotations

import json
import threading
from collections import deque
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.errors import ParseLimit, WorkerCrashed
from casetrack.readers.base import DocumentInfo
from casetrack.readers.workers.batches import page_schema
from casetrack.readers.workers.frames import ARROW, unpack_error
from casetrack.readers.workers.process import CLOSED, Keeper, PoolClosed, WorkerTimeout

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

    from casetrack.config import ParseLimits
    from casetrack.readers.workers.process import WorkerProcess

DEFAULT_READERS = "casetrack.readers:READERS"


class _Read:
    """One reading of one file: holds the worker until the file is done, given up or forgotten.

    Nothing it refers to refers back to it, so that forgetting it ends the reading at once.
    """

    def __init__(self, pool: ParsePool, worker: WorkerProcess, path: Path) -> None:
        self.path = path
        self.warnings: list[str] = []
        self.pages = 0
        self.pages_without_text = 0
        self._pool = pool
        self._asked = worker
        self._worker: WorkerProcess | None = worker
        self._seconds_left = pool.limits.timeout_seconds

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop; a worker that is in the middle of the file is replaced."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            self._pool.give_back(worker)

    def start(self) -> DocumentInfo:
        """Ask for the file and wait for what it says about itself."""
        try:
            self._asked.request({"path": str(self.path)})
            self._pool.watch()
            _, payload = self._next(self._asked)
        except BaseException:
            self.close()
            raise
        message = json.loads(payload)
        return DocumentInfo(
            message["format"], message["page_count"], message["title"], message["author"]
        )

    def payloads(self) -> Iterator[bytes]:
        """Yield the bytes of one record batch after the other."""
        try:
            while self._worker is not None:
                kind, payload = self._next(self._worker)
                if kind == ARROW:
                    yield payload
                else:
                    self._finish(json.loads(payload))
        finally:
            self.close()

    def _finish(self, message: dict[str, Any]) -> None:
        self.warnings.extend(message["warnings"])
        self.pages = message["pages"]
        self.pages_without_text = message["pages_without_text"]
        self._release()

    def _release(self) -> None:
        """Give the worker back in working order."""
        worker, self._worker = self._worker, None
        if worker is not None:
            self._pool.give_back(worker)

    def _next(self, worker: WorkerProcess) -> tuple[bytes, bytes]:
        """Wait for the next frame; only this waiting counts against the time limit."""
        limits = self._pool.limits
        try:
            frame, self._seconds_left = worker.next_frame(self._seconds_left)
        except WorkerTimeout:
            self.close()
            raise ParseLimit(
                self.path, f"it took longer than {limits.timeout_seconds:g} seconds"
            ) from None
        if frame is None:
            over_memory, detail = worker.over_memory, worker.obituary()
            self.close()
            if self._pool.is_closed:
                raise PoolClosed(CLOSED)
            if over_memory:
                raise ParseLimit(self.path, f"it needed more than {limits.memory_mb} MB of memory")
            raise WorkerCrashed(self.path, detail)
        if frame[0] != ARROW:
            self._raise_error(json.loads(frame[1]))
        return frame

    def _raise_error(self, message: dict[str, Any]) -> None:
        if message["event"] != "error":
            return
        if message.get("fatal"):
            self.close()
        self._release()
        raise unpack_error(message["error"], self.path)


def _batches(read: _Read) -> Iterator[pa.RecordBatch]:
    schema = page_schema()
    for payload in read.payloads():
        yield pa.ipc.read_record_batch(pa.py_buffer(payload), schema)


class ParsedFile:
    """A file that is being read.

    Attributes
    ----------
    path
        The file.
    info
        What the file says about itself.
    batches
        Iterator of record batches of the declared table ``pages``, without ``document_id`` and
        ``language``. It raises the reader's error where one occurs on the way.

    A worker is taken until *batches* is exhausted or forgotten, or :meth:`close` is called. So a
    thread that opens more files than the pool has workers, without reading them, waits for ever.
    """

    def __init__(self, read: _Read) -> None:
        self._read = read
        self.path = read.path
        self.info = read.start()
        self.batches: Iterator[pa.RecordBatch] = _batches(read)

    @property
    def warnings(self) -> list[str]:
        """What could not be read, in words; complete when *batches* is exhausted."""
        return self._read.warnings

    @property
    def pages(self) -> int:
        """Number of pages read; complete when *batches* is exhausted."""
        return self._read.pages

    @property
    def pages_without_text(self) -> int:
        """Number of those without text; complete when *batches* is exhausted."""
        return self._read.pages_without_text

    def __enter__(self) -> ParsedFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading; a worker that is in the middle of the file is replaced."""
        self._read.close()


class ParsePool:
    """A few worker processes that read files; may be used from several threads at once.

    Parameters
    ----------
    limits
        Time and memory for one file.
    workers
        How many files are read side by side; each call takes one that is idle, and waits if none
        is. Processes are started when first needed.
    readers
        ``module:attribute`` of the tuple of readers that the workers use.
    """

    def __init__(
        self, limits: ParseLimits, workers: int = 1, *, readers: str = DEFAULT_READERS
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, not {workers}")
        self.limits = limits
        self._workers = workers
        self._idle: deque[WorkerProcess] = deque()
        self._taken = 0
        self._closed = False
        self._change = threading.Condition()
        self._keeper = Keeper(readers, limits)

    def __enter__(self) -> ParsePool:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def read(self, path: Path, /) -> ParsedFile:
        """Start reading a file; waits for an idle worker.

        Raises
        ------
        FileError
            The file cannot be read: missing, of an unknown format, damaged, protected, over a
            limit, or it crashed the worker.
        PoolClosed
            The pool was closed, before or meanwhile.
        """
        return ParsedFile(_Read(self, self._take(), path))

    def _take(self) -> WorkerProcess:
        with self._change:
            self._change.wait_for(lambda: self._closed or self._taken < self._workers)
            if self._closed:
                raise PoolClosed(CLOSED)
            self._taken += 1
            if self._idle:
                return self._idle.pop()
        try:
            return self._keeper.spawn()
        except BaseException:
            self._free()
            raise

    def watch(self) -> None:
        """Let the memory of busy workers be watched."""
        self._keeper.wake()

    def give_back(self, worker: WorkerProcess, /) -> None:
        """Take back a worker: keep it if it is healthy, else forget it."""
        worker.busy = False
        fit = worker.is_fit(self.limits.memory_mb)
        with self._change:
            if fit and not self._closed:
                self._idle.append(worker)
                worker = None  # type: ignore[assignment]
        if worker is not None:
            self._keeper.discard(worker)
        self._free()

    def _free(self) -> None:
        with self._change:
            self._taken -= 1
            self._change.notify()

    @property
    def is_closed(self) -> bool:
        """Whether the pool has been closed."""
        return self._closed

    def close(self) -> None:
        """End all workers at once; reads that are under way raise :class:`PoolClosed`."""
        with self._change:
            self._closed = True
            self._idle.clear()
            self._change.notify_all()
        self._keeper.close()
