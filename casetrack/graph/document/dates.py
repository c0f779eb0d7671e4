"""Resolves the dates of a document from the document itself."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections import Counter
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from casetrack.base.words import WordLists
from casetrack.base.words.lists import MONTHS, any_month
from casetrack.extract.dates import day_order, find_dates, read_date
from casetrack.extract.dates.calendars import date_or_none
from casetrack.extract.days import LEAST_CONFIDENCE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from casetrack.extract.spans import DateSpan
    from casetrack.graph.document.facts import ChunkFacts, DocumentFacts, ReadBy

# The financial years of the document's company, if the document states when they end.

_LISTS = WordLists(__file__)
_MONTH = (
    rf"(?:{any_month()}"
    r"|Jan\.|Feb\.|Mar\.|Apr\.|Jun\.|Jul\.|Aug\.|Sept?\.|Oct\.|Nov\.|Dec\.)"
)
_DAY = rf"(?:{_MONTH}\s\d{{1,2}},\s(?:19|20)\d\d|\d{{1,2}}\s{_MONTH}\s(?:19|20)\d\d)"
_YEAR = r"(?:fiscal|financial|FY)\s?(?:years?\s)?(?P<year>(?:19|20)\d\d)"
_ENDED = re.compile(
    rf"(?:fiscal|financial)\syears?\s(?:ended|ending|ends)(?:\son)?:?\s(?P<days>{_DAY}(?:(?:,?\sand|,|;)?\s{_DAY}){{0,4}})",
    re.IGNORECASE,
)
_NAMED_FIRST = re.compile(
    rf"{_YEAR}[^.\n\d]{{0,40}}?(?:ended|ending|ends)(?:\son)?\s(?P<day>{_DAY})", re.IGNORECASE
)
_DAY_FIRST = re.compile(
    rf"(?:years?|weeks?)\s(?:ended|ending)\s(?P<day>{_DAY})[\s,(“\"'‘]{{1,4}}(?:or\s|the\s|as\s|referred\sto\sas\s|hereinafter\s)*[“\"'‘]?{_YEAR}",
    re.IGNORECASE,
)
_EACH_YEAR = re.compile(r"(?:19|20)\d\d")
_RESPECTIVELY = re.compile(
    rf"(?:fiscal|financial)\s(?:years?\s)?(?P<years>(?:19|20)\d\d(?:(?:,?\sand|,)\s(?:fiscal\s(?:years?\s)?)?"
    rf"(?:19|20)\d\d){{1,4}})(?:\s(?:each\s)?(?:ended|ends?|comprised)(?:\son)?)\s"
    rf"(?P<days>{_DAY}(?:(?:,?\sand|,|;)?\s{_DAY}){{1,4}})",
    re.IGNORECASE,
)
_YEARLY = re.compile(
    rf"(?:fiscal|financial)\syear(?:[\s-]end(?:s|ing|ed)?(?:\sis)?|\sthat\sends)(?:\son)?\s(?:or\sabout\s)?"
    rf"(?P<month>{_MONTH})\s(?P<number>\d{{1,2}})(?!,?\s?\d)"
    rf"|(?P<month2>{_MONTH})\s(?P<number2>\d{{1,2}})\s(?:fiscal|financial)\syear[\s-]end",
    re.IGNORECASE,
)
_PART = re.compile(r"FY(\d{4})(?:-([QH])(\d))?")
_MONTHS = tuple(name.lower()[:3] for name in calendar.month_name)
_NAMED_BY_END = range(6, 13)
"""Years that end in these months are named by the year of their end, unless a text differs."""
_OF_WEEKS = _LISTS.pattern("of_weeks")
_WORDS = ("iscal", "ISCAL", "inancial year", "INANCIAL YEAR")
_NEARLY_ALL = 0.8
_ONE_YEAR = range(357, 373)

Days = tuple[dt.date, dt.date]


class FiscalYears:
    """The days of a document's financial years, as its chunks state them."""

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self._ends: set[dt.date] = set()
        offsets: Counter[int] = Counter()
        yearly: Counter[tuple[int, int]] = Counter()
        for chunk in chunks:
            if not any(word in chunk.text for word in _WORDS):
                continue
            text = chunk.text.replace("\n", " ")
            self._ends.update(
                day for match in _ENDED.finditer(text) for day in _days(match["days"])
            )
            for match in _RESPECTIVELY.finditer(text):
                years = _EACH_YEAR.findall(match["years"])
                days = _days(match["days"])
                if len(years) == len(days):
                    self._ends.update(days)
                    offsets.update(int(y) - d.year for y, d in zip(years, days, strict=True))
            text = _RESPECTIVELY.sub(" ", text)
            for pattern in (_NAMED_FIRST, _DAY_FIRST):
                for match in pattern.finditer(text):
                    for day in _days(match["day"]):
                        self._ends.add(day)
                        offsets[int(match["year"]) - day.year] += 1
            for match in _YEARLY.finditer(text):
                month = match["month"] or match["month2"]
                number = int(match["number"] or match["number2"])
                yearly[_MONTHS.index(month[:3].lower()), number] += 1
        of_weeks = any(_OF_WEEKS.search(chunk.text) for chunk in chunks)
        self._month = None if of_weeks else _whole_months(self._ends, yearly)
        self._offset = _offset(offsets, self._ends, self._month)

    def days(self, value: str, /) -> Days | None:
        """Return first and last day of a value such as ``FY2023`` or ``FY2023-Q2``.

        ``None`` if the document does not state them; always for parts of years of 52 or 53 weeks.
        """
        ends = [self._of_one(part) for part in value.split("/")]
        if not ends or any(days is None for days in ends):
            return None
        first, last = ends[0], ends[-1]
        return (first[0], last[1]) if first and last else None

    def _of_one(self, value: str) -> Days | None:
        match = _PART.fullmatch(value)
        if match is None or self._offset is None:
            return None
        year = self._year(int(match[1]) - self._offset)
        if year is None or not match[2]:
            return year
        if self._month is None:
            return None
        length = 3 if match[2] == "Q" else 6
        number = int(match[3])
        if number * length > 12:
            return None
        first = _moved(year[0], (number - 1) * length)
        return first, _moved(first, length) - dt.timedelta(days=1)

    def _year(self, ends_in: int) -> Days | None:
        """Return the days of the financial year that ends in a calendar year."""
        if self._month is not None:
            after = _moved(dt.date(ends_in, self._month, 1), 1)
            return _moved(after, -12), after - dt.timedelta(days=1)
        last = [day for day in self._ends if day.year == ends_in]
        if len(last) != 1:
            return None
        before = [day for day in self._ends if (last[0] - day).days in _ONE_YEAR]
        return (before[0] + dt.timedelta(days=1), last[0]) if len(before) == 1 else None


