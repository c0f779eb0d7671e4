"""The ledger of files that are missing or outdated in a collection: ``untaken.json``.

Every ingest and sync records the files that failed or were skipped, with reason, next step and
time. A file leaves the ledger when it is read, deleted, or no longer listed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import DuplicateDocument, FileNotFound, See
from casetrack.base.files import write_atomic
from casetrack.base.records.reports import FileOutcome, UntakenFile
from casetrack.base.records.shape import from_members
from casetrack.store.facts import sealed, unsealed
from casetrack.store.info import info_lock

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator
    from pathlib import Path

    from casetrack.base.records import Document
    from casetrack.base.records.sync import SyncChange

FILE = "untaken.json"
_FORMAT = 1
_STATUSES = ("failed", "skipped")
_READ = frozenset({"ingested", "partial", "new", "changed", "removed"})
UNFINISHED = "unfinished"
"""Code of the entry of a file or folder that is being added."""
LOST = "documents_lost"
"""Code of the entry for documents missing after a repair; it stays until as many exist again."""
DAMAGED = "ledger_damaged"
"""Code of the entry that reports a damaged ledger; the next run writes a new one."""


def note(
    folder: Path,
    results: Iterable[FileOutcome | SyncChange],
    /,
    *,
    present: Collection[str],
    source: str | None = None,
    is_over: Callable[[UntakenFile], bool] = lambda _: False,
    deleted: int = 0,
    stored: int = 0,
) -> None:
    """Record the outcomes of files of an ingest or a sync.

    Parameters
    ----------
    present
        Paths of the documents.
    source
        Name of the synced source.
    is_over
        Returns whether an earlier entry, which *results* does not name, is obsolete.
    stored
        Number of documents before an incomplete repair.
    """
    results = list(results)
    now = datetime.now(UTC)
    named = {result.path for result in results}
    deleted += sum(_status(result) == "removed" for result in results)
    read = {result.path for result in results if _status(result) in _READ}
    with info_lock(folder):
        entries = _read(folder)
        before = {
            file.path: replace(file, stored=max(file.stored - deleted, 0))
            for file in entries
            if file.code != DAMAGED
        }
        names = {_name(path) for path in named}
        kept = {
            path: file
            for path, file in before.items()
            if path not in named
            and not (file.elsewhere and _name(path) in names)
            and not is_over(file)
            and not (file.code == LOST and read and len(present) >= file.stored)
            and read.isdisjoint(_parents(path))
        }
        for result in results:
            copy = result.code == DuplicateDocument.code and result.path in present
            if _status(result) in _STATUSES and not copy and result.code != FileNotFound.code:
                file = _entry(result, source, now)
                earlier = before.get(file.path, file)
                file = replace(file, stored=max(stored, earlier.stored))
                # An ingest and a sync describe the same problem in different texts.
                same = (earlier.status, earlier.code) == (file.status, file.code)
                kept[file.path] = replace(file, since=earlier.since) if same else file
        if list(kept.values()) != entries:
            _write(folder, kept.values())


def begin(folder: Path, paths: Iterable[Path | str], /, *, source: str | None = None) -> None:
    """Record that files, folders, or items are being added, in case of an interruption."""
    message = "Adding it has not finished."
    hint = "If no program is adding files, add it again; finished documents are kept."
    marks = [FileOutcome(str(p), "failed", UNFINISHED, message, hint) for p in paths]
    note(folder, marks, present=(), source=source)


def end(
    folder: Path,
    paths: Collection[Path],
    results: Iterable[FileOutcome],
    /,
    *,
    present: Collection[str],
) -> None:
    """Record the outcomes of added files; the folders among *paths* were listed completely."""
    folders = {str(path) for path in paths}

    def is_over(file: UntakenFile) -> bool:
        listed = file.path in folders or not folders.isdisjoint(_parents(file.path))
        return listed and (file.code == UNFINISHED or os.path.isdir(file.path))  # noqa: PTH112

    note(folder, results, present=present, is_over=is_over)


def forget(folder: Path, paths: Collection[str], /) -> None:
    """Remove the entries of files whose documents the user deletes."""
    note(folder, (), present=(), is_over=lambda file: file.path in paths, deleted=len(paths))


def untaken(folder: Path, documents: Iterable[Document], /) -> tuple[UntakenFile, ...]:
    """Return the files that are missing or outdated in a collection, failed ones first."""
    files = _read(folder)
    if not files:
        return ()
    at = {document.path: document for document in documents}
    ids = {document.document_id for document in at.values()}
    files_left = [
        _without_twin(file)
        if file.code == DuplicateDocument.code and file.document_id not in ids
        else file
        for file in files
        if not _was_read(file, at.get(file.path)) and (file.elsewhere or not _is_deleted(file.path))
    ]
    return tuple(sorted(files_left, key=lambda f: (not f.failed, f.path)))


def carry(folder: Path, documents: Iterable[Document], target: Path, /) -> None:
    """Write the ledger for another computer, where only the names of files are valid."""
    files = [replace(file, elsewhere=True) for file in untaken(folder, documents)]
    if files:
        _write(target, (file for file in files if file.code != DAMAGED))


def _name(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[2]


def _was_read(file: UntakenFile, document: Document | None) -> bool:
    return document is not None and document.updated_at > file.since


def _without_twin(file: UntakenFile) -> UntakenFile:
    message = "The document that had the same content was deleted."
    return replace(file, message=message, hint="Add the file again.", document_id=None)


def _status(result: FileOutcome | SyncChange) -> str:
    return result.status if isinstance(result, FileOutcome) else result.kind


def _entry(result: FileOutcome | SyncChange, source: str | None, now: datetime) -> UntakenFile:
    status = "failed" if _status(result) == "failed" else "skipped"
    return from_members(UntakenFile, result, status=status, source=source, since=now)


def _parents(path: str) -> Iterator[str]:
    """Yield the parents of a path as text; its leaf may be an attachment or an item of a source."""
    for place, sign in enumerate(path):
        if sign in "/\\" and place:
            yield path[:place]


def _is_deleted(path: str) -> bool:
    """Return whether a file of this machine is gone; for an attachment, its container."""
    if not os.path.isabs(path):  # noqa: PTH117 - an item of a source
        return False
    while not os.path.lexists(path):
        parent = os.path.dirname(path)  # noqa: PTH120
        if os.path.isdir(parent) or parent == path:  # noqa: PTH112
            return True
        path = parent
    return False


def _read(folder: Path) -> list[UntakenFile]:
    """Return the entries; a damaged ledger has one entry that reports the damage."""
    path = folder / FILE
    try:
        raw = unsealed(path.read_bytes())
        if raw["format"] == _FORMAT:
            return [_from(**entry) for entry in raw["files"]]
        reason = f"it has the format {raw['format']}"
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError) as error:
        reason = str(error)
    message = f"The list of unread files cannot be read ({reason})."
    hint = (
        f"Run {See('ingest', 'PATH', force=True)} for its folders: files that fail are listed "
        "again."
    )
    now = datetime.now(UTC)
    return [UntakenFile(str(path), "failed", DAMAGED, message, hint, None, None, now)]


def _from(since: str, **entry: Any) -> UntakenFile:
    return UntakenFile(since=datetime.fromisoformat(since), **entry)


def _write(folder: Path, files: Iterable[UntakenFile]) -> None:
    entries = [
        {name: getattr(file, name) for name in UntakenFile.__slots__}
        | {"since": file.since.isoformat()}
        for file in files
    ]
    write_atomic(folder / FILE, sealed({"format": _FORMAT, "files": entries}))
