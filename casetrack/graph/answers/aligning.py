"""Paragraphs of two versions side by side: the same, changed, only in one of them."""

from __future__ import annotations

import difflib
import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

Word = tuple[Literal["same", "removed", "added"], str]
Pair = tuple[int | None, int | None]
# A number with its separators is one word: of 750,000 nothing stays in 1,200,000.
_WORD = re.compile(r"\d+(?:[.,'’]\d+)+|\w+|\s+|[^\w\s]")
_LEAST_ALIKE = 0.5
_BLOCK = 400
_REPEATED = 100
_EXACT_AT_MOST = 6000
_LONGEST_WORDS = 4000


def aligned(before: Sequence[str], after: Sequence[str], /) -> list[Pair]:
    """Align two sequences of paragraphs.

    Equal ones in the same order belong together; of the stretches between, those that share half
    of their words or more.

    Returns
    -------
    list of (int or None, int or None)
        Positions in each, in reading order; ``None`` where there is no counterpart.
    """
    head = 0
    while head < min(len(before), len(after)) and before[head] == after[head]:
        head += 1
    tail = 0
    while (
        tail < min(len(before), len(after)) - head
        and before[len(before) - 1 - tail] == after[len(after) - 1 - tail]
    ):
        tail += 1
    a, b = before[head : len(before) - tail], after[head : len(after) - tail]
    # Long tables repeat many rows; there the common ones are no anchors.
    most_common = max(Counter(b).values(), default=0)
    repeated = max(len(a), len(b)) > _EXACT_AT_MOST or most_common > _REPEATED
    pairs: list[Pair] = [(i, i) for i in range(head)]
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=repeated)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        if kind == "equal":
            pairs += [(head + i1 + k, head + j1 + k) for k in range(i2 - i1)]
        else:
            pairs += [
                (None if i is None else head + i1 + i, None if j is None else head + j1 + j)
                for i, j in _paired(a[i1:i2], b[j1:j2])
            ]
    rest = range(tail, 0, -1)
    return pairs + [(len(before) - k, len(after) - k) for k in rest]


def _paired(a: Sequence[str], b: Sequence[str]) -> Iterator[Pair]:
    """Pair similar paragraphs of two stretches in order; long stretches piece by piece."""
    if not a or not b:
        yield from ((i, None) for i in range(len(a)))
        yield from ((None, j) for j in range(len(b)))
        return
    pieces = -(-max(len(a), len(b)) // _BLOCK)
    cuts_a = [round(k * len(a) / pieces) for k in range(pieces + 1)]
    cuts_b = [round(k * len(b) / pieces) for k in range(pieces + 1)]
    for k in range(pieces):
        i0, j0 = cuts_a[k], cuts_b[k]
        for i, j in _in_order(_alike(a[i0 : cuts_a[k + 1]], b[j0 : cuts_b[k + 1]])):
            yield None if i is None else i0 + i, None if j is None else j0 + j


def _alike(a: Sequence[str], b: Sequence[str]) -> NDArray[np.float64]:
    """Return the share of words that each pair has in common (Dice), float64 [a, b]."""
    words: dict[str, int] = {}
    bags = [[_bag(text, words) for text in texts] for texts in (a, b)]
    rows = [np.zeros((len(bag), len(words)), dtype=np.float32) for bag in bags]
    for matrix, bag in zip(rows, bags, strict=True):
        for i, held in enumerate(bag):
            matrix[i, held] = 1
    sizes = rows[0].sum(axis=1)[:, None] + rows[1].sum(axis=1)[None, :]
    shared: NDArray[np.float64] = 2 * (rows[0] @ rows[1].T) / np.maximum(sizes, 1)
    return shared


def _bag(text: str, words: dict[str, int]) -> list[int]:
    found = {w for w in _WORD.findall(text.casefold()) if not w.isspace()}
    return [words.setdefault(word, len(words)) for word in sorted(found)]


def _in_order(alike: NDArray[np.float64]) -> list[Pair]:
    """Return the pairs, in order on both sides, with the greatest sum of likeness."""
    n, m = alike.shape
    worth = np.where(alike >= _LEAST_ALIKE, alike, -1.0)
    best = np.zeros((n + 1, m + 1))
    for i in range(n - 1, -1, -1):
        paired = worth[i] + best[i + 1, 1:]
        row = np.maximum(best[i + 1, :m], paired)
        best[i, :m] = np.maximum.accumulate(row[::-1])[::-1]
    pairs: list[Pair] = []
    i = j = 0
    while i < n and j < m:
        if worth[i, j] > 0 and best[i, j] == worth[i, j] + best[i + 1, j + 1]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif best[i, j] == best[i + 1, j]:
            pairs.append((i, None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return [*pairs, *((k, None) for k in range(i, n)), *((None, k) for k in range(j, m))]


def word_changes(before: str, after: str, /) -> tuple[Word, ...]:
    """Return the words of two versions of a paragraph in order: the same, removed, added.

    What is the same and removed makes the earlier text, what is the same and added the later one.
    """
    a, b = _WORD.findall(before), _WORD.findall(after)
    if len(a) + len(b) > _LONGEST_WORDS:
        return (("removed", before), ("added", after))
    parts: list[tuple[str, str, bool]] = []
    matcher = difflib.SequenceMatcher(None, a, b, autojunk=False)
    for kind, i1, i2, j1, j2 in matcher.get_opcodes():
        old, new = "".join(a[i1:i2]), "".join(b[j1:j2])
        parts.append((old, new, kind == "equal"))
    # A blank between two changed words belongs to the change.
    joined = [
        (old, new, same and not (old.isspace() and 0 < i < len(parts) - 1))
        for i, (old, new, same) in enumerate(parts)
    ]
    words: list[Word] = []
    for same, group in groupby(joined, key=lambda p: p[2]):
        pieces = list(group)
        old, new = "".join(p[0] for p in pieces), "".join(p[1] for p in pieces)
        if same:
            words.append(("same", old))
            continue
        words += [("removed", old)] if old else []
        words += [("added", new)] if new else []
    return tuple(words)
