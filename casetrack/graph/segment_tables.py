"""Segments of the graph as they are kept: some Arrow tables about some revisions, mapped.

What a segment says of its documents is laid out in :mod:`casetrack.graph.segment` and
:mod:`casetrack.editions.legal.graph.segment`; here is how it is held, written and read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
import pyarrow as pa

from casetrack.store.index import arrays
from casetrack.store.index.arrays import as_numpy

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

Layout: TypeAlias = Mapping[str, Mapping[str, pa.DataType]]
"""Columns of each table of a segment; ``revisions`` has ``revision``, ascending, and ``start``."""


@dataclass(frozen=True, slots=True)
class TableSegment:
    """What the documents of some revisions say.

    Attributes
    ----------
    revisions
        Ids, ascending.
    starts
        int64 [revisions + 1], first row of each revision in the table that they are counted in.
    tables
        The tables by name.
    """

    revisions: tuple[str, ...]
    starts: np.ndarray
    tables: Mapping[str, pa.Table]

    @classmethod
    def of(cls, tables: Mapping[str, pa.Table], counted: str, /) -> Self:
        """Return the segment that tables make up; ``start`` counts rows of *counted*."""
        revisions = tables["revisions"]
        starts = np.append(as_numpy(revisions["start"]), tables[counted].num_rows)
        return cls(tuple(revisions["revision"].to_pylist()), starts, tables)

    @classmethod
    def load(cls, folder: Path, layout: Layout, counted: str, /) -> Self:
        """Map a saved segment.

        Raises
        ------
        OSError, ValueError
            A file is missing or damaged; the view is then rebuilt.
        """
        tables = {name: arrays.read_table(folder / f"{name}.arrow") for name in layout}
        for name, table in tables.items():
            if table.schema.names != list(layout[name]):
                raise ValueError(f"{folder} has other columns in {name}")
        return cls.of(tables, counted)

    @property
    def size(self) -> int:
        """Number of rows that the revisions are counted in."""
        return int(self.starts[-1])


def table_of(columns: Mapping[str, pa.DataType], rows: Sequence[Mapping[str, Any]], /) -> pa.Table:
    """Return rows as a table of these columns."""
    return pa.table(
        {name: pa.array([row[name] for row in rows], kind) for name, kind in columns.items()},
        schema=pa.schema(list(columns.items())),
    )


def rows_between(table: pa.Table, column: str, start: int, end: int, /) -> tuple[int, int]:
    """Return first and last row (left out) whose ascending *column* is in ``[start, end)``."""
    low, high = np.searchsorted(as_numpy(table[column]), [start, end])
    return int(low), int(high)


def save(segment: TableSegment, folder: Path, /) -> None:
    """Write a segment's files into the new folder *folder*.

    Raises
    ------
    OSError
        They cannot be written.
    """
    folder.mkdir(parents=True)
    for name, table in segment.tables.items():
        write_table(table, folder / f"{name}.arrow")


def write_table(table: pa.Table, path: Path, /, *, at: Path | None = None) -> None:
    """Write a table into a file that can be mapped; *at* is where it will stand."""
    arrays.write_table(_with_used_words(table.combine_chunks()), path, at=at)


def _with_used_words(table: pa.Table) -> pa.Table:
    """Return a table whose dictionaries hold what its rows name, and nothing of rows left out."""
    for place, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            words = table.column(place).cast(field.type.value_type).combine_chunks()
            table = table.set_column(place, field, words.dictionary_encode().cast(field.type))
    return table
