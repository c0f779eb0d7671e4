"""Draws a timeline to scale as SVG, for pages and for notebooks."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from itertools import groupby, pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.quotes import Cards, Place
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import ENGLISH, Words, counted, text_width
from casetrack.api.viewer.templating import rendered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Event, Timeline
    from casetrack.base.records.graph.timeline import Dated
    from casetrack.store.workspace import State

    EventLink = Callable[[int, Event], str]

# The axis of a timeline: days to pixels, with long empty stretches cut out, and its ticks.

_MAX_CUTS = 4
_CUT_SHARE = 0.2
"""A stretch without events is cut out if it would take more than this share of the axis."""
_CUT_DAYS = 366
_CUT_TIMES = 5
"""Empty stretches longer than this multiple of the median are cut out."""
_CUT_WIDTH = 34.0
_PAD_SHARE = 0.025
_MONTH_STEPS = (1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 2400, 6000)
_DAY_STEPS = (1, 2, 7, 14)
_MONTH_LABEL, _YEAR_LABEL, _DAY_LABEL = 66.0, 46.0, 88.0
_LAST_DAY = date.max.toordinal()


@dataclass(frozen=True, slots=True)
class Stretch:
    """Days without a break on the axis: half-open ordinals, and their position."""

    first: int
    end: int
    left: float


@dataclass(frozen=True, slots=True)
class Scale:
    """Positions of days on the axis: stretches from left to right, and pixels per day."""

    stretches: tuple[Stretch, ...]
    day_width: float

    def at(self, day: int) -> float:
        """Return the position of a day in pixels; days that are cut out are at the cut."""
        for stretch in self.stretches:
            if day < stretch.end:
                return stretch.left + max(day - stretch.first, 0) * self.day_width
        last = self.stretches[-1]
        return last.left + (last.end - last.first) * self.day_width

    def cuts(self) -> Iterator[tuple[float, int]]:
        """Yield the middle of each cut, in pixels, and the number of days that it leaves out."""
        for before, after in pairwise(self.stretches):
            yield after.left - _CUT_WIDTH / 2, after.first - before.end

    def ticks(self, words: Words = ENGLISH, /) -> list[tuple[float, str]]:
        """Return positions and labels of the ticks."""
        day_step = next((s for s in _DAY_STEPS if s * self.day_width >= _DAY_LABEL), None)
        month = self.day_width * 30.44
        step = next(
            (s for s in _MONTH_STEPS if s * month >= (_MONTH_LABEL if s < 12 else _YEAR_LABEL)),
            _MONTH_STEPS[-1],
        )
        unit = "day" if day_step else "month" if step < 12 else "year"
        ticks = []
        for stretch in self.stretches:
            days = (
                range(stretch.first + -stretch.first % day_step, stretch.end, day_step)
                if day_step
                else _firsts(stretch, step)
            )
            inside = [(self.at(day), words.tick(date.fromordinal(day), unit)) for day in days]
            ticks += inside or [self._middle(stretch)]
        return ticks

    def _middle(self, stretch: Stretch) -> tuple[float, str]:
        """Return the year of a stretch that is too short for a tick."""
        day = (stretch.first + stretch.end) // 2
        return self.at(day), str(date.fromordinal(day).year)


def make_scale(spans: Sequence[tuple[int, int]], left: float, right: float, /) -> Scale:
    """Lay out an axis from *left* to *right* (pixels).

    *spans* are the first and last day of each event, as proleptic ordinals; at least one.
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
    """Join overlapping spans; the results are half-open."""
    merged: list[tuple[int, int]] = []
    for first, last in sorted(spans):
        if merged and first <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], last + 1))
        else:
            merged.append((first, last + 1))
    return merged


def _firsts(stretch: Stretch, step: int) -> Iterator[int]:
    """Yield the first day of every *step* months."""
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


AXIS_WIDTHS = {"wide": 1120.0, "middle": 680.0, "tall": 350.0}
"""Widths of the drawings of a page, in pixels: for screens, tablets and phones."""
_SIDE = 14.0
_LANE = 12.0
_MOST_LANES = 12
_LEAST_BAR = 7.0
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_PART = re.compile(r"(\d{4})-([QH])(\d)")


def event_anchor(number: int, _event: Event, /) -> str:
    """Return the anchor of an event on a page that lists events: ``#event-N``."""
    return f"#event-{number}"


def timeline_svg(
    timeline: Timeline,
    /,
    *,
    width: float = 900.0,
    link: EventLink | None = None,
    words: Words = ENGLISH,
) -> str:
    """Draw the events of a timeline on an axis to scale as an ``svg`` that ``figure.css`` styles.

    A day is a point above the axis, a longer time a bar below it. Long empty stretches are cut
    out, and the axis marks the cuts. *width* is in pixels; *link* returns the address of an event
    by its number from 0. The result is empty if there are no events.
    """
    if not timeline.events:
        return ""
    events = timeline.events
    spans = [_ordinals(e) for e in events]
    scale = make_scale(spans, _SIDE, width - _SIDE)
    points = [n for n, (a, b) in enumerate(spans) if a == b]
    bars = [n for n, (a, b) in enumerate(spans) if a != b]
    extents = {n: _extent(scale, spans[n], events[n]) for n in range(len(events))}
    up = _lanes({n: extents[n] for n in points})
    down = _lanes({n: extents[n] for n in bars})
    above = 12 + _LANE * (max(up.values(), default=-1) + 1)
    below = 28 + _LANE * (max(down.values(), default=-1) + 1)
    return rendered(
        "timeline_svg.html",
        events=events,
        width=width,
        link=link,
        words=words,
        scale=scale,
        extents=extents,
        up=up,
        down=down,
        above=above,
        below=below,
        lane=_LANE,
        radius=_radius,
        when=when,
        text_width=text_width,
    )


