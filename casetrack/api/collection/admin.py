"""Looking after a collection: its facts, its earlier states, its health, what is stored of it."""

from __future__ import annotations

import itertools
import threading
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Annotated, Any

from casetrack.api.collection.facts import OwnFacts
from casetrack.api.collection.history import Audit, EarlierStates
from casetrack.api.collection.progress import listener, shows_progress, silent
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
from casetrack.base.errors import Opt, UsageError
from casetrack.base.files import private_folder
from casetrack.base.models.profiles import PROFILE_NAMES
from casetrack.base.records import CollectionHealth, Document, DocumentHealth, RowList
from casetrack.base.records.sync import ExcludedFile
from casetrack.graph.opened import graph_of
from casetrack.store import audit
from casetrack.store.workspace import raises_damage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.crypt.secret import Secret
    from casetrack.base.records import HealthReport
    from casetrack.base.records.health import IndexStatus
    from casetrack.base.records.snapshots import ExportReport, ReindexReport, UpkeepReport
    from casetrack.store.datasets import Snapshot
    from casetrack.store.workspace import State, Workspace

# How well the documents of a collection could be read.


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
    """Return by revision the pages that hold no text, where their number is that of the ledger."""
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


# How long making everything anew may take, judged by how long it took the first time.

_PAUSE_SECONDS = 120.0
"""A longer time between two documents is taken for a pause of the user's."""
_FEWEST_CHUNKS = 20


def first_time_seconds(documents: Iterable[Document], /) -> float | None:
    """Return about how many seconds it took to take in *documents*.

    The time from one document to the next is shared out among the chunks of the first of them.

    Returns
    -------
    float or None
        ``None`` where too few documents came one after the other to tell.
    """
    found = sorted((d.updated_at.timestamp(), d.chunk_count) for d in documents)
    seconds, chunks = 0.0, 0
    for (begun, count), (after, _) in itertools.pairwise(found):
        if after - begun <= _PAUSE_SECONDS:
            seconds, chunks = seconds + after - begun, chunks + count
    if chunks < _FEWEST_CHUNKS or not seconds:
        return None
    return seconds / chunks * sum(count for _, count in found)


_KEEPS_CHUNKS = "false keeps chunks (faster)"
_Document = Annotated[
    DocumentRef | None, Arg("Only this document: its name or ID.", "DOCUMENT", "document_filter")
]


