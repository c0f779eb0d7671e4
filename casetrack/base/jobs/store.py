"""The jobs of a data folder: begin one, list what runs and ran, ask one to end."""

from __future__ import annotations

import contextlib
import logging
import os
import secrets
import weakref
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import JobNotFound, StorageError, UsageError
from casetrack.base.jobs import files
from casetrack.base.jobs.running import LEFT, RunningJob
from casetrack.base.records.jobs import Job

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator
    from pathlib import Path

    from casetrack.base.records import CollectionInfo
    from casetrack.base.records.jobs import JobKind

logger = logging.getLogger("casetrack.jobs")
repairs = logging.getLogger("casetrack.repairs")

_TRIES = 20
_GONE = {
    "code": "interrupted",
    "message": "The program that did this ended in the middle of it.",
    "hint": "Everything that was finished is kept. Run it again to go on.",
}


def _may_go_on(job: Job) -> bool:
    # The paths of its call mean something on the machine on which it was made.
    here = job.call is not None and job.host == files.host()
    return here and job.state == "interrupted" and (job.error or {}).get("code") == LEFT["code"]


class JobStore:
    """All jobs of a data folder, those of other processes too. May be used from several threads.

    Parameters
    ----------
    data_dir
        The data folder; jobs are in its folder ``jobs``.
    """

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

        An error that leaves the block ends the job as failed, Ctrl-C as cancelled; both go on.

        Parameters
        ----------
        kind
            One of :data:`~casetrack.base.records.jobs.JOB_KINDS`.
        title
            What is done, for people.
        collection
            What it is done to; ``None`` where the work makes the collection.
        cancel
            The event that stops the work; it is set when somebody asks the job to end.

        Yields
        ------
        RunningJob
            Takes the work's progress and its report.
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
        """Begin a job; whoever calls this calls :meth:`RunningJob.end`. See :meth:`run`.

        Where the data folder cannot be written the work goes on without a record.

        Parameters
        ----------
        call
            See :class:`~casetrack.base.records.jobs.Job`.
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
            started_at=None,
            updated_at=now,
            ended_at=None,
            what="",
            done=0,
            total=0,
            remaining_seconds=None,
            result=None,
            error=None,
            pid=os.getpid(),
            process_started=files.started(),
            host=files.host(),
            call=call,
        )
        return self._begun(job, cancel)

    def _begun(self, job: Job, cancel: threading.Event | None) -> RunningJob:
        running = RunningJob(self.folder, job, cancel, writer_of=self.writer_before)
        running.begin()
        self._running.add(running)
        if self._leaving:  # told meanwhile
            running.leave(LEFT)
        return running

    def leave(self) -> None:
        """Make all jobs of this process end because it was told to; they are interrupted then.

        It goes on with none from then on: what it has just left is for the next process.
        """
        self._leaving = True
        for running in tuple(self._running):
            running.leave(LEFT)

    def go_on(self, job: Job, /) -> RunningJob | None:
        """Begin a job again, under its id, whose server was told to end; see :meth:`start`.

        Returns
        -------
        RunningJob or None
            ``None`` where another program goes on with it, nobody can, or this one ends.
        """
        if self._leaving:
            return None
        claim = files.claim_path(self.folder, job.id)
        try:
            os.close(os.open(claim, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        except OSError:
            return None  # claimed, or a folder in which nothing can be written
        try:
            found = files.read(files.record_path(self.folder, job.id))
            if found is None or not _may_go_on(found):
                return None
            again = replace(
                found,
                state="queued",
                updated_at=datetime.now(UTC),
                ended_at=None,
                what="",
                done=0,
                total=0,
                result=None,
                error=None,
                pid=os.getpid(),
                process_started=files.started(),
                host=files.host(),
            )
            return self._begun(again, None)
        finally:
            with contextlib.suppress(OSError):
                claim.unlink(missing_ok=True)

    def left(self) -> tuple[Job, ...]:
        """Return the jobs that :meth:`go_on` may begin again, the oldest first."""
        return tuple(reversed([job for job in self.list() if _may_go_on(job)]))

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
        """Return the jobs that are known: those at work first, then the newest first.

        Parameters
        ----------
        collection_id
            Only jobs of this collection.
        """
        found = [job for job_id in files.ids(self.folder) if (job := self._read(job_id))]
        chosen = [job for job in found if collection_id in {None, job.collection_id}]
        chosen.sort(key=lambda job: job.created_at, reverse=True)
        return tuple(sorted(chosen, key=lambda job: not job.active))

    def get(self, job_id: str, /) -> Job:
        """Return the job of an id; its beginning is enough, with or without ``j-``.

        Raises
        ------
        JobNotFound
            None begins like this.
        UsageError
            Several do.
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

    def writer_before(self, mine: Job, /) -> Job | None:
        """Return the job that another one waits for, if it is known.

        An export writes nothing to the collection, and a reindex lets models work while others
        write; neither is what is waited for.
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
        """Return a job as it is; one whose process is gone is put right first."""
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
            "The job %s (%s) was cut short when its program ended; it is marked as interrupted. "
            "What it had finished is kept; run it again to go on.",
            job.id,
            job.title,
        )
        return gone

    # --- changing -----------------------------------------------------------------------------

    def request_cancel(self, job_id: str, /) -> Job:
        """Ask a job of any process to end; it notices within a second, and ends at a boundary.

        Returns
        -------
        Job
            The job as it is now. One that has ended already is left as it is.

        Raises
        ------
        JobNotFound, UsageError
            See :meth:`get`.
        DiskFull, NotWritable, StorageError
            The data folder cannot be written.
        """
        job = self.get(job_id)
        if job.active:
            from casetrack.base.files import storage_errors

            path = files.request_path(self.folder, job.id)
            with storage_errors(path):
                path.touch()
        return job

    def forget(self, collection_id: str, /, *, running: bool = True) -> int:
        """Remove the records of a collection's jobs: they name its files.

        Parameters
        ----------
        collection_id
            The collection, which is deleted, or of which something has to be gone for good.
        running
            Also of jobs that have not ended.

        Returns
        -------
        int
            How many were removed.
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
