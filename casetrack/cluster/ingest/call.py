"""``Collection.ingest`` on a cluster: from this process, or by a process of a remote cluster."""

from __future__ import annotations

import hashlib
import os
import pickle
import re
import threading
import time
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import as_list, as_paths
from casetrack.base.config import Settings, resolve_path
from casetrack.base.errors import (
    CaseTrackError,
    ClusterDiffers,
    ClusterFailed,
    JobStopped,
    See,
    UsageError,
)
from casetrack.base.objects import credentials
from casetrack.base.records import Document, IngestProgress, IngestReport
from casetrack.cluster.build import catch_up
from casetrack.cluster.connect import (
    CLIENT,
    SHARED,
    Cluster,
    connected,
    on_each_machine,
    require_same,
)
from casetrack.cluster.ingest.engine import Engine
from casetrack.cluster.ingest.run import ClusterRun
from casetrack.cluster.ingest.work import Recipe, kit_of, local_settings
from casetrack.ingest.batch import LOCK_SECONDS, open_batch, reading_conditions, run_batch
from casetrack.ingest.discover import FoundFile
from casetrack.ingest.intake import ingest, is_unchosen
from casetrack.ingest.outcomes import cancelled_outcome, counted
from casetrack.ingest.plan import FileFacts
from casetrack.ingest.walk import extension_set, suffix_of
from casetrack.keep.sources.base import Item, label
from casetrack.keep.sources.s3 import S3Source
from casetrack.keep.sync.cache import HashCache, Hashed
from casetrack.keep.sync.listing import origin_of
from casetrack.models.encoders import Encoders
from casetrack.parse.workers.messages import pack_error, unpack_error
from casetrack.store.folders import local_folder
from casetrack.store.mirror import touched
from casetrack.store.place import Place, place_of
from casetrack.store.scratch import working_folder
from casetrack.store.session import write_session
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.ingest.build import Options
    from casetrack.ingest.pipeline import Pipeline
    from casetrack.parse.base import ReadOptions

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


# Checks every machine of a cluster before it gets work, to report differences in advance.

_FILE = "collection.json"
_WITNESSES = 3


@dataclass(frozen=True, slots=True)
class Machine:
    """State of a machine: fingerprints of its pipeline and of its reading conditions.

    *unseen* are files that are missing or differ, *problem* is an error with its hint, or empty.
    """

    fingerprint: str = ""
    read_with: str = ""
    has_models: bool = False
    unseen: tuple[str, ...] = ()
    problem: tuple[str, str] = ("", "")


def require_ready(
    recipe: Recipe, pipeline: Pipeline, read_with: str, files: Sequence[FoundFile], /
) -> None:
    """Check that each machine sees *files* (a sample) and reads them as this process would.

    Raises
    ------
    ClusterDiffers
        A machine has another version, other or no models, does not see the collection or the
        files, or cannot read the bucket.
    """
    require_same()
    witnesses = _sample_files(recipe, files)
    for name, look in on_each_machine(machine_state, recipe.pack(), witnesses).items():
        machine = f"The machine {name} of the cluster"
        if look.problem[0]:
            raise ClusterDiffers(f"{machine} cannot work: {look.problem[0]}", hint=look.problem[1])
        if look.unseen:
            path = look.unseen[0]
            if path == str(recipe.place.folder / _FILE):
                raise ClusterDiffers(
                    f"{machine} does not see the collection in {recipe.place.folder}.",
                    hint="Store it in a folder that all machines share, at the same path, or in "
                    "object storage (s3://bucket/collections/NAME).",
                )
            raise ClusterDiffers(
                f"{machine} does not see {path}, or sees another file.", hint=SHARED
            )
        _require_models(machine, look, pipeline, recipe.profile)
        if look.read_with != read_with:
            raise ClusterDiffers(
                f"{machine} uses other text recognition for scans than this computer.",
                hint=f"Install the same engines and languages everywhere; {See('models list')} "
                "lists them.",
            )


def _require_models(machine: str, look: Machine, pipeline: Pipeline, profile: str) -> None:
    local = pipeline.tools.encoder is not None
    if look.has_models != local:
        lacks = machine if local else "This computer"
        has = "this computer has them" if local else f"{machine[0].lower()}{machine[1:]} has them"
        raise ClusterDiffers(
            f"{lacks} does not have the models of the profile {profile}, and {has}.",
            hint=f"Run {See('models pull', profile)} there, or set CASETRACK_MODELS to a folder "
            "that has them.",
        )
    if look.fingerprint != pipeline.fingerprint:
        raise ClusterDiffers(
            f"{machine} would create other passages, vectors or names than this computer: its "
            "models or packages differ.",
            hint=f"Install the same packages and models everywhere; {See('doctor')} names them.",
        )


