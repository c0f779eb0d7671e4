"""Collections as an analyst opens them: with progress, and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.api.library import Library
from casetrack.base.errors import CaseTrackError
from casetrack.base.records import CollectionEntry, Rows
from casetrack.faces.notebook.progress import show_work

if TYPE_CHECKING:
    from pathlib import Path

    from casetrack.api.collection import Collection
    from casetrack.base.records import CollectionInfo


def open_collection(name: str, /, *, data_dir: str | Path | None) -> Collection:
    """Open a collection that shows its long work; see :func:`casetrack.open`."""
    return Library.open(data_dir, display=show_work).get(name)


def create_collection(name: str, /, *, data_dir: str | Path | None, **facts: Any) -> Collection:
    """Make a collection that shows its long work; see :func:`casetrack.create`."""
    return Library.open(data_dir, display=show_work).create(name, **facts)


def list_collections(*, data_dir: str | Path | None) -> Rows[CollectionEntry]:
    """Return all collections of a data folder; see :func:`casetrack.collections`."""
    library = Library.open(data_dir)
    entries = [_entry(library, info) for info in library.collections()]
    entries += [_damaged(folder.name, reason) for folder, reason in library.damaged()]
    return Rows(entries, of=CollectionEntry)


def _entry(library: Library, info: CollectionInfo) -> CollectionEntry:
    stats, problem = None, ""
    try:
        stats = library.stats(info)
    except CaseTrackError as error:
        # One that cannot be opened must not hide the others; the table says why.
        problem = f"{error.message} {error.hint}".strip()
    return CollectionEntry(
        id=info.id,
        name=info.name,
        status=info.status,
        type=info.type,
        description=info.description,
        reference=info.reference,
        tags=info.tags,
        profile=info.profile,
        documents=stats.document_count if stats else None,
        pages=stats.page_count if stats else None,
        chunks=stats.chunk_count if stats else None,
        storage_bytes=stats.storage_bytes if stats else None,
        created_at=info.created_at,
        updated_at=info.updated_at,
        problem=problem,
    )


def _damaged(folder: str, reason: str) -> CollectionEntry:
    """Return the line of a folder that cannot be read; its name is all that is known."""
    return CollectionEntry(
        id=folder,
        name=folder,
        status="damaged",
        type="other",
        description=None,
        reference=None,
        tags=(),
        profile=None,
        documents=None,
        pages=None,
        chunks=None,
        storage_bytes=None,
        created_at=None,
        updated_at=None,
        problem=f"{reason} Run `casetrack doctor` for details.",
    )
