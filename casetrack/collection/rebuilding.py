"""Making anew what is computed from documents, and telling what is out of date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.contents import Contents

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from casetrack.ingest.reindex_report import ReindexReport
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
        from casetrack.ingest.reparse import reindex

        return reindex(
            self.workspace,
            profile,
            reparse=reparse,
            force=force,
            tell=listener(progress) or (lambda _what, _done, _total: None),
            cancel=cancel,
        )

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
        from casetrack.ingest.reparse import reindex_document

        return reindex_document(
            self.workspace,
            name_or_id,
            force=force,
            reparse=reparse,
            tell=listener(progress) or (lambda _what, _done, _total: None),
            cancel=cancel,
        )

    def rough_seconds(self) -> float | None:
        """Return about how long taking in all documents took; ``None`` where nobody can tell."""
        from casetrack.ingest.reindex_time import first_time_seconds

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

        state = self.workspace.state()
        chosen = None if document is None else state.document(document)
        return index_status(state, only=chosen, verify=verify or chosen is not None)
