"""Where the user's marks stand now: which document, which passage, which entity.

A document is told by its id, else by the SHA-256 of its file, else by its path: so a mark stays
with a file that is renamed, moved, read again or taken in anew. A passage is told by its place in
the page, if the words there are still those that were marked, else by these words wherever the
document has them now; so cutting a text otherwise moves no mark.
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
"""Characters of a passage that are shown of it."""


def in_documents(marks: Iterable[Mark], snapshot: Snapshot, /) -> tuple[Mark, ...]:
    """Return marks with the ids that their documents have now, as far as they are there."""
    known = Documents(snapshot)
    found = []
    for mark in marks:
        document = known.of(mark)
        found.append(mark if document is None else replace(mark, document_id=document.document_id))
    return tuple(found)


class Documents:
    """Finds the documents of marks among those of a state."""

    def __init__(self, snapshot: Snapshot, /) -> None:
        self._by_id = snapshot.documents
        self._others: dict[str, Document] | None = None

    def of(self, mark: Mark, /) -> Document | None:
        """Return the document of a mark; ``None`` where it is gone, or was never meant."""
        if mark.document_id is None:
            return None
        if mark.document_id in self._by_id:
            return self._by_id[mark.document_id]
        if self._others is None:
            every = sorted(
                self._by_id.values(), key=lambda d: (d.path, d.document_id), reverse=True
            )
            self._others = {d.path: d for d in every} | {d.file_hash: d for d in every}
        found = self._others.get(mark.document_hash or "")
        return found or self._others.get(mark.document_path or "")


def place_marks(
    marks: Sequence[Mark],
    snapshot: Snapshot,
    quotes: Callable[[Sequence[Place]], list[Quote]],
    edits: Mapping[str, Mapping[str, str | None]],
    /,
) -> tuple[PlacedMark, ...]:
    """Return all marks but those that undo others, each where it stands now.

    Parameters
    ----------
    marks
        In the order in which they were made.
    snapshot
        The state of the collection.
    quotes
        Returns the words at places.
    edits
        For each edit that is not idle, by the mark's id, whom it found: ``entity_id`` (``None`` for
        somebody hidden) and ``other_id``.
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
    """Return an edit with the ids that it is about now; of somebody hidden it stays."""
    found = edits.get(mark.mark_id, {})
    return replace(
        mark,
        entity_id=found.get("entity_id") or mark.entity_id,
        other_id=found.get("other_id") or mark.other_id,
    )


def passage_place(mark: Mark, chunks: Sequence[Chunk], /) -> Place | None:
    """Return where the passage of a mark stands in the chunks of its document.

    Of a whole page that is its first chunk. What goes beyond the chunk is left to the next ones.
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
    # The text has moved: the nearest page that has the words now.
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
    told = {name: getattr(placed.mark, name) for name in placed.mark.__dataclass_fields__}
    quote = placed.quote
    words = {"page": quote.provenance.page, "text": quote.text} if quote is not None else {}
    return (
        told
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
