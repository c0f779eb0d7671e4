"""Find every date of a text, the longest first from the left."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from casetrack.extract.dates import evidence, fiscal, points, ranges
from casetrack.extract.dates.nodes import outcome
from casetrack.extract.dates.tokens import TokenStream, tokenize, windows
from casetrack.extract.spans import DateSpan

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

    from casetrack.extract.dates.nodes import Node

_LONGEST_EXPRESSION: Final = 200
"""Characters of a text that is one date and nothing else."""

_FIGURES: Final = re.compile(
    r"(?<![0-9])([0-9]{1,2})([/.-])([0-9]{1,2})\2(?:[0-9]{4}|[0-9]{2})(?![0-9])"
)


def find_dates(
    text: str, /, *, anchor: dt.date | None = None, day_first: bool | None = None
) -> tuple[DateSpan, ...]:
    """Find the dates and ranges of dates of a text.

    Durations, times of day and what recurs are no dates. Of a date with a time the date is found.

    Parameters
    ----------
    text
        Any text; offsets count its code points.
    anchor
        The document's date. With it relative and partial dates get a value where they have one
        natural reading; where the last and the next one are both natural, both are readings.
    day_first
        What "03/04/2024" means in this document: ``True`` 3 April, ``False`` March 4th, ``None``
        unknown. Dates that only fit one order are read in that one.

    Returns
    -------
    tuple of DateSpan
        In order, apart from one another. Below 0.5 confidence it is a guess by form alone.
        Years of two figures are 20xx up to 49 and 19xx from 50, with 0.7 at most. A financial year
        has a value but no days, a season neither. Without a year a quarter is ``--Q3``, a week
        ``--W32``, a month ``--03``.
    """
    spans: list[DateSpan] = []
    for start, stop in windows(text):
        stream = TokenStream(
            tokenize(text, start, stop), anchor, day_first, alone=False, reader=points.read_point
        )
        spans += _in_window(text, stream)
    return tuple(spans)


def _in_window(text: str, stream: TokenStream) -> list[DateSpan]:
    spans: list[DateSpan] = []
    index, count = 0, len(stream.tokens)
    year_end = fiscal_end = -1
    while index < count:
        found = _longest(stream, index) if points.may_start(stream, index) else None
        if found is None:
            index += 1
            continue
        node, end = found
        if node.bare == "year" and fiscal.goes_on(stream, fiscal_end, index):
            node = replace(node, fiscal=True)
        node = fiscal.as_fiscal(node)
        sure = evidence.confidence(stream, (index, end), node, listed=year_end == index - 1)
        if sure is None:
            index += 1
            continue
        spans.append(_span(text, stream, (index, end), node, sure))
        year_end = end if len(stream.low(end - 1)) == 4 and node.precision != "range" else -1
        fiscal_end = end if node.fiscal and node.precision == "year" else -1
        index = end
    return spans


def _longest(stream: TokenStream, index: int) -> tuple[Node, int] | None:
    point = stream.point(index)
    ranged = ranges.parse(stream, index)
    return ranged if ranged and (point is None or ranged[1] > point[1]) else point


def _span(
    text: str, stream: TokenStream, found: tuple[int, int], node: Node, sure: float
) -> DateSpan:
    start, end = stream.tokens[found[0]].start, stream.tokens[found[1] - 1].end
    read = outcome(node, stream.anchor)
    return DateSpan(
        start=start,
        end=end,
        text=text[start:end],
        kind=read.kind,
        value=read.value,
        first=read.first,
        last=read.last,
        precision=read.precision,
        readings=read.readings,
        confidence=round(min(sure, node.confidence), 2),
    )


def read_date(
    text: str, /, *, anchor: dt.date | None = None, day_first: bool | None = None
) -> DateSpan | None:
    """Read a text that is one date and nothing else.

    A stored date that was relative, partial or ambiguous gets its value so, once the document's
    date or its order of day and month is known.

    Parameters
    ----------
    text
        The date as written; space around it does not count.
    anchor, day_first
        As in `find_dates`.

    Returns
    -------
    DateSpan or None
        With offsets into *text*; ``None`` where it is not one date.
    """
    if len(text) > _LONGEST_EXPRESSION:
        return None
    tokens = tokenize(text, 0, len(text))
    stream = TokenStream(tokens, anchor, day_first, alone=True, reader=points.read_point)
    found = _longest(stream, 0) if tokens else None
    if found is None or found[1] != len(tokens):
        return None
    found = fiscal.as_fiscal(found[0]), found[1]
    sure = evidence.confidence(stream, (0, found[1]), found[0], listed=False)
    return None if sure is None else _span(text, stream, (0, found[1]), found[0], sure)


def day_order(spans: Iterable[DateSpan], /) -> bool | None:
    """Return the order of day and month that the numeric dates of one document use.

    Parameters
    ----------
    spans
        All dates of the document.

    Returns
    -------
    bool or None
        ``True`` where at least one can only be read day first (25/04/2024) and none only month
        first, ``False`` the other way round, ``None`` where there is neither or both.
    """
    orders: set[bool] = set()
    for span in spans:
        if span.kind != "absolute":
            # A date that the calendar does not have may be wrong in its order as well.
            continue
        for match in _FIGURES.finditer(span.text):
            one, two = int(match[1]), int(match[3])
            if 12 < one <= 31 and 1 <= two <= 12:
                orders.add(True)
            elif 12 < two <= 31 and 1 <= one <= 12:
                orders.add(False)
    return orders.pop() if len(orders) == 1 else None