def _days(text: str) -> list[dt.date]:
    return [
        dt.date.fromisoformat(d.first) for d in find_dates(text) if d.first and d.first == d.last
    ]


def _whole_months(ends: set[dt.date], yearly: Counter[tuple[int, int]]) -> int | None:
    """Return the month at whose end the years end; ``None`` for years of weeks."""
    months = Counter(
        day.month
        for day in ends
        if day.day == calendar.monthrange(day.year, day.month)[1] or (day.month, day.day) == (2, 28)
    )
    for (month, number), count in yearly.items():
        if number >= calendar.monthrange(2023, month)[1]:
            months[month] += count
    if not months:
        return None
    month, count = months.most_common(1)[0]
    others = len(ends) - sum(months.values()) if len(ends) > sum(months.values()) else 0
    return month if count >= _NEARLY_ALL * (months.total() + others) else None


def _offset(offsets: Counter[int], ends: set[dt.date], month: int | None) -> int | None:
    """Return the difference between the name of a financial year and the year of its end."""
    if offsets:
        offset, count = offsets.most_common(1)[0]
        return offset if count >= _NEARLY_ALL * offsets.total() and offset in {-1, 0, 1} else None
    months = {month} if month is not None else {day.month for day in ends}
    return 0 if months and all(m in _NAMED_BY_END for m in months) else None


