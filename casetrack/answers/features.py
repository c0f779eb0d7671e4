"""Documents as vectors of what they mention or refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.answers.rows import among, codes_of, counted, document_ranks
from casetrack.graph.topics.grouping import unit_rows
from casetrack.records.graph import NAME_KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.graph.graph import ContextGraph

_FEATURES = 1024

_REFERENCE_TYPES = ("document", "report", "standard", "regulation", "case", "exhibit", "link")


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What documents hold.

    Attributes
    ----------
    ids
        Ids of entities or references.
    held
        float32 [documents, ids], number of places.
    units
        float32 [documents, ids], tf-idf weights, rows of unit length or zeros.
    """

    ids: tuple[str, ...]
    held: NDArray[np.float32]
    units: NDArray[np.float32]


def entity_features(source: ContextGraph, /) -> Features:
    """Return who and what the documents mention: people, organisations and places, if any."""
    table = among(source.table("mentions"), "kind", NAME_KINDS)
    return _features(source, counted(table), "entity_id")


def reference_features(source: ContextGraph, /) -> Features:
    """Return what the documents refer to outside themselves."""
    table = among(source.table("citations"), "type", _REFERENCE_TYPES)
    table = counted(table.filter(table["resolved"]))
    same = _one_per_target(source)
    ids = [same.get(i, i) for i in table["reference_id"].to_pylist()]
    place = table.schema.get_field_index("reference_id")
    return _features(source, table.set_column(place, "reference_id", pa.array(ids)), "reference_id")


def _one_per_target(source: ContextGraph) -> dict[str, str]:
    """Return for each reference to a document of the collection the most cited one to the same."""
    rows = source.table("references").to_pylist()
    rows.sort(key=lambda r: (-r["citation_count"], r["reference_id"]))
    first: dict[str, str] = {}
    return {
        row["reference_id"]: first.setdefault(row["target_document_id"], row["reference_id"])
        for row in rows
        if row["target_document_id"] is not None
    }


def _features(source: ContextGraph, table: pa.Table, column: str) -> Features:
    """Keep what at least two documents hold and not nearly all, the most widespread first."""
    ranks = document_ranks(source)
    total = len(ranks)
    codes, ids = codes_of(table, column)
    documents, names = codes_of(table, "document_id")
    rows = np.array([ranks[n] for n in names], dtype=np.int64)[documents]
    pairs, counts = np.unique(codes * max(total, 1) + rows, return_counts=True)
    feature, row = np.divmod(pairs, max(total, 1))
    spread = np.bincount(feature, minlength=len(ids))
    kept = [i for i in range(len(ids)) if 1 < spread[i] <= max(2, 0.9 * total)]
    kept = sorted(kept, key=lambda i: (-spread[i], ids[i]))[:_FEATURES]
    place = np.full(len(ids) + 1, -1)
    place[kept] = np.arange(len(kept))
    inside = place[feature] >= 0
    held = np.zeros((total, len(kept)), dtype=np.float32)
    held[row[inside], place[feature[inside]]] = counts[inside]
    rare = np.log((1 + total) / (1 + spread[kept])).astype(np.float32) if kept else 1.0
    return Features(
        tuple(ids[i] for i in kept), held, unit_rows((np.log1p(held) * rare).astype(np.float32))
    )


def shared_by(features: Features, members: Sequence[int], /, *, most: int) -> list[int]:
    """Return columns that most of the members hold, more than other documents do; best first."""
    inside = (features.held[list(members)] > 0).mean(axis=0)
    everywhere = (features.held > 0).mean(axis=0)
    score = inside * np.log1p(inside / np.maximum(everywhere, 1e-9))
    several = (features.held[list(members)] > 0).sum(axis=0) >= min(2, len(members))
    order = sorted(
        np.flatnonzero(several & (inside >= 0.5)).tolist() or np.flatnonzero(several).tolist(),
        key=lambda i: (-round(float(score[i]), 6), features.ids[i]),
    )
    return order[:most]
