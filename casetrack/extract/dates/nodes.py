"""Parsed date expressions, before and after the document's date is known."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.dates import calendars

if TYPE_CHECKING:
    from collections.abc import Iterable

    from casetrack.extract.spans import DateKind, DatePrecision

_REACH = 8
"""Years around the document's date in which 29 February comes once at least."""


@dataclass(frozen=True, slots=True)
class Node:
    """A parsed date expression."""

    precision: DatePrecision  # as in a date span
    # year, month, day: `None` if omitted.
    year: int | None = None
    month: int | None = None
    day: int | None = None
    number: int | None = None  # of the week, quarter or half
    weekday: int | None = None  # monday 0
    relative: bool = False  # whether it depends on the document's date
    # Days of a relative expression, if the document's date is known.
    days: calendars.Days | None = None
    choices: tuple[Node, ...] = ()  # readings of an ambiguous expression
    ends: tuple[Node, Node] | None = None  # both ends of a range
    impossible: bool = False  # whether the calendar lacks it
    fiscal: bool = False  # whether it depends on a financial year
    season: bool = False  # whether it depends on the hemisphere
    # Incomplete form that needs a preceding word to be a date: `month`, `year`, `day`, `weekday`,
    # `season`, `numeric`; else empty.
    bare: str = ""
    confidence: float = 0.95  # 0..1

    def sure(self, confidence: float) -> Node:
        """Return the same with at most this confidence."""
        return replace(self, confidence=min(self.confidence, confidence))


@dataclass(frozen=True, slots=True)
class Outcome:
    """The fields of a date span but its place."""

    kind: DateKind
    value: str | None
    first: str | None
    last: str | None
    precision: DatePrecision | None
    readings: tuple[str, ...] = ()


def relative(
    precision: DatePrecision, days: calendars.Days | None, confidence: float = 0.85
) -> Node:
    """Return a relative expression; *days* are ``None`` without the document's date."""
    return Node(precision, relative=True, days=days, confidence=confidence)


def days_of(node: Node) -> calendars.Days | None:
    """Return first and last day of a node that has one value, else ``None``."""
    if node.impossible or node.choices or node.fiscal or node.season:
        return None
    if node.relative:
        return node.days
    if node.ends:
        first, last = days_of(node.ends[0]), days_of(node.ends[1])
        return (first[0], last[1]) if first and last and first[0] <= last[1] else None
    if node.year is None:
        return None
    return _written_days(node, node.year)


def _written_days(node: Node, year: int) -> calendars.Days | None:
    if node.precision == "day" and node.month and node.day:
        day = calendars.date_or_none(year, node.month, node.day)
        return (day, day) if day else None
    if node.precision == "week" and node.number:
        return calendars.week_of(year, node.number)
    if node.precision == "month" and node.month:
        return calendars.months_from(year, node.month, 1)
    if node.precision in {"quarter", "half"} and node.number:
        length = 3 if node.precision == "quarter" else 6
        return calendars.months_from(year, (node.number - 1) * length + 1, length)
    if node.precision == "decade":
        return calendars.months_from(year, 1, 120)
    return calendars.months_from(year, 1, 12) if node.precision == "year" else None


def value_of(node: Node) -> str | None:
    """Return the ISO form of a node that has one value; ``--03-12`` where the year is missing."""
    if node.impossible or node.choices or node.season:
        return None
    if node.ends:
        values = [value_of(end) for end in node.ends]
        return "/".join(map(str, values)) if all(values) else None
    if node.relative:
        return calendars.iso_value(node.precision, node.days) if node.days else None
    lead = "-" if node.year is None else f"{node.year:04}"
    if node.fiscal and node.year is not None:
        lead = f"FY{lead}"
    if node.precision == "day" and node.month:
        return f"{lead}-{node.month:02}-{node.day:02}"
    if node.precision == "month":
        return f"{lead}-{node.month:02}"
    if node.precision in {"week", "quarter", "half"}:
        mark = node.precision[0].upper()
        return f"{lead}-{mark}{node.number:02}" if mark == "W" else f"{lead}-{mark}{node.number}"
    if node.year is None:
        return None
    return f"{node.year // 10:03}X" if node.precision == "decade" else lead


def kind_of(node: Node) -> DateKind:
    """Return the kind: that of its weakest part."""
    if node.impossible:
        return "impossible"
    if node.ends:
        kinds = {kind_of(end) for end in node.ends}
        for kind in ("impossible", "ambiguous", "relative", "partial"):
            if kind in kinds:
                return kind
        return "absolute"
    if node.relative:
        return "relative"
    if node.choices:
        return "ambiguous"
    return "absolute" if node.year is not None else "partial"


def in_year(node: Node, year: int) -> Node:
    """Return the node with a missing *year* added; a range over New Year ends in the next."""
    if node.ends:
        start, stop = (in_year(end, year) for end in node.ends)
        opened, closed = days_of(start), days_of(stop)
        if node.ends[1].year is None and opened and closed and closed[0] < opened[0]:
            stop = in_year(node.ends[1], year + 1)
        return replace(node, ends=(start, stop))
    if node.relative or node.year is not None:
        return node
    return replace(node, year=year)


def around(node: Node, anchor: dt.date) -> tuple[Node, ...]:
    """Return the readings of a partial node near the document's date: the last and the next one.

    A weekday next to the day decides if it fits one of them.
    """
    for reach in (1, _REACH):
        dated: list[tuple[Node, calendars.Days]] = []
        for year in range(max(1, anchor.year - reach), min(9999, anchor.year + reach) + 1):
            placed = in_year(node, year)
            days = days_of(placed)
            if days is not None:
                dated.append((placed, days))
        before = [placed for placed, days in dated if days[0] <= anchor]
        after = [placed for placed, days in dated if days[0] > anchor]
        if before and after:
            break
    near = (*before[-1:], *after[:1])
    fits = tuple(item for item in near if _first(item).weekday() == node.weekday)
    return fits or near


def _within_range(node: Node) -> Node:
    if not node.ends:
        return node
    start, stop = node.ends
    if kind_of(start) == "partial" and days_of(stop):
        options = [item for item in around(start, _first(stop))[:1] if days_of(item)]
        return replace(node, ends=(options[0], stop)) if options else node
    if kind_of(stop) == "partial" and (days := days_of(start)):
        later = [item for item in around(stop, days[0]) if _first(item) >= days[0]]
        return replace(node, ends=(start, later[0])) if later else node
    return node


def _first(node: Node) -> dt.date:
    days = days_of(node)
    return days[0] if days else dt.date.max


def _distinct(values: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(value for value in values if value))


def outcome(node: Node, anchor: dt.date | None) -> Outcome:
    """Return kind, value, days, precision and readings of a node."""
    node = _within_range(node) if anchor and kind_of(node) == "relative" else node
    kind, precision = kind_of(node), node.precision
    if kind == "impossible":
        return Outcome(kind, None, None, None, precision)
    if node.choices:
        readings = _distinct(value_of(choice) for choice in node.choices)
        return Outcome(kind, None, None, None, precision, readings)
    if kind == "ambiguous" and node.ends:
        return Outcome(kind, None, None, None, precision, _range_readings(node.ends))
    days = days_of(node)
    if kind == "partial" and anchor and not node.season and not node.fiscal:
        options = around(node, anchor)
        if len(options) == 1:
            node, days = options[0], days_of(options[0])
        else:
            readings = _distinct(value_of(option) for option in options)
            return Outcome(kind, value_of(node), None, None, precision, readings)
    first, last = (day.isoformat() for day in days) if days else (None, None)
    is_fiscal = node.fiscal or (node.ends is not None and node.ends[0].fiscal)
    value = value_of(node) if kind == "partial" or days or is_fiscal else None
    return Outcome(kind, value, first, last, None if node.season else precision)


def _range_readings(ends: tuple[Node, Node]) -> tuple[str, ...]:
    """Join the readings of both ends: the same order of day and month at both, else all."""
    starts, stops = (end.choices or (end,) for end in ends)
    pairs = (
        zip(starts, stops, strict=True)
        if len(starts) == len(stops)
        else ((start, stop) for start in starts for stop in stops)
    )
    bounds = []
    for start, stop in pairs:
        opened, closed = days_of(start), days_of(stop)
        if opened and closed and opened[0] > closed[1]:
            continue
        values = value_of(start), value_of(stop)
        if all(values):
            bounds.append("/".join(map(str, values)))
    return _distinct(bounds)
