"""Days of a month that the text leaves open: the 27th, on the 15th."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates.nodes import Node, relative

if TYPE_CHECKING:
    import datetime as dt

    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

_BEHIND_DAY = frozenset(
    "and or to at from between until till through for of with if as so but which when where "
    "und bis um".split()
)
_STANDS_ON = frozenset(("on", "for", "by", "until", "since", "before", "after", "am", "zum"))


def bare_day(stream: TokenStream, index: int, *, sure: bool = False) -> Parsed | None:
    """Read "the 27th", "on 15", "20th": a day of a month that the text leaves open."""
    here = stream.skip(index, "the", "den", "dem")
    article = here > index
    read = numbers.ordinal(stream, here)
    ordered = read is not None
    number = stream.number(here)
    if read is None and number is not None and not stream.glued(here):
        read = number, here + 1
    if read is None or not 1 <= read[0] <= 31:
        return None
    day, end = read
    before, behind = stream.low(index - 1), stream.low(end)
    closed = not behind or behind in {".", ",", ";", "!", "?", "\n", ")", "–"}
    if numbers.decimal_follows(stream, end) or (stream.glued(end) and behind.isalnum()):
        return None
    if behind in {"and", "or", "to"} and numbers.ordinal(stream, stream.skip(end + 1, "the")):
        return None
    if ordered and stream.number(here) is not None:
        fits = (article or before in _STANDS_ON) and (closed or behind in _BEHIND_DAY)
        fits = fits and not (behind == "of" and stream.low(end + 1) != "the")
    elif ordered:
        stop = not behind or (behind in {".", "!", "?"} and not stream.low(end + 1))
        fits = before in {"on", "for"} and stop and article
    else:
        stop = not behind or (behind in {".", "!", "?"} and not stream.low(end + 1))
        fits = before in {"on", "for"} and stop and (article or before == "on")
    if behind == "day" and stream.low(end + 1) == "of":
        return None
    whole = stream.alone and index == 0 and end == len(stream.tokens)
    if not (fits or sure or whole):
        return None
    anchor = stream.anchor
    if anchor is None:
        return relative("day", None, 0.35), end
    before_day, after_day = _nearest(anchor, day)
    days = [near for near in (before_day, after_day) if near]
    choices = tuple(relative("day", (near, near)) for near in days)
    return Node("day", relative=True, choices=choices, confidence=0.35), end


def _nearest(anchor: dt.date, day: int) -> tuple[dt.date | None, dt.date | None]:
    """Return the last and the next day with this number."""
    near: list[dt.date] = []
    for months in range(-4, 5):
        first = calendars.add_months(anchor.replace(day=1), months)
        found = calendars.date_or_none(first.year, first.month, day) if first else None
        near += [found] if found else []
    before = [item for item in near if item <= anchor]
    after = [item for item in near if item > anchor]
    return (before[-1] if before else None), (after[0] if after else None)
