"""Counts of right results and comparison of words, for the scores of the context graph."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

_TITLES = frozenset(
    "mr mrs ms miss dr prof professor dame sir herr herrn frau dipl ing dipl.-ing the".split()
)


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of wanted and actual results.

    Attributes
    ----------
    judged
        Results for which the notes are complete.
    right
        Wanted results that are present.
    true
        Judged results that are right.
    missed, wrong
        Examples.
    """

    wanted: int
    right: int
    judged: int = 0
    true: int = 0
    missed: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()

    @property
    def recall(self) -> float:
        """Share of the wanted results that are present; 1 if none is wanted."""
        return self.right / self.wanted if self.wanted else 1.0

    @property
    def precision(self) -> float:
        """Share of the judged results that are right; 1 if none is judged."""
        return self.true / self.judged if self.judged else 1.0


def words_of(name: str, /) -> tuple[str, ...]:
    """Return the words of a name in its usual order, folded, without titles and punctuation.

    >>> words_of("Raman, Priya"), words_of("Prof. M. Tain’s")
    (('priya', 'raman'), ('m', 'tain'))
    """
    text = unicodedata.normalize("NFC", name).casefold().replace("’", "'")
    text = re.sub(r"'s\b", "", text)
    inverted = re.fullmatch(r"([^\W\d]+), ([^\W\d]+)", text)
    if inverted:
        text = f"{inverted[2]} {inverted[1]}"
    actual = [re.sub(r"^[^\w&]+|[^\w&]+$", "", word) for word in text.replace(",", " ").split()]
    return tuple(word for word in actual if word and word not in _TITLES)


def tokens_of(text: str, /) -> tuple[str, ...]:
    r"""Return the words of a reference, folded, with punctuation inside words.

    >>> tokens_of("(ISO/IEC 27001:2022),"), tokens_of("Exhibit\nC.")
    (('iso/iec', '27001:2022'), ('exhibit', 'c'))
    """
    actual = (re.sub(r"^[^\w]+|[^\w)]+$", "", word) for word in text.casefold().split())
    return tuple(w.rstrip(")") if "(" not in w else w for w in actual if w)


def holds(words: Sequence[str], part: Sequence[str]) -> bool:
    """Return whether *words* contains *part* as consecutive words."""
    size = len(part)
    return any(tuple(words[i : i + size]) == tuple(part) for i in range(len(words) - size + 1))
