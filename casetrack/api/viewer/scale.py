"""The axis of a timeline: days to pixels, with long empty stretches cut out, and its ticks."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from casetrack.api.viewer.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.api.viewer.words import Words

_MAX_CUTS = 4
_CUT_SHARE = 0.2
"""A stretch without events is cut out where it would take more than this share of the axis."""
_CUT_DAYS = 366
_CUT_TIMES = 5
"""Only what is so many times longer than the middle one of all empty stretches is cut out."""
_CUT_WIDTH = 34.0
_PAD_SHARE = 0.025
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_LABEL, _YEAR_LABEL, _DAY_LABEL = 66.0, 46.0, 88.0
_LAST_DAY = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days that the axis shows without a break: ordinals, half-open, and where they begin."""

    first: int
    end: int
    left: float


@dataclass(frozen=True, slots=True)
class Scale:
    """Where days lie on the axis.

    Attributes
    ----------
    stretches
        From left to right.
    day_width
        Pixels of a day, the same all along the axis.
    """

    stretches: tuple[Stretch, ...]
    day_width: float

    def at(self, day: int) -> float:
        """Return where a day begins, in pixels; days that are cut out lie at the cut."""
        for stretch in self.stretches:
            if day < stretch.end:
                return stretch.left + max(day - stretch.first, 0) * self.day_width
        last = self.stretches[-1]
        return last.left + (last.end - last.first) * self.day_width

    def cuts(self) -> Iterator[tuple[float, int]]:
        """Give the middle of each cut, in pixels, and how many days it leaves out."""
        for before, after in pairwise(self.stretches):
            yield after.left - _CUT_WIDTH / 2, after.first - before.end

    def ticks(self, words: Words = ENGLISH, /) -> list[tuple[float, str]]:
        """Return places and words of the ticks."""
        day_step = next((s for s in _DAY_STEPS if s * self.day_width >= _DAY_LABEL), None)
        month = self.day_width * 30.44
        step = next(
            (s for s in _MONTH_STEPS if s * month >= (_MONTH_LABEL if s < 12 else _YEAR_LABEL)),
            _MONTH_STEPS[-1],
        )
        unit = "day" if day_step else "month" if step < 12 else "year"
        found = []
        for stretch in self.stretches:
            days = (
                range(stretch.first + -stretch.first % day_step, stretch.end, day_step)
                if day_step
                else _firsts(stretch, step)
            )
            here = [(self.at(day), words.tick(date.fromordinal(day), unit)) for day in days]
            found += here or [self._middle(stretch)]
        return found

    def _middle(self, stretch: Stretch) -> tuple[float, str]:
        """Name the year of a stretch that is too short for any tick."""
        day = (stretch.first + stretch.end) // 2
        return self.at(day), str(date.fromordinal(day).year)


def make_scale(spans: Sequence[tuple[int, int]], left: float, right: float, /) -> Scale:
    """Lay out an axis.

    Parameters
    ----------
    spans
        First and last day of each event, as proleptic ordinals; at least one.
    left, right
        Where the axis begins and ends, in pixels.
    """
    covered = _merged(spans)
    shown = covered[-1][1] - covered[0][0]
    gaps = sorted(
        ((after[0] - before[1], before[1]) for before, after in pairwise(covered)), reverse=True
    )
    usual = gaps[len(gaps) // 2][0] if gaps else 0
    cut_after: set[int] = set()
    for gap, after in gaps[:_MAX_CUTS]:
        if gap < max(_CUT_DAYS, _CUT_SHARE * shown, _CUT_TIMES * usual):
            break
        cut_after.add(after)
        shown -= gap
    pad = max(1, round(shown * _PAD_SHARE))
    pieces: list[list[int]] = []
    for first, end in covered:
        if pieces and pieces[-1][1] - pad not in cut_after:
            pieces[-1][1] = end + pad
        else:
            pieces.append([first - pad, end + pad])
    bounded = [(max(1, a), min(_LAST_DAY, b)) for a, b in pieces]
    days = sum(b - a for a, b in bounded)
    room = right - left - _CUT_WIDTH * (len(bounded) - 1)
    width = room / days
    stretches, x = [], left
    for a, b in bounded:
        stretches.append(Stretch(a, b, x))
        x += (b - a) * width + _CUT_WIDTH
    return Scale(tuple(stretches), width)


def _merged(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join what overlaps; the results are half-open."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last + 1))
        else:
            merged.append((first, last + 1))
    return merged


def _firsts(stretch: Stretch, step: int) -> Iterator[int]:
    """Give the first days of every *step* months."""
    start = date.fromordinal(stretch.first)
    number = (start.year * 12 + start.month - 1) // step * step
    while number // 12 <= date.max.year:
        if number >= 12:
            day = date(number // 12, number % 12 + 1, 1).toordinal()
            if day >= stretch.end:
                return
            if day >= stretch.first:
                yield day
        number += step
