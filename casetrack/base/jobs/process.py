"""Which process does a job, and whether it is still there."""

from __future__ import annotations

import functools
import os
import platform
from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from casetrack.base.records.jobs import Job

SILENT_SECONDS = 120.0
"""After so long without a word a job of another machine is taken for gone; a working one writes
at least every ten seconds."""
_SAME_START_SECONDS = 5.0


def host() -> str:
    """Return the name of this machine; a container has its own."""
    return platform.node()


@functools.cache
def _started(pid: int) -> float:
    import psutil

    return float(psutil.Process(pid).create_time())


def started() -> float:
    """Return when this process began, in seconds since 1970."""
    return _started(os.getpid())


def is_alive(job: Job, /) -> bool:
    """Return whether the process of a job is still there.

    A number that another process has got since is told by its start. On a data folder that
    several machines share, numbers of another machine say nothing; there it counts when the job
    was last heard of.
    """
    if job.host != host():
        return (datetime.now(UTC) - job.updated_at).total_seconds() < SILENT_SECONDS
    import psutil

    try:
        process = psutil.Process(job.pid)
        same = abs(float(process.create_time()) - job.process_started) < _SAME_START_SECONDS
        return same and bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True  # somebody's process has this number, and more cannot be seen
