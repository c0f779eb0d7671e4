"""Counts of a collection: documents, pages, who and what is in it, what connects it."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from casetrack.answers.rows import among, counted
from casetrack.provenance import iso_utc
from casetrack.records.graph import ENTITY_KINDS, CollectionStatistics

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph

_UNKNOWN = "unknown"


def statistics(
    source: ContextGraph,
    /,
    *,
    storage_bytes: int,
    coverage: Mapping[str, float] | None = None,
    notes: Sequence[str] = (),
) -> CollectionStatistics:
    """Count what is in a collection.

    Parameters
    ----------
    storage_bytes
        Bytes of everything in its folder.
    coverage
        Share of chunks with each output of the models, 0..1; that of the dense vectors is counted
        here.
    notes
        What else the reader should know of the numbers.
    """
    documents = source.documents
    vectors = source.chunk_vectors()
    chunks = len(vectors.ids)
    dense = float(np.count_nonzero(vectors.scales) / chunks) if chunks else 0.0
    mentions = counted(source.table("mentions"))
    citations = counted(source.table("citations"))
    partial = sum(bool(d.missing) for d in documents)
    return CollectionStatistics(
        collection=source.info.name,
        document_count=len(documents),
        page_count=sum(d.page_count for d in documents),
        chunk_count=chunks,
        storage_bytes=storage_bytes,
        document_types=tally(d.document_type for d in documents),
        file_formats=tally(d.format for d in documents),
        languages=tally(d.language for d in documents),
        extraction_methods=tally(d.extraction_method for d in documents),
        entity_counts=_by_kind(source.table("entities")),
        mention_count=mentions.num_rows,
        reference_counts=tally(source.table("references")["type"].to_pylist()),
        citation_count=int(pc.sum(citations["resolved"]).as_py() or 0),
        edge_counts=tally(
            among(source.edges("document"), "source_kind", ["document"])["type"].to_pylist()
        ),
        embedder_coverage={"dense": dense, **(coverage or {})},
        partial_documents=partial,
        pages_without_text=sum(d.pages_without_text for d in documents),
        ocr_pages=sum(d.ocr_pages for d in documents),
        last_updated=iso_utc(max((d.updated_at for d in documents), default=None)),
        notes=(*notes, *_notes(partial, dense, chunks)),
    )


def tally(values: Iterable[str | None], /) -> dict[str, int]:
    """Count values, the most frequent first; ``unknown`` for none."""
    counts = Counter(v or _UNKNOWN for v in values)
    return dict(sorted(counts.items(), key=lambda c: (-c[1], c[0])))


def _by_kind(entities: pa.Table) -> dict[str, int]:
    counts = Counter(entities["kind"].to_pylist())
    return {kind: counts[kind] for kind in ENTITY_KINDS}


def _notes(partial: int, dense: float, chunks: int) -> list[str]:
    notes = []
    if partial:
        some = "1 document was" if partial == 1 else f"{partial} documents were"
        notes.append(f"{some} read in part only; what could not be read is not counted.")
    if chunks and dense < 1:
        notes.append(
            f"{round((1 - dense) * chunks)} of {chunks} passages have no vector; "
            "they are not compared by meaning."
        )
    return notes