def _moved(day: dt.date, months: int) -> dt.date:
    count = day.year * 12 + day.month - 1 + months
    return dt.date(count // 12, count % 12 + 1, 1)


_MAILS = frozenset(("eml", "msg"))
_LETTERS = frozenset(("correspondence", "memo"))
_LASTING = frozenset(("contract", "policy"))
_ITS_TIME = 300
_CERTAIN = 0.9
_NEAR = 120
"""Maximum distance in days between "12 May" in a letter and the letter's date."""
_CLAUSE = 60
_AROUND = 200
"""Number of characters around a date in which another year makes it ambiguous."""
_YEAR_ALONE = re.compile(r"(?<![\d.,])(?:19|20)\d\d(?![\d.,]*\d)")
_EVERY_YEAR = _LISTS.pattern("every_year")
_EVERY = re.compile(r"\b(?:each|every|annually|yearly|anniversary)\b[^.;]*$", re.IGNORECASE)
_PAST = re.compile(r"\b(?:was|were|had|been|dated|since|held|sent|received|last)\b", re.IGNORECASE)
_FUTURE = _LISTS.pattern("future")
_NUMBERED = re.compile(r"(?<!\w)([^\W\d]{3,9})\.?\s(\d\d?)(?!\w)")
"""A month and a number without a year: "January 02" is a day, or a month of 2002."""
_ON_DAY = re.compile(r"(?:\bon|\bam|\b\w{2,6}day,?|\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)\.?,?)\s+$")
_DAY_GOES_ON = re.compile(r",?\s{0,3}(?:at\s|@|\(?\d{1,2}:\d\d|\(?\w{2,6}day\b|\d{1,2}\s?[ap]m\b)")
_IN_MONTH = re.compile(r"\b(?:in|during|throughout|months?\sof|im)\s+$", re.IGNORECASE)
_OF_MONTH = _LISTS.pattern("of_month")
_ISO_NAME = re.compile(r"(\d{4})[-_.]?(\d\d)[-_.]?(\d\d)(?!\d)")
_MONTH_NAMES = MONTHS.words("en")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)")
_ISO_MONTH = re.compile(r"(\d{4})-(\d\d)")
_ISO_PART = re.compile(r"(\d{4})-([WQH]\d{1,2})")
_SEASON = re.compile(r"(\d{4})-(\w+)")


