"""All passages that fit a question by its words, and what their documents are: not only the best.

What a list of results can be narrowed by is told of all of them. Fitting is holding a
good part of what the passage that holds most holds of the question's words, by their rarity
(:meth:`casetrack.search.asked_words.AskedWords.coverage`): a word that tells something, not one
that many passages have.
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
"""Of what the best passage holds: a third of three words that are as rare as each other fits."""
FACETS = ("document", "kind", "language", "source", "year")
"""What the documents of passages are narrowed by."""


@dataclass(frozen=True, slots=True)
class Named:
    """Whom the passages of a state mention: people and organisations.

    Attributes
    ----------
    pairs
        ``passage`` (its number among the rows of the index) and ``entity`` (a number), each pair
        once.
    entities
        ``entity``, with ``entity_id``, ``kind`` and ``name``.
    """

    pairs: pa.Table
    entities: pa.Table


NOBODY = Named(
    pa.table({"passage": pa.array([], pa.int32()), "entity": pa.array([], pa.int32())}),
    pa.table(
        {
            "entity": pa.array([], pa.int32()),
            **{name: pa.array([], pa.string()) for name in ("entity_id", "kind", "name")},
        }
    ),
)
"""Where nobody has looked yet."""


@dataclass(frozen=True, slots=True)
class Hits:
    """Passages that fit a question.

    Attributes
    ----------
    passages
        ``passage`` (its number among the rows of the index), ``file`` (position of its document)
        and for each of :data:`FACETS` a column ``by_NAME``: whether it passes what is asked of its
        document in this regard.
    files
        Their documents: ``file``, and what each is as to each of :data:`FACETS`.
    """

    passages: pa.Table
    files: pa.Table

    @property
    def passing(self) -> int:
        """How many passages pass all that is asked."""
        passes = [self.passages[f"by_{name}"].to_numpy() for name in FACETS]
        return int(np.count_nonzero(np.logical_and.reduce(passes)))


def find_hits(state: State, query: str, where: Filter, /, *, shown: Sequence[str] = ()) -> Hits:
    """Return all passages that fit a question by its words.

    Parameters
    ----------
    state
        The collection.
    query
        The question.
    where
        What is asked of the documents and passages. What is mentioned and where the files lie must
        hold; of the rest each column says whether it does.
    shown
        Ids of chunks that count as well, such as those that were found by their meaning.

    Raises
    ------
    UsageError
        The question is empty, or see :func:`casetrack.search.filters.choose`.
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
    # What fits does not depend on who is to be mentioned.
    left = choose(state, Filter(mentions=where.mentions)).scope(index).rows
    held = zip(index.segments, shares, inside, left, strict=True)
    for number, (part, share, rows, kept) in enumerate(held):
        more = [row for n, row in added.values() if n == number]
        fitting = np.union1d(rows[share >= least], np.array(more, dtype=np.intp))
        found = within(fitting, kept)
        places = np.array(
            [-1 if d is None else facts.place(d) for d in part.documents], dtype=np.int32
        )
        numbers.append((first + found).astype(np.int32))
        files.append(places[part.data.column("revision")[found]])
        first += part.data.size
    own = np.concatenate(files) if files else np.zeros(0, dtype=np.int32)
    passage = np.concatenate(numbers) if numbers else own
    passages = {"passage": pa.array(passage, pa.int32()), "file": pa.array(own, pa.int32())}
    for name, asked in _asked(where).items():
        passes = _passing(state, facts, asked)
        passages[f"by_{name}"] = pa.array(passes[own])
    return Hits(pa.table(passages), _files(facts, np.unique(own)))


def named_in(state: State, /) -> Named:
    """Return whom the passages of a state mention; kept with :meth:`State.once`.

    A question joins numbers, not texts: of half a million mentions that takes a tenth of the time.
    """
    table = graph_of(state).table("mentions").select(["chunk_id", "entity_id", "kind", "name"])
    table = table.filter(pc.is_in(table["kind"], value_set=pa.array(["person", "organization"])))
    ids, numbers, first = list[pa.Array](), list[np.ndarray](), 0
    for part in state.index.segments:
        # A passage that was read again may lie in an older segment, too: dead there.
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
    told = table.select(["entity_id", "kind", "name"]).take(pa.array(example))
    return Named(
        pa.table(
            {
                "passage": pa.array((pairs // count).astype(np.int32)),
                "entity": pa.array((pairs % count).astype(np.int32)),
            }
        ),
        told.append_column("entity", pa.array(known.astype(np.int32))),
    )


def _asked(where: Filter) -> dict[str, Filter]:
    """Return by the name of a facet what is asked in its regard."""
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
    told = {
        name: pa.array(c[places], pa.string()) for name, c in zip(FACETS, columns, strict=False)
    }
    years = [day[:4] for day in facts.days[places].tolist()]
    return pa.table({"file": pa.array(places), **told, "year": pa.array(years, pa.string())})
