"""Places of the graph's tables: where they stand in a chunk, their order, and their quotes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph
    from casetrack.records.graph import Quote


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the text of a chunk; *order* is that of reading: document, chunk, character.

    Attributes
    ----------
    row
        Its row in the table that it was read from.
    """

    row: int
    document_id: str
    chunk_id: str
    start: int
    end: int
    order: tuple[int, int, int]
    confidence: float


_COLUMNS = ["document_id", "chunk_id", "chunk_index", "char_start", "char_end", "confidence"]


def places_of(table: pa.Table, ranks: Mapping[str, int], /) -> list[Place]:
    """Return the places of a table in reading order; *ranks* orders the documents."""
    columns = [table[name].to_pylist() for name in _COLUMNS]
    places = [
        Place(
            row,
            document_id,
            chunk_id,
            start,
            end,
            (ranks.get(document_id, len(ranks)), index, start),
            confidence,
        )
        for row, (document_id, chunk_id, index, start, end, confidence) in enumerate(
            zip(*columns, strict=True)
        )
    ]
    return sorted(places, key=lambda p: p.order)


def spread(places: Sequence[Place], best: Mapping[int, float], limit: int, /) -> list[Place]:
    """Choose *limit* places: the best one of each document first, then the second best, and so on.

    Parameters
    ----------
    places
        In reading order.
    best
        How telling each place is, by its row; equal ones in reading order.

    Returns
    -------
    list of Place
        The first place of each document, documents with most places first, then in reading order
        what else is shown.
    """
    grouped = by_document(places)
    rounds = [sorted(g, key=lambda p: (-best[p.row], p.order)) for g in grouped]
    first = [group[0] for group in rounds][:limit]
    rest: list[Place] = []
    for turn in range(1, max((len(g) for g in rounds), default=0)):
        rest += [group[turn] for group in rounds if turn < len(group)]
        if len(first) + len(rest) >= limit:
            break
    return first + sorted(rest[: limit - len(first)], key=lambda p: p.order)


def by_document(places: Sequence[Place], /) -> list[list[Place]]:
    """Group places by document, those with most places first, each in reading order."""
    grouped: dict[str, list[Place]] = {}
    for place in places:
        grouped.setdefault(place.document_id, []).append(place)
    return sorted(grouped.values(), key=lambda g: (-len(g), g[0].order))


def quotes_of(source: ContextGraph, places: Sequence[Place], /) -> list[Quote]:
    """Return the quotes of places, in one batch."""
    return source.quotes([(p.chunk_id, p.start, p.end) for p in places])
