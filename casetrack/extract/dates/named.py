"""Dates with a month by name: 12 March 2024, March 12th, the 12th day of March, Mar-2024."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.words.lists import month_numbers
from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, relative

if TYPE_CHECKING:
    import datetime as dt

    from casetrack.extract.dates.tokens import TokenStream

# Days of a month that the text leaves open: the 27th, on the 15th.

Parsed = tuple[Node, int]

_BEHIND_DAY = frozenset(
    "and or to at from between until till through for of with if as so but which when where "
    "und bis um".split()
)
_STANDS_ON = frozenset(("on", "for", "by", "until", "since", "before", "after", "am", "zum"))


def bare_day(stream: TokenStream, index: int, *, sure: bool = False) -> Parsed | None:
    """Read "the 27th", "on 15", "20th": a day of a month that the text leaves open."""
    pos = stream.skip(index, "the", "den", "dem")
    article = pos > index
    read = numbers.ordinal(stream, pos)
    ordered = read is not None
    number = stream.number(pos)
    if read is None and number is not None and not stream.glued(pos):
        read = number, pos + 1
    if read is None or not 1 <= read[0] <= 31:
        return None
    day, end = read
    before, behind = stream.low(index - 1), stream.low(end)
    closed = not behind or behind in {".", ",", ";", "!", "?", "\n", ")", "–"}
    if numbers.decimal_follows(stream, end) or (stream.glued(end) and behind.isalnum()):
        return None
    if behind in {"and", "or", "to"} and numbers.ordinal(stream, stream.skip(end + 1, "the")):
        return None
    if ordered and stream.number(pos) is not None:
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
    near: list[dt.date] = []
    for months in range(-4, 5):
        first = calendars.add_months(anchor.replace(day=1), months)
        date = calendars.date_or_none(first.year, first.month, day) if first else None
        near += [date] if date else []
    before = [item for item in near if item <= anchor]
    after = [item for item in near if item > anchor]
    return (before[-1] if before else None), (after[0] if after else None)


_OF = frozenset(("of", "de", "des", "d"))
_FOREIGN = frozenset((*month_numbers("fr", "es"), "fevrier", "decembre")) - {"mai"}
_NO_DAY = words.COUNTED | frozenset(words.UNITS) | frozenset(("am", "pm", "a", "p"))
"""Words after a number that exclude a day of the month."""


def year_after(stream: TokenStream, index: int, *, short: bool = False) -> numbers.Read | None:
    """Read the year after a month or a day: "2024", ", 2024", "of 1995", "in the year 2024"."""
    pos = stream.skip(index, ",")
    before = pos
    pos = stream.skip(pos, "of", "in", "de", "del", "im")
    pos = stream.skip(pos, "the")
    pos = stream.skip(pos, "year", "jahr", "jahre")
    if pos == before + 1 and stream.low(before) == "the":
        return None
    read = numbers.year(stream, pos, short=short and pos == index)
    if read is None and pos > before and stream.low(before) == "of":
        read = numbers.year(stream, pos, short=True)
    return read


def _dotted(stream: TokenStream, index: int, word: str) -> int:
    if stream.low(index) == "." and stream.glued(index):
        loose = word in words.SHORT_MONTHS or stream.number(index + 1) is not None
        return index + 1 if loose else index
    return index


def _dated(month: int, day: int, read: numbers.Read | None, after: int) -> Parsed:
    year, end = read or (None, after)
    wrong = not calendars.day_exists(month, day, year)
    node = Node("day", year=year, month=month, day=day, impossible=wrong)
    return (node.sure(0.6) if wrong else node), end


def month_first(stream: TokenStream, index: int) -> Parsed | None:
    """Read a date that begins with the name of a month."""
    word = stream.low(index)
    month = words.MONTHS.get(word)
    if month is None or (stream.glued(index) and stream.text(index - 1)[-1:] in "$#@_'’"):
        return None
    end = index + 1
    inner = _dotted(stream, end, word)
    dated = _day_after(stream, inner, month, word)
    if dated is not None:
        return dated
    pos = stream.skip(inner, "-", "/") if stream.glued(inner) else inner
    read = year_after(stream, pos)
    if read is None and pos == inner:
        number = stream.number(pos)
        is_year = number is not None and (number > 31 or stream.low(pos) == "00")
        if number is not None and is_year and not numbers.decimal_follows(stream, pos + 1):
            read = numbers.full_year(number), pos + 1
    if read is not None:
        return Node("month", year=read[0], month=month), read[1]
    if word in _FOREIGN or stream.text(index) == "may":
        return None
    return Node("month", month=month, bare="month", confidence=0.85), end


def _day_after(stream: TokenStream, index: int, month: int, word: str) -> Parsed | None:
    pos = index
    sign = ""
    if stream.low(pos) in {"-", "/"} and stream.glued(pos) and stream.glued(pos + 1):
        sign = stream.low(pos)
        pos += 1
    elif stream.low(pos) == "," and numbers.ordinal(stream, pos + 1):
        pos += 1
    lowered = stream.text(index - 1) == "may"
    pos = stream.skip(pos, "the")
    read = numbers.day_of_month(stream, pos)
    if read is None or not _is_day(stream, pos, read):
        return None
    day, after = read
    if lowered and stream.number(pos) is None and stream.low(after).isalpha():
        return None
    if sign and stream.low(after) == sign and stream.glued(after):
        full = numbers.year(stream, after + 1, short=True)
        if full:
            return _dated(month, day, full, full[1])
    if word in _FOREIGN and year_after(stream, after) is None:
        return None
    return _dated(month, day, year_after(stream, after), after)


def _is_day(stream: TokenStream, index: int, read: numbers.Read) -> bool:
    """Return whether a number after a month can be the day, not a count, a time or a decimal."""
    day, after = read
    ordered = numbers.ordinal(stream, index) is not None
    if stream.number(index) is None:
        return ordered or day > 10
    if ordered:
        return True
    if stream.low(after) in {":", "%"} or numbers.decimal_follows(stream, after):
        return False
    if stream.low(after) == "." and stream.glued(after + 1) and stream.low(after + 1).isdigit():
        return False
    return stream.low(after) not in _NO_DAY


def day_first(stream: TokenStream, index: int) -> Parsed | None:
    """Read a date that begins with the day: "12 March", "the 12th day of March, 2024"."""
    read = numbers.day_of_month(stream, index)
    if read is None or (stream.glued(index) and stream.text(index - 1)[-1:].isalnum()):
        return None
    day, pos = read
    if stream.low(pos) == "." and stream.glued(pos):
        pos += 1
    of_day = stream.low(pos) in {"day", "tag"}
    pos += of_day
    if stream.low(pos) == "." and of_day:
        return None
    sign = ""
    if stream.low(pos) in {"-", "/"} and stream.glued(pos) and stream.glued(pos + 1):
        sign = stream.low(pos)
        pos += 1
    linked = stream.low(pos) in _OF
    pos += linked
    if linked and stream.low(pos) == "the" and stream.low(pos + 1) == "month":
        pos = stream.skip(pos + 2, "of")
    month = words.MONTHS.get(stream.low(pos))
    if month is None or (of_day and not linked):
        return None
    spelled = stream.number(index) is None
    if spelled and not linked and numbers.ordinal(stream, index) is None and day < 11:
        return None
    return _with_year(stream, pos, (month, day), sign, linked=linked, spelled=spelled)


def _with_year(
    stream: TokenStream,
    index: int,
    month_day: tuple[int, int],
    sign: str,
    *,
    linked: bool,
    spelled: bool,
) -> Parsed | None:
    word = stream.low(index)
    end = index + 1
    inner = _dotted(stream, end, word)
    full = None
    if sign and stream.low(inner) == sign and stream.glued(inner):
        full = numbers.year(stream, inner + 1, short=True)
    point = stream.low(end) == "." and stream.glued(end) and stream.glued(end + 1)
    if full is None and point:
        full = numbers.year(stream, end + 1, short=True)
    if full is None:
        full = year_after(stream, inner)
    number = stream.number(inner)
    if full is None and number is not None and stream.low(inner)[:1] == "0":
        full = numbers.year(stream, inner, short=True)
    lowered = stream.text(index) in {"may", "mars"} or (spelled and stream.text(index) == "march")
    if full is None and (word in _FOREIGN or (lowered and not linked)):
        return None
    return _dated(*month_day, full, end)


def the_day(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the 9th of May" with its article."""
    return day_first(stream, index + 1) if stream.number(index + 1) is not None else None


