"""Days of the week: Friday, next Monday, Tuesday of last week, Thursday the 21st."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, days_of, relative

if TYPE_CHECKING:
    import datetime as dt

    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

_DOTTED = words.SHORT_WEEKDAYS


def _day(stream: TokenStream, index: int) -> numbers.Read | None:
    """Read the name of a weekday, and the full stop of an abbreviated one inside a date."""
    low = stream.low(index)
    weekday = words.WEEKDAYS.get(low)
    if weekday is None or low in words.WEEKDAY_PLURALS:
        return None
    if stream.glued(index) and stream.text(index - 1)[-1:] in "$#@_'’":
        return None
    return weekday, index + 1


def weekday(stream: TokenStream, index: int) -> Parsed | None:
    """Read a weekday with an adjacent date, week or day of the month."""
    pos = stream.skip(index, "the")
    step = words.STEPS.get(stream.low(pos))
    stepped = pos + (step is not None)
    if step is not None and stream.low(pos) == "this" and stream.low(pos + 1) in words.STEPS:
        step, stepped = words.STEPS[stream.low(pos + 1)], pos + 2
        step = 0 if step > 0 else -2
    named = _day(stream, stepped)
    if named is None or (pos > index and step is None):
        return _in_week(stream, index)
    day, end = named
    for read in (_with_date, _week_after, _with_number):
        result = read(stream, day, end, step)
        if result is not None:
            return result
    if step is not None:
        return relative("day", _stepped(stream.anchor, day, step, stream.low(pos))), end
    short = stream.low(stepped) in words.SHORT_WEEKDAYS
    node = replace(_near(stream.anchor, day), bare="weekday", confidence=0.6 if short else 0.8)
    return node, end


def _stepped(anchor: dt.date | None, day: int, step: int, word: str) -> calendars.Days | None:
    """Return this, the next or the last weekday by weeks; "coming" and "past" mean the nearest."""
    if anchor is None:
        return None
    if step == -2 or word == "past":
        return _pair(calendars.add_days(anchor, -((anchor.weekday() - day - 1) % 7 + 1)))
    if word in {"coming", "upcoming"}:
        return _pair(calendars.add_days(anchor, (day - anchor.weekday() - 1) % 7 + 1))
    week = calendars.containing(anchor, "week", step)
    return _pair(calendars.add_days(week[0], day)) if week else None


def _pair(day: dt.date | None) -> calendars.Days | None:
    return (day, day) if day else None


def _near(anchor: dt.date | None, day: int) -> Node:
    if anchor is None:
        return relative("day", None)
    if anchor.weekday() == day:
        return relative("day", (anchor, anchor))
    before = _pair(calendars.add_days(anchor, -((anchor.weekday() - day) % 7)))
    after = _pair(calendars.add_days(anchor, (day - anchor.weekday()) % 7))
    choices = tuple(relative("day", days) for days in (before, after) if days)
    return Node("day", relative=True, choices=choices)


def _with_date(stream: TokenStream, day: int, index: int, step: int | None) -> Parsed | None:
    """Read "Monday, January 12th, 2016", "Tue May 9", "this Friday (Jun-15)"."""
    pos = stream.skip(index, ".") if stream.glued(index) else index
    pos = stream.skip(pos, ",")
    bracket = stream.low(pos) == "("
    pos = stream.skip(pos, "(", "den", "dem")
    point = stream.point(pos)
    if point is None or point[0].precision != "day" or point[0].relative or point[0].ends:
        return None
    node, end = point
    if node.bare == "numeric" and stream.low(pos + 1) == "-":
        return None
    node = _chosen(stream.anchor, node, day)
    if bracket:
        end = end + 1 if stream.low(end) == ")" else 0
        if not end:
            return None
    if step is not None and node.year is None and not node.choices and node.month:
        return _stepped_date(stream, node, day, step), end
    if node.year is None and not node.choices:
        node = replace(node, weekday=day)
    return replace(node, bare="", confidence=max(node.confidence, 0.8)), end


def _chosen(anchor: dt.date | None, node: Node, day: int) -> Node:
    fits = []
    for choice in node.choices:
        near = [anchor.year + n for n in (0, -1, 1)] if anchor else []
        years = near if choice.year is None else [choice.year]
        dated = [days for year in years if (days := days_of(replace(choice, year=year)))]
        fits += [choice] if any(days[0].weekday() == day for days in dated) else []
    return replace(fits[0], bare="") if len(fits) == 1 else node


def _stepped_date(stream: TokenStream, node: Node, day: int, step: int) -> Node:
    """Return the day of "this Friday, June 15": in the year where it is a Friday, else this."""
    anchor = stream.anchor
    if anchor is None:
        return relative("day", None)
    dated = [days_of(replace(node, year=anchor.year + n)) for n in (0, -1, 1)]
    fits = [days for days in dated if days and days[0].weekday() == day]
    if fits:
        return relative("day", min(fits, key=lambda days: abs((days[0] - anchor).days)))
    return relative("day", dated[0] if step == 0 else None, 0.5)


def _week_after(stream: TokenStream, day: int, index: int, step: int | None) -> Parsed | None:
    """Read "Friday next week", "Tuesday of last week"."""
    pos = stream.skip(stream.skip(index, *words.DAY_PARTS), "of", "in")
    pos = stream.skip(pos, "the")
    shift = words.STEPS.get(stream.low(pos))
    if shift is None or step is not None or stream.low(pos + 1) not in {"week", "woche"}:
        return None
    return relative("day", _day_of_week(stream.anchor, day, shift)), pos + 2


def _day_of_week(anchor: dt.date | None, day: int, shift: int) -> calendars.Days | None:
    week = calendars.containing(anchor, "week", shift) if anchor else None
    return _pair(calendars.add_days(week[0], day)) if week else None


def _in_week(stream: TokenStream, index: int) -> Parsed | None:
    """Read "this week Friday", "next week on Tuesday"."""
    pos = stream.skip(index, "the")
    shift = words.STEPS.get(stream.low(pos))
    if shift is None or stream.low(pos + 1) not in {"week", "woche"}:
        return None
    named = _day(stream, stream.skip(pos + 2, "on", "am"))
    if named is None:
        return None
    return relative("day", _day_of_week(stream.anchor, named[0], shift)), named[1]


def _with_number(stream: TokenStream, day: int, index: int, step: int | None) -> Parsed | None:
    """Read "Thursday the 21st", "Monday 21", "Friday the fifteenth"."""
    pos = stream.skip(stream.skip(index, ","), "the", "den")
    read = numbers.day_of_month(stream, pos, spelled=pos > index)
    if read is None or step is not None:
        return None
    number, end = read
    ordered = numbers.ordinal(stream, pos) is not None or pos > index
    follows = stream.low(end)
    if not ordered and (
        follows in {":", "-", "–", "/", "am", "pm", "a", "p", "to", "oclock", "o"}
        or numbers.decimal_follows(stream, end)
        or follows in words.COUNTED
        or number < 13
    ):
        return None
    return _fitting(stream.anchor, day, number), end


def _fitting(anchor: dt.date | None, weekday_: int, number: int) -> Node:
    if anchor is None:
        return relative("day", None, 0.7)
    days: dict[int, dt.date] = {}
    for sign in (-1, 1):
        for months in range(28 * 12):
            moved = calendars.add_months(anchor.replace(day=1), sign * months)
            day = calendars.date_or_none(moved.year, moved.month, number) if moved else None
            ahead = day is not None and (day > anchor if sign == 1 else day <= anchor)
            if day is not None and ahead and day.weekday() == weekday_:
                days[sign] = day
                break
    for day in days.values():
        if (day.year, day.month) == (anchor.year, anchor.month):
            return relative("day", (day, day), 0.7)
    choices = tuple(relative("day", (day, day)) for day in days.values())
    return Node("day", relative=True, choices=choices, confidence=0.6)


def counted(stream: TokenStream, index: int) -> Parsed | None:
    """Read "two Sundays from now", "two Mondays later"."""
    read = numbers.count(stream, index)
    day = words.WEEKDAYS.get(stream.low(read[1])) if read else None
    if read is None or day is None or stream.low(read[1]) in words.SHORT_WEEKDAYS:
        return None
    end, tail = read[1] + 1, stream.low(read[1] + 1)
    if tail == "from" and stream.low(end + 1) in {"now", "today"}:
        sign, end = 1, end + 2
    elif tail in {"later", "ago"}:
        sign, end = (1 if tail == "later" else -1), end + 1
    else:
        return None
    if stream.anchor is None:
        return relative("day", None), end
    gap = (day - stream.anchor.weekday()) % 7 if sign == 1 else (stream.anchor.weekday() - day) % 7
    moved = calendars.add_days(stream.anchor, sign * ((gap or 7) + 7 * (read[0] - 1)))
    return relative("day", _pair(moved)), end
