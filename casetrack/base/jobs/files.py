"""The folder of jobs: one JSON file per job, and small files that ask for an end."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import re
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from casetrack.base.files import write_atomic
from casetrack.base.records.jobs import Job

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEPT_JOBS = 200
KEPT_SECONDS = 30 * 86_400.0
_SPARE = 20
"""How many more than are kept may lie there until somebody cleans up."""
_LEFTOVER_SECONDS = 86_400.0
_NAME = re.compile(r"j-[0-9a-f]{6}")


def record_path(folder: Path, job_id: str, /) -> Path:
    """Return where the record of a job is."""
    return folder / f"{job_id}.json"


def request_path(folder: Path, job_id: str, /) -> Path:
    """Return the file whose being there asks a job to end."""
    return folder / f"{job_id}.cancel"


def claim_path(folder: Path, job_id: str, /) -> Path:
    """Return the file that the program makes which goes on with a job, so that only one does."""
    return folder / f"{job_id}.claim"


def write(folder: Path, job: Job, /, *, durable: bool) -> None:
    """Replace the record of a job in one step.

    Parameters
    ----------
    folder
        The folder of jobs.
    job
        What to write.
    durable
        Wait until the disk has it. While a job runs that would cost more than it is worth: after
        a loss of power the process is gone as well.

    Raises
    ------
    OSError, StorageError
        It cannot be written.
    """
    path = record_path(folder, job.id)
    # Escapes carry also the names of files that are not Unicode.
    data = (json.dumps(job.as_record(), indent=2) + "\n").encode("ascii")
    if durable:
        write_atomic(path, data)
        return
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path, /) -> Job | None:
    """Return the job of a file, or ``None`` where it is gone, torn or of somebody else."""
    try:
        raw = json.loads(path.read_bytes())
        job = Job.from_record(raw)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None
    return job if job.id == path.stem else None


def ids(folder: Path, /) -> list[str]:
    """Return the ids of all records, sorted."""
    try:
        names = [path.name for path in folder.iterdir()]
    except OSError:
        return []
    stems = (name.removesuffix(".json") for name in names if name.endswith(".json"))
    return sorted(stem for stem in stems if _NAME.fullmatch(stem))


def prune(folder: Path, /) -> None:
    """Remove records of jobs that ended long ago, and what killed processes left."""
    now = time.time()
    by_age = sorted(_ages(folder, now))
    records = [(age, path) for age, path in by_age if _is_record(path)]
    crowded = len(records) > KEPT_JOBS + _SPARE
    for place, (age, path) in enumerate(records):
        if age < KEPT_SECONDS and not (crowded and place >= KEPT_JOBS):
            continue
        job = read(path)
        if job is not None and job.active and age < KEPT_SECONDS:
            continue
        _remove(path)
    for age, path in by_age:
        if age > _LEFTOVER_SECONDS and _is_leftover(path):
            _remove(path)


def _is_record(path: Path) -> bool:
    return path.suffix == ".json" and _NAME.fullmatch(path.stem) is not None


def _is_leftover(path: Path) -> bool:
    name = path.name
    asked = path.suffix in {".cancel", ".claim"} and _NAME.fullmatch(path.stem) is not None
    return asked or (name.startswith(".j-") and name.endswith(".tmp"))


def _ages(folder: Path, now: float) -> Iterator[tuple[float, Path]]:
    for path in folder.iterdir():
        with contextlib.suppress(OSError):
            yield now - path.stat().st_mtime, path


def _remove(path: Path) -> None:
    # Another process may clean up at the same moment; what cannot be removed is tried next time.
    with contextlib.suppress(OSError):
        path.unlink()


# Which process does a job, and whether it is still there.

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
