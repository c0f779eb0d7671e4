"""Bringing a collection in step with a folder."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from casetrack.collection.attending import attended, listener
from casetrack.collection.contents import Contents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from casetrack.records.sync import SyncReport


class Syncing(Contents):
    """Syncing with folders."""

    @attended("Syncing")
    def sync(
        self,
        folder: str | Path,
        /,
        *,
        remove_deleted: bool = False,
        dry_run: bool = False,
        recursive: bool = True,
        include: Iterable[str] = (),
        exclude: Iterable[str] = (),
        extensions: Iterable[str] | None = None,
        hidden: bool = False,
        ignored: bool = False,
        follow_links: bool = False,
        verify: bool = False,
        only: Iterable[str | Path] | None = None,
        force_removal: bool = False,
        document_type: str | None = None,
        passwords: Sequence[str] = (),
        ocr: str | None = None,
        ocr_language: str | None = None,
        progress: Callable[[str, int, int], None] | bool | None = None,
        cancel: threading.Event | None = None,
    ) -> SyncReport:
        """Take in what is new or has changed in a folder, and follow what has moved.

        Files are compared by path and by the SHA-256 of their content. A document whose file was
        renamed or moved keeps its id, its text and its vectors. Stopped or killed, the collection
        is whole, and the next sync goes on.

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
            Of new files: one of :data:`~casetrack.records.DOCUMENT_TYPES`.
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
        from casetrack.config import resolve_path
        from casetrack.ingest.intake import check_document_type, own_folders, read_options
        from casetrack.ingest.take import Options
        from casetrack.ingest.walk import Rules, extension_set, patterns
        from casetrack.sync.run import Wish, sync

        check_document_type(document_type)
        if not dry_run:
            self.require_active()
        rules = Rules(
            recursive=recursive,
            extensions=extension_set(extensions),
            include=patterns(include, where="the files to include"),
            exclude=patterns(exclude, where="the files to exclude"),
            hidden=hidden,
            ignored=ignored,
            links="inside" if follow_links else "none",
            apart=own_folders(self.settings),
        )
        wish = Wish(
            rules=rules,
            reading=read_options(self.settings, passwords, ocr, ocr_language),
            options=Options(False, document_type, None, self.settings.copy_originals),
            remove_deleted=remove_deleted,
            dry_run=dry_run,
            verify=verify,
            only=None if only is None else tuple(resolve_path(path) for path in only),
            force_removal=force_removal,
        )
        return sync(
            self.workspace,
            resolve_path(folder),
            wish,
            tell=listener(progress) or (lambda _what, _done, _total: None),
            cancel=cancel or threading.Event(),
        )
