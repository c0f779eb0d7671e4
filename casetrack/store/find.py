"""Finds documents and chunks of one state of a collection by what a user calls them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack import names
from casetrack.errors import ChunkNotFound, DocumentNotFound
from casetrack.store.passages import COLUMNS, make_chunks

if TYPE_CHECKING:
    from casetrack.records import Chunk, Document
    from casetrack.store.datasets import Snapshot


def find_document(snapshot: Snapshot, name_or_id: str, /) -> Document:
    """Return the document of a name, a path, or an id (its first 8 characters are enough).

    Raises
    ------
    DocumentNotFound, AmbiguousName
        None fits (near names are suggested), or several do.
    """
    documents = list(snapshot.documents.values())
    entries = [names.Entry(d.document_id, d.name, (d.path,)) for d in documents]
    found = names.find(name_or_id, entries, kind="document")
    if found is None:
        raise DocumentNotFound(name_or_id, names.near(name_or_id, entries))
    return documents[found]


def attached_to(snapshot: Snapshot, document: Document, /) -> list[Document]:
    """Return what is attached to a document, all levels down."""
    found = []
    for other in snapshot.documents.values():
        if other.parent_id == document.document_id:
            found += [other, *attached_to(snapshot, other)]
    return found


def find_chunk(snapshot: Snapshot, chunk_id: str, /) -> Chunk:
    """Return one live chunk.

    Raises
    ------
    ChunkNotFound
        No live chunk has this id.
    """
    found = make_chunks(snapshot.where("chunk_id", chunk_id, COLUMNS), snapshot)
    if not found:
        raise ChunkNotFound(chunk_id)
    return found[0]


def chunks_of(snapshot: Snapshot, document: Document, /) -> list[Chunk]:
    """Return the chunks of a document in reading order."""
    return make_chunks(snapshot.scan(COLUMNS, revisions=[document.revision]), snapshot)
