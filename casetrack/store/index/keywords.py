"""The keyword index for ``store/sql/bm25.sql``: terms, rows, and postings by term.

Row numbers continue from one segment to the next. Only live rows are returned, and only postings of
the requested terms: a query for two words does not read the postings of all others.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from casetrack.store.index.index import Index

_ROWS = pa.schema(
    {
        "row": pa.int32(),
        "chunk_id": pa.string(),
        "length": pa.int32(),
        "document_id": pa.dictionary(pa.int32(), pa.string()),
        "position": pa.int64(),
    }
)
_POSTING = pa.struct({"row": pa.int32(), "tf": pa.int32(), "length": pa.int32()})


class Keywords:
    """The terms, rows and postings of the segments of an index."""

    def __init__(self, index: Index, /) -> None:
        self._index, self._segments = index, index.segments
        sizes = [part.data.size for part in index.segments]
        self._starts = np.cumsum([0, *sizes], dtype=np.int32)

    @cached_property
    def rows(self) -> pa.Table:
        """The live rows: ``row``, ``chunk_id``, terms, document and the order of equal scores."""
        tables = []
        for number, part in enumerate(self._segments):
            start = int(self._starts[number])
            keys = self._index.keys([(number, row) for row in range(part.data.size)])
            rows = pa.table(
                {
                    "row": np.arange(start, start + part.data.size, dtype=np.int32),
                    "chunk_id": part.data.rows["chunk_id"],
                    "length": part.data.rows["length"],
                    "document_id": pa.DictionaryArray.from_arrays(
                        part.data.column("revision").astype(np.int32),
                        pa.array([d or "" for d in part.documents], pa.string()),
                    ),
                    "position": keys,
                },
                schema=_ROWS,
            )
            tables.append(rows if part.mask is None else rows.filter(pa.array(part.mask)))
        return pa.concat_tables(tables).unify_dictionaries() if tables else _ROWS.empty_table()

    @property
    def terms(self) -> pa.Table:
        """The column ``term``: all terms, once per segment that contains them."""
        keys = [part.data.terms.keys["key"] for part in self._segments]
        chunks = [chunk for key in keys for chunk in key.chunks]
        return pa.table({"term": pa.chunked_array(chunks, pa.string())})

    def postings(
        self, terms: Sequence[str | None], documents: Sequence[Collection[str] | None], /
    ) -> pa.ListArray:
        """Return the list of postings in live rows for each term, in row order.

        *documents* limits each term to the rows of some document ids; ``None`` means all. A posting
        has ``row``, ``tf`` (term frequency) and ``length`` (number of terms of the row), all int32.
        The list of an unknown term is empty.
        """
        lists = [part.data.terms.find([t or "" for t in terms]) for part in self._segments]
        columns: list[list[np.ndarray]] = [[], [], []]
        counts = np.zeros(len(terms) + 1, dtype=np.int32)
        for place in range(len(terms)):
            for start, part, postings in zip(
                self._starts.tolist(), self._segments, lists, strict=False
            ):
                posting = postings[place]
                if posting is None:
                    continue
                chosen = documents[place]
                wanted = part.mask if chosen is None else part.rows_of(chosen)
                if isinstance(wanted, slice):
                    posting = posting.inside(wanted)
                rows, values, _ = posting
                if wanted is not None and not isinstance(wanted, slice):
                    inside = wanted[rows]
                    rows, values = rows[inside], values[inside]
                lengths = part.data.column("length")[rows]
                for column, added in zip(
                    columns, (rows + np.int32(start), values, lengths), strict=True
                ):
                    column.append(added.astype(np.int32))
                counts[place + 1] += len(rows)
        arrays = [pa.array(np.concatenate([np.empty(0, np.int32), *c])) for c in columns]
        return pa.ListArray.from_arrays(
            pa.array(np.cumsum(counts, dtype=np.int32)),
            pa.StructArray.from_arrays(arrays, fields=list(_POSTING)),
        )
