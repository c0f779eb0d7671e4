"""Draws a timeline to scale as SVG, for pages and for notebooks."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

from casetrack.api.viewer.scale import make_scale
from casetrack.api.viewer.symbols import text_width
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.api.viewer.scale import Scale
    from casetrack.api.viewer.words import Words
    from casetrack.base.records.graph import Event, Timeline
    from casetrack.base.records.graph.timeline import Dated

    EventLink = Callable[[int, Event], str]

AXIS_WIDTHS = {"wide": 1120.0, "middle": 680.0, "tall": 350.0}
"""Widths of the drawings of a page, in pixels: for screens, tablets and telephones."""
_SIDE = 14.0
_LANE = 12.0
_MOST_LANES = 12
_LEAST_BAR = 7.0
_WEEK = re.compile(r"(\d{4})-W(\d\d)")
_PART = re.compile(r"(\d{4})-([QH])(\d)")


def event_anchor(number: int, _event: Event, /) -> str:
    """Return where an event stands on a page that lists them: ``#event-N``."""
    return f"#event-{number}"


def timeline_svg(
    timeline: Timeline,
    /,
    *,
    width: float = 900.0,
    link: EventLink | None = None,
    words: Words = ENGLISH,
) -> str:
    """Draw the events of a timeline on an axis that is to scale.

    A day is a point above the axis, a longer time a bar below it. Long empty stretches are cut
    out, which the axis shows.

    Parameters
    ----------
    width
        Pixels across.
    link
        Where an event leads, by its number from 0 as in *timeline*; without it nowhere.
    words
        What the drawing says.

    Returns
    -------
    str
        An ``svg`` element that is styled by ``figure.css``, without styles of its own; empty where
        there are no events.
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
    """Return where an event's sign begins and ends, in pixels."""
    left, right = scale.at(span[0]), scale.at(span[1] + 1)
    least = 2 * _radius(event) if span[0] == span[1] else _LEAST_BAR
    if right - left >= least and span[0] != span[1]:
        return left, right
    middle = (left + right) / 2
    return middle - least / 2, middle + least / 2


def _lanes(extents: dict[int, tuple[float, float]]) -> dict[int, int]:
    """Stack signs so that none covers another, unless there are too many in one place."""
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
    """Return the time of an event in words: ``12 March 2024``, ``Q3 2024``, ``week 5 of 2025``."""
    if event.precision == "range" or "/" in event.value:
        return _range(date.fromisoformat(event.first), date.fromisoformat(event.last), words)
    if found := _WEEK.fullmatch(event.value):
        return words.week.format(week=int(found[2]), year=found[1])
    if found := _PART.fullmatch(event.value):
        return f"{found[2]}{found[3]} {found[1]}"
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
    # What both have in common stands once: "3 January – 12 March 2024", "3–12 March 2024".
    own = words.day.partition("{year}" if first.month != last.month else " {month}")[0].strip()
    start = own.format(day=first.day, month=words.month(first))
    return f"{start} \u2013 {end}" if first.month != last.month else f"{start}\u2013{end}"
