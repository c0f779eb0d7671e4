"""Making anew what is computed from documents, and telling what is out of date."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.contents import Contents
from casetrack.store.find import attached_to
from casetrack.store.info import require_active

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.ingest.reindex import Reindex
    from casetrack.ingest.reindexed import ReindexReport
    from casetrack.records import Document
    from casetrack.records.index_status import IndexStatus


class Rebuilding(Contents):
    """Reindexing documents and whole collections."""

    @attended("Reindexing")
    def reindex(
        self,
        profile: str | None = None,
        /,
        *,
        reparse: bool = False,
        force: bool = False,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> ReindexReport:
        """Make vectors and search terms anew where they are stale, or with other models.

        The stored texts are enough for it. At no moment is the old gone and the new not there;
        stopped or killed, the collection is whole, and the next run goes on with what was made.

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
            whether to show a bar, see :meth:`ingest`.
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
        from casetrack.ingest.reparse import reindex_files

        before = self.info.profile
        run = self._prepare(profile, force=force, progress=listener(progress), cancel=cancel)
        if not reparse:
            return run.run()
        changes = run.makers.encoder.name != before
        return reindex_files(run, self.documents, self.ingest, changes_profile=changes)

    @attended("Reindexing")
    def reindex_document(
        self,
        name_or_id: str,
        /,
        *,
        force: bool = False,
        reparse: bool = True,
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
        from casetrack.ingest.reparse import reindex_files
        from casetrack.ingest.sources import root_of

        require_active(self.info)
        snapshot = self.snapshot()
        document = self.document(name_or_id)
        root = root_of(document, snapshot.documents)
        family = [root, *attached_to(snapshot, root)] if reparse else [document]
        only = frozenset(d.document_id for d in family)
        run = self._prepare(
            None, force=force, progress=listener(progress), cancel=cancel, only=only
        )
        if reparse:
            report = reindex_files(run, self.documents, self.ingest, changes_profile=False)
        else:
            report = run.run()
        notes = _notes(document, root, reparse=reparse)
        return replace(report, document=document.name, notes=(*report.notes, *notes))

    def rough_seconds(self) -> float | None:
        """Return about how long taking in all documents took; ``None`` where nobody can tell."""
        from casetrack.ingest.estimate import first_time_seconds

        return first_time_seconds(self.snapshot().documents.values())

    def index_status(self, document: str | None = None, /, *, verify: bool = False) -> IndexStatus:
        """Return which documents are as the present models and files would make them.

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

        snapshot = self.snapshot()
        chosen = None if document is None else self.document(document)
        return index_status(
            snapshot,
            self.info,
            encoder=self._encoders.get_installed,
            find_names=self._encoders.names,
            only=chosen,
            verify=verify or chosen is not None,
        )

    def _prepare(
        self,
        profile: str | None,
        *,
        force: bool,
        progress: Callable[[str, int, int], None] | None,
        cancel: threading.Event | None,
        only: frozenset[str] | None = None,
    ) -> Reindex:
        from casetrack.ingest.reindex import prepare

        return prepare(
            self.folder,
            self.info,
            profile,
            encoder=self._encoders.get,
            find_names=self._encoders.names,
            force=force,
            catch_up=self._catch_up,
            tell=progress or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
            only=only,
        )


def _notes(document: Document, root: Document, *, reparse: bool) -> list[str]:
    """Return what a user of one document's reindex would else wonder about."""
    from casetrack.ingest.sources import source_state

    if reparse:
        if root is document:
            return []
        return [f'It came with "{root.name}", which was looked at with everything in it.']
    state = source_state(root)
    if state == "changed":
        said = (
            f'The file of "{root.name}" has changed since it was read, and was not read again: '
            "its stored text was used. Reindex it with its file to take in the change."
        )
        return [said]
    return []
