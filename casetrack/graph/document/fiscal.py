"""The financial years of a document's company, as far as the document says when they end."""

from __future__ import annotations

import calendar
import datetime as dt
import re
from collections import Counter
from typing import TYPE_CHECKING

from casetrack.base.words.months import any_month
from casetrack.extract.dates import read_date

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from casetrack.graph.document.facts import ChunkFacts

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
_EACH_DAY = re.compile(_DAY, re.IGNORECASE)
_PART = re.compile(r"FY(\d{4})(?:-([QH])(\d))?")
_MONTHS = tuple(name.lower()[:3] for name in calendar.month_name)
_NAMED_BY_END = range(6, 13)
"""A year that ends in these months is named by the year of its end, if no text says otherwise."""
_OF_WEEKS = re.compile(
    r"\b(?:5[23]|1[234])[\s-]weeks?\b|\b5[23][/-]5[23]\b|\b(?:last|nearest|closest)\s(?:to\s)?(?:the\s)?(?:Fri|Satur|Sun)day",
    re.IGNORECASE,
)
"""What says that years have 52 or 53 weeks, even where one of them ends with a month."""
_WORDS = ("iscal", "ISCAL", "inancial year", "INANCIAL YEAR")
_NEARLY_ALL = 0.8
_ONE_YEAR = range(357, 373)

Days = tuple[dt.date, dt.date]


class FiscalYears:
    """What days the financial years of a document are.

    Parameters
    ----------
    chunks
        Of the document, in order. Only what stands in them counts: the days on which financial
        years ended, and how those years are called.
    """

    def __init__(self, chunks: Sequence[ChunkFacts], /) -> None:
        self._ends: set[dt.date] = set()
        offsets: Counter[int] = Counter()
        yearly: Counter[tuple[int, int]] = Counter()
        for chunk in chunks:
            if not any(word in chunk.text for word in _WORDS):
                continue
            text = chunk.text.replace("\n", " ")
            self._ends |= set(_days_in(text))
            for found in _RESPECTIVELY.finditer(text):
                years = _EACH_YEAR.findall(found["years"])
                days = [_read(written) for written in _EACH_DAY.findall(found["days"])]
                if len(years) == len(days):
                    for year, day in zip(years, days, strict=True):
                        if day is not None:
                            self._ends.add(day)
                            offsets[int(year) - day.year] += 1
            text = _RESPECTIVELY.sub(" ", text)
            for pattern in (_NAMED_FIRST, _DAY_FIRST):
                for found in pattern.finditer(text):
                    if (day := _read(found["day"])) is not None:
                        self._ends.add(day)
                        offsets[int(found["year"]) - day.year] += 1
            for found in _YEARLY.finditer(text):
                month = found["month"] or found["month2"]
                number = int(found["number"] or found["number2"])
                yearly[_MONTHS.index(month[:3].lower()), number] += 1
        of_weeks = any(_OF_WEEKS.search(chunk.text) for chunk in chunks)
        self._month = None if of_weeks else _whole_months(self._ends, yearly)
        self._offset = _offset(offsets, self._ends, self._month)

    def days(self, value: str, /) -> Days | None:
        """Return first and last day of a value such as ``FY2023`` or ``FY2023-Q2``.

        ``None`` where the document does not settle them: parts of years of 52 or 53 weeks never.
        """
        ends = [self._of_one(part) for part in value.split("/")]
        if not ends or any(days is None for days in ends):
            return None
        first, last = ends[0], ends[-1]
        return (first[0], last[1]) if first and last else None

    def _of_one(self, value: str) -> Days | None:
        found = _PART.fullmatch(value)
        if found is None or self._offset is None:
            return None
        year = self._year(int(found[1]) - self._offset)
        if year is None or not found[2]:
            return year
        if self._month is None:
            return None
        length = 3 if found[2] == "Q" else 6
        number = int(found[3])
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


def _days_in(text: str) -> Iterator[dt.date]:
    for found in _ENDED.finditer(text):
        for written in _EACH_DAY.findall(found["days"]):
            if (day := _read(written)) is not None:
                yield day


def _read(written: str) -> dt.date | None:
    found = read_date(" ".join(written.split()))
    return (
        dt.date.fromisoformat(found.first)
        if found and found.first == found.last and found.first
        else None
    )


def _whole_months(ends: set[dt.date], yearly: Counter[tuple[int, int]]) -> int | None:
    """Return the month with whose last day the years end; ``None`` for years of weeks."""
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
    """Return what is to be added to the year in which a financial year ends to get its name."""
    if offsets:
        offset, count = offsets.most_common(1)[0]
        return offset if count >= _NEARLY_ALL * offsets.total() and offset in {-1, 0, 1} else None
    months = {month} if month is not None else {day.month for day in ends}
    return 0 if months and all(m in _NAMED_BY_END for m in months) else None


def _moved(day: dt.date, months: int) -> dt.date:
    count = day.year * 12 + day.month - 1 + months
    return dt.date(count // 12, count % 12 + 1, 1)
