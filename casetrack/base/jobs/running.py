"""A job in its own process: collects progress, writes its record, stops on request."""

from __future__ import annotations

import contextlib
import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePath
from typing import Any, Protocol, TypeVar

from casetrack.base.errors import CaseTrackError, JobStopped, StorageError
from casetrack.base.files import private_folder
from casetrack.base.jobs import files
from casetrack.base.records.jobs import Job, JobState, bounded

# How long work will still take, from the rate at which it went lately.

WINDOW_SECONDS = 120.0
_LEAST_SECONDS = 2.0
_LEAST_STEPS = 2


class Pace:
    """The rate of one phase of work, over the last two minutes.

    Known files pass at once and say nothing about the rate of later ones.
    """

    def __init__(self) -> None:
        self._seen: deque[tuple[float, int]] = deque()

    def restart(self) -> None:
        """Start a new phase with other items."""
        self._seen.clear()

    def note(self, now: float, done: int, /) -> None:
        """Record that *done* items are finished at *now*, in seconds."""
        if self._seen and self._seen[-1][1] == done:
            return
        self._seen.append((now, done))
        while len(self._seen) > 2 and now - self._seen[1][0] > WINDOW_SECONDS:
            self._seen.popleft()

    def remaining(self, now: float, total: int, /) -> float | None:
        """Return the remaining seconds; ``None`` before two items, and if one takes longer."""
        if not self._seen:
            return None
        since, before = self._seen[0]
        last, done = self._seen[-1]
        elapsed = now - since
        if total <= 0 or elapsed < _LEAST_SECONDS or done - before < _LEAST_STEPS:
            return None
        left = max(total - done, 0) * elapsed / (done - before)
        return None if now - last > left > 0 else round(left, 1)


logger = logging.getLogger("casetrack.jobs")

POLL_SECONDS = 0.25
"""Seconds between two checks for a cancellation request."""
WRITE_SECONDS = 1.0
"""Between two writes of the record, at least."""
HEARTBEAT_SECONDS = 10.0
"""Between two writes of the record, at most."""
WAITING_SECONDS = 1.0
"""Silence before a search for the job that blocks this one."""


CLIENT_LEFT = {
    "code": "client_left",
    "message": "The AI program that requested this was closed before the end.",
    "hint": "Finished work is kept. The job resumes when a CaseTrack server starts; the same "
    "request also resumes it.",
}
"""Error of work that ended because its server was stopped."""
_ASK_AGAIN = "Finished work is kept. Repeat the request to continue."
DISCONNECTED = {
    "code": "connection_closed",
    "message": "The AI program that requested this closed the connection before the end.",
    "hint": _ASK_AGAIN,
}
"""Error of work that ended because its client disconnected, which may mean cancel."""


class Report(Protocol):
    """The report of long work."""

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""


class FileProgress(Protocol):
    """Progress of work on files, such as :class:`~casetrack.base.records.IngestProgress`."""

    @property
    def done(self) -> int:
        """Number of finished files."""

    @property
    def total(self) -> int:
        """Number of files."""

    @property
    def file(self) -> str:
        """The current file."""


R = TypeVar("R", bound=Report | None)


