"""Dates that count from another day: yesterday, next week, three weeks ago, Friday."""

from __future__ import annotations

from typing import TYPE_CHECKING

from casetrack.base.dataclass import dataclass, replace
from casetrack.extract.dates import calendars, numbers
from casetrack.extract.dates import vocabulary as words
from casetrack.extract.dates.nodes import Node, days_of, kind_of, relative

if TYPE_CHECKING:
    import datetime as dt

    from casetrack.extract.dates.tokens import TokenStream
    from casetrack.extract.spans import DatePrecision

Parsed = tuple[Node, int]

_PRECISION: dict[str, DatePrecision] = {
    "day": "day",
    "week": "week",
    "weekend": "range",
    "fortnight": "range",
    "month": "month",
    "quarter": "quarter",
    "half": "half",
    "year": "year",
    "decade": "decade",
}
_AFTER = frozenset(("after", "from", "following", "since", "nach", "ab"))
_PLURALS = frozenset(
    "days weeks weekends fortnights months quarters years decades tage tagen wochen monate monaten "
    "quartale jahre jahren jahrzehnte jahrzehnten".split()
)
_ANAPHORIC = frozenset(("following", "prior", "preceding", "previous"))
"""Words that count from another day of the text as often as from the document's date."""
_BEFORE = frozenset(("before", "prior", "preceding", "vor"))


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time in months and days, or in business days."""

    months: int = 0
    days: int = 0
    business: int = 0

    def moved(self, day: dt.date, sign: int) -> dt.date | None:
        """Return the day at this distance after (1) or before (-1) *day*."""
        moved = calendars.add_months(day, sign * self.months)
        moved = calendars.add_days(moved, sign * self.days) if moved else None
        left = self.business
        while moved and left:
            moved = calendars.add_days(moved, sign)
            left -= moved is not None and moved.weekday() < 5
        return moved


_HALF_MONTH = 15
_LENGTHS = {
    "day": (0, 1),
    "week": (0, 7),
    "fortnight": (0, 14),
    "month": (1, 0),
    "quarter": (3, 0),
    "year": (12, 0),
    "decade": (120, 0),
}


def duration(stream: TokenStream, index: int) -> tuple[Span, int] | None:
    """Read "three weeks", "2 years 1 month and 21 days", "thirty (30) days"."""
    span, end, pos = Span(), index, index
    for _ in range(4):
        read = numbers.count(stream, pos)
        if read is None:
            break
        pos = stream.skip(read[1], "full", "calendar", "consecutive")
        half = stream.skip(stream.skip(pos, "and"), "a", "one") if stream.low(pos) == "and" else pos
        is_half = half > pos and stream.low(half) == "half"
        pos = half + 1 if is_half else pos
        business = stream.low(pos) in {"business", "working"}
        unit = words.UNITS.get(stream.low(pos + business), "")
        if unit not in _LENGTHS or (business and unit != "day"):
            break
        months, days = (part * read[0] + is_half * (part // 2) for part in _LENGTHS[unit])
        days += is_half * (_LENGTHS[unit][0] % 2) * _HALF_MONTH
        if business:
            span = Span(span.months, span.days, min(days, 2000))
        else:
            span = Span(span.months + months, span.days + days, span.business)
        end = pos + business + 1
        pos = stream.skip(stream.skip(end, ","), "and")
    return (span, end) if end > index else None


def day_word(stream: TokenStream, index: int) -> Parsed | None:
    """Read "today", "yesterday", "the day after tomorrow", "this morning", "last night"."""
    low = stream.low(index)
    if low in words.DAY_WORDS:
        return _day(stream, words.DAY_WORDS[low], 0.9), index + 1
    if low in words.STEPS and stream.low(index + 1) in words.DAY_PARTS:
        step = words.STEPS[low]
        return _day(stream, step, 0.7), index + 2
    pos = stream.skip(index, "the")
    if stream.low(pos) == "day" and stream.low(pos + 1) in {"after", "before"}:
        target = {"tomorrow": 1, "yesterday": -1}.get(stream.low(pos + 2))
        step = 1 if stream.low(pos + 1) == "after" else -1
        if target is not None:
            return _day(stream, target + step, 0.9), pos + 3
    return None


def _day(stream: TokenStream, step: int, confidence: float) -> Node:
    anchor = stream.anchor
    days = calendars.containing(anchor, "day", step) if anchor else None
    return relative("day", days, confidence)


def step_unit(stream: TokenStream, index: int) -> Parsed | None:
    """Read "last week", "this quarter", "the next 3 months", "5 upcoming years"."""
    pos = index
    counted = numbers.count(stream, pos) if stream.low(pos) not in words.STEPS else None
    if counted and stream.low(pos) not in {"a", "an"}:
        pos = counted[1]
    step = words.STEPS.get(stream.low(pos))
    if step is None:
        return None
    pos += 1
    if counted is None and (span := duration(stream, pos)) and step:
        verb = stream.low(index - 1) in {"shall", "will", "to", "would", "may", "must"}
        if (verb and stream.low(index) == "last") or stream.low(span[1]) in {"of", "from"}:
            return None
        node = _stretch(stream, span[0], step, _quarters(stream, pos))
        return node.sure(0.45 if stream.low(index) in _ANAPHORIC else 0.8), span[1]
    unit = words.UNITS.get(stream.low(stream.skip(pos, "calendar", "working")))
    if unit not in _PRECISION:
        fiscal = stream.low(pos) in {"fiscal", "financial", "school"}
        if fiscal and stream.low(pos + 1) == "year":
            return relative("year", None, 0.6), pos + 2
        return None
    end = stream.skip(pos, "calendar", "working") + 1
    if counted:
        length = _LENGTHS.get(unit)
        if step == 0 or length is None or unit == "decade":
            return None
        span_of = Span(*(part * counted[0] for part in length))
        return _stretch(stream, span_of, step, unit == "quarter"), end
    return _stepped(stream, index, (unit, step), end)


def step_decade(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the next decade", "the past 2 decades", "the next day" with their article."""
    read = step_unit(stream, stream.skip(index, "the"))
    if read is None or stream.low(read[1] - 1) not in {"decade", "decades", "day"}:
        return None
    return read


