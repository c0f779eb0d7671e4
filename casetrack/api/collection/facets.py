"""Filters for the passages that match a question, with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack.base.arguments import Filter, as_documents, as_list
from casetrack.base.records import Facet, Facets, FacetValue
from casetrack.graph.answers.lookup import entity_ids
from casetrack.graph.opened import graph_of
from casetrack.search.hits import NO_MENTIONS, find_hits, named_in, values_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from casetrack.search.hits import Values
    from casetrack.store.workspace import State


NAMES = ("document", "kind", "year", "person", "organization", "language", "source")


def find_facets(
    state: State,
    query: str,
    where: Filter,
    /,
    *,
    shown: Iterable[str] = (),
    most: int = 8,
    waits: bool = True,
) -> Facets:
    """Return filters for a question; see :meth:`casetrack.api.collection.Collection.facets`."""
    hits = find_hits(state, query, where, shown=tuple(shown))
    unread = 0 if waits or where.mentions else graph_of(state).lacking
    named = NO_MENTIONS if unread else state.once(named_in)
    of_documents, chosen = state.once(values_of), _chosen(state, where)
    passing = hits.passing()
    mentions = named.counts(hits.passages[passing])
    facets = []
    for name in NAMES:
        if name in of_documents:
            known, of = of_documents[name]
            held = of[hits.documents[hits.passing(without=name)]]
            counts = np.bincount(held, minlength=len(known.ids))
            asked = chosen[name]
        else:
            known, is_kind = named.known, named.kinds == name
            counts = np.where(is_kind, mentions, 0)
            asked = known.ids[is_kind & np.isin(known.ids, chosen["mentions"])].tolist()
        facets.append(_facet(name, known, counts, asked, most))
    return Facets(int(np.count_nonzero(passing)), tuple(facets), unread)


def _facet(
    name: str, known: Values, counts: NDArray[np.int64], asked: Sequence[str], most: int
) -> Facet:
    """Return the most frequent values of a facet, and those *asked* for."""
    is_asked = np.isin(known.ids, asked)
    held = np.flatnonzero((known.ids != "") & ((counts > 0) | is_asked))
    best = held[np.argsort(-counts[held], kind="stable")].tolist()
    shown = [*best[:most], *(n for n in best[most:] if is_asked[n])]
    values = [FacetValue(str(known.ids[n]), known.labels[n], int(counts[n])) for n in shown]
    # A filter may also be a format, or the English name of a language.
    others = sorted({*asked} - {*known.ids[is_asked].tolist()})
    values += [FacetValue(each, each, 0) for each in others]
    return Facet(name, tuple(values), len(best) + len(others))


def _chosen(state: State, where: Filter) -> dict[str, Sequence[str]]:
    named = () if where.documents is None else as_documents(where.documents)
    mentions = as_list(where.mentions or ())
    return {
        "document": [state.document(each).document_id for each in named],
        "kind": as_list(where.kinds or ()),
        "language": as_list(where.languages or ()),
        "source": as_list(where.sources or ()),
        "year": [str(where.since)] if where.since and where.since == where.until else [],
        "mentions": list(entity_ids(graph_of(state), mentions)) if mentions else [],
    }
