"""Values that Arrow would change without a word are handed over as text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from casetrack.sql.connection import quoted

if TYPE_CHECKING:
    import duckdb

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
