"""Writes the vectors of the shipped vocabularies' terms for a profile.

    python -m training.meaning.make [PROFILE]

The vector of a term is the mean of those of its names and of the phrases of questions, less the
part that all terms share; one byte per value. Also stored is the mean similarity of each term with
the nearest terms of its vocabulary. Run it after each change of a vocabulary.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from casetrack.api.library import Library
from casetrack.search.question.vocabularies import SHIPPED, read_vocabulary

NEAREST = 10
"""Number of nearest terms."""
TARGET = Path(__file__).parents[3] / "casetrack/search/question/vocabulary"


def main(profile: str = "mini") -> None:
    """Encode all terms, and write the file of the profile."""
    encoder = Library.open().encoders.get(profile)
    terms, means = [], []
    for vocabulary in map(read_vocabulary, SHIPPED):
        for term in vocabulary.terms:
            names = (*term.names, *term.asked)
            mean = np.mean([encoder.encode_query(name).dense for name in names], axis=0)
            terms.append(f"{vocabulary.name}: {term.names[0]}")
            means.append(mean / np.linalg.norm(mean))
    rows = np.array(means, dtype=np.float32)
    shared = rows.mean(axis=0)
    shared /= np.linalg.norm(shared)
    rows -= np.outer(rows @ shared, shared)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    similar = np.where(np.eye(len(rows), dtype=bool), -1.0, rows @ rows.T)
    own = np.array([key.split(": ")[0] for key in terms])
    near = [
        np.sort(row[own == key])[-NEAREST:].mean() for row, key in zip(similar, own, strict=True)
    ]
    scaled = np.round(rows * (127 / np.abs(rows).max(axis=1, keepdims=True))).astype(np.int8)
    np.savez_compressed(
        TARGET / f"{profile}.npz",
        rows=scaled,
        shared=shared,
        near=np.array(near, dtype=np.float32),
        terms=np.array(terms, dtype=np.str_),
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
