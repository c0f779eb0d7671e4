"""Times that reach from one day by a length: within ten months, more than a week before today."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, numbers, periods
from casetrack.extract.dates.nodes import Node, days_of, kind_of, relative
from casetrack.extract.dates.relative import duration

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

_STEPS = frozenset(("next", "coming", "upcoming", "following"))
_NOW = frozenset(("now", "today"))
_OF_ELSE = frozenset(
    "of after following from prior before preceding thereafter thereof since receipt notice".split()
)
"""Words after which a deadline counts from another day than the document's date."""
_DAYS = frozenset(("today", "tomorrow", "yesterday", "now"))


def within(stream: TokenStream, index: int) -> Parsed | None:
    """Read "within 10 months", "within the next 3 weeks", "within 2 weeks from today".

    Without the document's date "within 30 days" is only a duration.
    """
    anchor = stream.anchor
    if stream.low(index) != "within" or anchor is None:
        return None
    pos = stream.skip(index + 1, "the")
    stepped = stream.low(pos) in _STEPS
    read = duration(stream, pos + stepped)
    if read is None:
        return None
    span, end = read
    if stream.low(end) == "from" and stream.low(end + 1) in _NOW:
        stepped, end = True, end + 2
    elif stream.low(end) in _OF_ELSE:
        return None
    last = span.moved(anchor, 1)
    days = (anchor, last) if last else None
    return relative("range", days, 0.8 if stepped else 0.45), end


def bounded(stream: TokenStream, index: int) -> Parsed | None:
    """Read "more than 2 weeks before today", "less than 3 days after tomorrow"."""
    if stream.low(index) not in {"more", "less"} or stream.low(index + 1) != "than":
        return None
    read = duration(stream, index + 2)
    if read is None or stream.low(read[1]) not in {"before", "after", "from"}:
        return None
    if stream.low(read[1] + 1) not in _DAYS:
        return None
    span, pos = read
    sign = -1 if stream.low(pos) == "before" else 1
    step = {"tomorrow": 1, "yesterday": -1}.get(stream.low(pos + 1), 0)
    base = calendars.add_days(stream.anchor, step) if stream.anchor else None
    moved = span.moved(base, sign) if base else None
    if stream.low(index) == "less":
        # The date is between the two days.
        far = calendars.add_days(moved, -sign) if moved else None
        days = (min(base, far), max(base, far)) if base and far else None
        return relative("range", days, 0.7), pos + 2
    return relative("day", (moved, moved) if moved else None, 0.7), pos + 2


def ahead(stream: TokenStream, index: int) -> Parsed | None:
    """Read "4 weeks in the future", "two years in the past"."""
    read = duration(stream, index)
    if read is None:
        return None
    span, end = read
    if (stream.low(end), stream.low(end + 1)) != ("in", "the"):
        return None
    sign = {"future": 1, "past": -1}.get(stream.low(end + 2))
    if sign is None:
        return None
    anchor = stream.anchor
    other = span.moved(anchor, sign) if anchor else None
    near = calendars.add_days(anchor, sign) if anchor else None
    far = calendars.add_days(other, -1) if other and sign > 0 else other
    days = (min(near, far), max(near, far)) if near and far else None
    return relative("range", days, 0.6), end + 3


def day_beside(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the day before Christmas", "day after 3 May 2031"."""
    pos = stream.skip(index, "the")
    if stream.low(pos) != "day" or stream.low(pos + 1) not in {"after", "before"}:
        return None
    point = stream.point(pos + 2)
    if point is None or point[0].precision != "day" or point[0].bare:
        return None
    step = 1 if stream.low(pos + 1) == "after" else -1
    days = days_of(point[0])
    moved = calendars.add_days(days[0], step) if days else None
    if moved is not None and kind_of(point[0]) == "absolute":
        return Node("day", year=moved.year, month=moved.month, day=moved.day), point[1]
    if moved is None and kind_of(point[0]) in {"partial", "ambiguous"}:
        return None
    return relative("day", (moved, moved) if moved else None, 0.7), point[1]


# Financial years and their parts: "fiscal 2022", "FY23 Q2", "fiscal second quarter of 2023". Only
# the company's documents define their days.


NAMES = frozenset(("fiscal", "financial"))
_YEARS = frozenset(("year", "years"))
_AND = frozenset((",", "and", "or", "&"))
_TO = frozenset(("-", "–", "to", "through", "thru"))


def part(stream: TokenStream, index: int) -> Parsed | None:
    """Read "fiscal second quarter of 2023", "fiscal Q2 2023", "the fiscal first half"."""
    if stream.low(index) not in NAMES:
        return None
    read = periods.part(stream, index + 1)
    if read is None or read[0].relative:
        return None
    return replace(read[0], fiscal=True, bare=""), read[1]


def year_first(stream: TokenStream, index: int) -> Parsed | None:
    """Read "2022 fiscal year", "2023 fiscal second quarter"."""
    read = numbers.year(stream, index)
    if read is None or stream.low(read[1]) not in NAMES:
        return None
    year = Node("year", year=read[0], fiscal=True, confidence=0.85)
    if stream.low(read[1] + 1) in _YEARS:
        return year, read[1] + 2
    named = periods.part_name(stream, read[1] + 1)
    node = periods.part_of(named[0], named[1], year) if named else None
    return (node, named[2]) if named and node else None


def years(stream: TokenStream, index: int) -> Parsed | None:
    """Read "fiscal 2020-2022", "fiscal years 2020 through 2022"."""
    first = periods.year_word(stream, index)
    if first is None or not first[0].fiscal or stream.low(first[1]) not in _TO:
        return None
    read = numbers.year(stream, stream.skip(first[1] + 1, "fiscal", "fy", "year"))
    if read is None or first[0].year is None or read[0] <= first[0].year:
        return None
    last = replace(first[0], year=read[0])
    return replace(first[0], precision="range", year=None, ends=(first[0], last)), read[1]


def goes_on(stream: TokenStream, end: int, index: int) -> bool:
    """Return whether a year at *index* continues a list: "fiscal 2022, 2021 and 2020"."""
    return 0 < index - end <= 2 and all(stream.low(i) in _AND for i in range(end, index))


def as_fiscal(node: Node) -> Node:
    """Return a range whose ends are both financial where one is."""
    if not node.ends or node.ends[0].fiscal == node.ends[1].fiscal:
        return node
    ends = tuple(replace(end, fiscal=True) for end in node.ends)
    return replace(node, ends=(ends[0], ends[1]))
