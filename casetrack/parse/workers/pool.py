"""Read files in worker processes with limits on time and memory.

A worker is a persistent child that reads one file after the other, so it starts once. Pages are
returned as record batches over a pipe; a slow consumer blocks the worker, so memory does not grow
with the file.
"""

from __future__ import annotations

import atexit
import json
import os
import threading
import time
from collections import deque
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base.config import ParseLimits
from casetrack.base.errors import FileError, ParseLimit, WorkerCrashed
from casetrack.parse.base import DEFAULT_OPTIONS, Attachment
from casetrack.parse.workers import messages
from casetrack.parse.workers.process import CLOSED, PoolClosed, WorkerStarter, WorkerTimeout

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.parse.base import DocumentInfo, ReadOptions
    from casetrack.parse.render import PageImage
    from casetrack.parse.sheets.model import SheetRow
    from casetrack.parse.workers.process import WorkerProcess

DEFAULT_READERS = "casetrack.parse:READERS"


class _Read:
    """One request to one worker, which it occupies until done, closed or garbage-collected.

    No referenced object refers back to it, so dropping the last reference ends the reading at once.
    """

    def __init__(self, pool: ParsePool, worker: WorkerProcess, request: messages.Request) -> None:
        self.path = request.path
        self.warnings: list[str] = []
        self.missing: list[str] = []
        self.attachments: list[Attachment] = []
        self.pages = 0
        self.pages_without_text = 0
        self._request = request
        self._pool = pool
        self._asked = worker
        self._worker: WorkerProcess | None = worker
        self._limit = self._seconds_left = request.options.limits.timeout_seconds

    def __del__(self) -> None:
        self.close()

    def close(self) -> None:
        """Stop; a worker in the middle of the file is replaced."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()
            self._pool.give_back(worker)

    def ask(self) -> dict[str, Any]:
        self._asked.request(asdict(self._request))
        self._pool.watch()
        _, payload = self._next(self._asked)
        message: dict[str, Any] = json.loads(payload)
        return message

    def payloads(self) -> Iterator[bytes]:
        """Yield the bytes of each record batch; after an error, keep the pages read before it."""
        try:
            while self._worker is not None:
                kind, payload = self._next(self._worker)
                if kind == messages.ARROW:
                    yield payload
                else:
                    self._finish(json.loads(payload))
        except FileError as error:
            if self.pages == self.pages_without_text:
                raise
            reason = error.message.replace(str(self.path), self.path.name)
            self.missing.append(f"Only the first {_pages(self.pages)} could be read. {reason}")
        finally:
            self.close()

    def picture(self) -> bytes:
        _, payload = self._next(self._asked)
        self.release()
        return payload

    def count(self, batch: pa.RecordBatch, /) -> None:
        """Count pages; each page read by OCR extends the time limit."""
        texts = batch["text"].to_pylist()
        self.pages += len(texts)
        self.pages_without_text += sum(1 for text in texts if not text)
        slow = len(texts) - batch["ocr_engine"].null_count
        self._seconds_left += slow * self._pool.limits.ocr_page_seconds

    def _finish(self, message: dict[str, Any]) -> None:
        self._note(message)
        self.release()

    def _note(self, message: dict[str, Any]) -> None:
        self.warnings.extend(message["warnings"])
        self.missing.extend(message["missing"])
        self.attachments += [Attachment(a["name"], Path(a["path"])) for a in message["attachments"]]

    def release(self) -> None:
        worker, self._worker = self._worker, None
        if worker is not None:
            self._pool.give_back(worker)

    def _next(self, worker: WorkerProcess) -> tuple[bytes, bytes]:
        """Wait for the next frame; only this time counts against the limit."""
        limits = self._pool.limits
        try:
            frame, self._seconds_left = worker.next_frame(self._seconds_left)
        except WorkerTimeout:
            self.close()
            reason = f"it took longer than {self._limit:g} seconds (timeout_seconds)"
            raise ParseLimit(self.path, reason) from None
        except BaseException:
            self.close()
            raise
        if frame is None:
            over_memory, detail = worker.over_memory, worker.exit_reason()
            self.close()
            if self._pool.is_closed:
                raise PoolClosed(CLOSED)
            if over_memory:
                reason = f"it needed more than {limits.memory_mb} MB of memory (memory_mb)"
                raise ParseLimit(self.path, reason)
            raise WorkerCrashed(self.path, detail)
        if frame[0] == messages.JSON:
            self._raise_error(json.loads(frame[1]))
        return frame

    def _raise_error(self, message: dict[str, Any]) -> None:
        if message["event"] != "error":
            return
        if "attachments" in message:  # The file had been opened.
            self._note(message)
        if message.get("fatal"):
            self.close()
        self.release()
        raise messages.unpack_error(message["error"], self.path)


def _pages(count: int) -> str:
    return "page" if count == 1 else f"{count:,} pages"


def _pages_of(read: _Read) -> Iterator[pa.RecordBatch]:
    schema = messages.page_schema()
    for payload in read.payloads():
        batch = pa.ipc.read_record_batch(pa.py_buffer(payload), schema)
        read.count(batch)
        yield batch


class ParsedFile:
    """A file that is being read.

    It occupies a worker until *batches* is exhausted or garbage-collected, or :meth:`close` is
    called. A thread that opens more files than the pool has workers, without reading them, waits
    forever. *batches* are those of the table ``pages``, without ``document_id`` and ``language``;
    they raise an error before the first text, and report later errors in *missing*.
    """

    def __init__(self, read: _Read) -> None:
        self._read = read
        self.path = read.path
        self.info: DocumentInfo = messages.unpack_info(_without_event(read.ask()))
        self.batches: Iterator[pa.RecordBatch] = messages.gather(_pages_of(read))

    @property
    def warnings(self) -> list[str]:
        """Sentences for the user; complete when *batches* is exhausted."""
        return self._read.warnings

    @property
    def missing(self) -> list[str]:
        """Sentences on unreadable content; complete when *batches* is exhausted."""
        return self._read.missing

    @property
    def attachments(self) -> list[Attachment]:
        """Files inside the file; complete when *batches* is exhausted."""
        return self._read.attachments

    @property
    def pages(self) -> int:
        """Number of pages read so far."""
        return self._read.pages

    @property
    def pages_without_text(self) -> int:
        """Number of those without text."""
        return self._read.pages_without_text

    def __enter__(self) -> ParsedFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Stop reading; a worker in the middle of the file is replaced."""
        self._read.close()


