"""Ranges: from 4 to 22 March 2024, January–March 2024, between Jan 2019 and today, 2019-2021."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from casetrack.extract.dates import calendars, named, numbers, relative
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, days_of, kind_of
from casetrack.extract.dates.nodes import relative as counted

if TYPE_CHECKING:
    from casetrack.extract.dates.tokens import TokenStream

Parsed = tuple[Node, int]

OPENINGS = frozenset("from between von vom zwischen".split())
_PAIRED = frozenset(("between", "zwischen"))
_DASHES = frozenset("-–—~‐‑−")
_UNTIL = frozenset("to until till til through thru bis".split()) | _DASHES
_AND = frozenset(("and", "und", "&"))
_RANGE_WORDS = (
    frozenset(words.STEPS)
    | frozenset(words.CARDINALS)
    | frozenset(words.TENS)
    | frozenset(words.ORDINALS)
    | {"the", "a", "now"}
)
_YEARS_APART = 300


def parse(stream: TokenStream, index: int) -> Parsed | None:
    """Read a range that begins at a token, the longest that fits."""
    opening = stream.low(index) if stream.low(index) in OPENINGS else ""
    pos = index + 1 if opening else index
    if not opening and not _can_open(stream, index):
        return None
    best: Parsed | None = None
    for read in _READS:
        result = read(stream, pos, opening)
        if result is not None and (best is None or result[1] > best[1]):
            best = result
    if best is None:
        return starting(stream, index)
    node, end = best
    return (replace(node, bare="") if opening else node), end


def _can_open(stream: TokenStream, index: int) -> bool:
    """Return whether a word that joins two ends, or that begins a stretch, follows a first end."""
    point = stream.point(index)
    token = stream.tokens[index]
    if point is not None and _connector(stream, point[1], "between") is not None:
        return True
    if token.low in words.MONTHS and stream.low(index + 1) in OPENINGS:
        return True
    return token.value >= 0 or token.low in _RANGE_WORDS


def _connector(stream: TokenStream, index: int, opening: str) -> int | None:
    # "October 1, 2012, through March 31, 2013"
    index += stream.low(index) == "," and stream.low(index + 1) in _UNTIL - _DASHES
    low = stream.low(index)
    if low in _UNTIL or (low in _AND and opening in _PAIRED):
        behind = index + 1
        if low in _DASHES and stream.low(behind) in _DASHES:
            behind += 1
        return stream.skip(behind, "zum", "zur") if low == "bis" else behind
    return None


def _years(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read 2019-2021, 2014 to 2018, 2019–21."""
    read = numbers.year_figures(stream, index)
    behind = _connector(stream, read[1], opening) if read else None
    if read is None or behind is None:
        return None
    if stream.glued(index) and stream.text(index - 1) not in {"(", "[", '"', "“", "'", ">"}:
        return None
    start, stop = read[0], numbers.year_figures(stream, behind)
    short = stream.number(behind)
    glued = stream.glued(behind)
    if stop is None and glued and short is not None and short > max(12, start % 100):
        stop = start // 100 * 100 + short, behind + 1
    apart = _YEARS_APART if stop is None or stop[1] > behind + 1 or not short or opening else 11
    if stop is None or not start < stop[0] < start + apart:
        return None
    if stream.low(stop[1]) in _DASHES and stream.glued(stop[1]) and stream.glued(stop[1] + 1):
        return None
    ends = Node("year", year=start), Node("year", year=stop[0])
    usual = start >= 1850 and stop[0] <= 2150
    bracketed = stream.low(index - 1) == "(" and stream.low(stop[1]) == ")"
    confidence = 0.75 if usual else 0.6 if opening or bracketed else 0.4
    return Node("range", ends=ends, confidence=confidence), stop[1]


