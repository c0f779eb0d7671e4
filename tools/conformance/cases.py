"""A data folder to ask about, and one call of every tool that fits it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from casetrack.api.library import Library
from casetrack.base.config import load_settings

if TYPE_CHECKING:
    from pathlib import Path

ROW = tuple[str, dict[str, Any]]
FILES = {
    "Agreement.md": "# Vendor Agreement\n\nAcme Corp shall pay Globex Inc. $5,000.00 within thirty "
    "(30) days, by March 1, 2024. See Section 4.2 and ISO 9001:2015.\n\n# Term\n\nEither party may "
    "terminate this agreement with ninety days notice.\n",
    "Reminder.txt": "On 2024-04-02 John Smith of Acme Corp wrote to Globex Inc. that the payment "
    "is overdue; see Agreement.md, Section 4.2.\n",
    "Notes.txt": "The payment of Acme Corp to Globex Inc. is late by thirty days.\n",
}


@dataclass(frozen=True, slots=True)
class Ground:
    """Data folder, folder of its documents, and the ids that calls use.

    ``document`` contains ``chunk``; the pages of ``pdf`` can be drawn.
    """

    data: Path
    files: Path
    chunk: str
    document: str
    collection: str
    pdf: str


def lay_out(root: Path, sample: Path, models: Path, /) -> Ground:
    """Make the collection "Acme" below *root*; *sample* is a PDF of one page or more."""
    files = root / "files"
    (files / "more").mkdir(parents=True)
    for name, text in FILES.items():
        (files / name).write_text(text, encoding="utf-8")
    (files / "more" / "Late.txt").write_text("A letter that came late.\n", encoding="utf-8")
    (files / sample.name).write_bytes(sample.read_bytes())
    library = Library(replace(load_settings(root / "data"), models_dir=models))
    acme = library.create("Acme")
    acme.ingest([files / name for name in (*FILES, sample.name)])
    chunk = acme.read.chunks("Agreement.md")[0]
    document = acme.document("Agreement.md")
    return Ground(
        root / "data", files, chunk.chunk_id, document.document_id, acme.info.id, sample.name
    )


def readings(ground: Ground, /) -> list[ROW]:
    """Return a call of every tool that only reads."""
    acme = {"collection": "Acme"}
    chunk = acme | {"chunk_id": ground.chunk}
    agreement = acme | {"document_name": "Agreement.md"}
    return [
        ("list_collections", {}),
        ("switch_collection", {"collection_name": "Acme"}),
        ("get_collection_info", acme),
        ("get_status", {}),
        ("get_index_status", acme),
        ("get_job_status", {}),
        ("list_watches", {}),
        ("list_documents", acme),
        ("get_document", agreement),
        ("get_document_structure", agreement),
        ("search_documents", acme | {"query": "payment", "top_k": 3}),
        ("get_chunk", chunk),
        ("get_document_chunks", agreement),
        ("get_source_context", chunk),
        ("get_page_image", acme | {"document_name": ground.pdf, "page": 1}),
        ("get_collection_summary", acme),
        ("get_collection_timeline", acme),
        ("get_collection_statistics", acme),
        ("find_document_clusters", acme),
        ("find_entity", acme | {"entity": "Acme Corp"}),
        ("list_entities", acme),
        ("get_entity_mentions", acme | {"entity_name": "Acme Corp"}),
        ("search_entity_relationships", acme | {"entities": ["Acme Corp", "Globex Inc."]}),
        ("get_entity_graph", acme | {"entity_name": "Acme Corp"}),
        ("list_references", acme),
        ("get_reference_citations", acme | {"reference": "Section 4.2"}),
        ("find_related_documents", agreement),
        ("get_related_documents", agreement),
        ("list_documents_by_type", acme | {"document_type": "contract"}),
        (
            "compare_documents",
            acme | {"document_a": "Agreement.md", "document_b": "Notes.txt", "topic": "payment"},
        ),
        ("browse_pages", agreement | {"start_page": 1, "end_page": 1}),
        ("traverse_chunks", acme | {"start_chunk_id": ground.chunk}),
        ("search_similar_chunks", chunk | {"min_similarity": 0.0}),
        ("list_marks", acme),
        ("find_amounts", acme | {"min_value": 1000}),
        ("compare_versions", acme | {"before": "Notes.txt", "after": "Reminder.txt"}),
        ("query", acme | {"sql": "SELECT document_name, page FROM chunks LIMIT 3"}),
    ]


def writings(ground: Ground, own: str, /) -> list[ROW]:
    """Return a successful call of every writing tool, in order.

    The calls create the collection *own* and delete it at the end.
    """
    mine = {"collection": own}
    folder = mine | {"folder_path": str(ground.files / "more")}
    notes = mine | {"document_name": "Notes.txt"}
    return [
        ("create_collection", {"name": own}),
        ("update_collection", mine | {"description": "For a test", "add_tags": ["test"]}),
        ("ingest_document", mine | {"file_path": str(ground.files / "Notes.txt")}),
        ("ingest_folder", folder),
        ("sync_folder", folder),
        ("watch_folder", folder | {"schedule": "manual"}),
        ("set_sync_schedule", folder | {"schedule": "hourly"}),
        ("unwatch_folder", folder),
        ("reindex_document", notes),
        ("reindex_collection", mine | {"confirm": True, "skip_unchanged": True}),
        ("export_collection", mine),
        ("mark", mine | {"action": "star", "target": "Notes.txt"}),
        ("delete_document", notes | {"confirm": True}),
        ("close_collection", {"collection_name": own}),
        ("reopen_collection", {"collection_name": own}),
        ("archive_collection", {"collection_name": own}),
        ("delete_collection", {"collection_name": own, "confirm": True}),
    ]


# Calls that must fail, and a part of the message of each.
REFUSALS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("cancel_job", {"job_id": "j-00000000"}, "There is no job"),
    ("search_documents", {"query": "", "collection": "Acme"}, "query"),
    ("get_chunk", {"chunk_id": "none", "collection": "Acme"}, "Chunk not found"),
)
