"""Administration of a collection: its facts, earlier states, health and storage."""

from __future__ import annotations

import itertools
import threading
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.api.collection.facts import OwnFacts
from casetrack.api.collection.history import Audit, EarlierStates
from casetrack.api.collection.progress import ProgressDisplay, listener, shows_progress, silent
from casetrack.api.operation import (
    ADDS,
    READS,
    SWITCHES,
    Arg,
    DocumentRef,
    PathRef,
    StateRef,
    Work,
    operation,
)
from casetrack.base.crypt.secret import Secret
from casetrack.base.errors import Opt, UsageError
from casetrack.base.files import private_folder
from casetrack.base.models.profiles import PROFILE_NAMES
from casetrack.base.records import CollectionHealth, Document, DocumentHealth, HealthReport, RowList
from casetrack.base.records.sync import ExcludedFile
from casetrack.graph.opened import graph_of
from casetrack.store import audit
from casetrack.store.workspace import State, Workspace, raises_damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.base.records.health import IndexStatus
    from casetrack.base.records.snapshots import ExportReport, ReindexReport, UpkeepReport
    from casetrack.store.datasets import Snapshot

# Extraction quality of the documents of a collection.


def reading_health(state: State, /) -> CollectionHealth:
    """Return formats, recognition, gaps and coverage, document by document."""
    graph = graph_of(state)
    documents = sorted(graph.documents, key=lambda d: (d.name.casefold(), d.path))
    bare = _bare_pages(state.snapshot, [d for d in documents if d.pages_without_text])
    return CollectionHealth(
        collection=graph.info.name,
        documents=tuple(_health_of(d, bare.get(d.revision, ())) for d in documents),
        coverage=dict(graph.coverage),
        notes=graph.notes,
        untaken=state.untaken(),
    )


def _bare_pages(snapshot: Snapshot, documents: Sequence[Document]) -> dict[str, tuple[int, ...]]:
    """Return the pages without text by revision, if their number matches the ledger."""
    table = snapshot.scan(("revision", "page"), revisions=[d.revision for d in documents])
    filled: dict[str, set[int]] = {}
    for revision, page in zip(*(table[c].to_pylist() for c in ("revision", "page")), strict=True):
        filled.setdefault(revision, set()).add(page)
    bare = {}
    for document in documents:
        pages = set(range(1, document.page_count + 1)) - filled.get(document.revision, set())
        if len(pages) == document.pages_without_text:
            bare[document.revision] = tuple(sorted(pages))
    return bare


def _health_of(document: Document, bare_pages: tuple[int, ...]) -> DocumentHealth:
    known: dict[str, Any] = {
        f.name: getattr(document, f.name, None) for f in fields(DocumentHealth)
    }
    own = {"pages": document.page_count, "chunks": document.chunk_count, "bare_pages": bare_pages}
    return DocumentHealth(**known | own)


# Estimates the time of a full rebuild from the time of the first ingestion.

_PAUSE_SECONDS = 120.0
"""Seconds between two documents above which the user is assumed to have paused."""
_FEWEST_CHUNKS = 20


def first_time_seconds(documents: Iterable[Document], /) -> float | None:
    """Return the seconds that ingesting *documents* took; ``None`` for too few consecutive ones.

    The time from one document to the next is divided among the chunks of the first.
    """
    ingested = sorted((d.updated_at.timestamp(), d.chunk_count) for d in documents)
    seconds, chunks = 0.0, 0
    for (begun, count), (after, _) in itertools.pairwise(ingested):
        if after - begun <= _PAUSE_SECONDS:
            seconds, chunks = seconds + after - begun, chunks + count
    if chunks < _FEWEST_CHUNKS or not seconds:
        return None
    return seconds / chunks * sum(count for _, count in ingested)


_KEEPS_CHUNKS = "false keeps chunks (faster)"
_Document = Annotated[
    DocumentRef | None, Arg("Only this document: its name or ID.", "DOCUMENT", "document_filter")
]


