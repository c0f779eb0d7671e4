"""The plain way to find names: runs of capitalised words that do not begin a sentence."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from casetrack.extract.names.words import FIRST, GAP, MIXED, SHAPE, TITLE, UPPER, words_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from training.names.passages import Passage


def runs_of(text: str, /) -> list[tuple[int, int]]:
    """Return where capitalised words follow one another, the first of a sentence left out."""
    words = words_of(text)
    found: list[tuple[int, int]] = []
    before = -2
    for i, row in enumerate(words.features.tolist()):
        shape, gap, first = row[SHAPE], row[GAP], row[FIRST]
        if shape not in {TITLE, UPPER, MIXED} or first:
            continue
        if before == i - 1 and gap < 2 and found:
            found[-1] = (found[-1][0], int(words.ends[i]))
        else:
            found.append((int(words.starts[i]), int(words.ends[i])))
        before = i
    return found


class Baseline:
    """Types a run as its words were mostly typed in training, else by the commonest kind."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        kinds: dict[str, Counter[str]] = {}
        total: Counter[str] = Counter()
        for passage in passages:
            for start, end, kind in passage.names:
                total[kind] += 1
                for word in words_of(passage.text[start:end]).texts:
                    kinds.setdefault(word.lower(), Counter())[kind] += 1
        self._kinds = {word: counts.most_common(1)[0][0] for word, counts in kinds.items()}
        self._commonest = total.most_common(1)[0][0]

    def predict(self, text: str, /) -> list[tuple[int, int, str]]:
        """Return the names of a text."""
        found = []
        for start, end in runs_of(text):
            votes = Counter(
                self._kinds[w.lower()]
                for w in words_of(text[start:end]).texts
                if w.lower() in self._kinds
            )
            kind = votes.most_common(1)[0][0] if votes else self._commonest
            found.append((start, end, kind))
        return found