def _without_event(message: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in message.items() if name != "event"}


class ParsePool:
    """A few worker processes that read files; thread-safe.

    *limits* apply to one file and override those in *options*; *workers* is the number of files
    read in parallel; *readers* is the ``module:attribute`` of the readers.
    """

    def __init__(
        self,
        limits: ParseLimits,
        workers: int = 1,
        *,
        readers: str = DEFAULT_READERS,
        options: ReadOptions = DEFAULT_OPTIONS,
    ) -> None:
        if workers < 1:
            raise ValueError(f"a pool needs at least one worker, not {workers}")
        self.limits = limits
        self.options = replace(options, limits=limits)
        self._workers = workers
        self._idle: deque[WorkerProcess] = deque()
        self._taken = 0
        self.is_closed = False
        self._change = threading.Condition()
        self._starter = WorkerStarter(readers, limits)

    def __enter__(self) -> ParsePool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, path: Path, /, *, spool: Path | None = None) -> ParsedFile:
        """Wait for an idle worker and start reading a file; copy attachments to *spool*.

        Raises ``FileError`` (missing, unknown, damaged, protected, over a limit, or a crash) or
        ``PoolClosed``.
        """
        request = messages.Request("read", path, replace(self.options, spool=spool))
        return ParsedFile(_Read(self, self._take(), request))

    def render(
        self, path: Path, page: int, /, *, dpi: float = 144.0, options: ReadOptions | None = None
    ) -> PageImage | None:
        """Draw a page; *options* replaces those of the pool; see ``render_page``."""
        from casetrack.parse.render import PageImage

        order = _Read(
            self, self._take(), messages.Request("draw", path, options or self.options, page, dpi)
        )
        answer = order.ask()
        if answer["event"] == "no_picture":
            order.release()
            return None
        return PageImage(order.picture(), answer["width"], answer["height"], answer["scale"])

    def cells(
        self, path: Path, sheet: int, first: int, count: int, /, *, options: ReadOptions
    ) -> list[SheetRow]:
        """Return rows of a sheet; see :func:`casetrack.parse.sheets.reader.sheet_rows`."""
        from casetrack.parse.sheets.model import Cell, SheetRow

        request = messages.Request("cells", path, options, sheet, rows=(first, count))
        order = _Read(self, self._take(), request)
        rows = order.ask()["rows"]
        order.release()
        return [SheetRow(number, [Cell(*cell) for cell in cells]) for number, cells in rows]

    def _take(self) -> WorkerProcess:
        with self._change:
            self._change.wait_for(lambda: self.is_closed or self._taken < self._workers)
            if self.is_closed:
                raise PoolClosed(CLOSED)
            self._taken += 1
        try:
            return self._idle_worker() or self._starter.spawn()
        except BaseException:
            self._free()
            raise

    def _idle_worker(self) -> WorkerProcess | None:
        """Return an idle worker that is still alive: the system may end waiting processes."""
        while True:
            with self._change:
                if not self._idle:
                    return None
                worker = self._idle.pop()
            if worker.is_fit(self.limits.memory_mb):
                return worker
            self._starter.discard(worker)

    def watch(self) -> None:
        """Start watching the memory of busy workers."""
        self._starter.wake()

    def give_back(self, worker: WorkerProcess, /) -> None:
        """Keep a healthy worker for further use, or discard it."""
        worker.busy = False
        fit = worker.is_fit(self.limits.memory_mb)
        with self._change:
            if fit and not self.is_closed:
                self._idle.append(worker)
                worker = None  # type: ignore[assignment]
        if worker is not None:
            self._starter.discard(worker)
        self._free()

    def _free(self) -> None:
        with self._change:
            self._taken -= 1
            self._change.notify()

    def close(self) -> None:
        """End all workers at once; current reads raise :class:`PoolClosed`."""
        with self._change:
            self.is_closed = True
            self._idle.clear()
            self._change.notify_all()
        self._starter.close()


