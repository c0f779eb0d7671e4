"""Documents as vectors of what they mention or refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from casetrack.answers.statements import ask
from casetrack.graph.topics.grouping import unit_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.graph import ContextGraph


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What documents hold.

    Attributes
    ----------
    ids, names
        Of entities or references.
    held
        float32 [documents, ids], number of places.
    units
        float32 [documents, ids], tf-idf weights, rows of unit length or zeros.
    first
        The first place of each id in each document, by both: a row of ``cluster-features.sql``.
    """

    ids: tuple[str, ...]
    names: tuple[str, ...]
    held: NDArray[np.float32]
    units: NDArray[np.float32]
    first: Mapping[tuple[str, str], Mapping[str, Any]]


def features(graph: ContextGraph, by: str, /) -> Features:
    """Return who and what several documents mention, or what they refer to.

    Parameters
    ----------
    by
        ``entity`` or ``reference``.
    """
    rows = ask(graph, "cluster-features", by=by).to_pylist()
    names = {row["id"]: row["name"] for row in rows}
    columns = {id_: column for column, id_ in enumerate(names)}
    ranks = {document.document_id: rank for rank, document in enumerate(graph.documents)}
    held = np.zeros((len(ranks), len(columns)), dtype=np.float32)
    for row in rows:
        held[ranks[row["document_id"]], columns[row["id"]]] = row["places"]
    spread = (held > 0).sum(axis=0)
    rare = np.log((1 + len(ranks)) / (1 + spread)).astype(np.float32)
    return Features(
        tuple(names),
        tuple(names.values()),
        held,
        unit_rows((np.log1p(held) * rare).astype(np.float32)),
        {(r["id"], r["document_id"]): r for r in rows if r["chunk_id"] is not None},
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
