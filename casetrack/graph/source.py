"""What the answers of the graph are made from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.records import Chunk, CollectionInfo, Document
    from casetrack.records.graph import Quote

TableName = Literal[
    "entities", "mentions", "dates", "amounts", "references", "citations", "edges", "topics"
]


@dataclass(frozen=True, slots=True, eq=False)
class Vectors:
    """Vectors of many chunks or documents.

    Attributes
    ----------
    ids
        Ids of chunks or documents.
    documents
        int32 [n], position of each one's document among ``GraphSource.documents``.
    codes
        int8 [n, dimension]; times its scale, a row has about unit length.
    scales
        float32 [n]; 0 where there is no vector.
    """

    ids: tuple[str, ...]
    documents: NDArray[np.int32]
    codes: NDArray[np.int8]
    scales: NDArray[np.float32]


class GraphSource(Protocol):
    """One state of a collection with its graph; tables are made once, when first asked for."""

    @property
    def info(self) -> CollectionInfo:
        """The collection."""

    @property
    def documents(self) -> tuple[Document, ...]:
        """All documents, ordered by name, path and id."""

    def table(self, name: TableName, /) -> pa.Table:
        """Return a table of the graph, as ``schemas`` declares it, all live rows."""

    def edges(self, kind: Literal["entity", "document", "chunk"], /) -> pa.Table:
        """Return those rows of ``edges`` that connect nodes of one kind; the rest is not made."""

    def sql(self, statement: str, /, params: Mapping[str, Any] | None = None) -> pa.Table:
        """Run a SELECT over those tables, and ``documents`` and ``chunks``, of trusted text.

        Values come as ``$name`` parameters, never inside the text.
        """

    def chunk_vectors(self) -> Vectors:
        """Return the vectors of all chunks, ordered by document and position."""

    def document_vectors(self) -> NDArray[np.float32]:
        """Return float32 [documents, dimension]: the mean of the chunks' vectors, unit length.

        Zeros for a document without any.
        """

    def phrases(self, chunk_ids: Sequence[str], /) -> list[list[str]]:
        """Return for each chunk the keys of the phrases in it, candidates for labels."""

    def chunks(self, chunk_ids: Sequence[str], /) -> list[Chunk]:
        """Return chunks by id, in this order, with text and full source."""

    def quotes(self, places: Sequence[tuple[str, int, int]], /) -> list[Quote]:
        """Return quotes of places: chunk id, start and end in its text; in this order."""