class Admin(OwnFacts, EarlierStates):
    """Looking after a collection: ``collection.admin``.

    Active collections take changes. Closed ones are read-only: they are searched and exported as
    before. Archived ones are closed as well, and left out of lists unless they are asked for.
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
            Arg(
                "File to write, or a folder; the ending is .ctcollection. [default: the folder "
                "exports in the data folder]",
                "OUTPUT",
                "output_folder",
                "Absolute; default: exports",
                path=True,
            ),
        ] = None,
        /,
        *,
        overwrite: Annotated[
            bool, Arg("Replace a file that is there.", "--overwrite", "-")
        ] = False,
        passphrase: str | Secret | None = None,
        snapshot: Annotated[
            StateRef | None,
            Arg("Write this earlier state: its name or number.", "--snapshot SNAPSHOT", "-"),
        ] = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ExportReport:
        """Write a whole collection into one file, to keep it or to take it to another machine.

        The file holds texts, search data, saved queries and the copies of your files that the
        collection keeps, but nothing that was deleted, as they are at the beginning. The collection
        may be used meanwhile, and closed or archived ones can be exported as well. Whoever has the
        file can read all of it, unless it is encrypted with a passphrase or a key file.

        Parameters
        ----------
        path
            The file to write, or a folder, in which it gets the collection's name; the ending
            ``.ctcollection`` is added where there is none. Without it, the folder ``exports`` of
            the data folder. Until the file is complete, nothing has its name.
        overwrite
            Replace a file that is there.
        passphrase
            Encrypts the file: a passphrase, or a key file
            (:meth:`from_file`). The ending is ``.ctsealed`` then, and
            nothing of it lies in the clear beside the file at any moment.
        snapshot
            Name or number of an earlier state to write in place of the present one, as
            :meth:`snapshots` gives it.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see :meth:`~casetrack.api.collection.Collection.ingest`.
        cancel
            Set it to stop.

        Raises
        ------
        UsageError
            The file is there already, or would lie in the collection's own folder; or the
            passphrase is empty.
        SnapshotNotFound
            There is none, or it cannot be opened; the reason is told.
        JobStopped
            *cancel* was set; nothing was written.
        CollectionDamaged
            The collection cannot be read.
        DiskFull, NotWritable, StorageError
            The file cannot be written.
        """
        from casetrack.base.crypt.secret import Secret
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
        """Return the files that were taken out for good, the first one first.

        Raises
        ------
        StorageError
            The list cannot be read.
        """
        from casetrack.store.excluded import excluded

        return RowList(excluded(self._workspace.folder).files, of=ExcludedFile)

    def brought_back_by(self, document: DocumentRef, /) -> str | None:
        """Return what would take a document in again, were it deleted and not excluded.

        Returns
        -------
        str or None
            The folder that was synced and still holds its file, or its source, such as
            ``git:platform``; ``None`` where there is neither.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`~casetrack.api.collection.Collection.document`.
        """
        from casetrack.keep.upkeep import brought_back_by

        found = self._workspace.ask(lambda state: state.document(document))
        return brought_back_by(self._workspace, found)

    def freeable_bytes(self) -> int:
        """Return about how many bytes an upkeep frees, without those that named snapshots keep."""
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
        """Free space, and remove for good what was deleted or replaced.

        Nothing that can be searched or read changes, so this is also for collections that are
        closed or archived. Killed at any moment, it leaves the collection whole.

        Earlier states are kept for a quarter of an hour for those who read them at this moment,
        and with them what was deleted since; the next upkeep after that removes them. Named
        snapshots stay, and with them what they hold.

        Parameters
        ----------
        secure
            Keep nothing back: no earlier states, no snapshots, no backups of earlier formats, no
            marks that are undone or speak of what is gone, so that nothing of what was deleted is
            left in any file of the collection.
        if_needed
            Do nothing where there is little to remove, unless *secure* is set.
        wait
            Wait for others who write to the collection; else it is left alone while they do.
        cancel
            Set it to stop; what is done stays done.

        Returns
        -------
        UpkeepReport or None
            What was freed and removed; ``None`` where somebody is writing to the collection, or
            where no upkeep is needed.

        Raises
        ------
        CollectionBusy
            Somebody has been writing for ten minutes, and *wait* was asked for.
        JobStopped
            *cancel* was set while others were writing.
        DiskFull, NotWritable, StorageError
            It cannot be written; what was there stays.
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
        """Check that everything stored is whole, cited and in step; see the report.

        Parameters
        ----------
        deep
            Read all unchanged source files again and compare every page, make the search index and
            the graph anew and compare every row. May take as long as ingesting.
        repair
            First mend what can be mended without loss: leftovers of stopped programs, wrong parts
            of the search index and the graph, copies, and documents whose rows are damaged while
            their file is unchanged. The report says each thing that was done, and what could not
            be. No document and no file of yours is ever removed.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see ``Collection.ingest``.

        Raises
        ------
        CollectionBusy
            Somebody else writes, so that nothing can be mended now.
        StorageError
            What was mended cannot be written.
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
                "Use these models from now on; a wrong name lists all profiles.",
                "--profile PROFILE",
                note="openai sends texts out: ask first",
                words=PROFILE_NAMES,
            ),
        ] = None,
        /,
        *,
        reparse: Annotated[
            bool | None,
            Arg(
                "Read the source files again, too, where they have changed or something is out of "
                "date. For a single document this is the default.",
                "--reparse/--no-reparse",
                note=_KEEPS_CHUNKS,
                mcp_type=bool,
                mcp_default=True,
            ),
        ] = None,
        force: Annotated[
            bool,
            Arg(
                "Make everything anew, not only what is out of date.",
                "--force",
                "!skip_unchanged",
                mcp_default=False,
            ),
        ] = False,
        document: Annotated[
            DocumentRef | None, Arg("Only this document: its name or ID.", "DOCUMENT", "-")
        ] = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Make vectors and search terms anew where they are out of date, or with other models.

        The stored texts are enough for it; source files are needed only where they are to be read
        again. Searches and ingests go on all the while. Stopped at any moment, the collection stays
        as it was or is as it should be, and the same call goes on where it stopped.
        `casetrack index-status` says what is out of date.

        Parameters
        ----------
        profile
            Whose models to use from now on; ``None`` leaves it as it is.
        reparse
            Read the source files again first: those that have changed, and those of documents of
            which something is stale. Documents whose file is gone or cannot be read are kept as
            they are stored, and named in the report.
        force
            Do all of it also for what is not stale.
        progress
            Called from this thread with what is being done, how much is done, and of how much. Or
            whether to show a bar, see ``Collection.ingest``.
        cancel
            Set it to stop.

        Raises
        ------
        CollectionReadOnly
            The collection is closed or archived.
        UsageError
            There is no such profile.
        ModelNotFound, ModelError
            Its models are not installed, or cannot be used.
        CollectionBusy, StorageError
            It cannot go on; nothing is half done.
        """
        from casetrack.ingest.reparse import reindex

        if document is not None:
            if profile is not None:
                raise UsageError(
                    "Other models are for a whole collection, not for one document.",
                    hint=f"Leave out the document, or {Opt(profile='PROFILE')}.",
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
        said = f"with the models of {self._workspace.info.profile}"
        audit.note(self._workspace.folder, "reindexed", detail=said)
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
        name_or_id: Annotated[DocumentRef, Arg("Name, path or ID.", "DOCUMENT", "document_name")],
        /,
        *,
        force: Annotated[bool, Arg("Make it anew in any case.", "--force")] = False,
        reparse: Annotated[
            bool, Arg("Read the source file again.", "--reparse/--no-reparse", note=_KEEPS_CHUNKS)
        ] = True,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Make one document anew: from its source file, or from its stored text.

        What is there stays searchable until the new is stored whole. A file that is gone or cannot
        be read changes nothing: the stored text is kept, and its vectors are made anew if stale.

        Parameters
        ----------
        name_or_id
            The document: its name, path or id. For something attached to a mail, the mail is read
            again with all that is in it.
        force
            Make it anew in any case. Otherwise only where the file has changed since, or something
            that is stored is stale.
        reparse
            Read the source file again. Otherwise chunks stay as they are, and only what is
            computed from them is made anew: vectors, search terms, names, dates and amounts.
        progress, cancel
            See :meth:`reindex`.

        Raises
        ------
        CollectionReadOnly
            The collection is closed or archived.
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        UsageError
            The models of the collection have changed, so that it has to be done as a whole.
        ModelNotFound, ModelError, CollectionBusy, StorageError
            See :meth:`reindex`.
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
        self,
        document: _Document = None,
        /,
        *,
        verify: Annotated[
            bool, Arg("Compare also large files of which only the time has changed.", "--verify")
        ] = False,
    ) -> IndexStatus:
        """Return what of a collection's index is out of date, and what puts it right.

        For every document: whether each of its chunks has what the models make of it, whether that
        was made by the present models and version, and whether its file is still as it was read.

        Parameters
        ----------
        document
            Name, path or id of a document; ``None`` means all.
        verify
            Read every source file whose time has changed, however large. A single document's file
            is always read then.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        CollectionDamaged
            What is stored cannot be read.
        """
        from casetrack.ingest.index_status import index_status

        def status(state: State) -> IndexStatus:
            chosen = None if document is None else state.document(document)
            return index_status(state, only=chosen, verify=verify or chosen is not None)

        return self._workspace.ask(status)

    def health(self) -> CollectionHealth:
        """Return how well the documents could be read: formats, recognition, gaps, coverage.

        As a table it has one row per document. :meth:`doctor` checks what is stored.

        Examples
        --------
        >>> health = collection.admin.health()  # doctest: +SKIP
        >>> health.formats, health.ocr_confidence, health.partial  # doctest: +SKIP
        """
        return self._workspace.ask(reading_health)
