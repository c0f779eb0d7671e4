"""Passages that belong to those a search has found, though the question does not lead to them."""

from __future__ import annotations

import weakref
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.relations.edges import (
    CONCEPT_KINDS,
    EXTERNAL_TYPES,
    Places,
    cited,
    distinct,
    mentioned,
    together,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.relations.neighbours import Neighbours
    from casetrack.graph.state_tables import StateTables

RARE = 50
"""What more chunks than this mention leads nowhere in particular."""
_COPY = 0.995
"""Chunks as near as this say the same, which the reader has seen."""
_SIMILAR_FROM = 0.6
_NAMED = 2


class Expansion:
    """Look-ups over one state of a collection; making them takes time, using them does not.

    Parameters
    ----------
    source
        The collection with its graph.
    neighbours
        The nearest chunks of every chunk; without them only what is mentioned counts.
    """

    def __init__(self, source: StateTables, neighbours: Neighbours | None, /) -> None:
        vectors = source.chunk_vectors()
        self._ids = vectors.ids
        self._documents = vectors.documents
        self._at = {chunk_id: i for i, chunk_id in enumerate(vectors.ids)}
        places = together(mentioned(source, CONCEPT_KINDS), cited(source, EXTERNAL_TYPES))
        self._things = places.things
        self._read(places)
        self._names = _names(source)
        self._neighbours = neighbours
        if neighbours is not None:
            self._row = {chunk_id: i for i, chunk_id in enumerate(neighbours.ids)}

    def expand(
        self, chunk_ids: Sequence[str], /, *, limit: int = 5
    ) -> list[tuple[str, float, str]]:
        """Return chunks that belong to these, the strongest first; see :func:`expand`."""
        asked = [self._at[chunk_id] for chunk_id in chunk_ids if chunk_id in self._at]
        left_out = self._beside(asked)
        shared = self._sharing(asked, left_out)
        similar = self._similar(asked, left_out)
        found = []
        for chunk in shared.keys() | similar.keys():
            things = sorted(shared.get(chunk, ()), key=lambda t: (self._spread[t], t))
            by_things = min(1.0, sum(1 / int(self._spread[t]) for t in things))
            by_words = (similar.get(chunk, _SIMILAR_FROM) - _SIMILAR_FROM) / (1 - _SIMILAR_FROM)
            weight = 1 - (1 - by_things) * (1 - by_words)
            found.append((-weight, chunk, things, chunk in similar))
        ranked = sorted(found, key=lambda f: f[:2])[: max(limit, 0)]
        return [
            (self._ids[chunk], -weight, self._reason(things, alike))
            for weight, chunk, things, alike in ranked
        ]

    def _read(self, places: Places) -> None:
        """Lay out which things a chunk mentions, and which chunks mention a thing."""
        at = np.array([self._at[chunk_id] for chunk_id in places.chunks], np.int64)
        n = max(1, len(self._ids))
        thing, chunk = np.divmod(distinct(places.thing * n + at[places.chunk]), n)
        self._spread = np.bincount(thing, minlength=len(places.things))
        rare = (self._spread[thing] >= 2) & (self._spread[thing] <= RARE)
        thing, chunk = thing[rare], chunk[rare]
        self._chunks_of, self._thing_start = chunk, _starts(thing, len(places.things))
        order = np.lexsort((thing, chunk))
        self._things_of, self._chunk_start = thing[order], _starts(chunk[order], len(self._ids))

    def _beside(self, asked: Iterable[int]) -> set[int]:
        """Return the chunks themselves and those beside them in their documents."""
        found = set()
        for chunk in asked:
            near = range(max(0, chunk - 1), min(len(self._ids), chunk + 2))
            found |= {i for i in near if self._documents[i] == self._documents[chunk]}
        return found

    def _sharing(self, asked: Iterable[int], left_out: set[int]) -> dict[int, list[int]]:
        """Return chunks with the rare things that they share with those asked for."""
        start = self._chunk_start
        things = {t for c in asked for t in self._things_of[start[c] : start[c + 1]].tolist()}
        found: dict[int, list[int]] = defaultdict(list)
        for thing in sorted(things):
            begin, end = self._thing_start[thing : thing + 2].tolist()
            for chunk in self._chunks_of[begin:end].tolist():
                if chunk not in left_out:
                    found[chunk].append(thing)
        return found

    def _similar(self, asked: Iterable[int], left_out: set[int]) -> dict[int, float]:
        """Return chunks near to one of those asked for, with the highest cosine."""
        found: dict[int, float] = {}
        if self._neighbours is None:
            return found
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
                    found[at] = max(cosine, found.get(at, 0.0))
        return found

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


_made: weakref.WeakKeyDictionary[StateTables, Expansion] = weakref.WeakKeyDictionary()


def expand(
    source: StateTables,
    chunk_ids: Sequence[str],
    /,
    *,
    limit: int = 5,
    neighbours: Neighbours | None,
) -> list[tuple[str, float, str]]:
    """Return chunks that belong to these and are not beside them, the strongest first.

    A chunk belongs to one of them where both mention a thing (person, organisation, place, concept,
    or something outside that is referred to) that 2 to 50 chunks mention: each counts one divided
    by its chunks, up to 1 together; or where their vectors are near, which counts from 0 at a
    cosine of 0.6 to 1. With both, *w* and *v*, the weight is ``1 - (1 - w) (1 - v)``. Exact repeats
    of what was found are left out; ties go to the smaller id.

    Parameters
    ----------
    source
        The collection; what is looked up in it is made with the first call and kept with it.
    chunk_ids
        Chunks that were found; ids that are not live lead nowhere.
    limit
        How many at most.
    neighbours
        The nearest chunks of every chunk, or ``None``; those of the first call count.

    Returns
    -------
    list of (str, float, str)
        Chunk id, weight in 0..1, and the reason ("also mentions Halyard and relay K17").
    """
    made = _made.get(source)
    if made is None:
        made = _made.setdefault(source, Expansion(source, neighbours))
    return made.expand(chunk_ids, limit=limit)


def _names(source: StateTables) -> dict[str, str]:
    found: dict[str, str] = {}
    entities, references = source.table("entities"), source.table("references")
    for table, column in ((entities, "entity_id"), (references, "reference_id")):
        pairs = zip(table[column].to_pylist(), table["name"].to_pylist(), strict=True)
        found.update(pairs)
    return found


def _starts(sorted_: NDArray[np.int64], n: int) -> NDArray[np.int64]:
    return np.searchsorted(sorted_, np.arange(n + 1))
