"""Passages that are related to search results but do not match the query."""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.relations.edges import (
    CONCEPT_KINDS,
    EXTERNAL_TYPES,
    Places,
    connected,
    distinct,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.relations.neighbours import Neighbours
    from casetrack.graph.state_tables import StateTables

RARE = 50
"""Things in more chunks than this relate nothing."""
_COPY = 0.995
"""Minimum cosine of repeated text, which is left out."""
_SIMILAR_FROM = 0.6
_NAMED = 2


class Expansion:
    """Lookup tables over one state; without *neighbours* only shared things count."""

    def __init__(self, source: StateTables, neighbours: Neighbours | None, /) -> None:
        vectors = source.chunk_vectors()
        self._ids = vectors.ids
        self._documents = vectors.documents
        self._at = {chunk_id: i for i, chunk_id in enumerate(vectors.ids)}
        places = connected(source, CONCEPT_KINDS, EXTERNAL_TYPES)
        self._things = places.things
        self._read(places)
        self._names = _names(source)
        self._neighbours = neighbours
        if neighbours is not None:
            self._row = {chunk_id: i for i, chunk_id in enumerate(neighbours.ids)}

    def expand(
        self, chunk_ids: Sequence[str], /, *, limit: int = 5
    ) -> list[tuple[str, float, str]]:
        """Return the chunks that are related to these, the strongest first; see :func:`expand`."""
        asked = [self._at[chunk_id] for chunk_id in chunk_ids if chunk_id in self._at]
        left_out = self._with_adjacent(asked)
        shared = self._sharing(asked, left_out)
        similar = self._similar(asked, left_out)
        candidates = []
        for chunk in shared.keys() | similar.keys():
            things = sorted(shared.get(chunk, ()), key=lambda t: (self._spread[t], t))
            by_things = min(1.0, sum(1 / int(self._spread[t]) for t in things))
            by_words = (similar.get(chunk, _SIMILAR_FROM) - _SIMILAR_FROM) / (1 - _SIMILAR_FROM)
            weight = 1 - (1 - by_things) * (1 - by_words)
            candidates.append((-weight, chunk, things, chunk in similar))
        ranked = sorted(candidates, key=lambda f: f[:2])[: max(limit, 0)]
        return [
            (self._ids[chunk], -weight, self._reason(things, alike))
            for weight, chunk, things, alike in ranked
        ]

    def _read(self, places: Places) -> None:
        """Build the lists of things by chunk, and of chunks by thing."""
        at = np.array([self._at[chunk_id] for chunk_id in places.chunks], np.int64)
        n = max(1, len(self._ids))
        thing, chunk = np.divmod(distinct(places.thing * n + at[places.chunk]), n)
        self._spread = np.bincount(thing, minlength=len(places.things))
        rare = (self._spread[thing] >= 2) & (self._spread[thing] <= RARE)
        thing, chunk = thing[rare], chunk[rare]
        self._chunks_of, self._thing_start = chunk, _starts(thing, len(places.things))
        order = np.lexsort((thing, chunk))
        self._things_of, self._chunk_start = thing[order], _starts(chunk[order], len(self._ids))

    def _with_adjacent(self, asked: Iterable[int]) -> set[int]:
        """Return the chunks themselves and those adjacent in their documents."""
        excluded = set()
        for chunk in asked:
            near = range(max(0, chunk - 1), min(len(self._ids), chunk + 2))
            excluded |= {i for i in near if self._documents[i] == self._documents[chunk]}
        return excluded

    def _sharing(self, asked: Iterable[int], left_out: set[int]) -> dict[int, list[int]]:
        """Return chunks with the rare things that they share with *asked*."""
        start = self._chunk_start
        things = {t for c in asked for t in self._things_of[start[c] : start[c + 1]].tolist()}
        things_of_chunk: dict[int, list[int]] = defaultdict(list)
        for thing in sorted(things):
            begin, end = self._thing_start[thing : thing + 2].tolist()
            for chunk in self._chunks_of[begin:end].tolist():
                if chunk not in left_out:
                    things_of_chunk[chunk].append(thing)
        return things_of_chunk

    def _similar(self, asked: Iterable[int], left_out: set[int]) -> dict[int, float]:
        """Return chunks near to one of *asked*, with the highest cosine."""
        best: dict[int, float] = {}
        if self._neighbours is None:
            return best
        near, cosines, ids = self._neighbours.near, self._neighbours.cosines, self._neighbours.ids
        for chunk in asked:
            row = self._row.get(self._ids[chunk])
            if row is None:
                continue
            for other, cosine in zip(near[row].tolist(), cosines[row].tolist(), strict=True):
                if other < 0 or cosine >= _COPY:
                    continue
                at = self._at[ids[other]]
                if at not in left_out:
                    best[at] = max(cosine, best.get(at, 0.0))
        return best

    def _reason(self, things: Sequence[int], is_similar: bool) -> str:
        names = [self._names.get(self._things[t], self._things[t]) for t in things]
        rest = len(names) - _NAMED
        parts = []
        if rest > 0:
            parts.append(f"also mentions {', '.join(names[:_NAMED])} and {rest} more")
        elif names:
            parts.append(f"also mentions {' and '.join(names)}")
        if is_similar:
            parts.append("says something similar")
        return "; ".join(parts)


_expansions: weakref.WeakKeyDictionary[StateTables, Expansion] = weakref.WeakKeyDictionary()


def expand(
    source: StateTables,
    chunk_ids: Sequence[str],
    /,
    *,
    limit: int = 5,
    neighbours: Neighbours | None,
) -> list[tuple[str, float, str]]:
    """Return the chunks that are related to these and not adjacent, the strongest first.

    Two chunks are related if both mention a thing (person, organisation, place, concept or external
    reference) that 2 to 50 chunks mention, which counts one divided by its chunks, up to 1 in
    total; or if their vectors are near, which counts from 0 at a cosine of 0.6 to 1. With both, *w*
    and *v*, the weight is ``1 - (1 - w) (1 - v)``. Exact repeats are left out; ties go to the
    smaller id. Each result has chunk id, weight, and the reason ("also mentions Halyard and relay
    K17"). The tables are built with the first call and kept with *source*.
    """
    made = _expansions.get(source)
    if made is None:
        made = _expansions.setdefault(source, Expansion(source, neighbours))
    return made.expand(chunk_ids, limit=limit)


def _names(source: StateTables) -> dict[str, str]:
    names: dict[str, str] = {}
    entities, references = source.table("entities"), source.table("references")
    for table, column in ((entities, "entity_id"), (references, "reference_id")):
        pairs = zip(table[column].to_pylist(), table["name"].to_pylist(), strict=True)
        names.update(pairs)
    return names


def _starts(sorted_: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.searchsorted(sorted_, np.arange(n + 1))
