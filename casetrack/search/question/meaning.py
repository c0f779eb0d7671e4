"""Similarity in meaning between a question and the terms of the shipped vocabularies.

A word of a question may name a term by chance: *receive* is no receivable, and "under the terms of
the contract" does not ask for its duration. And a question may mean a term whose names it does not
contain. The vectors of the terms are part of the product, made by ``tools/training/meaning``.
"""

from __future__ import annotations

import functools
from importlib import resources
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from casetrack.base.dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from casetrack.search.question.vocabularies import Term

PROFILES = ("mini",)
"""Profiles with vectors of terms."""
UNRELATED, RELATED = -0.2, 0.0
"""Relative similarity up to which a named term is not meant, and from which it certainly is."""
MEANT, LIKELY = 0.42, 0.06
"""Minimum similarity, and relative similarity, of a term that the question does not name."""


class _Vectors(NamedTuple):
    terms: list[tuple[str, str]]  # Vocabulary and name of each term
    # float32 [n, dimension], unit length, without the part that all terms share
    rows: NDArray[np.float32]
    shared: NDArray[np.float32]  # float32 [dimension], unit length: the mean of all terms
    # float32 [n]: mean similarity with the nearest terms of the vocabulary. Terms in the middle of
    # many are near every question.
    near: NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Meaning:
    """The similarities of a question with the shipped terms, by vocabulary and name.

    Relative similarity is less by that of the nearest other terms (Conneau et al. 2018, CSLS).
    """

    similar: Mapping[tuple[str, str], float]
    relative: Mapping[tuple[str, str], float]

    def certainty(self, term: Term, /) -> float:
        """Return how certainly a question that names a term means it, 0 to 1."""
        relative = self.relative.get((term.vocabulary, term.names[0]), RELATED)
        return min(1.0, max(0.0, (relative - UNRELATED) / (RELATED - UNRELATED)))

    def nearest(self, vocabularies: Collection[str], /) -> tuple[str, str] | None:
        """Return vocabulary and name of the term that the question means, if any."""
        known = [key for key in self.relative if key[0] in vocabularies]
        best = max(known, key=self.relative.__getitem__, default=None)
        is_meant = best and self.similar[best] >= MEANT and self.relative[best] >= LIKELY
        return best if is_meant else None


def meaning_of(profile: str, vector: NDArray[np.float32], /) -> Meaning:
    """Return the meaning of a question from its vector by one of :data:`PROFILES`."""
    known = _vectors(profile)
    own = vector - known.shared * float(vector @ known.shared)
    similar = known.rows @ own / max(float(np.linalg.norm(own)), 1e-9)
    return Meaning(
        dict(zip(known.terms, similar.tolist(), strict=True)),
        dict(zip(known.terms, (similar - known.near).tolist(), strict=True)),
    )


@functools.cache
def _vectors(profile: str) -> _Vectors:
    source = resources.files("casetrack.search.question").joinpath("vocabulary", f"{profile}.npz")
    with source.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        rows = stored["rows"].astype(np.float32)
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        keys = [str(key).split(": ", 1) for key in stored["terms"]]
        return _Vectors([(v, name) for v, name in keys], rows, stored["shared"], stored["near"])
