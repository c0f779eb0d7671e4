"""The timeline of a collection as one HTML page: an axis to scale, and events with sources."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.quotes import Cards, Place
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import ENGLISH, counted
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg, when

if TYPE_CHECKING:
    from collections.abc import Mapping

    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Event, Timeline
    from casetrack.store.workspace import State

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
