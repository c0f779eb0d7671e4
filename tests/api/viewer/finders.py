"""Made-up collections for the page that searches in the browser."""

from __future__ import annotations

import functools
import random
from collections import Counter
from datetime import UTC, datetime

import pyarrow as pa

from casetrack.api.viewer.finder.page import FoundDocument, Gathered, Passage
from casetrack.ingest.steps.words import index_terms

MADE = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)
_STARTS = (
    "al be cor dan ex fi gra hol in jun ka lo mar nor op pre qua re sta ter un ver wil".split()
)
_MIDDLES = "a be ci do e fa go hi li ma no o pi ra se ti u va we".split()
_ENDS = "tion ment er ing ed ness al ity ous s es ly able ism".split()


def vocabulary(count: int, seed: int = 7) -> list[str]:
    """Return *count* made-up words that have English endings."""
    lot = random.Random(seed)
    words = dict.fromkeys(
        lot.choice(_STARTS)
        + "".join(lot.choices(_MIDDLES, k=lot.randint(0, 3)))
        + lot.choice(_ENDS)
        for _ in range(3 * count)
    )
    return list(words)[:count]


@functools.cache
def _terms(word: str) -> tuple[str, ...]:
    return tuple(index_terms(word))


def terms_of(text: str) -> Counter[str]:
    """Return the terms of separate words; each word is processed once."""
    return Counter(term for word in text.split() for term in _terms(word))


def passage(
    text: str, lines: tuple[int, int] = (1, 1), *, heading: str = "", url: str | None = None
) -> Passage:
    """Return a passage of *text*."""
    place = f"p. 1, para. 1, ll. {lines[0]}-{lines[1]}"
    return Passage(text, place, lines, heading, url, terms_of(text).total())


def gathered(documents: list[FoundDocument], name: str = "Made up") -> Gathered:
    """Return a collection of *documents*, in the order of a page."""
    ordered = sorted(documents, key=lambda d: -d.updated_at.timestamp())
    texts = [p.text for d in ordered for p in d.passages]
    counts = [terms_of(text) for text in texts]
    rows = [(t, row, n) for row, result in enumerate(counts) for t, n in sorted(result.items())]
    columns = list(zip(*rows, strict=True)) or [(), (), ()]
    types = (pa.string(), pa.int64(), pa.int32())
    arrays = [pa.array(c, t) for c, t in zip(columns, types, strict=True)]
    terms = pa.table(arrays, names=["term", "row", "count"])
    return Gathered(name, MADE, tuple(ordered), terms)