def _ordinals(event: Event) -> tuple[int, int]:
    first = date.fromisoformat(event.first).toordinal()
    return first, max(first, date.fromisoformat(event.last).toordinal())


def _radius(event: Event) -> float:
    return 3.6 + 1.9 * min(max(event.weight, 0.0), 1.0)


def _extent(scale: Scale, span: tuple[int, int], event: Event) -> tuple[float, float]:
    """Return the extent of an event's symbol, in pixels."""
    left, right = scale.at(span[0]), scale.at(span[1] + 1)
    least = 2 * _radius(event) if span[0] == span[1] else _LEAST_BAR
    if right - left >= least and span[0] != span[1]:
        return left, right
    middle = (left + right) / 2
    return middle - least / 2, middle + least / 2


def _lanes(extents: dict[int, tuple[float, float]]) -> dict[int, int]:
    """Stack symbols so that none covers another, unless there are too many in one place."""
    ends: list[float] = []
    lanes = {}
    for number, (left, right) in sorted(extents.items(), key=lambda item: (item[1], item[0])):
        free = next((lane for lane, end in enumerate(ends) if end + 1 <= left), len(ends))
        if free == len(ends):
            if free == _MOST_LANES:
                free = ends.index(min(ends))
            else:
                ends.append(right)
        ends[free] = max(ends[free], right)
        lanes[number] = free
    return lanes


def when(event: Dated, words: Words = ENGLISH, /) -> str:
    """Return the time of an event as text: ``12 March 2024``, ``Q3 2024``, ``week 5 of 2025``."""
    if event.precision == "range" or "/" in event.value:
        return _range(date.fromisoformat(event.first), date.fromisoformat(event.last), words)
    if match := _WEEK.fullmatch(event.value):
        return words.phrase("Week {week} of {year}").format(week=int(match[2]), year=match[1])
    if match := _PART.fullmatch(event.value):
        return f"{match[2]}{match[3]} {match[1]}"
    day = date.fromisoformat(event.first)
    if event.precision == "month":
        return f"{words.month(day)} {day.year}"
    if event.precision == "day":
        return words.on_day(day)
    return str(day.year) if event.precision == "year" else event.value


def _range(first: date, last: date, words: Words) -> str:
    end = words.on_day(last)
    if first.year != last.year:
        return f"{words.on_day(first)} \u2013 {end}"
    # Write common parts of both days once: "3 January – 12 March 2024", "3–12 March 2024".
    own = words.day.partition("{year}" if first.month != last.month else " {month}")[0].strip()
    start = own.format(day=first.day, month=words.month(first))
    return f"{start} \u2013 {end}" if first.month != last.month else f"{start}\u2013{end}"


# The timeline of a collection as one HTML page: an axis to scale, and events with sources.

_NO_PICTURES: Mapping[Place, Picture] = MappingProxyType({})
_ROWS = 12
_PRECISE = {
    "day": "to the day",
    "week": "to the week",
    "month": "to the month",
    "quarter": "to the quarter",
    "half": "to the half-year",
    "year": "to the year",
    "range": "a span of time",
}
_Numbered = tuple[int, "Event"]


def timeline_page(state: State, timeline: Timeline, /) -> str:
    """Return a timeline of *state*'s collection as a page with pictures of its main passages."""
    weighty = sorted(timeline.events, key=lambda e: -e.weight)
    return timeline_html(timeline, draw(state, [e.quote for e in weighty]))


def timeline_html(timeline: Timeline, pictures: Mapping[Place, Picture] = _NO_PICTURES, /) -> str:
    """Return a timeline as a page of HTML without external resources.

    *pictures* are found by chunk id, start and end in the chunk's text.
    """
    periods = [
        (year, [(title, list(group)) for title, group in groupby(events, key=_within)])
        for year, events in groupby(enumerate(timeline.events), key=lambda i: _first(i).year)
    ]
    body = rendered(
        "timeline.html",
        timeline=timeline,
        counts=_counts(timeline),
        widths=AXIS_WIDTHS,
        drawing=lambda width: timeline_svg(timeline, width=width, link=event_anchor),
        periods=periods,
        when=when,
        precise=_PRECISE,
        cards=Cards(timeline.collection, pictures),
    )
    return sheet("timeline", f"{timeline.collection}: timeline", [body])


def _counts(timeline: Timeline) -> str:
    shown = len(timeline.events)
    text = counted(timeline.total, "event")
    if shown < timeline.total:
        text = f"{shown:,} of {text}, most important"
    bounds = (("from", timeline.start), ("to", timeline.end))
    return text + "".join(f", {word} {day}" for word, day in bounds if day)


def _first(item: _Numbered) -> date:
    return date.fromisoformat(item[1].first)


def _within(item: _Numbered) -> str:
    """Return the part of the year that an event belongs to."""
    precision = item[1].precision
    if precision in {"year", "half", "quarter"}:
        return "The year as a whole" if precision == "year" else when(item[1]).split()[0]
    return ENGLISH.months[_first(item).month - 1]


# --- in a notebook -------------------------------------------------------------------------


def timeline_figure(timeline: Timeline, /) -> str:
    """Return a timeline for a notebook: the axis, and its main events with their sources."""
    heavy = sorted(range(len(timeline.events)), key=lambda n: -timeline.events[n].weight)[:_ROWS]
    return rendered(
        "timeline_figure.html",
        timeline=timeline,
        counts=_counts(timeline),
        style=figure_style(),
        drawing=timeline_svg(timeline),
        events=[timeline.events[n] for n in sorted(heavy)],
        when=when,
    )
