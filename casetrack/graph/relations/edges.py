"""Rows of the table ``edges``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.base import schema
from casetrack.base.records.graph import RELATION_TYPES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from casetrack.base.records.graph import Edge

EVIDENCE = 5
DIRECTED = frozenset(RELATION_TYPES) - {
    *("shared_entities", "shared_references", "semantic", "same_thread")
}


@dataclass(frozen=True, slots=True)
class Words:
    """The words that show an edge, in the first chunk of its evidence, and what agrees.

    Attributes
    ----------
    text, start, end
        The words, and their place in the chunk's text; ``None`` where no words say it.
    basis
        What the edge rests on: date, title, parties, number, message id, ...
    position
        Which amendment or supplement of its contract the source is.
    """

    text: str | None = None
    start: int | None = None
    end: int | None = None
    basis: tuple[str, ...] = ()
    position: int | None = None


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
    **others: NDArray[Any],
) -> pa.Table:
    """Return edges of one type between things of one kind, in the declared columns.

    Parameters
    ----------
    others
        Columns that only edges of this type have.
    """
    import pyarrow as pa

    n = len(source)
    declared = schema.table("edges").arrow()
    columns: dict[str, Any] = {
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
    for name, values in others.items():
        columns[name] = pa.array(values, declared.field(name).type)
    for name in set(declared.names) - columns.keys():
        columns[name] = pa.nulls(n, declared.field(name).type)
    return pa.table(columns).select(declared.names).cast(declared)


def table_of(
    kind: str, edges: Iterable[Edge], words: Mapping[tuple[str, str, str], Words], /
) -> pa.Table:
    """Return these edges in the declared columns, ordered by type, source and target.

    Parameters
    ----------
    kind
        What they connect.
    edges
        One for each source, target and type.
    words
        What shows them, by source, target and type, where that is known.
    """
    import pyarrow as pa

    nothing = Words()
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
            "words": shown.text,
            "words_start": shown.start,
            "words_end": shown.end,
            "basis": list(shown.basis) or None,
            "position": shown.position,
        }
        for e in sorted(edges, key=lambda e: e.type)
        for shown in [words.get((e.source, e.target, e.type), nothing)]
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
