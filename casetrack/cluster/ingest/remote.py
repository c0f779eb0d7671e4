"""Work on a remote cluster (``ray://``) by one of its processes; this one observes it.

Ray Data does not run over a client connection, and rows should not pass through it. A process of
the cluster opens the collection, plans, and records; if it ends, another one continues with the
unfinished documents.
"""

from __future__ import annotations

import pickle
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError, ClusterDiffers, ClusterFailed, See
from casetrack.base.records import IngestProgress, IngestReport
from casetrack.cluster.ingest.work import local_settings
from casetrack.models.encoders import Encoders
from casetrack.parse.workers.messages import pack_error, unpack_error
from casetrack.store.folders import local_folder
from casetrack.store.mirror import touched
from casetrack.store.place import Place, place_of
from casetrack.store.scratch import working_folder
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.base.config import Settings

_TRIES = 3
_POLL_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Request:
    """Work for a process of the cluster.

    *work* is an importable function; it takes the collection, the cancel event, the progress
    callback and *given*. *settings* are those of the caller's data folder.
    """

    place: Place
    settings: Settings
    work: Callable[..., IngestReport]
    given: dict[str, Any]


class RemoteWorker:
    """An actor that does the work; several calls run in parallel."""

    def __init__(self) -> None:
        self._cancel = threading.Event()
        self._moment: IngestProgress | None = None

    def run_remote(self, packed: bytes) -> bytes:
        """Return the report of the work, or its error, packed."""
        request: Request = pickle.loads(packed)  # noqa: S301 - of the program that asks
        try:
            with working_folder() as home:
                folder = local_folder(request.place, home)
                if not (folder / "collection.json").is_file():
                    raise _not_seen(request.place)
                settings = local_settings(request.settings)
                workspace = Workspace(folder, settings, Encoders.of(settings))
                report = request.work(
                    workspace, cancel=self._cancel, progress=self._hear, **request.given
                )
        except CaseTrackError as error:
            return pickle.dumps(pack_error(error))
        return pickle.dumps(report)

    def _hear(self, moment: IngestProgress) -> None:
        self._moment = moment

    def progress(self) -> IngestProgress | None:
        """Return the progress of the work, ``None`` if unknown."""
        return self._moment

    def stop(self) -> None:
        """Stop the work; completed documents are kept."""
        self._cancel.set()


def _not_seen(place: Place) -> ClusterDiffers:
    return ClusterDiffers(
        f"The cluster does not see the collection in {place.folder}.",
        hint="Store it in a folder that all machines share, at the same path, or in object "
        f"storage: {See('collection create', 'NAME', at='s3://bucket/collections/NAME')}.",
    )


def run_remotely(
    workspace: Workspace,
    work: Callable[..., IngestReport],
    given: dict[str, Any],
    /,
    *,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Run *work* in a process of the connected cluster and return its report; see :class:`Request`.

    Raises
    ------
    ClusterFailed
        All processes ended without an error.
    CaseTrackError
        An error of the work.
    """
    import ray

    packed = pickle.dumps(Request(place_of(workspace.folder), workspace.settings, work, given))
    lost: Exception | None = None
    for _ in range(_TRIES):
        actor = ray.remote(num_cpus=0, max_concurrency=4)(RemoteWorker).remote()
        try:
            answer = pickle.loads(  # noqa: S301 - from this program
                _observe(actor, actor.run_remote.remote(packed), progress, cancel)
            )
        except ray.exceptions.RayActorError as error:
            lost = error
            continue
        finally:
            touched(workspace.folder)
            workspace.forget()
        if isinstance(answer, IngestReport):
            return answer
        raise unpack_error(answer, workspace.folder)
    raise ClusterFailed("the process that records what was read ended again and again", lost)


def _observe(
    actor: Any,
    answer: Any,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> bytes:
    """Wait for the answer; report progress, and forward a request to stop."""
    import ray

    is_stopping = False
    while not ray.wait([answer], timeout=_POLL_SECONDS)[0]:
        moment: IngestProgress | None = ray.get(actor.progress.remote())
        if progress is not None and moment is not None:
            progress(moment)
        if cancel.is_set() and not is_stopping:
            actor.stop.remote()
            is_stopping = True
    packed: bytes = ray.get(answer)
    return packed
