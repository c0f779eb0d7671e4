"""A document's table of contents, from the paragraphs of its chunks."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pyarrow.compute as pc

from casetrack.base.records import DocumentStructure, Section
from casetrack.parse.workers.messages import heading_title
from casetrack.store.passages import PLACE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from casetrack.base.records import Document
    from casetrack.store.datasets import Snapshot


def structure_of(snapshot: Snapshot, document: Document, /) -> DocumentStructure:
    """Return the headings of a document in reading order, and its kinds of paragraphs.

    A paragraph in several chunks counts once; a heading belongs to the first chunk with all of it.
    """
    columns = [*PLACE_COLUMNS, "text", "paragraphs"]
    rows = snapshot.scan(columns, revisions=[document.revision]).to_pylist()
    rows.sort(key=lambda row: row["chunk_index"])
    kinds: dict[tuple[int, int], str] = {}
    sections: dict[tuple[int, int], Section] = {}
    for row in rows:
        for paragraph in row["paragraphs"] or ():
            place = (row["page"], paragraph["number"])
            kinds.setdefault(place, paragraph["kind"])
            held = row["char_start"] <= paragraph["start"] and paragraph["end"] <= row["char_end"]
            if paragraph["kind"] == "heading" and place not in sections and held:
                sections[place] = _section(row, paragraph, snapshot)
    ledger = snapshot.documents.table
    inside = ledger.filter(pc.equal(ledger["parent_id"], document.document_id))
    attached = [snapshot.documents[d] for d in inside["document_id"].to_pylist()]
    return DocumentStructure(
        document,
        tuple(section for _, section in sorted(sections.items())),
        dict(Counter(kinds.values()).most_common()),
        tuple(sorted(attached, key=lambda d: d.path)),
    )


def _section(row: dict[str, Any], paragraph: dict[str, Any], snapshot: Snapshot) -> Section:
    first = row["char_start"]
    title = row["text"][paragraph["start"] - first : paragraph["end"] - first]
    return Section(
        level=paragraph["level"] or 1,
        title=heading_title(title) or " ".join(title.split()),
        page=row["page"],
        paragraph=paragraph["number"],
        char_start=paragraph["start"],
        char_end=paragraph["end"],
        chunk_id=row["chunk_id"],
        citation=make_provenance(row, snapshot).cite(),
    )
