"""What has become of the files that documents were read from."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.base.errors import CaseTrackError
from casetrack.ingest.discover import FoundFile, Origin
from casetrack.ingest.plan import file_facts
from casetrack.store.originals import copy_of
from casetrack.store.rebuild import is_made_from_passages

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from casetrack.base.records import Document
    from casetrack.base.records.index_status import SourceState

_CLOCK_SECONDS = 2e-6
"""Times are stored in whole microseconds."""


def root_of(document: Document, documents: Mapping[str, Document], /) -> Document:
    """Return the document of the file that lies on disk: a mail for what is attached to it.

    Parameters
    ----------
    document
        A document.
    documents
        All documents of the collection by id. Where one that contains it is not among them, the
        last one that is there is returned.
    """
    seen = set[str]()
    while document.document_id not in seen:
        seen.add(document.document_id)
        document = documents.get(document.parent_id or "", document)
    return document


def source_file(document: Document, /) -> Path | None:
    """Return the file that a document is read from: its own, or the one that it was inside of."""
    for path in (Path(document.path), *Path(document.path).parents):
        try:
            if path.is_file():
                return path
        except OSError:
            # A folder on the way may be closed to us; a name may be too long for this system.
            continue
    return None


def is_inside(document: Document, /) -> bool:
    """Return whether a document has no file of its own: it came with another, or was fetched."""
    if document.is_remote or document.parent_id is not None:
        return True
    return Path(document.path).parent.is_file()


def kept_file(folder: Path, document: Document, /, *, fetched: bool = True) -> FoundFile | None:
    """Return the collection's copy of what was fetched as a file to read again, if it is whole.

    Parameters
    ----------
    folder
        The collection's.
    document
        One with a file of its own, see :func:`root_of`.
    fetched
        Only the copy of what was fetched; else also that of a file of this machine.
    """
    if (fetched and not document.is_remote) or document.parent_id or not document.original_copy:
        return None
    path = copy_of(folder, document.original_copy)
    try:
        is_whole = file_facts(path).hash == document.file_hash or is_made_from_passages(document)
    except CaseTrackError:
        return None
    if not is_whole:
        return None
    known = document.document_id
    return FoundFile(path, named=False, known_as=known, origin=Origin.of(document))


def source_state(
    document: Document, /, *, may_read: Callable[[int], bool] = lambda _size: True
) -> SourceState:
    """Compare a document's own file with what was read from it.

    A file of the same size and time counts as unchanged; else its content decides. What was fetched
    from a source is as it was: only a sync knows better.

    Parameters
    ----------
    document
        One with a file of its own, see :func:`root_of`.
    may_read
        Asked with a file's size, in bytes, before it is read because its time alone differs; where
        it must not be read, it is ``untested``.
    """
    if document.is_remote:
        return "unchanged"
    try:
        # Ten thousand of these are asked for at once; a Path costs more than the answer.
        found = os.stat(document.path)  # noqa: PTH116
    except (FileNotFoundError, NotADirectoryError):
        return "missing"
    except (OSError, ValueError):
        return "unreadable"
    if found.st_size != document.file_size:
        return "changed"
    if abs(found.st_mtime - document.file_modified_at.timestamp()) <= _CLOCK_SECONDS:
        return "unchanged"
    if not may_read(found.st_size):
        return "untested"
    try:
        same = file_facts(Path(document.path)).hash == document.file_hash
    except CaseTrackError:
        return "unreadable"
    return "unchanged" if same else "changed"
