"""Conversion of rows of the graph's tables to records, and checks of limits."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from casetrack.base.arguments import within
from casetrack.base.records.graph import Entity, Reference
from casetrack.base.records.shape import from_members
from casetrack.base.resources import resource_dir

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records.graph import Quote
    from casetrack.graph.graph import ContextGraph


def entity_of(row: Mapping[str, Any], /) -> Entity:
    """Convert a row of ``entities`` to its record."""
    aliases, is_edited = tuple(row["aliases"] or ()), bool(row.get("edited_by_user"))
    return from_members(Entity, row, aliases=aliases, edited_by_user=is_edited)


def reference_of(row: Mapping[str, Any], /) -> Reference:
    """Convert a row of ``references`` to its record."""
    return from_members(Reference, row, target_document=row["target_document_name"])


def total_of(rows: Sequence[Mapping[str, Any]], /) -> int:
    """Return the number of rows without the limit, from the column ``total``."""
    return rows[0]["total"] if rows else 0


def quotes_of(graph: ContextGraph, rows: Iterable[Mapping[str, Any]], /) -> list[Quote]:
    """Return the quotes of rows with ``chunk_id``, ``char_start`` and ``char_end``."""
    return graph.quotes([(r["chunk_id"], r["char_start"], r["char_end"]) for r in rows])


def picked(table: pa.Table, positions: Sequence[int], /) -> pa.Table:
    """Return the rows at *positions*, in this order."""
    return table.take(pa.array(positions, pa.int64()))


def numbers(table: pa.Table, column: str, /) -> NDArray[Any]:
    """Return a column without nulls as a numpy array."""
    return np.asarray(table[column].to_numpy())


def up_to(limit: int | None, most: int, /) -> int | None:
    """Return *limit*, where ``None`` means all; ``UsageError`` if it is not in ``1..most``."""
    return None if limit is None else within("limit", limit, 1, most)


# The SQL of the answers: files of ``pipelines/queries/answers``, each one statement.


@cache
def statement(name: str, /) -> str:
    """Return the text of ``NAME.sql``."""
    folder = resource_dir("pipelines") / "queries" / "answers"
    return (folder / f"{name}.sql").read_text(encoding="utf-8")


def ask(graph: ContextGraph, name: str, /, **values: Any) -> pa.Table:
    """Run the statement *name* over a graph with values for all its parameters."""
    return graph.sql(statement(name), values)
