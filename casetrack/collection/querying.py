"""Asking a collection in SQL, with retrieval as functions of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from casetrack.collection.again import asks_again
from casetrack.collection.finding import Finding
from casetrack.errors import ChunkNotFound
from casetrack.sql.functions import Found
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.graph.graph import ContextGraph
    from casetrack.provenance import Provenance
    from casetrack.records.queries import QueryReport
    from casetrack.sql.control import Control
    from casetrack.sql.scope import Tables
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
        control: Control | None = ...,
    ) -> pa.Table: ...
    @overload
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = ...,
        explain: Literal[True],
        control: Control | None = ...,
    ) -> QueryReport: ...
    def sql(
        self,
        statement: str,
        /,
        *,
        params: Mapping[str, Any] | None = None,
        explain: bool = False,
        control: Control | None = None,
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
        control
            Stops the statement from another thread.

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

        Notes
        -----
        ``[sql]`` in ``config.toml`` limits time and memory. No limit reaches into a single call of
        a DuckDB function, such as ``repeat('x', 1000000000)``: it ends when it is done.
        ``casetrack query`` ends its own process then, which a library must not do.
        """
        from casetrack.sql.query import run_query

        return run_query(
            statement,
            self.sql_tables(),
            params=params,
            timeout=self._settings.sql.timeout_seconds,
            memory_mb=self._settings.sql.memory_mb,
            control=control,
            explain=explain,
        )

    def sql_tables(self) -> Tables:
        """Return what a statement may read of the newest committed state."""
        from casetrack.sql.scope import Tables
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
        from casetrack.answers.similar import similar_chunks

        found = similar_chunks(
            self.graph,
            chunk_id,
            exclude_same_document=not same_document,
            min_similarity=min_similarity,
            limit=k,
        )
        return Found(
            [
                _passage(near.chunk.provenance, near.chunk.text)
                | {"rank": rank, "similarity": near.similarity}
                for rank, near in enumerate(found, start=1)
            ]
        )

    def context(self, chunk_id: str, /, *, window: int) -> Found:
        number, row = self._place(chunk_id)
        data = self.index.segments[number].data
        revisions, row_ids = data.column("revision"), data.column("row_id")
        # The chunks of a document stand side by side in the index, in reading order.
        around = range(max(0, row - window), min(data.size, row + window + 1))
        rows = [other for other in around if revisions[other] == revisions[row]]
        texts = self.snapshot.take([int(row_ids[r]) for r in rows], ["text"])["text"].to_pylist()
        sources = data.places_of(rows, CITE_COLUMNS)
        return Found(
            [
                _passage(make_provenance(source, self.snapshot), text) | {"position": other - row}
                for other, source, text in zip(rows, sources, texts, strict=True)
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


def _passage(source: Provenance, text: str) -> dict[str, Any]:
    return _document(source.document_id, source.document_name) | {
        "chunk_id": source.chunk_id,
        "page": source.page,
        "citation": source.cite(),
        "text": text,
    }
