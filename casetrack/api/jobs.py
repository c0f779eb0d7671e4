"""The long work of a data folder, as an operation of every face."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from casetrack.api.operation import READS, SWITCHES, Arg, operation
from casetrack.base.jobs import JobStore
from casetrack.base.records import Rows
from casetrack.base.records.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from casetrack.base.records import CollectionInfo

_JobId = Annotated[str, Arg("ID of the job; its beginning is enough.", "JOB", "job_id")]
_NEWEST = 20


class Jobs(JobStore):
    """The long work of all programs on a data folder: ``library.jobs``.

    Parameters
    ----------
    data_dir
        The data folder.
    find
        Returns the facts of a collection by its name or id.
    """

    def __init__(self, data_dir: Path, find: Callable[[str], CollectionInfo], /) -> None:
        super().__init__(data_dir)
        self._find = find

    @operation("jobs list", READS)
    def newest(
        self,
        *,
        everything: Annotated[
            bool, Arg("List all that are known, not only the newest.", "--all")
        ] = False,
        collection: Annotated[
            str | None, Arg("Only this collection, by its name or ID.", "--collection -c NAME")
        ] = None,
    ) -> Rows[Job]:
        """Return long work: what waits and runs now, in any program, and what has ended lately.

        Records are kept for 30 days, of the newest 200 jobs.

        Raises
        ------
        CollectionNotFound, AmbiguousName
            See :meth:`casetrack.api.library.Library.get`.
        """
        found = self.list(collection_id=None if collection is None else self._find(collection).id)
        count = len(found) if everything else max(_NEWEST, sum(job.active for job in found))
        return Rows(found[:count], of=Job, total=len(found))

    @operation("jobs show", READS)
    def get(self, job_id: _JobId, /) -> Job:
        """Return how far a job is, how long it will take, and what came of it.

        Raises
        ------
        JobNotFound, UsageError
            See :meth:`casetrack.base.jobs.JobStore.get`.
        """
        return super().get(job_id)

    @operation("jobs cancel", SWITCHES, tool="cancel_job", whose="")
    def request_cancel(self, job_id: _JobId, /) -> Job:
        """Ask a job to end, whichever program does it; what is finished is kept.

        It ends after the document or step at hand.

        Raises
        ------
        JobNotFound, UsageError
            See :meth:`casetrack.base.jobs.JobStore.get`.
        """
        return super().request_cancel(job_id)
