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

    from casetrack.provenance import Provenance
    from casetrack.records.queries import QueryReport
    from casetrack.sql.control import Control
    from casetrack.sql.scope import Tables
    from casetrack.sql.views import GraphView
    from casetrack.views.rows import Place
    from casetrack.workspace import State

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
            timeout=self.settings.sql.timeout_seconds,
            memory_mb=self.settings.sql.memory_mb,
            control=control,
            explain=explain,
        )

    def sql_tables(self) -> Tables:
        """Return what a statement may read of the newest committed state."""
        from casetrack.sql.scope import Tables
        from casetrack.steps.words import index_terms

        reading = _Reading(self, self.workspace.state())
        return Tables(
            ledger=reading.state.snapshot.documents.table,
            chunks=reading.state.snapshot.chunks,
            postings=reading.postings,
            query_terms=index_terms,
            graph=reading.table,
            retrieval=reading,
        )


class _Reading:
    """One state of a collection, for all questions of a statement; opened as far as needed."""

    def __init__(self, collection: Querying, state: State, /) -> None:
        self.state = state
        self._collection = collection
        self._places: dict[str, Place] | None = None

    def table(self, name: GraphView, /) -> pa.Table:
        return self.state.graph.table(name)

    def postings(self) -> Mapping[str, pa.Table]:
        from casetrack.views.index import sql_tables

        return sql_tables(self.state.index)

    def search(self, question: str, /, *, k: int, mode: Any, document: str | None) -> Found:
        found = self._collection.search_in(self.state, question, k=k, mode=mode, document=document)
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
            self.state.graph,
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
        snapshot = self.state.snapshot
        data = self.state.index.segments[number].data
        revisions, row_ids = data.column("revision"), data.column("row_id")
        # The chunks of a document stand side by side in the index, in reading order.
        around = range(max(0, row - window), min(data.size, row + window + 1))
        rows = [other for other in around if revisions[other] == revisions[row]]
        texts = snapshot.take([int(row_ids[r]) for r in rows], ["text"])["text"].to_pylist()
        sources = data.places_of(rows, CITE_COLUMNS)
        return Found(
            [
                _passage(make_provenance(source, snapshot), text) | {"position": other - row}
                for other, source, text in zip(rows, sources, texts, strict=True)
            ]
        )

    def cite(self, chunk_ids: Sequence[str], /) -> list[str]:
        places = [self._place(chunk_id) for chunk_id in chunk_ids]
        cited: dict[Place, str] = {}
        for number in {n for n, _ in places}:
            rows = sorted(row for n, row in places if n == number)
            found = self.state.index.segments[number].data.places_of(rows, CITE_COLUMNS)
            for row, source in zip(rows, found, strict=True):
                cited[number, row] = make_provenance(source, self.state.snapshot).cite()
        return [cited[place] for place in places]

    def _place(self, chunk_id: str) -> Place:
        if self._places is None:
            self._places = {
                part.data.ids[row]: (number, row)
                for number, part in enumerate(self.state.index.segments)
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