def _sample_files(recipe: Recipe, files: Sequence[FoundFile]) -> list[tuple[str, str]]:
    """Return some files that every machine should see, each with its signature."""
    manifest = [] if recipe.place.is_remote else [recipe.place.folder / _FILE]
    own = [file.path for file in files if not file.is_fetched and file.problem is None]
    step = max(1, len(own) // _WITNESSES)
    return [(str(path), _signature(path)) for path in [*manifest, *own[::step][:_WITNESSES]]]


def _signature(path: Path) -> str:
    """Return the signature of a file: its size, or the hash of a small file."""
    try:
        size = path.stat().st_size
        if size > 1 << 20:
            return str(size)
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def machine_state(recipe: bytes, witnesses: Sequence[tuple[str, str]]) -> Machine:
    """Return the state of this machine; runs on each of them."""
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    unseen = tuple(path for path, mark in witnesses if _signature(Path(path)) != mark)
    if unseen:
        return Machine(unseen=unseen)
    try:
        kit = kit_of(recipe, None)
        if kit.recipe.source is not None:
            next(iter(kit.recipe.source.items()), None)
    except CaseTrackError as error:
        return Machine(problem=(error.message, error.hint))
    return Machine(kit.pipeline.fingerprint, kit.read_with, kit.pipeline.tools.encoder is not None)


# Files of a bucket, which each machine of the cluster downloads for its own work.

_ADDRESS = re.compile(r"s3://([^/]+)(?:/(.*))?")


def is_bucket(path: str | Path, /) -> bool:
    """Return whether a path is the address of a bucket, or of a part of one."""
    return str(path).startswith("s3://")


@dataclass(slots=True)
class Bucket:
    """Files to read from a bucket: keys begin with *prefix*, *items* are by document path."""

    source: S3Source
    prefix: str
    items: dict[str, Item] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str, /) -> Bucket:
        """Return the bucket at ``s3://bucket/folder``; raise ``UsageError`` for another address."""
        fits = _ADDRESS.fullmatch(address)
        if fits is None:
            raise UsageError(
                f"{address!r} is not the address of a bucket.", hint="Write s3://bucket/folder."
            )
        prefix = (fits[2] or "").lstrip("/")
        if prefix and not prefix.endswith("/") and not suffix_of(prefix):
            prefix += "/"
        source = S3Source(
            fits[1],
            bucket=fits[1],
            prefix=prefix,
            region=credentials.region_of_s3() or "us-east-1",
            endpoint_url=credentials.endpoint_of_s3(),
        )
        return cls(source, prefix)

    def find(
        self, *, recursive: bool, extensions: Iterable[str] | None, cancel: threading.Event | None
    ) -> list[FoundFile]:
        """Return the objects to read in the order of their keys; may raise ``SourceError``.

        Raises ``JobStopped`` if *cancel* is set.
        """
        wanted = extension_set(extensions)
        below = self.prefix.rfind("/") + 1
        name = label(self.source)
        for item in self.source.items(cancel=cancel):
            if not recursive and "/" in item.source_id[below:]:
                continue
            if wanted is not None and suffix_of(item.source_id) not in wanted:
                continue
            self.items[origin_of(name, item).path] = item
        return [
            FoundFile(Path(origin.name), named=False, origin=origin)
            for origin in (origin_of(name, self.items[path]) for path in sorted(self.items))
        ]

    def known(self, cache: HashCache, documents: Iterable[Document], /) -> dict[str, FileFacts]:
        """Return the facts of objects that have not changed since they were read."""
        paths = {document.path: document for document in documents}
        facts = {}
        for path, item in self.items.items():
            document = paths.get(path)
            entry = cache.find(path, item.token) if item.token else None
            if document is not None and entry is not None:
                moment = item.updated_at or document.file_modified_at
                facts[path] = FileFacts(entry.hash, document.file_size, moment.astimezone(UTC))
        return facts

    def remember(self, cache: HashCache, documents: Sequence[Document], /) -> None:
        """Store which version of each object was read, to avoid downloading it again."""
        for document in documents:
            item = self.items.get(document.path)
            as_listed = (
                item is not None
                and item.token
                and item.size == document.file_size
                and (item.updated_at or datetime.max.replace(tzinfo=UTC)) <= document.updated_at
            )
            if as_listed and item is not None:
                cache.keep(document.path, Hashed(item.token, time.time_ns(), document.file_hash))
        cache.save()


_MEMORY = 512 * 2**20
"""Memory for waiting blocks in a cluster started here; more are written to its disk."""


