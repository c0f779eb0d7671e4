"""Records of long work that outlive their process.

A job is a file in ``<data folder>/jobs``. The working process writes it about once a second; other
processes may read it and request cancellation.
"""

from casetrack.base.jobs.running import RunningJob
from casetrack.base.jobs.store import JobStore

__all__ = ["JobStore", "RunningJob"]
