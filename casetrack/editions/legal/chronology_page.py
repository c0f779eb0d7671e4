"""The chronology of a case as one page of HTML: date, event, who, and the passage that says so."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.graph_figure import counted
from casetrack.api.viewer.markup import esc, span
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.timeline_figure import when

if TYPE_CHECKING:
    from collections.abc import Iterator

    from casetrack.editions.legal.records.chronology import Chronology, ChronologyEntry
    from casetrack.store.workspace import State


def chronology_page(state: State, chronology: Chronology, /) -> str:
    """Return a chronology as a page that loads nothing, with pictures of its passages.

    The reader's picks are pictured first.

    Parameters
    ----------
    state
        The case that it is of.
    """
    first = sorted(chronology.entries, key=lambda e: not e.picked)
    cards = Cards(chronology.case, draw(state, [e.quote for e in first]))
    return sheet("chronology", f"{chronology.case}: chronology", _body(chronology, cards))


def _body(chronology: Chronology, cards: Cards) -> Iterator[str]:
    yield f'<header>\n<p class="eyebrow">Case {span(chronology.case)}</p>\n'
    yield f'<h1>Chronology</h1>\n<p class="citation">{_counts(chronology)}</p>\n</header>\n'
    for note in chronology.notes:
        yield f'<p class="note" role="note">{esc(note)}</p>\n'
    if not chronology.entries:
        yield '<p class="note" role="note">There are no dated events here.</p>\n'
        return
    yield (
        '<p class="find"><label for="find">Find an event</label> '
        '<input id="find" type="search" autocomplete="off" spellcheck="false"> '
        '<span id="found" role="status"></span></p>\n'
    )
    yield '<main class="periods">\n'
    numbered = enumerate(chronology.entries)
    for year, entries in groupby(numbered, key=lambda item: item[1].first[:4]):
        yield f'<section class="period">\n<h2>{esc(year)}</h2>\n'
        for number, entry in entries:
            yield from _entry(number, entry, cards)
        yield "</section>\n"
    yield f"</main>\n{cards.definitions()}"


def _counts(chronology: Chronology) -> str:
    picked = sum(e.picked for e in chronology.entries)
    bounds = (("from", chronology.start), ("to", chronology.end))
    span_said = "".join(f", {word} {esc(day)}" for word, day in bounds if day)
    return (
        f"{counted(len(chronology.entries), 'event')}, {picked:,} picked by the reader{span_said}"
    )


def _entry(number: int, entry: ChronologyEntry, cards: Cards) -> Iterator[str]:
    find = " ".join([when(entry), entry.value, entry.event, *entry.who, entry.citation])
    yield (
        f'<article class="event" id="event-{number}" tabindex="-1" data-name="{number}" '
        f'data-find="{esc(find)}">\n'
    )
    picked = "<small>picked</small>" if entry.picked else ""
    yield f'<p class="day">{esc(when(entry))} {picked}</p>\n<div>\n'
    yield f'<p class="said" dir="auto">{esc(entry.event)}</p>\n'
    if entry.document_says:
        yield f'<p class="source">The document says: {esc(entry.document_says)}</p>\n'
    if entry.who:
        yield f'<p class="source"><b>Who:</b> {"; ".join(map(span, entry.who))}</p>\n'
    yield f'<p class="source"><b>Source:</b> {esc(entry.citation)}</p>\n'
    yield f"<details><summary>Show the passage</summary>\n{cards.card(entry.quote)}</details>\n"
    yield "</div>\n</article>\n"
