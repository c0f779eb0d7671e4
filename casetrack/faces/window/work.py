"""Long work that the window begins: pages come and go, and it goes on until the window ends."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from casetrack.api.models import supplies
from casetrack.base.records import DEFAULT_PROFILE

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.library import Library
    from casetrack.base.jobs import RunningJob
    from casetrack.base.records import CollectionInfo
    from casetrack.base.records.jobs import JobKind
    from casetrack.faces.window.visit import Visit

_running: dict[str, tuple[RunningJob, threading.Thread]] = {}
_lock = threading.Lock()
WAITED_FOR = 1_000
"""A page waits for the analysis of up to so many passages, about three seconds."""
_END_SECONDS = 20.0
"""Seconds that work may take to stop when the window ends."""


def begin(
    library: Library,
    kind: JobKind,
    work: Callable[[Callable[..., None], threading.Event], Any],
    /,
    *,
    title: str,
    collection: CollectionInfo | None = None,
) -> str:
    """Start long work in a separate thread, and return the id of its job.

    The job (:meth:`casetrack.base.jobs.JobStore.get`) contains progress, result and failure; any
    program can read and cancel it. For *work* see :meth:`casetrack.base.jobs.RunningJob.do`.
    """
    job = library.jobs.start(kind, title=title, collection=collection)
    thread = threading.Thread(target=_do, args=(job, work), name=job.id)
    _running[job.id] = (job, thread)
    thread.start()
    return job.id


def map_job(visit: Visit, most: int | None = None, /) -> str | None:
    """Return the job that prepares the map of a page's collection, started if none is running.

    ``None`` if the map lacks at most *most* passages, by default as many as a page can wait for.
    """
    library, collection = visit.library, visit.collection
    if collection.map.lacking() <= (WAITED_FOR if most is None else most):
        return None
    info = collection.info
    with _lock:
        for job, _ in list(_running.values()):
            if job.job.kind == "upkeep" and job.job.collection_id == info.id:
                return job.id
        return begin(
            library, "upkeep", collection.map.prepare, title=f"Map of {info.name}", collection=info
        )


def fetch_models(library: Library, profile: str, /) -> str:
    """Start the download of a profile's models; then search data without them is rebuilt."""
    folder = library.settings.models_dir

    def work(tell: Callable[..., None], stop: threading.Event) -> None:
        from casetrack.api.models.pulling import pull

        def progress(what: str, done: int, total: int | None) -> None:
            tell(what, done, total or 0)

        if profile != DEFAULT_PROFILE:
            pull(profile, folder, progress)
        else:  # Includes the models for text recognition.
            for _ in supplies.fetch(folder, progress):
                pass
        for info in library.collections():
            if info.status == "active" and info.profile == profile and not stop.is_set():
                library.get(info.id).admin.reindex(cancel=stop, progress=False)

    return begin(library, "models", work, title=f"Models of {profile}")


def missing_meaning(visit: Visit, /) -> str | None:
    """Return the job that downloads the missing default models, empty if none does.

    ``None`` if they are installed.
    """
    if not supplies.lacking(visit.library.settings.models_dir):
        return None
    running = (job.id for job in visit.library.jobs.list() if job.active and job.kind == "models")
    return next(running, "")


def begin_models(visit: Visit, /) -> None:
    """Start the download of the default models if they are missing."""
    if missing_meaning(visit) == "":
        fetch_models(visit.library, DEFAULT_PROFILE)


def end_all() -> None:
    """Cancel all work, and wait a limited time for its end; completed work is kept."""
    for job, _ in list(_running.values()):
        job.cancel.set()
    for _, thread in list(_running.values()):
        thread.join(_END_SECONDS)


def is_busy() -> bool:
    """Return whether any work is running."""
    return bool(_running)


def _do(job: RunningJob, work: Callable[[Callable[..., None], threading.Event], Any]) -> None:
    try:
        job.do(work)
    except BaseException as error:  # noqa: BLE001 - stored in the job's record
        job.end(error)
    else:
        job.end()
    finally:
        _running.pop(job.id, None)