def _quarters(stream: TokenStream, index: int) -> bool:
    read = numbers.count(stream, index)
    return bool(read) and words.UNITS.get(stream.low(read[1] if read else 0)) in {
        "quarter",
        "decade",
    }


def _stepped(stream: TokenStream, index: int, step_of: tuple[str, int], end: int) -> Parsed | None:
    unit, step = step_of
    word = stream.low(index)
    plural = stream.low(end - 1) in _PLURALS
    if plural or stream.low(end) in {"-", "of"}:
        return None
    if stream.low(end - 1) == "half" and stream.low(end) != "year":
        return None
    confidence = 0.85
    if unit == "day":
        if word not in {"this", "next", "last", "current", "coming"}:
            return None
        closed = stream.low(end) in {"", ".", ",", ";", "!", "?", "\n"} or stream.alone
        if step == -1 and not closed:
            return None
        confidence = 0.4
    elif word in _ANAPHORIC or stream.low(end - 2) == "calendar":
        confidence = 0.45
    anchor = stream.anchor
    if unit == "weekend" and word in {"coming", "upcoming"} and anchor and anchor.weekday() < 5:
        step = 0
    days = calendars.containing(anchor, unit, step) if anchor else None
    return relative(_PRECISION[unit], days, confidence), end


def _stretch(stream: TokenStream, span: Span, step: int, whole: bool) -> Node:
    """Return the days of "the last 3 weeks", without the document's date itself."""
    anchor = stream.anchor
    if anchor is None:
        return relative("range", None)
    if span.business and not span.days and not span.months:
        near, far = Span(business=1).moved(anchor, step), span.moved(anchor, step)
        days = (min(near, far), max(near, far)) if near and far else None
        return relative("range", days, 0.8)
    if whole:
        unit = "decade" if span.months % 120 == 0 else "quarter"
        around = calendars.containing(anchor, unit, 1 if step > 0 else 0)
        edge = around[0] if around else None
    else:
        edge = calendars.add_days(anchor, 1) if step > 0 else anchor
    other = span.moved(edge, step) if edge else None
    first, after = (edge, other) if step > 0 else (other, edge)
    last = calendars.add_days(after, -1) if after else None
    days = (first, last) if first and last and first <= last else None
    return relative("range", days, 0.8)