def year_first(stream: TokenStream, index: int) -> Parsed | None:
    """Read "2016 June", "2016, Nov", "2019/Sep/01", "2020/23/Sep"."""
    read = numbers.year_figures(stream, index)
    if read is None:
        return None
    year, pos = read
    sign = stream.low(pos)
    glued = sign in {"/", "-"} and stream.glued(pos) and stream.glued(pos + 1)
    if glued:
        day = stream.number(pos + 1)
        month = words.MONTHS.get(stream.low(pos + 3))
        if day and month and stream.low(pos + 2) == sign:
            return _dated(month, day, (year, pos + 4), pos + 4)
    pos += sign in {"/", "-", ","} and (glued or sign == ",")
    word = stream.low(pos)
    month = words.MONTHS.get(word)
    if month is None or stream.text(pos) == "may":
        return None
    if glued and stream.low(pos + 1) == sign:
        day = stream.number(pos + 2)
        if day:
            return _dated(month, day, (year, pos + 3), pos + 3)
    if month_first(stream, pos) != (
        Node("month", month=month, bare="month", confidence=0.85),
        pos + 1,
    ):
        return None
    return Node("month", year=year, month=month, confidence=0.5 if sign == "," else 0.85), pos + 1


def month_of(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the month of September"."""
    pos = stream.skip(index, "the")
    if stream.low(pos) not in {"month", "monat"}:
        return None
    read = month_first(stream, stream.skip(pos + 1, "of"))
    if read is None:
        return None
    node, end = read
    return Node("month", year=node.year, month=node.month, weekday=None, confidence=0.9), end
