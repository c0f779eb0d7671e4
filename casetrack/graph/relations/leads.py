"""What relations between documents are read from, made once for all of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.relations.catalogue import Catalogue

if TYPE_CHECKING:
    from casetrack.base.records import Document
    from casetrack.graph.graph import ContextGraph


class Leads:
    """The documents with their names, first chunks and texts.

    Parameters
    ----------
    source
        The collection.
    """

    def __init__(self, source: ContextGraph, /) -> None:
        self._source = source
        self.documents: tuple[Document, ...] = source.documents
        self.position = {d.document_id: i for i, d in enumerate(self.documents)}
        self.catalogue = Catalogue(self.documents)

    def id(self, position: int, /) -> str:
        """Return the id of a document."""
        return self.documents[position].document_id

    def chunk_ids(self, position: int, /, limit: int) -> tuple[str, ...]:
        """Return the first chunks of a document."""
        start, end = self._bounds[position : position + 2].tolist()
        return self._source.chunk_vectors().ids[start : min(end, start + limit)]

    def first_chunks(self, *positions: int) -> tuple[str, ...]:
        """Return the first chunk of each of these documents that has one."""
        return tuple(chunk for i in positions for chunk in self.chunk_ids(i, 1))

    def text(self, position: int, /, limit: int) -> str:
        """Return the text of the first *limit* chunks; what overlaps is there twice."""
        chunks = self._source.chunks(self.chunk_ids(position, limit))
        return "\n".join(chunk.text for chunk in chunks)

    def cosine(self, i: int, j: int, /) -> float:
        """Return how near two documents are as a whole; 0 where one has no vector."""
        vectors = self._source.document_vectors()
        a, b = vectors[i].astype(np.float64), vectors[j].astype(np.float64)
        lengths = float(np.sqrt((a @ a) * (b @ b)))
        return float(a @ b) / lengths if lengths else 0.0

    @cached_property
    def _bounds(self) -> np.ndarray:
        of = self._source.chunk_vectors().documents
        return np.searchsorted(of, np.arange(len(self.documents) + 1))