class RunningJob:
    """A running job, created by :meth:`JobStore.run`; thread-safe.

    Attributes
    ----------
    cancel
        Set when the job must stop, for any reason.
    """

    def __init__(
        self,
        folder: Path,
        job: Job,
        cancel: threading.Event | None,
        /,
        *,
        writer_of: Callable[[Job], Job | None],
    ) -> None:
        self.id = job.id
        self.cancel = cancel or threading.Event()
        self._folder = folder
        self._job = job
        self._writer_of = writer_of
        self._pace = Pace()
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._watcher = threading.Thread(target=self._watch, name=f"job {job.id}", daemon=True)
        self._recorded = True
        self._changed = False
        self._cancelled = False
        self._asked = False
        self._left: dict[str, str] | None = None
        self._on_disk = threading.Lock()
        self._last_news = self._written = time.monotonic()
        self._written_state = job.state
        self._listener: Callable[..., None] | None = None

    # --- for the work -------------------------------------------------------------------------

    @property
    def job(self) -> Job:
        """The present state of the job."""
        with self._lock:
            return self._current()

    def report(self, what: str, done: int, total: int, /) -> None:
        """Record progress: *what* is being done, *done* of *total*. Fast; writes no file.

        Within one phase (one value of *what*) *done* never decreases.
        """
        now = time.monotonic()
        with self._lock:
            job = self._job
            if not job.active:
                return
            if done < job.done:
                if what == job.what or job.state == "queued":
                    done = job.done
                else:
                    self._pace.restart()
            self._pace.note(now, done)
            self._last_news = now
            started = job.started_at or datetime.now(UTC)
            self._job = replace(
                job, state="running", started_at=started, what=what, done=done, total=total
            )
            self._changed = True

    def record_progress(self, *news: Any) -> None:
        """Record progress in either form: one object about a file, or what, done and total."""
        if len(news) == 1:
            moment: FileProgress = news[0]
            name = PurePath(moment.file).name
            self.report(f"reading {name}".rstrip(), moment.done, moment.total)
        else:
            what, done, total = news
            self.report(what, done, total)

    def result(self, report: dict[str, Any] | None, /, *, cancelled: bool = False) -> None:
        """Record the report of the work as JSON, and whether it was cancelled."""
        with self._lock:
            self._job = replace(self._job, result=bounded(report))
            self._cancelled = cancelled

    def do(
        self,
        work: Callable[[Callable[..., None], threading.Event], R],
        progress: Callable[..., None] | None = None,
        /,
    ) -> R:
        """Run *work* in this thread and record its report; its exceptions propagate.

        Parameters
        ----------
        work
            Called with a progress function (either form of :meth:`record_progress`) and the cancel
            event.
        progress
            Receives the same progress; from another thread also ``"waiting for: ..."`` with 0 and
            0.
        """
        self._listener = progress

        def tell(*news: Any) -> None:
            self.record_progress(*news)
            if progress is not None:
                progress(*news)

        try:
            report = work(tell, self.cancel)
        finally:
            self._listener = None
        raw = report.as_dict() if report is not None else None
        self.result(raw, cancelled=bool(getattr(report, "cancelled", False)))
        return report

    # --- its end ------------------------------------------------------------------------------

    def request_stop(self) -> None:
        """Request cancellation."""
        self._asked = True
        self.cancel.set()

    def interrupt(self, why: Mapping[str, str], /) -> None:
        """Interrupt the job because its client or server ended; its state is then not "cancelled".

        The record is written at once, because the process may be killed. Cancelled and finished
        jobs keep their state. *why* is :data:`CLIENT_LEFT` or :data:`DISCONNECTED`.
        """
        with self._lock:
            job = self._job
            if self._asked or self._left is not None or not job.active:
                return
            # A call with a password is not recorded, so it cannot be repeated.
            self._left = dict(why) | ({"hint": _ASK_AGAIN} if job.call is None else {})
            self._job = replace(job, error=self._left)
        self._write(durable=False)
        self.cancel.set()

    # --- its record ---------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the first record and start to watch for cancellation requests."""
        try:
            private_folder(self._folder)
            files.prune(self._folder)
        except OSError as error:
            self._stop_recording(error)
        self._write(durable=False)
        self._watcher.start()

    def end(self, error: BaseException | None = None, /) -> Job:
        """Write the final record durably; *error* is the exception that ended the work."""
        self._over.set()
        if self._watcher is not threading.current_thread():
            self._watcher.join()
        now = datetime.now(UTC)
        with self._lock:
            job = self._job
            if not job.active:
                return job
            state, reason = _ending(error, cancelled=self._cancelled, left=self._left)
            self._job = replace(
                job,
                state=state,
                started_at=job.started_at or now,
                updated_at=now,
                ended_at=now,
                what=job.what if state != "done" else "",
                remaining_seconds=None,
                error=reason,
            )
        self._write(durable=True)
        with contextlib.suppress(OSError):
            files.request_path(self._folder, self.id).unlink(missing_ok=True)
        return self._job

    def _current(self) -> Job:
        job = self._job
        if not job.active:
            return job
        remaining = self._pace.remaining(time.monotonic(), job.total)
        return replace(job, remaining_seconds=remaining, updated_at=datetime.now(UTC))

    def _watch(self) -> None:
        request = files.request_path(self._folder, self.id)
        while not self._over.wait(POLL_SECONDS):
            if not self.cancel.is_set() and request.exists():
                self.request_stop()
            self._find_blocking_job()
            age = time.monotonic() - self._written
            due = HEARTBEAT_SECONDS
            if self._changed:
                due = WRITE_SECONDS if self._written_state == self._job.state else 0.0
            if age >= due:
                self._write(durable=False)

    def _find_blocking_job(self) -> None:
        """Record the job that blocks this one, if expected progress is missing."""
        now = time.monotonic()
        with self._lock:
            job = self._job
            silent = now - self._last_news >= WAITING_SECONDS
            if not silent or (job.state != "queued" and job.done < job.total):
                return
            self._last_news = now  # look again after the same time
        writer = self._writer_of(job)
        if writer is None or self.cancel.is_set():
            return
        what = f"waiting for: {writer.title}"
        with self._lock:
            if self._job is not job:
                return  # there was news meanwhile
            self._job = replace(job, what=what)
            self._changed = True
        listener = self._listener
        if listener is not None:
            listener(what, 0, 0)

    def _write(self, *, durable: bool) -> None:
        """Write the present state; the lock prevents a thread from writing an older one."""
        with self._on_disk:
            with self._lock:
                job, self._changed = self._current(), False
            self._written, self._written_state = time.monotonic(), job.state
            if not self._recorded and not durable:
                return
            try:
                files.write(self._folder, job, durable=durable)
            except (OSError, StorageError) as error:
                self._stop_recording(error)
                if durable:
                    # No record is better than one that says "running" for ever.
                    with contextlib.suppress(OSError):
                        files.record_path(self._folder, job.id).unlink(missing_ok=True)

    def _stop_recording(self, error: Exception) -> None:
        if self._recorded:
            self._recorded = False
            reason = getattr(error, "strerror", None) or str(error).partition("\n")[0]
            logger.warning(
                "Work continues without a record in the list of jobs: %s cannot be written (%s)",
                self._folder,
                reason,
            )


def _ending(
    error: BaseException | None, *, cancelled: bool, left: dict[str, str] | None
) -> tuple[JobState, dict[str, str] | None]:
    """Return the final state and the error of a job.

    *cancelled* comes from the report; *left* is the reason of an interruption.
    """
    if error is None and not cancelled:
        return "done", None
    # Ctrl-C, or the end of the program, are no errors either.
    stopped = error is None or isinstance(error, JobStopped) or not isinstance(error, Exception)
    if stopped and left is not None:
        return "interrupted", left
    if stopped:
        return "cancelled", error.as_dict() if isinstance(error, JobStopped) else None
    if isinstance(error, CaseTrackError):
        return "failed", error.as_dict()
    what = f"{type(error).__name__}: {error}".strip().replace("\n", " ")
    hint = "This is a bug in CaseTrack. Finished work is kept."
    return "failed", {"code": "unexpected", "message": what, "hint": hint}
