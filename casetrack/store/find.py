"""Finds documents and chunks of one state of a collection by what a user calls them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from casetrack.base import names
from casetrack.base.errors import AmbiguousName, ChunkNotFound, DocumentNotFound
from casetrack.store.datasets import any_of
from casetrack.store.passages import COLUMNS, make_chunks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.store.datasets import Snapshot

_ENDING = re.compile(r"(?<=.)\.[A-Za-z][A-Za-z0-9]{0,7}$", re.DOTALL)
_PART_OF_ID = re.compile(r"[0-9a-f-]{8,35}")
"""The beginning of an id: enough of it to be meant, and not the whole."""
_SHORTEST_LIKE = 3
"""Characters from which a name may be a part of another; fewer stand in nearly every name."""


def find_document(snapshot: Snapshot, name_or_id: str, /) -> Document:
    """Return the document of a name, a path, or an id (its first 8 characters are enough).

    A name fits without its ending too, as citations and reports write it, unless another
    document is called just so.

    Raises
    ------
    DocumentNotFound, AmbiguousName
        None fits (near names are suggested), or several do.
    """
    # A whole id, as every link has it, need not look at all the others.
    if (own := name_or_id.strip()) in snapshot.documents:
        return snapshot.documents[own]
    documents = list(snapshot.documents.values())
    entries = [names.Entry(d.document_id, d.name, (d.path,)) for d in documents]
    found = names.find(name_or_id, entries, kind="document")
    if found is None:
        found = _without_ending(name_or_id, documents)
    if found is None:
        raise DocumentNotFound(name_or_id, _near(name_or_id, documents))
    return documents[found]


def _without_ending(asked: str, documents: Sequence[Document]) -> int | None:
    """Return the position of the document whose name, but for its ending, is *asked*."""
    text = asked.strip()
    folded = text.casefold()
    shortened = [(_stem(d.name), _stem(d.path)) for d in documents]
    for fits in (
        [i for i, pair in enumerate(shortened) if text in pair],
        [i for i, (name, _) in enumerate(shortened) if name.casefold() == folded],
    ):
        if len(fits) > 1:
            matches = [(documents[i].name, documents[i].document_id) for i in fits]
            raise AmbiguousName("document", asked, matches)
        if fits:
            return fits[0]
    return None


def _near(asked: str, documents: Sequence[Document]) -> list[tuple[str, str]]:
    """Return ``(name, id)`` of documents with a similar name; the ending is no likeness."""
    stem = _stem(asked.strip())
    full = {d.document_id: d.name for d in documents}
    entries = [names.Entry(d.document_id, _stem(d.name)) for d in documents]
    if len(stem) < _SHORTEST_LIKE:
        entries = [entry for entry in entries if entry.name.casefold() == stem.casefold()]
    return [(full[document_id], document_id) for _, document_id in names.near(stem, entries)]


def _stem(name: str) -> str:
    return _ENDING.sub("", name)


def attached_to(snapshot: Snapshot, document: Document, /) -> list[Document]:
    """Return what is attached to a document, all levels down."""
    found = []
    for other in snapshot.documents.values():
        if other.parent_id == document.document_id:
            found += [other, *attached_to(snapshot, other)]
    return found


def find_chunk(snapshot: Snapshot, chunk_id: str, /) -> Chunk:
    """Return one live chunk by its id, of which the first 8 characters are enough.

    Raises
    ------
    ChunkNotFound
        No live chunk has this id.
    AmbiguousName
        Several ids begin so.
    """
    found = make_chunks(snapshot.where("chunk_id", chunk_id, COLUMNS), snapshot)
    found = found or _beginning(snapshot, chunk_id)
    if not found:
        raise ChunkNotFound(chunk_id)
    if len(found) > 1:
        matches = [(chunk.citation, chunk.chunk_id) for chunk in found]
        raise AmbiguousName("chunk", chunk_id, matches)
    return found[0]


def whole_chunk_id(snapshot: Snapshot, chunk_id: str, /) -> str:
    """Return the id that *chunk_id* begins, or *chunk_id* itself where it is no beginning.

    Raises
    ------
    ChunkNotFound, AmbiguousName
        No id of a live chunk begins so, or several do.
    """
    if not _PART_OF_ID.fullmatch(chunk_id.strip().lower()):
        return chunk_id
    return find_chunk(snapshot, chunk_id).chunk_id


def short_chunk_ids(snapshot: Snapshot, /) -> names.ShortIds:
    """Return how the ids of all live chunks are told in short."""
    import pyarrow.compute as pc

    ids = snapshot.scan(("chunk_id",))["chunk_id"]
    starts = pc.utf8_slice_codeunits(ids, 0, names.ID_PREFIX)
    counted = pc.value_counts(starts)
    several = counted.filter(pc.greater(counted.field("counts"), 1)).field("values")
    return names.ShortIds.among(ids.filter(pc.is_in(starts, value_set=several)).to_pylist())


def _beginning(snapshot: Snapshot, start: str) -> list[Chunk]:
    """Return the live chunks whose ids begin with *start*; only the ids are looked through."""
    start = start.strip().lower()
    if not _PART_OF_ID.fullmatch(start):
        return []
    found = snapshot.rows_where(f"starts_with(chunk_id, '{start}')", COLUMNS)
    return make_chunks(found, snapshot)


def chunks_of(snapshot: Snapshot, document: Document, /) -> list[Chunk]:
    """Return the chunks of a document in reading order."""
    return make_chunks(snapshot.scan(COLUMNS, revisions=[document.revision]), snapshot)


def chunks_near(snapshot: Snapshot, chunk: Chunk, window: int, /) -> list[Chunk]:
    """Return a chunk with up to *window* before and after it in its document, in reading order.

    Only these are read: a document may have thousands.
    """
    place = chunk.provenance
    first, last = place.chunk_index - window, place.chunk_index + window
    revision = snapshot.documents[place.document_id].revision
    condition = f"{any_of('revision', [revision])} AND chunk_index BETWEEN {first} AND {last}"
    return make_chunks(snapshot.rows_where(condition, COLUMNS), snapshot)


def page_rows(
    snapshot: Snapshot, document: Document, page: int, columns: Sequence[str], /
) -> list[dict[str, Any]]:
    """Return the stored rows of a page of a document; only these are read."""
    condition = f"{any_of('revision', [document.revision])} AND page = {int(page)}"
    found: list[dict[str, Any]] = snapshot.rows_where(condition, columns).to_pylist()
    return found
