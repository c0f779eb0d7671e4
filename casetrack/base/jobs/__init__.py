"""Long work as records that outlive their process.

A job is a file in ``<data folder>/jobs``. The process that works writes it, about once a second;
every other process may read it and may ask for an end.
"""

from casetrack.base.jobs.running import RunningJob
from casetrack.base.jobs.store import JobStore

__all__ = ["JobStore", "RunningJob"]
