"""The chronology of a case as one page of HTML: date, event, who, and the passage that says so."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from casetrack.api.viewer.gather import draw
from casetrack.api.viewer.quotes import Cards
from casetrack.api.viewer.sheet import sheet
from casetrack.api.viewer.templating import rendered
from casetrack.api.viewer.timeline_figure import when
from casetrack.api.viewer.words import counted

if TYPE_CHECKING:
    from casetrack.editions.legal.records.chronology import Chronology
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
    body = rendered(
        "chronology.html",
        Path(__file__).parent,
        chronology=chronology,
        counts=_counts(chronology),
        years=[
            (year, list(entries))
            for year, entries in groupby(
                enumerate(chronology.entries), key=lambda item: item[1].first[:4]
            )
        ],
        when=when,
        cards=cards,
    )
    return sheet("chronology", f"{chronology.case}: chronology", [body])


def _counts(chronology: Chronology) -> str:
    picked = sum(e.picked for e in chronology.entries)
    bounds = (("from", chronology.start), ("to", chronology.end))
    span_said = "".join(f", {word} {day}" for word, day in bounds if day)
    return (
        f"{counted(len(chronology.entries), 'event')}, {picked:,} picked by the reader{span_said}"
    )
