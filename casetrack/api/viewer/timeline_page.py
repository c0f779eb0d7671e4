"""The timeline of a collection as one page of HTML: an axis to scale, and the events with proof."""

from __future__ import annotations

from datetime import date
from itertools import groupby
from types import MappingProxyType
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import LEFT, esc, span
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import figure_style, sheet
from casetrack.api.viewer.symbols import shortened
from casetrack.api.viewer.timeline_figure import AXIS_WIDTHS, event_anchor, timeline_svg, when
from casetrack.api.viewer.words import MONTHS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from casetrack.api.viewer.quotes import Place
    from casetrack.base.records import Picture
    from casetrack.base.records.graph import Event, Timeline
    from casetrack.store.workspace import State

_NO_PICTURES: Mapping[Place, Picture] = MappingProxyType({})
_SAID_CHARS = 600
_FIND_CHARS = 600
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
    """Return a timeline as a page with pictures of the weightiest of its passages.

    Parameters
    ----------
    state
        The collection that the timeline is of.
    """
    weighty = sorted(timeline.events, key=lambda e: -e.weight)
    return timeline_html(timeline, draw(state, [e.quote for e in weighty]))


def timeline_html(timeline: Timeline, pictures: Mapping[Place, Picture] = _NO_PICTURES, /) -> str:
    """Return a timeline as a page of HTML that loads nothing.

    Parameters
    ----------
    pictures
        Pictures of cited places, by chunk id, start and end in its text.
    """
    cards = Cards(timeline.collection, pictures)
    return sheet("timeline", f"{timeline.collection}: what happened when", _body(timeline, cards))


def _body(timeline: Timeline, cards: Cards) -> Iterator[str]:
    yield f'<header>\n<p class="eyebrow">Collection {span(timeline.collection)}</p>\n'
    yield f'<h1>What happened when</h1>\n<p class="citation">{_counts(timeline)}</p>\n</header>\n'
    for note in filter(None, (timeline.left_out, timeline.gap)):
        yield f'<p class="note" role="note">{esc(note)}</p>\n'
    if not timeline.events:
        yield '<p class="note" role="note">There are no dated events here.</p>\n'
        return
    yield '<section class="axis-box" aria-label="Axis">\n'
    yield (
        '<p class="find"><label for="find">Find an event</label> '
        '<input id="find" type="search" autocomplete="off" spellcheck="false"> '
        '<span id="found" role="status"></span></p>\n'
    )
    for name, width in AXIS_WIDTHS.items():
        drawn = timeline_svg(timeline, width=width, link=event_anchor)
        yield f'<div class="axis-{name}">{drawn}</div>\n'
    yield f"{_signs()}</section>\n"
    yield '<main class="periods">\n'
    numbered = enumerate(timeline.events)
    for year, events in groupby(numbered, key=lambda item: _first(item).year):
        yield f'<section class="period">\n<h2>{year}</h2>\n'
        for title, group in groupby(events, key=_within):
            yield f'<section class="period">\n<h3>{title}</h3>\n'
            for number, event in group:
                yield from _entry(number, event, cards)
            yield "</section>\n"
        yield "</section>\n"
    yield f"</main>\n{cards.definitions()}"


def _counts(timeline: Timeline) -> str:
    shown = len(timeline.events)
    text = counted(timeline.total, "event")
    if shown < timeline.total:
        text = f"{shown:,} of {text}, the weightiest"
    bounds = (("from", timeline.start), ("to", timeline.end))
    return text + "".join(f", {word} {esc(day)}" for word, day in bounds if day)


def _signs() -> str:
    point = '<circle class="point" cx="0" cy="0" r="5"/>'
    bar = '<rect class="stretch" x="-9" y="-4" width="18" height="8" rx="2.5"/>'
    items = "".join(
        '<li><svg class="sign ct-figure-sign" viewBox="-9 -9 18 18" width="15" height="15" '
        f'aria-hidden="true"><g class="marks">{drawn}</g></svg> {words}</li>'
        for drawn, words in ((point, "A day"), (bar, "A longer time"))
    )
    return f'<ul class="legend" aria-label="Signs">{items}</ul>\n'


def _first(item: _Numbered) -> date:
    return date.fromisoformat(item[1].first)


def _within(item: _Numbered) -> str:
    """Return the part of the year under which an event stands."""
    precision = item[1].precision
    if precision in {"year", "half", "quarter"}:
        return "The year as a whole" if precision == "year" else when(item[1]).split()[0]
    return MONTHS[_first(item).month - 1]


def _entry(number: int, event: Event, cards: Cards) -> Iterator[str]:
    said = shortened(event.description, _SAID_CHARS)
    find = " ".join([when(event), event.value, said, event.quote.provenance.document_name])
    yield (
        f'<article class="event" id="event-{number}" tabindex="-1" data-name="{number}" '
        f'data-find="{esc(find[:_FIND_CHARS])}">\n'
    )
    precise = _PRECISE.get(event.precision, event.precision)
    yield f'<p class="day">{esc(when(event))} <small>{esc(precise)}</small></p>\n<div>\n'
    yield f'<p class="said" dir="auto">{esc(said)}</p>\n'
    places = ""
    if event.mention_count > 1:
        mentions = counted(event.mention_count, "mention")
        places = f" \u00b7 {mentions} in {counted(event.document_count, 'document')}"
    yield f'<p class="source">{esc(event.quote.citation)}{places}</p>\n'
    yield f"<details><summary>Show the passage</summary>\n{cards.card(event.quote)}</details>\n"
    yield "</div>\n</article>\n"


# --- in a notebook -------------------------------------------------------------------------


def timeline_figure(timeline: Timeline, /) -> str:
    """Return a timeline for a notebook: the axis, and its weightiest events with their sources."""
    collection = f"<b>{esc(timeline.collection)}</b>"
    if not timeline.events:
        return f"<p>{collection}: there are no dated events here. {esc(timeline.gap)}</p>"
    heavy = sorted(range(len(timeline.events)), key=lambda n: -timeline.events[n].weight)[:_ROWS]
    rows = _rows([timeline.events[n] for n in sorted(heavy)])
    heads = "".join(f"<th {LEFT}>{t}</th>" for t in ("when", "what", "source"))
    return (
        f"<div>{figure_style()}<p>{collection}: {_counts(timeline)}</p>"
        f"{timeline_svg(timeline)}{_signs()}"
        f"<table><tr>{heads}</tr>{rows}</table></div>"
    )


def _rows(events: Sequence[Event]) -> str:
    return "".join(
        f"<tr><td {LEFT}>{esc(when(e))}</td>"
        f"<td {LEFT}>{span(shortened(e.description, 160))}</td>"
        f"<td {LEFT}>{esc(e.quote.citation)}</td></tr>"
        for e in events
    )
