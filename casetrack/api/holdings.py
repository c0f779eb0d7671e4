"""Collections of a data folder: list, create, open, hide and delete them."""

from __future__ import annotations

import functools
import logging
import uuid
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from casetrack.api.collection import Collection
from casetrack.api.collection.history import Audit
from casetrack.api.collection.sealing import Placing
from casetrack.api.jobs import Jobs
from casetrack.api.operation import ADDS, DELETES, READS, Arg, operation
from casetrack.base import arguments
from casetrack.base.arguments import as_list, as_paths, require_text
from casetrack.base.config import load_settings
from casetrack.base.errors import (
    CaseTrackError,
    CollectionDamaged,
    CollectionNotFound,
    CollectionSealed,
    FutureSchema,
    See,
)
from casetrack.base.license import Entitlements
from casetrack.base.models.profiles import PROFILE_NAMES
from casetrack.base.objects.address import Address, is_address
from casetrack.base.records import (
    AUTO_PROFILE,
    COLLECTION_TYPES,
    DEFAULT_PROFILE,
    CollectionEntry,
    CollectionInfo,
    Rows,
)
from casetrack.base.records.collections import DEFAULT_EDITION
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.models.encoders import Encoders
from casetrack.store import audit, listing
from casetrack.store.folders import (
    ASIDE,
    UNCHOSEN_PROFILE,
    make_folder,
    put_back,
    remove_collection,
    set_aside,
)
from casetrack.store.info import read_info
from casetrack.store.lock import names_lock
from casetrack.store.place import endpoint_of
from casetrack.store.rewrite import settle_if_idle
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable
    from typing import Self

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.config import Settings
    from casetrack.base.jobs.running import R
    from casetrack.base.license import Tier
    from casetrack.base.records import CollectionStats, CollectionStatus, IngestReport
    from casetrack.base.records.jobs import JobKind
    from casetrack.base.records.snapshots import SealedCollection
    from casetrack.store.workspace import Searched

    SearchedBy = Searched

DEFAULT_PIPELINE = "standard"
_Tags = Sequence[str]
_DAMAGED = f"Run {See('doctor')} for details."
_repairs = logging.getLogger("casetrack.repairs")


