"""Additions to a collection: files, folders and sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Literal

from casetrack.api.collection.progress import listener, shows_progress, silent
from casetrack.api.operation import ADDS, DELETES, READS, Arg, PathRef, Work, operation
from casetrack.base.config import OCR_ENGINES
from casetrack.base.errors import UsageError
from casetrack.base.records import DOCUMENT_TYPES, RowList
from casetrack.base.registry import registered
from casetrack.store.workspace import raises_damage

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable
    from datetime import datetime
    from pathlib import Path

    from casetrack.api.collection.progress import ProgressDisplay
    from casetrack.base.records import IngestProgress, IngestReport
    from casetrack.base.records.sync import SourceInfo, SyncReport
    from casetrack.keep.sources.base import Source
    from casetrack.store.workspace import Workspace

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


class Writing:
    """Additions to an open collection; a part of :class:`casetrack.Collection`."""

    workspace: Workspace
    _display: ProgressDisplay | None

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
        from casetrack.ingest.build import Options
        from casetrack.ingest.intake import check_document_type, own_folders, read_options
        from casetrack.ingest.walk import IGNORE_FILE, Rules, extension_set, patterns
        from casetrack.keep.sync.run import SyncOptions, sync

        settings = self.workspace.settings
        check_document_type(document_type, self.workspace.info.edition)
        if not dry_run:
            self.workspace.require_active()
        rules = Rules(
            recursive=recursive,
            extensions=extension_set(extensions),
            include=patterns(include or (), where="the files to include"),
            exclude=patterns(exclude or (), where="the files to exclude"),
            hidden=hidden,
            ignore_files=() if ignored else (IGNORE_FILE,),
            links="inside" if follow_links else "none",
            apart=own_folders(settings),
        )
        reading = read_options(settings, passwords, ocr, ocr_language)
        options = Options(False, document_type, None, settings.copy_originals)
        return sync(
            self.workspace,
            folder,
            rules,
            SyncOptions(reading, options, remove_deleted, dry_run),
            verify=verify,
            only=only,
            force_removal=force_removal,
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

        sources = source_infos(self.workspace.folder, self.workspace.state().snapshot)
        return RowList(sources, of=SourceInfo)
