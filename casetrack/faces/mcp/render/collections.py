"""Collections and their documents as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.provenance import iso_utc
from casetrack.faces.mcp.render.pieces import counted, excerpt, size, table

if TYPE_CHECKING:
    from casetrack.base.records import CollectionInfo, CollectionStats

NEXT_STEP = "Ingest documents with ingest_document."
ACTIVE_NOW = "This is now your active collection."


def created(info: CollectionInfo, remembered: str = ACTIVE_NOW, /) -> str:
    """Return the answer of create_collection; *remembered* says whether it is active now."""
    return (
        f'Created collection "{info.name}" (ID: {info.id}).\n'
        f"Type: {info.type.capitalize()}\n"
        f"{remembered}\n\n"
        f"Next: {NEXT_STEP}"
    )


def sizes(stats: CollectionStats, /) -> str:
    """Return a collection's counts in one line."""
    return ", ".join(
        [
            counted(stats.document_count, "document"),
            counted(stats.page_count, "page"),
            counted(stats.chunk_count, "chunk"),
            size(stats.storage_bytes),
        ]
    )


def collection_line(
    info: CollectionInfo, stats: CollectionStats | None, problem: str, /, *, active: bool
) -> str:
    """Return one line of a list of collections."""
    mark = "* " if active else "- "
    amount = sizes(stats) if stats is not None else f"cannot be read: {problem}"
    tags = f" | tags: {excerpt(', '.join(info.tags))}" if info.tags else ""
    about = f" | {excerpt(info.description)}" if info.description else ""
    return (
        f"{mark}{info.name} (ID: {info.id}) | {info.type} | {info.status} | {amount}{tags}{about}"
    )


def collection_details(info: CollectionInfo, stats: CollectionStats, folder: str, /) -> str:
    """Return a collection's facts, one per line."""
    rows = [
        ("ID", info.id),
        ("Type", info.type),
        ("Status", info.status),
        ("Reference", info.reference),
        ("About", info.description),
        ("Tags", ", ".join(info.tags)),
        ("Documents", f"{stats.document_count:,}"),
        ("Pages", f"{stats.page_count:,}"),
        ("Chunks", f"{stats.chunk_count:,}"),
        ("Storage", size(stats.storage_bytes)),
        ("Folder", folder),
        ("Profile", info.profile),
        ("Pipeline", info.pipeline),
        ("Created", iso_utc(info.created_at)),
        ("Updated", iso_utc(info.updated_at)),
    ]
    return f"Collection: {info.name}\n\n{table(rows)}"


# Documents as text.
