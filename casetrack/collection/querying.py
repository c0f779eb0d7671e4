"""Asking a collection in SQL, with retrieval as functions of SQL."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from casetrack.collection.again import asks_again
from casetrack.collection.finding import Finding
from casetrack.errors import ChunkNotFound
from casetrack.sql.database import Kept
from casetrack.sql.functions import Retrieved
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from casetrack.provenance import Provenance
    from casetrack.records.queries import QueryReport
    from casetrack.sql.control import Control
    from casetrack.sql.scope import Tables
    from casetrack.sql.views import EdgeKind, GraphView
    from casetrack.views.keywords import Keywords
    from casetrack.views.rows import Place
    from casetrack.workspace import State

_SCORES = {"bm25": "bm25", "cosine": "semantic", "maxsim": "maxsim"}
"""Columns of ``search``, by the signal that each shows."""


@asks_again
class Querying(Finding):
    """SQL."""

    def __init__(self, *opened: Any) -> None:
        super().__init__(*opened)
        self._kept = Kept()
        self._read: tuple[State, Tables] | None = None

    def forget(self) -> None:
        """Let go of all that is in memory; the next call opens it anew."""
        super().forget()
        self._read = None
        self._kept.close()

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
            kept=self._kept,
            explain=explain,
        )

    def sql_tables(self) -> Tables:
        """Return what a statement may read of the newest committed state."""
        from casetrack.sql.scope import Tables
        from casetrack.steps.words import index_terms

        state = self.workspace.state()
        if self._read is None or self._read[0] is not state:
            reading = _Reading(self, state)
            tables = Tables(
                ledger=state.snapshot.documents.table,
                chunks=state.snapshot.chunks,
                keywords=reading.keywords,
                query_terms=index_terms,
                graph=reading,
                retrieval=reading,
            )
            self._read = state, tables
        return self._read[1]


class _Reading:
    """One state of a collection, for all questions of a statement; opened as far as needed."""

    def __init__(self, collection: Querying, state: State, /) -> None:
        self.state = state
        self._collection = collection
        self._keywords: Keywords | None = None

    def table(self, name: GraphView, /) -> pa.Table:
        return self.state.graph.table(name)

    def edges(self, kind: EdgeKind, /) -> pa.Table:
        return self.state.graph.edges(kind)

    def keywords(self) -> Keywords:
        from casetrack.views.keywords import Keywords

        if self._keywords is None:
            self._keywords = Keywords(self.state.index)
        return self._keywords

    def search(self, question: str, /, *, k: int, mode: Any, document: str | None) -> Retrieved:
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
        return Retrieved(rows, found.mode, found.stages_used, found.notes)

    def similar(
        self, chunk_id: str, /, *, k: int, min_similarity: float, same_document: bool
    ) -> Retrieved:
        from casetrack.answers.similar import similar_chunks

        found = similar_chunks(
            self.state.graph,
            chunk_id,
            exclude_same_document=not same_document,
            min_similarity=min_similarity,
            limit=k,
        )
        return Retrieved(
            [
                _passage(near.chunk.provenance, near.chunk.text)
                | {"rank": rank, "similarity": near.similarity}
                for rank, near in enumerate(found, start=1)
            ]
        )

    def context(self, chunk_id: str, /, *, window: int) -> Retrieved:
        ((number, row),) = self._places_of([chunk_id])
        snapshot = self.state.snapshot
        data = self.state.index.segments[number].data
        revisions, row_ids = data.column("revision"), data.column("row_id")
        # The chunks of a document stand side by side in the index, in reading order.
        around = range(max(0, row - window), min(data.size, row + window + 1))
        rows = [other for other in around if revisions[other] == revisions[row]]
        texts = snapshot.take([int(row_ids[r]) for r in rows], ["text"])["text"].to_pylist()
        sources = data.places_of(rows, CITE_COLUMNS)
        return Retrieved(
            [
                _passage(make_provenance(source, snapshot), text) | {"position": other - row}
                for other, source, text in zip(rows, sources, texts, strict=True)
            ]
        )

    def cite(self, chunk_ids: Sequence[str], /) -> list[str]:
        places = self._places_of(chunk_ids)
        cited: dict[Place, str] = {}
        for number in {n for n, _ in places}:
            rows = sorted(row for n, row in places if n == number)
            found = self.state.index.segments[number].data.places_of(rows, CITE_COLUMNS)
            for row, source in zip(rows, found, strict=True):
                cited[number, row] = make_provenance(source, self.state.snapshot).cite()
        return [cited[place] for place in places]

    def _places_of(self, chunk_ids: Sequence[str]) -> list[Place]:
        places = self.state.index.places(chunk_ids)
        for chunk_id in chunk_ids:
            if chunk_id not in places:
                raise ChunkNotFound(chunk_id)
        return [places[chunk_id] for chunk_id in chunk_ids]


def _document(document_id: str, name: str) -> dict[str, Any]:
    return {"document_id": document_id, "document_name": name}


def _passage(source: Provenance, text: str) -> dict[str, Any]:
    return _document(source.document_id, source.document_name) | {
        "chunk_id": source.chunk_id,
        "page": source.page,
        "citation": source.cite(),
        "text": text,
    }
