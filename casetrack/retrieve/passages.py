"""Texts and sources of chunks, read from the index by their places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

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
    sources = sources_at(snapshot, index, set(every).difference(places), CITE_COLUMNS)
    sources |= sources_at(snapshot, index, set(places))
    return {place: PlacedText(texts[place], sources[place]) for place in every}


def sources_at(
    snapshot: Snapshot,
    index: Index,
    places: Iterable[Place],
    columns: Sequence[str] = PLACE_COLUMNS,
    /,
) -> dict[Place, Provenance]:
    """Return the sources of the chunks at some places, as far as *columns* tell them."""
    rows: dict[int, set[int]] = {}
    for number, row in places:
        rows.setdefault(number, set()).add(row)
    found: dict[Place, Provenance] = {}
    for number, some in rows.items():
        ordered = sorted(some)
        read = index.segments[number].data.places_of(ordered, columns)
        found |= {
            (number, row): make_provenance(source, snapshot)
            for row, source in zip(ordered, read, strict=True)
        }
    return found
