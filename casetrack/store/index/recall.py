"""What finds the best rows of an index by the signals of a question, wherever the rows are read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np
    from numpy.typing import NDArray

    from casetrack.store.index.rows import Place
    from casetrack.store.index.scope import Scope


@dataclass(frozen=True, slots=True)
class Question:
    """What the recall stages look for; a stage whose part is ``None`` is left out.

    Attributes
    ----------
    terms
        Index terms and their weights, for ``bm25``.
    vector
        float32 [dimension], unit length, for ``semantic``.
    sparse
        Vocabulary ids and weights, for ``sparse``.
    """

    terms: Mapping[str, float] | None = None
    vector: np.ndarray | None = None
    sparse: tuple[np.ndarray, np.ndarray] | None = None


@dataclass(frozen=True, slots=True)
class Unsearched:
    """What a search did not look at.

    Attributes
    ----------
    chunks
        How many passages.
    notes
        Which, and why, in words.
    """

    chunks: int = 0
    notes: tuple[str, ...] = ()


class Lists(Protocol):
    """Makes the lists of one search: the best rows by each signal alone."""

    def top(
        self, scope: Scope, question: Question, depth: int, /
    ) -> Iterator[tuple[str, list[Place], NDArray[np.float32]]]:
        """Yield for each signal its name and its best *depth* rows, in the order of the signals.

        The places stand best first, ties by chunk id, and beside them their scores.
        """
        ...

    @property
    def unsearched(self) -> Unsearched:
        """What none of the lists so far can hold."""
        ...
