"""A collection: the one facade that the command line, MCP, SQL and Python use.

Reading never waits for writing: every call looks at the newest committed state. Ingesting and
deleting take the collection's write lock themselves.
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
    from types import TracebackType
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
        "Only in documents of this day, month or year and later, such as 2024-03-12: when their "
        "source last changed them, else by their own date, or that of the file.",
        "--since DATE",
        note="YYYY-MM-DD",
    ),
]
_Until = Annotated[DayRef | None, Arg("Only in documents of this date and before.", "--until DATE")]
_Sources = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents from this source, such as git:platform, or git for all of its kind; "
        "may be repeated.",
        "--source SOURCE",
    ),
]
_Paths = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents whose path fits, as in .gitignore: 'docs/**', '*.md', '!tests/'; may "
        "be repeated.",
        "--path GLOB",
        note="Globs",
    ),
]
_Languages = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only in documents in this language, such as de or German, of code Python; may be "
        "repeated.",
        "--language LANGUAGE",
    ),
]
_Mentions = Annotated[
    Iterable[str] | str | None,
    Arg(
        "Only passages that mention this person, organization or place; repeated, all of them.",
        "--mentions NAME",
    ),
]
_Recursive = Annotated[
    bool, Arg("Go into the folders of a folder.", "--recursive/--no-recursive", "-")
]
_Extensions = Annotated[
    Iterable[str] | str | None,
    Arg("Only these kinds, such as pdf; may be repeated.", "--ext EXT", "file_extensions"),
]
_Type = Annotated[
    str | None, Arg("Kind of new documents, such as contract.", "--type TYPE", words=DOCUMENT_TYPES)
]
_Passwords = Annotated[
    Sequence[str] | str,
    Arg("Opens protected files; may be repeated. Never stored.", "--password PASSWORD", "-"),
]
_Ocr = Annotated[
    str | None,
    Arg(f"How scans and pictures are read: {', '.join(OCR_ENGINES)}.", "--ocr ENGINE", "-"),
]
_OcrLanguage = Annotated[
    str | None, Arg("Languages of scans, such as eng or deu+eng.", "--ocr-language CODES", "-")
]


class Collection:
    """An open collection. Made by :class:`~casetrack.api.library.Library`, not directly.

    May be used from several threads. Nothing needs to be closed: a file is open only while it is
    read. As a context manager it lets go of what it keeps in memory at the end.

    Parameters
    ----------
    workspace
        The collection, as everything below the facade takes it.
    display
        Shows long work to a person; ``None`` keeps it silent.

    Attributes
    ----------
    workspace
        The same.
    read
        Reading on: passages, pages, the structure of documents.
    map
        Who, when, how much, what refers to what.
    marks
        The user's word: tags, stars, who is who, own events.
    admin
        The collection's facts, its earlier states, its health.
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
        """The collection's facts, read anew each time."""
        return self.workspace.info

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.workspace.name

    def _tell_of(self, action: str, words: str) -> None:
        """Tell the audit log of a question, where that is switched on."""
        if self.workspace.settings.audit_searches:
            audit.note(self.workspace.folder, action, detail=words)

    @operation("search", READS)
    def search(
        self,
        query: _Query,
        /,
        *,
        limit: Annotated[
            int, at_most("How many results at most.", le=1000, mcp_le=50, mcp_default=5)
        ] = 10,
        mode: Annotated[
            SearchMode | None,
            Arg(
                "By words, by meaning, by both, or by both with the best read word by word. "
                "[default: the fullest that the collection allows]",
                "--mode",
                note="Default: the best",
            ),
        ] = None,
        stages: Annotated[
            Sequence[str] | str | None,
            Arg(
                "Instead of a mode, the stages to use: bm25, semantic, sparse, maxsim, "
                "feedback, with commas between them.",
                "--stages NAMES",
                "-",
            ),
        ] = None,
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
                "List every passage by itself: also the same text again, and neighbours that "
                "share text.",
                "/--no-fold",
                "-",
            ),
        ] = True,
        fusion: FusionMethod = "zscore",
        related: Annotated[
            int,
            Arg(
                "Also show up to N passages connected with the results: they mention the same "
                "rare names, or mean nearly the same.",
                "--related N",
                note="More, linked by names",
                ge=0,
                le=20,
            ),
        ] = 0,
        min_relevance: Annotated[
            float | None,
            Arg(
                "Leave out results below this relevance. [default: show all]",
                "--min-relevance 0..1",
                ge=0,
                le=1,
            ),
        ] = None,
        vocabulary: Annotated[
            bool,
            Arg(
                "Only the words of the question, no other names for them.", "/--no-vocabulary", "-"
            ),
        ] = True,
    ) -> SearchResults:
        """Return the *limit* best passages, each with its source.

        Parameters
        ----------
        query
            A question or words.
        limit
            At most so many, 1 to 1,000: different places, unless *fold* is false.
        mode
            ``keyword`` (BM25), ``semantic`` (vectors), ``hybrid`` (both, and learned words where
            the profile has them) or ``full`` (hybrid, then the best read token by token);
            ``None`` means full as far as the collection and the tier allow; a note says what the
            collection lacks.
        stages
            Instead of a mode the stages by name: ``bm25``, ``semantic``, ``sparse``,
            ``maxsim``, ``feedback``.
        document, documents
            Only passages of this document, or of these: name, path or id, or the document itself.
        kinds
            Only documents of these kinds: types such as ``contract`` or ``report``, or formats such
            as ``pdf``.
        since, until
            Only documents of this time: a date, or text such as ``2024-03-12``, ``2024-03`` or
            ``2024``. The date of a document is when its source last changed it, or else its own
            (written, sent or last changed, by its own account), or else its file's; a note says
            for how many it is the file's.
        sources
            Only documents from these sources, such as ``git:platform``, or ``git`` for all of a
            kind; a file that was named by its path is from ``filesystem``.
        paths
            Only documents whose path fits these patterns, as in ``.gitignore``: ``docs/**``,
            ``*.md``, ``!tests/``. Each may begin at any folder.
        languages
            Only documents in these languages: ``de`` or ``German``; of source code ``Python``.
        mentions
            Only passages that mention these people, organisations or places, all of them: names,
            or ids of the view ``entities``.
        fold
            Whether passages that belong together (the same text, neighbours that share text) are
            one result; the others are listed in its ``also``.
        fusion
            How several signals are joined: ``zscore`` or ``rrf``.
        related
            Add up to so many passages that the graph connects with those found: they mention the
            same rare names, or mean nearly the same.
        vocabulary
            Whether other names of what the question says are looked for as well, from the
            vocabularies that fit the collection and the user's own.
        min_relevance
            Leave out results below this relevance, 0 to 1; a note says how many. By default all
            are shown, however little they have to do with the question.

        Raises
        ------
        UsageError
            The query is empty, or an argument does not fit.
        ModelNotFound
            *mode* asks for vectors and no model is installed.
        FreeTierLimit
            *mode* or *stages* ask for reranking, and the tier does not have it.
        DocumentNotFound, AmbiguousName
            There is no such document, or several bear the name.
        EntityNotFound
            Nothing bears a name that is to be mentioned.

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

        self._tell_of("searched", query)
        found = self.workspace.ask(searched)
        draw = partial(drawn, self.workspace.folder, self.workspace.settings)
        return replace(found, illustrate=draw)

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
        most: Annotated[int, at_most("How many values of each.", le=200, mcp_le=15)] = 8,
        waits: bool = True,
    ) -> Facets:
        """Return what all passages that fit a question can be narrowed by, and how many are left.

        Not only the best count, but all that hold enough of the question's words; see
        :mod:`casetrack.search.hits`.

        Parameters
        ----------
        query
            The question.
        documents, kinds, since, until, sources, paths, languages, mentions
            What they are narrowed by already; see :meth:`search`.
        shown
            Ids of chunks that count as well, such as those that were found by their meaning.
        most
            How many values of each.
        waits
            Whether it waits until all passages were read for the map; see :meth:`Map.lacking`.
            Otherwise people and organizations are left out until they were.

        Raises
        ------
        UsageError, DocumentNotFound, AmbiguousName, EntityNotFound
            The question is empty, or something that is asked is not there.
        """
        from casetrack.api.collection.facets import find_facets
        from casetrack.base.arguments import Filter

        where = Filter(documents, kinds, since, until, sources, paths, languages, mentions)
        return self.workspace.ask(
            lambda state: find_facets(state, query, where, shown=shown, most=most, waits=waits)
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

        Parameters
        ----------
        statement
            DuckDB SQL; :func:`catalog` lists what it may name. The functions
            ``search``, ``similar``, ``context`` and ``cite`` find what the methods of the same
            name find.
        params
            Values of parameters, which the statement writes as ``$name``.
        explain
            Return the plan and what was asked of the retrieval engine as well.
        exact
            Give days outside of the years 1 to 9999 and 24:00 o'clock as well, as Arrow holds
            them; Python has no type for them, and they are refused otherwise.
        control
            Stops the statement from another thread.

        Returns
        -------
        pyarrow.Table or QueryReport
            The rows; with *explain* how they came about as well.

        Raises
        ------
        QueryError
            See :func:`casetrack.search.query.run.run_query`.
        UsageError, ModelNotFound, FreeTierLimit
            What a retrieval function raises; see
            :meth:`~casetrack.api.collection.Collection.search`.

        Notes
        -----
        ``[sql]`` in ``config.toml`` limits time and memory. No limit reaches into a single call of
        a DuckDB function, such as ``repeat('x', 1000000000)`` or a list of ``range(200000000)``:
        it ends when it is done, with all the memory that it takes.
        ``casetrack query`` ends its own process then, which a library must not do.
        """
        from casetrack.search.query.run import ask

        self._tell_of("queried", statement)
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
        paths: Annotated[
            Iterable[PathRef] | PathRef, Arg("Files and folders to take in.", "PATH", path=True)
        ],
        /,
        *,
        recursive: _Recursive = True,
        extensions: _Extensions = None,
        force: Annotated[
            bool, Arg("Take a file in even if it is there already.", "--force")
        ] = False,
        document_type: _Type = None,
        document_name: Annotated[
            str | None, Arg("Call the document this (one file only).", "--name NAME")
        ] = None,
        copy_original: Annotated[
            bool | None,
            Arg("Keep a copy of the file in the collection.", "--copy-original/--no-copy-original"),
        ] = None,
        passwords: _Passwords = (),
        ocr: _Ocr = None,
        ocr_language: _OcrLanguage = None,
        pipeline: Annotated[
            PathRef | None,
            Arg(
                "What happens to the files: a pipeline file, or the name of one; see "
                "`casetrack schema --pipelines`.",
                "--pipeline FILE",
            ),
        ] = None,
        progress: Callable[[IngestProgress], None] | bool | None = None,
        cancel: threading.Event | None = None,
        engine: Literal["here", "ray"] | None = None,
        on: Annotated[
            str | None,
            Arg(
                "Read the files on a cluster: local, auto, HOST:PORT or ray://HOST:PORT. PATH may "
                "then be a bucket, such as s3://bucket/folder.",
                "--on CLUSTER",
            ),
        ] = None,
    ) -> IngestReport:
        """Take files into a collection: PDF, Office and OpenDocument files, mails, pages, images.

        Scans are read by text recognition, attachments of mails become documents of their own.
        A file that cannot be read never stops the others; the report says what happened to each.
        Files that are there already are skipped, changed ones are updated, without a moment in
        which neither is found. Stopped, it keeps every finished document. Where the tier has a
        limit, new files beyond it are left out, with the limit as the reason.

        Parameters
        ----------
        paths
            Files and folders, or one of them; ``~`` is the home folder.
        recursive, extensions
            How folders are walked, see :func:`casetrack.ingest.discover.discover`.
        force
            Ingest also content that is there already.
        document_type
            One of :data:`~casetrack.base.records.DOCUMENT_TYPES`.
        document_name
            Display name; only for a single file.
        copy_original
            Keep a copy of each file inside the collection; ``None`` means as set in config.toml.
            Attachments are always kept, since they have no file of their own.
        passwords
            Tried in order on protected files, one or many; never stored.
        ocr, ocr_language
            Engine (one of :data:`OCR_ENGINES`) and languages (``deu+eng``) for
            scans and pictures; ``None`` means as set in config.toml.
        pipeline
            Name or file of the pipeline that the collection uses from now on; ``None`` leaves it
            as it is. What another one has made is read anew by ``admin.reindex(reparse=True)``.
        progress
            Called from this thread as the batch goes on, at least several times a second. Or
            whether to show a bar: by default where a person looks on, if the collection was opened
            by :func:`casetrack.open`.
        cancel
            Set it to stop: finished documents are kept.
        engine
            ``ray`` reads the files on the machines of a cluster (``pip install 'casetrack[ray]'``);
            *paths* are then folders that all of them see, or a bucket: ``s3://bucket/folder``.
        on
            Which cluster, instead of this process: ``local`` starts one on this computer for this
            work, ``auto`` is one that runs here, ``HOST:PORT`` or ``ray://HOST:PORT`` another one.

        Raises
        ------
        UsageError
            An argument does not fit.
        PipelineError
            There is no such pipeline, or it does not hold together; nothing was done.
        CollectionReadOnly
            The collection is closed or archived.
        ClusterUnreachable, ClusterDiffers
            The cluster cannot do this; nothing was done.
        ClusterFailed
            It stopped working; what was committed stays.
        CollectionBusy, StorageError, ModelError
            The batch as a whole cannot go on; what was committed stays.

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
            PathRef,
            Arg("The folder to compare with.", "FOLDER", "folder_path", "Absolute", path=True),
        ],
        /,
        *,
        remove_deleted: Annotated[
            bool, Arg("Remove documents whose file is gone.", "--remove-deleted")
        ] = False,
        dry_run: Annotated[bool, Arg("Only say what would be done.", "--dry-run")] = False,
        recursive: _Recursive = True,
        include: Annotated[
            Iterable[str] | None,
            Arg(
                "Only files that fit, such as 'contracts/**'; may be repeated.",
                "--include GLOB",
                note="gitignore patterns",
            ),
        ] = None,
        exclude: Annotated[
            Iterable[str] | None,
            Arg(
                "Not what fits, such as drafts/; may be repeated.",
                "--exclude GLOB",
                note="gitignore patterns",
            ),
        ] = None,
        extensions: _Extensions = None,
        hidden: Annotated[
            bool, Arg("Also files and folders that begin with a dot.", "--hidden", "-")
        ] = False,
        ignored: Annotated[
            bool, Arg("Also what a .casetrackignore file leaves out.", "--no-ignore", "-")
        ] = False,
        follow_links: Annotated[
            bool, Arg("Follow links that stay inside the folder.", "--follow-links", "-")
        ] = False,
        verify: Annotated[
            bool, Arg("Compare the content of files left untouched, too.", "--verify", "-")
        ] = False,
        only: Iterable[str | Path] | None = None,
        force_removal: Annotated[
            bool,
            Arg("With --remove-deleted, even where the folder is empty.", "--force-removal", "-"),
        ] = False,
        document_type: _Type = None,
        passwords: _Passwords = (),
        ocr: _Ocr = None,
        ocr_language: _OcrLanguage = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> SyncReport:
        """Bring a collection in step with a folder and all folders below it.

        New files are taken in, changed ones read again, and documents follow files that were
        renamed or moved. Documents whose file is gone are kept and named, or removed where that is
        asked for. Files are told apart by their content, so that nothing is read twice. Run it
        whenever something has changed; stopped or killed, the next run goes on.

        Parameters
        ----------
        folder
            The folder.
        remove_deleted
            Remove documents whose file below the folder is gone, with their attachments. Otherwise
            they are reported as missing and kept. Files that the other parameters leave out, and
            those in folders that cannot be read, are never taken for gone.
        dry_run
            Change nothing; the report says what would be done.
        recursive
            Whether folders below the folder are looked at.
        include, exclude
            Patterns in the syntax of gitignore, relative to the folder: take only files that fit
            one of the first, where there is one, and none that fits the second.
        extensions
            Only files with these, such as ``["pdf", ".docx"]``.
        hidden
            Take also files and folders whose names begin with a dot.
        ignored
            Take also what a ``.casetrackignore`` file in the folder or below leaves out.
        follow_links
            Follow symbolic links that stay inside the folder.
        verify
            Read every file to compare it, also those that were not touched since the last sync.
        only
            Look no further than at these files and folders in the folder.
        force_removal
            Remove all documents even where the folder holds no file any more.
        document_type
            Of new files: one of :data:`~casetrack.base.records.DOCUMENT_TYPES`.
        passwords, ocr, ocr_language
            How files are read, see :meth:`ingest`.
        progress
            Called from this thread with what is being done, how much is done, and of how much (0
            where that is not known yet). Or whether to show a bar, see :meth:`ingest`.
        cancel
            Set it to stop: what is finished is kept.

        Raises
        ------
        FileNotFound, WrongPathKind, FileUnreadable
            The folder is not there, is a file, or cannot be listed. Nothing was changed.
        FolderUnsafe
            The folder holds no file at all, and documents from it would be removed.
        UsageError
            An argument does not fit.
        CollectionReadOnly, CollectionBusy, StorageError, ModelError
            The sync cannot go on; what was committed stays.
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
        """Take in what is new or has changed at a source, follow what was renamed, remove the rest.

        Items are compared by what the source calls them and by the SHA-256 of their content; one
        whose change token is known is not fetched. An item that cannot be had keeps its document.
        Where the listing fails, or not all of it is looked at, nothing is removed.

        Parameters
        ----------
        source
            Made by :func:`casetrack.keep.sources.open_source`, or anything that is a
            :class:`~casetrack.keep.sources.base.Source`.
        full
            Fetch and compare everything, whatever is known; read again what an earlier pipeline has
            read or cut otherwise; and believe a listing that is empty.
        dry_run
            Change nothing; the report says what would be done.
        since, until
            Only items that were last changed from then on, and before then, with time zones.
        limit
            Only so many items, the first of the listing.
        remove
            Remove documents whose items are gone; otherwise they are reported as missing.
        passwords, ocr, ocr_language
            How files are read, see :meth:`ingest`.
        progress, cancel
            See :meth:`sync`.

        Returns
        -------
        SyncReport
            Its ``problem`` says why the source could not be listed to its end, where that is so.

        Raises
        ------
        UsageError
            An argument does not fit.
        CollectionReadOnly, CollectionBusy, StorageError, ModelError
            The sync cannot go on; what was committed stays.
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

    @operation("sources", READS)
    def sources(self) -> RowList[SourceInfo]:
        """Return the sources that documents came through, by name, and how far each is in step."""
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

        It says in a few sentences what the collection is, then who, when, about what and how
        much, which documents there are, how well they could be read, and which files were refused
        as far as the records of jobs tell. Every statement leads to its passage, with the words
        highlighted on the page where that can be drawn. What the tier does not have is left out,
        and the page says so.

        Parameters
        ----------
        path
            File to write, ending in ``.html``; an older report is replaced, nothing else is.
        pictures
            Whether pages are pictured; without them the file is small and quickly made.
        made
            What stands in it as the time it was made; now where it is not given. But for that
            the same state of a collection, of its files and of its jobs gives the same page.
        progress
            Called from this thread with what is being done, how much is done, and of how much
            (0: not known yet). ``True`` shows a bar, ``False`` none; without it one is shown where
            a person looks on.

        Returns
        -------
        str or Path
            The page; where it was written, the absolute path of the file.

        Raises
        ------
        UsageError
            *path* does not end in ``.html``, its folder does not exist, or something else is there.
        StorageError
            It cannot be written.
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
        sort_by: Annotated[
            Literal["name", "date", "pages", "type"],
            Arg("What to sort by; date puts the newest first.", "--sort"),
        ] = "date",
        tag: Annotated[
            str | None, Arg("Only those that you have tagged so.", "--tag TAG", "-")
        ] = None,
        starred: Annotated[
            bool, Arg("Only those that you have starred.", "--starred", "-")
        ] = False,
    ) -> RowList[Document]:
        """Return all documents, those that came in last first; ``sort_by`` has other orders.

        Parameters
        ----------
        sort_by
            ``date`` (what came in last is first), ``name``, ``pages`` (the longest first) or
            ``type`` (by type, then by name).
        tag
            Only those with this tag of the user's, on the whole or on a passage; letter case aside.
        starred
            Only those with a star of the user's, on the whole or on a passage.

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
        found = self.workspace.ask(lambda state: list(state.snapshot.documents.values()))
        if marked is not None:
            found = [d for d in found if d.document_id in marked]
        return RowList(sorted(found, key=keys[sort_by]), of=Document)

    @operation("document", READS, tool="get_document", sets=("search", "legal"))
    def document(
        self,
        name_or_id: Annotated[
            DocumentRef, Arg("Name, path or ID of the document.", "NAME", "document_name")
        ],
        /,
    ) -> Document:
        """Return the document of a name, a path, or an id (its first 8 characters are enough).

        Wherever a method asks for a document, a document itself will do as well: it is looked up
        by its id, and comes back as it is now.

        Raises
        ------
        DocumentNotFound, AmbiguousName
            None fits (near names are suggested), or several do.
        """
        return self.workspace.ask(lambda state: state.document(name_or_id))

    @raises_damage
    def delete_document(
        self, name_or_id: DocumentRef, /, *, secure: bool = False, exclude: bool = False
    ) -> Document:
        """Remove a document, what is attached to it and everything made from it.

        The source file stays where it is. Where that is a folder that is synced, the next sync
        takes it in again, unless it is excluded.

        Parameters
        ----------
        name_or_id
            As for :meth:`document`.
        secure
            Take it out of every file at once, and all that was deleted earlier; named snapshots
            are removed, too. Otherwise ``admin.upkeep`` does the former later. See there.
        exclude
            Keep the file out for good: no sync and no folder takes it in again, also where it
            was moved or changed, until the file itself is ingested. ``admin.excluded`` lists such
            files.

        Raises
        ------
        CollectionReadOnly, DocumentNotFound, AmbiguousName, CollectionBusy, StorageError
        UsageError
            What is inside another file cannot be excluded by itself; nothing was deleted.
        """
        from casetrack.keep.upkeep import delete_document

        return delete_document(self.workspace, name_or_id, secure=secure, exclude=exclude)

    @raises_damage
    def stats(self) -> CollectionStats:
        """Return counts of live documents, pages and chunks, and the bytes on disk."""
        from casetrack.api.collection.facts import counted_stats

        return self.workspace.ask(lambda state: counted_stats(self.folder, state.snapshot))

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
        /,
    ) -> None:
        """Let go of what it keeps in memory; the next call opens it anew."""
        self.workspace.forget()

    def __repr__(self) -> str:
        """Return name, size and place; of one that cannot be read any more, only the place."""
        try:
            name, stats = self.name, self.stats()
        except CaseTrackError as error:
            return f"<Collection at {self.folder}: {error.message}>"
        return (
            f"<Collection {name!r}: {stats.document_count} documents, "
            f"{stats.page_count} pages, {stats.chunk_count} chunks; {self.folder}>"
        )
