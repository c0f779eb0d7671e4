"""Turns names into one label per word and back into counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from training.names.sources import CLASSES, MARKS_MISC

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from casetrack.extract.names.words import Words

LABELS = 1 + 4 * len(CLASSES)
MISC = 1 + 4 * CLASSES.index("misc")


def labels_of(words: Words, names: tuple[tuple[int, int, str], ...]) -> NDArray[np.int64]:
    """Return 0 for other words; 1 + 4 * kind + (0 begin, 1 inside, 2 end, 3 single)."""
    labels = np.zeros(len(words.texts), dtype=np.int64)
    for start, end, kind in names:
        first = int(np.searchsorted(words.ends, start, side="right"))
        last = int(np.searchsorted(words.starts, end)) - 1
        if last < first:
            continue
        base = 1 + 4 * CLASSES.index(kind)
        if first == last:
            labels[first] = base + 3
        else:
            labels[first], labels[first + 1 : last], labels[last] = base, base + 1, base + 2
    return labels


def allowed_of(labels: NDArray[np.int64], source: str) -> NDArray[np.bool_]:
    """Return which labels a word may have: where a source marks no other names, those as well."""
    allowed = np.zeros((len(labels), LABELS), dtype=bool)
    allowed[np.arange(len(labels)), labels] = True
    if source not in MARKS_MISC:
        allowed[labels == 0, MISC : MISC + 4] = True
    return allowed
