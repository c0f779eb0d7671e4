"""Years, quarters, halves, weeks, decades, centuries and seasons that are written out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, days_of, relative

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream
    from casetrack.extract.spans import DatePrecision

Parsed = tuple[Node, int]

_ANY_FALL = frozenset(("previous", "prior", "preceding", "following"))

_FISCAL = frozenset("fiscal financial tax school academic business".split())
_ALL_YEARS = {f"{ten[:-1]}ies": number for ten, number in words.TENS.items()}


def bare_year(stream: TokenStream, index: int) -> Parsed | None:
    """Read a year that needs a word before it."""
    read = numbers.year(stream, index)
    if read is None or not _apart(stream, index, read[1]):
        return None
    spelled = stream.number(index, 4) is None
    return Node("year", year=read[0], bare="year", confidence=0.7 if spelled else 0.85), read[1]


def _apart(stream: TokenStream, index: int, after: int) -> bool:
    edged = stream.low(index - 1) == "-" and stream.low(index - 2) in words.EDGES
    if stream.glued(index) and not edged:
        before = stream.text(index - 1)
        if before[-1:].isalnum() or before in set("-/.:,_#$€£@&=+*%"):
            return False
    if stream.text(index - 1) in {"$", "€", "£", "¥"}:
        return False
    joined = stream.low(after) in {"-", "/", ".", ":", "_", "@"} and stream.glued(after)
    return not (joined and stream.glued(after + 1) and stream.low(after + 1)[:1].isalnum())


def year_word(stream: TokenStream, index: int) -> Parsed | None:
    """Read "year 2024", "calendar year 2024", "fiscal 2023", "FY24", "Geschäftsjahr 2024"."""
    low = stream.low(index)
    fiscal = False
    pos = index + 1
    if low in {"fy", "cy", "geschäftsjahr"}:
        fiscal = low != "cy"
        read = _labelled_year(stream, pos)
        return _fiscal_year(stream, read, fiscal=fiscal) if read else None
    if low in _FISCAL or low == "calendar":
        fiscal = low != "calendar"
        if stream.low(pos) not in {"year", "years"}:
            read = numbers.year(stream, pos) if low == "fiscal" else None
            return _fiscal_year(stream, read, fiscal=True) if read else None
        pos += 1
    elif low not in {"year", "jahr", "jahre", "kalenderjahr"}:
        return None
    read = numbers.old_year_words(stream, pos) or numbers.year(stream, pos)
    return _fiscal_year(stream, read, fiscal=fiscal) if read else None


def _labelled_year(stream: TokenStream, index: int) -> numbers.Read | None:
    read = numbers.year(stream, index)
    number = stream.number(index)
    if read is None and number is not None and len(stream.low(index)) == 2:
        return numbers.full_year(number), index + 1
    return read


def _fiscal_year(stream: TokenStream, read: numbers.Read, *, fiscal: bool) -> Parsed:
    year, end = read
    node = Node("year", year=year, fiscal=fiscal, confidence=0.85)
    following = stream.number(end + 1, 4)
    if stream.low(end) in {"/", "-", "–"} and following in {year + 1, (year + 1) % 100}:
        ends = node, replace(node, year=year + 1)
        return replace(node, precision="range", year=None, ends=ends), end + 2
    return node, end


def yearly(stream: TokenStream, index: int) -> Parsed | None:
    """Read the year that a quarter, half or week belongs to: 2024, FY24, this year, next year."""
    pos = stream.skip(index, "the")
    step = words.STEPS.get(stream.low(pos))
    if step is not None and stream.low(pos + 1) in {"year", "jahr", "jahres"}:
        anchor = stream.anchor
        days = calendars.containing(anchor, "year", step) if anchor else None
        return relative("year", days), pos + 2
    labelled = year_word(stream, pos)
    if labelled is not None:
        return labelled
    read = numbers.year(stream, pos)
    return (Node("year", year=read[0]), read[1]) if read else None


def part_of(precision: DatePrecision, number: int, year: Node | None) -> Node | None:
    """Return the quarter, half or week with a number, of a year if one is known."""
    top = {"quarter": 4, "half": 2, "week": 53}[precision]
    if not 1 <= number <= top:
        return None
    if year is None:
        return Node(precision, number=number, confidence=0.6)
    whole = days_of(year) if year.relative else None
    if not year.relative and year.year is not None:
        node = Node(precision, year=year.year, number=number, fiscal=year.fiscal)
        impossible = precision == "week" and calendars.week_of(year.year, number) is None
        return replace(node, impossible=impossible)
    if whole is None:
        return relative(precision, None)
    return relative(precision, days_of(Node(precision, year=whole[0].year, number=number)))


def part_name(stream: TokenStream, index: int) -> tuple[DatePrecision, int, int] | None:
    """Read "Q3", "3Q", "H1", "third quarter", "2nd half", "3. Quartal"; precision, number, end."""
    low, pos = stream.low(index), stream.skip(index, "the")
    number = stream.number(index + 1, 1)
    if low in {"q", "h"} and number and stream.glued(index + 1) and _code_free(stream, index):
        return ("quarter" if low == "q" else "half"), number, index + 2
    number = stream.number(index, 1)
    if number and stream.low(index + 1) in {"q", "h"} and stream.glued(index + 1):
        return ("quarter" if stream.low(index + 1) == "q" else "half"), number, index + 2
    read = numbers.ordinal(stream, pos)
    if read is None and number and stream.low(index + 1) == "." and stream.glued(index + 1):
        read = number, index + 2
    if read is None and stream.low(pos) in {"last", "letztes"}:
        read = (4 if stream.low(pos + 1).startswith("quart") else 2), pos + 1
    if read is None:
        return None
    order, pos = read
    pos = stream.skip(pos, "-")
    unit = words.UNITS.get(stream.low(pos))
    if unit not in {"quarter", "half"}:
        return None
    end = stream.skip(pos + 1, "year") if unit == "half" else pos + 1
    return ("quarter" if unit == "quarter" else "half"), order, end


def _code_free(stream: TokenStream, index: int) -> bool:
    joined = stream.glued(index) and stream.text(index - 1)[-1:].isalnum()
    letters = stream.glued(index + 2) and stream.low(index + 2)[:1].isalpha()
    return not joined and not (letters and stream.low(index + 2) != "fy")


def part(stream: TokenStream, index: int) -> Parsed | None:
    """Read a quarter or a half, with an optional year after it."""
    named = part_name(stream, index)
    if named is None:
        return None
    precision, number, end = named
    pos = end
    if stream.low(pos) in {",", "-", "/", "("}:
        pos += 1
    pos = stream.skip(pos, "of", "in", "des", "im")
    year = yearly(stream, pos)
    if year is None and stream.glued(end):
        short = stream.number(end)
        if short is not None and len(stream.low(end)) == 2:
            year = Node("year", year=numbers.full_year(short), confidence=0.8), end + 1
    if year is None and stream.low(pos) == "the" and stream.low(pos + 1) == "year":
        node = part_of(precision, number, None)
        return (node, pos + 2) if node else None
    node = part_of(precision, number, year[0] if year else None)
    if node is None or (year is None and stream.low(stream.skip(index, "the")) == "last"):
        return None
    if year is None and (precision == "half" or stream.low(index) != "q"):
        node = replace(node, bare="part", confidence=0.5)
    return node, (year[1] if year else end)


def part_after_year(stream: TokenStream, index: int) -> Parsed | None:
    """Read "2016 the third quarter", "2019-H2", "next year's third quarter"."""
    year = yearly(stream, index)
    if year is None:
        return None
    pos = year[1]
    if stream.low(pos) in {"'", "’"} and stream.low(pos + 1) == "s":
        pos += 2
    pos = stream.skip(pos, ",", "-", "/")
    if stream.low(pos) == "w" and (number := stream.number(pos + 1)) and year[0].year:
        node = part_of("week", number, year[0])
        return (node, pos + 2) if node and stream.glued(pos + 1) else None
    named = part_name(stream, pos)
    node = part_of(named[0], named[1], year[0]) if named else None
    return (node, named[2]) if named and node else None


def week(stream: TokenStream, index: int) -> Parsed | None:
    """Read "week 7 of 2024", "calendar week 7", "KW 32/2024"."""
    pos = stream.skip(index, "calendar")
    if stream.low(pos) not in {"week", "kw", "kalenderwoche", "woche"}:
        return None
    short = stream.low(pos) == "kw"
    number = stream.number(pos + 1)
    if not number or number > 53 or (stream.glued(pos + 1) and not short):
        return None
    end = pos + 2
    if stream.low(end) in {":", "."} and stream.glued(end + 1) and stream.low(end + 1).isdigit():
        return None
    year = yearly(stream, stream.skip(end, "of", "/", ",", "in", "-"))
    node = part_of("week", number, year[0] if year else None)
    return (node, year[1] if year else end) if node else None


def decade(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the 1990s", "1970's", "the '40s", "the seventies", "the twenty-tens", "1990er"."""
    pos = stream.skip(index, "the")
    article = pos > index
    apostrophe = stream.low(pos) in {"'", "’", "‘"} and stream.glued(pos + 1)
    number = stream.number(pos + apostrophe, 4)
    if number is not None:
        figures, end = stream.low(pos + apostrophe), pos + apostrophe + 1
        end = stream.skip(end, "'", "’")
        spaced = stream.tokens[end].gap if end < len(stream.tokens) else True
        if stream.low(end) not in {"s", "er"} or number % 10 or (spaced and len(figures) != 4):
            return None
        if spaced and (stream.text(end) != "s" or not 1700 <= number < 2100):
            return None
        if len(figures) == 4 and 1000 <= number < 2200 and not _joined_before(stream, pos):
            return Node("decade", year=number, confidence=0.8 if spaced else 0.95), end + 1
        edged = stream.low(pos - 1) in words.EDGES or stream.low(pos - 2) in words.EDGES
        if len(figures) == 2 and (article or apostrophe or edged or stream.alone):
            return _short_decade(number), end + 1
        return None
    return _decade_words(stream, pos) if article else None