def counted(stream: TokenStream, index: int) -> Parsed | None:
    """Read "three weeks ago", "in 3 weeks", "two days after tomorrow", "vor drei Wochen"."""
    ahead = stream.low(index) == "in"
    german = stream.low(index) == "vor"
    read = duration(stream, index + (ahead or german))
    if read is None or stream.low(index - 1) in {"half", "quarter"}:
        return None
    span, end = read
    low = stream.low(end)
    if german:
        return _moved(stream, span, -1, 0.8), end
    if low in {"ago", "earlier"}:
        return _moved(stream, span, -1, 0.9 if low == "ago" else 0.4), end + 1
    if low in {"later", "hence"}:
        return _moved(stream, span, 1, 0.45 if low == "later" else 0.8), end + 1
    if low in {"from", "after", "before", "since", "following", "prior"} and not _within(
        stream, index
    ):
        return _from_point(stream, span, end, ahead=ahead)
    if ahead:
        vague = stream.low(index + 1) in {"a", "an"}
        return _moved(stream, span, 1, 0.4 if vague else 0.5), end
    return None


def _within(stream: TokenStream, index: int) -> bool:
    before = [stream.low(index - n) for n in (1, 2, 3)]
    return before[0] in {"within", "period", "least", "than", "to"} or "within" in before


def _from_point(stream: TokenStream, span: Span, index: int, *, ahead: bool) -> Parsed | None:
    sign = -1 if stream.low(index) in _BEFORE else 1
    if ahead and stream.low(index) != "since":
        return _moved(stream, span, 1, 0.5), index
    pos = stream.skip(index + 1, "to", "right")
    if stream.low(pos) in {"now", "today"} and sign == 1:
        return _moved(stream, span, 1, 0.9), pos + 1
    point = stream.point(pos)
    if point is None:
        return None
    base, end = point
    if base.bare in {"year", "part", "season"} or base.ends or base.season:
        return None
    period = stream.low(index - 1 - ahead) and stream.low(index) == "from"
    if period and base.precision != "day":
        return None
    days = days_of(base)
    if (base.bare == "weekday" or base.relative) and stream.anchor and base.choices:
        days = days_of(base.choices[-1])
    if days is None and kind_of(base) == "partial" and stream.anchor and base.month:
        following = replace(base, year=stream.anchor.year)
        days = days_of(following)
        if days and days[0] < stream.anchor and sign == -1:
            days = days_of(replace(base, year=stream.anchor.year + 1))
    moved = span.moved(days[0], sign) if days else None
    if kind_of(base) == "absolute" and moved:
        return Node("day", year=moved.year, month=moved.month, day=moved.day, confidence=0.8), end
    return relative("day", (moved, moved) if moved else None, 0.7), end


def _moved(stream: TokenStream, span: Span, sign: int, confidence: float) -> Node:
    moved = span.moved(stream.anchor, sign) if stream.anchor else None
    return relative("day", (moved, moved) if moved else None, confidence)


def same_unit(stream: TokenStream, index: int) -> Parsed | None:
    """Read "same week", "that weekend"."""
    pos = index
    unit = words.UNITS.get(stream.low(pos + 1))
    if stream.low(pos) not in {"same", "that"} or unit not in {"week", "weekend", "month", "year"}:
        return None
    if stream.low(pos) == "that" and unit != "weekend":
        return None
    days = calendars.containing(stream.anchor, unit) if stream.anchor else None
    return relative(_PRECISION[unit], days, 0.3), pos + 2


def unit_after_next(stream: TokenStream, index: int) -> Parsed | None:
    """Read "the week after next", "the month before last"."""
    pos = stream.skip(index, "the")
    unit = words.UNITS.get(stream.low(pos))
    after = stream.skip(pos + 2, "the")
    step = {("after", "next"): 2, ("before", "last"): -2}.get(
        (stream.low(pos + 1), stream.low(after))
    )
    if unit not in _PRECISION or step is None:
        return None
    if words.UNITS.get(stream.low(after + 1)):
        return None
    days = calendars.containing(stream.anchor, unit, step) if stream.anchor else None
    return relative(_PRECISION[unit], days), after + 1


