"""Errors about long work and about watched folders."""

from __future__ import annotations

from casetrack.base.errors.base import CaseTrackError, UsageError


class JobNotFound(UsageError):
    """There is no job of this id, or not any more."""

    code = "job_not_found"

    def __init__(self, job_id: str) -> None:
        super().__init__(
            f'There is no job "{job_id}".',
            hint="See the jobs that are known with `casetrack jobs list`.",
        )


class JobStopped(CaseTrackError):
    """Work was asked to stop before it had begun; nothing was done."""

    code = "cancelled"


class WatchNotFound(UsageError):
    """No watched folder has this path or id."""

    code = "watch_not_found"


class FolderUnsafe(CaseTrackError):
    """A folder looks as if its disk were not there, so that nothing is removed because of it."""

    code = "folder_unsafe"