def _joined_before(stream: TokenStream, index: int) -> bool:
    if stream.low(index - 1) == "-" and stream.low(index - 2) in words.EDGES:
        return False
    return stream.glued(index) and stream.text(index - 1)[-1:] not in {"(", '"', "“", "'", "–", "/"}


def _short_decade(number: int) -> Node:
    if number >= 30:
        return Node("decade", year=1900 + number, confidence=0.7)
    options = tuple(Node("decade", year=century + number) for century in (1900, 2000))
    return Node("decade", choices=options, confidence=0.6)


def _decade_words(stream: TokenStream, index: int) -> Parsed | None:
    low = stream.low(index)
    if low == "noughties":
        return Node("decade", year=2000, confidence=0.8), index + 1
    if low in _ALL_YEARS:
        return _short_decade(_ALL_YEARS[low]), index + 1
    if low == "two" and stream.low(index + 1) in {"thousands", "thousand"}:
        if stream.low(index + 1) == "thousands":
            return Node("decade", year=2000, confidence=0.6), index + 2
        tail = stream.low(stream.skip(index + 2, "and"))
        number = 10 if tail == "tens" else _ALL_YEARS.get(tail)
        end = stream.skip(index + 2, "and") + 1
        return (Node("decade", year=2000 + number, confidence=0.8), end) if number else None
    century = numbers.below_hundred(stream, index)
    if century is None or not 10 <= century[0] <= 21:
        return None
    pos = stream.skip(century[1], "-")
    tail = stream.low(pos)
    number = 10 if tail == "tens" else _ALL_YEARS.get(tail)
    if number is None:
        return None
    return Node("decade", year=century[0] * 100 + number, confidence=0.85), pos + 1


