"""Filters for the passages that match a question, with counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from casetrack.base.arguments import Filter, as_documents, as_list
from casetrack.base.records import Facet, Facets, FacetValue
from casetrack.graph.answers.lookup import entity_ids
from casetrack.graph.opened import graph_of
from casetrack.search.hits import NO_MENTIONS, find_hits, named_in
from casetrack.store.sql.connection import sql_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

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
    tables = {
        "hits": hits.passages,
        "files": hits.files,
        "named": named.pairs,
        "who": named.entities,
    }
    mentioned = list(entity_ids(graph_of(state), as_list(where.mentions))) if where.mentions else []
    values = {"most": most, "chosen": _chosen(state, where), "mentioned": mentioned}
    rows = graph_of(state).sql(sql_text("facets"), values, tables=tables).to_pylist()
    facets = []
    for name in NAMES:
        own = [row for row in rows if row["facet"] == name]
        counted = tuple(
            FacetValue(row["value"], _label(state, row), row["passages"]) for row in own
        )
        facets.append(Facet(name, counted, own[0]["total"] if own else 0))
    return Facets(hits.passing, tuple(facets), unread)


def _label(state: State, row: Mapping[str, Any]) -> str:
    if row["facet"] == "document":
        return state.snapshot.documents[row["value"]].name
    return str(row["name"] or row["value"])


def _chosen(state: State, where: Filter) -> list[str]:
    named = () if where.documents is None else as_documents(where.documents)
    pairs: list[tuple[str, Sequence[str]]] = [
        ("document", [state.document(each).document_id for each in named]),
        ("kind", as_list(where.kinds or ())),
        ("language", as_list(where.languages or ())),
        ("source", as_list(where.sources or ())),
        ("year", [str(where.since)] if where.since and where.since == where.until else []),
    ]
    return [f"{name}/{value}" for name, values in pairs for value in values]
