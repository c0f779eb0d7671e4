"""What is in a collection, and bringing documents in."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal

from casetrack.collection.attending import attended, listener
from casetrack.collection.keeping import Keeping
from casetrack.collection.naming import as_paths, find_document, several
from casetrack.errors import UsageError
from casetrack.records import DOCUMENT_TYPES, CollectionStats, Document, RowList
from casetrack.store.find import attached_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.collection.naming import DocumentRef
    from casetrack.ingest.discover import Found
    from casetrack.ingest.run import Frame
    from casetrack.ingest.take import Options
    from casetrack.readers.base import ReadOptions
    from casetrack.records import IngestProgress, IngestReport


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
        return find_document(self.snapshot(), name_or_id)

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
            gone = [document, *attached_to(self.snapshot(), document)]
            session.delete(gone)
            self._catch_up()
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
        CollectionReadOnly
            The collection is closed or archived.
        CollectionBusy, StorageError, ModelError
            The batch as a whole cannot go on; what was committed stays.

        Examples
        --------
        >>> report = collection.ingest("~/Contracts")  # doctest: +SKIP
        >>> report.to_polars().filter(pl.col("status") != "ingested")  # doctest: +SKIP
        """
        from casetrack.ingest.discover import discover
        from casetrack.ingest.take import Options

        self.require_active()
        check_document_type(document_type)
        if copy_original is None:
            copy_original = self._settings.copy_originals
        files = discover(
            as_paths(paths),
            recursive=recursive,
            extensions=None if extensions is None else several(extensions),
            apart=self._apart,
        )
        if document_name is not None and len(files) != 1:
            raise UsageError(
                f"A display name is for one file, and this names {len(files)}.",
                hint="Leave the name out, or ingest the file by itself.",
            )
        return self._take_in(
            files,
            Options(force, document_type, document_name, copy_original),
            self._reading(several(passwords), ocr, ocr_language),
            progress=listener(progress),
            cancel=cancel,
        )

    @property
    def _apart(self) -> tuple[Path, ...]:
        """Folders of the program itself: what lies in them is no document."""
        return (self._settings.data_dir, self._settings.models_dir)

    def _reading(
        self, passwords: Sequence[str], ocr: str | None, ocr_language: str | None
    ) -> ReadOptions:
        """Return how files are read; the parameters are those of :meth:`ingest`."""
        from casetrack.readers.base import ReadOptions

        return ReadOptions(
            passwords=tuple(passwords),
            ocr=self._settings.ocr.with_choice(ocr, ocr_language),
            limits=self._settings.parse,
            models_dir=self._settings.models_dir,
        )

    def _take_in(
        self,
        files: list[Found],
        options: Options,
        reading: ReadOptions,
        /,
        *,
        frame: Frame | None = None,
        progress: Callable[[IngestProgress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport:
        """Take in files; see :meth:`ingest`, and for *frame* :func:`casetrack.ingest.run.ingest`.

        Raises
        ------
        CollectionBusy, StorageError, ModelError
            The batch as a whole cannot go on; what was committed stays.
        """
        from casetrack.ingest.batch import Target, run_batch

        info = self.info
        target = Target(
            folder=self.folder,
            pipeline=info.pipeline,
            profile=info.profile,
            dimension=info.dimension,
            documents=lambda: self._documents_of(info),
            outputs=self.outputs_of,
            catch_up=self._catch_up,
            allow_document=self.entitlements.allow_document,
        )
        return run_batch(
            target,
            files,
            options,
            load_encoder=self._encoders.get_installed,
            load_names=self._encoders.names,
            reading=reading,
            progress=progress,
            cancel=cancel or threading.Event(),
            frame=frame,
        )


def check_document_type(document_type: str | None, /) -> None:
    """Refuse a kind of document that there is not.

    Raises
    ------
    UsageError
        It is none of :data:`~casetrack.records.DOCUMENT_TYPES`.
    """
    if document_type is not None and document_type not in DOCUMENT_TYPES:
        raise UsageError(
            f"Unknown document type {document_type!r}.",
            hint=f"Use one of: {', '.join(DOCUMENT_TYPES)}.",
        )
