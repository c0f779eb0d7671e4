"""The lists of a search, made in this process; and what every signal says of any row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.search.scores import (
    cosine_at,
    dense_top,
    lexical_at,
    lexical_top,
    sparse_at,
    sparse_top,
)
from casetrack.store.checksums import COLUMN, is_damaged
from casetrack.store.index.scope import Unsearched
from casetrack.store.passages import CITE_COLUMNS, PLACE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.base.provenance import Provenance
    from casetrack.store.datasets import Snapshot
    from casetrack.store.index.index import Index
    from casetrack.store.index.rows import Place
    from casetrack.store.index.scope import Lists, Question, Scope
    from casetrack.store.workspace import State

# Texts and sources of chunks, read from the index by their places.


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A chunk as a result shows it."""

    text: str
    provenance: Provenance


def texts_at(
    snapshot: Snapshot, index: Index, places: Sequence[Place], neighbours: Iterable[Place] = (), /
) -> dict[Place, PlacedText]:
    """Return the chunks at some places; a neighbour's source makes a citation alone.

    A chunk that is not what was written is left out: one of *places* in whatever it shows, a
    neighbour in its text.
    """
    every = list(dict.fromkeys([*places, *neighbours]))
    if not every:
        return {}
    texts = index.texts(every)
    sources = sources_at(snapshot, index, set(every).difference(places), CITE_COLUMNS, texts)
    sources |= sources_at(snapshot, index, set(places), PLACE_COLUMNS, texts)
    return {place: PlacedText(texts[place], sources[place]) for place in every if place in sources}


def sources_at(
    snapshot: Snapshot,
    index: Index,
    places: Iterable[Place],
    columns: Sequence[str] = PLACE_COLUMNS,
    texts: Mapping[Place, str] | None = None,
    /,
) -> dict[Place, Provenance]:
    """Return the sources of the chunks at some places, as far as *columns* tell them.

    Left out are those that are not what was written, in their texts where these are given, and in
    the source where all of it is asked for.
    """
    compared = ["text"] if texts is not None else []
    if set(columns) >= set(PLACE_COLUMNS):
        compared.append("place")
    rows: dict[int, set[int]] = {}
    for number, row in places:
        rows.setdefault(number, set()).add(row)
    found: dict[Place, Provenance] = {}
    for number, some in rows.items():
        ordered = sorted(some)
        read = index.segments[number].data.places_of(ordered, [*columns, COLUMN])
        for row, source in zip(ordered, read, strict=True):
            place = number, row
            if texts is not None:
                source["text"] = texts[place]
            if not (compared and is_damaged(source, "chunks", *compared)):
                found[place] = make_provenance(source, snapshot)
    return found


def name_at(snapshot: Snapshot, index: Index, place: Place, /) -> str:
    """Return the name of the document that a passage is of."""
    number, row = place
    data = index.segments[number].data
    revision = data.revisions[int(data.column("revision")[row])]
    return snapshot.documents[snapshot.revisions[revision]].name


_ALL = Unsearched()


class Here:
    """Makes lists of the segments that this process maps; leaves nothing out."""

    @property
    def unsearched(self) -> Unsearched:
        """Nothing."""
        return _ALL

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.Lists`."""
        if question.terms is not None:
            yield "bm25", *lexical_top(scope, question.terms, depth)
        if question.vector is not None:
            yield "semantic", *dense_top(scope.index, question.vector, depth, scope.rows)
        if question.sparse is not None:
            yield "sparse", *sparse_top(scope.index, *question.sparse, depth, scope.rows)


HERE: Lists = Here()


def lists_of(state: State, /) -> Lists:
    """Return what makes the lists of one search of a state."""
    elsewhere = state.workspace.searched_by
    return HERE if elsewhere is None else elsewhere(state)


def scorers(
    scope: Scope, question: Question, /
) -> dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]]:
    """Return for each signal of a question what says its score of any rows.

    A few rows are looked up where they lie: nothing passes over the others.
    """
    found: dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]] = {}
    if (terms := question.terms) is not None:
        found["bm25"] = lambda places: lexical_at(scope, terms, places)
    if (vector := question.vector) is not None:
        found["semantic"] = lambda places: cosine_at(scope.index, vector, places)
    if (sparse := question.sparse) is not None:
        found["sparse"] = lambda places: sparse_at(scope.index, *sparse, places)
    return found
