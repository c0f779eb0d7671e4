"""Network output to words: the best class of each step, repeats and blanks dropped (CTC).

The network leaves out spaces that stand clearly in the picture, and takes a speck in a line of
Latin letters for a Chinese sign. Both are looked at again.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from casetrack.parse.ocr.engine import RAPID

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_FIRST_EASTERN = "\u2e80"
_WIDE_FORMS = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)} | {0x3000: 0x20}
_FEW_EASTERN, _SURELY_EASTERN = 0.34, 0.9
_CLEAR_GAP, _LIKELY_GAP, _LEAST_SPACE = 12.5, 8.5, 0.05
_OF_USUAL_GAP = 2.5
_PARTED = 0.85
"""Of the words that only a gap parts from others, so many are right on receipts; fewer on pages."""
_CLOSING = frozenset(".,;!?)]}%")


@dataclass(frozen=True, slots=True)
class Piece:
    """A word of a line.

    *first* and *last* are the middles of its first and last letter, as shares of the line's width;
    *confidence* is how many words like it are right.
    """

    text: str
    first: float
    last: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Reading:
    """A line as the network reads it; *confidence* is the network's own, the mean over letters."""

    words: tuple[Piece, ...]
    confidence: float


@dataclass(frozen=True, slots=True)
class _Letter:
    """A character of a line, and where its middle is: its step, and its share of the width."""

    text: str
    step: int
    at: float
    certainty: float

    @property
    def is_eastern(self) -> bool:
        """Whether it belongs to a script that parts no words by spaces."""
        return self.text >= _FIRST_EASTERN


def decode(
    scores: NDArray[np.float32],
    alphabet: Sequence[str],
    share: float,
    ink: NDArray[np.bool_] | None = None,
    /,
) -> Reading:
    """Turn the scores of one line, steps x classes, into words.

    Parameters
    ----------
    alphabet
        Text of each class; that of class 0 is empty and parts equal letters. The last is a space.
    share
        How much of the steps belongs to the line; the rest is padding.
    ink
        Which columns of the line's picture are dark; words are parted at clear gaps then.
    """
    letters = _letters(scores, alphabet, share)
    solid = [letter for letter in letters if not letter.text.isspace()]
    eastern = [letter for letter in solid if letter.is_eastern]
    if eastern and len(eastern) < _FEW_EASTERN * len(solid):
        if min(letter.certainty for letter in eastern) < _SURELY_EASTERN:
            western = np.array([text < _FIRST_EASTERN for text in alphabet])
            letters = _letters(np.where(western, scores, 0.0), alphabet, share)
            solid = [letter for letter in letters if not letter.text.isspace()]
        letters = [replace(x, text=x.text.translate(_WIDE_FORMS)) for x in letters]
    certain = [letter.certainty for letter in solid]
    gaps = _gaps(letters, ink, scores) if ink is not None else frozenset()
    return Reading(tuple(_words(letters, gaps)), float(np.mean(certain)) if certain else 0.0)


def _letters(scores: NDArray[np.float32], alphabet: Sequence[str], share: float) -> list[_Letter]:
    best = scores.argmax(axis=1)
    kept = best != 0
    kept[1:] &= best[1:] != best[:-1]
    used = max(len(best) * share, 1.0)
    return [
        _Letter(alphabet[best[i]], int(i), (float(i) + 0.5) / used, float(scores[i, best[i]]))
        for i in np.nonzero(kept)[0]
        if i < used
    ]


def _gaps(
    letters: Sequence[_Letter], ink: NDArray[np.bool_], scores: NDArray[np.float32]
) -> frozenset[int]:
    """Return before which letters white stands as only between words.

    Wide in itself and beside the other gaps of the line; less wide where the network thought of a
    space.
    """
    white: dict[int, int] = {}
    for i, (left, right) in enumerate(pairwise(letters), start=1):
        if left.text.isspace() or right.text.isspace() or left.is_eastern or right.is_eastern:
            continue
        if right.text in _CLOSING:
            continue  # stands off its word in many prints, without being another one
        part = ink[int(left.at * ink.size) : int(right.at * ink.size) + 1]
        dark = np.flatnonzero(np.concatenate([[True], part, [True]]))
        white[i] = int(np.diff(dark).max()) - 1
    if not white:
        return frozenset()
    least = _OF_USUAL_GAP * statistics.median(white.values())
    found = set()
    for i, gap in white.items():
        between = scores[letters[i - 1].step + 1 : letters[i].step, -1]
        likely = between.size and float(between.max()) >= _LEAST_SPACE
        if gap >= max(least, _LIKELY_GAP if likely else _CLEAR_GAP):
            found.add(i)
    return frozenset(found)


def _words(letters: Sequence[_Letter], gaps: frozenset[int]) -> list[Piece]:
    """Part letters at spaces and gaps; a word that only a gap parts from another is less sure."""
    groups: list[list[_Letter]] = [[]]
    parted: set[int] = set()
    for i, letter in enumerate(letters):
        if letter.text.isspace():
            groups.append([])
            continue
        if i in gaps:
            parted |= {len(groups) - 1, len(groups)}
            groups.append([])
        groups[-1].append(letter)
    return [
        Piece(
            "".join(letter.text for letter in group),
            group[0].at,
            group[-1].at,
            min(
                RAPID.share_right(min(letter.certainty for letter in group)),
                _PARTED if number in parted else 1.0,
            ),
        )
        for number, group in enumerate(groups)
        if group
    ]