def _points(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read two dates with a word between them; each supplies the parts that the other omits."""
    start = stream.point(index) or _now(stream, index, opening)
    if start is None and stream.low(index) == "the":
        start = stream.point(index + 1)
    behind = _connector(stream, start[1], opening) if start else None
    if start is None or behind is None:
        return None
    stop = stream.point(behind) or _now(stream, behind, "to")
    if stop is None:
        stop = stream.point(stream.skip(behind, "the")) or stream.point(
            stream.skip(behind, "and", "including")
        )
    if stop is None or stop[0].season or start[0].season:
        return None
    if start[0].bare == "weekday" != stop[0].bare and stop[0].precision != "day":
        return None
    joined = join(start[0], stop[0])
    if joined is None:
        return None
    return replace(joined, bare=_bareness(start[0], stop[0])), stop[1]


def _bareness(start: Node, stop: Node) -> str:
    if start.bare == stop.bare == "numeric":
        return "numeric"
    return "part" if start.bare == "part" and stop.bare == "part" else ""


def _now(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    pos = stream.skip(index, "the", "current")
    if not opening or stream.low(pos) not in words.NOW:
        return None
    anchor = stream.anchor
    return counted("day", (anchor, anchor) if anchor else None, 0.7), pos + 1


def join(start: Node, stop: Node) -> Node | None:
    """Return the range between two dates, or ``None`` where it would run backwards."""
    if start.ends or stop.ends or start.precision == "range" or stop.precision == "range":
        return None
    confidence = min(start.confidence, stop.confidence, 0.9)
    if start.bare == stop.bare == "weekday":
        return _weekday_range(start, stop)
    if start.choices and start.relative and (chosen := _before(start, stop)):
        start = chosen
    if stop.choices and stop.relative and (chosen := _after(start, stop)):
        stop = chosen
    first, last = _shared(start, stop)
    opened, closed = days_of(first), days_of(last)
    if opened and closed and (opened[0] > closed[1] or opened == closed):
        return None
    if first.impossible or last.impossible:
        return Node("range", ends=(first, last), impossible=True, confidence=0.6)
    return Node("range", ends=(first, last), confidence=confidence)


def _weekday_range(start: Node, stop: Node) -> Node:
    pairs = []
    for choice in start.choices or (start,):
        days = days_of(choice)
        other = days_of(stop.choices[0] if stop.choices else stop)
        if days and other:
            gap = (other[0].weekday() - days[0].weekday()) % 7
            last = calendars.add_days(days[0], gap)
            pairs += [counted("range", (days[0], last))] if last else []
    if len(pairs) == 1:
        return pairs[0].sure(0.4)
    return Node("range", relative=True, choices=tuple(pairs), confidence=0.4)


def _before(start: Node, stop: Node) -> Node | None:
    days = days_of(stop)
    fits = [choice for choice in start.choices if (own := days_of(choice)) and days and own < days]
    return fits[-1] if fits else None


def _after(start: Node, stop: Node) -> Node | None:
    days = days_of(start)
    fits = [choice for choice in stop.choices if (own := days_of(choice)) and days and own > days]
    return fits[0] if fits else None


def _shared(start: Node, stop: Node) -> tuple[Node, Node]:
    """Give an end without a year the year of the other one, so that the range runs forwards."""
    if start.precision == "month" and start.year and stop.day and not stop.year:
        short = start.year - start.year % 100 + stop.day
        if start.year <= short <= start.year + 1:  # "Nov. 00 to Aug. 01"
            stop = Node("month", year=short, month=stop.month)
    if start.year is None and not start.relative and stop.year is not None:
        start = _placed(start, stop.year, stop, -1)
    elif stop.year is None and not stop.relative and start.year is not None:
        stop = _placed(stop, start.year, start, 1)
    elif start.choices and stop.choices and not start.relative:
        year = stop.choices[0].year
        if year is not None and start.choices[0].year is None:
            start = _placed(start, year, stop.choices[0], -1)
    return start, stop


def _placed(node: Node, year: int, other: Node, step: int) -> Node:
    if node.choices:
        return replace(node, choices=tuple(_placed(c, year, other, step) for c in node.choices))
    placed = replace(node, year=year, bare="")
    days, rest = days_of(placed), days_of(other)
    if days and rest and ((step < 0 and days[0] > rest[1]) or (step > 0 and days[1] < rest[0])):
        return replace(placed, year=year + step)
    return placed


def _day_to_date(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "4 to 22 March 2024", "the ninth and seventeenth of April", "12.–14. März"."""
    pos = stream.skip(index, "the", "den", "dem")
    read = numbers.day_of_month(stream, pos)
    if read is None or (stream.glued(index) and stream.text(index - 1)[-1:].isalnum()):
        return None
    end = read[1]
    end = end + 1 if stream.low(end) == "." and stream.glued(end) else end
    behind = _connector(stream, end, opening)
    if behind is None:
        return None
    if stream.low(behind - 1) in _DASHES and stream.low(index - 1) in _DASHES:
        return None
    stop = stream.point(stream.skip(behind, "the", "den", "dem"))
    if stop is None or stop[0].precision != "day" or stop[0].month is None or stop[0].relative:
        return None
    figures = stream.low(stream.skip(behind, "the", "den", "dem") + 1)
    if (
        figures in {"/", "."}
        and end == read[1]
        and words.MONTHS.get(stream.low(behind + 2)) is None
        and opening == ""
    ):
        return None
    start = Node("day", year=stop[0].year, month=stop[0].month, day=read[0])
    if start.day and stop[0].day and start.day > stop[0].day:
        start = _month_before(start)
    if not calendars.day_exists(start.month or 0, start.day or 0, start.year):
        return None
    joined = join(start, replace(stop[0], bare=""))
    return (joined, stop[1]) if joined else None


def _month_before(node: Node) -> Node:
    if node.month == 1:
        return replace(node, month=12, year=node.year - 1 if node.year else None)
    return replace(node, month=(node.month or 2) - 1)


def _date_to_day(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "November 19 to 20", "April 9th through the seventeenth, 2024"."""
    start = stream.point(index)
    if start is None or start[0].precision != "day" or not start[0].month or start[0].impossible:
        return None
    closing = stream.low(start[1] - 1)
    if not (closing.isdigit() or closing in words.SUFFIXES or closing in words.ORDINALS):
        return None
    behind = _connector(stream, start[1], opening)
    if behind is None or start[0].year is not None:
        return None
    pos = stream.skip(behind, "the")
    read = numbers.day_of_month(stream, pos)
    if read is None or read[0] <= (start[0].day or 0):
        return None
    if stream.low(read[1]) in {":", "/", "%"} | words.COUNTED | {"am", "pm", "a", "p"}:
        return None
    if stream.low(read[1]) in words.UNITS or numbers.decimal_follows(stream, read[1]):
        return None
    year = named.year_after(stream, read[1])
    number = year[0] if year else None
    first = replace(start[0], year=number, bare="")
    last = replace(first, day=read[0])
    if not calendars.day_exists(last.month or 0, read[0], number):
        return None
    return Node("range", ends=(first, last), confidence=0.85), (year[1] if year else read[1])


def _week_days(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "next week from Wednesday to Friday", "this week between Tue and Thur"."""
    step = words.STEPS.get(stream.low(index))
    inner = stream.low(index + 2)
    if opening or step is None or stream.low(index + 1) != "week" or inner not in OPENINGS:
        return None
    behind = _connector(stream, index + 4, inner)
    days = [words.WEEKDAYS.get(stream.low(place)) for place in (index + 3, behind or -1)]
    if behind is None or days[0] is None or days[1] is None:
        return None
    week = calendars.containing(stream.anchor, "week", step) if stream.anchor else None
    edges = [calendars.add_days(week[0], day or 0) for day in days] if week else [None, None]
    both = (edges[0], edges[1]) if edges[0] and edges[1] and edges[0] <= edges[1] else None
    return counted("range", both), behind + 1


def _days_of_step(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "4 to 23 next month", "between 4 and 22 this month"."""
    start = numbers.day_of_month(stream, index)
    behind = _connector(stream, start[1], opening) if start else None
    stop = numbers.day_of_month(stream, behind) if behind else None
    if start is None or stop is None or start[0] >= stop[0]:
        return None
    pos = stream.skip(stop[1], "of", "in")
    step = words.STEPS.get(stream.low(pos))
    if step is None or stream.low(pos + 1) not in {"month", "monat", "monats"}:
        return None
    month = calendars.containing(stream.anchor, "month", step) if stream.anchor else None
    days = None
    if month:
        edges = [calendars.date_or_none(month[0].year, month[0].month, n[0]) for n in (start, stop)]
        days = (edges[0], edges[1]) if edges[0] and edges[1] else None
    return counted("range", days), pos + 2


def _dotted(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "01.05.–03.05.2024"."""
    day, month = stream.number(index), stream.number(index + 2)
    points = stream.low(index + 1) == stream.low(index + 3) == "."
    behind = _connector(stream, index + 4, opening) if day and month and points else None
    stop = stream.point(behind) if behind else None
    if not day or not month or month > 12 or not calendars.day_exists(month, min(day, 32)):
        return None
    if stop is None or stop[0].precision != "day" or stop[0].year is None:
        return None
    joined = join(Node("day", month=month, day=day), stop[0])
    return (joined, stop[1]) if joined else None


def _days_in_month(stream: TokenStream, index: int, opening: str) -> Parsed | None:
    """Read "February from 2 to 7, 2018", "Nov between 19 and 20"."""
    month = words.MONTHS.get(stream.low(index))
    inner = stream.low(index + 1)
    if month is None or opening or inner not in OPENINGS:
        return None
    start = numbers.day_of_month(stream, index + 2)
    behind = _connector(stream, start[1], inner) if start else None
    stop = numbers.day_of_month(stream, behind) if behind else None
    if start is None or stop is None or start[0] >= stop[0]:
        return None
    year = named.year_after(stream, stop[1])
    number = year[0] if year else None
    if not calendars.day_exists(month, stop[0], number):
        return None
    ends = tuple(Node("day", year=number, month=month, day=day[0]) for day in (start, stop))
    return Node("range", ends=(ends[0], ends[1]), confidence=0.8), year[1] if year else stop[1]


def starting(stream: TokenStream, index: int) -> Parsed | None:
    """Read "five years commencing on 1 January 2020", "for 3 days from today"."""
    is_for = stream.low(index) == "for"
    read = relative.duration(stream, index + is_for)
    if read is None:
        return None
    span, pos = read
    pos = stream.skip(pos, ",")
    if stream.low(pos) not in ({"from"} if is_for else {"starting", "beginning", "commencing"}):
        return None
    point = stream.point(stream.skip(pos + 1, "from", "on", "with"))
    if point is None or point[0].precision != "day" or point[0].choices:
        return None
    node, end = point
    if node.year is None and not node.relative and stream.anchor:
        days = relative.month_near(node, stream.anchor, 1)
    else:
        days = days_of(node)
    after = span.moved(days[0], 1) if days else None
    last = calendars.add_days(after, -1) if after else None
    if days is None or last is None or last < days[0]:
        return counted("range", None, 0.45), end
    if kind_of(node) == "absolute":
        stop = Node("day", year=last.year, month=last.month, day=last.day)
        return Node("range", ends=(replace(node, bare=""), stop), confidence=0.8), end
    return counted("range", (days[0], last), 0.7 if is_for else 0.45), end


_READS = (
    _years,
    _day_to_date,
    _points,
    _date_to_day,
    _week_days,
    _days_of_step,
    _dotted,
    _days_in_month,
)