class DateReader:
    """Resolves the incomplete dates of one document.

    A date without a year gets the only year that fits its weekday or the document's date; an
    ambiguous date keeps its readings unless the other dates show one order of day and month.
    Financial years get their days if the document states them. Weak dates ("on 15", a bare weekday)
    stay unchanged.
    """

    def __init__(self, document: DocumentFacts, chunks: Sequence[ChunkFacts], /) -> None:
        self._day_first = day_order(d for c in chunks for d in c.dates)
        self.document_date = document_date(document)
        self._chunks = chunks
        is_letter = document.format.lower() in _MAILS or document.document_type in _LETTERS
        self._nearby = is_letter or (
            document.document_type not in _LASTING and self._is_about_its_time(chunks)
        )
        self._settled: dict[tuple[str, str], DateSpan | None] = {}

    def _is_about_its_time(self, chunks: Sequence[ChunkFacts]) -> bool:
        """Return whether nearly all full dates are close to the document's date."""
        anchor = self.document_date
        if anchor is None:
            return False
        days = [
            abs((dt.date.fromisoformat(span.first) - anchor).days)
            for chunk in chunks
            for span in chunk.dates
            if span.kind == "absolute" and span.precision == "day" and span.first
        ]
        return sum(day <= _ITS_TIME for day in days) >= _CERTAIN * len(days)

    @cached_property
    def _fiscal(self) -> FiscalYears:
        return FiscalYears(self._chunks)

    def read(self, span: DateSpan, text: str, /) -> tuple[DateSpan, ReadBy | None]:
        """Return the date with its value, and what resolved it; *text* is the text of its chunk."""
        if not is_certain(span):
            return span, None
        # Which of three figures is the year does not follow from the order of day and month.
        is_order = span.kind == "ambiguous" and len(span.readings) == 2
        if is_order and span.value is None and self._day_first is not None:
            reread = self._reread(span, None)
            if reread and reread.value and (not span.readings or reread.value in span.readings):
                return _valued(span, reread), "day_order"
        if span.value is not None and span.value.startswith("FY") and span.first is None:
            days = self._fiscal.days(span.value)
            if days is not None:
                first, last = (day.isoformat() for day in days)
                return replace(span, first=first, last=last), "fiscal_year"
        if span.kind == "partial" and self.document_date is not None:
            dated = self._of_short_year(span, text, self.document_date)
            dated = dated or self._with_year(span, text, self.document_date)
            if dated is not None:
                return dated, "document_year" if dated.value != span.value else None
        if span.kind == "relative" and span.value is None and self.document_date is not None:
            reread = self._reread(span, self.document_date)
            if reread and reread.value:
                return _valued(span, reread), "document_date"
        return span, None

    @cached_property
    def _numbered(self) -> set[tuple[str, str]]:
        """Months and the numbers after them in all dates without a year."""
        spans = (span for chunk in self._chunks for span in chunk.dates if span.kind == "partial")
        return {(m[:3], n) for s in spans for m, n in _NUMBERED.findall(s.text.lower())}

    def _of_short_year(self, span: DateSpan, text: str, anchor: dt.date) -> DateSpan | None:
        """Return months whose number is the document's year or the one before.

        The span unchanged if the number can also be a day; ``None`` if it is a day.
        """
        years = {f"{year % 100:02}": str(year) for year in (anchor.year, anchor.year - 1)}
        numbers = [number for _, number in _NUMBERED.findall(span.text)]
        if not numbers or not years.keys() >= set(numbers):
            return None
        before = text[max(0, span.start - _CLAUSE) : span.start]
        if _ON_DAY.search(before) or _DAY_GOES_ON.match(text, span.end):
            return None
        is_padded = numbers[0].startswith("0")
        alike = {(m, n) for m, n in self._numbered if n.startswith("0") == is_padded}
        if any(number not in years for _, number in alike):
            return None
        is_month = _IN_MONTH.search(before) or _OF_MONTH.match(text, span.end)
        if not is_month and not (is_padded and len({month for month, _ in alike}) > 1):
            return span
        months = read_date(_NUMBERED.sub(lambda m: f"{m[1]} {years[m[2]]}", span.text))
        return _valued(span, months) if months and months.first else None

    def _with_year(self, span: DateSpan, text: str, anchor: dt.date) -> DateSpan | None:
        """Return a date in the only year that fits, ``None`` if several do."""
        reread = self._reread(span, anchor)
        if reread is None or span.precision not in {"day", "month", "range"}:
            return None
        if reread.first is not None:
            return _valued(span, reread)
        if not self._nearby or _recurs(text, span):
            return None
        years = set(_YEAR_ALONE.findall(text[max(0, span.start - _AROUND) : span.end + _AROUND]))
        near = [
            dated
            for reading in reread.readings
            if (dated := self._read_reading(reading)) is not None and _is_near(dated, anchor)
        ]
        fits = [dated for dated in near if _agrees(text, span, dated, anchor)]
        if not len(near) == len(fits) == 1 or years - {str(fits[0].first)[:4], str(anchor.year)}:
            return None
        return _valued(span, fits[0])

    def _read_reading(self, value: str) -> DateSpan | None:
        ends = value.split("/")
        read = [read_date(end) for end in ends]
        if any(end is None or not end.first or not end.last for end in read):
            return None
        first, last = read[0], read[-1]
        if first is None or last is None:
            return None
        precision = first.precision if len(ends) == 1 else "range"
        return replace(first, value=value, last=last.last, precision=precision)

    def _reread(self, span: DateSpan, anchor: dt.date | None) -> DateSpan | None:
        key = (span.kind, span.text)
        if key not in self._settled:
            self._settled[key] = read_date(span.text, anchor=anchor, day_first=self._day_first)
        return self._settled[key]


