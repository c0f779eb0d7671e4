"""A made-up vocabulary and texts of it with a Zipf distribution."""

from __future__ import annotations

import math
import random
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from casetrack.ingest.steps.words import STOP_WORDS, index_terms

if TYPE_CHECKING:
    from collections.abc import Sequence

SEED = 20_260_101
WORDS_PER_CHUNK = (220, 381)
WORDS_PER_LINE = 12
_EXPONENT, _SHIFT = 1.1, 1.0
_HEAPS = 16.0
_ONSETS = "b c d f g h j k l m n p r s t v w br cl cr dr fl gr pl pr sh sl sp st tr th".split()
_NUCLEI = "a e i o u ai ea ou".split()
_CODAS = ("", "", "", "", "", "m", "n", "r", "l", "t", "k", "nd", "rt", "st")
_ONE_SYLLABLE, _TWO_SYLLABLES = 300, 60_000


def vocabulary_size(chunks: int, /) -> int:
    """Return the vocabulary size of a collection of *chunks* chunks, by Heaps' law."""
    running_words = chunks * sum(WORDS_PER_CHUNK) / 2
    return round(_HEAPS * math.sqrt(running_words))


def vocabulary(count: int, /) -> list[str]:
    """Return distinct pronounceable words with distinct index terms, short ones first."""
    rng = random.Random(SEED)
    drawn: dict[str, str] = {}
    while len(drawn) < count:
        size = len(drawn)
        syllables = 1 + (size > _ONE_SYLLABLE) + (size > _TWO_SYLLABLES) + (rng.random() < 0.08)
        word = "".join(
            rng.choice(_ONSETS) + rng.choice(_NUCLEI) + rng.choice(_CODAS) for _ in range(syllables)
        )
        if len(word) >= 3 and word not in STOP_WORDS:
            drawn.setdefault(index_terms(word)[0], word)
    return list(drawn.values())


@dataclass(frozen=True, slots=True)
class Texts:
    """Texts of chunks and the output of the step ``terms`` for them.

    Attributes
    ----------
    texts
        One per chunk, in lines of twelve words.
    terms, counts
        ``list<string>`` and ``list<int32>``: the distinct index terms of each chunk, sorted, and
        the count of each.
    totals
        int32, index terms of each chunk with repetitions.
    """

    texts: list[str]
    terms: pa.ListArray
    counts: pa.ListArray
    totals: np.ndarray


class TextMaker:
    """Generator of texts of random words; equal generators give equal texts.

    Terms are counted from the numbers of the drawn words, because splitting a million texts into
    words again would take longer than everything else. The first text is checked against the
    program's own terms. ``frequencies`` (int64) is the number of chunks so far that contain each
    word.
    """

    def __init__(self, words: Sequence[str], rng: np.random.Generator, /) -> None:
        self._words = np.array(words, dtype=object)
        self._rng = rng
        shares = 1.0 / (np.arange(len(words)) + 1 + _SHIFT) ** _EXPONENT
        self._bounds = np.cumsum(shares / shares.sum())
        terms = [index_terms(word)[0] for word in words]
        order = sorted(range(len(terms)), key=terms.__getitem__)
        self._terms = pa.array([terms[i] for i in order])
        self._place = np.empty(len(words), dtype=np.int64)
        self._place[order] = np.arange(len(words))
        self._word = np.array(order, dtype=np.int64)
        self._is_checked = False
        self.frequencies = np.zeros(len(words), dtype=np.int64)

    def make(self, count: int, /) -> Texts:
        """Return the texts of *count* chunks.

        Raises
        ------
        RuntimeError
            The program finds other terms in a text than those counted here.
        """
        lengths = self._rng.integers(*WORDS_PER_CHUNK, size=count)
        drawn = np.searchsorted(self._bounds, self._rng.random(int(lengths.sum())))
        drawn = np.minimum(drawn, len(self._words) - 1)
        ends = np.cumsum(lengths)
        words = self._words[drawn]
        texts = [_lines(words[end - size : end]) for size, end in zip(lengths, ends, strict=True)]
        chunk = np.repeat(np.arange(count), lengths)
        pairs, counts = np.unique(chunk * len(self._words) + self._place[drawn], return_counts=True)
        places = pairs % len(self._words)
        self.frequencies += np.bincount(self._word[places], minlength=len(self._words))
        per_chunk = np.bincount(pairs // len(self._words), minlength=count)
        offsets = pa.array(np.concatenate(([0], np.cumsum(per_chunk))).astype(np.int32))
        terms = pa.ListArray.from_arrays(offsets, self._terms.take(pa.array(places)))
        tallies = pa.ListArray.from_arrays(offsets, pa.array(counts.astype(np.int32)))
        made = Texts(texts, terms, tallies, lengths.astype(np.int32))
        self._check(made)
        return made

    def _check(self, made: Texts) -> None:
        if self._is_checked or not made.texts:
            return
        counted = dict(zip(made.terms[0].as_py(), made.counts[0].as_py(), strict=True))
        if counted != Counter(index_terms(made.texts[0])):
            raise RuntimeError("the terms of a made-up text are not those that the program finds")
        self._is_checked = True


def _lines(words: np.ndarray) -> str:
    starts = range(0, len(words), WORDS_PER_LINE)
    return "\n".join(" ".join(words[i : i + WORDS_PER_LINE]) for i in starts)
