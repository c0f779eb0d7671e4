"""The collection: one facade for the command line, MCP, SQL and Python.

Readers never wait for writers: every call reads the last committed state. Ingesting and deleting
take the collection's write lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, overload

from casetrack.api.collection.admin import Admin
from casetrack.api.collection.drawing import drawn
from casetrack.api.collection.map import Map
from casetrack.api.collection.marks import Marks
from casetrack.api.collection.progress import listener, shows_progress, silent
from casetrack.api.collection.read import Read
from casetrack.api.operation import (
    ADDS,
    DELETES,
    EVERY,
    READS,
    Arg,
    DayRef,
    DocumentRef,
    PathRef,
    Work,
    at_most,
    operation,
)
from casetrack.base.arguments import as_documents, as_list, one_of
from casetrack.base.config import OCR_ENGINES
from casetrack.base.errors import CaseTrackError, UsageError
from casetrack.base.records import DOCUMENT_TYPES, CollectionStats, Document, RowList, SearchMode
from casetrack.base.registry import registered
from casetrack.graph.opened import graph_of
from casetrack.store import audit
from casetrack.store.workspace import raises_damage

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping
    from datetime import datetime
    from pathlib import Path
    from typing import Self

    import pyarrow as pa

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.records import (
        CollectionInfo,
        Facets,
        IngestProgress,
        IngestReport,
        SearchResults,
    )
    from casetrack.base.records.cards import QueryReport
    from casetrack.base.records.sync import SourceInfo, SyncReport
    from casetrack.base.records.topics import TopicMatrix
    from casetrack.base.sql.control import Control
    from casetrack.keep.sources.base import Source
    from casetrack.search.ranking import FusionMethod
    from casetrack.store.workspace import State, Workspace

    Progress = Callable[[str, int, int], None]

_Query = Annotated[str, Arg("A question or some words.", "QUERY")]
_Documents = Annotated[
    Iterable[DocumentRef] | DocumentRef | None,
    Arg(
        "Only in this document; may be repeated for several.",
        "--document -d NAME",
        "document_filter",
        mcp_type=str | list[str] | None,
    ),
]
_Kinds = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents of this kind, such as contract, report, pdf or eml; may be repeated.",
        "--kind KIND",
        note="Such as contract, pdf",
    ),
]
_Since = Annotated[
    DayRef | None,
    Arg(
        "Only in documents from this day, month or year on, such as 2024-03-12: the date of the "
        "last change in the source, else the document's own date, or that of the file.",
        "--since DATE",
        note="YYYY-MM-DD",
    ),
]
_Until = Annotated[DayRef | None, Arg("Only in documents up to this date.", "--until DATE")]
_Sources = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents from this source, such as git:platform, or git for all of this kind; "
        "may be repeated.",
        "--source SOURCE",
    ),
]
_Paths = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents whose path matches, as in .gitignore: 'docs/**', '*.md', '!tests/'; may "
        "be repeated.",
        "--path GLOB",
        note="Globs",
    ),
]
_Languages = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents in this language, such as de, German or (for code) Python; may be "
        "repeated.",
        "--language LANGUAGE",
    ),
]
_Mentions = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only passages that mention this person, organization or place; if repeated, all of them.",
        "--mentions NAME",
    ),
]
_Recursive = Annotated[bool, Arg("Include subfolders.", "--recursive/--no-recursive", "-")]
_Extensions = Annotated[
    Iterable[str] | str | None,
    Arg("Only files of this type, such as pdf; may be repeated.", "--ext EXT", "file_extensions"),
]
_Type = Annotated[
    str | None, Arg("Type of new documents, such as contract.", "--type TYPE", words=DOCUMENT_TYPES)
]
_Passwords = Annotated[
    Sequence[str] | str,
    Arg("Opens protected files; may be repeated. Never stored.", "--password PASSWORD", "-"),
]
_Ocr = Annotated[
    str | None,
    Arg(f"Text recognition of scans and pictures: {', '.join(OCR_ENGINES)}.", "--ocr ENGINE", "-"),
]
_OcrLanguage = Annotated[
    str | None, Arg("Languages of scans, such as eng or deu+eng.", "--ocr-language CODES", "-")
]


class Collection:
    """An open collection. Made by :class:`~casetrack.api.library.Library`, not directly.

    It can be used from several threads and need not be closed, since files are open only while they
    are read. At the end of a ``with`` block it frees its memory.

    Attributes
    ----------
    read
        Reading: passages, pages, the structure of documents.
    map
        Names, dates, amounts and references.
    marks
        The user's marks: tags, stars, edits of names, events.
    admin
        Facts, earlier states and health of the collection.
    """

    def __init__(self, workspace: Workspace, /, *, display: ProgressDisplay | None = None) -> None:
        self.workspace = workspace
        self.read = Read(workspace)
        self.map = Map(workspace)
        self.marks = Marks(workspace)
        self.admin = Admin(workspace, display)
        self._display = display

    @property
    def folder(self) -> Path:
        """The collection's folder."""
        return self.workspace.folder

    @property
    def info(self) -> CollectionInfo:
        """The collection's facts, read from disk each time."""
        return self.workspace.info

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.workspace.name

    def _audit(self, action: str, words: str) -> None:
        """Add a question to the audit log if the configuration enables that."""
        if self.workspace.settings.audit_searches:
            audit.note(self.workspace.folder, action, detail=words)

    @operation("search", READS)
    def search(
        self,
        query: _Query,
        /,
        *,
        limit: Annotated[int, at_most(le=1000, mcp_le=50, mcp_default=5)] = 10,
        mode: Annotated[SearchMode | None, Arg(cli="--mode", note="Default: the best")] = None,
        stages: Annotated[Sequence[str] | str | None, Arg(cli="--stages NAMES", mcp="-")] = None,
        document: DocumentRef | None = None,
        documents: _Documents = None,
        kinds: _Kinds = None,
        since: _Since = None,
        until: _Until = None,
        sources: _Sources = None,
        paths: _Paths = None,
        languages: _Languages = None,
        mentions: _Mentions = None,
        fold: Annotated[
            bool,
            Arg(
                "List every passage separately, also repeated text and neighbours with "
                "shared text.",
                "/--no-fold",
                "-",
            ),
        ] = True,
        fusion: FusionMethod = "zscore",
        related: Annotated[
            int, Arg(cli="--related N", note="More, linked by names", ge=0, le=20)
        ] = 0,
        min_relevance: Annotated[float | None, Arg(cli="--min-relevance 0..1", ge=0, le=1)] = None,
        vocabulary: Annotated[
            bool,
            Arg(
                "Search only the words of the question, without synonyms.", "/--no-vocabulary", "-"
            ),
        ] = True,
    ) -> SearchResults:
        """Return the *limit* best passages, each with its source.

        Parameters
        ----------
        limit
            How many results at most.

            They are different places, or passages if *fold* is false.
        mode
            By words, by meaning, by both, or by both with reranking. [default: the best that the
            collection allows]

            ``keyword`` (BM25), ``semantic`` (vectors), ``hybrid`` (both, and learned sparse vectors
            if the profile has them) or ``full`` (hybrid, then late interaction on the best
            results). ``None`` means full as far as the collection and the tier allow; a note lists
            missing parts.
        stages
            Stages instead of a mode, separated by commas: bm25, semantic, sparse, maxsim, feedback,
            rerank.
        document, documents
            Only passages of this document, or of these: name, path, id or record.
        since, until
            Only documents of this time: a date, or text such as ``2024-03-12``, ``2024-03`` or
            ``2024``. The date of a document is that of the last change in its source, or else its
            own (written, sent or last changed), or else its file's; a note counts the latter.
        fold
            Combine passages with the same or shared text into one result; its ``also`` lists the
            others.
        fusion
            Combination of several signals: ``zscore`` or ``rrf``.
        related
            Also show up to N passages that mention the same rare names as the results or have a
            similar meaning.
        min_relevance
            Leave out results below this relevance. [default: show all]

        Raises
        ------
        UsageError
            The query is empty, or an argument is wrong.
        ModelNotFound
            *mode* needs vectors and no model is installed.
        FreeTierLimit
            *mode* or *stages* need reranking, which the tier does not include.
        DocumentNotFound, AmbiguousName, EntityNotFound
            A document or a mentioned name does not exist, or several match.

        Examples
        --------
        >>> hits = collection.search("Who may end the lease early?", limit=5)  # doctest: +SKIP
        >>> hits[0].citation, hits[0].text  # doctest: +SKIP
        """
        from casetrack.base.arguments import Filter
        from casetrack.search.search import search

        named = [*as_documents(documents), *as_documents(document)]
        every = document is None and documents is None
        where = Filter(None if every else named, kinds, since, until, sources, paths, languages)

        def searched(state: State) -> SearchResults:
            asked = where
            if mentions is not None:
                from casetrack.graph.answers.lookup import entity_ids

                asked = replace(where, mentions=entity_ids(graph_of(state), as_list(mentions)))
            return search(
                state,
                query,
                limit=limit,
                mode=mode,
                stages=stages,
                where=asked,
                fusion=fusion,
                related=related,
                vocabulary=vocabulary,
                fold=fold,
                min_relevance=min_relevance,
            )

        self._audit("searched", query)
        results = self.workspace.ask(searched)
        draw = partial(drawn, self.workspace.folder, self.workspace.settings)
        return replace(results, illustrate=draw)

    @operation("facets", READS, tool="get_facets", sets=("search",))
    def facets(
        self,
        query: _Query,
        /,
        *,
        documents: _Documents = None,
        kinds: _Kinds = None,
        since: _Since = None,
        until: _Until = None,
        sources: _Sources = None,
        paths: _Paths = None,
        languages: _Languages = None,
        mentions: _Mentions = None,
        shown: Iterable[str] = (),
        most: Annotated[int, at_most(le=200, mcp_le=15)] = 8,
        waits: bool = True,
    ) -> Facets:
        """Return filters for the passages that match a question, with the passages of each.

        All passages with enough words of the question count, not only the best; see
        :mod:`casetrack.search.hits`.

        Parameters
        ----------
        documents, kinds, since, until, sources, paths, languages, mentions
            Filters in use; see :meth:`search`.
        shown
            Ids of further chunks that count, such as those of a semantic search.
        most
            How many values of each.
        waits
            Wait until all passages are read for the map; see :meth:`Map.lacking`. Otherwise people
            and organizations are left out until then.

        Raises
        ------
        UsageError, DocumentNotFound, AmbiguousName, EntityNotFound
            The question is empty, or the value of a filter does not exist.
        """
        from casetrack.api.collection.facets import find_facets
        from casetrack.base.arguments import Filter

        where = Filter(documents, kinds, since, until, sources, paths, languages, mentions)
        return self.workspace.ask(
            lambda state: find_facets(state, query, where, shown=shown, most=most, waits=waits)
        )

    @operation(
        "matrix",
        READS,
        tool="find_in_documents",
        sets=("core", "search"),
        most=10_000,
        entries="documents",
    )
    def topic_matrix(
        self,
        topics: Annotated[Sequence[str], Arg(cli="TOPIC", le=20)],
        /,
        *,
        documents: _Documents = None,
        kinds: _Kinds = None,
        limit: Annotated[int, at_most("limit", mcp_le=200, mcp_default=25)] = 1000,
    ) -> TopicMatrix:
        """Return for each document which topics are present, absent or unsure, with places.

        Each document is searched for each topic. A topic is present if the relevance of its best
        passage is high, and absent if it is low; otherwise it is unsure.

        Parameters
        ----------
        topics
            Topics, clauses or claims.
        limit
            How many documents at most.
        """
        from casetrack.base.arguments import Filter
        from casetrack.search.topics import topic_matrix

        where = Filter(documents, kinds)
        return self.workspace.ask(
            lambda state: topic_matrix(state, as_list(topics), where, limit=limit)
        )

    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
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
        params: Mapping[str, Any] | None = None,
        explain: bool = False,
        exact: bool = False,
        control: Control | None = None,
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over the collection's views and functions.

        Raises ``UsageError``, ``ModelNotFound`` or ``FreeTierLimit`` as retrieval functions do.

        Parameters
        ----------
        statement
            DuckDB SQL; :func:`catalog` lists the names. The functions ``search``, ``similar``,
            ``context`` and ``cite`` correspond to the methods of the same name.
        params
            Values of parameters, which the statement writes as ``$name``.
        explain
            Return also the plan and the calls of the retrieval engine, as a ``QueryReport``.
        exact
            Return days outside of the years 1 to 9999 and 24:00 o'clock as Arrow values; Python has
            no type for them, and they are refused otherwise.
        control
            Stops the statement from another thread.

        Notes
        -----
        ``[sql]`` in ``config.toml`` limits time and memory, but not within a single call of a
        DuckDB function, such as ``repeat('x', 1000000000)``. ``casetrack query`` then ends its own
        process, which a library must not do.
        """
        from casetrack.search.query.run import ask

        self._audit("queried", statement)
        return ask(
            self.workspace.state,
            self.workspace.settings.sql,
            statement,
            params=params,
            explain=explain,
            exact=exact,
            control=control,
        )

    @operation(
        "ingest", ADDS, work=Work("Reading", "files", "ingest", "Ingest of {paths}", fills=True)
    )
    @shows_progress("Reading")
    @raises_damage
    def ingest(
        self,
        paths: Annotated[Iterable[PathRef] | PathRef, Arg(cli="PATH", path=True)],
        /,
        *,
        recursive: _Recursive = True,
        extensions: _Extensions = None,
        force: Annotated[bool, Arg(cli="--force")] = False,
        document_type: _Type = None,
        document_name: Annotated[str | None, Arg(cli="--name NAME")] = None,
        copy_original: Annotated[bool | None, Arg(cli="--copy-original/--no-copy-original")] = None,
        passwords: _Passwords = (),
        ocr: _Ocr = None,
        ocr_language: _OcrLanguage = None,
        pipeline: Annotated[PathRef | None, Arg(cli="--pipeline FILE")] = None,
        progress: Callable[[IngestProgress], None] | bool | None = None,
        cancel: threading.Event | None = None,
        engine: Literal["here", "ray"] | None = None,
        on: Annotated[str | None, Arg(cli="--on CLUSTER")] = None,
    ) -> IngestReport:
        """Add files to a collection: PDF, Office and OpenDocument files, mails, web pages, images.

        Scans are read by text recognition; attachments of mails become separate documents. A file
        that cannot be read never stops the others; the report lists the result of each file. Known
        files are skipped, and changed ones updated; searches always find the old or the new
        version. When stopped, finished documents are kept. New files beyond the limit of the tier
        are left out, with the limit as the reason.

        Parameters
        ----------
        paths
            Files and folders to add.

            One or several; ``~`` is the home folder.
        force
            Add a file again even if it is already there.
        document_name
            Name of the document (one file only).
        copy_original
            Keep a copy of the file in the collection.

            ``None`` means as set in config.toml. Attachments are always kept, since they have no
            file.
        ocr, ocr_language
            Engine (one of :data:`OCR_ENGINES`) and languages (``deu+eng``) for scans and pictures;
            ``None`` means as set in config.toml.
        pipeline
            Processing of the files: a pipeline file or its name; see `casetrack schema
            --pipelines`.

            It becomes the collection's pipeline; ``admin.reindex(reparse=True)`` updates documents
            of another one.
        progress
            Called from this thread at least several times a second; or whether to show a bar, by
            default in a notebook or terminal if the collection was opened by
            :func:`casetrack.open`.
        cancel
            Set it to stop; finished documents are kept.
        engine
            ``ray`` reads the files on the machines of a cluster (``pip install 'casetrack[ray]'``);
            *paths* are then folders that all of them can read, or a bucket: ``s3://bucket/folder``.
        on
            Read the files on a cluster: local, auto, HOST:PORT or ray://HOST:PORT. PATH may then be
            a bucket, such as s3://bucket/folder.

            ``local`` starts a cluster on this computer, ``auto`` uses the one running here.

        Raises
        ------
        PipelineError
            There is no such pipeline, or its steps do not fit together; nothing was done.
        CollectionReadOnly
            The collection is closed or archived.
        ClusterUnreachable, ClusterDiffers
            The cluster cannot do this; nothing was done.
        ClusterFailed, CollectionBusy, StorageError, ModelError
            The batch cannot continue; committed documents are kept.

        Examples
        --------
        >>> report = collection.ingest("~/Contracts")  # doctest: +SKIP
        >>> report.to_polars().filter(pl.col("status") != "ingested")  # doctest: +SKIP
        """
        from casetrack.ingest.intake import ingest

        engine = engine or ("here" if on is None else "ray")
        engines = {} if engine == "here" else registered("engines")
        if engine != "here" and engine not in engines:
            raise UsageError(
                f"There is no engine {engine!r}.", hint='Use "here", or "ray" for a cluster.'
            )
        work: Callable[..., IngestReport] = ingest
        if engine != "here":
            work = partial(engines[engine], on=on or "local")
        return work(
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

    @operation(
        "sync",
        DELETES,
        tool="sync_folder",
        confirmed=False,
        work=Work("Syncing", "files", "sync", "Sync with {folder}", fills=True),
    )
    @shows_progress("Syncing")
    @raises_damage
    def sync(
        self,
        folder: Annotated[
            PathRef, Arg(cli="FOLDER", mcp="folder_path", note="Absolute", path=True)
        ],
        /,
        *,
        remove_deleted: Annotated[bool, Arg(cli="--remove-deleted")] = False,
        dry_run: Annotated[bool, Arg(cli="--dry-run")] = False,
        recursive: _Recursive = True,
        include: Annotated[
            Iterable[str] | None, Arg(cli="--include GLOB", note="gitignore patterns")
        ] = None,
        exclude: Annotated[
            Iterable[str] | None, Arg(cli="--exclude GLOB", note="gitignore patterns")
        ] = None,
        extensions: _Extensions = None,
        hidden: Annotated[bool, Arg(cli="--hidden", mcp="-")] = False,
        ignored: Annotated[bool, Arg(cli="--no-ignore", mcp="-")] = False,
        follow_links: Annotated[bool, Arg(cli="--follow-links", mcp="-")] = False,
        verify: Annotated[bool, Arg(cli="--verify", mcp="-")] = False,
        only: Iterable[str | Path] | None = None,
        force_removal: Annotated[bool, Arg(cli="--force-removal", mcp="-")] = False,
        document_type: _Type = None,
        passwords: _Passwords = (),
        ocr: _Ocr = None,
        ocr_language: _OcrLanguage = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> SyncReport:
        """Synchronise a collection with a folder and all its subfolders.

        New files are added, changed ones read again, and documents follow renamed or moved files.
        Documents whose file is gone are kept and reported, or removed on request. Files are
        compared by their content, so that no file is read twice. Run it again after changes; after
        a stop, the next run continues.

        Parameters
        ----------
        folder
            The folder to compare with.
        remove_deleted
            Remove documents whose file is gone.

            Otherwise they are reported as missing. Files excluded by other parameters, and those in
            unreadable folders, do not count as gone.
        dry_run
            Only show what would be done.
        include
            Only files that match, such as 'contracts/**'; may be repeated.

            Gitignore patterns relative to the folder: files must match one of *include*, if given,
            and none of *exclude*.
        exclude
            No files that match, such as drafts/; may be repeated.
        hidden
            Include hidden files and folders (names with a dot).
        ignored
            Include files that a .casetrackignore file excludes.
        follow_links
            Follow links that stay inside the folder.
        verify
            Compare the content of all files, also untouched ones.
        only
            Compare only these files and folders of the folder.
        force_removal
            With --remove-deleted, even if the folder is empty.
        progress
            Called from this thread with the current step, the work done and the total (0 if
            unknown); or whether to show a bar, see :meth:`ingest`.
        cancel
            Set it to stop; finished work is kept.

        Raises
        ------
        FileNotFound, WrongPathKind, FileUnreadable
            The folder does not exist, is a file, or cannot be listed; nothing was changed.
        FolderUnsafe
            The folder contains no file, and its documents would be removed.
        CollectionReadOnly, CollectionBusy, StorageError, ModelError
            The sync cannot continue; committed changes are kept.
        """
        from casetrack.keep.sync.run import sync

        return sync(
            self.workspace,
            folder,
            remove_deleted=remove_deleted,
            dry_run=dry_run,
            recursive=recursive,
            include=include or (),
            exclude=exclude or (),
            extensions=extensions,
            hidden=hidden,
            ignored=ignored,
            follow_links=follow_links,
            verify=verify,
            only=only,
            force_removal=force_removal,
            document_type=document_type,
            passwords=passwords,
            ocr=ocr,
            ocr_language=ocr_language,
            tell=listener(progress) or silent,
            cancel=cancel,
        )

    @shows_progress("Syncing")
    @raises_damage
    def sync_source(
        self,
        source: Source,
        /,
        *,
        full: bool = False,
        dry_run: bool = False,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: int | None = None,
        remove: bool = True,
        passwords: Sequence[str] = (),
        ocr: str | None = None,
        ocr_language: str | None = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> SyncReport:
        """Add new and changed items of a source, follow renamed ones, and remove the others.

        Items are compared by their id in the source and by the SHA-256 of their content; an item
        with a known change token is not fetched. An item that cannot be fetched keeps its document.
        Nothing is removed if the listing fails or is partial. Raises ``CollectionReadOnly``,
        ``CollectionBusy``, ``StorageError`` or ``ModelError`` if the sync cannot continue.

        Parameters
        ----------
        source
            See :func:`casetrack.keep.sources.open_source` and
            :class:`~casetrack.keep.sources.base.Source`.
        full
            Fetch and compare everything, read again the items of an earlier pipeline, and accept an
            empty listing.
        dry_run
            Change nothing, only report.
        since, until
            Only items last changed from *since* on and before *until*, with time zones.
        limit
            Only this many items, in the order of the listing.
        remove
            Remove documents of deleted items; otherwise report them as missing.
        passwords, ocr, ocr_language, progress, cancel
            See :meth:`ingest` and :meth:`sync`.

        Returns
        -------
        SyncReport
            Its ``problem`` is the reason if the source could not be listed completely.
        """
        from casetrack.keep.sync.source import sync_source

        return sync_source(
            self.workspace,
            source,
            full=full,
            dry_run=dry_run,
            since=since,
            until=until,
            limit=limit,
            remove=remove,
            passwords=passwords,
            ocr=ocr,
            ocr_language=ocr_language,
            tell=listener(progress) or silent,
            cancel=cancel,
        )

    def forget_source(self, name: str, /) -> SourceInfo:
        """Remove the documents and the sync state of a source such as ``git:platform``.

        A killed call can be repeated. Raises ``UsageError`` for an unknown source;
        ``CollectionReadOnly``, ``CollectionBusy`` or ``StorageError``.
        """
        from casetrack.keep.upkeep import forget_source

        return forget_source(self.workspace, name)

    @operation("sources", READS)
    def sources(self) -> RowList[SourceInfo]:
        """Return the sources of the documents by name, with the state of their last sync."""
        from casetrack.base.records.sync import SourceInfo
        from casetrack.store.source_states import source_infos

        return RowList(source_infos(self.folder, self.workspace.state().snapshot), of=SourceInfo)

    @overload
    def report(
        self,
        path: None = None,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> str: ...
    @overload
    def report(
        self,
        path: str | Path,
        /,
        *,
        pictures: bool = ...,
        made: datetime | None = ...,
        progress: Progress | bool | None = ...,
    ) -> Path: ...
    @shows_progress("Writing", stops=False)
    def report(
        self,
        path: str | Path | None = None,
        /,
        *,
        pictures: bool = True,
        made: datetime | None = None,
        progress: Progress | bool | None = None,
    ) -> str | Path:
        """Return a briefing of the collection as one page of HTML, or write it to a file.

        It has a short summary, then people, events, topics and amounts, the documents, how well
        they could be read, and refused files from the records of jobs. Every statement links to its
        passage, with the words highlighted on the page if it can be drawn. The page names the parts
        that the tier does not include. Raises ``UsageError`` if *path* does not end in ``.html``,
        its folder does not exist, or another file exists there; ``StorageError`` if it cannot be
        written.

        Parameters
        ----------
        path
            File to write, ending in ``.html``; only an older report is replaced.
        pictures
            Add pictures of pages; without them the file is small and quickly made.
        made
            Time in the report, by default now; apart from it, the same state of the collection, its
            files and its jobs gives the same page.
        progress
            Called from this thread with the current step, the work done and the total (0: unknown);
            ``True`` shows a bar, ``False`` none, by default in a notebook or terminal.
        """
        from casetrack.api.viewer.report import write_report

        return write_report(
            self.workspace, path, pictures=pictures, made=made, progress=listener(progress)
        )

    @operation(
        "documents",
        READS,
        tool="list_documents",
        sets=("core", "search", "legal"),
        most=EVERY,
        per_call=(200, 1000),
    )
    def documents(
        self,
        *,
        sort_by: Annotated[Literal["name", "date", "pages", "type"], Arg(cli="--sort")] = "date",
        tag: Annotated[str | None, Arg(cli="--tag TAG", mcp="-")] = None,
        starred: Annotated[bool, Arg(cli="--starred", mcp="-")] = False,
    ) -> RowList[Document]:
        """Return all documents, last added first; ``sort_by`` has other orders.

        Parameters
        ----------
        sort_by
            Sort order; date puts the newest first.

            ``pages`` puts the longest first; ``type`` sorts by type, then by name.
        tag
            Only documents with this tag.
        starred
            Only starred documents.

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
        one_of("sort_by", sort_by, keys)
        marked = self.marks.documents(tag=tag, starred=starred)
        records = self.workspace.ask(lambda state: list(state.snapshot.documents.values()))
        if marked is not None:
            records = [d for d in records if d.document_id in marked]
        return RowList(sorted(records, key=keys[sort_by]), of=Document)

    @operation("document", READS, tool="get_document", sets=("search", "legal"))
    def document(
        self, name_or_id: Annotated[DocumentRef, Arg(cli="NAME", mcp="document_name")], /
    ) -> Document:
        """Return the document of a name, a path, or an id (at least its first 8 characters).

        Parameters
        ----------
        name_or_id
            Name, path or ID of the document.

            A record is accepted too, here and in all methods; it is looked up again by its id.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None matches (similar names are suggested), or several do.
        """
        return self.workspace.ask(lambda state: state.document(name_or_id))

    @operation("delete", DELETES)
    @raises_damage
    def delete_document(
        self,
        name_or_id: Annotated[DocumentRef, Arg(cli="NAME")],
        /,
        *,
        secure: bool = False,
        exclude: Annotated[bool, Arg(cli="--exclude")] = False,
    ) -> Document:
        """Remove a document, its attachments and all data derived from it.

        The source file stays. The next sync of its folder adds it again, unless it is excluded.
        Raises ``UsageError`` if a part of another file cannot be excluded alone;
        ``CollectionReadOnly``, ``DocumentNotFound``, ``AmbiguousName``, ``CollectionBusy`` or
        ``StorageError``.

        Parameters
        ----------
        name_or_id
            Name, path or ID of the document.
        secure
            Remove it from every file at once, with all content deleted earlier and all named
            snapshots. Otherwise ``admin.upkeep`` removes it later.
        exclude
            Syncs skip its file until you ingest it by its path.

            No sync adds the file again, also after it is moved or changed, until it is ingested
            itself. ``admin.excluded`` lists such files.
        """
        from casetrack.keep.upkeep import delete_document

        return delete_document(self.workspace, name_or_id, secure=secure, exclude=exclude)

    @raises_damage
    def stats(self) -> CollectionStats:
        """Return counts of live documents, pages and chunks, and the bytes on disk."""
        from casetrack.api.collection.facts import counted_stats

        return self.workspace.ask(lambda state: counted_stats(self.folder, state.snapshot))

    def __enter__(self) -> Self:
        """Return the collection itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Free the memory; the next call opens the collection again."""
        self.workspace.forget()

    def __repr__(self) -> str:
        """Return name, size and place; only the place if the collection cannot be read."""
        try:
            name, stats = self.name, self.stats()
        except CaseTrackError as error:
            return f"<Collection at {self.folder}: {error.message}>"
        return (
            f"<Collection {name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )
