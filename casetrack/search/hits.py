"""All passages that match a question by its words, with facets of their documents.

A passage matches if it has at least a fixed share of the coverage of the best passage, where
coverage is the share of the question's words, weighted by rarity
(:meth:`casetrack.search.asked_words.AskedWords.coverage`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.base.arguments import Filter
from casetrack.graph.opened import graph_of
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


@dataclass(frozen=True, slots=True)
class Mentioned:
    """The people and organisations that the passages of a state mention."""

    # ``passage`` (its number among the rows of the index) and ``entity`` (a number), each pair
    # once.
    pairs: pa.Table
    entities: pa.Table  # ``entity``, with ``entity_id``, ``kind`` and ``name``


NO_MENTIONS = Mentioned(
    pa.table({"passage": pa.array([], pa.int32()), "entity": pa.array([], pa.int32())}),
    pa.table(
        {
            "entity": pa.array([], pa.int32()),
            **{name: pa.array([], pa.string()) for name in ("entity_id", "kind", "name")},
        }
    ),
)
"""Placeholder for a state without extracted names."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Passages that match a question."""

    # ``passage`` (its number among the rows of the index), ``file`` (position of its document) and
    # for each of :data:`FACETS` a column ``by_NAME``: whether it passes that part of the filter.
    passages: pa.Table
    files: pa.Table  # Their documents: ``file``, and the value of each of :data:`FACETS`

    @property
    def passing(self) -> int:
        """Number of passages that pass all parts of the filter."""
        passes = [self.passages[f"by_{name}"].to_numpy() for name in FACETS]
        return int(np.count_nonzero(np.logical_and.reduce(passes)))


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
    own = np.concatenate(files) if files else np.zeros(0, dtype=np.int32)
    passage = np.concatenate(numbers) if numbers else own
    passages = {"passage": pa.array(passage, pa.int32()), "file": pa.array(own, pa.int32())}
    for name, asked in _asked(where).items():
        passes = _passing(state, facts, asked)
        passages[f"by_{name}"] = pa.array(passes[own])
    return Hits(pa.table(passages), _files(facts, np.unique(own)))


def named_in(state: State, /) -> Mentioned:
    """Return the people and organisations in the passages of a state; kept with :meth:`State.once`.

    A query joins numbers, not texts, which takes a tenth of the time for half a million mentions.
    """
    table = graph_of(state).table("mentions").select(["chunk_id", "entity_id", "kind", "name"])
    table = table.filter(pc.is_in(table["kind"], value_set=pa.array(["person", "organization"])))
    ids, numbers, first = list[pa.Array](), list[np.ndarray](), 0
    for part in state.index.segments:
        # A passage that was read again may also be in an older segment, where it is dead.
        rows = positions(part.mask, part.data.size)
        ids += part.data.rows["chunk_id"].take(pa.array(rows)).chunks
        numbers.append(first + rows)
        first += part.data.size
    place = pc.index_in(table["chunk_id"], value_set=pa.chunked_array(ids, pa.string()))
    table, place = table.filter(pc.is_valid(place)), pc.drop_null(place)
    coded = table["entity_id"].combine_chunks().dictionary_encode()
    codes = as_numpy(coded.indices).astype(np.int64)
    rows = np.concatenate(numbers)[as_numpy(place)] if numbers else codes
    count = max(len(coded.dictionary), 1)
    pairs = np.unique(rows.astype(np.int64) * count + codes)
    known, example = np.unique(codes, return_index=True)
    examples = table.select(["entity_id", "kind", "name"]).take(pa.array(example))
    return Mentioned(
        pa.table(
            {
                "passage": pa.array((pairs // count).astype(np.int32)),
                "entity": pa.array((pairs % count).astype(np.int32)),
            }
        ),
        examples.append_column("entity", pa.array(known.astype(np.int32))),
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


def _files(facts: Facts, places: NDArray[np.int32]) -> pa.Table:
    columns = (facts.ids, facts.types, facts.languages, facts.sources)
    values = {
        name: pa.array(c[places], pa.string()) for name, c in zip(FACETS, columns, strict=False)
    }
    years = [day[:4] for day in facts.days[places].tolist()]
    return pa.table({"file": pa.array(places), **values, "year": pa.array(years, pa.string())})
