"""A document that is quoted from: where in it the words of a quotation may stand."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from casetrack.editions.legal.check.words import LIGHT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from casetrack.editions.legal.check.words import Unit
    from casetrack.extract.papers.text import WholeText

_BETWEEN = re.compile(r"([\W_]+)")
_MOST, _BEST, _BIN, _ROOM = 40, 4, 24, 60
_SKIPPED, _FAR = 1500, 12_000


@dataclass(frozen=True, eq=False)
class SourceText:
    """The text of one document, made ready to be looked through.

    Attributes
    ----------
    whole
        Its pages.
    """

    whole: WholeText

    @property
    def text(self) -> str:
        """The text of all pages."""
        return self.whole.text

    @cached_property
    def _words(self) -> tuple[list[str], NDArray[np.int64]]:
        """Words in small letters, and where each begins; the last number is the text's end."""
        lowered = self.text.lower()
        if len(lowered) != len(self.text):
            lowered = "".join(c.lower() if len(c.lower()) == 1 else c for c in self.text)
        parts = _BETWEEN.split(lowered)
        lengths = np.fromiter(map(len, parts), np.int64, len(parts))
        starts = np.cumsum(lengths) - lengths
        return parts[::2], np.append(starts[::2], len(lowered))

    @cached_property
    def _joined(self) -> tuple[str, NDArray[np.int64]]:
        """All words with one blank between, and where each begins there."""
        words, _ = self._words
        lengths = np.fromiter(map(len, words), np.int64, len(words)) + 1
        return f" {' '.join(words)} ", np.cumsum(lengths) - lengths + 1

    @cached_property
    def _ids(self) -> tuple[dict[str, int], NDArray[np.int32]]:
        words, _ = self._words
        known: dict[str, int] = {}
        ids = [known.setdefault(word, len(known)) for word in words]
        return known, np.array(ids, np.int32)

    def exact(self, units: Sequence[Unit], /) -> list[tuple[int, int]]:
        """Return where the words stand in this order with nothing but signs between.

        Returns
        -------
        list of (int, int)
            Code points into :attr:`text`, the first forty places.
        """
        if any(u.kind in ("ellipsis", "bracket", "mended") for u in units):
            return []
        wanted = " ".join(_coarse(units))
        if not wanted:
            return []
        joined, begins = self._joined
        words, starts = self._words
        found: list[tuple[int, int]] = []
        at = joined.find(f" {wanted} ")
        while at >= 0 and len(found) < _MOST:
            first = int(np.searchsorted(begins, at + 1))
            last = first + wanted.count(" ")
            found.append((int(starts[first]), int(starts[last]) + len(words[last])))
            at = joined.find(f" {wanted} ", at + 1)
        return found

    def likely(self, units: Sequence[Unit], /, *, far: bool = False) -> list[tuple[int, int]]:
        """Return the parts of the text that share most of the words, in their order.

        Parameters
        ----------
        units
            The quotation.
        far
            Whether what an ellipsis skips may be long.
        """
        words = _coarse(units)
        known, ids = self._ids
        if not words or not len(ids):
            return []
        votes = np.zeros((len(ids) + len(words)) // _BIN + 3)
        for n, word in enumerate(words):
            number = known.get(word)
            if number is None:
                continue
            places = np.flatnonzero(ids == number)
            value = LIGHT.get(word, 1.0) / np.sqrt(len(places))
            np.add.at(votes, (places - n + len(words)) // _BIN, value)
        both = votes[:-1] + votes[1:]
        room = _ROOM + len(words) // 2
        opened = any(u.kind in ("ellipsis", "bracket") for u in units)
        extra = (_FAR if far else _SKIPPED) if opened else 0
        spans: list[tuple[int, int]] = []
        for bin_ in np.argsort(-both, kind="stable")[:_BEST]:
            if both[bin_] <= 0:
                break
            first = int(bin_) * _BIN - len(words)
            span = (first - room - extra, first + 2 * _BIN + len(words) + room + extra)
            if not any(s <= span[0] + room and span[1] - room <= e for s, e in spans):
                spans.append(span)
        return [self._chars(*span) for span in spans]

    def _chars(self, first: int, last: int) -> tuple[int, int]:
        """Return the characters of some words."""
        words, starts = self._words
        first, last = max(0, first), min(len(words) - 1, last)
        return int(starts[first]), int(starts[last]) + len(words[last])


def _coarse(units: Sequence[Unit]) -> list[str]:
    """Return the words of a quotation as the text is split."""
    said = (u.norm for u in units if u.kind in ("word", "mended", "bracket"))
    return [word for norm in said for word in _BETWEEN.split(norm)[::2] if word]