# Worker processes that draw pages and stay for some time, since starting a worker takes many times
# as long as drawing a page. A long-running program (a notebook, a server) keeps one for some time
# after the last picture; it ends with the program in any case.

IDLE_SECONDS = 120.0
"""Idle time after which a worker ends."""
MAX_DRAW_SECONDS = 60.0
"""Maximum time to draw a page."""
_WORKERS = 2
"""Pages drawn in parallel; a worker starts only when all others are busy."""


class DrawingPool:
    """A thread-safe pool for drawing, which starts with the first picture and closes when idle."""

    def __init__(
        self, memory_mb: int, /, *, workers: int = _WORKERS, idle_seconds: float = IDLE_SECONDS
    ) -> None:
        self._limits = ParseLimits(timeout_seconds=MAX_DRAW_SECONDS, memory_mb=memory_mb)
        self._workers = workers
        self._idle_seconds = idle_seconds
        self._lock = threading.Lock()
        self._pool: ParsePool | None = None
        self._users = 0
        self._last_used = 0.0
        self._timer: threading.Timer | None = None

    def render(
        self, path: Path, page: int, /, *, options: ReadOptions, dpi: float = 144.0
    ) -> PageImage | None:
        """Draw a page within the time limit of *options*; ``None`` for a format without pages."""
        with self._opened() as pool:
            return pool.render(path, page, dpi=dpi, options=options)

    def cells(
        self, path: Path, sheet: int, first: int, count: int, /, *, options: ReadOptions
    ) -> list[SheetRow]:
        """Return rows of a sheet within the time limit of *options*; see ``ParsePool.cells``."""
        with self._opened() as pool:
            return pool.cells(path, sheet, first, count, options=options)

    def close(self) -> None:
        """End the workers now; drawing again starts new ones."""
        with self._lock:
            pool, self._pool = self._pool, None
            timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        if pool is not None:
            pool.close()

    @contextmanager
    def _opened(self) -> Iterator[ParsePool]:
        with self._lock:
            if self._pool is None:
                self._pool = ParsePool(self._limits, self._workers)
            pool = self._pool
            self._users += 1
        try:
            yield pool
        finally:
            with self._lock:
                self._users -= 1
                self._last_used = time.monotonic()
                if self._timer is None and self._pool is not None:
                    self._wait(self._idle_seconds)

    def _wait(self, seconds: float) -> None:
        # A daemon thread, so that the program does not wait for it.
        self._timer = threading.Timer(seconds, self._check_idle)
        self._timer.name, self._timer.daemon = "casetrack-drawing", True
        self._timer.start()

    def _check_idle(self) -> None:
        """Close the pool if it has been idle for long, else check again later."""
        with self._lock:
            if threading.current_thread() is not self._timer:
                return  # Closed meanwhile, and possibly opened again.
            since = time.monotonic() - self._last_used
            left = self._idle_seconds if self._users else self._idle_seconds - since
            if left > 0:
                self._wait(left)
                return
            pool, self._pool, self._timer = self._pool, None, None
        if pool is not None:
            pool.close()


_pools: dict[int, DrawingPool] = {}
"""The pools of this process by a worker's memory in MiB."""
_parent_pools: list[DrawingPool] = []
"""In a forked process: kept, because collecting them would touch their workers."""


def drawing_pool(memory_mb: int, /) -> DrawingPool:
    """Return the pool of this process whose workers have this memory limit, in MiB."""
    return _pools.get(memory_mb) or _pools.setdefault(memory_mb, DrawingPool(memory_mb))


def close_drawing_pools() -> None:
    """End all workers of drawing pools."""
    for pool in list(_pools.values()):
        pool.close()


def _release_in_child() -> None:
    _parent_pools.extend(_pools.values())
    _pools.clear()


atexit.register(close_drawing_pools)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_release_in_child)
