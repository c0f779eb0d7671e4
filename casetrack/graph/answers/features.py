"""Documents as vectors of what they mention or refer to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from casetrack.graph.answers.statements import ask

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from casetrack.graph.graph import ContextGraph


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """What documents hold.

    Attributes
    ----------
    ids
        Of entities or references.
    table
        Rows of ``cluster-features.sql``.
    held
        float32 [documents, ids], number of places.
    units
        float32 [documents, ids], what each weighs in a document, as a share of the length of all
        that the document holds: products of rows are cosines, but for what one document alone
        holds.
    standing
        float32 [ids], mean over the documents that hold it: 3 for a party, less for a place.
    """

    ids: tuple[str, ...]
    table: pa.Table
    held: NDArray[np.float32]
    units: NDArray[np.float32]
    standing: NDArray[np.float32]

    def rows(self, ids: Collection[str], /) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of some ids, by id."""
        own = self.table.filter(pc.is_in(self.table["id"], value_set=pa.array(ids, pa.string())))
        found: dict[str, list[dict[str, Any]]] = {}
        for row in own.to_pylist():
            found.setdefault(row["id"], []).append(row)
        return found


def features(graph: ContextGraph, by: str, /) -> Features:
    """Return who and what several documents mention, or what they refer to.

    Parameters
    ----------
    by
        ``entity`` or ``reference``.
    """
    table = ask(graph, "cluster-features", by=by)
    ids = table["id"].unique()
    documents = pa.array([document.document_id for document in graph.documents], pa.string())
    row = np.asarray(pc.index_in(table["document_id"], value_set=documents))
    column = np.asarray(pc.index_in(table["id"], value_set=ids))
    held = np.zeros((len(documents), len(ids)), dtype=np.float32)
    held[row, column] = table["places"].to_numpy()
    length = np.maximum(table["length"].to_numpy(), 1e-9)
    units = np.zeros_like(held)
    units[row, column] = table["weight"].to_numpy() / length
    standing = np.zeros_like(held)
    standing[row, column] = table["standing"].to_numpy()
    mean = standing.sum(axis=0) / np.maximum((held > 0).sum(axis=0), 1)
    return Features(tuple(ids.to_pylist()), table, held, units, mean.astype(np.float32))


def shared_by(features: Features, members: Sequence[int], /, *, most: int) -> list[int]:
    """Return columns that most of the members hold, more than other documents do; best first."""
    inside = (features.held[list(members)] > 0).mean(axis=0)
    everywhere = (features.held > 0).mean(axis=0)
    score = inside * np.log1p(inside / np.maximum(everywhere, 1e-9)) * features.standing
    several = (features.held[list(members)] > 0).sum(axis=0) >= min(2, len(members))
    order = sorted(
        np.flatnonzero(several & (inside >= 0.5)).tolist() or np.flatnonzero(several).tolist(),
        key=lambda i: (-round(float(score[i]), 6), features.ids[i]),
    )
    return order[:most]
