"""The folder of jobs: one JSON file per job, and marker files for requests."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import re
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from casetrack.base.files import write_atomic
from casetrack.base.records.jobs import Job

KEPT_JOBS = 200
KEPT_SECONDS = 30 * 86_400.0
_SPARE = 20
"""Number of surplus records before a cleanup."""
_LEFTOVER_SECONDS = 86_400.0
_NAME = re.compile(r"j-[0-9a-f]{6}")


def record_path(folder: Path, job_id: str, /) -> Path:
    """Return the path of a job's record."""
    return folder / f"{job_id}.json"


def request_path(folder: Path, job_id: str, /) -> Path:
    """Return the path of the marker that requests cancellation."""
    return folder / f"{job_id}.cancel"


def claim_path(folder: Path, job_id: str, /) -> Path:
    """Return the path of the marker of the process that resumes a job, so that only one does."""
    return folder / f"{job_id}.claim"


def write(folder: Path, job: Job, /, *, durable: bool) -> None:
    """Replace the record of a job atomically.

    *durable* waits for the disk. During the work it is not worth its cost: a power loss ends the
    process too. Raises ``OSError`` or ``StorageError``: it cannot be written.
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
    """Return the job of a file, or ``None`` if the file is missing, torn or not a record."""
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
    """Remove records of old jobs, and files that killed processes left."""
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
    # Another process may clean up at the same time; the next cleanup retries failures.
    with contextlib.suppress(OSError):
        path.unlink()


# Which process does a job, and whether it is still there.

SILENT_SECONDS = 120.0
"""After this silence a job of another machine counts as dead; live ones write every ten seconds."""
_SAME_START_SECONDS = 5.0


def host() -> str:
    """Return the name of this machine; a container has its own."""
    return platform.node()


@functools.cache
def _started(pid: int) -> float:
    import psutil

    return float(psutil.Process(pid).create_time())


def started() -> float:
    """Return the start time of this process, in seconds since 1970."""
    return _started(os.getpid())


def is_alive(job: Job, /) -> bool:
    """Return whether the process of a job still runs.

    The start time detects a reused process id. In a data folder that several machines share,
    process ids of another machine are meaningless, so the time of the last write decides.
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
        return True  # another user's process has this id; no more is visible
