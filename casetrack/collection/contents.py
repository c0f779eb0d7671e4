"""What is in a collection, and bringing documents in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from casetrack.collection.attending import attended, listener
from casetrack.collection.keeping import Keeping
from casetrack.errors import UsageError
from casetrack.records import CollectionStats, Document, RowList

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.records import IngestProgress, IngestReport
    from casetrack.workspace.arguments import DocumentRef


class Contents(Keeping):
    """Documents: what is there, taking them in, taking them out."""

    def stats(self) -> CollectionStats:
        """Return counts of live documents, pages and chunks, and the bytes on disk."""
        from casetrack.store.files import folder_bytes

        documents = self.snapshot().documents.values()
        return CollectionStats(
            document_count=len(documents),
            page_count=sum(d.page_count for d in documents),
            chunk_count=sum(d.chunk_count for d in documents),
            storage_bytes=folder_bytes(self.folder),
        )

    def documents(
        self, *, sort_by: Literal["name", "date", "pages", "type"] = "date"
    ) -> RowList[Document]:
        """Return all documents, those that came in last first; ``sort_by`` has other orders.

        Parameters
        ----------
        sort_by
            ``date`` (what came in last is first), ``name``, ``pages`` (the longest first) or
            ``type`` (by type, then by name).

        Raises
        ------
        UsageError
            *sort_by* is none of these.
        """
        keys: dict[str, Callable[[Document], Any]] = {
            "name": lambda d: (d.name.casefold(), d.path),
            "date": lambda d: (-d.ingested_at.timestamp(), d.name.casefold(), d.path),
            "pages": lambda d: (-d.page_count, d.name.casefold(), d.path),
            "type": lambda d: (d.document_type or "~", d.name.casefold(), d.path),
        }
        if sort_by not in keys:
            known = ", ".join(keys)
            raise UsageError(f"Cannot sort by {sort_by!r}.", hint=f"Use one of: {known}.")
        found = sorted(self.snapshot().documents.values(), key=keys[sort_by])
        return RowList(found, of=Document)

    def document(self, name_or_id: DocumentRef, /) -> Document:
        """Return the document of a name, a path, or an id (its first 8 characters are enough).

        Wherever a method asks for a document, a document itself will do as well: it is looked up
        by its id, and comes back as it is now.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        """
        return self.workspace.state().document(name_or_id)

    def delete_document(self, name_or_id: DocumentRef, /, *, secure: bool = False) -> Document:
        """Remove a document, what is attached to it and everything made from it.

        The source file stays where it is.

        Parameters
        ----------
        name_or_id
            As for :meth:`document`.
        secure
            Take it out of every file at once, and all that was deleted earlier; named snapshots
            are removed, too. Otherwise :meth:`upkeep` does the former later. See there.

        Raises
        ------
        CollectionReadOnly, DocumentNotFound, AmbiguousName, CollectionBusy, StorageError
        """
        from casetrack.store.originals import drop_copies
        from casetrack.store.session import write_session

        self.require_active()
        with write_session(self.folder) as session:
            document = self.document(name_or_id)
            gone = [document, *self.workspace.state().attached_to(document)]
            session.delete(gone)
            self.workspace.catch_up()
        drop_copies(self.folder, gone)
        if secure:
            self.upkeep(secure=True, wait=True)
        return document

    @attended("Reading")
    def ingest(
        self,
        paths: str | Path | Iterable[str | Path],
        /,
        *,
        recursive: bool = True,
        extensions: Iterable[str] | str | None = None,
        force: bool = False,
        document_type: str | None = None,
        document_name: str | None = None,
        copy_original: bool | None = None,
        passwords: Sequence[str] | str = (),
        ocr: str | None = None,
        ocr_language: str | None = None,
        pipeline: str | Path | None = None,
        progress: Callable[[IngestProgress], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport:
        """Read files and folders into the collection; every file ends with one outcome.

        A file's error never stops the batch. A file that is known already is skipped; one whose
        content changed since replaces what was there, without a moment in which neither is found.
        Where the tier has a limit, new files beyond it are left out, with the limit as the reason.

        Parameters
        ----------
        paths
            Files and folders, or one of them; ``~`` is the home folder.
        recursive, extensions
            How folders are walked, see :func:`casetrack.ingest.discover.discover`.
        force
            Ingest also content that is there already.
        document_type
            One of :data:`~casetrack.records.DOCUMENT_TYPES`.
        document_name
            Display name; only for a single file.
        copy_original
            Keep a copy of each file inside the collection; ``None`` means as set in config.toml.
            Attachments are always kept, since they have no file of their own.
        passwords
            Tried in order on protected files, one or many; never stored.
        ocr, ocr_language
            Engine (one of :data:`~casetrack.config.OCR_ENGINES`) and languages (``deu+eng``) for
            scans and pictures; ``None`` means as set in config.toml.
        pipeline
            Name or file of the pipeline that the collection uses from now on; ``None`` leaves it
            as it is. What another one has made is read anew by ``reindex(reparse=True)``.
        progress
            Called from this thread as the batch goes on, at least several times a second. Or
            whether to show a bar: by default where a person looks on, if the collection was opened
            by :func:`casetrack.open`.
        cancel
            Set it to stop: finished documents are kept.

        Raises
        ------
        UsageError
            An argument does not fit.
        PipelineError
            There is no such pipeline, or it does not hold together; nothing was done.
        CollectionReadOnly
            The collection is closed or archived.
        CollectionBusy, StorageError, ModelError
            The batch as a whole cannot go on; what was committed stays.

        Examples
        --------
        >>> report = collection.ingest("~/Contracts")  # doctest: +SKIP
        >>> report.to_polars().filter(pl.col("status") != "ingested")  # doctest: +SKIP
        """
        from casetrack.ingest.intake import ingest

        return ingest(
            self.workspace,
            paths,
            recursive=recursive,
            extensions=extensions,
            force=force,
            document_type=document_type,
            document_name=document_name,
            copy_original=copy_original,
            passwords=passwords,
            ocr=ocr,
            ocr_language=ocr_language,
            pipeline=pipeline,
            progress=listener(progress),
            cancel=cancel,
        )