def step_month(stream: TokenStream, index: int) -> Parsed | None:
    """Read "next June", "last September", "this May"."""
    pos = index
    step = words.STEPS.get(stream.low(pos))
    if step is None:
        return None
    month = words.MONTHS.get(stream.low(pos + 1))
    if month is None or stream.text(pos + 1) == "may":
        return None
    point = stream.point(pos + 1)
    if point is None or point[0].year is not None or point[0].precision not in {"month", "day"}:
        return None
    return relative(point[0].precision, month_near(point[0], stream.anchor, step)), point[1]


def month_near(node: Node, anchor: dt.date | None, step: int) -> calendars.Days | None:
    """Return the days of a month, or a day of it, without a year: the last, this year's, the next.

    "Last" and "next" are the nearest ones entirely before or after the document's month or day.
    """
    if anchor is None:
        return None
    for year in (anchor.year + n for n in ((0, 1, 2) if step >= 0 else (0, -1, -2))):
        days = days_of(replace(node, year=year))
        if days is None:
            continue
        if step == 0 or (step > 0 and days[0] > anchor) or (step < 0 and days[1] < anchor):
            return days
    return None


_PLAIN = frozenset(tuple(n.split()) for n in ("new year", "good friday", "thanksgiving", "may day"))
"""Names that are holidays only in capitals."""


def holiday(stream: TokenStream, index: int) -> Parsed | None:
    """Read a holiday with an optional year."""
    from casetrack.extract.dates import named

    pos = index
    step = words.STEPS.get(stream.low(pos))
    pos += step is not None
    hit = calendars.name_at(stream.low, pos)
    if hit is None:
        return None
    name, end = hit
    plain = name in _PLAIN
    dated = stream.low(pos - 1) in {"before", "after", "until", "till", "since"}
    if plain and not dated and not stream.text(pos)[:1].isupper():
        return None
    year = named.year_after(stream, end)
    yearly = stream.skip(end, "of")
    if year is None and stream.low(yearly) in words.STEPS and stream.low(yearly + 1) == "year":
        if stream.anchor is None:
            return relative("day", None), yearly + 2
        shifted = stream.anchor.year + words.STEPS[stream.low(yearly)]
        day = calendars.holiday_on(name, shifted)
        return relative("day", (day, day) if day else None), yearly + 2
    if year is not None:
        day = calendars.holiday_on(name, year[0])
        if day is None:
            return None
        node = Node("day", year=day.year, month=day.month, day=day.day, confidence=0.85)
        return node, year[1]
    if step is not None or name not in calendars.FIXED:
        return _near_holiday(stream, name, step), end
    month, day_of = calendars.FIXED[name]
    return Node("day", month=month, day=day_of, confidence=0.6), end


def holiday_in(stream: TokenStream, index: int, year: int) -> Node | None:
    """Return the day of the holiday that is named at a token, in a year."""
    named = calendars.name_at(stream.low, index)
    day = calendars.holiday_on(named[0], year) if named else None
    return Node("day", year=day.year, month=day.month, day=day.day) if day else None


def _near_holiday(stream: TokenStream, name: tuple[str, ...], step: int | None) -> Node:
    anchor = stream.anchor
    if anchor is None:
        return relative("day", None, 0.6)
    days = [day for n in (-1, 0, 1) if (day := calendars.holiday_on(name, anchor.year + n))]
    before = [relative("day", (day, day)) for day in days if day <= anchor][-1:]
    after = [relative("day", (day, day)) for day in days if day > anchor][:1]
    chosen = before if step == -1 else after if step == 1 else [*before, *after]
    if step == 0:
        chosen = [relative("day", (day, day)) for day in days if day.year == anchor.year]
    if len(chosen) == 1:
        return chosen[0].sure(0.6)
    return Node("day", relative=True, choices=tuple(chosen), confidence=0.6)
