"""The data folder and its collections.

The collections are the folders below ``collections`` with a ``collection.json``; there is no
second register that could differ.
"""

from __future__ import annotations

import functools
import inspect
import logging
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from casetrack.api.collection import Collection
from casetrack.api.collection.history import Audit
from casetrack.api.collection.progress import listener, silent
from casetrack.api.collection.sealing import Placing
from casetrack.api.jobs import Jobs
from casetrack.api.operation import (
    ADDS,
    DELETES,
    READS,
    SWITCHES,
    Arg,
    PathRef,
    Work,
    arguments_of,
    operation,
)
from casetrack.base import arguments
from casetrack.base.arguments import as_list, as_paths, require_text
from casetrack.base.config import load_settings
from casetrack.base.crypt.secret import Secret
from casetrack.base.errors import (
    CaseTrackError,
    CollectionDamaged,
    CollectionNotFound,
    CollectionSealed,
    FutureSchema,
    See,
    StorageError,
    UsageError,
)
from casetrack.base.license import Entitlements
from casetrack.base.models.profiles import PROFILE_NAMES
from casetrack.base.objects.address import Address, is_address
from casetrack.base.records import (
    AUTO_PROFILE,
    COLLECTION_TYPES,
    DEFAULT_PROFILE,
    Check,
    CollectionEntry,
    CollectionInfo,
    HealthReport,
    Rows,
)
from casetrack.base.records.collections import DEFAULT_EDITION
from casetrack.base.resources import SCHEMA_VERSION
from casetrack.models.encoders import Encoders
from casetrack.store import audit, listing
from casetrack.store.damage import damage_errors
from casetrack.store.folders import (
    ASIDE,
    UNCHOSEN_PROFILE,
    make_folder,
    put_back,
    remove_collection,
    set_aside,
    sweep_home,
)
from casetrack.store.info import read_info
from casetrack.store.lock import names_lock
from casetrack.store.place import endpoint_of
from casetrack.store.rewrite import settle_if_idle
from casetrack.store.workspace import Workspace

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Mapping
    from datetime import date

    import pyarrow as pa

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.config import Settings
    from casetrack.base.jobs.running import R
    from casetrack.base.license import Tier
    from casetrack.base.records import (
        CollectionStats,
        CollectionStatus,
        IngestReport,
        SearchMode,
        SearchResults,
    )
    from casetrack.base.records.cards import QueryReport
    from casetrack.base.records.jobs import JobKind
    from casetrack.base.records.snapshots import ImportReport, SealedCollection, UpkeepReport
    from casetrack.base.sql.control import Control
    from casetrack.store.workspace import Searched

    SearchedBy = Searched

DEFAULT_PIPELINE = "standard"
_Tags = Sequence[str]
_DAMAGED = f"Run {See('doctor')} for details."
_repairs = logging.getLogger("casetrack.repairs")


def across_arguments(given: Mapping[str, Any], face: str, /) -> dict[str, Any]:
    """Return the arguments that a search of several collections accepts.

    Raises ``UsageError`` if an argument applies to a single collection only.
    """
    known = inspect.signature(Library.search).parameters
    own = [each for each in arguments_of(Collection.search) if each.name not in known]
    refused = [each for each in own if given.get(each.name, each.default) != each.default]
    if refused:
        names = [each.cli_name if face == "cli" else each.mcp_name for each in refused]
        raise UsageError(
            f"{' and '.join(names)} cannot be used with several collections.",
            hint="Name one collection.",
        )
    return {name: value for name, value in given.items() if name in known}


