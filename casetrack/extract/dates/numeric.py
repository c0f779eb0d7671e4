"""Dates in digits: 2024-03-12, 12.03.2024, 3/25/2024, 03/2024, 4/22."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.years import YEARS
from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, relative

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

_SEPARATORS = frozenset("/-.")
_NOT_DATES = {(24, 7), (50, 50), (9, 11)}
"""Digits with another meaning unless a preceding word makes them a date."""


def parse(stream: TokenStream, index: int) -> Parsed | None:
    """Read a date in digits that begins at a token, the longest that fits."""
    if stream.number(index, 4) is None or not _free_before(stream, index):
        return None
    for read in (_year_first, _year_last, _year_month, _month_year, _spaced, _no_year):
        result = read(stream, index)
        if result is not None:
            return result
    return None


def stepped(stream: TokenStream, index: int) -> Parsed | None:
    """Read "next 5/12", "last 25.12.": day and month in digits, in the matching year."""
    from casetrack.extract.dates.relative import month_near

    step = words.STEPS.get(stream.low(index))
    if step is None or stream.low(index) not in {"next", "last", "this", "past", "coming"}:
        return None
    read = _no_year(stream, index + 1) if stream.number(index + 1) is not None else None
    if read is None:
        return None
    readings = [
        relative("day", days)
        for node in read[0].choices or (read[0],)
        if (days := month_near(node, stream.anchor, step)) is not None
    ]
    if not readings:
        return None
    if len(readings) == 1:
        return readings[0].sure(0.7), read[1]
    return Node("day", relative=True, choices=tuple(readings), confidence=0.6), read[1]


def numbered(stream: TokenStream, index: int) -> bool:
    """Return whether the preceding word makes the digits a section, a version or similar."""
    before = index - 1
    while before >= 0 and index - before < 4 and stream.low(before) in {".", "#", ":", "("}:
        before -= 1
    return stream.low(before) in words.NUMBERED


def _free_before(stream: TokenStream, index: int) -> bool:
    if not stream.glued(index):
        return stream.low(index - 1) not in {"$", "€", "£"}
    before, low = stream.low(index - 1), stream.low(index - 2)
    if len(stream.low(index)) == 4 and (before == "_" or (before in "-/" and not low.isdigit())):
        return True
    if before == "-" and (not stream.glued(index - 1) or low == "."):
        return True
    if before in {"-", "–", "~"} and low.isdigit():
        return stream.low(index - 3) in _SEPARATORS and stream.glued(index - 1)
    return not (before[0].isalnum() or before in "./:,_-#$€£+*=&%@\\")


def _separated(stream: TokenStream, index: int) -> str | None:
    sign = stream.low(index)
    if sign in _SEPARATORS and sign and stream.glued(index) and stream.glued(index + 1):
        return sign
    return None


def _year_first(stream: TokenStream, index: int) -> Parsed | None:
    sign = _separated(stream, index + 1)
    if len(stream.low(index)) != 4 or sign is None or _separated(stream, index + 3) != sign:
        return None
    year, month, day = (stream.number(index + 2 * n, 4 if n == 0 else 2) for n in range(3))
    if year is None or month is None or day is None or year not in YEARS:
        return None
    return _checked(year, month, day, 0.97), index + 5


def _checked(year: int, month: int, day: int, confidence: float) -> Node:
    wrong = calendars.date_or_none(year, month, day) is None
    return Node(
        "day",
        year=year,
        month=month,
        day=day,
        impossible=wrong,
        confidence=min(confidence, 0.6) if wrong else confidence,
    )


def _year_last(stream: TokenStream, index: int) -> Parsed | None:
    sign = _separated(stream, index + 1)
    one, two = stream.number(index), stream.number(index + 2)
    if sign is None or one is None or two is None or max(one, two) > 31 or min(one, two) < 1:
        return None
    third = index + 4
    figures = stream.low(third)
    if _separated(stream, index + 3) == sign:
        year, confidence = stream.number(third, 4), 0.95
    elif sign == "/" and stream.low(index + 3) == "," and len(figures) in {2, 4}:
        year, confidence = stream.number(third, 4), 0.6
        if len(figures) == 2 and stream.tokens[third].gap:
            return None
    else:
        return None
    if year is None or len(figures) not in {2, 4} or (len(figures) == 4 and year < 1000):
        return None
    if len(figures) == 2:
        if sign == "." and not _padded(stream, index) and not _evident(stream, index):
            return None
        year, confidence = numbers.full_year(year), min(confidence, 0.7)
    if sign != "/" and numbered(stream, index):
        return None
    return _ordered(stream, (one, two, year), sign, confidence, len(figures)), third + 1


def _padded(stream: TokenStream, index: int) -> bool:
    return len(stream.low(index)) == 2 and len(stream.low(index + 2)) == 2


def _evident(stream: TokenStream, index: int) -> bool:
    return stream.alone or stream.low(index - 1) in words.DAY_EVIDENCE


def _ordered(
    stream: TokenStream, fields: tuple[int, int, int], sign: str, confidence: float, figures: int
) -> Node:
    one, two, year = fields
    monthly = Node("day", year=year, month=one, day=two, confidence=confidence)
    daily = Node("day", year=year, month=two, day=one, confidence=confidence)
    fits = [
        node
        for node in (monthly, daily)
        if calendars.date_or_none(year, node.month or 0, node.day or 0)
    ]
    if sign == ".":
        fits = [node for node in fits if node is daily] or fits
    if not fits:
        return Node("day", impossible=True, confidence=min(confidence, 0.6))
    short = _year_in_front(fields, sign) if figures == 2 else None
    if len(fits) == 2 and one != two and stream.day_first is not None:
        return (daily if stream.day_first else monthly).sure(0.9)
    if one == two:
        fits = fits[:1]
    if short is not None and stream.day_first is None:
        fits.append(short)
    if len(fits) == 1:
        return fits[0]
    return Node("day", choices=tuple(fits), confidence=min(confidence, 0.8))


def _year_in_front(fields: tuple[int, int, int], sign: str) -> Node | None:
    """Return the reading "05/03/04" as year, month, day, where it is plausible."""
    one, two, full = fields
    year, day = numbers.full_year(one), full % 100
    if sign == "." or one > 31 or calendars.date_or_none(year, two, day) is None:
        return None
    return Node("day", year=year, month=two, day=day) if max(one, two, day) <= 12 else None


def _gapped(stream: TokenStream, index: int, signs: str) -> bool:
    return bool(stream.low(index)) and stream.low(index) in signs


def _year_month(stream: TokenStream, index: int) -> Parsed | None:
    """Read 2024/03, 2024-03, 2016 - 11, 2015.3."""
    year = stream.number(index, 4)
    if len(stream.low(index)) != 4 or year is None or year not in YEARS:
        return None
    month = stream.number(index + 2)
    sign = stream.low(index + 1)
    if not _gapped(stream, index + 1, "/-.") or month is None or not 1 <= month <= 12:
        return None
    if sign == "." and not (stream.glued(index + 1) and stream.glued(index + 2)):
        return None
    if numbered(stream, index) or numbers.decimal_follows(stream, index + 3):
        return None
    if stream.glued(index) and sign != "/":
        return None
    confidence = 0.8 if sign == "/" else 0.6
    if len(stream.low(index + 2)) == 1 or sign == ".":
        confidence = 0.45 if sign != "." else 0.3
    node = Node("month", year=year, month=month, confidence=confidence)
    if sign == "/" and len(stream.low(index + 2)) == 2 and month == (year + 1) % 100:
        both = Node(
            "range", ends=(Node("year", year=year), Node("year", year=year + 1)), confidence=0.6
        )
        return Node("month", choices=(node, both), confidence=0.6), index + 3
    return node, index + 3


def _month_year(stream: TokenStream, index: int) -> Parsed | None:
    """Read 03/2024, 11-2016, 11 / 2016."""
    month, year = stream.number(index), stream.number(index + 2, 4)
    if month is None or year is None or not 1 <= month <= 12 or not 1900 <= year < 2200:
        return None
    sign = stream.low(index + 1)
    if not _gapped(stream, index + 1, "/-") or numbered(stream, index):
        return None
    if numbers.decimal_follows(stream, index + 3):
        return None
    confidence = 0.85 if sign == "/" and stream.glued(index + 1) else 0.6
    return Node("month", year=year, month=month, confidence=confidence), index + 3


def _spaced(stream: TokenStream, index: int) -> Parsed | None:
    """Read 2016 10 16."""
    year, month, day = (stream.number(index + n, 4 if n == 0 else 2) for n in range(3))
    if len(stream.low(index)) != 4 or year is None or month is None or day is None:
        return None
    if not 1900 <= year < 2100 or calendars.date_or_none(year, month, day) is None:
        return None
    if any(len(stream.low(index + n)) != 2 for n in (1, 2)) or stream.number(index + 3, 9):
        return None
    return Node("day", year=year, month=month, day=day, confidence=0.45), index + 3


def _no_year(stream: TokenStream, index: int) -> Parsed | None:
    """Read 4/22, 22/04, 4-22, "am 12.03."."""
    sign = _separated(stream, index + 1)
    one, two = stream.number(index), stream.number(index + 2)
    if sign is None and stream.low(index + 1) == "." and stream.glued(index + 1):
        sign = "." if not stream.glued(index + 2) else None
    if sign is None or one is None or two is None or min(one, two) < 1:
        return None
    after = index + 3
    if numbers.decimal_follows(stream, after) or numbered(stream, index):
        return None
    if sign == ".":
        closed = stream.low(after) == "." and stream.glued(after)
        named = stream.low(index - 1) in {"am", "vom", "zum", "ab", "bis"}
        friday = stream.low(index - 1) in words.WEEKDAYS
        if not (named or friday) or not (closed or friday):
            return None
        after += closed
    behind = stream.low(after)
    if behind in {'"', "″", "inch", "inches", "in"} | words.COUNTED or behind in words.UNITS:
        return None
    monthly = Node("day", month=one, day=two, bare="numeric", confidence=0.6)
    daily = Node("day", month=two, day=one, bare="numeric", confidence=0.6)
    fits = [
        node
        for node in (monthly, daily)
        if 1 <= (node.month or 0) <= 12 and calendars.day_exists(node.month or 0, node.day or 0)
    ]
    if sign == "." and daily in fits and stream.low(index - 1) not in words.WEEKDAYS:
        fits = [daily]
    if not fits or ((one, two) in _NOT_DATES and not _evident(stream, index)):
        return None
    if len(fits) == 2 and one != two and stream.day_first is not None:
        fits = [daily if stream.day_first else monthly]
    if len(fits) == 1 or one == two:
        return fits[0], after
    return Node("day", choices=tuple(fits), bare="numeric", confidence=0.5), after
