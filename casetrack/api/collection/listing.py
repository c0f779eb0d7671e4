"""The list of documents, a part at a time, each with whom it mentions most."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from casetrack.graph.answers.rows import one_of, total_of, within
from casetrack.graph.opened import graph_of
from casetrack.store.sql.connection import sql_text

if TYPE_CHECKING:
    from casetrack.base.records import Document
    from casetrack.store.workspace import State

LIST_ORDERS = ("name", "type", "pages", "date", "own_date", "author")
_PEOPLE = 3
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Listed:
    """A document in the list.

    Attributes
    ----------
    document
        Its row of the ledger.
    people
        Ids and names of those it mentions most.
    """

    document: Document
    people: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """A part of the list of documents.

    Attributes
    ----------
    documents
        Those that were asked for.
    total
        How many there are.
    """

    documents: tuple[Listed, ...]
    total: int


def listing(
    state: State,
    /,
    *,
    words: str = "",
    kind: str = "",
    partly: bool = False,
    sort_by: str = "name",
    offset: int = 0,
    limit: int = 100,
) -> Listing:
    """Return a part of the list of documents.

    Parameters
    ----------
    words
        What their name or title holds, letter case aside.
    kind
        Only this type.
    partly
        Only those that were not read in full.
    sort_by
        One of :data:`LIST_ORDERS`; by ``date`` what came in last is first, by ``own_date`` the
        latest by :attr:`casetrack.base.records.Document.dated_at`.
    offset, limit
        Which part, at most 1,000 documents.

    Raises
    ------
    UsageError
        There is no such order, or the part is too large.
    """
    one_of("sort_by", sort_by, LIST_ORDERS)
    asked = {
        "words": words,
        "kind": kind,
        "partly": partly,
        "sort_by": sort_by,
        "offset": max(offset, 0),
        "limit": within("limit", limit, 1, _MOST),
    }
    rows = graph_of(state).sql(sql_text("listing"), asked).to_pylist()
    ids = [row["document_id"] for row in rows]
    people: dict[str, list[tuple[str, str]]] = defaultdict(list)
    if ids:
        found = graph_of(state).sql(sql_text("people_of"), {"documents": ids, "most": _PEOPLE})
        for row in found.to_pylist():
            people[row["document_id"]].append((row["entity_id"], row["name"]))
    known = state.snapshot.documents
    listed = tuple(Listed(known[own], tuple(people[own])) for own in ids)
    return Listing(listed, total_of(rows))


def types_of(state: State, /) -> dict[str, int]:
    """Return the types of documents that there are, and how many are of each, most first."""
    rows = (
        graph_of(state)
        .sql(
            "SELECT coalesce(document_type, 'other') AS type, count(*) AS documents "
            "FROM documents GROUP BY ALL ORDER BY documents DESC, type"
        )
        .to_pylist()
    )
    return {row["type"]: row["documents"] for row in rows}
