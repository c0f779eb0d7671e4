"""Dates with a month by name: 12 March 2024, March 12th, the 12th day of March, Mar-2024."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import Source

Parsed = tuple[Node, int]

_OF = frozenset(("of", "de", "des", "d"))
_FOREIGN = frozenset(
    "janvier enero février fevrier febrero mars marzo avril abril mayo juin junio juillet julio "
    "août agosto septembre septiembre octobre octubre novembre noviembre décembre decembre "
    "diciembre".split()
)
_NO_DAY = words.COUNTED | frozenset(words.UNITS) | frozenset(("am", "pm", "a", "p"))
"""What behind a number says that it is no day of the month."""


def year_behind(source: Source, index: int, *, short: bool = False) -> numbers.Read | None:
    """Read the year behind a month or a day: "2024", ", 2024", "of 1995", "in the year 2024"."""
    here = source.skip(index, ",")
    before = here
    here = source.skip(here, "of", "in", "de", "del", "im")
    here = source.skip(here, "the")
    here = source.skip(here, "year", "jahr", "jahre")
    if here == before + 1 and source.low(before) == "the":
        return None
    read = numbers.year(source, here, short=short and here == index)
    if read is None and here > before and source.low(before) == "of":
        read = numbers.year(source, here, short=True)
    return read


def _dotted(source: Source, index: int, word: str) -> int:
    """Return the index behind the full stop of an abbreviated month."""
    if source.low(index) == "." and source.glued(index):
        loose = word in words.SHORT_MONTHS or source.number(index + 1) is not None
        return index + 1 if loose else index
    return index


def _dated(month: int, day: int, read: numbers.Read | None, after: int) -> Parsed:
    year, end = read or (None, after)
    wrong = not calendars.day_exists(month, day, year)
    node = Node("day", year=year, month=month, day=day, impossible=wrong)
    return (node.sure(0.6) if wrong else node), end


def month_first(source: Source, index: int) -> Parsed | None:
    """Read a date that begins with the name of a month."""
    word = source.low(index)
    month = words.MONTHS.get(word)
    if month is None or (source.glued(index) and source.text(index - 1)[-1:] in "$#@_'’"):
        return None
    end = index + 1
    inner = _dotted(source, end, word)
    dated = _day_behind(source, inner, month, word)
    if dated is not None:
        return dated
    here = source.skip(inner, "-", "/") if source.glued(inner) else inner
    read = year_behind(source, here)
    if read is None and here == inner:
        number = source.number(here)
        if number is not None and number > 31 and not numbers.decimal_follows(source, here + 1):
            read = numbers.full_year(number), here + 1
    if read is not None:
        return Node("month", year=read[0], month=month), read[1]
    if word in _FOREIGN or source.text(index) == "may":
        return None
    return Node("month", month=month, bare="month", confidence=0.85), end


def _day_behind(source: Source, index: int, month: int, word: str) -> Parsed | None:
    here = index
    sign = ""
    if source.low(here) in {"-", "/"} and source.glued(here) and source.glued(here + 1):
        sign = source.low(here)
        here += 1
    elif source.low(here) == "," and numbers.ordinal(source, here + 1):
        here += 1
    lowered = source.text(index - 1) == "may"
    here = source.skip(here, "the")
    read = numbers.day_of_month(source, here)
    if read is None or not _is_day(source, here, read):
        return None
    day, after = read
    if lowered and source.number(here) is None and source.low(after).isalpha():
        return None
    if sign and source.low(after) == sign and source.glued(after):
        full = numbers.year(source, after + 1, short=True)
        if full:
            return _dated(month, day, full, full[1])
    if word in _FOREIGN and year_behind(source, after) is None:
        return None
    return _dated(month, day, year_behind(source, after), after)


def _is_day(source: Source, index: int, read: numbers.Read) -> bool:
    """Whether a number behind a month can be the day, not a count, a time or a decimal."""
    day, after = read
    ordered = numbers.ordinal(source, index) is not None
    if source.number(index) is None:
        return ordered or day > 10
    if ordered:
        return True
    if source.low(after) in {":", "%"} or numbers.decimal_follows(source, after):
        return False
    if source.low(after) == "." and source.glued(after + 1) and source.low(after + 1).isdigit():
        return False
    return source.low(after) not in _NO_DAY


def day_first(source: Source, index: int) -> Parsed | None:
    """Read a date that begins with the day: "12 March", "the 12th day of March, 2024"."""
    read = numbers.day_of_month(source, index)
    if read is None or (source.glued(index) and source.text(index - 1)[-1:].isalnum()):
        return None
    day, here = read
    if source.low(here) == "." and source.glued(here):
        here += 1
    of_day = source.low(here) in {"day", "tag"}
    here += of_day
    if source.low(here) == "." and of_day:
        return None
    sign = ""
    if source.low(here) in {"-", "/"} and source.glued(here) and source.glued(here + 1):
        sign = source.low(here)
        here += 1
    linked = source.low(here) in _OF
    here += linked
    if linked and source.low(here) == "the" and source.low(here + 1) == "month":
        here = source.skip(here + 2, "of")
    month = words.MONTHS.get(source.low(here))
    if month is None or (of_day and not linked):
        return None
    spelled = source.number(index) is None
    if spelled and not linked and numbers.ordinal(source, index) is None and day < 11:
        return None
    return _with_year(source, here, (month, day), sign, linked=linked, spelled=spelled)


def _with_year(
    source: Source,
    index: int,
    month_day: tuple[int, int],
    sign: str,
    *,
    linked: bool,
    spelled: bool,
) -> Parsed | None:
    """Read what stands behind "12 March" or "12-Mar"."""
    word = source.low(index)
    end = index + 1
    inner = _dotted(source, end, word)
    full = None
    if sign and source.low(inner) == sign and source.glued(inner):
        full = numbers.year(source, inner + 1, short=True)
    point = source.low(end) == "." and source.glued(end) and source.glued(end + 1)
    if full is None and point:
        full = numbers.year(source, end + 1, short=True)
    if full is None:
        full = year_behind(source, inner)
    number = source.number(inner)
    if full is None and number is not None and source.low(inner)[:1] == "0":
        full = numbers.year(source, inner, short=True)
    lowered = source.text(index) in {"may", "mars"} or (spelled and source.text(index) == "march")
    if full is None and (word in _FOREIGN or (lowered and not linked)):
        return None
    return _dated(*month_day, full, end)


def the_day(source: Source, index: int) -> Parsed | None:
    """Read "the 9th of May" with its article."""
    return day_first(source, index + 1) if source.number(index + 1) is not None else None


def year_first(source: Source, index: int) -> Parsed | None:
    """Read "2016 June", "2016, Nov", "2019/Sep/01", "2020/23/Sep"."""
    read = numbers.year_figures(source, index)
    if read is None:
        return None
    year, here = read
    sign = source.low(here)
    glued = sign in {"/", "-"} and source.glued(here) and source.glued(here + 1)
    if glued:
        day = source.number(here + 1)
        month = words.MONTHS.get(source.low(here + 3))
        if day and month and source.low(here + 2) == sign:
            return _dated(month, day, (year, here + 4), here + 4)
    here += sign in {"/", "-", ","} and (glued or sign == ",")
    word = source.low(here)
    month = words.MONTHS.get(word)
    if month is None or source.text(here) == "may":
        return None
    if glued and source.low(here + 1) == sign:
        day = source.number(here + 2)
        if day:
            return _dated(month, day, (year, here + 3), here + 3)
    if month_first(source, here) != (
        Node("month", month=month, bare="month", confidence=0.85),
        here + 1,
    ):
        return None
    return Node("month", year=year, month=month, confidence=0.5 if sign == "," else 0.85), here + 1


def month_of(source: Source, index: int) -> Parsed | None:
    """Read "the month of September"."""
    here = source.skip(index, "the")
    if source.low(here) not in {"month", "monat"}:
        return None
    found = month_first(source, source.skip(here + 1, "of"))
    if found is None:
        return None
    node, end = found
    return Node("month", year=node.year, month=node.month, weekday=None, confidence=0.9), end
