"""Rows as Arrow can hold them and others can take them: values, whole numbers, names."""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from casetrack.store.sql.connection import quoted

if TYPE_CHECKING:
    from collections.abc import Sequence

    import duckdb
    import pyarrow as pa

_CHANGED = re.compile(
    r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \b(UHUGEINT|BIT|TIME\ WITH\ TIME\ ZONE)\b""", re.VERBOSE
)


def faithful(relation: duckdb.DuckDBPyRelation, /) -> duckdb.DuckDBPyRelation:
    """Return a relation whose values Arrow can hold.

    Arrow has no bit strings and no whole numbers above 128 bits with a sign, and its times of day
    have no zone: DuckDB hands over other bytes, negative numbers and no zone.
    """
    before = [str(kind) for kind in relation.types]
    after = [_CHANGED.sub(lambda m: "VARCHAR" if m[1] else m[0], kind) for kind in before]
    if before == after:
        return relation
    columns = zip(relation.columns, before, after, strict=True)
    return relation.project(
        ", ".join(
            (f"#{i}" if old == new else f"CAST(#{i} AS {new})") + f" AS {quoted(name)}"
            for i, (name, old, new) in enumerate(columns, start=1)
        )
    )


def whole_numbers(table: pa.Table, kinds: Sequence[object], /) -> pa.Table:
    """Return a table whose whole numbers are ``int64`` wherever they fit.

    The sum of whole numbers has 128 bits in DuckDB, a decimal in Arrow, and is an object in pandas.

    Parameters
    ----------
    table
        The rows.
    kinds
        DuckDB's types of the columns.
    """
    import pyarrow as pa

    for i, kind in enumerate(kinds):
        if str(kind) == "HUGEINT":
            with contextlib.suppress(pa.ArrowInvalid):
                whole = table.column(i).cast(pa.int64())
                table = table.set_column(i, table.column_names[i], whole)
    return table


def each_named(table: pa.Table, /) -> pa.Table:
    """Return a table whose columns have different names: ``name``, ``name_1`` and so on.

    DuckDB names the columns of a table so. Frames, JSON and Parquet have no two of a name.
    """
    taken, names = set(table.column_names), list[str]()
    for name in table.column_names:
        free, number = name, 0
        while free in names or (number and free in taken):
            number += 1
            free = f"{name}_{number}"
        names.append(free)
    return table if names == table.column_names else table.rename_columns(names)
