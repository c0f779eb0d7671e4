"""Answers of SQL functions from one committed state of a collection."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from casetrack.base.errors import ChunkNotFound, withheld
from casetrack.graph.opened import graph_of
from casetrack.store.passages import CITE_COLUMNS, make_provenance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from casetrack.base.arguments import Filter
    from casetrack.base.provenance import Provenance
    from casetrack.store.index.keywords import Keywords
    from casetrack.store.index.scope import Place
    from casetrack.store.workspace import State

_SCORES = {"bm25": "bm25", "cosine": "semantic", "maxsim": "maxsim"}
"""Columns of ``search``, by the signal that each shows."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """The rows of a retrieval function, by its columns, and mode, stages and notes of a search."""

    rows: Sequence[dict[str, Any]]
    mode: str | None = None
    stages: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Reading:
    """Answers SQL functions from one committed state, which is opened on demand."""

    def __init__(self, state: State, /) -> None:
        self.state = state

    @cached_property
    def keywords(self) -> Keywords:
        """The keyword index."""
        from casetrack.store.index.keywords import Keywords

        return Keywords(self.state.index)

    def search(
        self, question: str, /, *, k: int, mode: Any, where: Mapping[str, str | None]
    ) -> Retrieved:
        """Return the best passages of the documents that pass all filters."""
        from casetrack.search.search import search

        # Every passage is a separate row: a statement counts and joins them itself.
        answer = search(self.state, question, limit=k, mode=mode, where=_filter(where), fold=False)
        rows = [
            {"rank": hit.rank, "score": hit.score, "citation": hit.citation, "text": hit.text}
            | _document(hit.provenance.document_id, hit.provenance.document_name)
            | {"chunk_id": hit.provenance.chunk_id, "page": hit.provenance.page}
            | {
                column: hit.signals[signal].score if signal in hit.signals else None
                for column, signal in _SCORES.items()
            }
            for hit in answer
        ]
        return Retrieved(rows, answer.mode, answer.stages_used, answer.notes)

    def chosen(self, where: Mapping[str, str | None], /) -> list[str] | None:
        """Return the ids of the documents that pass all filters; ``None`` without any."""
        from casetrack.search.filters import choose

        documents = choose(self.state, _filter(where)).documents
        return None if documents is None else sorted(documents)

    def similar(
        self, chunk_id: str, /, *, k: int, min_similarity: float, same_document: bool
    ) -> Retrieved:
        """Return passages of similar meaning."""
        from casetrack.graph.answers.related import similar_chunks

        matches = similar_chunks(
            graph_of(self.state),
            chunk_id,
            exclude_same_document=not same_document,
            min_similarity=min_similarity,
            limit=k,
        )
        return Retrieved(
            [
                _passage(near.chunk.provenance, near.chunk.text)
                | {"rank": rank, "similarity": near.similarity}
                for rank, near in enumerate(matches, start=1)
            ]
        )

    def context(self, chunk_id: str, /, *, window: int) -> Retrieved:
        """Return a passage with those around it."""
        from casetrack.search.scores import name_at, texts_at

        ((number, row),) = self._places_of([chunk_id])
        snapshot = self.state.snapshot
        data = self.state.index.segments[number].data
        revisions = data.column("revision")
        # The chunks of a document are consecutive in the index, in reading order.
        around = range(max(0, row - window), min(data.size, row + window + 1))
        rows = [other for other in around if revisions[other] == revisions[row]]
        places = [(number, other) for other in rows]
        texts = texts_at(snapshot, self.state.index, places)
        damaged = [name_at(snapshot, self.state.index, p) for p in places if p not in texts]
        return Retrieved(
            [
                _passage(texts[place].provenance, texts[place].text) | {"position": place[1] - row}
                for place in places
                if place in texts
            ],
            notes=tuple(withheld(damaged)),
        )

    def cite(self, chunk_ids: Sequence[str], /) -> list[str]:
        """Return the citations of chunks."""
        places = self._places_of(chunk_ids)
        cited: dict[Place, str] = {}
        for number in {n for n, _ in places}:
            rows = sorted(row for n, row in places if n == number)
            sources = self.state.index.segments[number].data.places_of(rows, CITE_COLUMNS)
            for row, source in zip(rows, sources, strict=True):
                cited[number, row] = make_provenance(source, self.state.snapshot).cite()
        return [cited[place] for place in places]

    def _places_of(self, chunk_ids: Sequence[str]) -> list[Place]:
        places = self.state.index.places(chunk_ids)
        for chunk_id in chunk_ids:
            if chunk_id not in places:
                raise ChunkNotFound(chunk_id)
        return [places[chunk_id] for chunk_id in chunk_ids]


def _filter(where: Mapping[str, str | None]) -> Filter:
    from casetrack.base.arguments import Filter

    return Filter(
        documents=where["document"],
        kinds=where["kind"],
        since=where["since"],
        until=where["until"],
        sources=where["source"],
        paths=where["path"],
        languages=where["language"],
    )


def _document(document_id: str, name: str) -> dict[str, Any]:
    return {"document_id": document_id, "document_name": name}


def _passage(source: Provenance, text: str) -> dict[str, Any]:
    return _document(source.document_id, source.document_name) | {
        "chunk_id": source.chunk_id,
        "page": source.page,
        "citation": source.cite(),
        "text": text,
    }
