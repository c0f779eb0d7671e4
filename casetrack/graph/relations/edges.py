"""Rows of the table ``edges``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from casetrack import schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.records.graph import Edge

EVIDENCE = 5
DIRECTED = frozenset({"explicit", "version", "response_to", "amends", "attachment"})


def edge_table(
    kind: str,
    type_: str,
    /,
    *,
    source: pa.Array,
    target: pa.Array,
    weight: NDArray[np.float64],
    count: NDArray[np.int64],
    evidence: pa.ListArray,
) -> pa.Table:
    """Return edges of one type between things of one kind, in the declared columns."""
    import pyarrow as pa

    n = len(source)
    declared = schema.table("edges").arrow()
    columns = {
        "source_id": source,
        "source_kind": pa.repeat(kind, n),
        "target_id": target,
        "target_kind": pa.repeat(kind, n),
        "type": pa.repeat(type_, n),
        "directed": pa.repeat(type_ in DIRECTED, n),
        "weight": pa.array(weight.astype(np.float32)),
        "count": pa.array(count.astype(np.int32)),
        "evidence": evidence.cast(declared.field("evidence").type),
    }
    return pa.table(columns).select(declared.names).cast(declared)


def table_of(kind: str, edges: Iterable[Edge], /) -> pa.Table:
    """Return these edges in the declared columns, ordered by type, source and target."""
    import pyarrow as pa

    rows = [
        {
            "source_id": e.source,
            "source_kind": kind,
            "target_id": e.target,
            "target_kind": kind,
            "type": e.type,
            "directed": e.type in DIRECTED,
            "weight": e.weight,
            "count": e.count,
            "evidence": list(e.evidence),
        }
        for e in sorted(edges, key=lambda e: (e.type, e.source, e.target))
    ]
    return pa.Table.from_pylist(rows, schema=schema.table("edges").arrow())


def lists(ids: Sequence[str], groups: NDArray[np.int64], items: NDArray[np.int64], /) -> pa.Array:
    """Return lists of ids.

    Parameters
    ----------
    ids
        What *items* point to.
    groups
        int64 [n + 1], where each list begins among *items*, and the end of the last one.
    items
        Positions among *ids*.
    """
    import pyarrow as pa

    return pa.ListArray.from_arrays(groups.astype(np.int32), taken(ids, items))


def taken(ids: Sequence[str], items: NDArray[np.int64], /) -> pa.Array:
    """Return the ids at these positions."""
    import pyarrow as pa

    return pa.array(ids, pa.string()).take(pa.array(items))
