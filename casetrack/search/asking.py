"""Reads a question for the collection that it is asked of."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.ingest.steps.identifiers import is_source_code
from casetrack.search.question.names import Names
from casetrack.search.question.read import read
from casetrack.search.question.vocabularies import own, shipped

if TYPE_CHECKING:
    from casetrack.base.records.reading import Reading
    from casetrack.search.question.vocabularies import Vocabulary
    from casetrack.store.index.index import Index
    from casetrack.store.workspace import State


class Asked(NamedTuple):
    """A question as it was read, and what the user should know of that."""

    reading: Reading
    notes: tuple[str, ...]


def ask(
    state: State, query: str, /, *, vocabulary: bool = True, document: str | None = None
) -> Asked:
    """Read a question with what its collection holds.

    Parameters
    ----------
    state
        The collection.
    query
        The question.
    vocabulary
        Whether other names of what it says are looked for.
    document
        The one that is searched, where it is only one: no other can be meant then.
    """
    names = state.once(_names) if document is None else None
    code = holds_code(state)
    if not vocabulary:
        return Asked(read(query, names=names, code=code), ())
    mine, wrong = own(state.workspace.settings.data_dir)
    chosen = state.once(_fitting)
    kinds, share = state.once(_kinds), state.once(_shares)
    fitting = tuple(v for v in mine if v.fits(kinds, share))
    reading = read(query, vocabularies=(*fitting, *chosen), names=names, code=code)
    return Asked(reading, wrong)


def holds_code(state: State, /) -> bool:
    """Return whether there is source code among the documents of a collection."""
    return state.once(_holds_code)


def _holds_code(state: State) -> bool:
    return any(map(is_source_code, state.snapshot.documents.table["name"].to_pylist()))


def _names(state: State) -> Names:
    """Return what the documents of a collection are called."""
    segments = state.index.segments
    live = [np.array([d is not None for d in part.documents]) for part in segments]
    ids = [d for part in segments for d in part.documents if d is not None]
    sizes = [np.diff(part.data.starts)[alive] for part, alive in zip(segments, live, strict=True)]

    def counts(term: str) -> np.ndarray:
        found = []
        for part, alive in zip(segments, live, strict=True):
            (posting,) = part.data.terms.find([term])
            if posting is None:
                found.append(np.zeros(int(alive.sum()), dtype=np.int64))
                continue
            # The rows of a document stand side by side, and those of a posting in order: the fewer
            # of both are looked up in the others.
            rows, starts = posting.rows, part.data.starts
            if len(rows) < len(alive):
                places = np.searchsorted(starts, rows, side="right") - 1
                found.append(np.bincount(places, minlength=len(alive))[alive])
            else:
                firsts = np.searchsorted(rows, starts[:-1].astype(rows.dtype))
                found.append(np.diff(firsts, append=len(rows))[alive])
        return np.concatenate(found)

    def frequency(term: str) -> int:
        postings = (part.data.terms.find([term])[0] for part in segments)
        return sum(len(posting.rows) for posting in postings if posting is not None)

    ledger = state.snapshot.documents.table.select(["document_id", "name"]).to_pydict()
    called = dict(zip(ledger["document_id"], ledger["name"], strict=True))
    return Names(
        ids=ids,
        names=[called[d] for d in ids],
        sizes=np.concatenate(sizes) if sizes else np.zeros(0, dtype=np.int64),
        counts=counts,
        frequency=frequency,
    )


def _fitting(state: State) -> tuple[Vocabulary, ...]:
    """Return those of the shipped vocabularies that are for a collection."""
    return shipped(state.once(_kinds), state.once(_shares))


def _kinds(state: State) -> dict[str, float]:
    """Return which share of the documents is of a kind."""
    documents = state.snapshot.documents
    counts = Counter(filter(None, documents.table["document_type"].to_pylist()))
    return {kind: count / len(documents) for kind, count in counts.items()}


class _Shares:
    """Tells which share of the passages holds a term; each is looked up once."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._known: dict[str, float] = {}

    def __call__(self, term: str, /) -> float:
        if term not in self._known:
            found = [part.data.terms.find([term])[0] for part in self._index.segments]
            # Passages of dead revisions count as well: they are of the same kind.
            rows = sum(part.data.size for part in self._index.segments)
            holding = sum(len(posting.rows) for posting in found if posting is not None)
            self._known[term] = holding / rows if rows else 0.0
        return self._known[term]


def _shares(state: State) -> _Shares:
    return _Shares(state.index)
