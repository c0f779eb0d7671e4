"""Asking a collection in SQL, with retrieval as functions of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from casetrack.collection.again import asks_again
from casetrack.collection.finding import Finding
from casetrack.errors import ChunkNotFound
from casetrack.sql.functions import Found
from casetrack.store.find import chunks_of, find_chunk
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph
    from casetrack.records import Chunk
    from casetrack.records.queries import QueryReport
    from casetrack.sql.query import Tables
    from casetrack.sql.views import GraphView
    from casetrack.store.datasets import Snapshot
    from casetrack.views.index import Index
    from casetrack.views.rows import Place

_SCORES = {"bm25": "bm25", "cosine": "semantic", "maxsim": "maxsim"}
"""Columns of ``search``, by the signal that each shows."""


@asks_again
class Querying(Finding):
    """SQL."""

    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = ...,
        explain: Literal[False] = ...,
    ) -> pa.Table: ...
    @overload
    def sql(
        self, statement: str, /, *, params: Mapping[str, Any] | None = ..., explain: Literal[True]
    ) -> QueryReport: ...
    def sql(
        self, statement: str, /, *, params: Mapping[str, Any] | None = None, explain: bool = False
    ) -> pa.Table | QueryReport:
        """Run a reading SQL statement over the collection's views and functions.

        Parameters
        ----------
        statement
            DuckDB SQL; :func:`casetrack.sql.catalog.catalog` lists what it may name. The functions
            ``search``, ``similar``, ``context`` and ``cite`` find what the methods of the same
            name find.
        params
            Values of parameters, which the statement writes as ``$name``.
        explain
            Return the plan and what was asked of the retrieval engine as well.

        Returns
        -------
        pyarrow.Table or QueryReport
            The rows; with *explain* how they came about as well.

        Raises
        ------
        QueryError
            See :func:`casetrack.sql.query.run_query`.
        UsageError, ModelNotFound, FreeTierLimit
            What a retrieval function raises; see
            :meth:`~casetrack.collection.Collection.search`.
        """
        from casetrack.sql.query import run_query

        return run_query(statement, self.sql_tables(), params=params, explain=explain)

    def sql_tables(self) -> Tables:
        """Return what a statement may read of the newest committed state."""
        from casetrack.sql.query import Tables
        from casetrack.steps.words import index_terms

        reading = _Reading(self, self.snapshot())
        return Tables(
            ledger=reading.snapshot.documents.table,
            chunks=reading.snapshot.chunks,
            postings=reading.postings,
            query_terms=index_terms,
            graph=reading.table,
            retrieval=reading,
        )

    def index_of(self, snapshot: Snapshot, /) -> Index:
        """Return the search index of one state, also where a newer one has come meanwhile."""
        from casetrack.views.index import open_index

        newest, index = self.index()
        if newest is snapshot:
            return index
        return open_index(self.folder, snapshot, fingerprint=self._fingerprint(snapshot))

    def graph_of(self, snapshot: Snapshot, index: Index, /) -> ContextGraph:
        """Return the graph of one state, also where a newer one has come meanwhile."""
        from casetrack.graph.graph import ContextGraph

        graph = self.context_graph()
        if self.snapshot() is snapshot:
            return graph
        return ContextGraph(self.folder, self.info, snapshot, index)


class _Reading:
    """One state of a collection, for all questions of a statement; opened as far as needed."""

    def __init__(self, collection: Querying, snapshot: Snapshot, /) -> None:
        self.snapshot = snapshot
        self._collection = collection
        self._index: Index | None = None
        self._graph: ContextGraph | None = None
        self._places: dict[str, Place] | None = None

    @property
    def index(self) -> Index:
        if self._index is None:
            self._index = self._collection.index_of(self.snapshot)
        return self._index

    @property
    def graph(self) -> ContextGraph:
        if self._graph is None:
            self._graph = self._collection.graph_of(self.snapshot, self.index)
        return self._graph

    def table(self, name: GraphView, /) -> pa.Table:
        return self.graph.table(name)

    def postings(self) -> Mapping[str, pa.Table]:
        from casetrack.views.index import sql_tables

        return sql_tables(self.index)

    def search(self, question: str, /, *, k: int, mode: Any, document: str | None) -> Found:
        found = self._collection.search_in(
            self.snapshot, self.index, question, k=k, mode=mode, document=document
        )
        rows = [
            {"rank": hit.rank, "score": hit.score, "citation": hit.citation, "text": hit.text}
            | _document(hit.provenance.document_id, hit.provenance.document_name)
            | {"chunk_id": hit.provenance.chunk_id, "page": hit.provenance.page}
            | {
                column: hit.signals[signal].score if signal in hit.signals else None
                for column, signal in _SCORES.items()
            }
            for hit in found
        ]
        return Found(rows, found.mode, found.stages_used, found.notes)

    def similar(
        self, chunk_id: str, /, *, k: int, min_similarity: float, same_document: bool
    ) -> Found:
        from casetrack.graph.answers.similar import similar_chunks

        found = similar_chunks(
            self.graph,
            chunk_id,
            exclude_same_document=not same_document,
            min_similarity=min_similarity,
            limit=k,
        )
        return Found(
            [
                _passage(near.chunk) | {"rank": rank, "similarity": near.similarity}
                for rank, near in enumerate(found, start=1)
            ]
        )

    def context(self, chunk_id: str, /, *, window: int) -> Found:
        chunk = find_chunk(self.snapshot, chunk_id)
        siblings = chunks_of(self.snapshot, self.snapshot.documents[chunk.provenance.document_id])
        place = next(i for i, c in enumerate(siblings) if c.chunk_id == chunk_id)
        low = max(0, place - window)
        return Found(
            [
                _passage(near) | {"position": position}
                for position, near in enumerate(siblings[low : place + window + 1], low - place)
            ]
        )

    def cite(self, chunk_ids: Sequence[str], /) -> list[str]:
        places = [self._place(chunk_id) for chunk_id in chunk_ids]
        cited: dict[Place, str] = {}
        for number in {n for n, _ in places}:
            rows = sorted(row for n, row in places if n == number)
            found = self.index.segments[number].data.places_of(rows, CITE_COLUMNS)
            for row, source in zip(rows, found, strict=True):
                cited[number, row] = make_provenance(source, self.snapshot).cite()
        return [cited[place] for place in places]

    def _place(self, chunk_id: str) -> Place:
        if self._places is None:
            self._places = {
                part.data.ids[row]: (number, row)
                for number, part in enumerate(self.index.segments)
                for row in range(part.data.size)
                if part.mask is None or part.mask[row]
            }
        if chunk_id not in self._places:
            raise ChunkNotFound(chunk_id)
        return self._places[chunk_id]


def _document(document_id: str, name: str) -> dict[str, Any]:
    return {"document_id": document_id, "document_name": name}


def _passage(chunk: Chunk) -> dict[str, Any]:
    source = chunk.provenance
    return {
        "chunk_id": source.chunk_id,
        "document_name": source.document_name,
        "page": source.page,
        "citation": source.cite(),
        "text": chunk.text,
    }