def ingest_on_cluster(
    workspace: Workspace,
    paths: str | Path | Iterable[str | Path],
    /,
    *,
    on: str,
    recursive: bool = True,
    extensions: Iterable[str] | str | None = None,
    progress: Callable[[IngestProgress], None] | None = None,
    cancel: threading.Event | None = None,
    **given: Any,
) -> IngestReport:
    """Add files on a cluster.

    All machines must see *paths*, or they are buckets (``s3://bucket/folder``). *on* is an address
    as in :func:`casetrack.cluster.connect.connected`; other arguments are those of
    ``Collection.ingest``.

    Raises
    ------
    UsageError
        An argument is invalid.
    ClusterUnreachable, ClusterDiffers
        The cluster cannot do this; nothing was changed.
    ClusterFailed
        It stopped working; committed documents are kept.
    CaseTrackError
        See ``Collection.ingest``.
    """
    stop = cancel or threading.Event()
    given |= {"recursive": recursive, "extensions": extensions}
    # On other machines, relative paths refer to another folder.
    named = [path if is_bucket(path) else resolve_path(path) for path in as_paths(paths)]
    with connected(on, memory=_MEMORY) as cluster:
        given |= {"paths": named, "cluster": cluster}
        if not on.startswith(CLIENT):
            return ingest_connected(workspace, cancel=stop, progress=progress, **given)
        require_same()
        return run_remotely(workspace, ingest_connected, given, progress=progress, cancel=stop)


def ingest_connected(
    workspace: Workspace,
    /,
    *,
    paths: list[str | Path],
    cluster: Cluster,
    cancel: threading.Event,
    progress: Callable[[IngestProgress], None] | None,
    **given: Any,
) -> IngestReport:
    """Add files on the cluster of this process; see :func:`ingest_on_cluster`."""
    addresses = [str(path) for path in paths if is_bucket(path)]
    if len(addresses) > 1:
        raise UsageError(
            "Only one bucket can be added at a time.", hint="Run the command for each of them."
        )
    bucket = Bucket.of(addresses[0]) if addresses else None
    elsewhere: list[FoundFile] = []
    if bucket is not None:
        extensions = given["extensions"]
        elsewhere = bucket.find(
            recursive=given["recursive"],
            extensions=None if extensions is None else as_list(extensions),
            cancel=cancel,
        )
    report = ingest(
        workspace,
        [path for path in paths if not is_bucket(path)],
        elsewhere=elsewhere,
        batch=ClusterBatch(cluster, bucket),
        progress=progress,
        cancel=cancel,
        **given,
    )
    notes = () if bucket is None else tuple(bucket.source.notes)
    return replace(report, notes=(*report.notes, *notes))


@dataclass(frozen=True, slots=True)
class ClusterBatch:
    """Ingests batches on the connected cluster; *bucket* has the files to download, if any."""

    cluster: Cluster
    bucket: Bucket | None

    def __call__(
        self,
        workspace: Workspace,
        files: list[FoundFile],
        /,
        *,
        options: Options,
        reading: ReadOptions,
        progress: Callable[[IngestProgress], None] | None,
        cancel: threading.Event,
    ) -> IngestReport:
        """Run a batch; see :func:`casetrack.ingest.batch.run_batch`."""
        if self.bucket is None and self.cluster.is_own and is_unchosen(workspace):
            # A few files that decide on the models: starting processes takes longer than reading
            # them.
            return run_batch(
                workspace, files, options=options, reading=reading, progress=progress, cancel=cancel
            )
        started = time.perf_counter()
        info, folder = workspace.info, workspace.folder
        cache = HashCache(folder, label(self.bucket.source)) if self.bucket else None
        with open_batch(workspace, len(files), options, reading=reading, cancel=cancel) as batch:
            recipe = Recipe(
                place_of(folder),
                info.pipeline,
                info.profile,
                info.dimension,
                batch.pipeline.fingerprint,
                workspace.settings,
                options,
                reading,
                self.bucket.source if self.bucket else None,
            )
            read_with = reading_conditions(reading)
            has_models = any(stage.has_models for stage in batch.pipeline.stages)
            if not self.cluster.is_own:
                require_ready(recipe, batch.pipeline, read_with, files)
            try:
                with write_session(folder, timeout=LOCK_SECONDS, cancel=cancel) as session:
                    documents = batch.documents()
                    run = ClusterRun(
                        folder,
                        session,
                        batch.planner(documents, read_with),
                        documents,
                        Engine(recipe.pack(), has_models, self.cluster.cpus),
                        workspace.entitlements.allow_document,
                        counted(documents),
                        options.force,
                        self.bucket.items if self.bucket else {},
                        self.bucket.known(cache, documents) if self.bucket and cache else {},
                        self.cluster.is_own,
                        cancel,
                        progress,
                    )
                    outcomes = run.ingest(files)
                    catch_up(workspace, max(1, int(self.cluster.cpus)))
                cancelled = any(o.code == "cancelled" for o in outcomes)
            except JobStopped:
                outcomes, cancelled = [cancelled_outcome(file.shown) for file in files], True
        if self.bucket is not None and cache is not None:
            self.bucket.remember(cache, workspace.state().documents())
        seconds = time.perf_counter() - started
        return IngestReport(tuple(outcomes), seconds, notes=batch.notes(), cancelled=cancelled)
