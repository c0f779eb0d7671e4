"""The timeline: its axis with zoom, events, the user's events, and hidden ones."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from casetrack.api.collection.map import Map
from casetrack.api.viewer.timeline_figure import when
from casetrack.faces.window.asking import answered, wanted
from casetrack.faces.window.drawings import drawn_timeline, words_of
from casetrack.faces.window.pages.base import Page, document_names
from casetrack.faces.window.pages.people import recent_marks
from casetrack.faces.window.visit import address

if TYPE_CHECKING:
    from starlette.responses import Response

    from casetrack.base.records.graph import Timeline
    from casetrack.faces.window.visit import Visit

_SHOWN = 100
_MOST = 1000
_YEARS_APART = 40
"""Longer timelines offer decades to zoom into."""
_FAR = 10
_FIRST, _LAST = date.min.toordinal(), date.max.toordinal()


class Span(NamedTuple):
    """A range of days, inclusive; ``None`` is an open end."""

    start: str | None
    end: str | None


class Period(NamedTuple):
    """A period to zoom into: its name, its days, and its number of dates."""

    name: str
    span: Span
    dates: int


def timeline(visit: Visit, /) -> Response:
    """Show the events of a span on an axis and as a list."""
    collection, words = visit.collection, words_of(visit.texts)
    given = wanted(visit, Map.timeline, limit=_SHOWN)
    result = answered(visit, Map.timeline, given)
    numbered = list(enumerate(result.events))
    marks = collection.marks.all()
    return visit.page(
        "timeline.html",
        timeline=result,
        axis=drawn_timeline(visit.texts, result),
        years=[(y, list(events)) for y, events in groupby(numbered, lambda e: e[1].first[:4])],
        when=lambda event: when(event, words),
        periods=_periods(result, words.months),
        closer=_moved(result),
        **given,
        most=_MOST,
        here=address("c", collection.name, "timeline", **(given | {"limit": visit.asked("limit")})),
        edited=visit.asked("edit"),
        source=visit.asked("source"),
        names=() if visit.read_only else document_names(collection),
        hidden=[m for m in marks if m.mark.kind == "hide_event"],
        homeless=[m for m in marks if m.mark.kind == "event" and m.quote is None],
        recent=recent_marks(visit),
    )


def _periods(result: Timeline, months: tuple[str, ...]) -> list[Period]:
    """Return the periods to zoom into: decades, years, or the months of one year."""
    counts: dict[str, int] = {}
    years = {period[:4] for period, _ in result.periods}
    # A date without a month belongs to none of the months.
    digits = 7 if len(years) == 1 else 4 if len(years) <= _YEARS_APART else 3
    for period, count in result.periods:
        if len(period) >= min(digits, 4) and not (digits == 7 and len(period) == 4):
            counts[period[:digits]] = counts.get(period[:digits], 0) + count
    if len(counts) < 2 and digits == 7:
        return []
    periods = sorted(counts.items())
    # Dates far before all others are mostly numbers that look like years.
    while digits == 3 and len(periods) > 2 and int(periods[1][0]) - int(periods[0][0]) > _FAR:
        periods = periods[1:]
    return [Period(*_named(period, months), dates) for period, dates in periods]


def _named(period: str, months: tuple[str, ...]) -> tuple[str, Span]:
    if len(period) == 3:
        return f"{period}0\u2013{period}9", Span(f"{period}0", f"{period}9")
    if len(period) == 4:
        return period, Span(period, period)
    return months[int(period[5:]) - 1][:3], Span(period, period)


def _moved(result: Timeline) -> dict[str, Span]:
    """Return the spans for zooming in and out, and for moving to both sides."""
    if not result.events:
        return {}
    first = date.fromisoformat(result.start or min(e.first for e in result.events)).toordinal()
    last = date.fromisoformat(result.end or max(e.last for e in result.events)).toordinal()
    days = last - first + 1
    moved = {
        "in": (first + days // 4, last - days // 4),
        "out": (first - days // 2, last + days // 2),
        "before": (first - days // 2, last - days // 2),
        "after": (first + days // 2, last + days // 2),
    }
    whole = result.start is None and result.end is None
    wanted = ["in"] if whole else list(moved)
    return {way: _days(*moved[way]) for way in wanted if days > 1 or way != "in"}


def _days(first: int, last: int) -> Span:
    ends = (min(max(day, _FIRST), _LAST) for day in (first, max(first, last)))
    return Span(*(date.fromordinal(day).isoformat() for day in ends))


PAGES = (Page("timeline", "timeline", timeline, needs_map=True, of=("timeline",)),)
