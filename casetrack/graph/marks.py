"""The current positions of the user's marks: document, passage or entity.

A document is identified by its id, else by the SHA-256 of its file, else by its path, so that a
mark survives a rename, a move or a new ingest. A passage is identified by its place on the page if
the marked words are still there, else by the words wherever the document now contains them, so that
a different chunking moves no mark.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from casetrack.base import schema
from casetrack.base.records.marks import ENTITY_EDITS, PlacedMark
from casetrack.store.passages import chunks_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from casetrack.base.records import Chunk, Document
    from casetrack.base.records.graph import Quote
    from casetrack.base.records.marks import Mark, MarkState
    from casetrack.store.datasets import Snapshot

    Place = tuple[str, int, int]
    """Chunk id, start and end in its text."""

_SHOWN = 400
"""Maximum number of characters shown of a passage."""


def in_documents(marks: Iterable[Mark], snapshot: Snapshot, /) -> tuple[Mark, ...]:
    """Return marks with the current ids of their documents, where these exist."""
    known = Documents(snapshot)
    moved = []
    for mark in marks:
        document = known.of(mark)
        moved.append(mark if document is None else replace(mark, document_id=document.document_id))
    return tuple(moved)


class Documents:
    """Finds the documents of marks in one state of the collection."""

    def __init__(self, snapshot: Snapshot, /) -> None:
        self._by_id = snapshot.documents
        self._others: dict[str, Document] | None = None

    def of(self, mark: Mark, /) -> Document | None:
        """Return the document of a mark; ``None`` if it was removed or the mark has no document."""
        if mark.document_id is None:
            return None
        if mark.document_id in self._by_id:
            return self._by_id[mark.document_id]
        if self._others is None:
            every = sorted(
                self._by_id.values(), key=lambda d: (d.path, d.document_id), reverse=True
            )
            self._others = {d.path: d for d in every} | {d.file_hash: d for d in every}
        match = self._others.get(mark.document_hash or "")
        return match or self._others.get(mark.document_path or "")


def place_marks(
    marks: Sequence[Mark],
    snapshot: Snapshot,
    quotes: Callable[[Sequence[Place]], list[Quote]],
    edits: Mapping[str, Mapping[str, str | None]],
    /,
) -> tuple[PlacedMark, ...]:
    """Return all marks except undo marks, each at its current place.

    *marks* are in the order of their creation. *edits* has the entities of each edit in force, by
    mark id: ``entity_id`` (``None`` for a hidden entity) and ``other_id``.
    """
    documents = Documents(snapshot)
    chunks: dict[str, list[Chunk]] = {}
    shown = [m for m in marks if m.kind != "undo"]
    states: list[MarkState] = []
    places: dict[int, Place] = {}
    for number, mark in enumerate(shown):
        document = documents.of(mark)
        state: MarkState = "in force"
        if mark.undone_by is not None:
            state = "undone"
        elif mark.document_id is not None and document is None:
            state = "document gone"
        elif mark.kind in ENTITY_EDITS and mark.mark_id not in edits:
            state = "idle"
        if document is not None:
            shown[number] = replace(
                mark, document_id=document.document_id, document_name=document.name
            )
            if mark.page is not None:
                if document.revision not in chunks:
                    chunks[document.revision] = chunks_of(snapshot, document)
                place = passage_place(mark, chunks[document.revision])
                if place is not None:
                    chunk_id, start, end = place
                    places[number] = chunk_id, start, min(end, start + _SHOWN)
                elif state == "in force":
                    state = "passage gone"
        states.append(state)
    quoted = dict(zip(places, quotes(list(places.values())), strict=True))
    return tuple(
        PlacedMark(_now(mark, edits), state, quoted.get(number))
        for number, (mark, state) in enumerate(zip(shown, states, strict=True))
    )


def _now(mark: Mark, edits: Mapping[str, Mapping[str, str | None]]) -> Mark:
    """Return an edit with its current entity ids; the id of a hidden entity stays."""
    current = edits.get(mark.mark_id, {})
    return replace(
        mark,
        entity_id=current.get("entity_id") or mark.entity_id,
        other_id=current.get("other_id") or mark.other_id,
    )


def passage_place(mark: Mark, chunks: Sequence[Chunk], /) -> Place | None:
    """Return the current place of a mark's passage in the chunks of its document.

    A mark of a whole page gets the first chunk of that page. A passage that continues after its
    chunk is cut at the end of the chunk.
    """
    if mark.char_start is None or mark.char_end is None:
        first = next((c for c in chunks if c.provenance.page == mark.page), None)
        return None if first is None else (first.chunk_id, 0, len(first.text))
    length, words = mark.char_end - mark.char_start, mark.text or ""
    for chunk in chunks:
        source = chunk.provenance
        start = mark.char_start - source.char_start
        if source.page == mark.page and 0 <= start < len(chunk.text):
            end = min(start + length, len(chunk.text))
            if chunk.text[start:end].startswith(words[: end - start]):
                return chunk.chunk_id, start, end
    if not words:
        return None
    # The text has moved: use the nearest page that contains the words.
    holding = [c for c in chunks if words in c.text]
    if not holding:
        return None
    nearest = min(holding, key=lambda c: abs(c.provenance.page - (mark.page or 1)))
    start = nearest.text.index(words)
    return nearest.chunk_id, start, min(start + length, len(nearest.text))


def marks_table(marks: Iterable[PlacedMark], /) -> pa.Table:
    """Return the table ``marks``."""
    declared = schema.table("marks").arrow()
    rows = [_row(placed) for placed in marks]
    return pa.table({f.name: pa.array([r[f.name] for r in rows], f.type) for f in declared})


def _row(placed: PlacedMark) -> dict[str, Any]:
    fields = {name: getattr(placed.mark, name) for name in placed.mark.__dataclass_fields__}
    quote = placed.quote
    words = {"page": quote.provenance.page, "text": quote.text} if quote is not None else {}
    return (
        fields
        | words
        | {
            "value": placed.mark.value or None,
            "note": placed.mark.note or None,
            "state": placed.state,
            "chunk_id": quote and quote.chunk_id,
            "char_start": quote and quote.char_start,
            "char_end": quote and quote.char_end,
        }
    )