class Holdings(Placing):
    """The collections of a data folder; a part of :class:`casetrack.Library`."""

    def __init__(
        self,
        settings: Settings,
        /,
        *,
        tier: Tier | None = None,
        display: ProgressDisplay | None = None,
        searched_by: SearchedBy | None = None,
    ) -> None:
        self.settings = settings
        self._home = settings.collections_dir
        self.entitlements = Entitlements(settings, tier=tier)
        self.encoders = Encoders.of(settings)
        self._display = display
        self._searched_by = searched_by
        self._open: dict[str, Collection] = {}

    @classmethod
    def open(
        cls, data_dir: str | Path | None = None, /, *, display: ProgressDisplay | None = None
    ) -> Self:
        """Open the data folder: the argument, else ``CASETRACK_HOME``, else the default one."""
        return cls(load_settings(data_dir), display=display)

    @functools.cached_property
    def jobs(self) -> Jobs:
        """The jobs of this data folder, also of other programs."""
        return Jobs(self.settings.data_dir, self.find)

    @functools.cached_property
    def audit(self) -> Audit:
        """The audit log of this data folder."""
        return Audit(self.settings)

    def run_job(
        self,
        kind: JobKind,
        work: Callable[[Callable[..., None], threading.Event], R],
        /,
        *,
        title: str,
        collection: CollectionInfo | None,
        progress: Callable[..., None] | None = None,
        cancel: threading.Event | None = None,
    ) -> R:
        """Run *work* as a job that other programs see and can stop; return its report.

        Parameters are those of :meth:`casetrack.base.jobs.JobStore.run` and
        :meth:`casetrack.base.jobs.RunningJob.do`; errors are those of *work*.
        """
        with self.jobs.run(kind, title=title, collection=collection, cancel=cancel) as job:
            return job.do(work, progress)

    def collections(
        self, *, status: CollectionStatus | Literal["all"] = "all"
    ) -> list[CollectionInfo]:
        """Return the collections, last changed first.

        A damaged or missing ``collection.json`` is repaired if possible; for other damaged folders
        see :meth:`damaged`.
        """
        return [i for i in self.listed()[0] if status in {"all", i.status}]

    def listed(self) -> tuple[list[CollectionInfo], list[tuple[Path, str]]]:
        """Return :meth:`collections` and :meth:`damaged` from one scan of the folders."""
        infos, damaged = listing.scan(self._home)
        return sorted(infos, key=lambda i: (-i.updated_at.timestamp(), i.name)), damaged

    @operation("collection list", READS)
    def entries(
        self,
        *,
        status: Annotated[
            Literal["active", "closed", "archived", "all"], Arg(cli="--status")
        ] = "all",
    ) -> Rows[CollectionEntry]:
        """Return the collections with their sizes, last changed first; then damaged folders.

        Parameters
        ----------
        status
            Only collections with this status.
        """
        infos, damaged = self.listed()
        entries = [self.entry(i) for i in infos if status in {"all", i.status}]
        entries += [
            CollectionEntry.damaged(folder.name, f"{reason} {_DAMAGED}")
            for folder, reason in damaged
        ]
        return Rows(entries, of=CollectionEntry)

    def entry(self, info: CollectionInfo, /) -> CollectionEntry:
        """Return a collection with its sizes, or with the reason if it cannot be opened."""
        try:
            return CollectionEntry.of(info, self.stats(info))
        except CaseTrackError as error:
            return CollectionEntry.of(info, None, f"{error.message} {error.hint}".strip())

    def stats(self, info: CollectionInfo, /) -> CollectionStats:
        """Return the size of a collection; it is opened only if no writer has stored the counts."""
        from casetrack.api.collection.facts import noted_stats

        stats = None
        if info.schema_version == SCHEMA_VERSION:
            stats = noted_stats(self._home / info.id)
        return self.get(info.id).stats() if stats is None else stats

    def damaged(self) -> list[tuple[Path, str]]:
        """Return ``(path, reason)`` of every collection folder or sealed file that is damaged."""
        return listing.scan(self._home)[1]

    @operation(
        "collection create", ADDS, tool="create_collection", sets=("core", "legal"), whose=""
    )
    def create(
        self,
        name: Annotated[str, Arg(cli="NAME")],
        /,
        *,
        collection_type: Annotated[
            str,
            Arg(cli="--type TYPE", mcp_type=str | None, mcp_default=None, words=COLLECTION_TYPES),
        ] = "other",
        description: Annotated[str | None, Arg(cli="--description TEXT", mcp="-")] = None,
        reference: Annotated[
            str | None, Arg(cli="--reference TEXT", note="User's own number")
        ] = None,
        tags: Annotated[_Tags, Arg(cli="--tag TAG", mcp="-")] = (),
        profile: Annotated[
            str,
            Arg(
                cli="--profile PROFILE",
                note="openai sends texts out: ask first",
                mcp_type=str | None,
                mcp_default=None,
                words=PROFILE_NAMES,
            ),
        ] = AUTO_PROFILE,
        pipeline: str | Path = DEFAULT_PIPELINE,
        edition: str = DEFAULT_EDITION,
        at: Annotated[str | None, Arg(cli="--at ADDRESS", mcp="-")] = None,
    ) -> Collection:
        """Create an empty collection.

        Parameters
        ----------
        name
            The name.

            1 to 200 characters; unique, ignoring letter case.
        collection_type
            Type of collection; an unknown one lists all types.

            In any letter case; an edition has further types.
        description
            A description.
        reference
            Your own reference, such as a number.
        tags
            A tag; may be repeated.
        profile
            Its models; an unknown name lists all profiles. auto: by the language of the first
            files.

            They need not be installed yet; see :meth:`profile_notice`, :meth:`missing_models`.
        pipeline
            Name of a pipeline of the package or of the folder ``pipelines``, or the path of a file.
            The collection keeps a copy.
        edition
            ``collections``, ``legal`` for cases of lawyers, or ``context`` for programmers.
        at
            Keep it in object storage: s3://BUCKET/FOLDER, gs://… or az://…

            An address in object storage (``s3://bucket/collections/harbour``) instead of the data
            folder: an empty folder.

        Raises
        ------
        UsageError
            The name, the type, the profile or the address is wrong.
        ObjectStorageError, PipelineError, ProviderError
            The address, the pipeline or the service of the profile cannot be used.
        CollectionExists
            The name is in use.
        FreeTierLimit
            The tier does not allow more collections.
        NotWritable, DiskFull, StorageError
            The data folder cannot be written.
        """
        name = listing.checked_name(name)
        kind = listing.checked_type(collection_type, edition)
        address = None if at is None else Address.of(at)
        home = self._home
        listing.require_free(home, name)  # before a request to a service
        self._allow_collection(edition)
        profile = profile.strip().lower()
        is_unchosen, profile = profile == AUTO_PROFILE, initial_profile(profile)
        chosen, kept = self._pipeline(pipeline)
        kept |= {UNCHOSEN_PROFILE: b""} if is_unchosen else {}
        now = datetime.now(UTC)
        info = CollectionInfo(
            id=str(uuid.uuid4()),
            name=name,
            type=kind,
            status="active",
            description=description,
            reference=reference,
            tags=listing.checked_tags(as_list(tags)),
            edition=edition,
            schema_version=SCHEMA_VERSION,
            pipeline=chosen,
            profile=profile,
            dimension=self._dimension(profile),
            created_at=now,
            updated_at=now,
        )
        with names_lock(self.settings.data_dir):
            listing.require_free(home, name)
            self._allow_collection(edition)
            audit.note(home / info.id, "collection created")
            make_folder(home, info, kept, at=address, endpoint=endpoint_of(address))
        return self.get(info.id)

    def get(self, name_or_id: str, /) -> Collection:
        """Return the collection of a name or an id (at least its first 8 characters).

        An address in object storage is accepted too, and attached. Raises ``CollectionNotFound`` or
        ``AmbiguousName`` if none matches (similar names are suggested), or several do;
        ``CollectionSealed`` if it is sealed; ``CollectionDamaged`` if its folder cannot be read;
        ``FutureSchema`` if a newer version created it; ``MigrationFailed`` if an earlier version
        created it, and its migration failed.
        """
        info = self.find(name_or_id)
        folder = self._home / info.id
        if info.schema_version < SCHEMA_VERSION:
            from casetrack.store.migrations import migrate

            migrate(folder)
        if info.id not in self._open:
            settle_if_idle(folder)
            allowed = self.entitlements.of_edition(info.edition)
            workspace = Workspace(folder, self.settings, self.encoders, allowed, self._searched_by)
            self._open[info.id] = Collection(workspace, display=self._display)
        return self._open[info.id]

    def ingest(
        self, paths: str | Path | Iterable[str | Path], /, *, collection: str, **given: Any
    ) -> IngestReport:
        """Ingest files into a collection, which is created if it does not exist.

        *collection* is a name, an id or an address in object storage; *paths* are files and
        folders, on a cluster also ``s3://bucket/folder``. *given* are arguments of
        :meth:`casetrack.api.collection.Collection.ingest`.
        """
        named = as_paths(paths)
        return self.get_or_create(collection, named).ingest(named, **given)

    def get_or_create(self, name: str, paths: Iterable[str | Path], /, **facts: Any) -> Collection:
        """Return the collection *name*; create it if one of *paths* is readable.

        *paths* are the files to ingest: a mistyped path leaves no empty collection. *facts* are
        arguments of :meth:`create`. Raises ``FileNotFound`` or ``FileUnreadable`` if there is no
        such collection, and no path can be read.
        """
        try:
            return self.get(name)
        except CollectionNotFound:
            from casetrack.ingest.discover import require_any

            require_any(paths)
            return self.create(name, **facts)

    def find(self, name_or_id: str, /) -> CollectionInfo:
        """Return the facts of a collection without opening it.

        Raises ``UsageError`` if it is not text.
        """
        require_text(name_or_id)
        if "://" in name_or_id and is_address(name_or_id):
            return self._attached(name_or_id)
        own = listing.by_id(self._home, name_or_id)
        infos, damaged = ([own], []) if own else listing.scan(self._home)
        entries = [arguments.Entry(i.id, i.name) for i in infos]
        match = arguments.find(name_or_id, entries, kind="collection")
        if match is None:
            sealed = self._sealed(name_or_id)
            known = sealed.id if sealed else name_or_id.strip()
            for path, reason in damaged:
                if path.name.startswith(known):
                    raise CollectionDamaged(reason, hint=f"Run {See('doctor')} for details.")
            if sealed is not None:
                raise CollectionSealed(sealed.label)
            missing = CollectionNotFound(
                name_or_id, arguments.near(name_or_id, entries), [i.name for i in infos]
            )
            missing.add_note(f"Looked in the data folder {self.settings.data_dir}")
            for _, reason in damaged:
                missing.add_note(reason)
            raise missing
        if infos[match].schema_version > SCHEMA_VERSION:
            raise FutureSchema(infos[match].schema_version, SCHEMA_VERSION)
        return infos[match]

    @operation("collection delete", DELETES)
    def delete(self, name_or_id: Annotated[str, Arg(cli="NAME")], /) -> CollectionInfo:
        """Delete a collection and all its content; your original files are not touched.

        The records of its jobs are deleted too. A collection of an earlier version need not be
        migrated first.

        Parameters
        ----------
        name_or_id
            Name or ID of the collection.

        Notes
        -----
        For a sealed collection see :meth:`delete_sealed`.

        Raises
        ------
        CollectionBusy
            Another program writes to it.
        NotWritable, StorageError
            It cannot be deleted.
        """
        info = self._closed(name_or_id)
        remove_collection(self._home, info)
        self.jobs.forget(info.id)
        return info

    def _closed(self, name_or_id: str) -> CollectionInfo:
        """Close the files of a collection, which Windows neither deletes nor renames when open."""
        info = self.find(name_or_id)
        opened = self._open.pop(info.id, None)
        if opened is not None:
            opened.workspace.forget()
        return info

    def set_aside(self, name_or_id: str, /) -> CollectionInfo:
        """Hide a collection from all lists and searches until :meth:`put_back` shows it again.

        Its data stays on the disk. Raises as :meth:`delete`.
        """
        info = self._closed(name_or_id)
        set_aside(self._home, info)
        return info

    def aside(self) -> list[CollectionInfo]:
        """Return the collections that were set aside, by name, without damaged ones."""
        found = []
        for folder in self._home.glob(f"{ASIDE}*"):
            try:
                found.append(read_info(folder))
            except CaseTrackError as error:
                _repairs.warning("%s %s", error, error.hint)
        return sorted(found, key=lambda info: info.name.casefold())

    def put_back(self, collection_id: str, /) -> Collection:
        """Show a collection again that was set aside.

        Raises ``CollectionExists`` if its name is in use now, ``FreeTierLimit`` if the tier does
        not allow more collections, and ``CollectionNotFound`` if it was not set aside.
        """
        info = self._aside(collection_id)
        with names_lock(self.settings.data_dir):
            listing.require_free(self._home, info.name)
            self._allow_collection(info.edition)
            put_back(self._home, info)
        return self.get(info.id)

    def delete_aside(self, collection_id: str, /) -> CollectionInfo:
        """Delete a collection that was set aside, with all its content. Raises as `delete`."""
        put_back(self._home, self._aside(collection_id))
        return self.delete(collection_id)

    def _aside(self, collection_id: str) -> CollectionInfo:
        infos = self.aside()
        for info in infos:
            if info.id == collection_id:
                return info
        raise CollectionNotFound(collection_id, [], [info.name for info in infos])

    def _pipeline(self, wanted: str | Path) -> tuple[str, dict[str, bytes]]:
        """Return the name of a pipeline, and the files that a collection keeps."""
        if wanted == DEFAULT_PIPELINE:
            return DEFAULT_PIPELINE, {}
        from casetrack.ingest.pipeline.files import choose, to_keep

        chosen = choose(wanted, self.settings.data_dir)
        return chosen.name, to_keep(chosen)

    def _dimension(self, profile: str) -> int:
        from casetrack.base.models.profiles import find_profile

        known = find_profile(profile).dimension
        return self.encoders.get(profile).dimension if known is None else known

    def _allow_collection(self, edition: str) -> None:
        """Refuse another collection at the tier's limit: 3 collections, and 3 cases.

        Raises ``FreeTierLimit``.
        """
        if self.entitlements.of_edition(edition).tier.collections is not None:
            infos: list[CollectionInfo | SealedCollection] = [*self.listed()[0], *self.sealed()]
            self.entitlements.allow_collection(sum(i.edition == edition for i in infos))


def initial_profile(profile: str) -> str:
    """Return the profile of a new collection."""
    return DEFAULT_PROFILE if profile == AUTO_PROFILE else profile