class Library(Placing):
    """All collections of a data folder.

    Parameters
    ----------
    settings
        See :func:`casetrack.base.config.load_settings`.
    tier
        Replaces the license, for programs that measure or show the engine itself
        (:data:`casetrack.base.license.UNLIMITED`).
    display
        Shows the progress of long work (:func:`show_work`); without it, work is silent.
    searched_by
        Searches the index in other processes, such as
        :meth:`casetrack.cluster.search.serving.Coordinator.lists`; by default in this one.
    """

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
    ) -> Library:
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
        is_unchosen, profile = profile == AUTO_PROFILE, _initial_profile(profile)
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

    def search(
        self,
        query: str,
        /,
        *,
        collections: Sequence[str] | str = (),
        limit: int = 10,
        mode: SearchMode | None = None,
        kinds: Iterable[str] | str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        paths: Iterable[str] | str | None = None,
        languages: Iterable[str] | str | None = None,
        vocabulary: bool = True,
        min_relevance: float | None = None,
    ) -> SearchResults:
        """Return the best passages of several collections in one ranking, each with its source.

        Every result names its collection. The relevance, on one scale for all, decides between
        collections; each keeps the order of its results. Raises ``UsageError`` if there is no
        collection, or an argument is wrong.

        Parameters
        ----------
        collections
            Names or ids; by default all that are not archived, where one that cannot be searched
            becomes a note.
        """
        from casetrack.search.across import across
        from casetrack.search.search import check

        check(query, limit)
        began = time.perf_counter()
        named = [self.find(each) for each in as_list(collections)]
        asked = {
            i.id: i.name for i in named or self.collections() if named or i.status != "archived"
        }
        if not asked:
            raise UsageError(
                "There is no collection to search.", hint="Create one, and add documents first."
            )
        answers: list[SearchResults] = []
        failed: list[str] = []
        for collection_id, name in asked.items():
            try:
                answer = self.get(collection_id).search(
                    query,
                    limit=limit,
                    mode=mode,
                    kinds=kinds,
                    since=since,
                    until=until,
                    paths=paths,
                    languages=languages,
                    vocabulary=vocabulary,
                    min_relevance=min_relevance,
                )
            except CaseTrackError as error:
                if named or len(asked) == 1 or isinstance(error, UsageError):
                    raise
                failed.append(f"{name} was not searched: {error.message}")
            else:
                answers.append(answer)
        if not answers:
            raise StorageError("No collection could be searched.", hint="\n".join(failed))
        joined = across(answers, limit, began)
        return replace(joined, notes=(*joined.notes, *failed))

    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = ...,
        explain: Literal[False] = ...,
        exact: bool = ...,
        control: Control | None = ...,
    ) -> pa.Table: ...
    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = ...,
        explain: Literal[True],
        exact: bool = ...,
        control: Control | None = ...,
    ) -> QueryReport: ...
    def sql(
        self,
        statement: str,
        /,
        *,
        collections: Sequence[str],
        params: Mapping[str, Any] | None = None,
        explain: bool = False,
        exact: bool = False,
        control: Control | None = None,
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over several collections, each a schema of its name.

        Views and functions belong to one collection, such as ``"Case A".documents`` or ``"Case
        A".search('rent')``; the statement combines them. Of a single collection the schema can be
        left out. Parameters are those of :meth:`casetrack.api.collection.Collection.sql`. Raises
        ``UsageError`` if no collection was given.
        """
        from casetrack.search.query.run import ask

        if isinstance(collections, str):
            collections = (collections,)
        if not collections:
            raise UsageError(
                "No collection was given.", hint='Use at least one: collections=("Case A",).'
            )
        opened = {c.info.id: c.workspace for c in map(self.get, collections)}
        if self.settings.audit_searches:
            for workspace in opened.values():
                audit.note(workspace.folder, "queried", detail=statement)
        return ask(
            lambda: {w.name: w.state() for w in opened.values()},
            self.settings.sql,
            statement,
            params=params,
            explain=explain,
            exact=exact,
            control=control,
        )

    @operation("import", ADDS, work=Work("Importing", "bytes", "import", "Import of {path.name}"))
    def import_archive(
        self,
        path: Annotated[PathRef, Arg(cli="FILE", path=True)],
        /,
        *,
        name: Annotated[str | None, Arg(cli="--name NAME")] = None,
        passphrase: str | Secret | None = None,
        progress: Callable[[str, int, int], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> ImportReport:
        """Create a collection from an exported file.

        The whole file is checked first; a damaged one is refused and leaves nothing behind. An
        encrypted one needs its passphrase or key file. The collection gets a new id and keeps its
        status, its tags and all other facts.

        Parameters
        ----------
        path
            The .ctcollection or .ctsealed file.
        name
            The name; by default the exported one.
        passphrase
            A passphrase, or a key file (:meth:`casetrack.base.crypt.secret.Secret.from_file`).
        progress
            Called from this thread with the current step, the work done and the total.

        Raises
        ------
        FileNotFound, WrongPathKind
            There is no such file.
        CollectionExists, UsageError
            *name* is in use, or is not a valid name.
        ArchiveDamaged, PassphraseMissing, PassphraseWrong, EncryptedFileDamaged, FutureSchema
            The file cannot be imported; nothing was imported.
        FreeTierLimit
            The tier does not allow more collections, or not as many documents.
        JobStopped
            *cancel* was set; nothing was imported.
        DiskFull, NotWritable, StorageError
            The data folder cannot be written.
        """
        from casetrack.keep.transfer.import_archive import Admission, import_archive

        sweep_home(self._home)
        report = import_archive(
            self.settings,
            Path(path).expanduser(),
            name=name,
            admit=Admission(
                self._allow_collection,
                lambda edition, count: self.entitlements.of_edition(edition).allow_archive(count),
            ),
            secret=None if passphrase is None else Secret.of(passphrase),
            tell=progress,
            cancel=cancel,
        )
        info = self.get(report.collection_id).info  # migrates an older format
        try:
            missing = self.missing_models(info.profile)
        except UsageError:
            missing = (
                f'This version of CaseTrack does not know the profile "{info.profile}" of its '
                "vectors, so passages are found by their words only. Choose other models with "
                f"{See('reindex', profile=True)}."
            )
        return replace(report, notes=(missing,) if missing else ())

    @operation("upkeep", DELETES)
    def upkeep(
        self,
        *,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
        secure: Annotated[bool, Arg(cli="--secure")] = False,
        if_needed: Annotated[bool, Arg(cli="--if-needed")] = False,
        wait: bool = False,
        cancel: threading.Event | None = None,
    ) -> tuple[UpkeepReport, ...]:
        """Free disk space, and remove deleted or replaced content for good.

        The searchable content stays the same. Deleted content stays in files for 15 minutes, for
        programs that still read it; the first upkeep after that removes it. --secure removes it
        now, together with all snapshots, which would still contain it. Without a collection, upkeep
        runs for all, also closed and archived ones.

        Parameters
        ----------
        collection
            Only this collection, by its name or ID.
        secure
            Remove all deleted data from all files, with all named snapshots.
        if_needed
            Only collections with data to remove.
        wait
            Wait for other programs that write to a collection; otherwise skip it.
        """
        reports = []
        for name in [i.id for i in self.collections()] if collection is None else [collection]:
            if cancel is not None and cancel.is_set():
                break
            try:
                admin = self.get(name).admin
                reports.append(
                    admin.upkeep(secure=secure, if_needed=if_needed, wait=wait, cancel=cancel)
                )
            except CaseTrackError as error:
                if collection is not None:
                    raise
                # A damaged collection must not stop the upkeep of the others.
                _repairs.warning('"%s" was skipped: %s %s', name, error, error.hint)
        return tuple(report for report in reports if report is not None)

    @operation("doctor", SWITCHES, work=Work("Checking", "documents"))
    def doctor(
        self,
        *,
        collection: Annotated[str | None, Arg(cli="--collection -c NAME")] = None,
        deep: Annotated[bool, Arg(cli="--deep")] = False,
        repair: Annotated[bool, Arg(cli="--repair")] = False,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> HealthReport:
        """Check the data folder, the models and every collection.

        With a collection: only that one and the audit log.

        Parameters
        ----------
        collection
            Only this collection, by its name or ID.
        deep
            Read all unchanged source files again and compare every page; rebuild the index and
            compare every row. Can take as long as ingesting.
        repair
            First repair problems without loss, and report the repairs. Documents and your files are
            never removed.
        progress
            See :meth:`casetrack.api.collection.admin.Admin.doctor`.
        """
        from casetrack.keep import health

        if collection is not None:
            admin = self.get(collection).admin
            return admin.doctor(deep=deep, repair=repair, progress=progress)
        home, collections = self.settings.data_dir, self._home
        repairs = health.repair_data_dir(home, collections) if repair else []
        repairs += health.make_private(home) if repair else []
        unmended: list[str] = []
        checks = [health.check_data_dir(home), *health.check_models(self.settings.models_dir)]
        checks += [health.check_remains(home, collections), *health.check_notebooks(home)]
        checks += [health.check_private(home), self.audit.check()]
        checks += [health.damaged_collection(folder, reason) for folder, reason in self.damaged()]
        for info in self.collections():
            report = self._check_collection(info, deep=deep, repair=repair, progress=progress)
            checked = (*report.checks, *_backup_checks(collections, info))
            checks += [replace(check, name=f"{info.name}: {check.name}") for check in checked]
            repairs += [f"{info.name}: {entry}" for entry in report.repairs]
            unmended += [f"{info.name}: {entry}" for entry in report.unmended]
        return HealthReport(tuple(checks), tuple(repairs), tuple(unmended))

    def _check_collection(
        self,
        info: CollectionInfo,
        *,
        deep: bool,
        repair: bool,
        progress: Callable[[str, int, int], None] | None,
    ) -> HealthReport:
        """Check one collection; if it cannot be opened, the others are still checked."""
        from casetrack.keep.health.doctor import examine

        try:
            workspace = self.get(info.id).workspace
            with damage_errors(workspace.folder):
                return examine(
                    workspace, deep=deep, repair=repair, tell=listener(progress) or silent
                )
        except CaseTrackError as error:
            check = Check("opening", ok=False, detail=error.message, remedy=error.hint)
            return HealthReport((check,))

    def profile_notice(self, profile: str, /) -> str | None:
        """Return the notice for a profile that sends texts to other machines.

        Raises ``UsageError`` if there is no such profile.
        """
        from casetrack.base.models.profiles import find_profile
        from casetrack.models import providers

        chosen = find_profile(_initial_profile(profile.strip().lower()))
        return providers.notice(chosen.name, self.settings) if chosen.provider else None

    def missing_models(self, profile: str, /) -> str | None:
        """Return the next step if models of a profile are not installed, else an empty text.

        Raises ``UsageError`` if there is no such profile.
        """
        from casetrack.base.models.profiles import find_profile
        from casetrack.models import pull

        chosen = find_profile(_initial_profile(profile.strip().lower()))
        ready = {model.name for model in pull.installed(self.settings.models_dir)}
        missing = [name for name in chosen.model_names if name not in ready]
        if not missing:
            return None
        command = "casetrack models pull"
        command += "" if chosen.name == DEFAULT_PROFILE else f" {chosen.name}"
        return (
            f'The models of the profile "{chosen.name}" are not installed yet '
            f"({', '.join(missing)}): until then documents are found by words only. Run "
            f"`{command}` once while online; documents added before get their vectors with "
            f"{See('reindex')}."
        )

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


def _initial_profile(profile: str) -> str:
    """Return the profile of a new collection."""
    return DEFAULT_PROFILE if profile == AUTO_PROFILE else profile


def _backup_checks(home: Path, info: CollectionInfo) -> list[Check]:
    """Report the size of backups in a collection's folder."""
    from casetrack.store.migrations import backups

    return [
        Check(
            "backup",
            ok=True,
            detail=f"as it was in version {backup.version}, made on {backup.made_at:%Y-%m-%d}, "
            f"{backup.size_bytes / 2**20:,.1f} MB in {backup.path}",
        )
        for backup in backups(home / info.id)
    ]
