"""All passages that match a question by its words, with facets of their documents.

A passage matches if it has at least a fixed share of the coverage of the best passage, where
coverage is the share of the question's words, weighted by rarity
(:meth:`casetrack.search.asked_words.AskedWords.coverage`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.arguments import Filter
from casetrack.graph.opened import graph_of
from casetrack.graph.relations.edges import coded
from casetrack.search.asked_words import asked_words
from casetrack.search.filters import choose, facts_of
from casetrack.search.plan import ask
from casetrack.search.search import check
from casetrack.store.index.arrays import as_numpy
from casetrack.store.index.scope import positions, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.search.filters import Facts
    from casetrack.store.workspace import State

_SHARE = 0.3
"""Share of the best coverage: one of three equally rare words matches."""
FACETS = ("document", "kind", "language", "source", "year")
"""Facets of the documents of passages."""


class Values(NamedTuple):
    """The values of a facet, each once and ordered."""

    ids: NDArray[np.str_]
    labels: Sequence[str]


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The people and organisations that the passages of a state mention."""

    # int32 [pairs], each pair of a passage (its number among the rows of the index) and an entity
    # once.
    passages: NDArray[np.int32]
    entities: NDArray[np.int32]
    known: Values  # Of the entities
    kinds: NDArray[np.str_]

    def counts(self, passages: NDArray[np.int32], /) -> NDArray[np.int64]:
        """Return int64 [entities], the number of these passages that mention each."""
        size = 1 + max(self.passages.max(initial=0), passages.max(initial=0))
        chosen = np.zeros(size, dtype=np.bool_)
        chosen[passages] = True
        return np.bincount(self.entities[chosen[self.passages]], minlength=len(self.kinds))


_NO_PAIRS, _NO_TEXTS = np.zeros(0, np.int32), np.array([], dtype=np.str_)
NO_MENTIONS = Mentioned(_NO_PAIRS, _NO_PAIRS, Values(_NO_TEXTS, ()), _NO_TEXTS)
"""Placeholder for a state without extracted names."""


def values_of(state: State, /) -> dict[str, tuple[Values, NDArray[np.intp]]]:
    """Return the values of each of :data:`FACETS`, and intp [documents], the value of each.

    Kept with :meth:`State.once`.
    """
    facts, documents = state.once(facts_of), state.snapshot.documents
    years = np.where(facts.by_file, "", facts.days.astype("U4"))
    columns = (facts.ids.astype(np.str_), facts.types, facts.languages, facts.sources, years)
    made = {}
    for name, column in zip(FACETS, columns, strict=True):
        ids, of = np.unique(column, return_inverse=True)
        labels = [documents[i].name for i in ids.tolist()] if name == "document" else ids.tolist()
        made[name] = Values(ids, labels), of
    return made


@dataclass(frozen=True, slots=True)
class Hits:
    """Passages that match a question."""

    # int32 [n], number among the rows of the index, and position of the document.
    passages: NDArray[np.int32]
    documents: NDArray[np.int32]
    # bool [n] for each of :data:`FACETS`: which pass that part of the filter.
    passes: dict[str, NDArray[np.bool_]]

    def passing(self, *, without: str | None = None) -> NDArray[np.bool_]:
        """Return bool [n], which pass all parts of the filter *without* one."""
        every = np.ones(len(self.passages), dtype=np.bool_)
        for name, passes in self.passes.items():
            every &= passes | (name == without)
        return every


