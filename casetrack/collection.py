"""A collection: the one facade that the command line, MCP, SQL and Python use.

Reading never waits for writing: every call looks at the newest committed state. Ingesting and
deleting take the collection's write lock themselves.
"""

from __future__ import annotations

import functools
import threading
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

from casetrack.errors import CollectionBusy, ModelError, UsageError
from casetrack.records import (
    DOCUMENT_TYPES,
    Chunk,
    ChunkWindow,
    CollectionStats,
    Document,
    SearchResults,
)
from casetrack.store.find import attached_to, chunks_of, find_chunk, find_document
from casetrack.store.info import read_info, write_info
from casetrack.store.rewrite import in_force

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa

    from casetrack.config import Settings
    from casetrack.encoders import Encoders
    from casetrack.ingest.reindexed import ReindexReport
    from casetrack.records import (
        CollectionInfo,
        DocumentStructure,
        HealthReport,
        Illustrate,
        IngestProgress,
        IngestReport,
        Picture,
        SearchMode,
    )
    from casetrack.retrieve.fuse import FusionMethod
    from casetrack.steps.embed import ContextText, Outputs
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index


class Collection:
    """An open collection. Made by :class:`~casetrack.library.Library`, not directly.

    May be used from several threads.
    """

    def __init__(self, folder: Path, settings: Settings, encoders: Encoders, /) -> None:
        self.folder = folder
        self._settings = settings
        self._encoders = encoders
        self._lock = threading.Lock()
        self._state: tuple[Snapshot, Index | None] | None = None

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read anew each time."""
        return in_force(self.folder, read_info(self.folder))

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.info.name

    @property
    def settings(self) -> Settings:
        """The settings of its data folder."""
        return self._settings

    def __repr__(self) -> str:
        """Return name, size and place."""
        stats = self.stats()
        return (
            f"<Collection {self.name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )

    # --- what is there -----------------------------------------------------------------------

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
    ) -> list[Document]:
        """Return all documents: by name, newest first, longest first, or by type and name.

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
        return sorted(self.snapshot().documents.values(), key=keys[sort_by])

    def document(self, name_or_id: str, /) -> Document:
        """Return the document of a name, a path, or an id (its first 8 characters are enough).

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        """
        return find_document(self.snapshot(), name_or_id)

    def delete_document(self, name_or_id: str, /) -> Document:
        """Remove a document, what is attached to it and everything made from it.

        The source file stays where it is.

        Raises
        ------
        DocumentNotFound, AmbiguousName, CollectionBusy, StorageError
        """
        import shutil

        from casetrack.store.session import write_session

        with write_session(self.folder) as session:
            document = self.document(name_or_id)
            gone = [document, *attached_to(self.snapshot(), document)]
            session.delete(gone)
            self._catch_up()
        for row in gone:
            shutil.rmtree(self.folder / "originals" / row.document_id, ignore_errors=True)
        return document

    # --- bringing documents in ---------------------------------------------------------------

    def ingest(
        self,
        paths: Iterable[str | Path],
        /,
        *,
        recursive: bool = True,
        extensions: Iterable[str] | None = None,
        force: bool = False,
        document_type: str | None = None,
        document_name: str | None = None,
        copy_original: bool | None = None,
        passwords: Sequence[str] = (),
        ocr: str | None = None,
        ocr_language: str | None = None,
        progress: Callable[[IngestProgress], None] | None = None,
        cancel: threading.Event | None = None,
    ) -> IngestReport:
        """Read files and folders into the collection; every file ends with one outcome.

        A file's error never stops the batch. A file that is known already is skipped; one whose
        content changed since replaces what was there, without a moment in which neither is found.

        Parameters
        ----------
        paths
            Files and folders.
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
            Tried in order on protected files; never stored.
        ocr, ocr_language
            Engine (one of :data:`~casetrack.config.OCR_ENGINES`) and languages (``deu+eng``) for
            scans and pictures; ``None`` means as set in config.toml.
        progress
            Called from this thread as the batch goes on, at least several times a second.
        cancel
            Set it to stop: finished documents are kept.

        Raises
        ------
        UsageError
            An argument does not fit.
        CollectionBusy, StorageError, ModelError
            The batch as a whole cannot go on; what was committed stays.
        """
        from casetrack.ingest.batch import Target, run_batch
        from casetrack.ingest.discover import discover
        from casetrack.ingest.take import Options
        from casetrack.readers.base import ReadOptions

        if document_type is not None and document_type not in DOCUMENT_TYPES:
            raise UsageError(
                f"Unknown document type {document_type!r}.",
                hint=f"Use one of: {', '.join(DOCUMENT_TYPES)}.",
            )
        if copy_original is None:
            copy_original = self._settings.copy_originals
        files = discover(paths, recursive=recursive, extensions=extensions)
        if document_name is not None and len(files) != 1:
            raise UsageError(
                f"A display name is for one file, and this names {len(files)}.",
                hint="Leave the name out, or ingest the file by itself.",
            )
        options = Options(force, document_type, document_name, copy_original)
        info = self.info
        target = Target(
            folder=self.folder,
            pipeline=info.pipeline,
            profile=info.profile,
            dimension=info.dimension,
            documents=lambda: self._documents_of(info),
            outputs=self.outputs_of,
            catch_up=self._catch_up,
        )
        return run_batch(
            target,
            files,
            options,
            load_encoder=self._encoders.get_installed,
            reading=ReadOptions(
                passwords=tuple(passwords),
                ocr=self._settings.ocr.with_choice(ocr, ocr_language),
                limits=self._settings.parse,
                models_dir=self._settings.models_dir,
            ),
            progress=progress,
            cancel=cancel or threading.Event(),
        )

    def reindex(
        self,
        profile: str | None = None,
        /,
        *,
        reparse: bool = False,
        force: bool = False,
        progress: Callable[[str, int, int], None] | None = None,
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
            Read the source files again first. Documents whose file is gone are kept as they are
            stored, and named in the report.
        force
            Make anew also what is not stale.
        progress
            Called from this thread with what is being done, how much is done, and of how much.
        cancel
            Set it to stop.

        Raises
        ------
        UsageError
            There is no such profile.
        ModelNotFound, ModelError
            Its models are not installed, or cannot be used.
        CollectionBusy, StorageError
            It cannot go on; nothing is half done.
        """
        from casetrack.ingest.reindex import prepare
        from casetrack.ingest.reparse import reindex_files

        info = self.info
        run = prepare(
            self.folder,
            info,
            profile,
            encoder=self._encoders.get,
            force=force,
            catch_up=self._catch_up,
            tell=progress or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
        if not reparse:
            return run.run()
        changes = run.makers.encoder.name != info.profile
        return reindex_files(run, self.documents, self.ingest, changes_profile=changes)

    # --- finding -----------------------------------------------------------------------------

    def search(
        self,
        query: str,
        /,
        *,
        k: int = 10,
        mode: SearchMode | None = None,
        stages: Sequence[str] | None = None,
        document: str | None = None,
        fusion: FusionMethod = "zscore",
    ) -> SearchResults:
        """Return the *k* best passages, each with its source.

        Parameters
        ----------
        query
            A question or words.
        k
            1 to 1,000.
        mode
            ``keyword`` (BM25), ``semantic`` (vectors), ``hybrid`` (both, and learned words where
            the profile has them) or ``full`` (hybrid, then the best read token by token);
            ``None`` means full as far as the collection allows, and a note says what it lacks.
        stages
            Instead of a mode the stages by name: ``bm25``, ``semantic``, ``sparse``,
            ``maxsim``, ``feedback``.
        document
            Only passages of this document (name, path or id).
        fusion
            How several signals are joined: ``zscore`` or ``rrf``.

        Raises
        ------
        UsageError
            The query is empty, or an argument does not fit.
        ModelNotFound
            *mode* asks for vectors and no model is installed.
        """
        from casetrack.retrieve.search import search

        info = self.info
        snapshot, index = self.index()
        document_id = find_document(snapshot, document).document_id if document else None
        found = search(
            snapshot,
            index,
            query,
            collection=info.name,
            load_encoder=lambda: self._encoders.get(snapshot.profile, dimension=snapshot.dimension),
            k=k,
            mode=mode,
            stages=stages,
            document_id=document_id,
            fusion=fusion,
        )
        return replace(found, illustrate=self._illustrate)

    def chunk(self, chunk_id: str, /) -> Chunk:
        """Return one chunk.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        """
        return replace(find_chunk(self.snapshot(), chunk_id), illustrate=self._illustrate)

    def chunks(self, document: str, /, *, page: int | None = None) -> list[Chunk]:
        """Return the chunks of a document in reading order, or those of one page.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        UsageError
            The document has no such page.
        """
        snapshot = self.snapshot()
        row = find_document(snapshot, document)
        if page is not None and not 1 <= page <= row.page_count:
            raise UsageError(
                f'"{row.name}" has no page {page}.', hint=f"Its pages are 1 to {row.page_count}."
            )
        found = chunks_of(snapshot, row)
        return [c for c in found if page is None or c.provenance.page == page]

    def context(self, chunk_id: str, /, *, window: int = 1) -> ChunkWindow:
        """Return a chunk with up to *window* chunks before and after it in its document.

        Raises
        ------
        ChunkNotFound
            No live chunk has this id.
        UsageError
            *window* is less than 1.
        """
        if window < 1:
            raise UsageError(f"window must be 1 or more, not {window}.")
        snapshot = self.snapshot()
        chunk = find_chunk(snapshot, chunk_id)
        siblings = chunks_of(snapshot, snapshot.documents[chunk.provenance.document_id])
        place = next(i for i, c in enumerate(siblings) if c.chunk_id == chunk_id)
        return ChunkWindow(
            before=tuple(siblings[max(0, place - window) : place]),
            chunk=replace(chunk, illustrate=self._illustrate),
            after=tuple(siblings[place + 1 : place + 1 + window]),
        )

    def structure(self, document: str, /) -> DocumentStructure:
        """Return a document's headings with their levels and places, and what else it holds.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            See :meth:`document`.
        """
        from casetrack.retrieve.structure import structure_of

        snapshot = self.snapshot()
        return structure_of(snapshot, find_document(snapshot, document))

    def sql(self, statement: str, /, *, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a reading SQL statement over the views ``documents`` and ``chunks``.

        Raises
        ------
        QueryError
            See :func:`casetrack.sql.query.run_query`.
        """
        from casetrack.sql.query import Tables, run_query
        from casetrack.steps.words import index_terms
        from casetrack.views.index import sql_tables

        snapshot = self.snapshot()
        tables = Tables(
            ledger=snapshot.documents.table,
            chunks=snapshot.chunks,
            postings=lambda: sql_tables(self.index()[1]),
            query_terms=index_terms,
        )
        return run_query(statement, tables, params=params)

    def table(self) -> Any:
        """Return the stored chunks as a LanceDB table, for tools of your own.

        It holds every stored row; live ones are those whose ``revision`` stands in ``documents``.
        """
        from casetrack.store.datasets import open_with_lancedb

        return open_with_lancedb(self.folder)

    def doctor(self) -> HealthReport:
        """Check that everything stored is whole, cited and in step; see the report."""
        from casetrack.health import check_collection

        return check_collection(self.folder, lambda: self.index()[1])

    # --- the newest state --------------------------------------------------------------------

    def snapshot(self) -> Snapshot:
        """Return the newest committed state."""
        from casetrack.store.datasets import open_snapshot

        with self._lock:
            if self._state is None or not self._state[0].is_current():
                newest = open_snapshot(self.folder)
                # Compaction moves rows about, but leaves what the index says of them as it is.
                known = self._state[0] if self._state is not None else newest
                same = (known.version, known.generation) == (newest.version, newest.generation)
                self._state = (newest, self._state[1] if same and self._state else None)
            return self._state[0]

    def index(self) -> tuple[Snapshot, Index]:
        """Return the newest committed state with its search index, caught up."""
        from casetrack.views.index import open_index

        snapshot = self.snapshot()
        with self._lock:
            if self._state is not None and self._state[0] is snapshot and self._state[1]:
                return snapshot, self._state[1]
        index = open_index(self.folder, snapshot, fingerprint=self._fingerprint(snapshot))
        with self._lock:
            if self._state is not None and self._state[0] is snapshot:
                self._state = (snapshot, index)
        return snapshot, index

    def _fingerprint(self, snapshot: Snapshot) -> str | None:
        """Return that of the models whose vectors count; ``None`` where they cannot be had."""
        try:
            models = self._encoders.get_installed(snapshot.profile, dimension=snapshot.dimension)
        except ModelError:
            # Words need no model; who asks for vectors is told what is wrong with it.
            return None
        return models.fingerprint if models else None

    def _documents_of(self, info: CollectionInfo) -> list[Document]:
        """Return the documents, unless other models were chosen since *info* was read."""
        snapshot = self.snapshot()
        if (snapshot.profile, snapshot.dimension) != (info.profile, info.dimension):
            raise CollectionBusy(
                f'Another process has meanwhile changed the profile of "{info.name}" from '
                f"{info.profile} to {snapshot.profile}. Nothing was taken in.",
                hint="Run the same command again.",
            )
        return self.documents()

    def outputs_of(
        self, document: Document, models: str, pipeline: str, /
    ) -> dict[ContextText, Outputs]:
        """Return what models made of a document, by what they saw.

        Empty where they are not those of *models*, or the document did not come through
        *pipeline* (both are fingerprints): the models may then have seen other texts.
        """
        from casetrack.steps.context import CONTEXT_COLUMNS
        from casetrack.steps.embed import OUTPUTS, ContextText, Outputs

        if document.pipeline_fingerprint != pipeline:
            return {}
        columns = (*CONTEXT_COLUMNS, *OUTPUTS, "embedders")
        table = self.snapshot().scan(columns, revisions=[document.revision])
        return {
            ContextText.of(row): Outputs(*(row[name] for name in OUTPUTS))
            for row in table.to_pylist()
            if row["dense"] is not None and models in row["embedders"]
        }

    @property
    def _illustrate(self) -> Illustrate:
        """What draws passages; it holds no open file, so that results can be pickled."""
        return functools.partial(_pictures, self.folder, self._settings)

    def _catch_up(self) -> None:
        """Index what was added and note the change, so that the first search finds both done."""
        self.index()
        write_info(self.folder, replace(self.info, updated_at=datetime.now(UTC)))


def _pictures(folder: Path, settings: Settings, chunk_ids: Sequence[str]) -> Mapping[str, Picture]:
    from casetrack.viewer.pictures import pictures

    return pictures(folder, settings, chunk_ids)
