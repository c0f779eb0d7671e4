"""The jobs of a data folder, as operations."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from casetrack.api.operation import READS, SWITCHES, Arg, operation
from casetrack.base.jobs import JobStore
from casetrack.base.records import CollectionInfo, Rows
from casetrack.base.records.jobs import Job

_JobId = Annotated[str, Arg("ID of the job, or its beginning.", "JOB", "job_id")]
_NEWEST = 20


class Jobs(JobStore):
    """The jobs of all programs on a data folder: ``library.jobs``.

    *find* returns the facts of a collection by its name or id.
    """

    def __init__(self, data_dir: Path, find: Callable[[str], CollectionInfo], /) -> None:
        super().__init__(data_dir)
        self._find = find

    @operation("jobs list", READS)
    def newest(
        self,
        *,
        everything: Annotated[bool, Arg(cli="--all")] = False,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
    ) -> Rows[Job]:
        """Return jobs: waiting and running ones of all programs, and the last ones that ended.

        Records of the newest 200 jobs are kept for 30 days.

        Parameters
        ----------
        everything
            List all jobs, not only the newest.
        collection
            Only this collection, by its name or ID.
        """
        jobs = self.list(collection_id=None if collection is None else self._find(collection).id)
        count = len(jobs) if everything else max(_NEWEST, sum(job.active for job in jobs))
        return Rows(jobs[:count], of=Job, total=len(jobs))

    @operation("jobs show", READS)
    def get(self, job_id: _JobId, /) -> Job:
        """Return the progress of a job, its remaining time, and its result."""
        return super().get(job_id)

    @operation("jobs cancel", SWITCHES, tool="cancel_job", whose="")
    def request_cancel(self, job_id: _JobId, /) -> Job:
        """Request that a job of any program stops; finished work is kept.

        It stops after the current document or step.
        """
        return super().request_cancel(job_id)