def century(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the 21st century", which people begin in 2000 or in 2001."""
    read = numbers.ordinal(stream, stream.skip(index, "the"))
    if read is None or stream.low(read[1]) != "century" or not 1 < read[0] < 30:
        return None
    if stream.text(read[1] + 1)[:1].isupper():
        return None
    begin = (read[0] - 1) * 100
    choices = tuple(
        Node("range", ends=(Node("year", year=begin + n), Node("year", year=begin + n + 99)))
        for n in (1, 0)
    )
    return Node("range", choices=choices, confidence=0.6), read[1] + 1


_QUARTERS = {"winter": 0, "spring": 1, "frühjahr": 1, "frühling": 1, "summer": 2, "sommer": 2}
"""Begin of the northern seasons in quarters after December; the rest is autumn."""


def _season_of(name: str, year: int) -> Node:
    """Return the months that a season of a year can mean, north or south of the equator."""
    begin = (_QUARTERS.get(name, 3) * 3 - 1) % 12
    starts = sorted({(year, begin + 1), (year, (begin + 6) % 12 + 1)})
    starts += [(year - 1, 12)] if begin == 11 else []
    choices = tuple(
        Node("range", ends=(Node("month", year=y, month=m), _months_later(y, m, 2)))
        for y, m in starts
        if y > 0
    )
    return Node("range", choices=choices, confidence=0.7)


def _months_later(year: int, month: int, count: int) -> Node:
    index = year * 12 + month - 1 + count
    return Node("month", year=index // 12, month=index % 12 + 1)


def season(stream: TokenStream, index: int) -> Parsed | None:
    """Read "summer of 2016", "next spring", "this winter"; its days depend on the hemisphere."""
    pos = stream.skip(index, "the")
    step = words.STEPS.get(stream.low(pos))
    pos += step is not None
    if stream.low(pos) not in words.SEASONS:
        return None
    if step is not None:
        # "The previous fall in prices" is no season.
        is_drop = stream.low(pos - 1) in _ANY_FALL or stream.low(pos + 1) in {"in", "of", "from"}
        if stream.low(pos) == "fall" and is_drop:
            return None
        return Node("quarter", season=True, relative=True, confidence=0.6), pos + 1
    year = yearly(stream, stream.skip(pos + 1, "of", ",", "'"))
    if year is not None:
        if year[0].year is None:
            return Node("quarter", season=True, relative=True, confidence=0.6), year[1]
        return _season_of(stream.low(pos), year[0].year), year[1]
    if pos > index:
        return None
    return Node("quarter", season=True, bare="season", confidence=0.4), pos + 1
