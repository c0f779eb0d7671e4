"""How much of their words documents have in common: MinHash finds pairs, the texts decide."""

from __future__ import annotations

import re
import zlib
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from casetrack.graph.identity.mails import FORMATS as MAIL_FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from casetrack.base.records import Document
    from casetrack.store.workspace import State

RUN = 5
"""Words of a run."""
_LEAST_RUNS = 12
_BANDS, _ROWS = 42, 3
"""Two texts with half of their runs in common meet in one band with probability 0.996."""
_WORD = re.compile(r"\w+")
_READ_TOGETHER = 200
_BLOCK = 1 << 14
_SEED = 20


class Likeness:
    """Compares the texts of documents.

    Broder, "On the resemblance and containment of documents" (1997).

    Parameters
    ----------
    state
        The collection.
    least
        Share of the runs in common from which texts are nearly the same.

    Attributes
    ----------
    short
        Number of documents with too few words to be compared.
    """

    def __init__(self, state: State, least: float, /) -> None:
        self._state = state
        self._least = least
        self.short = 0
        chance = np.random.default_rng(_SEED)
        self._factors = chance.integers(1, 1 << 63, _BANDS * _ROWS, dtype=np.uint64) | np.uint64(1)
        self._shifts = chance.integers(0, 1 << 63, _BANDS * _ROWS, dtype=np.uint64)

    def groups(self, documents: Sequence[Document], /) -> list[list[tuple[Document, float]]]:
        """Return groups of documents that are nearly the same as the first of their group.

        Parameters
        ----------
        documents
            In the order in which they count: the first of a group stands for it.
        """
        buckets: list[dict[bytes, list[int]]] = [defaultdict(list) for _ in range(_BANDS)]
        runs: dict[int, NDArray[np.uint64]] = {}
        found: dict[int, list[tuple[int, float]]] = {}
        for i, own in self._runs(documents):
            if len(own) < _LEAST_RUNS:
                self.short += 1
                continue
            bands = self._bands(own)
            near = {j for band, mark in enumerate(bands) for j in buckets[band].get(mark, ())}
            shares = [(_share(own, runs[j]), -j) for j in sorted(near)]
            best, first = max(shares, default=(0.0, 0))
            if best >= self._least:
                found.setdefault(-first, []).append((i, best))
                continue
            runs[i] = own
            for band, mark in enumerate(bands):
                buckets[band][mark].append(i)
        return [
            [(documents[i], 1.0), *((documents[j], share) for j, share in others)]
            for i, others in sorted(found.items())
        ]

    def _runs(self, documents: Sequence[Document]) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        """Yield for each document the hashes of its runs of words, each once, ascending."""
        for start in range(0, len(documents), _READ_TOGETHER):
            some = documents[start : start + _READ_TOGETHER]
            texts = self._texts(some)
            for i, document in enumerate(some, start=start):
                text = texts.get(document.revision, "")
                if document.format in MAIL_FORMATS:
                    text = text.partition("\n\n")[2]
                yield i, run_hashes(text)

    def _texts(self, documents: Sequence[Document]) -> dict[str, str]:
        columns = ["revision", "page", "char_start", "char_end", "text"]
        rows = self._state.snapshot.scan(columns, revisions=[d.revision for d in documents])
        parts: dict[str, list[tuple[int, int, int, str]]] = defaultdict(list)
        for row in rows.to_pylist():
            place = row["page"], row["char_start"], row["char_end"]
            parts[row["revision"]].append((*place, row["text"]))
        return {revision: _joined(sorted(pieces)) for revision, pieces in parts.items()}

    def _bands(self, own: NDArray[np.uint64]) -> list[bytes]:
        least = np.full(len(self._factors), np.iinfo(np.uint64).max, dtype=np.uint64)
        for start in range(0, len(own), _BLOCK):
            part = own[start : start + _BLOCK]
            mixed = self._factors[:, None] * part[None, :] + self._shifts[:, None]
            least = np.minimum(least, (mixed >> np.uint64(16)).min(axis=1))
        return [row.tobytes() for row in least.reshape(_BANDS, _ROWS)]


def run_hashes(text: str, /) -> NDArray[np.uint64]:
    """Return the hashes of a text's runs of five words, letter case aside, each once, ascending."""
    words = np.array(
        [zlib.crc32(word.encode()) for word in _WORD.findall(text.casefold())], dtype=np.uint64
    )
    if len(words) < RUN:
        return np.zeros(0, dtype=np.uint64)
    mixed = np.zeros(len(words) - RUN + 1, dtype=np.uint64)
    for k in range(RUN):
        mixed = mixed * np.uint64(0x9E3779B97F4A7C15) + words[k : len(words) - RUN + 1 + k]
        mixed ^= mixed >> np.uint64(29)
    return np.unique(mixed)


def _share(a: NDArray[np.uint64], b: NDArray[np.uint64]) -> float:
    common = len(np.intersect1d(a, b, assume_unique=True))
    return common / (len(a) + len(b) - common)


def _joined(pieces: Sequence[tuple[int, int, int, str]]) -> str:
    """Return the text of a document from its chunks, what overlaps once."""
    parts: list[str] = []
    page, length = 0, 0
    for number, start, end, text in pieces:
        if number != page:
            page, length = number, 0
            parts.append("\n\n")
        parts.append(text[max(0, length - start) :])
        length = max(length, end)
    return "".join(parts)
