"""Stored rows as cited passages: a chunk's text with its full provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.provenance import Provenance
from casetrack.records import Chunk

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pyarrow as pa

    from casetrack.store.datasets import Snapshot

_NOT_PROVENANCE = {"ingested_at", "document_name", "document_path"}
COLUMNS = (
    "text",
    "embedders",
    *sorted(Provenance.__dataclass_fields__.keys() - _NOT_PROVENANCE),
)
"""Columns of ``chunks`` that make a cited passage."""
PLACE_COLUMNS = tuple(sorted(set(COLUMNS) - {"text", "embedders", "line_boxes"}))
"""Those that make the source of a result: all but the text, and the boxes that highlight it."""
CITE_COLUMNS = (
    "document_id",
    "chunk_id",
    "page",
    "page_kind",
    "page_is_estimated",
    *(f"{part}_{end}" for part in ("paragraph", "line", "char") for end in ("start", "end")),
    "sheet_name",
    *(f"{part}_{end}" for part in ("row", "column") for end in ("start", "end")),
)
"""Those that a citation alone needs."""


def make_provenance(row: Mapping[str, Any], snapshot: Snapshot, /) -> Provenance:
    """Complete a row that holds at least ``PLACE_COLUMNS`` with its document's facts."""
    document = snapshot.documents[row["document_id"]]
    facts = {
        "document_name": document.name,
        "document_path": document.path,
        "ingested_at": document.ingested_at,
    }
    return Provenance.from_row({**row, **facts})


def make_chunks(table: pa.Table, snapshot: Snapshot, /) -> list[Chunk]:
    """Turn rows with ``COLUMNS`` into chunks in reading order, with their documents."""
    chunks = []
    for row in table.to_pylist():
        provenance = make_provenance(row, snapshot)
        count = snapshot.documents[row["document_id"]].chunk_count
        chunks.append(Chunk(row["text"], provenance, tuple(row["embedders"]), count))
    chunks.sort(key=lambda c: (c.provenance.document_id, c.provenance.chunk_index))
    return chunks
