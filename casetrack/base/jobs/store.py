"""The jobs of a data folder: start, list, resume and cancel."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import threading
import weakref
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from casetrack.base.errors import JobNotFound, StorageError, UsageError
from casetrack.base.jobs import files
from casetrack.base.jobs.running import CLIENT_LEFT, RunningJob
from casetrack.base.records import CollectionInfo
from casetrack.base.records.jobs import Job, JobKind

logger = logging.getLogger("casetrack.jobs")
repairs = logging.getLogger("casetrack.repairs")

_TRIES = 20
_GONE = {
    "code": "interrupted",
    "message": "The program that ran this ended before it was finished.",
    "hint": "Finished work is kept. Run it again to continue.",
}


def _is_resumable(job: Job) -> bool:
    # The paths of its call mean something on the machine on which it was made.
    is_local = job.call is not None and job.host == files.host()
    code = (job.error or {}).get("code")
    return is_local and job.state == "interrupted" and code == CLIENT_LEFT["code"]


class JobStore:
    """All jobs of a data folder, including those of other processes; thread-safe."""

    def __init__(self, data_dir: Path, /) -> None:
        self.folder = data_dir / "jobs"
        self._running: weakref.WeakSet[RunningJob] = weakref.WeakSet()
        self._leaving = False

    # --- doing --------------------------------------------------------------------------------

    @contextlib.contextmanager
    def run(
        self,
        kind: JobKind,
        /,
        *,
        title: str,
        collection: CollectionInfo | None = None,
        cancel: threading.Event | None = None,
    ) -> Iterator[RunningJob]:
        """Keep a record of the work in the block.

        An exception ends the job as failed, Ctrl-C as cancelled; both propagate.

        Parameters
        ----------
        kind
            One of :data:`~casetrack.base.records.jobs.JOB_KINDS`.
        collection
            The affected collection; ``None`` if the work creates it.
        cancel
            Event that stops the work; also set by a cancellation request.
        """
        job = self.start(kind, title=title, collection=collection, cancel=cancel)
        try:
            yield job
        except BaseException as error:
            job.end(error)
            raise
        job.end()

    def start(
        self,
        kind: JobKind,
        /,
        *,
        title: str,
        collection: CollectionInfo | None = None,
        cancel: threading.Event | None = None,
        call: dict[str, Any] | None = None,
    ) -> RunningJob:
        """Start a job; the caller must call :meth:`RunningJob.end`. See :meth:`run`.

        If the data folder is not writable, the work runs without a record. *call* is that of
        :class:`~casetrack.base.records.jobs.Job`.
        """
        now = datetime.now(UTC)
        job = Job(
            id=self._new_id(),
            kind=kind,
            title=title,
            collection_id=collection.id if collection else None,
            collection=collection.name if collection else None,
            state="queued",
            created_at=now,
            updated_at=now,
            call=call,
            **_here(),
        )
        return self._begun(job, cancel)

    def _begun(self, job: Job, cancel: threading.Event | None) -> RunningJob:
        running = RunningJob(self.folder, job, cancel, writer_of=self.blocking_job)
        running.begin()
        self._running.add(running)
        if self._leaving:  # set in the meantime
            running.interrupt(CLIENT_LEFT)
        return running

    def interrupt_all(self) -> None:
        """Interrupt all jobs of this process because it is stopping.

        From then on :meth:`resume` resumes no job: those are for the next process.
        """
        self._leaving = True
        for running in tuple(self._running):
            running.interrupt(CLIENT_LEFT)

    def resume(self, job: Job, /) -> RunningJob | None:
        """Restart, under its id, a job whose server was stopped; see :meth:`start`.

        ``None`` if another process resumes it, it is not resumable, or this process is stopping.
        """
        if self._leaving:
            return None
        claim = files.claim_path(self.folder, job.id)
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            return None  # claimed, or a folder in which nothing can be written
        try:
            stored = files.read(files.record_path(self.folder, job.id))
            if stored is None or not _is_resumable(stored):
                return None
            again = replace(
                stored,
                state="queued",
                updated_at=datetime.now(UTC),
                ended_at=None,
                what="",
                done=0,
                total=0,
                result=None,
                error=None,
                **_here(),
            )
            return self._begun(again, None)
        finally:
            with contextlib.suppress(OSError):
                claim.unlink(missing_ok=True)

    def resumable(self) -> tuple[Job, ...]:
        """Return the jobs that :meth:`resume` can restart, oldest first."""
        return tuple(reversed([job for job in self.list() if _is_resumable(job)]))

    def _new_id(self) -> str:
        for _ in range(_TRIES):
            job_id = f"j-{secrets.token_hex(3)}"
            if not files.record_path(self.folder, job_id).exists():
                return job_id
        raise StorageError(
            f"No free name for a job in {self.folder}.", hint="Remove the files in that folder."
        )

    # --- looking ------------------------------------------------------------------------------

    def list(self, *, collection_id: str | None = None) -> tuple[Job, ...]:
        """Return the known jobs of one or all collections: active ones first, then newest first."""
        jobs = [job for job_id in files.ids(self.folder) if (job := self._read(job_id))]
        chosen = [job for job in jobs if collection_id in {None, job.collection_id}]
        chosen.sort(key=lambda job: job.created_at, reverse=True)
        return tuple(sorted(chosen, key=lambda job: not job.active))

    def get(self, job_id: str, /) -> Job:
        """Return the job with an id, or with its start, with or without ``j-``.

        Raises ``JobNotFound``: no job matches; ``UsageError``: several jobs match.
        """
        wanted = job_id.strip().lower()
        wanted = wanted if wanted.startswith("j-") else f"j-{wanted}"
        fitting = [known for known in files.ids(self.folder) if known.startswith(wanted)]
        if wanted == "j-" or not fitting:
            raise JobNotFound(job_id)
        if len(fitting) > 1:
            raise UsageError(
                f'Several jobs begin with "{job_id}": {", ".join(fitting[:5])}.',
                hint="Give the whole id.",
            )
        job = self._read(fitting[0])
        if job is None:
            raise JobNotFound(job_id)
        return job

    def blocking_job(self, mine: Job, /) -> Job | None:
        """Return the job that blocks *mine*, if it is known.

        Exports do not write to the collection, and a reindex does not block while models work.
        """
        if mine.collection_id is None:
            return None
        writing = [
            job
            for job in self.list(collection_id=mine.collection_id)
            if job.id != mine.id and job.state == "running" and not job.waiting
            if job.kind != "export" and not (job.kind == "reindex" and job.what == "embedding")
        ]
        return min(writing, key=lambda job: job.created_at, default=None)

    def _read(self, job_id: str) -> Job | None:
        """Return a job; mark it as interrupted first if its process has died."""
        path = files.record_path(self.folder, job_id)
        job = files.read(path)
        if job is None or not job.active or files.is_alive(job):
            return job
        # It may have ended properly between the look at the file and the look at the process.
        job = files.read(path)
        if job is None or not job.active:
            return job
        now = datetime.now(UTC)
        gone = replace(
            job,
            state="interrupted",
            updated_at=now,
            ended_at=now,
            remaining_seconds=None,
            error=job.error or dict(_GONE),
        )
        try:
            files.write(self.folder, gone, durable=True)
        except (OSError, StorageError) as error:
            logger.info("cannot put right the record of %s: %s", job.id, error)
            return gone
        with contextlib.suppress(OSError):
            files.request_path(self.folder, job.id).unlink(missing_ok=True)
        repairs.warning(
            "The job %s (%s) was interrupted when its program ended. Finished work is kept; run it "
            "again to continue.",
            job.id,
            job.title,
        )
        return gone

    # --- changing -----------------------------------------------------------------------------

    def request_cancel(self, job_id: str, /) -> Job:
        """Request cancellation of a job of any process; it reacts within a second, at a safe point.

        Finished jobs stay as they are. Raises ``JobNotFound`` or ``UsageError``: see :meth:`get`;
        ``DiskFull`` or ``NotWritable`` or ``StorageError``: the data folder cannot be written.
        """
        job = self.get(job_id)
        if job.active:
            from casetrack.base.files import storage_errors

            path = files.request_path(self.folder, job.id)
            with storage_errors(path):
                path.touch()
        return job

    def forget(self, collection_id: str, /, *, running: bool = True) -> int:
        """Remove the records of a collection's jobs, which name its files; return their number.

        *running* includes jobs that have not ended.
        """
        count = 0
        for job_id in files.ids(self.folder):
            path = files.record_path(self.folder, job_id)
            job = files.read(path)
            if job is None or job.collection_id != collection_id:
                continue
            if running or job.ended_at is not None:
                path.unlink(missing_ok=True)
                files.request_path(self.folder, job_id).unlink(missing_ok=True)
                count += 1
        return count


def _here() -> dict[str, Any]:
    """Return the fields of a job that identify this process."""
    return {"pid": os.getpid(), "process_started": files.started(), "host": files.host()}