class Admin(OwnFacts, EarlierStates):
    """Administration of a collection: ``collection.admin``.

    Active collections can be changed. Closed ones are read-only: they can be searched and exported.
    Archived ones are read-only too, and hidden from lists by default.
    """

    def __init__(self, workspace: Workspace, display: ProgressDisplay | None, /) -> None:
        self._workspace = workspace
        self._display = display

    @operation(
        "export",
        ADDS,
        tool="export_collection",
        work=Work("Exporting", "%", "export", "Export of {subject}"),
    )
    @shows_progress("Exporting")
    @raises_damage
    def export(
        self,
        path: Annotated[
            PathRef | None,
            Arg(cli="OUTPUT", mcp="output_folder", note="Absolute; default: exports", path=True),
        ] = None,
        /,
        *,
        overwrite: Annotated[bool, Arg(cli="--overwrite", mcp="-")] = False,
        passphrase: str | Secret | None = None,
        snapshot: Annotated[StateRef | None, Arg(cli="--snapshot SNAPSHOT", mcp="-")] = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportReport:
        """Write a whole collection into one file, as a backup or for another machine.

        The file contains texts, search data, saved queries and the collection's copies of your
        files, in their state at the start, without deleted content. The collection can be used
        meanwhile; closed or archived ones can be exported too. Anyone with the file can read all of
        it, unless it is encrypted with a passphrase or a key file.

        Parameters
        ----------
        path
            A new file (.ctcollection) or a folder. [default: the folder exports in the data folder]

            A file, or a folder, where the file gets the collection's name; the ending
            ``.ctcollection`` is added. By default, the folder ``exports`` of the data folder.
        overwrite
            Replace an existing file.
        passphrase
            Encrypts the file: a passphrase, or a key file (:meth:`from_file`). The ending is then
            ``.ctsealed``, and no plain text is written to the disk at any time.
        snapshot
            Export this earlier state (name or number).
        progress
            Called from this thread with the current step, the work done and the total; or whether
            to show a bar, see :meth:`~casetrack.api.collection.Collection.ingest`.

        Raises
        ------
        UsageError
            The file exists or is in the collection's own folder, or the passphrase is empty.
        SnapshotNotFound
            There is no such state, or it cannot be opened.
        JobStopped
            *cancel* was set; nothing was written.
        CollectionDamaged
            The collection cannot be read.
        DiskFull, NotWritable, StorageError
            The file cannot be written.
        """
        from casetrack.keep.transfer.pack import pack

        if path is None:
            path = self._workspace.settings.data_dir / "exports"
            private_folder(path)
        return pack(
            self._workspace,
            path,
            overwrite=overwrite,
            secret=None if passphrase is None else Secret.of(passphrase),
            snapshot=snapshot,
            tell=listener(progress) or silent,
            cancel=cancel or threading.Event(),
        )

    def excluded(self) -> RowList[ExcludedFile]:
        """Return the excluded files in the order of their exclusion.

        Raises ``StorageError`` if the list cannot be read.
        """
        from casetrack.store.excluded import excluded

        return RowList(excluded(self._workspace.folder).files, of=ExcludedFile)

    def brought_back_by(self, document: DocumentRef, /) -> str | None:
        """Return the synced folder or the source that would add a deleted document again.

        A source is text such as ``git:platform``; ``None`` if there is neither.
        """
        from casetrack.keep.upkeep import brought_back_by

        record = self._workspace.ask(lambda state: state.document(document))
        return brought_back_by(self._workspace, record)

    def freeable_bytes(self) -> int:
        """Return the estimated bytes that an upkeep frees, without those of named snapshots."""
        from casetrack.keep.upkeep import freeable_bytes

        return freeable_bytes(self._workspace)

    def upkeep(
        self,
        *,
        secure: bool = False,
        if_needed: bool = False,
        wait: bool = False,
        cancel: threading.Event | None = None,
    ) -> UpkeepReport | None:
        """Free disk space, and remove deleted or replaced content for good.

        Content that can be searched or read stays the same, so closed and archived collections are
        accepted. It can be killed at any time without damage. Earlier states are kept for a quarter
        of an hour for their readers, with the content deleted since; the next upkeep after that
        removes them. Named snapshots and their content stay. Return ``None`` if another program
        writes to the collection, or if no upkeep is needed. Raises ``CollectionBusy`` if another
        program has been writing for ten minutes, and *wait* was set; ``JobStopped`` if *cancel* was
        set while other programs were writing; ``DiskFull``, ``NotWritable`` or ``StorageError`` if
        it cannot be written.

        Parameters
        ----------
        secure
            Remove all earlier states, snapshots, backups of earlier formats, and marks that are
            undone or whose document is deleted, so that no file contains deleted content.
        if_needed
            Do nothing if there is little to remove, unless *secure* is set.
        wait
            Wait for other programs that write to the collection; otherwise skip it.
        """
        from casetrack.keep.upkeep import needs_upkeep, upkeep

        if if_needed and not secure and not needs_upkeep(self._workspace):
            return None
        report = upkeep(self._workspace, secure=secure, wait=wait, cancel=cancel)
        if secure and report is not None:
            audit.note(self._workspace.folder, "deleted data removed for good")
        return report

    @shows_progress("Checking", stops=False)
    @raises_damage
    def doctor(
        self,
        *,
        deep: bool = False,
        repair: bool = False,
        progress: Callable[[str, int, int], None] | bool | None = None,
    ) -> HealthReport:
        """Check that everything stored is complete, cited and consistent; see the report.

        Raises ``CollectionBusy`` if another program writes, so that nothing can be repaired now;
        ``StorageError`` if a repair cannot be written.

        Parameters
        ----------
        deep
            Read all unchanged source files again and compare every page; rebuild the search index
            and the graph and compare every row. Can take as long as ingesting.
        repair
            First repair without loss: leftovers of stopped programs, wrong parts of the search
            index and the graph, copies, and documents with damaged rows and an unchanged file. The
            report lists all repairs and failures. Documents and your files are never removed.
        progress
            Called from this thread with the current step, the work done and the total; or whether
            to show a bar, see ``Collection.ingest``.
        """
        from casetrack.keep.health.doctor import examine

        tell = listener(progress) or silent
        report = examine(self._workspace, deep=deep, repair=repair, tell=tell)
        log = Audit(self._workspace.settings).check()
        return replace(report, checks=(*report.checks, log))

    @operation(
        "reindex",
        SWITCHES,
        tool="reindex_collection",
        confirmed=True,
        work=Work("Reindexing", "chunks", "reindex", 'Reindex of "{subject}"'),
    )
    @shows_progress("Reindexing")
    @raises_damage
    def reindex(
        self,
        profile: Annotated[
            str | None,
            Arg(
                cli="--profile PROFILE",
                note="openai sends texts out: ask first",
                words=PROFILE_NAMES,
            ),
        ] = None,
        /,
        *,
        reparse: Annotated[
            bool | None,
            Arg(cli="--reparse/--no-reparse", note=_KEEPS_CHUNKS, mcp_type=bool, mcp_default=True),
        ] = None,
        force: Annotated[
            bool, Arg(cli="--force", mcp="!skip_unchanged", mcp_default=False)
        ] = False,
        document: Annotated[DocumentRef | None, Arg(cli="DOCUMENT", mcp="-")] = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Rebuild vectors and search terms that are out of date, or use other models.

        This needs only the stored texts; source files are needed only to read them again. Searches
        and ingests continue meanwhile. When stopped, the collection is in its old or its new state,
        and the same call continues. `casetrack index-status` lists the outdated parts.

        Parameters
        ----------
        profile
            New models; an unknown name lists all profiles.

            The new models; ``None`` keeps the current ones.
        reparse
            Also read source files again that have changed or whose data is out of date. This is the
            default for a single document.

            First read source files again: changed ones, and those of documents with stale data.
            Documents whose file is gone or cannot be read are kept and named in the report.
        force
            Rebuild everything, not only data that is out of date.
        document
            Only this document: its name or ID.
        progress
            Called from this thread with the current step, the work done and the total; or whether
            to show a bar, see ``Collection.ingest``.

        Raises
        ------
        CollectionReadOnly
            The collection is closed or archived.
        UsageError
            There is no such profile.
        ModelNotFound, ModelError
            Its models are not installed, or cannot be used.
        CollectionBusy, StorageError
            It cannot continue; the collection is consistent.
        """
        from casetrack.ingest.reparse import reindex

        if document is not None:
            if profile is not None:
                raise UsageError(
                    "Models can only be changed for a whole collection.",
                    hint=f"Omit the document, or {Opt(profile='PROFILE')}.",
                )
            return self.reindex_document(
                document,
                force=force,
                reparse=reparse is not False,
                progress=progress,
                cancel=cancel,
            )
        report = reindex(
            self._workspace,
            profile,
            reparse=bool(reparse),
            force=force,
            tell=listener(progress) or silent,
            cancel=cancel,
        )
        models = f"with the models of {self._workspace.info.profile}"
        audit.note(self._workspace.folder, "reindexed", detail=models)
        return report

    @operation(
        "reindex document",
        SWITCHES,
        command="reindex DOCUMENT",
        tool="reindex_document",
        work=Work("Reindexing", "chunks", "reindex", 'Reindex of "{name_or_id}"'),
    )
    @shows_progress("Reindexing")
    @raises_damage
    def reindex_document(
        self,
        name_or_id: Annotated[DocumentRef, Arg(cli="DOCUMENT", mcp="document_name")],
        /,
        *,
        force: Annotated[bool, Arg(cli="--force")] = False,
        reparse: Annotated[bool, Arg(cli="--reparse/--no-reparse", note=_KEEPS_CHUNKS)] = True,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Rebuild one document from its source file or from its stored text.

        The stored document stays searchable until the new one is complete. If the file is gone or
        cannot be read, the stored text is kept, and stale vectors are rebuilt.

        Parameters
        ----------
        name_or_id
            Name, path or ID.

            For an attachment of a mail, the whole mail is read again.
        force
            Rebuild it in any case.

            Otherwise only if the file has changed, or stored data is stale.
        reparse
            Read the source file again.

            Otherwise chunks are kept, and only derived data is rebuilt: vectors, search terms,
            names, dates and amounts.
        progress, cancel
            See :meth:`reindex`.

        Raises
        ------
        CollectionReadOnly
            The collection is closed or archived.
        DocumentNotFound, AmbiguousName
            None matches (similar names are suggested), or several do.
        UsageError
            The models of the collection have changed, so that all documents must be rebuilt.
        """
        from casetrack.ingest.reparse import reindex_document

        return reindex_document(
            self._workspace,
            name_or_id,
            force=force,
            reparse=reparse,
            tell=listener(progress) or silent,
            cancel=cancel,
        )

    @operation("index-status", READS)
    def index_status(
        self, document: _Document = None, /, *, verify: Annotated[bool, Arg(cli="--verify")] = False
    ) -> IndexStatus:
        """Return the parts of a collection's index that are out of date, and how to update them.

        For every document: whether each of its chunks has all outputs of the models, whether they
        are of the current models and version, and whether its file is unchanged.

        Parameters
        ----------
        document
            ``None`` means all.
        verify
            Compare also large files with a changed time.

            The file of a single document is always read.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None matches (similar names are suggested), or several do.
        CollectionDamaged
            Stored data cannot be read.
        """
        from casetrack.ingest.index_status import index_status

        def status(state: State) -> IndexStatus:
            chosen = None if document is None else state.document(document)
            return index_status(state, only=chosen, verify=verify or chosen is not None)

        return self._workspace.ask(status)

    def health(self) -> CollectionHealth:
        """Return how well the documents could be read: formats, recognition, gaps, coverage.

        A table of it has one row per document. :meth:`doctor` checks the stored data.

        >>> health = collection.admin.health()  # doctest: +SKIP
        >>> health.formats, health.ocr_confidence, health.partial  # doctest: +SKIP
        """
        return self._workspace.ask(reading_health)