def _is_near(dated: DateSpan, anchor: dt.date) -> bool:
    days = [dt.date.fromisoformat(day) for day in (dated.first, dated.last) if day]
    return any(abs((day - anchor).days) <= _NEAR for day in days)


def _agrees(text: str, span: DateSpan, dated: DateSpan, anchor: dt.date) -> bool:
    """Return whether the words before a date do not contradict its position in past or future."""
    before = text[max(0, span.start - _CLAUSE) : span.start]
    clause = re.split(r"[.;!?\n]", before)[-1]
    if (dated.first or "") > anchor.isoformat():
        return _PAST.search(clause) is None
    return _FUTURE.search(clause) is None or (dated.last or "") >= anchor.isoformat()


def _recurs(text: str, span: DateSpan) -> bool:
    """Return whether a day recurs every year, or belongs to years named elsewhere."""
    return bool(_EVERY_YEAR.match(text, span.end)) or bool(
        _EVERY.search(text[max(0, span.start - _CLAUSE) : span.start])
    )


def is_certain(span: DateSpan, /) -> bool:
    """Return whether a span is certainly a date."""
    return span.confidence >= LEAST_CONFIDENCE


def _valued(span: DateSpan, known: DateSpan) -> DateSpan:
    return replace(
        span, value=known.value, first=known.first, last=known.last, precision=known.precision
    )


def document_date(document: DocumentFacts, /) -> dt.date | None:
    """Return the day on which a document was written, if it states one.

    The date of its card, else the one at the start of the file name; that of the file is none.
    """
    stated = (fact.value for fact in document.card or () if fact.field == "date")
    if (day := next(stated, "")) and len(day) == len("2024-05-01"):
        return dt.date.fromisoformat(day)
    named = _ISO_NAME.match(document.name.rpartition("/")[2])
    return date_or_none(*map(int, named.groups())) if named else None


def date_key(span: DateSpan, /) -> str | None:
    """Return the key of a date; ``None`` if it has no value or year, or is uncertain."""
    value = span.value if is_certain(span) else None
    if not value or any(part[:1] in {"-", "X", ""} for part in value.split("/")):
        return None
    return value


def date_name(key: str, /) -> str:
    """Format an ISO 8601 value for display.

    >>> date_name("2024-03-12"), date_name("2024-Q3"), date_name("199X"), date_name("2024-03/2025")
    ('12 March 2024', 'Q3 2024', '1990s', 'March 2024 – 2025')
    """
    if "/" in key:
        return " – ".join(date_name(part) for part in key.split("/"))
    if key.startswith("FY"):
        year, _, part = key[2:].partition("-")
        return f"{part} of fiscal year {year}" if part else f"fiscal year {year}"
    if (m := _ISO_DAY.fullmatch(key)) and 1 <= int(m[2]) <= 12:
        return f"{int(m[3])} {_MONTH_NAMES[int(m[2]) - 1]} {m[1]}"
    if (m := _ISO_MONTH.fullmatch(key)) and 1 <= int(m[2]) <= 12:
        return f"{_MONTH_NAMES[int(m[2]) - 1]} {m[1]}"
    if m := _ISO_PART.fullmatch(key):
        part = m[2]
        return f"week {int(part[1:])} of {m[1]}" if part[0] == "W" else f"{part} {m[1]}"
    if key.endswith("X"):
        return f"{key[:-1]}0s"
    if m := _SEASON.fullmatch(key):
        return f"{m[2]} {m[1]}"
    return key