def find_hits(state: State, query: str, where: Filter, /, *, shown: Sequence[str] = ()) -> Hits:
    """Return all passages that match a question by its words.

    Mentions and paths of the filter are applied; each other part has a column of its result.
    *shown* has ids of additional chunks, such as those found by meaning. Errors as in
    :func:`casetrack.search.filters.choose`, or the question is empty.
    """
    check(query, 1)
    index, facts = state.index, state.once(facts_of)
    scope = choose(state, Filter(paths=where.paths)).scope(index)
    words = asked_words(ask(state, query).reading, scope)
    covered = [words.coverage_of(number) for number in range(len(index.segments))]
    inside = [
        within(np.flatnonzero(share > 0.0), rows)
        for share, rows in zip(covered, scope.rows, strict=True)
    ]
    shares = [share[rows] for share, rows in zip(covered, inside, strict=True)]
    least = _SHARE * max((float(each.max(initial=0.0)) for each in shares), default=0.0)
    added = index.places(shown) if shown else {}
    numbers, files = list[np.ndarray](), list[np.ndarray]()
    first = 0
    # The threshold does not depend on the filter by mentions.
    left = choose(state, Filter(mentions=where.mentions)).scope(index).rows
    held = zip(index.segments, shares, inside, left, strict=True)
    for number, (part, share, rows, kept) in enumerate(held):
        more = [row for n, row in added.values() if n == number]
        fitting = np.union1d(rows[share >= least], np.array(more, dtype=np.intp))
        kept_rows = within(fitting, kept)
        places = np.array(
            [-1 if d is None else facts.place(d) for d in part.documents], dtype=np.int32
        )
        numbers.append((first + kept_rows).astype(np.int32))
        files.append(places[part.data.column("revision")[kept_rows]])
        first += part.data.size
    none = np.zeros(0, dtype=np.int32)
    own = np.concatenate([none, *files])
    passes = {name: _passing(state, facts, asked)[own] for name, asked in _asked(where).items()}
    return Hits(np.concatenate([none, *numbers]), own, passes)


def named_in(state: State, /) -> Mentioned:
    """Return the people and organisations in the passages of a state; kept with :meth:`State.once`.

    A query counts numbers, not texts, which takes a tenth of the time for half a million mentions.
    """
    table = graph_of(state).table("mentions").select(["chunk_id", "entity_id", "kind", "name"])
    table = table.filter(pc.is_in(table["kind"], value_set=pa.array(["person", "organization"])))
    ids, numbers, first = list[pa.Array](), [np.zeros(0, np.intp)], 0
    for part in state.index.segments:
        # A passage that was read again may also be in an older segment, where it is dead.
        rows = positions(part.mask, part.data.size)
        ids += part.data.rows["chunk_id"].take(pa.array(rows)).chunks
        numbers.append(first + rows)
        first += part.data.size
    place = pc.index_in(table["chunk_id"], value_set=pa.chunked_array(ids, pa.string()))
    table, place = table.filter(pc.is_valid(place)), pc.drop_null(place)
    entities, codes = coded(table["entity_id"])
    rows = np.concatenate(numbers)[as_numpy(place)]
    pairs = np.unique(rows.astype(np.int64) * max(len(entities), 1) + codes)
    passages, named = np.divmod(pairs, max(len(entities), 1))
    _, example = np.unique(codes, return_index=True)
    examples = table.take(pa.array(example))
    return Mentioned(
        passages.astype(np.int32),
        named.astype(np.int32),
        Values(np.array(entities, dtype=np.str_), examples["name"].to_pylist()),
        np.array(examples["kind"].to_pylist(), dtype=np.str_),
    )


def _asked(where: Filter) -> dict[str, Filter]:
    """Return the part of the filter for each facet."""
    filters = (
        Filter(documents=where.documents),
        Filter(kinds=where.kinds),
        Filter(languages=where.languages),
        Filter(sources=where.sources),
        Filter(since=where.since, until=where.until),
    )
    return dict(zip(FACETS, filters, strict=True))


def _passing(state: State, facts: Facts, asked: Filter) -> NDArray[np.bool_]:
    """Return which documents pass a filter."""
    chosen = choose(state, asked).documents
    if chosen is None:
        return np.ones(len(facts.ids), dtype=np.bool_)
    passes = np.zeros(len(facts.ids), dtype=np.bool_)
    passes[[facts.place(document) for document in chosen]] = True
    return passes
