"""Texts and sources of chunks, read from the index by their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from casetrack.store.passages import CITE_COLUMNS, PLACE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from casetrack.provenance import Provenance
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index
    from casetrack.views.rows import Place


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A chunk as a result shows it."""

    text: str
    provenance: Provenance


def texts_at(
    snapshot: Snapshot, index: Index, places: Sequence[Place], neighbours: Iterable[Place] = (), /
) -> dict[Place, PlacedText]:
    """Return the chunks at some places; a neighbour's source makes a citation alone."""
    every = list(dict.fromkeys([*places, *neighbours]))
    if not every:
        return {}
    texts = index.texts(every)
    sources = _sources(index, set(every).difference(places), CITE_COLUMNS)
    sources |= _sources(index, set(places), PLACE_COLUMNS)
    return {
        place: PlacedText(texts[place], make_provenance(sources[place], snapshot))
        for place in every
    }


def _sources(
    index: Index, places: set[Place], columns: tuple[str, ...]
) -> dict[Place, dict[str, Any]]:
    found: dict[Place, dict[str, Any]] = {}
    for number in {n for n, _ in places}:
        rows = sorted(row for n, row in places if n == number)
        read = index.segments[number].data.places_of(rows, columns)
        found |= {(number, row): source for row, source in zip(rows, read, strict=True)}
    return found
