"""For a cluster that is elsewhere (``ray://``): a process there does the work, this one looks on.

Ray Data does not run over a client's connection, and the rows should not go over it either. So a
process of the cluster opens the collection, plans, and records; when it dies, another one begins,
and finds what was finished done.
"""

from __future__ import annotations

import pickle
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import CaseTrackError, ClusterDiffers, ClusterFailed, See
from casetrack.base.records import IngestProgress, IngestReport
from casetrack.cluster.ingest.work import settings_here
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
    """What a process of the cluster is to do.

    Attributes
    ----------
    place
        Where the collection lies.
    settings
        Of the data folder of whoever asks.
    work
        A function of a module of ours, and what it is given beside the collection, the event that
        stops it, and what hears how far it is.
    """

    place: Place
    settings: Settings
    work: Callable[..., IngestReport]
    given: dict[str, Any]


class Conductor:
    """Does the work; runs as an actor, of which several calls run side by side."""

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
                settings = settings_here(request.settings)
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
        """Return how far the work is, once anything is known of that."""
        return self._moment

    def stop(self) -> None:
        """Let the work end; what is finished is kept."""
        self._cancel.set()


def _not_seen(place: Place) -> ClusterDiffers:
    return ClusterDiffers(
        f"The cluster does not see the collection in {place.folder}.",
        hint="Let it lie in a folder that all machines share, at the same path, or in object "
        f"storage: {See('collection create', 'NAME', at='s3://bucket/collections/NAME')}.",
    )


def have_conducted(
    workspace: Workspace,
    work: Callable[..., IngestReport],
    given: dict[str, Any],
    /,
    *,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> IngestReport:
    """Have a process of the connected cluster do *work*, see :class:`Request`; return its report.

    Raises
    ------
    ClusterFailed
        Each process that began ended without a word.
    CaseTrackError
        Whatever the work raises.
    """
    import ray

    packed = pickle.dumps(Request(place_of(workspace.folder), workspace.settings, work, given))
    lost: Exception | None = None
    for _ in range(_TRIES):
        actor = ray.remote(num_cpus=0, max_concurrency=4)(Conductor).remote()
        try:
            answer = pickle.loads(  # noqa: S301 - of our own process
                _looking_on(actor, actor.run_remote.remote(packed), progress, cancel)
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


def _looking_on(
    actor: Any,
    answer: Any,
    progress: Callable[[IngestProgress], None] | None,
    cancel: threading.Event,
) -> bytes:
    """Wait for the answer; tell how far the work is, and pass on that it is to stop."""
    import ray

    told = False
    while not ray.wait([answer], timeout=_POLL_SECONDS)[0]:
        moment: IngestProgress | None = ray.get(actor.progress.remote())
        if progress is not None and moment is not None:
            progress(moment)
        if cancel.is_set() and not told:
            actor.stop.remote()
            told = True
    found: bytes = ray.get(answer)
    return found
