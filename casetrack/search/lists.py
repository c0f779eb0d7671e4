"""The lists of a search, made in this process; and what every signal says of any row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.search.scores import (
    cosine_at,
    dense_top,
    lexical_at,
    lexical_top,
    sparse_at,
    sparse_top,
)
from casetrack.store.index.scope import Unsearched

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.store.index.rows import Place
    from casetrack.store.index.scope import Lists, Question, Scope
    from casetrack.store.workspace import State

_ALL = Unsearched()


class Here:
    """Makes lists of the segments that this process maps; leaves nothing out."""

    @property
    def unsearched(self) -> Unsearched:
        """Nothing."""
        return _ALL

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield the lists; see :class:`casetrack.store.index.scope.Lists`."""
        if question.terms is not None:
            yield "bm25", *lexical_top(scope, question.terms, depth)
        if question.vector is not None:
            yield "semantic", *dense_top(scope.index, question.vector, depth, scope.rows)
        if question.sparse is not None:
            yield "sparse", *sparse_top(scope.index, *question.sparse, depth, scope.rows)


HERE: Lists = Here()


def lists_of(state: State, /) -> Lists:
    """Return what makes the lists of one search of a state."""
    elsewhere = state.workspace.searched_by
    return HERE if elsewhere is None else elsewhere(state)


def scorers(
    scope: Scope, question: Question, /
) -> dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]]:
    """Return for each signal of a question what says its score of any rows.

    A few rows are looked up where they lie: nothing passes over the others.
    """
    found: dict[str, Callable[[Sequence[Place]], NDArray[np.float32]]] = {}
    if (terms := question.terms) is not None:
        found["bm25"] = lambda places: lexical_at(scope, terms, places)
    if (vector := question.vector) is not None:
        found["semantic"] = lambda places: cosine_at(scope.index, vector, places)
    if (sparse := question.sparse) is not None:
        found["sparse"] = lambda places: sparse_at(scope.index, *sparse, places)
    return found
