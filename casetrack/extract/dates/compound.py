"""Dates inside periods: the first Friday of July, the last week of 2015, end of March."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, named, numbers
from casetrack.extract.dates import relative as counting
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, around, days_of, kind_of, relative

if TYPE_CHECKING:
    from collections.abc import Callable

    from casetrack.extract.dates.tokens import TokenStream
    from casetrack.extract.spans import DatePrecision

    Part = Callable[[calendars.Days], calendars.Days | None]

Parsed = tuple[Node, int]

_PERIODS = frozenset(("week", "month", "quarter", "half", "year", "decade"))
_PARTS = frozenset(("early", "late", "mid", "middle"))
_OF = ("of", "in", "des", "im", "vom", "der")


def _target(stream: TokenStream, index: int) -> Parsed | None:
    """Read the period after "of": a month, a year, "next month", "the year"."""
    pos = stream.skip(index, *_OF)
    article = stream.skip(pos, "the")
    unit = words.UNITS.get(stream.low(article))
    if unit in _PERIODS and article > pos and not stream.low(article).endswith("s"):
        anchor = stream.anchor
        days = calendars.containing(anchor, unit) if anchor else None
        nested = stream.point(pos)
        return nested or (relative(_precision(unit), days, 0.45), article + 1)
    point = stream.point(pos)
    if point is None or point[0].precision not in _PERIODS:
        return None
    if point[0].season and stream.low(index - 1 - (stream.low(index - 1) == "-")) not in _PARTS:
        return None  # "the end of the fall" may be of prices
    return point


def _precision(unit: str) -> DatePrecision:
    known: dict[str, DatePrecision] = {
        "day": "day",
        "week": "week",
        "month": "month",
        "quarter": "quarter",
        "half": "half",
        "year": "year",
        "decade": "decade",
    }
    return known.get(unit, "range")


def _inside(stream: TokenStream, target: Node, part: Part, precision: DatePrecision) -> Node | None:
    """Return the part of a period, in every year that the period can be meant in."""
    days = days_of(target)
    if days is not None:
        chosen = part(days)
        if chosen is None:
            return Node(precision, impossible=True, confidence=0.6)
        if kind_of(target) == "absolute":
            return _fixed(precision, chosen)
        return relative(precision, chosen, min(target.confidence, 0.85))
    if kind_of(target) == "partial" and stream.anchor:
        options = [days_of(option) for option in around(target, stream.anchor)]
        chosen_days = [part(option) for option in options if option]
        choices = tuple(relative(precision, option) for option in chosen_days if option)
        return Node(precision, relative=True, choices=choices, confidence=0.8)
    return relative(precision, None, min(target.confidence, 0.85))


def _fixed(precision: DatePrecision, days: calendars.Days) -> Node:
    first, last = days
    if precision == "range":
        ends = tuple(Node("day", year=day.year, month=day.month, day=day.day) for day in days)
        return Node("range", ends=(ends[0], ends[1]), confidence=0.9)
    if precision == "week":
        year, number, _ = first.isocalendar()
        return Node("week", year=year, number=number, confidence=0.9)
    return Node(precision, year=last.year, month=first.month, day=first.day, confidence=0.9)


def nth(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the second Monday of next month", "last day of March 2024", "20th of next month"."""
    pos = stream.skip(index, "the")
    last = stream.low(pos) in {"last", "final", "letzte", "letzten", "letzter"}
    read = (-1, pos + 1) if last else numbers.ordinal(stream, pos)
    if read is None:
        return None
    which, pos = read
    several = numbers.count(stream, pos)
    if several and stream.low(pos) not in {"a", "an"} and (last or which == 1):
        return _several(stream, several, which)
    unit = stream.low(pos)
    weekday = words.WEEKDAYS.get(unit)
    if weekday is not None:
        return _nth_weekday(stream, (which, weekday), pos + 1, index)
    if unit in {"week", "woche"}:
        return _nth_period(stream, _nth_week(which), pos + 1, "week")
    if unit in {"month", "monat"}:
        return _nth_period(stream, _nth_month(which), pos + 1, "month")
    if unit in {"day", "tag"}:
        if stream.low(index) == "the" and not last and stream.number(index + 1) is None:
            return None
        return _nth_day_of(stream, which, pos + 1)
    if not last and stream.low(pos) in {"of", "in"} and stream.low(pos + 1) in words.STEPS:
        target = _target(stream, pos)
        if target and target[0].precision == "month":
            node = _inside(stream, target[0], _nth_day(which), "day")
            return (node, target[1]) if node else None
    return None


def _nth_period(stream: TokenStream, part: Part, index: int, unit: DatePrecision) -> Parsed | None:
    target = _target(stream, index)
    if target is None or (stream.low(index) not in _OF and stream.low(index) not in words.STEPS):
        return None
    if target[0].precision == unit or (unit == "day" and target[0].precision == "week"):
        return None
    node = _inside(stream, target[0], part, unit)
    return (node, target[1]) if node else None


def _nth_day_of(stream: TokenStream, which: int, index: int) -> Parsed | None:
    nth = _nth_period(stream, _nth_day(which), index, "day")
    target = _target(stream, index)
    if nth is None or target is None or which == -1:
        return nth
    month = target[0]
    if month.precision != "month" or kind_of(month) != "partial" or not month.month:
        return nth
    wrong = not calendars.day_exists(month.month, which)
    return Node("day", month=month.month, day=which, impossible=wrong), nth[1]


def _nth_day(which: int) -> Part:
    def part(days: calendars.Days) -> calendars.Days | None:
        day = days[1] if which == -1 else calendars.add_days(days[0], which - 1)
        return (day, day) if day and day <= days[1] else None

    return part


def _nth_month(which: int) -> Part:
    def part(days: calendars.Days) -> calendars.Days | None:
        if which == -1:
            return calendars.containing(days[1], "month")
        moved = calendars.add_months(days[0], which - 1)
        return calendars.containing(moved, "month") if moved and moved <= days[1] else None

    return part


def _nth_week(which: int) -> Part:
    """Return the choice of a week; it belongs to the period of its Thursday, as in ISO 8601."""

    def part(days: calendars.Days) -> calendars.Days | None:
        first, last = days
        thursday = first + dt.timedelta(days=(3 - first.weekday()) % 7)
        if which == -1:
            thursday = last - dt.timedelta(days=(last.weekday() - 3) % 7)
        else:
            thursday += dt.timedelta(days=7 * (which - 1))
        return calendars.containing(thursday, "week") if first <= thursday <= last else None

    return part


def _several(stream: TokenStream, several: numbers.Read, which: int) -> Parsed | None:
    """Read "the last 3 weeks of this year", "first ten days of last year"."""
    number, pos = several
    unit = stream.low(pos)
    target = _target(stream, pos + 1) if stream.low(pos + 1) in _OF else None
    if target is None or number < 1 or unit not in {"days", "weeks", "months"}:
        return None

    def part(days: calendars.Days) -> calendars.Days | None:
        first, last = days
        if unit == "weeks":
            edge = _nth_week(which)(days)
            moved = calendars.add_days(edge[0], which * 7 * (number - 1)) if edge else None
            weeks = calendars.containing(moved, "week") if moved else None
            if edge is None or weeks is None:
                return None
            return (edge[0], weeks[1]) if which == 1 else (weeks[0], edge[1])
        if unit == "months":
            moved = calendars.add_months(first if which == 1 else last, which * (number - 1))
            month = calendars.containing(moved, "month") if moved else None
            if month is None:
                return None
            return (first, month[1]) if which == 1 else (month[0], last)
        moved = calendars.add_days(first if which == 1 else last, which * (number - 1))
        if moved is None:
            return None
        return (first, moved) if which == 1 else (moved, last)

    node = _inside(stream, target[0], part, "range")
    return (node, target[1]) if node else None


def _nth_weekday(
    stream: TokenStream, which_day: tuple[int, int], index: int, begin: int
) -> Parsed | None:
    which, weekday = which_day

    def part(days: calendars.Days) -> calendars.Days | None:
        day = calendars.nth_weekday(days[0].year, days[0].month, weekday, which)
        return (day, day) if day else None

    if stream.low(index) in {"of", "in", "im", "des"}:
        target = _target(stream, index)
        if target and target[0].precision in {"month", "year"}:
            node = _inside(stream, target[0], part, "day")
            return (node, target[1]) if node else None
        return None
    if which == -1 or stream.low(begin) == "the" or stream.glued(index) or which > 5:
        return None
    if stream.anchor is None:
        return relative("day", None, 0.4), index
    month = calendars.containing(stream.anchor, "month")
    chosen = part(month) if month else None
    if chosen is None:
        return Node("day", impossible=True, relative=True, confidence=0.4), index
    return relative("day", chosen, 0.4), index


def edge(stream: TokenStream, index: int) -> Parsed | None:
    """Read "end of March", "early 2024", "mid-November", "later this week".

    The value is the whole period, because the extent of "early" is undefined.
    """
    kind = words.EDGES.get(stream.low(index))
    if kind is None:
        return None
    pos = stream.skip(index + 1, "-")
    joined = pos
    pos = stream.skip(stream.skip(pos, "part"), "of")
    if pos == joined and stream.low(index) not in {"start", "end", "beginning"}:
        pos = stream.skip(pos, "in")
    elif stream.low(pos) == "in":
        return None
    if stream.low(pos) == "the" or (stream.low(pos - 1) == "of"):
        target = _bare_unit(stream, pos) or _target(stream, pos)
    else:
        target = _target(stream, pos)
    if target is None:
        return None
    node, end = target
    if node.bare == "month" and joined == index + 1 and stream.low(index) in {"start", "later"}:
        return None
    return replace(node, bare="", confidence=min(node.confidence, 0.7)), end


def _bare_unit(stream: TokenStream, index: int) -> Parsed | None:
    pos = stream.skip(index, "the")
    unit = words.UNITS.get(stream.low(pos))
    if unit not in _PERIODS or stream.low(pos).endswith("s"):
        return None
    if stream.low(pos + 1) in {"of", "ended", "ending", "in"} or stream.number(pos + 1, 4):
        return None
    days = calendars.containing(stream.anchor, unit) if stream.anchor else None
    return relative(_precision(unit), days, 0.45), pos + 1


def rest(stream: TokenStream, index: int) -> Parsed | None:
    """Read "rest of the week", "the remaining of this month"."""
    pos = index
    if stream.low(pos) not in {"rest", "remainder", "remaining"}:
        return None
    pos = stream.skip(stream.skip(pos + 1, "of"), "the", "my", "this", "our", "current")
    unit = words.UNITS.get(stream.low(pos))
    if unit not in {"week", "month", "year", "quarter"} or stream.low(pos).endswith("s"):
        return None
    period = calendars.containing(stream.anchor, unit) if stream.anchor else None
    days = (stream.anchor, period[1]) if period and stream.anchor else None
    return relative("range", days, 0.6), pos + 1


def week_of(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the week of September 16th", "week commencing 4 February", "w/c Feb 4"."""
    pos = stream.skip(index, "the")
    if stream.low(pos) == "w" and stream.low(pos + 1) == "/" and stream.low(pos + 2) == "c":
        pos += 3
    elif stream.low(pos) == "week" and stream.low(pos + 1) in {
        "of",
        "commencing",
        "beginning",
        "starting",
    }:
        pos = stream.skip(pos + 2, "on", "of")
    elif stream.low(pos) == "wc":
        pos += 1
    else:
        return None
    point = stream.point(pos) or named.bare_day(stream, pos, sure=True)
    if point is None or point[0].precision != "day":
        return None
    node, end = point
    if node.choices and not node.relative:
        return None

    def part(days: calendars.Days) -> calendars.Days | None:
        return calendars.containing(days[0], "week")

    if node.choices:
        parts = [part(days) for choice in node.choices if (days := days_of(choice))]
        choices = tuple(relative("week", days) for days in parts if days)
        return Node("week", relative=True, choices=choices, confidence=0.6), end
    week = _inside(stream, node, part, "week")
    return (week, end) if week else None


def month_of_year(stream: TokenStream, index: int) -> Parsed | None:
    """Read "June next year", "September of last year"."""
    month = words.MONTHS.get(stream.low(index))
    pos = stream.skip(index + 1, "of", "in")
    step = words.STEPS.get(stream.low(pos))
    if month is None or step is None or stream.text(index) == "may":
        return None
    if stream.low(pos + 1) not in {"year", "jahr", "jahres"}:
        return None
    return with_step_year(stream, Node("month", month=month), step), pos + 2


def with_step_year(stream: TokenStream, node: Node, step: int) -> Node:
    """Return a month or a day in this, the next or the last year of the document's date."""
    year = stream.anchor.year + step if stream.anchor else None
    days = days_of(replace(node, year=year)) if year else None
    return relative(node.precision, days)


def to_date(stream: TokenStream, index: int) -> Parsed | None:
    """Read "year to date"."""
    unit = stream.low(index)
    if stream.low(index + 1) != "to" or stream.low(index + 2) != "date" or unit == "weekend":
        return None
    period = calendars.containing(stream.anchor, unit) if stream.anchor else None
    days = (period[0], stream.anchor) if period and stream.anchor else None
    return relative("range", days, 0.7), index + 3


def weekend(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the weekend", "this weekend"."""
    pos = stream.skip(index, "the", "my", "am", "das")
    if stream.low(pos) not in {"weekend", "wochenende"}:
        return None
    if stream.low(pos + 1) == "of" and (point := stream.point(pos + 2)) is not None:
        day = days_of(point[0]) if point[0].precision == "day" else None
        around = calendars.containing(day[0], "weekend") if day else None
        if around is not None:
            return relative("range", around, 0.7), point[1]
    days = calendars.containing(stream.anchor, "weekend") if stream.anchor else None
    return relative("range", days, 0.5), pos + 1


def holiday_weekend(stream: TokenStream, index: int) -> Parsed | None:
    """Read "Labor Day weekend 2021", "Halloween 2021 weekend": the holiday and adjacent days."""
    read = counting.holiday(stream, index)
    if read is None or stream.low(read[1]) != "weekend":
        return None
    node, end = read[0], read[1] + 1
    if node.year is None and (year := named.year_after(stream, end)) is not None:
        whole = counting.holiday_in(stream, index, year[0])
        if whole is not None:
            node, end = whole, year[1]
    days = days_of(node)
    if days is None:
        return relative("range", None, 0.5), end
    around = calendars.containing(days[0], "weekend", -1 if days[0].weekday() < 2 else 0)
    if around is None:
        return None
    first, last = min(around[0], days[0]), max(around[1], days[0])
    return relative("range", (first, last), 0.7), end
